# SPDX-License-Identifier: MIT
"""What meson install would put on a machine fits together, wherever it is put."""
import os
import re
import subprocess

from conftest import COMMAND, ROOT

BUILD = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(COMMAND))))


def install(prefix):
    """Installs under a folder, as for a package; gives it."""
    subprocess.run(["meson", "install", "-C", BUILD, "--quiet", "--no-rebuild", "--destdir",
                    str(prefix)], check=True, timeout=120, stdin=subprocess.DEVNULL)
    return str(prefix)


def find(folder, name):
    """The one file whose path ends so."""
    found = [os.path.join(d, f) for d, _, files in os.walk(folder) for f in files]
    found = [f for f in found if f.endswith("/" + name)]
    assert len(found) == 1, (name, found)
    return found[0]


def test_installed_parts_name_each_other(tmp_path):
    root = install(tmp_path)
    with open(find(root, "gpreemptd.service"), encoding="utf-8") as f:
        program = re.search(r"^ExecStart=(\S+)$", f.read(), re.M)[1]
    assert root + program == find(root, "gpreemptd")
    libraries = os.path.dirname(find(root, "libgpreempt.so.0.2.0")).removeprefix(root)
    dynamic = subprocess.run(["readelf", "-d", find(root, "bin/gpreempt")], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    path = re.search(r"R(?:UN)?PATH\).*\[(.*)\]", dynamic)
    assert libraries == "/usr/lib" or path and path[1] == libraries, dynamic


def test_each_call_of_the_library_has_a_page(tmp_path):
    root = install(tmp_path)
    with open(os.path.join(ROOT, "include/gpreempt/gpreempt.h"), encoding="utf-8") as f:
        calls = re.findall(r"^[a-z][^;{}()]*?\b(gpreempt_\w+)\(([^;]*)\);", f.read(), re.M)
    assert len(calls) > 25
    for name, arguments in calls:
        with open(find(root, f"man3/{name}.3"), encoding="utf-8") as f:
            text = f.read()
        if text.startswith(".so "):
            with open(find(root, text.split()[1]), encoding="utf-8") as f:
                text = f.read()
        synopsis = text.split(".SH SYNOPSIS")[1].split(".SH DESCRIPTION")[0]
        assert f"{name}({arguments});" in synopsis and f".SS {name}()" in text and ".SH ERRORS" in text, name
        # What the header says comes whole, and nothing of its comments is left.
        assert "/*" not in text.split(".SH DESCRIPTION")[1].split(".SH STRUCTURES")[0]
