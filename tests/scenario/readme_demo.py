#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The output of the demo that README.md shows is the one it has.

    readme_demo.py GPREEMPT README.md            compare
    readme_demo.py GPREEMPT README.md --update   write it into README.md
"""
import difflib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(?<=^```\n)demo: .*?(?=^```$)", re.M | re.S)


def run(gpreempt):
    with tempfile.TemporaryDirectory() as out:
        r = subprocess.run([gpreempt, "sim", "demo", "--quiet", "--out", out], check=True,
                           text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        return r.stdout.replace(out, "out/demo")


def main(gpreempt, readme, *args):
    with open(readme, encoding="utf-8") as f:
        text = f.read()
    shown, output = BLOCK.findall(text), run(gpreempt)
    if "--update" in args:
        with open(readme, "w", encoding="utf-8") as f:
            f.write(BLOCK.sub(lambda _: output, text))
        return 0
    sys.stdout.writelines(difflib.unified_diff("".join(shown).splitlines(True),
                                               output.splitlines(True), readme, "now"))
    return 0 if shown == [output] else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
