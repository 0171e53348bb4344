// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "kit/kit_way.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEASE_MS 10000

const char *const kit_way_names[KIT_WAYS] = {
	[KIT_WAY_UPDATE] = "update",
	[KIT_WAY_DEBUG] = "debugger",
	[KIT_WAY_MODULE] = "module",
};

int kit_way_prepare(struct kit_hand *h, enum kit_way_id way, struct kit_gpu *gpu)
{
	*h = (struct kit_hand){ .way = way, .module = -1 };
	if (way != KIT_WAY_DEBUG)
		return 0;
	/* A debugger stops only what has said that it may be debugged. */
	h->step = "RUNTIME_ENABLE";
	return drv_kfd_runtime_enable(gpu->kfd, DRV_KFD_RUNTIME_ENABLE);
}

/* What the tracer is asked for, and how it begins. */
enum {
	ASK_STOP = 's',
	ASK_GO = 'g',
};

struct answer {
	int err;
	const char *step; /* of this program, which both are */
};

static void trace(pid_t target, int ask, int answer)
{
	struct answer a = { 0, "/dev/kfd" };
	int kfd = drv_kfd_open();
	u32 id;
	char c;

	a.err = min(kfd, 0);
	if (!a.err) {
		a.step = KIT_STEP_SEIZE;
		a.err = ptrace(PTRACE_SEIZE, target, 0, 0) ? -errno : 0;
	}
	if (!a.err)
		a.err = kit_debug_open(kfd, (u32)target, &id, 1, &a.step);
	if (a.err) {
		/* The caller reads it. */
		while (write(answer, &a, sizeof(a)) < 0 && errno == EINTR)
			;
		_exit(0);
	}
	while (write(answer, &a, sizeof(a)) == sizeof(a) && read(ask, &c, 1) == 1) {
		a.step = c == ASK_STOP ? "SUSPEND_QUEUES" : "RESUME_QUEUES";
		a.err = c == ASK_STOP ? kit_debug_stop(kfd, (u32)target, &id, 1) :
					kit_debug_go(kfd, (u32)target, &id, 1);
	}
	kit_debug_close(kfd, (u32)target);
	_exit(0);
}

static int hear(struct kit_hand *h)
{
	struct answer a = { -ECHILD, "the tracer" };
	ssize_t n;

	do
		n = read(h->answer, &a, sizeof(a));
	while (n < 0 && errno == EINTR);
	h->step = a.step;
	return a.err;
}

static int ask(struct kit_hand *h, char what)
{
	if (write(h->ask, &what, 1) == 1)
		return hear(h);
	h->step = "the tracer";
	return -EPIPE;
}

/* A child that traces its parent: a parent that traced would have to let its child's child go. */
static int start_tracer(struct kit_hand *h)
{
	pid_t self = getpid();
	int to[2], from[2];

	h->step = "fork";
	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		return -errno;
	h->tracer = fork();
	if (h->tracer < 0)
		return -errno;
	if (!h->tracer) {
		char begin;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(to[1]);
		close(from[0]);
		if (read(to[0], &begin, 1) == 1)
			trace(self, to[0], from[1]);
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	h->ask = to[1];
	h->answer = from[0];
	prctl(PR_SET_PTRACER, (unsigned long)h->tracer);
	return ask(h, 0);
}

int kit_way_begin(struct kit_hand *h, struct kit_queue *q)
{
	h->q = q;
	switch (h->way) {
	case KIT_WAY_DEBUG:
		return start_tracer(h);
	case KIT_WAY_MODULE:
		h->step = DRV_MODULE_DEVICE;
		h->module = drv_module_open();
		h->ref = (struct gpreempt_ioc_ref){
			.pidfd = -1,
			.gpu_id = q->gpu->node->gpu_id,
			.queue_id = q->update.queue_id,
		};
		return h->module == -ENOENT ? -EOPNOTSUPP : min(h->module, 0);
	default:
		return 0;
	}
}

int kit_way_stop(struct kit_hand *h)
{
	switch (h->way) {
	case KIT_WAY_DEBUG:
		return ask(h, ASK_STOP);
	case KIT_WAY_MODULE:
		h->step = "SWITCH";
		return drv_module_hold(h->module, &h->ref, LEASE_MS);
	default:
		h->step = "UPDATE_QUEUE";
		return kit_queue_percent(h->q, 0);
	}
}

int kit_way_go(struct kit_hand *h)
{
	switch (h->way) {
	case KIT_WAY_DEBUG:
		return ask(h, ASK_GO);
	case KIT_WAY_MODULE:
		h->step = "SWITCH";
		return drv_module_release(h->module, &h->ref);
	default:
		h->step = "UPDATE_QUEUE";
		return kit_queue_percent(h->q, KFD_MAX_QUEUE_PERCENTAGE);
	}
}

void kit_way_end(struct kit_hand *h)
{
	if (h->tracer > 0) {
		close(h->ask);
		close(h->answer);
		waitpid(h->tracer, NULL, 0);
	}
	if (h->module >= 0)
		close(h->module);
}
