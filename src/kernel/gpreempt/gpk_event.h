/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Event streams. There is one ring of events for all files. A monitor writes an event
 * once, whatever the number of files; each file reads the ring at its own pace. A file
 * that does not read in time loses the oldest events, and its reader is told how many.
 * Readers are woken by a worker and not by the monitor.
 */
#ifndef GPK_EVENT_H
#define GPK_EVENT_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include "uapi/linux/gpreempt.h"

struct gpk_user;

/* Events that are kept; a power of two. */
#define GPK_EVENTS 4096

/* The events of a file. */
struct gpk_stream {
	struct list_head listener; /* among those that listen; streams_mutex */
	struct mutex read_mutex;   /* one reader at a time */
	wait_queue_head_t wait;	   /* readers */
	/* number of the next event to read; written under ring_lock */
	u64 tail;
	/* number of events when the readers were last woken; streams_mutex */
	u64 told;
	/* events that were overwritten before they were read; ring_lock */
	u64 lost;
	struct pid_namespace *pid_ns; /* namespace in which the file was opened */
	/* whose files it counts among, NULL = an administrator's; streams_mutex */
	struct gpk_user *user;
	bool listening;		      /* a reader or poller came: no event before is given */
};

/* 0, or -EMFILE if its user has too many. */
int gpk_stream_init(struct gpk_stream *s);
void gpk_stream_fini(struct gpk_stream *s);
/* From now on events are for this stream too. May sleep. */
void gpk_stream_listen(struct gpk_stream *s);
/* Whether there is something to read. */
bool gpk_stream_ready(const struct gpk_stream *s);
/* The next event; read_mutex is held. False if there is none. */
bool gpk_stream_peek(struct gpk_stream *s, struct gpreempt_abi_event *event);
/* It has been delivered. */
void gpk_stream_drop(struct gpk_stream *s, const struct gpreempt_abi_event *event);

#endif
