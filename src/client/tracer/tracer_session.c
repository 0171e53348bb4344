// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "client/tracer/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <time.h>
#include <unistd.h>

#include "driver/discover.h"
#include "driver/kfd.h"
#include "driver/sysfile.h"
#include "driver/system.h"

#define EVENTS \
	(DRV_KFD_EC_QUEUE_NEW | DRV_KFD_EC_QUEUE_DELETE | DRV_KFD_EC_PROCESS_RUNTIME)
#define POKE_NS 200000000
#define EVENTS_PER_TURN 64

static void on_poke(int sig)
{
}

/*
 * On gfx942 DISABLE waits for an interrupt that the driver itself drops, until a
 * signal comes (docs/upstream-bugs.md). The queues go on before that, and the rest is done
 * after it.
 */
static int disable(struct tracer *t)
{
	struct itimerspec every = { { 0, POKE_NS }, { 0, POKE_NS } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	struct sigaction sa = { .sa_handler = on_poke };
	timer_t timer;
	int r;

	sigaction(SIGALRM, &sa, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		return -errno;
	timer_settime(timer, 0, &every, NULL);
	r = drv_kfd_dbg_disable(t->kfd, (uint32_t)t->thread);
	timer_delete(timer);
	return r;
}

/* A process that enables or ends its runtime while a session is open waits for an answer. */
static bool answer_runtime(struct tracer *t)
{
	uint64_t exceptions;
	int i;

	/* New queues stay raised: the snapshot tells and clears them. */
	for (i = 0; i < EVENTS_PER_TURN; i++) {
		if (drv_kfd_dbg_query(t->kfd, (uint32_t)t->thread, ~DRV_KFD_EC_QUEUE_NEW,
				      &exceptions))
			return false;
		if (exceptions & DRV_KFD_EC_PROCESS_RUNTIME) {
			drv_kfd_dbg_send(t->kfd, (uint32_t)t->thread, DRV_KFD_EC_PROCESS_RUNTIME);
			return true;
		}
	}
	return false;
}

void tracer_close(struct tracer *t)
{
	if (!t->is_enabled)
		return;
	drv_kfd_dbg_queues(t->kfd, (uint32_t)t->thread, NULL, 0, DRV_KFD_EC_QUEUE_NEW);
	answer_runtime(t);
	t->is_enabled = false;
	if (disable(t) == -ESRCH && !t->is_gone)
		/* Its memory is gone, it waits in the driver (docs/upstream-bugs.md): wake it. */
		ptrace(PTRACE_INTERRUPT, t->thread, 0, 0);
}

static int check_driver(struct tracer *t)
{
	struct kfd_ioctl_get_version_args v;
	struct drv_system s;

	drv_system_read(NULL, &s);
	if (s.sched_policy.source && s.sched_policy.value == DRV_SCHED_POLICY_NO_HWS)
		return tracer_refuse(t, -EOPNOTSUPP,
				     "the driver runs without HWS (sched_policy=2)");
	t->kfd = drv_kfd_open();
	if (t->kfd < 0)
		return tracer_refuse(t, t->kfd, "cannot open /dev/kfd (driver, or group render)");
	if (drv_kfd_get_version(t->kfd, &v) || !drv_kfd_version_has_debug(&v))
		return tracer_refuse(t, -EOPNOTSUPP, "the driver has no debugger calls (too old)");
	return 0;
}

/*
 * With queues there can be no runtime that is just being enabled, which the session
 * would make wait.
 */
static bool has_queues(pid_t pid)
{
	struct gpreempt_queue q;
	struct drv_walk w;
	int found = drv_walk_begin(&w, NULL, (uint32_t)pid);

	while (!found)
		found = drv_walk_step(&w, &q);
	drv_walk_fini(&w);
	return found == 1;
}

static int check_state(struct tracer *t, const struct drv_kfd_runtime_info *info)
{
	switch (info->state) {
	case DRV_KFD_RUNTIME_STATE_ENABLED:
		return 0;
	case DRV_KFD_RUNTIME_STATE_DISABLED:
		return tracer_refuse(t, -EOPNOTSUPP,
				     "its runtime is not enabled (it does not use ROCr)");
	case DRV_KFD_RUNTIME_STATE_BUSY:
		return tracer_refuse(t, -EBUSY, "another process debugs its GPU");
	default:
		return tracer_refuse(t, -EIO, "the driver failed to prepare its GPU");
	}
}

static int enable(struct tracer *t)
{
	struct drv_kfd_runtime_info info = {};
	int r;

	if (pipe2(t->pipe, O_NONBLOCK | O_CLOEXEC))
		return tracer_refuse(t, -errno, "no pipe");
	r = drv_kfd_dbg_enable(t->kfd, (uint32_t)t->thread, EVENTS, t->pipe[1], &info);
	if (r == -EALREADY)
		return tracer_refuse(t, -EBUSY, "another process debugs it");
	if (r)
		return tracer_refuse(t, r, "the driver refuses a debug session");
	t->is_enabled = true;
	return check_state(t, &info);
}

int tracer_open(struct tracer *t)
{
	char path[DRV_SYSFILE_PATH_MAX];
	int r = check_driver(t);

	if (r)
		return r;
	if (!has_queues(t->pid))
		return tracer_refuse(t, -EAGAIN, "it has no GPU queues now");
	r = enable(t);
	if (r)
		return r;
	drv_sysfile_path(path, NULL, "/proc/%d/mem", (int)t->pid);
	t->mem = open(path, O_RDONLY | O_CLOEXEC);
	r = tracer_refresh(t);
	if (r)
		return tracer_refuse(t, r, "no snapshot of its queues");
	return tracer_note(t, WIRE_NOTE_SEES, 0,
			   WIRE_SEES_SNAPSHOT | (t->mem < 0 ? 0 : WIRE_SEES_POINTERS),
			   "attached");
}

static void remove_queue(struct tracer *t, struct tracer_queue *q)
{
	tracer_send_edge(t, WIRE_QUEUE_REMOVE, q);
	*q = t->queues[--t->nr_queues];
}

/* Has work until the opposite is proven. */
static void add_queue(struct tracer *t, const struct drv_kfd_queue_entry *e)
{
	struct tracer_queue *q = &t->queues[t->nr_queues++];

	*q = (struct tracer_queue){ .e = *e, .busy = drv_kfd_is_compute(e->type) };
	tracer_send_queue(t, q);
	tracer_begin(q);
}

static void take_entry(struct tracer *t, const struct drv_kfd_queue_entry *e)
{
	struct tracer_queue *q = tracer_find(t, e->queue_id);

	/* Its number may be that of one that is gone. */
	if (q && (e->exceptions & DRV_KFD_EC_QUEUE_NEW)) {
		remove_queue(t, q);
		q = NULL;
	}
	if (!q) {
		add_queue(t, e);
		q = &t->queues[t->nr_queues - 1];
	}
	q->seen = t->snapshot;
}

int tracer_refresh(struct tracer *t)
{
	int i, nr = drv_kfd_dbg_queues(t->kfd, (uint32_t)t->thread, t->entries, TRACER_QUEUES,
				       DRV_KFD_EC_QUEUE_NEW);
	size_t j;

	if (nr < 0) {
		tracer_end(t, nr == -ESRCH ? 0 : -nr, "the driver does not know it any more");
		return nr;
	}
	t->snapshot++;
	for (i = 0; i < nr && i < TRACER_QUEUES; i++)
		take_entry(t, &t->entries[i]);
	for (j = t->nr_queues; j-- > 0;)
		if (t->queues[j].seen != t->snapshot)
			remove_queue(t, &t->queues[j]);
	return 0;
}

/* New queues of a node that is held are stopped too. */
static void settle_all(struct tracer *t)
{
	const struct gp_hold *h = gp_holds_first(&t->holds.set);
	uint64_t node = 0;

	/* In the order of nodes. */
	for (; h && !t->done; h = gp_holds_next(h)) {
		if (h->target.node != node)
			tracer_settle(t, (uint32_t)h->target.node, NULL);
		node = h->target.node;
	}
}

/* The driver resumed everything when the runtime went. */
static void forget_suspended(struct tracer *t)
{
	size_t i;

	for (i = 0; i < t->nr_queues; i++)
		t->queues[i].suspended = false;
}

void tracer_events(struct tracer *t)
{
	char dots[64];

	while (read(t->pipe[0], dots, sizeof(dots)) > 0)
		;
	/* The snapshot first: QUERY shows nothing else while a queue is new. */
	if (!t->is_enabled || tracer_refresh(t))
		return;
	if (answer_runtime(t)) {
		forget_suspended(t);
		tracer_note(t, WIRE_NOTE_SEES, 0, WIRE_SEES_SNAPSHOT, "runtime changed");
	}
	settle_all(t);
}
