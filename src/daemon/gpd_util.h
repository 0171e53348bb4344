/* SPDX-License-Identifier: MIT */
/*
 * Small things: the clock, the log, token buckets, and what /proc says of a process.
 */
#ifndef GPD_UTIL_H
#define GPD_UTIL_H

#include "daemon/gpreemptd.h"

#include <syslog.h>

/* The one clock of the daemon: CLOCK_MONOTONIC in nanoseconds. */
uint64_t gpd_now_ns(void);

/* A timer that is off. 0 or -errno. */
int gpd_timer_add(sd_event *event, sd_event_source **timer, sd_event_time_handler_t handler,
		  void *data);

/* A call when nothing more urgent is to be done; it is off. 0 or -errno. */
int gpd_defer_add(sd_event *event, sd_event_source **call, int64_t priority,
		  sd_event_handler_t handler, void *data);

/* It fires once, never early; U64_MAX = off. */
void gpd_timer_set(sd_event_source *timer, uint64_t at_ns);

/* Whether it will fire. */
bool gpd_timer_is_on(sd_event_source *timer);

/* One line to stderr, with its LOG_* for the journal, see sd-daemon(3). */
void gpd_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same of a text of several lines. */
void gpd_log_lines(int level, const char *text);

/* Nothing less important than this is written; LOG_INFO to begin with. */
extern int gpd_log_level;

/* Take a token, if there is one; all zero = full. Rate and burst are at least 1. */
bool gpd_bucket_take(struct gpd_bucket *b, uint64_t rate_per_s, uint64_t burst, uint64_t now_ns);

/* What /proc/PID says. */
struct gpd_proc {
	char state;		  /* letter of its state */
	pid_t parent;		  /* 0 = none */
	uint64_t start_time;	  /* in clock ticks since boot */
	uid_t uid;		  /* owner */
	char comm[WIRE_NAME_LEN]; /* name */
};

/* Look at a process. 0, -ESRCH there is none, -EIO it makes no sense, -errno it is not known. */
int gpd_proc_read(pid_t pid, struct gpd_proc *proc);

/* Whether a process has its number still, see gpd_proc.start_time. */
bool gpd_proc_is(pid_t pid, uint64_t start_time);

/*
 * Make up to @len bytes from a stranger fit to be shown, and end them: control characters and
 * bytes that are no UTF-8 become '?'.
 */
void gpd_text_clean(char *dst, size_t size, const char *src, size_t len);

#endif
