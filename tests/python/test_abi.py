# SPDX-License-Identifier: MIT
"""The declarations of the binding are those of the C headers."""
import os
import re
import subprocess

import cffi
import pytest

from gpreempt import _abi, wire

CC = os.environ.get("CC", "gcc")


def preprocess(path):
    """Declarations of a header without what comes from libc."""
    out = subprocess.run([CC, "-E", path], check=True, capture_output=True, text=True).stdout
    kept, keep = [], False
    for line in out.splitlines():
        if line.startswith("#"):
            keep = path in line
        elif keep:
            kept.append(line)
    return "\n".join(kept).replace("_Bool", "bool")


@pytest.fixture(scope="module")
def declarations(root):
    return preprocess(os.path.join(root, "include", "gpreempt", "gpreempt.h"))


@pytest.fixture(scope="module")
def header(declarations):
    ffi = cffi.FFI()
    ffi.cdef(declarations)
    return ffi


def members(ffi, struct):
    return [(name, f.offset, str(f.type)) for name, f in ffi.typeof(struct).fields]


@pytest.mark.parametrize("name", _abi.STRUCTS)
def test_struct_is_that_of_the_header(header, name):
    struct = f"struct gpreempt_{name}"
    assert members(_abi.ffi, struct) == members(header, struct)
    assert _abi.ffi.sizeof(struct) == header.sizeof(struct)


@pytest.mark.parametrize("name", _abi.STRUCTS)
def test_size_is_that_of_the_library(name):
    size = _abi.library().gpreempt_sizeof(f"gpreempt_{name}".encode())
    assert size == _abi.ffi.sizeof(f"struct gpreempt_{name}")


def test_no_struct_of_the_header_is_missing(declarations):
    theirs = set(re.findall(r"struct gpreempt_(\w+) \{", declarations))
    assert theirs == set(_abi.STRUCTS)


def functions(text):
    """Name to declaration, with as little space as possible."""
    flat = re.sub(r"\s+", " ", text)
    found = re.findall(r"((?:const )?\w+[ *]+(gpreempt_\w+) ?\([^;{]*\)) ?;", flat)
    return {name: re.sub(r" ?([*,()\[\]]) ?", r"\1", whole) for whole, name in found}


def test_functions_are_those_of_the_header(declarations):
    theirs = functions(declarations)
    assert len(theirs) > 25
    assert functions(_abi.CDEF.replace("GPREEMPT_NAME_LEN", "32")) == theirs


def test_every_function_is_exported():
    for name in functions(_abi.CDEF):
        assert getattr(_abi.library(), name)


def run_c(source, folder, root):
    path, program = folder / "layout.c", folder / "layout"
    path.write_text(source)
    subprocess.run([CC, "-I", os.path.join(root, "src/client"), "-I", os.path.join(root, "include"),
                    "-o", program, path], check=True)
    out = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return dict(line.split("=") for line in out.splitlines())


def test_macros_are_those_of_the_header(root, tmp_path):
    names = re.findall(r"#define (GPREEMPT_\w+)", _abi.CDEF)
    lines = "".join(f'printf("{n}=%llu\\n", (unsigned long long){n});' for n in names)
    said = run_c("#include <stdio.h>\n#include <gpreempt/gpreempt.h>\nint main(void){"
                 + lines + "}", tmp_path, root)
    library = _abi.library()
    assert {n: str(getattr(library, n)) for n in names} == said


CONSTANTS = ("MAGIC", "VERSION", "MAX", "QUEUE_ALL", "PRIO_UNSET", "HELLO", "QUEUE_ADD",
             "QUEUE_REMOVE", "BUSY", "IDLE", "DONE", "NOTE", "PROGRESS", "WELCOME", "HOLD", "RELEASE", "RENEW",
             "BYE", "MECH_SHIM", "MECH_DBG", "MECH_SIM", "HOLDER_SCHED", "HOLDER_MANUAL", "OK",
             "GONE", "BUSY_NOW", "ERROR", "NOTE_SEES", "NOTE_LEASE_ENDED", "NOTE_PROGRESS",
             "NOTE_NO_PROGRESS", "NOTE_REFUSED", "NOTE_RESET", "ATTR_LATENCY_CRITICAL")


def wire_program():
    """A C program that says what wire_view() says."""
    lines = ['P("hdr", sizeof(struct wire_hdr));']
    for name, layout in wire.LAYOUTS.items():
        lines.append(f'P("{name}", sizeof(struct wire_{name}));')
        lines += [f'P("{name}.{m}", offsetof(struct wire_{name}, {m}));'
                  for m, _ in layout.members]
    lines += [f'P("{n}", WIRE_{n});' for n in CONSTANTS]
    return ("#include <stdio.h>\n#include <stddef.h>\n#include <wire.h>\n"
            '#define P(n, v) printf("%s=%llu\\n", n, (unsigned long long)(v))\n'
            "int main(void){" + "\n".join(lines) + "}")


def wire_view():
    view = {"hdr": wire.HDR.size}
    for name, layout in wire.LAYOUTS.items():
        view[name] = wire.HDR.size + layout.size
        view.update({f"{name}.{m}": wire.HDR.size + at for m, at in layout.offsets().items()})
    view.update({n: getattr(wire, n) for n in CONSTANTS})
    return {k: str(v) for k, v in view.items()}


def test_wire_is_that_of_the_header(root, tmp_path):
    assert run_c(wire_program(), tmp_path, root) == wire_view()


def test_a_wrong_layout_would_be_seen(root, tmp_path, monkeypatch):
    said = run_c(wire_program(), tmp_path, root)
    wrong = wire.Layout(("epoch", "Q"), ("gpu_id", "Q"), ("queue_id", "I"), ("holder", "I"),
                        ("grace", "I"), ("lease_ns", "Q"))
    monkeypatch.setitem(wire.LAYOUTS, "order", wrong)
    assert wire_view() != said
