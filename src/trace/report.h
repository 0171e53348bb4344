/* SPDX-License-Identifier: MIT */
/*
 * Writer of one self-contained HTML page: text, tables, timelines and latency
 * curves as inline SVG. No scripts, nothing fetched, readable in the dark and on a
 * phone. All texts are escaped here. The caller owns the file; errors of writing
 * show when it is flushed.
 */
#ifndef GP_TRACE_REPORT_H
#define GP_TRACE_REPORT_H

#include "gp_port.h"

#include <stdio.h>

/* Colours 0..GP_REPORT_COLOURS-1 can be told apart, in light and dark. */
#define GP_REPORT_COLOURS 8

/**
 * trace_report_begin() - head of the page
 * @out: file
 * @title: title
 * @notice: what the reader must know first, set apart; NULL = it comes later
 */
void trace_report_begin(FILE *out, const char *title, const char *notice);

void trace_report_notice(FILE *out, const char *text);
void trace_report_heading(FILE *out, const char *text);
/* The sentence that says it all. */
void trace_report_lead(FILE *out, const char *text);
/* A file beside the page, and what it is. */
void trace_report_file(FILE *out, const char *name, const char *text);

/* A figure to be read from afar. */
struct trace_report_number {
	const char *value;
	const char *label;
};

void trace_report_numbers(FILE *out, const struct trace_report_number *numbers, u32 nr);
void trace_report_paragraph(FILE *out, const char *text);
void trace_report_end(FILE *out);

/* A table. */
struct trace_report_table {
	u32 nr_columns;
	u32 nr_left;	/* how many, from the left, are text; the others are numbers */
	u32 nr_rows;
	const char *const *headers;
	const char *(*cell)(const void *data, u32 row, u32 column);
	const void *data;	/* for @cell */
	u32 marked_row;	/* row to set apart; @nr_rows = none */
};

void trace_report_table(FILE *out, const struct trace_report_table *t);

/* A box. */
struct trace_report_span {
	u32 track;
	u32 kind;	/* index into trace_report_timeline.kinds, and its colour */
	u64 from_ns;
	u64 to_ns;
};

/* An arrow from one track to another. */
struct trace_report_arrow {
	u32 from_track;
	u64 from_ns;
	u32 to_track;
	u64 to_ns;
};

/* Boxes on tracks. */
struct trace_report_timeline {
	const char *description;	/* what it shows, for readers that cannot see it */
	u64 from_ns;	/* left end */
	u64 to_ns;	/* right end */
	u64 zero_ns;	/* time that the axis calls 0 */
	u32 nr_tracks;
	const char *const *tracks;	/* names */
	u32 nr_kinds;	/* of boxes, at most GP_REPORT_COLOURS */
	const char *const *kinds;	/* names; NULL = not in the legend */
	u64 nr_spans;
	const struct trace_report_span *spans;	/* what lies outside is not drawn */
	u32 nr_arrows;
	const struct trace_report_arrow *arrows;
};

void trace_report_timeline(FILE *out, const struct trace_report_timeline *t);

/* A distribution. */
struct trace_report_curve {
	const char *label;
	u32 colour;
	u32 dash;	/* 0 solid, 1 dashed, 2 dotted, 3 dash-dotted */
	u64 nr;	/* durations */
	u64 nr_total;	/* how many there would be if everything had ended; at least @nr */
	const u64 *sorted_ns;	/* them, ascending */
	bool is_marked;		/* drawn over the others, and wider */
};

/**
 * trace_report_curves() - share of requests that took at most so long
 * @out: file
 * @description: what it shows
 * @curves: curves
 * @nr: how many
 *
 * The time axis is logarithmic; the other one too, in what is left to 100 %, so
 * that the slowest requests are not hidden in a corner.
 */
void trace_report_curves(FILE *out, const char *description,
			 const struct trace_report_curve *curves, u32 nr);

/* A dot: a latency, and a share. */
struct trace_report_point {
	const char *label;
	u32 colour;
	u64 ns;	      /* U64_MAX = never */
	double share; /* of 1 */
	bool is_marked;
};

/* Latency to the right, share upwards: the left top is best. */
void trace_report_scatter(FILE *out, const char *description, const char *x_title,
			  const char *y_title, const struct trace_report_point *points, u32 nr);

#endif
