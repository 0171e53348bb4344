# SPDX-License-Identifier: MIT
"""Draws one preemption, without and with, from two timelines of `gpreempt sim run --trace`."""
import xml.sax.saxutils

WIDTH, LEFT, RIGHT = 720, 92, 706
BEFORE_MS, AFTER_MS = 3.0, 27.0
LANE, PITCH, PANEL, TOP = 24, 34, 118, 8
APART_US = 5000.0  # kernels of one request are closer than this
STYLE = """
text{font:15px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1c1e21}
.bg{fill:#fff}.title{font-weight:600}.dim{fill:#5d646c;font-size:13px}
.lane{fill:#eef0f3}.grid{stroke:#c9ced4}.zero{stroke:#1c1e21;stroke-dasharray:3 3}
.online{fill:#0072b2}.offline{fill:#009e73}.move{fill:#d55e00}.wait{fill:#f3c96b}
@media(prefers-color-scheme:dark){
.bg{fill:#0d1117}text{fill:#e6e8eb}.dim{fill:#a4abb3}.lane{fill:#262c33}.grid{stroke:#444b54}.zero{stroke:#e6e8eb}
.online{fill:#4aa8e0}.offline{fill:#2cc295}.move{fill:#f08a3c}.wait{fill:#8a6d1f}}
"""
LEGEND = (("online", "inference"), ("wait", "inference waits"), ("offline", "training"),
          ("move", "saved, restored"))


def spans_of(trace, class_name):
    """[(kind, from, to)] in microseconds, of the first process of a class."""
    pids = [e["pid"] for e in trace["traceEvents"]
            if e["name"] == "process_name" and e["args"]["name"].startswith(class_name)]
    return sorted(((e["cat"], e["ts"], e["ts"] + e["dur"]) for e in trace["traceEvents"]
                   if e["ph"] == "X" and e["pid"] == pids[0]), key=lambda s: s[1])


def first_doorbell(trace):
    return min(e["ts"] for e in trace["traceEvents"] if e["ph"] == "s")


def request(spans, begin):
    """The kernels of the request that came then."""
    end, found = begin, []
    for kind, start, stop in spans:
        if kind == "kernel" and start >= begin and start - end < APART_US:
            found.append((start, stop))
            end = stop
    return found


class Picture:
    """SVG with times from the doorbell."""

    def __init__(self, zero_us):
        self.zero, self.lines = zero_us, []

    def x(self, us):
        share = ((us - self.zero) / 1000 + BEFORE_MS) / (BEFORE_MS + AFTER_MS)
        return LEFT + (RIGHT - LEFT) * min(max(share, 0), 1)

    def box(self, name, y, start, stop):
        a, b = self.x(start), self.x(stop)
        if b > a:
            self.lines.append(f'<rect class="{name}" x="{a:.2f}" y="{y}" width="{max(b - a, 0.6):.2f}" height="{LANE}"/>')

    def text(self, name, x, y, text, anchor="start"):
        self.lines.append(f'<text class="{name}" x="{x:.1f}" y="{y}" text-anchor="{anchor}">'
                          f"{xml.sax.saxutils.escape(text)}</text>")

    def lane(self, y, name):
        self.lines.append(f'<rect class="lane" x="{LEFT}" y="{y}" width="{RIGHT - LEFT}" height="{LANE}"/>')
        self.text("", LEFT - 8, y + 17, name, "end")

    def line(self, name, x, y1, y2):
        self.lines.append(f'<line class="{name}" x1="{x:.1f}" y1="{y1}" x2="{x:.1f}" y2="{y2}"/>')

    def panel(self, y, title, online, offline, end):
        """Two lanes; the request waits until `end` wherever none of its kernels runs."""
        first, second = y + 26, y + 26 + PITCH
        self.text("title", 10, y + 17, title)
        self.lane(first, "inference")
        self.lane(second, "training")
        self.box("wait", first, self.zero, end)
        for kind, start, stop in online:
            if kind == "kernel":
                self.box("online", first, start, stop)
        names = {"kernel": "offline", "save": "move", "restore": "move"}
        for kind, start, stop in offline:
            if kind in names:
                self.box(names[kind], second, start, stop)
        self.line("zero", self.x(self.zero), first - 4, second + LANE + 4)

    def axis(self, y):
        for ms in range(0, int(AFTER_MS) + 1, 5):
            x = self.x(self.zero + ms * 1000)
            self.line("grid", x, y, y + 5)
            self.text("dim", x, y + 19, f"{ms} ms" if ms else "request", "middle")

    def legend(self, y):
        x = LEFT
        for name, text in LEGEND:
            self.lines.append(f'<rect class="{name}" x="{x}" y="{y}" width="18" height="12"/>')
            self.text("dim", x + 24, y + 11, text)
            x += 38 + 7 * len(text)

    def svg(self, height, description):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
                f'aria-label="{xml.sax.saxutils.escape(description)}">')
        back = f'<rect class="bg" width="{WIDTH}" height="{height}" rx="6"/>'
        return "\n".join([head, f"<style>{STYLE}</style>", back, *self.lines, "</svg>", ""])


def draw(without, with_it):
    """The picture, from the timelines of both runs of one scenario."""
    zero = first_doorbell(with_it)
    served = request(spans_of(with_it, "inference"), zero)
    done_ms = (served[-1][1] - zero) / 1000
    right = zero + AFTER_MS * 1000
    early = [s for s in spans_of(without, "inference") if s[0] == "kernel" and s[2] <= right]
    p = Picture(zero)
    p.panel(TOP, f"Stock driver: after {AFTER_MS:.0f} ms {len(early)} of {len(served)} kernels of the request are done",
            spans_of(without, "inference"), spans_of(without, "training"), right)
    p.panel(TOP + PANEL, f"gpreempt: the request is done after {done_ms:.1f} ms, training goes on where it was",
            spans_of(with_it, "inference"), spans_of(with_it, "training"), served[-1][1])
    bottom = TOP + 2 * PANEL
    p.axis(bottom - 20)
    p.legend(bottom + 12)
    p.text("dim", RIGHT, bottom + 23, "simulated MI300X", "end")
    return p.svg(bottom + 34, "A training job fills the GPU. Without gpreempt an inference request waits for its kernels; "
                 f"with it the request is done after {done_ms:.1f} ms and training continues where it was.")
