#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""who_waits.py: prints which processes are off the GPU although they have work."""
from gpreempt import Handle


def main():
    with Handle() as g:
        for p in g.processes():
            if p.nr_busy and p.state != "running":
                print(f"{p.pid} {p.comm}: {p.state}")


if __name__ == "__main__":
    main()
