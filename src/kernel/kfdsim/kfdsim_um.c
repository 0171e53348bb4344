// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * User-Mode Linux with virtual time: where amdkfd looks at a fence again and again and calls
 * schedule() meanwhile, no time passes, and the simulated GPU would never answer. The build
 * renames that call (see Kbuild): the thread sleeps until the GPU has made a round.
 */
#include "kfdsim.h"

#define LOOK_AGAIN_MS 10

static DECLARE_WAIT_QUEUE_HEAD(rounds);

void kfdsim_um_round(void)
{
	wake_up_all(&rounds);
}

asmlinkage void kfdsim_um_schedule(void);

/* In place of schedule(). One CPU, no preemption: nothing comes between look and sleep. */
asmlinkage void kfdsim_um_schedule(void)
{
	DEFINE_WAIT(wait);

	/* A wait macro has made the thread sleep already. */
	if (!task_is_running(current)) {
		schedule();
		return;
	}
	prepare_to_wait(&rounds, &wait, TASK_UNINTERRUPTIBLE);
	schedule_timeout(msecs_to_jiffies(LOOK_AGAIN_MS));
	finish_wait(&rounds, &wait);
}
