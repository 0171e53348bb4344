#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""library.py LIBRARY: the shim as a program gets it.

What it exports and how old a glibc may be; and in programs that know nothing of GPUs: nothing
is printed, output and exit code are their own, a profiler's variables stay.
"""
import os
import re
import subprocess
import sys

EXPORTS = {"ioctl", "hsa_signal_store_relaxed", "hsa_signal_store_screlease", "OnLoad", "OnUnload",
           "HSA_AMD_TOOL_PRIORITY"}
NEWEST_GLIBC = (2, 31)  # Debian 11, Ubuntu 20.04


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def newest(nm):
    """The newest glibc that a list of symbols asks for."""
    return max(tuple(map(int, v.split("."))) for v in re.findall(r"@GLIBC_([\d.]+)", nm))


def check_symbols(library):
    shown = output("nm", "-D", "--defined-only", library).split()[2::3]
    assert set(shown) == EXPORTS, shown
    assert newest("a@GLIBC_2.4\nb@GLIBC_2.34\n") > NEWEST_GLIBC
    wanted = output("nm", "-D", "--undefined-only", library)
    assert newest(wanted) <= NEWEST_GLIBC, wanted


def run(library, command, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith("HSA_")}
    env.update(environment, LD_PRELOAD=library)
    return subprocess.run(["/bin/sh", "-c", command], env=env, check=False, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)


def tools(library, **environment):
    """What a child of a program under the library has in HSA_TOOLS_LIB."""
    return run(library, 'exec /usr/bin/env', **environment).stdout


def check_environment(library):
    assert f"HSA_TOOLS_LIB={library}\n" in tools(library)
    assert "HSA_TOOLS_ROCPROFILER_V1_TOOLS=1\n" in tools(library)
    both = tools(library, HSA_TOOLS_LIB="/opt/profiler.so", HSA_TOOLS_ROCPROFILER_V1_TOOLS="0")
    assert f"HSA_TOOLS_LIB=/opt/profiler.so {library}\n" in both, both
    assert "HSA_TOOLS_ROCPROFILER_V1_TOOLS=0\n" in both
    # Once, however many programs are between.
    again = tools(library, HSA_TOOLS_LIB=f"/opt/a.so {library}")
    assert f"HSA_TOOLS_LIB=/opt/a.so {library}\n" in again, again


def check_silence(library):
    r = run(library, "echo out; exit 3")
    assert (r.returncode, r.stdout, r.stderr) == (3, "out\n", ""), r
    # A program that calls ioctl().
    r = run(library, "stty -a </dev/null; /bin/ls -C / >/dev/null; echo $?")
    assert r.stdout.endswith("0\n") and "gpreempt" not in r.stderr, r


def lookups(library, program):
    """Names that a Python program has looked up after it has written MARK to stderr."""
    env = dict(os.environ, LD_PRELOAD=library, LD_BIND_NOW="1", LD_DEBUG="symbols")
    r = subprocess.run(["/usr/bin/python3", "-S", "-c", program], env=env, check=False, text=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert r.returncode == 0 and "MARK" in r.stderr, r
    return re.findall(r"symbol=(\w+);", r.stderr.partition("MARK")[2])


def check_first_ioctl(library):
    """dlsym() takes locks and allocates: a signal handler or a child of vfork() must not."""
    begin = "import ctypes, fcntl, os; libc = ctypes.CDLL(None); os.write(2, b'MARK\\n');"
    call = """
try:
    fcntl.ioctl(0, 0x5401, bytes(64))
except OSError:
    pass
"""
    assert "ioctl" not in lookups(library, begin + call)
    # Control: what is looked up is seen.
    assert "ioctl" in lookups(library, begin + "libc.ioctl")


def main():
    library = os.path.realpath(sys.argv[1])
    check_symbols(library)
    check_environment(library)
    check_silence(library)
    check_first_ioctl(library)


if __name__ == "__main__":
    main()
