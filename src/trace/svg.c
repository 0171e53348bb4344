// SPDX-License-Identifier: MIT
#include "trace/svg.h"

#include <stdlib.h>
#include <string.h>

void trace_html_text(FILE *out, const char *text)
{
	static const char special[] = "&<>\"'";
	static const char *const escaped[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

	for (; *text; text++) {
		const char *s = strchr(special, *text);

		if (s)
			fputs(escaped[s - special], out);
		else
			fputc(*text, out);
	}
}

void trace_svg_begin(FILE *out, u32 width, u32 height, const char *description)
{
	fprintf(out, "<div class=\"wide\"><svg viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"",
		width, height);
	trace_html_text(out, description);
	fputs("\">\n", out);
}

void trace_svg_end(FILE *out)
{
	fputs("</svg></div>\n", out);
}

void trace_svg_line(FILE *out, const char *class, double x1, double y1, double x2, double y2)
{
	fprintf(out, "<line class=\"%s\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>\n",
		class, x1, y1, x2, y2);
}

void trace_svg_text(FILE *out, const char *class, double x, double y, const char *anchor,
		    const char *text)
{
	fprintf(out, "<text class=\"%s\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">", class, x, y,
		anchor);
	trace_html_text(out, text);
	fputs("</text>\n", out);
}

void trace_svg_duration(s64 ns, char *text, size_t size)
{
	u64 abs_ns = (u64)llabs(ns);

	if (!ns)
		snprintf(text, size, "0");
	else if (abs_ns >= 1000000000)
		snprintf(text, size, "%g s", (double)ns / 1e9);
	else if (abs_ns >= 1000000)
		snprintf(text, size, "%g ms", (double)ns / 1e6);
	else if (abs_ns >= 1000)
		snprintf(text, size, "%g µs", (double)ns / 1e3);
	else
		snprintf(text, size, "%lld ns", (long long)ns);
}
