#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""gpreempt sim import: every format gives the same class; what it prints is a scenario that runs;
damaged files are refused with a line, or read, but never crash it.

    test_import.py GPREEMPT
"""
import os
import random
import re
import subprocess
import sys
import tempfile

import traces

DAMAGED = 150  # files of each format

# what a file has, what is said of it
BAD = [
    ("", "it is empty"),
    ("a,b\n1,2\n", "1: neither Start_Timestamp and End_Timestamp"),
    ("BeginNs,EndNs\n", "there is no kernel in it"),
    ("BeginNs,EndNs\n5,5\n", "there is no kernel in it"),
    ("BeginNs,EndNs\n1,x\n", "2: 'x' is not a number"),
    ("BeginNs,EndNs\n1,-2\n", "2: '-2' is not a number"),
    ("BeginNs,EndNs\n1,99999999999999999999\n", "2: '99999999999999999999' is not a number"),
    ("BeginNs,EndNs\n1\n", "2: it has 1 columns, the first 2 or more"),
    ('BeginNs,EndNs,n\n1,2,"a\n', "2: a quote that does not end"),
    ("BeginNs,EndNs,wgr,grd\n1,2,2048,4096\n", "2: a workgroup of 2048 work-items; at most 1024"),
    ("BeginNs,EndNs\n1,2\n\0\n", "3: it is too long, or has a byte 0"),
    ("BeginNs,EndNs,x" + ",y" * 200 + "\n", "1: more than 128 columns"),
    ("{", "1: "),
    ("{}", "neither 'rocprofiler-sdk-tool' nor 'traceEvents' is in it"),
    ('{"rocprofiler-sdk-tool": [{"buffer_records": {"kernel_dispatch": [1]}}]}', "a record without its times"),
    ('{"traceEvents": [{"cat": "kernel"}]}', "a kernel without its times"),
    ('{"traceEvents": [{"cat": "kernel", "ts": 1, "dur": 1e300}]}', "a kernel without its times"),
    ('{"traceEvents": []}', "there is no kernel in it"),
    ("[" * 100000, "maximum parsing depth reached"),
    ("SQLite format 3\0" + "\0" * 200, ""),
]


def call(gpreempt, path, *args):
    return subprocess.run([gpreempt, "sim", "import", path, *args], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=600, check=False)


def put(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    return path


def formats(folder, kernels):
    """{format: path}"""
    path = os.path.join(folder, "t.db")
    traces.sqlite_file(kernels, path)
    return {"v3.csv": put(folder, "v3.csv", traces.rocprofv3_csv(kernels)),
            "v1.csv": put(folder, "v1.csv", traces.rocprof_csv(kernels)),
            "v3.json": put(folder, "v3.json", traces.rocprofv3_json(kernels)),
            "torch.json": put(folder, "torch.json", traces.pytorch_json(kernels)), "rocpd.db": path}


def check_formats(gpreempt, folder, paths):
    """All of them are the same work; times of the PyTorch profiler are rounded."""
    texts = {}
    for name, path in paths.items():
        r = call(gpreempt, path)
        assert r.returncode == 0 or b"without SQLite" in r.stderr, (name, r)
        texts[name] = re.sub(r"^#.*\n", "", r.stdout.decode())
    if not texts["rocpd.db"]:
        del texts["rocpd.db"]
    assert "arrival = uniform every 21370us" in texts["v3.csv"], texts["v3.csv"][:200]
    assert texts["v3.csv"].count("kernel = ") == 71, texts["v3.csv"].count("kernel = ")
    for name, text in texts.items():
        shape = re.sub(r"= \d+ns|= \d+us", "=", text)
        assert name == "torch.json" or text == texts["v3.csv"], name
        assert shape.count("grid 2432") == texts["v3.csv"].count("grid 2432"), name
    scn = put(folder, "s.scn", "[scenario]\nduration = 100ms\n" + texts["v3.csv"])
    subprocess.run([gpreempt, "sim", "run", scn, "--quiet"], check=True, stdout=subprocess.DEVNULL)


def check_bad(gpreempt, folder):
    for text, message in BAD:
        path = put(folder, "bad", text)
        r = call(gpreempt, path)
        lines = r.stderr.decode().splitlines()
        assert r.returncode == 2 and not r.stdout and len(lines) == 1, (text[:60], r)
        assert lines[0].startswith(f"gpreempt: {path}:") and message in lines[0], (text[:60], lines)


def check_damaged(gpreempt, folder, paths):
    """Bytes changed, taken away and repeated at random: an answer, never a signal."""
    rng, seen = random.Random(19), set()
    for name, path in paths.items():
        with open(path, "rb") as f:
            good = f.read()[:20000]
        for _ in range(DAMAGED):
            data = bytearray(good)
            for _ in range(rng.randrange(1, 8)):
                at = rng.randrange(len(data))
                data[at:at + rng.randrange(3)] = bytes(rng.choice(b'0123456789,"\n{}[]x\0\xff') for _ in range(rng.randrange(4)))
            r = call(gpreempt, put(folder, "damaged", bytes(data[:rng.randrange(1, len(data) + 1)])))
            # A sanitizer that finds something ends the command with 1 too.
            assert r.returncode in (0, 1, 2) and b"anitizer" not in r.stderr and b"runtime error" not in r.stderr, (name, r)
            seen.add(r.returncode)
    assert seen >= {0, 2}, seen


def main(gpreempt):
    gpreempt = os.path.abspath(gpreempt)
    with tempfile.TemporaryDirectory() as folder:
        kernels = traces.record(gpreempt, traces.ONLINE, "200ms")
        paths = formats(folder, kernels)
        check_formats(gpreempt, folder, paths)
        check_bad(gpreempt, folder)
        check_damaged(gpreempt, folder, paths)
    print("pass")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
