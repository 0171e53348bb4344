/* SPDX-License-Identifier: MIT */
/*
 * Writer of Chrome trace JSON, which Perfetto and chrome://tracing open. Events
 * are written as they come, one per line; nothing is kept in memory. The caller
 * owns the file. The first error is remembered and told by gp_chrome_finish().
 */
#ifndef GP_TRACE_CHROME_H
#define GP_TRACE_CHROME_H

#include "gp_port.h"

#include <jansson.h>
#include <stdio.h>

/**
 * struct gp_chrome - the writer
 * @out: file
 * @nr_events: events so far
 * @error: 0 or the first -errno
 */
struct gp_chrome {
	FILE *out;
	u64 nr_events;
	int error;
};

/**
 * struct gp_chrome_event - one box or moment
 * @pid: process it belongs to
 * @tid: track in that process
 * @name: text in the box
 * @category: for filtering
 * @from_ns: begin
 * @to_ns: end; ignored for moments
 * @arg_name: name of the detail shown on a click; NULL = none
 * @arg: the detail
 */
struct gp_chrome_event {
	u32 pid;
	u32 tid;
	const char *name;
	const char *category;
	u64 from_ns;
	u64 to_ns;
	const char *arg_name;
	u64 arg;
};

/* How an arrow goes on: its first, a middle or its last point. */
enum gp_chrome_flow {
	GP_CHROME_FLOW_START,
	GP_CHROME_FLOW_STEP,
	GP_CHROME_FLOW_END,
};

void gp_chrome_begin(struct gp_chrome *c, FILE *out);

/* Names are shown in the order of @pid and @tid. */
void gp_chrome_name_process(struct gp_chrome *c, u32 pid, const char *name);
void gp_chrome_name_track(struct gp_chrome *c, u32 pid, u32 tid, const char *name);

/* Something that lasted. */
void gp_chrome_complete(struct gp_chrome *c, const struct gp_chrome_event *e);

/* A moment on a track. */
void gp_chrome_instant(struct gp_chrome *c, const struct gp_chrome_event *e);

/**
 * gp_chrome_flow() - a point of an arrow
 * @c: writer
 * @kind: which point
 * @id: the same for all points of an arrow
 * @e: name, category, track and @from_ns; a box must be there for it to show
 */
void gp_chrome_flow(struct gp_chrome *c, enum gp_chrome_flow kind, u64 id,
		    const struct gp_chrome_event *e);

/**
 * gp_chrome_finish() - end the file
 * @c: writer
 *
 * Return: 0, -ENOMEM, -EIO.
 */
int gp_chrome_finish(struct gp_chrome *c);

#endif
