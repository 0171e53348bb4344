# SPDX-License-Identifier: MIT
"""What meson install would put on a machine fits together, wherever it is put."""
import fnmatch
import json
import os
import re
import shutil
import subprocess

import pytest
from conftest import COMMAND, ROOT

BUILD = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(COMMAND))))


def libdir():
    """Where the build puts libraries, below its prefix: on Debian a folder of the architecture."""
    out = subprocess.run(["meson", "introspect", BUILD, "--buildoptions"], check=True, text=True, timeout=120,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout
    return next(o["value"] for o in json.loads(out) if o["name"] == "libdir")


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
    for name in ("gpreemptd", "gpreempt-k8s"):
        with open(find(root, name + ".service"), encoding="utf-8") as f:
            program = re.search(r"^ExecStart=(\S+)$", f.read(), re.M)[1]
        assert root + program == find(root, "sbin/" + name)
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


MACROS = {"_bindir": "usr/bin", "_sbindir": "usr/sbin", "_datadir": "usr/share", "_includedir": "usr/include",
          "_libdir": "usr/lib", "_mandir": "usr/share/man", "_prefix": "usr", "_sysconfdir": "etc",
          "_sysusersdir": "usr/lib/sysusers.d", "_udevrulesdir": "usr/lib/udev/rules.d",
          "_unitdir": "usr/lib/systemd/system"}


def rpm_patterns():
    """What the spec packs, as paths without the first slash."""
    with open(os.path.join(ROOT, "packaging/rpm/gpreempt.spec"), encoding="utf-8") as f:
        lines = f.read().split("%files", 1)[1].splitlines()
    lines = [line.split()[-1] for line in lines if "%{_" in line and not line.startswith("%dir")]
    return [re.sub(r"%{(\w+)}", lambda m: MACROS[m[1]], line) for line in lines]


def deb_patterns():
    """What debian/*.install packs; libraries are in a folder of the architecture there."""
    found = []
    for name in os.listdir(os.path.join(ROOT, "debian")):
        if name.endswith(".install"):
            with open(os.path.join(ROOT, "debian", name), encoding="utf-8") as f:
                found += [line.replace("usr/lib/*/", "usr/lib/") for line in f.read().split()]
    # Units go to dh_installsystemd.
    with open(os.path.join(ROOT, "debian/rules"), encoding="utf-8") as f:
        units = re.search(r"^UNITS := {(.*)}\.service$", f.read(), re.M)[1].split(",")
    return found + [f"usr/lib/systemd/system/{name}.service" for name in units]


@pytest.mark.parametrize("patterns", [rpm_patterns, deb_patterns])
def test_everything_installed_is_in_one_package(tmp_path, patterns):
    """rpmbuild and dh_missing would complain, after minutes; and what is packed is there."""
    root = install(tmp_path)
    files = [os.path.relpath(os.path.join(d, f), root) for d, _, names in os.walk(root) for f in names]
    # Packages have other folders than a build to try things out.
    for here, there in (("usr/local/etc/", "etc/"), ("usr/local/", "usr/"), ("usr/libexec/", "usr/lib/gpreempt/"),
                        (f"usr/{libdir()}/", "usr/lib/")):
        files = [there + f.removeprefix(here) if f.startswith(here) else f for f in files]
    packed = patterns()
    # The RPM packages are built with -Dslurm=disabled; the others want Slurm's headers to be there.
    plugin = {f for f in files if "spank_gpreempt" in f}
    if patterns is rpm_patterns or not plugin:
        files = [f for f in files if f not in plugin]
        packed = [p for p in packed if "spank" not in p and not p.endswith("man7")]
    for f in files:
        by = [p for p in packed if fnmatch.fnmatch(f, p) or f.startswith(p + "/")]
        assert len(by) == 1, (f, by)
    for p in packed:
        assert any(fnmatch.fnmatch(f, p) or f.startswith(p + "/") for f in files), p


def test_unit_gives_away_little(tmp_path):
    """systemd-analyze reads the unit itself; 3.5 of 10."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    unit = find(install(tmp_path), "gpreemptd.service")
    r = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=35", unit],
                       text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    assert r.returncode == 0, r.stdout
