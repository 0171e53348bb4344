// SPDX-License-Identifier: MIT
#include "trace/report.h"

#include "trace/svg.h"

#include <string.h>

#define WIDTH 1000
#define LEFT 10
#define RIGHT 990
#define LANE 26
#define PITCH 58	/* a track's name above its lane */
#define TOP 24
#define AXIS 30

static double x_of(const struct trace_report_timeline *t, u64 ns)
{
	double span = (double)(t->to_ns - t->from_ns);

	return LEFT + (RIGHT - LEFT) * ((double)ns - (double)t->from_ns) / span;
}

static double y_of(u32 track)
{
	return TOP + (double)track * PITCH;
}

/* A step of 1, 2 or 5 times a power of ten that gives at most ten ticks. */
static u64 tick_step(u64 range)
{
	u64 step = 1;

	while (range / step > 10) {
		if (range / (2 * step) <= 10)
			return 2 * step;
		if (range / (5 * step) <= 10)
			return 5 * step;
		step *= 10;
	}
	return step;
}

static void draw_axis(FILE *out, const struct trace_report_timeline *t)
{
	u64 step = tick_step(t->to_ns - t->from_ns);
	double bottom = y_of(t->nr_tracks - 1) + LANE + 10;
	s64 first = ((s64)t->from_ns - (s64)t->zero_ns) / (s64)step - 1;

	for (s64 k = first;; k++) {
		s64 at = (s64)t->zero_ns + k * (s64)step;
		char text[32];
		double x;

		if (at > (s64)t->to_ns)
			break;
		if (at < (s64)t->from_ns)
			continue;
		x = x_of(t, (u64)at);
		trace_svg_line(out, k ? "grid" : "zero", x, 6, x, bottom);
		trace_svg_duration(k * (s64)step, text, sizeof(text));
		trace_svg_text(out, "dim", x < 40 ? LEFT : x, bottom + 16,
			       x < 40 ? "start" : x > WIDTH - 40 ? "end" : "middle", text);
	}
	trace_svg_line(out, "axis", LEFT, bottom, RIGHT, bottom);
}

static void draw_span(FILE *out, const struct trace_report_timeline *t,
		      const struct trace_report_span *s)
{
	u64 from = max(s->from_ns, t->from_ns), to = min(s->to_ns, t->to_ns);
	double x, width, y = y_of(s->track);
	char text[32];

	if (from >= to || s->track >= t->nr_tracks || s->kind >= t->nr_kinds)
		return;
	x = x_of(t, from);
	width = x_of(t, to) - x;
	/* A hair between neighbours, but never nothing. */
	fprintf(out, "<rect class=\"f%u\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\">"
		     "<title>", s->kind % GP_REPORT_COLOURS, x, y,
		width > 2 ? width - 0.5 : width > 0.8 ? width : 0.8, LANE);
	trace_html_text(out, t->kinds[s->kind]);
	trace_svg_duration((s64)(s->to_ns - s->from_ns), text, sizeof(text));
	fprintf(out, " %s</title></rect>\n", text);
	if (width > 7 * (double)strlen(t->kinds[s->kind]) + 8) {
		snprintf(text, sizeof(text), "in i%u", s->kind % GP_REPORT_COLOURS);
		trace_svg_text(out, text, x + width / 2, y + 17, "middle", t->kinds[s->kind]);
	}
}

static void draw_arrow(FILE *out, const struct trace_report_timeline *t,
		       const struct trace_report_arrow *a)
{
	bool is_down = a->to_track > a->from_track;
	double x1, x2, y1, y2, bow;

	if (a->from_ns < t->from_ns || a->to_ns > t->to_ns)
		return;
	x1 = x_of(t, a->from_ns);
	x2 = x_of(t, a->to_ns);
	y1 = y_of(a->from_track) + (is_down ? LANE : 0);
	y2 = y_of(a->to_track) + (is_down ? 0 : LANE);
	bow = (y2 - y1) * 0.55;
	fprintf(out, "<path class=\"arrow\" marker-end=\"url(#head)\" d=\"M%.2f %.2f C%.2f %.2f "
		     "%.2f %.2f %.2f %.2f\"/>\n", x1, y1, x1, y1 + bow, x2, y2 - bow, x2, y2);
}

static void draw_legend(FILE *out, const struct trace_report_timeline *t)
{
	fputs("<div class=\"legend\">", out);
	for (u32 k = 0; k < t->nr_kinds; k++) {
		if (!t->kinds[k])
			continue;
		fprintf(out, "<span><svg viewBox=\"0 0 28 12\"><rect class=\"f%u\" width=\"28\" "
			     "height=\"12\"/></svg>", k % GP_REPORT_COLOURS);
		trace_html_text(out, t->kinds[k]);
		fputs("</span>", out);
	}
	fputs("</div>\n", out);
}

void trace_report_timeline(FILE *out, const struct trace_report_timeline *t)
{
	if (!t->nr_tracks || t->from_ns >= t->to_ns)
		return;
	draw_legend(out, t);
	trace_svg_begin(out, WIDTH, (u32)y_of(t->nr_tracks - 1) + LANE + 10 + AXIS, t->description);
	fputs("<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
	      "markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">"
	      "<path class=\"head\" d=\"M0 0L8 4L0 8z\"/></marker></defs>\n", out);
	for (u32 i = 0; i < t->nr_tracks; i++)
		fprintf(out, "<rect class=\"lane\" x=\"%d\" y=\"%.1f\" width=\"%d\" "
			     "height=\"%d\"/>\n", LEFT, y_of(i), RIGHT - LEFT, LANE);
	draw_axis(out, t);
	for (u64 i = 0; i < t->nr_spans; i++)
		draw_span(out, t, &t->spans[i]);
	for (u32 i = 0; i < t->nr_tracks; i++)
		trace_svg_text(out, "name", LEFT, y_of(i) - 6, "start", t->tracks[i]);
	for (u32 i = 0; i < t->nr_arrows; i++)
		draw_arrow(out, t, &t->arrows[i]);
	trace_svg_end(out);
}
