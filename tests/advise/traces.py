# SPDX-License-Identifier: MIT
"""Kernel traces made from the simulator: a class of a scenario alone on the stock driver, with noise.

    traces.py GPREEMPT FOLDER   writes the examples that README.md names
"""
import json
import os
import random
import subprocess
import sys
import tempfile

SIZE, VGPRS, LDS = 256, 64, 8192
ROOM = 8 * 304  # such workgroups on an MI300X
NOISE = 0.02    # of the length of a kernel, one standard deviation
HEADER = ('"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name",'
          '"Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count",'
          '"Accum_VGPR_Count","SGPR_Count","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z",'
          '"Grid_Size_X","Grid_Size_Y","Grid_Size_Z"')
V1_HEADER = ('"Index","KernelName","gpu-id","queue-id","queue-index","pid","tid","grd","wgr","lds","scr","arch_vgpr",'
             '"accum_vgpr","sgpr","wave_size","sig","obj","DispatchNs","BeginNs","EndNs","CompleteNs","DurationNs"')


def scenario(*classes, duration="2s"):
    return f"[scenario]\nname = pair\ngpu = mi300x\nduration = {duration}\n" + "".join(classes)


def simulate(gpreempt, text, *args):
    """The result of a run."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s.scn")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        out = subprocess.run([gpreempt, "sim", "run", path, "--quiet", "--json", *args], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
        return json.loads(out)


def fill_of(seconds):
    """How much of the GPU a kernel of a mix fills: docs/guide/scenario.md."""
    return min(max(seconds / 200e-6, 0.05), 1)


def record(gpreempt, class_text, duration="2s", fill=fill_of, seed=1):
    """[(name, start ns, end ns, workgroups)] as a profiler would see them."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.json")
        simulate(gpreempt, scenario(class_text, duration=duration), "--mechanism", "none", "--trace", path)
        with open(path, encoding="utf-8") as f:
            events = json.load(f)["traceEvents"]
    boxes = sorted((e["ts"] * 1000, e["dur"] * 1000) for e in events if e["ph"] == "X" and e["cat"] == "kernel")
    kernels = []
    for i, (start, ns) in enumerate(boxes):
        most = boxes[i + 1][0] - start if i + 1 < len(boxes) else ns * 2
        noisy = min(max(rng.gauss(1, NOISE), 0.5) * ns, most)
        kernels.append((f"kernel_{ns // 1000:.0f}us(float*, int)", round(start) + 10**15, round(start + noisy) + 10**15,
                        max(int(ROOM * fill(ns / 1e9)), 1)))
    return kernels


def rocprofv3_csv(kernels):
    rows = (f'"KERNEL_DISPATCH","Agent 4",1,0,4711,{i},1,"{name}",{i},{start},{end},{LDS},0,{VGPRS},0,32,{SIZE},1,1,'
            f"{nr * SIZE},1,1" for i, (name, start, end, nr) in enumerate(kernels, 1))
    return "\n".join([HEADER, *rows, ""])


def rocprof_csv(kernels):
    rows = (f'{i},"{name} [clone .kd]",0,0,{i},4711,4711,{nr * SIZE},{SIZE},{LDS},0,{VGPRS},0,32,64,"0x0","0x7f00",'
            f"{start - 900},{start},{end},{end + 500},{end - start}" for i, (name, start, end, nr) in enumerate(kernels))
    return "\n".join([V1_HEADER, *rows, ""])


def rocprofv3_json(kernels):
    records = [{"size": 160, "kind": 11, "operation": 1, "thread_id": 4711, "correlation_id": {"internal": i, "external": 0},
                "start_timestamp": start, "end_timestamp": end,
                "dispatch_info": {"size": 64, "agent_id": {"handle": 4}, "queue_id": {"handle": 1}, "kernel_id": 7,
                                  "dispatch_id": i, "private_segment_size": 0, "group_segment_size": LDS,
                                  "workgroup_size": {"x": SIZE, "y": 1, "z": 1},
                                  "grid_size": {"x": nr * SIZE, "y": 1, "z": 1}}}
               for i, (_, start, end, nr) in enumerate(kernels, 1)]
    return json.dumps({"rocprofiler-sdk-tool": [{
        "kernel_symbols": [{"kernel_id": 7, "formatted_kernel_name": "k", "arch_vgpr_count": VGPRS, "accum_vgpr_count": 0}],
        "buffer_records": {"kernel_dispatch": records}}]})


def pytorch_json(kernels):
    events = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 5.0, "dur": 3.0}]
    events += [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": start / 1000, "dur": (end - start) / 1000,
                "args": {"device": 0, "stream": 7, "grid": [nr, 1, 1], "block": [SIZE, 1, 1], "registers per thread": VGPRS,
                         "shared memory": LDS}} for name, start, end, nr in kernels]
    return json.dumps({"schemaVersion": 1, "traceEvents": events})


def sqlite_file(kernels, path):
    import sqlite3
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE d (start INT, \"end\" INT, grid_x INT, workgroup_x INT, lds_size INT, vgpr_count INT)")
    db.executemany("INSERT INTO d VALUES (?, ?, ?, ?, ?, ?)",
                   [(start, end, nr * SIZE, SIZE, LDS, VGPRS) for _, start, end, nr in kernels])
    db.execute("CREATE VIEW kernels AS SELECT start, \"end\", grid_x, 1 AS grid_y, 1 AS grid_z, workgroup_x, 1 AS workgroup_y,"
               " 1 AS workgroup_z, lds_size, 4 AS agent_abs_index, vgpr_count, 0 AS accum_vgpr_count FROM d")
    db.commit()
    db.close()


ONLINE = """[class inference]
priority = 12
latency-critical = yes
start = 30ms
arrival = uniform every 21.37ms
stop = 1.97s
mix = vgg
"""
OFFLINE = "[class training]\npriority = 3\narrival = closed 2\nkernel = 20ms fill 100%\n"


def main(gpreempt, folder):
    online, offline = record(gpreempt, ONLINE, "320ms"), record(gpreempt, OFFLINE, "320ms", fill=lambda s: 1)
    for name, kernels in (("online.csv", online), ("offline.csv", offline)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(rocprofv3_csv(kernels))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
