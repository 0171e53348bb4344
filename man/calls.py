#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Manual pages of libgpreempt's calls from the header, a page for each group of calls.

    calls.py HEADER FOLDER
    calls.py --names          the files that it writes
"""
import os
import re
import sys

# A page is called by the first of its calls; the others lead to it.
GROUPS = [
    ("open and close handles", "open close get_caps strerror free source_name sizeof"),
    ("list GPUs, processes and queues", "get_nodes get_processes get_all_queues get_totals"),
    ("stop and continue queues", "suspend_queues resume_queues"),
    ("stop and continue the queues of the caller", "self_hold self_release"),
    ("attributes of a process", "get_attr set_attr"),
    ("say what processes may be, before they use the GPU", "grant revoke"),
    ("control a process that has no shim", "attach detach"),
    ("policy of a node", "get_policy set_policy get_param set_param set_enabled"),
    ("counters and latencies of a node", "get_stats"),
    ("events", "monitor_fd monitor_read monitor_read_text"),
    ("any method of the daemon", "call"),
]
PROTOTYPE = re.compile(r"^[a-z][^;{}()]*?\b(gpreempt_\w+)\([^;]*\);", re.M | re.S)
COMMENT = re.compile(r"/\*\*?((?:(?!\*/).)*)\*/\s*$", re.S)
STRUCT = r"^(?:/\*(?:[^*]|\*(?!/))*\*/\n)?(?:struct|enum) {} \{{.*?^\}};"


def roff(text):
    """Text that roff takes as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def plain(comment):
    return re.sub(r"^[ \t]*\*[ \t]?", "", comment, flags=re.M).strip()


def calls(header):
    """{name: (prototype, comment)}; what stands together under one comment shares it."""
    found, last, comment = {}, 0, ""
    for m in PROTOTYPE.finditer(header):
        between = header[last:m.start()]
        c = COMMENT.search(between)
        if c:
            comment = plain(c[1])
        elif between.strip():
            comment = ""
        found[m[1]] = (m[0], comment)
        last = m.end()
    return found


def split(comment):
    """The line that says what it is, parameters, the rest, and what it gives."""
    comment = re.sub(r"^\w+\(\) - ", "", comment)
    comment, _, gives = comment.partition("Return:")
    lines = comment.strip().split("\n")
    at = [i for i, line in enumerate(lines) if line.startswith("@")]
    first = "\n".join(lines[:at[0]] if at else lines).strip()
    rest = "\n".join(lines[at[0]:] if at else []).strip()
    parameters, _, more = rest.partition("\n\n")
    parameters = re.findall(r"@(\w+): (.*?)(?=\n@|\Z)", parameters, re.S)
    return first, parameters, more.strip(), gives.strip()


def text_of(text):
    """Paragraphs; @name is a parameter."""
    text = "\n.PP\n".join(roff(re.sub(r"\s*\n\s*", "\n", p.strip())) for p in text.split("\n\n"))
    return re.sub(r"@(\w+)", r"\\fI\1\\fR", text)


def describe(name, comment):
    first, parameters, more, gives = split(comment)
    out = [f".SS {name}()", text_of(first[:1].upper() + first[1:].rstrip(".") + ".")]
    for parameter, what in parameters:
        out += [".TP", f".I {parameter}", text_of(what)]
    if more:
        out += [".PP", text_of(more)]
    if gives:
        out += [".PP", "Returns " + text_of(gives)]
    return out


def structs(header, prototypes):
    """Definitions of what the calls take, and of what these take."""
    out, seen, names = [], set(), re.findall(r"(?:struct|enum) (gpreempt_\w+)", prototypes)
    while names:
        name = names.pop(0)
        m = re.search(STRUCT.format(name), header, re.M | re.S)
        if m and name not in seen:
            out.append(m[0])
            names += re.findall(r"(?:struct|enum) (gpreempt_\w+)", m[0])
        seen.add(name)
    return "\n\n".join(out)


def page(header, found, about, names):
    prototypes = "\n".join(found[n][0] for n in names)
    out = ['.\\" SPDX-License-Identifier: MIT', f'.TH {names[0].upper()} 3 "" "gpreempt" "Library functions"', ".SH NAME",
           ", ".join(names) + f" \\- {about}", ".SH SYNOPSIS", ".EX", "#include <gpreempt/gpreempt.h>", "",
           roff(prototypes), "", "cc ... $(pkg\\-config \\-\\-cflags \\-\\-libs gpreempt)", ".EE", ".SH DESCRIPTION"]
    for name in names:
        out += describe(name, found[name][1])
    types = structs(header, prototypes)
    if types:
        out += [".SH STRUCTURES", ".EX", roff(types.replace("\t", "    ")), ".EE"]
    out += [".SH ERRORS", "Calls give a negative errno and leave errno alone;", ".BR gpreempt_strerror (3)",
            "has the reason in words. Beside what is said above:", ".TP", ".B \\-EINVAL", "a value that makes no sense", ".TP",
            ".B \\-EPERM", "not permitted to the caller", ".TP", ".B \\-EOPNOTSUPP",
            "this daemon, driver or process cannot", ".TP", ".B \\-ETIMEDOUT", "no answer in time", ".TP", ".B \\-EPIPE",
            "the daemon went away", ".TP", ".B \\-EPROTO", "its answer makes no sense", ".TP", ".B \\-ENOMEM", "no memory",
            ".SH SEE ALSO", ".BR libgpreempt (3),", ".BR gpreemptd (8)", ""]
    return "\n".join(out)


def main(path, folder):
    with open(path, encoding="utf-8") as f:
        header = f.read()
    found, left = calls(header), set(calls(header))
    for about, words in GROUPS:
        names = ["gpreempt_" + word for word in words.split()]
        left -= set(names)
        for name in names:
            text = page(header, found, about, names) if name == names[0] else f".so man3/{names[0]}.3\n"
            with open(os.path.join(folder, name + ".3"), "w", encoding="utf-8") as f:
                f.write(text)
    if left:
        sys.exit(f"calls.py: no page has {', '.join(sorted(left))}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--names"]:
        print("\n".join(f"gpreempt_{word}.3" for _, words in GROUPS for word in words.split()))
    else:
        main(*sys.argv[1:])
