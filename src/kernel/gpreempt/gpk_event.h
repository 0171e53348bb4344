/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The event stream of an open file: a ring that the monitors fill and read() empties.
 * Who does not read in time loses events, and is told how many.
 */
#ifndef GPK_EVENT_H
#define GPK_EVENT_H

#include <linux/eventfd.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include "uapi/linux/gpreempt.h"

#define GPK_EVENTS 256

/**
 * struct gpk_stream - events of a file
 * @link: among all streams
 * @read_mutex: one reader at a time
 * @lock: protects the rest; monitors take it
 * @wait: readers
 * @ring: events; pid is a struct pid's number in the reader's namespace
 * @head: next to write
 * @tail: next to read
 * @lost: not written for want of room
 * @eventfd: signalled with every event, or NULL
 * @pid_ns: of whoever opened the file
 * @uid: of the same
 * @wanted: somebody reads or polls: nothing is kept before
 */
struct gpk_stream {
	struct list_head link;
	struct mutex read_mutex;
	spinlock_t lock;
	wait_queue_head_t wait;
	struct gpreempt_abi_event ring[GPK_EVENTS];
	u32 head;
	u32 tail;
	u64 lost;
	struct eventfd_ctx *eventfd;
	struct pid_namespace *pid_ns;
	kuid_t uid;
	bool wanted;
};

/* 0, or -EMFILE if its user has too many. */
int gpk_stream_init(struct gpk_stream *s);
void gpk_stream_fini(struct gpk_stream *s);
/* True if there is something to read; from now on events are kept. */
bool gpk_stream_ready(struct gpk_stream *s);
/* The next event; read_mutex is held. False if there is none. */
bool gpk_stream_peek(struct gpk_stream *s, struct gpreempt_abi_event *event);
/* It has been delivered. */
void gpk_stream_drop(struct gpk_stream *s, const struct gpreempt_abi_event *event);
/* fd -1: no more. 0 or -errno. */
int gpk_stream_set_eventfd(struct gpk_stream *s, int fd);

#endif
