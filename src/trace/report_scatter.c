// SPDX-License-Identifier: MIT
#include "trace/report.h"

#include "trace/svg.h"

#include <math.h>
#include <string.h>

#define WIDTH 1000
#define HEIGHT 418
#define LEFT 62
#define RIGHT 860
#define NEVER 930 /* where what was not reached stands */
#define TOP 32	/* the name of the axis above it */
#define BOTTOM 358
#define LETTER 7	/* width of one, about */

struct axes {
	double low; /* log10 of ns at the left end */
	double high;
};

static double x_of(const struct axes *a, u64 ns)
{
	if (ns == U64_MAX)
		return NEVER;
	return LEFT + (RIGHT - LEFT) * (log10((double)max(ns, (u64)1)) - a->low) /
			      (a->high - a->low);
}

static double y_of(double share)
{
	share = share < 0 ? 0 : share > 1.1 ? 1.1
					    : share;
	return BOTTOM - (BOTTOM - TOP) * share / 1.1;
}

static struct axes fit(const struct trace_report_point *points, u32 nr)
{
	struct axes a = { .low = 12, .high = 0 };

	for (u32 i = 0; i < nr; i++) {
		double at = log10((double)max(points[i].ns, (u64)1));

		if (points[i].ns == U64_MAX)
			continue;
		a.low = at < a.low ? at : a.low;
		a.high = at > a.high ? at : a.high;
	}
	a.low = floor(a.low * 3 - 0.01) / 3;
	a.high = ceil(a.high * 3 + 0.01) / 3;
	return a;
}

static void draw_latencies(FILE *out, const struct axes *a)
{
	static const u64 steps[] = { 1, 2, 5 };
	u64 decade = 1;

	for (u32 d = 0; d < 12; d++, decade *= 10) {
		for (u32 k = 0; k < ARRAY_SIZE(steps); k++) {
			double x = x_of(a, steps[k] * decade);
			char text[32];

			if (x < LEFT - 0.5 || x > RIGHT + 0.5)
				continue;
			trace_svg_line(out, "grid", x, TOP, x, BOTTOM);
			trace_svg_duration((s64)(steps[k] * decade), text, sizeof(text));
			trace_svg_text(out, "dim", x, BOTTOM + 18, "middle", text);
		}
	}
	trace_svg_line(out, "grid", NEVER, TOP, NEVER, BOTTOM);
	trace_svg_text(out, "dim", NEVER, BOTTOM + 18, "middle", "never");
}

static void draw_shares(FILE *out)
{
	for (u32 percent = 0; percent <= 100; percent += 25) {
		double y = y_of(percent / 100.0);
		char text[16];

		snprintf(text, sizeof(text), "%u %%", percent);
		trace_svg_line(out, "grid", LEFT, y, WIDTH - 10, y);
		trace_svg_text(out, "dim", LEFT - 8, y + 4, "end", text);
	}
}

static void draw_point(FILE *out, const struct axes *a, const struct trace_report_point *p)
{
	double x = x_of(a, p->ns), y = y_of(p->share);

	if (p->is_marked)
		fprintf(out, "<circle class=\"ring\" cx=\"%.1f\" cy=\"%.1f\" r=\"14\"/>\n", x, y);
	fprintf(out, "<circle class=\"dot f%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>",
		p->colour % GP_REPORT_COLOURS, x, y, p->is_marked ? 11 : 6);
	trace_html_text(out, p->label);
	fputs("</title></circle>\n", out);
}

/* Beside the dot, where no other label stands yet. */
static void draw_label(FILE *out, const struct axes *a, const struct trace_report_point *points,
		       u32 i)
{
	double x = x_of(a, points[i].ns), y = y_of(points[i].share) + 4;
	bool is_left = points[i].ns == U64_MAX ||
		       x + 18 + LETTER * (double)strlen(points[i].label) > NEVER - 16;
	u32 above = 0;

	for (u32 k = 0; k < i; k++) {
		double dx = fabs(x_of(a, points[k].ns) - x);
		double dy = fabs(y_of(points[k].share) + 4 - y);

		above += dx < 90 && dy < 14;
	}
	y += 15.0 * above;
	trace_svg_text(out, points[i].is_marked ? "bold" : "dim", x + (is_left ? -18 : 18), y,
		       is_left ? "end" : "start", points[i].label);
}

void trace_report_scatter(FILE *out, const char *description, const char *x_title,
			  const char *y_title, const struct trace_report_point *points, u32 nr)
{
	struct axes a = fit(points, nr);

	if (a.low >= a.high)
		return;
	trace_svg_begin(out, WIDTH, HEIGHT, description);
	draw_latencies(out, &a);
	draw_shares(out);
	trace_svg_line(out, "axis", LEFT, BOTTOM, WIDTH - 10, BOTTOM);
	trace_svg_text(out, "dim", (LEFT + RIGHT) / 2.0, BOTTOM + 44, "middle", x_title);
	trace_svg_text(out, "dim", 8, TOP - 16, "start", y_title);
	/* Those that are marked first: they are large, and seen around another. */
	for (u32 i = 0; i < 2 * nr; i++) {
		if (points[i % nr].is_marked == (i < nr))
			draw_point(out, &a, &points[i % nr]);
	}
	for (u32 i = 0; i < nr; i++)
		draw_label(out, &a, points, i);
	trace_svg_end(out);
}
