// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "kit/kit_ladder.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_NS 1000000
#define LINGER_NS 1000000000ull
/* The driver gives up a queue that does not leave after nine seconds (amdgpu's default). */
#define DEATH_S 30

const char *const kit_result_names[KIT_RESULTS] = {
	[KIT_OK] = "ok",
	[KIT_SKIP] = "skip",
	[KIT_FAIL] = "fail",
};

void kit_say(struct kit_report *r, enum kit_result result, const char *remedy,
	     const char *format, ...)
{
	va_list args;

	r->result = result;
	r->is_refused = false;
	snprintf(r->remedy, sizeof(r->remedy), "%s", remedy ? remedy : "");
	va_start(args, format);
	vsnprintf(r->text, sizeof(r->text), format, args);
	va_end(args);
}

/* Partitions of a device have one PCI address; 0 is none. */
static bool is_same_device(const struct drv_node *a, const struct drv_node *b)
{
	u64 x = a->location.value & 0xffff, y = b->location.value & 0xffff;

	return a == b || (x && x == y && a->domain.value == b->domain.value);
}

static bool is_near(const struct kit_climb *c, u32 gpu_id)
{
	for (size_t i = 0; i < c->nr_nodes; i++)
		if (c->nodes[i].gpu_id == gpu_id)
			return is_same_device(&c->nodes[i], c->node);
	return gpu_id == c->node->gpu_id;
}

/* Queues on the device, and the process of one of them: their number or -errno. */
static int count_queues(const struct kit_climb *c, u32 *pid)
{
	struct gpreempt_queue q;
	struct drv_walk w;
	int nr = 0, step, err = drv_walk_begin(&w, c->root, 0);

	while (!err && (step = drv_walk_step(&w, &q)) >= 0)
		if (step && is_near(c, q.gpu_id)) {
			*pid = q.pid;
			nr++;
		}
	drv_walk_fini(&w);
	return err ? err : nr;
}

/*
 * Queues are counted: inside of a container the numbers of processes are others. Those of a
 * process that has ended are still there for a moment.
 */
bool kit_is_alone(const struct kit_climb *c, u32 nr_own, struct kit_report *r)
{
	u64 begin = kit_now_ns();
	u32 pid = 0;
	int nr;

	if (c->is_shared)
		return true;
	while ((nr = count_queues(c, &pid)) > (int)nr_own && kit_now_ns() - begin < LINGER_NS)
		kit_sleep_ns(LOOK_NS);
	if (nr >= 0 && nr <= (int)nr_own)
		return true;
	if (nr < 0)
		kit_say(r, KIT_FAIL, "--shared", "who else uses this GPU cannot be read: %s",
			strerror(-nr));
	else if (!nr_own)
		kit_say(r, KIT_FAIL, "a GPU that nothing uses, or --shared",
			"process %u has a queue on this GPU: nothing was stopped", pid);
	else
		kit_say(r, KIT_FAIL, "a GPU that nothing uses, or --shared",
			"another process has a queue on this GPU by now: stopped no more");
	r->is_refused = true;
	return false;
}

/* Return: it has ended; @status: as of waitpid(). */
static bool wait_for(pid_t child, u64 seconds, int *status)
{
	u64 end = kit_now_ns() + seconds * 1000000000;

	while (waitpid(child, status, WNOHANG) == 0) {
		if (kit_now_ns() > end)
			return false;
		kit_sleep_ns(LOOK_NS);
	}
	return true;
}

static void run_child(const struct kit_climb *c, const struct kit_rung *rung,
		      struct kit_report *r)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Sleeps of some microseconds take that long. */
	prctl(PR_SET_TIMERSLACK, 1);
	/* A tracer that has died is an answer. */
	signal(SIGPIPE, SIG_IGN);
	/* Until it says something else. */
	kit_say(r, KIT_FAIL, NULL, "it ended without a word");
	rung->run(c, r);
	_exit(0);
}

static void say_late(const struct kit_rung *rung, bool is_gone, struct kit_report *r)
{
	if (is_gone)
		kit_say(r, KIT_FAIL, "the kernel's log (dmesg)",
			"not done after %u s, ended: the GPU or its driver does not answer",
			rung->seconds);
	else
		kit_say(r, KIT_FAIL, "the kernel's log (dmesg), then a reboot",
			"not done after %u s, and its process does not end: the driver waits for "
			"the GPU", rung->seconds);
}

/* One that hears of resets, or -errno: then they are found by what they break. */
static int listen(const struct kit_climb *c, int *kfd)
{
	*kfd = drv_kfd_open();
	return *kfd < 0 ? *kfd : drv_kfd_smi_open(*kfd, c->node->gpu_id);
}

static void look_for_reset(int smi, struct kit_report *r)
{
	char said[160] = "";

	if (smi < 0 || drv_kfd_smi_read(smi) <= 0)
		return;
	if (r->result == KIT_FAIL)
		snprintf(said, sizeof(said), " (%.150s)", r->text);
	kit_say(r, KIT_FAIL, "the kernel's log (dmesg); the GPU can be used again",
		"the driver has reset the GPU%s", said);
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static void climb(const struct kit_climb *c, const struct kit_rung *rung, struct kit_report *r)
{
	u64 begin = kit_now_ns();
	int kfd, smi = listen(c, &kfd), status = 0;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child)
		run_child(c, rung, r);
	if (child < 0) {
		kit_say(r, KIT_FAIL, NULL, "fork: %s", strerror(errno));
	} else if (!wait_for(child, rung->seconds, &status)) {
		kill(child, SIGKILL);
		say_late(rung, wait_for(child, DEATH_S, &status), r);
	} else if (WIFSIGNALED(status)) {
		kit_say(r, KIT_FAIL, "the kernel's log (dmesg)", "its process was ended: %s",
			strsignal(WTERMSIG(status)));
	}
	look_for_reset(smi, r);
	r->ns = kit_now_ns() - begin;
	if (smi >= 0)
		close(smi);
	if (kfd >= 0)
		close(kfd);
}

void kit_climb_rung(struct kit_climb *c, const struct kit_rung *rung, struct kit_report *r)
{
	struct kit_report *shared;

	memset(r, 0, sizeof(*r));
	if (rung->is_alone && !kit_is_alone(c, 0, r))
		return;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED) {
		kit_say(r, KIT_FAIL, NULL, "mmap: %s", strerror(errno));
		return;
	}
	climb(c, rung, shared);
	*r = *shared;
	munmap(shared, sizeof(*shared));
	for (u32 i = 0; i < r->nr_series; i++)
		qsort(r->series[i].ns, r->series[i].nr, sizeof(u64), compare);
	if (r->result == KIT_OK)
		c->ways |= rung->ways;
}
