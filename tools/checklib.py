# SPDX-License-Identifier: MIT
"""What the small checkers of this folder share."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SKIP = {".git", "build", "out", "__pycache__"}


def files(root=ROOT):
    """All files of the tree, as paths relative to it; nothing that a build makes."""
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(d for d in subfolders if d not in SKIP)
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), root)


def c_files(root=ROOT):
    return [p for p in files(root) if p.endswith((".c", ".h", ".cpp"))]


def read(path, root=ROOT):
    with open(os.path.join(root, path), encoding="utf-8") as f:
        return f.read()


def write(path, text, root):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as f:
        f.write(text)


def finish(problems):
    """Prints the problems and ends the program, with 1 if there are any."""
    problems = list(problems)
    for p in problems:
        print(p)
    sys.exit(1 if problems else 0)


def selftest(test):
    """Runs the negative controls of a checker and ends the program."""
    test()
    print(f"{os.path.basename(sys.argv[0])}: self-test passed")
    sys.exit(0)
