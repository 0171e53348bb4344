#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""exports.py LIBRARY HEADER MAP: what the shared library needs and shows.

It needs libc and nothing else, has no text relocations, and exports the functions of the
public header, all of them and no others. Planted faults must be found first.
"""
import re
import subprocess
import sys

MAY_NEED = {"libc.so.6"}


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def declared(header):
    """The functions that a header declares."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    return set(re.findall(r"^[\w *]*?\b(gpreempt_\w+)\(", text, re.M))


def exported(nm):
    names = [line.split()[-1].partition("@")[0] for line in nm.splitlines()]
    return {n for n in names if not n.startswith("GPREEMPT_")}


def problems(dynamic, nm, header, version_map, may_need):
    for name in set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)) - may_need:
        yield f"needs {name}"
    if "TEXTREL" in dynamic:
        yield "has text relocations"
    shows, says = exported(nm), declared(header)
    for name in shows - says:
        yield f"exports {name}, which the header does not declare"
    for name in says - shows:
        yield f"does not export {name}"
    for name in says - set(re.findall(r"\b(gpreempt_\w+);", version_map)):
        yield f"{name} is not in the version script"


def self_test(dynamic, nm, header, version_map):
    """Each planted fault is found."""
    planted = [
        (dynamic + " 1 (NEEDED) Shared library: [libjansson.so.4]\n", nm, header),
        (dynamic, nm + "0 T json_loads@@X\n", header),
        (dynamic, nm, header + "\nint gpreempt_new(void);\n"),
        (dynamic + "0x16 (TEXTREL) 0x0\n", nm, header),
    ]
    for d, n, h in planted:
        assert list(problems(d, n, h, version_map, MAY_NEED)), (d[-60:], n[-60:], h[-60:])


def main():
    library, header, version_map, is_sanitized = sys.argv[1:5]
    dynamic = output("readelf", "-d", library)
    nm = output("nm", "-D", "--defined-only", library)
    with open(header, encoding="utf-8") as f:
        header = f.read()
    with open(version_map, encoding="utf-8") as f:
        version_map = f.read()
    assert len(declared(header)) > 20
    self_test(dynamic, nm, header, version_map)
    may_need = set(MAY_NEED)
    if is_sanitized == "yes":
        may_need |= set(re.findall(r"\[(lib(?:asan|ubsan|gcc_s|m|dl|pthread|rt|resolv)\.so\S*)\]", dynamic))
    found = list(problems(dynamic, nm, header, version_map, may_need))
    print("\n".join(found) or "ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
