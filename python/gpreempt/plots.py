# SPDX-License-Identifier: MIT
"""The plots of a report, as SVG text that can stand in a page."""
import io
import re

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the backend is chosen)

COLOURS = {"without": "#b5442e", "with": "#1f6f8b", "frequent": "#7a5c9e", "online": "#e09f3e",
           "offline": "#4a6c6f"}
STYLE = {"svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9,
         "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
         "grid.alpha": 0.3, "svg.hashsalt": "gpreempt"}


def svg(figure):
    out = io.StringIO()
    figure.savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    text = out.getvalue()
    return text[text.index("<svg"):]


def unique(text, prefix):
    """Two drawings in a page must not share ids."""
    text = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', text)
    return re.sub(r'(url\(|href=")#', rf"\1#{prefix}-", text)


def latency(series):
    """Cumulative distribution of request latency, logarithmic."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(7, 3))
        for name, values in series.items():
            ordered = sorted(v / 1e6 for v in values)
            parts = [(i + 1) / len(ordered) for i in range(len(ordered))]
            axes.step(ordered, parts, where="post", label=name, color=COLOURS.get(name), lw=1.6)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda x, _: f"{x:g}"))
        axes.set_xlabel("latency of a request [ms]")
        axes.set_ylabel("part of the requests")
        axes.legend(frameon=False)
        return svg(figure)


def histogram(values, label):
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(7, 2.4))
        axes.hist([v / 1e6 for v in values], bins=60, color=COLOURS["with"])
        axes.set_yscale("log")
        axes.set_xlabel(label)
        axes.set_ylabel("how many")
        return svg(figure)


def timeline(runs, length_s=0.3):
    """What was on the GPU, in the middle of each run."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(7, 0.5 + 0.9 * len(runs)))
        ticks = []
        for row, (name, run) in enumerate(runs.items()):
            begin = run.begin_ns + int(run.seconds / 2 * 1e9)
            end = begin + int(min(length_s, run.seconds / 2) * 1e9)
            for lane, role in enumerate(("offline", "online")):
                y = row * 2.4 + lane
                ticks.append((y + 0.4, f"{role}, {name}"))
                spans = [((max(p.begin_ns, begin) - begin) / 1e6,
                          (min(p.end_ns, end) - max(p.begin_ns, begin)) / 1e6)
                         for p in run.pieces
                         if p.name == role and p.begin_ns < end and p.end_ns > begin]
                axes.broken_barh(spans, (y, 0.8), color=COLOURS[role], lw=0)
        axes.set_yticks([y for y, _ in ticks], [text for _, text in ticks])
        axes.grid(False)
        axes.set_xlabel("time [ms]")
        return svg(figure)


def throughput(runs, bin_s=0.1):
    """Part of the time that was offline's, and requests answered, over time."""
    with plt.rc_context(STYLE):
        figure, (top, bottom) = plt.subplots(2, 1, figsize=(7, 3.6), sharex=True)
        for name, run in runs.items():
            nr = max(1, int(run.seconds / bin_s))
            busy, answers = [0.0] * nr, [0] * nr
            for p in run.pieces:
                if p.name == "offline":
                    _spread(busy, (p.begin_ns - run.begin_ns) / 1e9,
                            (p.end_ns - run.begin_ns) / 1e9, bin_s)
            for k in run.online:
                at = int((k.ended_ns - run.begin_ns) / 1e9 / bin_s)
                if at < nr:
                    answers[at] += 1
            times = [(i + 0.5) * bin_s for i in range(nr)]
            top.plot(times, [100 * b / bin_s for b in busy], label=name, color=COLOURS.get(name))
            bottom.plot(times, [a / bin_s for a in answers], label=name, color=COLOURS.get(name))
        top.set_ylabel("offline [% of time]")
        top.set_ylim(0, 105)
        bottom.set_ylabel("requests per s")
        bottom.set_ylim(bottom=0)
        bottom.set_xlabel("time [s]")
        top.legend(frameon=False, loc="lower right")
        return svg(figure)


def _spread(bins, begin_s, end_s, bin_s):
    """Add a span of time to the bins it lies in."""
    for i in range(max(0, int(begin_s / bin_s)), min(len(bins), int(end_s / bin_s) + 1)):
        bins[i] += max(0.0, min(end_s, (i + 1) * bin_s) - max(begin_s, i * bin_s))


def stability(samples):
    """Clients, holds and memory over time."""
    times = [s[0] for s in samples]
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, 3, figsize=(7, 2))
        panels = ((1, "clients", 1), (2, "holds so far", 1), (3, "daemon's memory [MiB]", 1 << 20))
        for panel, (column, label, unit) in zip(axes, panels):
            points = [(t, s[column] / unit) for t, s in zip(times, samples)
                      if s[column] is not None]
            panel.plot([p[0] for p in points], [p[1] for p in points], color=COLOURS["with"])
            panel.set_title(label, fontsize=9)
            panel.set_ylim(bottom=0)
            panel.set_xlabel("time [s]")
        figure.tight_layout()
        return svg(figure)
