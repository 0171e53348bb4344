/* SPDX-License-Identifier: MIT */
/* Pieces of SVG and HTML for the report. Private to trace/. */
#ifndef GP_TRACE_SVG_H
#define GP_TRACE_SVG_H

#include "gp_port.h"

#include <stdio.h>

/* Text with everything escaped that has a meaning in HTML. */
void trace_html_text(FILE *out, const char *text);

/* Opens a picture of this size that shrinks with the page, but not to illegibility. */
void trace_svg_begin(FILE *out, u32 width, u32 height, const char *description);
void trace_svg_end(FILE *out);

void trace_svg_line(FILE *out, const char *class, double x1, double y1, double x2, double y2);

/* @anchor: "start", "middle" or "end". */
void trace_svg_text(FILE *out, const char *class, double x, double y, const char *anchor,
		    const char *text);

/* Duration without needless digits: "500 µs", "1.5 ms", "0". */
void trace_svg_duration(s64 ns, char *text, size_t size);

#endif
