#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""kit_embed.py OUT [ARCH FILE]...: writes code objects as the table kit_objects of kit_code.h."""
import sys


def main(out, words):
    text = ['// SPDX-License-Identifier: MIT', '#include "kit/kit_code.h"', '']
    rows = []
    for arch, path in zip(words[::2], words[1::2]):
        with open(path, "rb") as f:
            data = f.read()
        text.append(f"static const u8 {arch}[] __attribute__((aligned(8))) = {{")
        text += ["\t" + " ".join(f"{b}," for b in data[i:i + 20])
                 for i in range(0, len(data), 20)]
        text += ["};", ""]
        rows.append(f'\t{{ "{arch}", {arch}, sizeof({arch}) }},')
    text += ["const struct kit_object kit_objects[] = {", *rows, "\t{ 0 },", "};", ""]
    with open(out, "w", encoding="utf-8") as f:
        f.write("\n".join(text))


main(sys.argv[1], sys.argv[2:])
