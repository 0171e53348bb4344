/* SPDX-License-Identifier: MIT */
/*
 * Ways to stop a queue of one's own and to let it go on.
 */
#ifndef GP_KIT_WAY_H
#define GP_KIT_WAY_H

#include "kit/kit_gpu.h"

#include "driver/module.h"

#include <sys/types.h>

enum kit_way_id {
	KIT_WAY_UPDATE,	/* UPDATE_QUEUE by the process itself */
	KIT_WAY_DEBUG,	/* DBG_TRAP by another process, which traces it */
	KIT_WAY_MODULE,	/* /dev/gpreempt */
	KIT_WAYS
};

/* The step that needs the right to trace. */
#define KIT_STEP_SEIZE "PTRACE_SEIZE"

/* A queue under a way's control. */
struct kit_hand {
	enum kit_way_id way;
	struct kit_queue *q;
	const char *step; /* what failed */
	pid_t tracer;
	int ask;    /* pipe to the tracer */
	int answer; /* pipe from it */
	int module;
	struct gpreempt_ioc_ref ref;
};

extern const char *const kit_way_names[KIT_WAYS];

/* What has to be done before the process has a queue. 0 or -errno, with @h->step. */
int kit_way_prepare(struct kit_hand *h, enum kit_way_id way, struct kit_gpu *gpu);

/* Takes a queue. 0; -EOPNOTSUPP not on this machine; -errno. */
int kit_way_begin(struct kit_hand *h, struct kit_queue *q);

/* Stops it, lets it go on: 0 or -errno. */
int kit_way_stop(struct kit_hand *h);
int kit_way_go(struct kit_hand *h);

/* Lets go of it. */
void kit_way_end(struct kit_hand *h);

/*
 * A debug session, of oneself or of a process that this thread traces, and its end: DISABLE,
 * which waits until a signal comes on gfx942 (docs/upstream-bugs.md). @step: what failed.
 */
int kit_debug_open(int kfd, u32 pid, u32 *ids, u32 nr, const char **step);
int kit_debug_stop(int kfd, u32 pid, const u32 *ids, u32 nr);
int kit_debug_go(int kfd, u32 pid, const u32 *ids, u32 nr);
void kit_debug_close(int kfd, u32 pid);

#endif
