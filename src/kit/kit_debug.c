// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "kit/kit_way.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GRACE 1
#define MAX_QUEUES 64
#define POKE_NS 20000000

static void on_poke(int sig)
{
}

void kit_debug_close(int kfd, u32 pid)
{
	struct itimerspec every = { { 0, POKE_NS }, { 0, POKE_NS } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	struct sigaction sa = { .sa_handler = on_poke };
	timer_t timer;

	sigaction(SIGALRM, &sa, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		return;
	timer_settime(timer, 0, &every, NULL);
	drv_kfd_dbg_disable(kfd, pid);
	timer_delete(timer);
}

int kit_debug_open(int kfd, u32 pid, u32 *ids, u32 nr, const char **step)
{
	struct drv_kfd_queue_entry entries[MAX_QUEUES];
	struct drv_kfd_runtime_info info = { 0 };
	int events[2], ret;

	*step = "pipe";
	if (pipe2(events, O_NONBLOCK | O_CLOEXEC))
		return -errno;
	*step = "DBG_TRAP ENABLE";
	ret = drv_kfd_dbg_enable(kfd, pid, 0, events[1], &info);
	if (ret)
		return ret;
	/* A queue that no snapshot has shown cannot be suspended. */
	*step = "GET_QUEUE_SNAPSHOT";
	ret = drv_kfd_dbg_queues(kfd, pid, entries, MAX_QUEUES, DRV_KFD_EC_QUEUE_NEW);
	if (ret >= 0 && (u32)ret < nr)
		ret = -ESRCH;
	for (u32 i = 0; ret >= 0 && i < nr; i++)
		ids[i] = entries[i].queue_id;
	if (ret < 0)
		kit_debug_close(kfd, pid);
	return min(ret, 0);
}

/* All of a batch, or an error. */
static int check_batch(int done, const u32 *ids, u32 nr)
{
	for (u32 i = 0; done >= 0 && i < nr; i++) {
		int ret = drv_kfd_dbg_result(ids[i]);

		if (ret)
			return ret;
	}
	return min(done, 0);
}

/* The calls write results into the list. */
int kit_debug_stop(int kfd, u32 pid, const u32 *ids, u32 nr)
{
	u32 copy[MAX_QUEUES];

	if (nr > MAX_QUEUES)
		return -EINVAL;
	memcpy(copy, ids, nr * sizeof(*ids));
	return check_batch(drv_kfd_dbg_suspend(kfd, pid, copy, nr, GRACE), copy, nr);
}

int kit_debug_go(int kfd, u32 pid, const u32 *ids, u32 nr)
{
	u32 copy[MAX_QUEUES];

	if (nr > MAX_QUEUES)
		return -EINVAL;
	memcpy(copy, ids, nr * sizeof(*ids));
	return check_batch(drv_kfd_dbg_resume(kfd, pid, copy, nr), copy, nr);
}
