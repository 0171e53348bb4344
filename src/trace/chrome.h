/* SPDX-License-Identifier: MIT */
/*
 * Writer of Chrome trace JSON, which Perfetto and chrome://tracing open. Events
 * are written as they come, one per line; nothing is kept in memory. The caller
 * owns the file. The first error is remembered and told by trace_chrome_finish().
 */
#ifndef GP_TRACE_CHROME_H
#define GP_TRACE_CHROME_H

#include "gp_port.h"

#include <jansson.h>
#include <stdio.h>

/* The writer. */
struct trace_chrome {
	FILE *out;
	u64 nr_events;	/* so far */
	int error;	/* 0 or the first -errno */
	json_t *about;	/* what is said of the whole, NULL = nothing; the caller owns it */
};

/* One box or moment. */
struct trace_chrome_event {
	u32 pid;	/* process it belongs to */
	u32 tid;	/* track in that process */
	const char *name;	/* text in the box */
	const char *category;	/* for filtering */
	u64 from_ns;
	u64 to_ns;	/* ignored for moments */
	const char *arg_name;	/* of the detail shown on a click; NULL = none */
	u64 arg;	/* the detail */
};

/* How an arrow goes on: its first, a middle or its last point. */
enum trace_chrome_flow {
	TRACE_CHROME_FLOW_START,
	TRACE_CHROME_FLOW_STEP,
	TRACE_CHROME_FLOW_END,
};

void trace_chrome_begin(struct trace_chrome *c, FILE *out);

/* Names are shown in the order of @pid and @tid. */
void trace_chrome_name_process(struct trace_chrome *c, u32 pid, const char *name);
void trace_chrome_name_track(struct trace_chrome *c, u32 pid, u32 tid, const char *name);

/* Something that lasted. */
void trace_chrome_complete(struct trace_chrome *c, const struct trace_chrome_event *e);

/*
 * Something that lasted, in a lane of its own of its process, whatever else goes on there; those
 * that overlap have lanes each. @id is its own.
 */
void trace_chrome_async(struct trace_chrome *c, const struct trace_chrome_event *e, u64 id);

/* From this time on a number of the process has this value, e->arg. */
void trace_chrome_counter(struct trace_chrome *c, const struct trace_chrome_event *e);

/* A moment on a track. */
void trace_chrome_instant(struct trace_chrome *c, const struct trace_chrome_event *e);

/**
 * trace_chrome_flow() - a point of an arrow
 * @c: writer
 * @kind: which point
 * @id: the same for all points of an arrow
 * @e: name, category, track and @from_ns; a box must be there for it to show
 */
void trace_chrome_flow(struct trace_chrome *c, enum trace_chrome_flow kind, u64 id,
		       const struct trace_chrome_event *e);

/**
 * trace_chrome_finish() - end the file
 * @c: writer
 *
 * Return: 0, -ENOMEM, -EIO.
 */
int trace_chrome_finish(struct trace_chrome *c);

#endif
