// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What amdkfd answers when it is asked for queues. The room for it is kept: a look at a
 * process allocates nothing and takes amdkfd's lock once.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>

#include "gpk.h"
#include "kfd_gpreempt.h"

/* As many as amdkfd gives a process: what is asked of one process always fits. */
#define ROOM_MIN 1024
/* Twice as many queues as there were a moment ago, and again: that is not by chance. */
#define TRIES 3

static int make_room(struct gpk_node *n, u32 room)
{
	struct kfd_gpreempt_queue *list = kvcalloc(room, sizeof(*list), GFP_KERNEL);

	if (!list)
		return -ENOMEM;
	kvfree(n->answer);
	n->answer = list;
	n->answer_room = room;
	return 0;
}

int gpk_answer_init(struct gpk_node *n)
{
	return make_room(n, ROOM_MIN);
}

void gpk_answer_put(struct gpk_node *n, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		put_pid(n->answer[i].pid);
		mmdrop(n->answer[i].mm);
	}
}

int gpk_ask(struct gpk_node *n, u64 process, u32 *nr)
{
	u32 tries;
	int ret;

	for (tries = 0; tries < TRIES; tries++) {
		*nr = n->answer_room;
		ret = kfd_gpreempt_query(n->gpu_id, process, n->answer, nr);
		if (ret || *nr <= n->answer_room)
			return ret;
		gpk_answer_put(n, n->answer_room);
		ret = make_room(n, 2 * *nr);
		if (ret)
			return ret;
	}
	return -EAGAIN;
}
