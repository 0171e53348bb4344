# SPDX-License-Identifier: MIT
"""Text, tables and plots of tools/eval: a page for a browser and one for docs/measured/."""
import html
import math

from evalsim import NEVER

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 300, 64, 44, 14, 150
COLORS = ("#1b6ca8", "#c8553d", "#588157", "#7b4fa3", "#b08900", "#3d3d3d", "#d081a6")

STYLE = """
:root { color-scheme: light dark; --fg: #222; --bg: #fff; --dim: #555; --rule: #ddd; --met: #2c6e2f; --missed: #b3261e }
@media (prefers-color-scheme: dark) { :root { --fg: #e6e8eb; --bg: #15181c; --dim: #9aa1aa; --rule: #343a42;
       --met: #7cc480; --missed: #ff8a80 } svg .mark { filter: brightness(1.5) } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1060px; padding: 0 1em;
       color: var(--fg); background: var(--bg) }
table { border-collapse: collapse; margin: .6em 0 1.6em }
th, td { padding: .2em .7em; text-align: right; border-bottom: 1px solid var(--rule) }
th:first-child, td:first-child, td.note { text-align: left }
td.met { color: var(--met) } td.missed { color: var(--missed); font-weight: 600 }
td.note { color: var(--dim); font-size: 13px }
figure { margin: 1em 0; overflow-x: auto } figcaption { color: var(--dim) }
svg text { font: 12px system-ui, sans-serif; fill: var(--fg) } svg .grid { stroke: var(--rule) }
.scroll { overflow-x: auto }
"""


def number(value, unit=""):
    if value is None:
        return "–"
    if value == NEVER:
        return "never"
    if unit:
        return f"{value:.{2 if abs(value) < 10 else 1}f} {unit}"
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"


def bound(figure):
    if figure.bound is None:
        return ""
    return f"{'≤' if figure.is_most else '≥'} {number(figure.bound, figure.unit)}"


def verdict(figure):
    return {True: "met", False: "missed", None: ""}[figure.is_met()]


# Plots.

class Axis:
    """From values to pixels."""

    def __init__(self, values, low, high, is_log):
        values = [v for v in values if v not in (None, NEVER)]
        self.is_log, self.low, self.high = is_log, low, high
        self.least = min(values) if is_log else 0
        self.most = max(max(values), self.least * 1.0001, 1e-9)

    def at(self, value):
        a, b, v = self.least, self.most, min(value, self.most)
        if self.is_log:
            a, b, v = math.log(a), math.log(b), math.log(max(v, a))
        return self.low + (self.high - self.low) * (v - a) / (b - a)

    def ticks(self):
        if self.is_log:
            first = 10 ** math.floor(math.log10(self.least))
            all_ticks = [first * 10 ** k * m for k in range(9) for m in (1, 2, 5)]
            return [t for t in all_ticks if self.least <= t <= self.most]
        step = 10 ** math.floor(math.log10(self.most))
        step = step / 5 if self.most / step < 2 else step / 2 if self.most / step < 5 else step
        return [step * k for k in range(int(self.most / step) + 1)]


def tick_text(value):
    return f"{value:g}"


def frame(x, y, x_label, y_label, names):
    # A letter of the legend is eight units wide at most.
    width = max(WIDTH, WIDTH - RIGHT + 32 + 8 * max(map(len, names)))
    out = [f'<svg viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}" role="img" '
           f'aria-label="{html.escape(y_label)} by {html.escape(x_label)}">']
    for t in y.ticks():
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y.at(t):.1f}" y2="{y.at(t):.1f}" '
                   f'class="grid"/><text x="{LEFT - 6}" y="{y.at(t) + 4:.1f}" '
                   f'text-anchor="end">{tick_text(t)}</text>')
    for t in x.ticks() if x else []:
        out.append(f'<text x="{x.at(t):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">'
                   f'{tick_text(t)}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">'
               f'{html.escape(x_label)}</text>')
    out.append(f'<text x="14" y="{HEIGHT / 2}" text-anchor="middle" '
               f'transform="rotate(-90 14 {HEIGHT / 2})">{html.escape(y_label)}</text>')
    return out


def legend(index, name):
    at = TOP + 12 + 18 * index
    return (f'<rect x="{WIDTH - RIGHT + 12}" y="{at - 9}" width="10" height="10" '
            f'fill="{COLORS[index]}" class="mark"/><text x="{WIDTH - RIGHT + 28}" y="{at}">'
            f'{html.escape(name)}</text>')


def lines(series, x_label, y_label, is_log_x=False, is_log_y=False):
    """@series: {name: [(x, y)]}"""
    x = Axis([p[0] for s in series.values() for p in s], LEFT, WIDTH - RIGHT, is_log_x)
    y = Axis([p[1] for s in series.values() for p in s], HEIGHT - BOTTOM, TOP, is_log_y)
    out = frame(x, y, x_label, y_label, series)
    # The first ones wide, so that one with the same values does not hide them.
    for i, (name, points) in enumerate(series.items()):
        path = " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in points if b != NEVER)
        dash = ' stroke-dasharray="5 4"' if name.startswith("bound") else ""
        out.append(f'<polyline points="{path}" fill="none" stroke="{COLORS[i]}" class="mark" '
                   f'stroke-width="{2 * (len(series) - i)}"{dash}/>')
        out.append(legend(i, name))
    return "\n".join(out + ["</svg>"])


def bars(series, labels, y_label, is_log_y=False):
    """@series: {name: [value by label]}"""
    y = Axis([v for s in series.values() for v in s] + ([1] if is_log_y else []),
             HEIGHT - BOTTOM, TOP, is_log_y)
    group = (WIDTH - RIGHT - LEFT) / len(labels)
    width = group * 0.8 / len(series)
    out = frame(None, y, "", y_label, series)
    for i, (name, values) in enumerate(series.items()):
        for k, value in enumerate(values):
            if value is None:
                continue
            left, top = LEFT + group * (k + 0.1) + width * i, y.at(min(value, y.most))
            out.append(f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" '
                       f'height="{max(HEIGHT - BOTTOM - top, 1):.1f}" fill="{COLORS[i]}" class="mark">'
                       f'<title>{html.escape(name)}, {html.escape(labels[k])}: '
                       f'{number(value)}</title></rect>')
            if value == NEVER:
                out.append(f'<text x="{left + width / 2:.1f}" y="{top + 12:.1f}" '
                           f'text-anchor="middle" style="fill: #fff">∞</text>')
        out.append(legend(i, name))
    for k, label in enumerate(labels):
        out.append(f'<text x="{LEFT + group * (k + .5):.1f}" y="{HEIGHT - BOTTOM + 16}" '
                   f'text-anchor="middle">{html.escape(label)}</text>')
    return "\n".join(out + ["</svg>"])


# Pages.

def html_table(header, rows, classes=()):
    cells = "".join(f"<th>{html.escape(h)}</th>" for h in header)
    out = [f'<div class="scroll"><table><tr>{cells}</tr>']
    for row in rows:
        out.append("<tr>" + "".join(
            f'<td class="{classes[i](c) if i < len(classes) and classes[i] else ""}">'
            f"{html.escape(c)}</td>" for i, c in enumerate(row)) + "</tr>")
    return "\n".join(out + ["</table></div>"])


def md_table(header, rows):
    out = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(out + ["| " + " | ".join(r) + " |" for r in rows]) + "\n"


FIGURE_HEADER = ("figure", "value", "bound", "", "")


def figure_rows(figures):
    return [(f.case, number(f.value, f.unit), bound(f), verdict(f), f.note) for f in figures]


def page(title, intro, rows, plots, comparison, baselines):
    """@comparison: {title: (header, rows)}, @baselines: [(name, what it is, source)]"""
    out = [f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
           f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>'
           f'{html.escape(title)}</title><style>{STYLE}</style></head><body>'
           f'<h1>{html.escape(title)}</h1>']
    out += [f"<p>{html.escape(p)}</p>" for p in intro]
    for caption, svg in plots:
        out.append(f"<figure>{svg}<figcaption>{html.escape(caption)}</figcaption></figure>")
    out.append("<h2>Figures and bounds</h2>")
    for name, figures in rows.items():
        out.append(f"<h3>{html.escape(name)}</h3>")
        out.append(html_table(FIGURE_HEADER, figure_rows(figures),
                              (None, None, None, lambda c: c, lambda c: "note")))
    out.append("<h2>All mechanisms</h2>")
    for name, (header, table) in comparison.items():
        out.append(f"<h3>{html.escape(name)}</h3>" + html_table(header, table))
    out.append("<h2>What a mechanism stands for</h2>" +
               html_table(("mechanism", "what it is", "source"), baselines))
    return "\n".join(out + ["</body></html>\n"])


def document(title, intro, rows, comparison, baselines):
    out = [f"# {title}\n"] + [p + "\n" for p in intro]
    out.append("## Figures and bounds\n")
    for name, figures in rows.items():
        out.append(f"**{name}**\n")
        out.append(md_table(FIGURE_HEADER, figure_rows(figures)))
    out.append("## All mechanisms\n")
    for name, (header, table) in comparison.items():
        out.append(f"**{name}**\n")
        out.append(md_table(header, table))
    out.append("## What a mechanism stands for\n")
    out.append(md_table(("mechanism", "what it is", "source"), baselines))
    return "\n".join(out)
