// SPDX-License-Identifier: MIT
#include "trace/report.h"

#include "trace/svg.h"

#include <math.h>

#define WIDTH 1000
#define HEIGHT 464
#define LEFT 62
#define RIGHT 970	/* half a label beside it */
#define TOP 32	/* the name of the axis above it */
#define BOTTOM 400
#define TAIL_MAX 3.0	/* 99.9 % */
#define CROWDED 5	/* decades */
#define POINTS_MAX 400

struct axes {
	double low;	/* log10 of ns at the left end */
	double high;
};

static double x_of(const struct axes *a, u64 ns)
{
	return LEFT + (RIGHT - LEFT) * (log10((double)(ns ? ns : 1)) - a->low) / (a->high - a->low);
}

/* @share of the requests took at most so long. */
static double y_of(double share)
{
	double tail = share < 1 ? -log10(1 - share) : TAIL_MAX;

	return BOTTOM - (BOTTOM - TOP) * (tail < TAIL_MAX ? tail : TAIL_MAX) / TAIL_MAX;
}

static struct axes fit(const struct trace_report_curve *curves, u32 nr)
{
	struct axes a = { .low = 12, .high = 0 };

	for (u32 i = 0; i < nr; i++) {
		const struct trace_report_curve *c = &curves[i];
		double low, high;

		/* Where most never end, the few that do say nothing of the others. */
		if (2 * c->nr < c->nr_total || !c->nr)
			continue;
		low = log10((double)max(c->sorted_ns[0], (u64)1));
		high = log10((double)max(c->sorted_ns[c->nr - 1], (u64)1));
		a.low = low < a.low ? low : a.low;
		a.high = high > a.high ? high : a.high;
	}
	/* Ends on ticks of 1, 2, 5. */
	a.low = floor(a.low * 3 - 0.01) / 3;
	a.high = ceil(a.high * 3 + 0.01) / 3;
	return a;
}

static void draw_axes(FILE *out, const struct axes *a)
{
	static const struct {
		double share;
		const char *text;
	} shares[] = {
		{ 0, "0 %" }, { 0.5, "50 %" }, { 0.75, "75 %" }, { 0.9, "90 %" },
		{ 0.95, "95 %" }, { 0.99, "99 %" }, { 0.995, "99.5 %" }, { 0.999, "99.9 %" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(shares); i++) {
		double y = y_of(shares[i].share);

		trace_svg_line(out, "grid", LEFT, y, RIGHT, y);
		trace_svg_text(out, "dim", LEFT - 8, y + 4, "end", shares[i].text);
	}
	for (int decade = 0; decade < 12; decade++) {
		static const u64 steps[] = { 1, 2, 5 };

		for (u32 k = 0; k < ARRAY_SIZE(steps); k++) {
			u64 ns = steps[k] * (u64)llround(pow(10, decade));
			double x = x_of(a, ns);
			char text[32];

			if (x < LEFT - 0.5 || x > RIGHT + 0.5)
				continue;
			trace_svg_line(out, "grid", x, TOP, x, BOTTOM);
			/* Where decades are narrow only they have names. */
			if (k && a->high - a->low > CROWDED)
				continue;
			trace_svg_duration((s64)ns, text, sizeof(text));
			trace_svg_text(out, "dim", x, BOTTOM + 18, "middle", text);
		}
	}
	trace_svg_line(out, "axis", LEFT, BOTTOM, RIGHT, BOTTOM);
	trace_svg_text(out, "dim", (LEFT + RIGHT) / 2.0, BOTTOM + 42, "middle",
		       "latency of a request");
	trace_svg_text(out, "dim", 8, TOP - 16, "start", "share of requests");
}

/* Sample i is the point at (i + 1) / nr_total; the last ones are always drawn. */
static void draw_curve(FILE *out, const struct axes *a, const struct trace_report_curve *c)
{
	u64 stride = c->nr / POINTS_MAX + 1;

	if (2 * c->nr < c->nr_total || !c->nr)
		return;
	fprintf(out, "<path class=\"curve s%u d%u%s\" d=\"M%.2f %d", c->colour % GP_REPORT_COLOURS,
		c->dash, c->is_marked ? " marked" : "", x_of(a, c->sorted_ns[0]), BOTTOM);
	for (u64 i = 0; i < c->nr; i++) {
		if (i % stride && i + 50 < c->nr)
			continue;
		fprintf(out, "L%.2f %.2f", x_of(a, c->sorted_ns[i]),
			y_of((double)(i + 1) / (double)c->nr_total));
	}
	fputs("\"><title>", out);
	trace_html_text(out, c->label);
	fputs("</title></path>\n", out);
}

static void draw_legend(FILE *out, const struct trace_report_curve *curves, u32 nr)
{
	fputs("<div class=\"legend\">", out);
	for (u32 i = 0; i < nr; i++) {
		fprintf(out, "<span><svg viewBox=\"0 0 28 12\"><line class=\"curve s%u d%u%s\" "
			     "x1=\"0\" y1=\"6\" x2=\"28\" y2=\"6\"/></svg>",
			curves[i].colour % GP_REPORT_COLOURS, curves[i].dash,
			curves[i].is_marked ? " marked" : "");
		trace_html_text(out, curves[i].label);
		if (2 * curves[i].nr < curves[i].nr_total || !curves[i].nr)
			fputs(" (most never end)", out);
		fputs("</span>", out);
	}
	fputs("</div>\n", out);
}

void trace_report_curves(FILE *out, const char *description,
			 const struct trace_report_curve *curves, u32 nr)
{
	struct axes a = fit(curves, nr);

	draw_legend(out, curves, nr);
	if (a.low >= a.high)
		return;
	trace_svg_begin(out, WIDTH, HEIGHT, description);
	draw_axes(out, &a);
	/* Those that are marked first: they are wide, and seen on both sides of another. */
	for (u32 i = 0; i < 2 * nr; i++) {
		if (curves[i % nr].is_marked == (i < nr))
			draw_curve(out, &a, &curves[i % nr]);
	}
	trace_svg_end(out);
}
