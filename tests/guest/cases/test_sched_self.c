// SPDX-License-Identifier: MIT
/*
 * A process that holds itself, by the kernel module, by the daemon over it, and by the daemon
 * over the preloaded library: what the GPU does meanwhile, what is left when the process
 * dies, and what a hold costs beside the command.
 *
 * Variant: hooks
 * Needs: stack
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_command.h"
#include "gpreempt/gpreempt.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define MS GT_COMMAND_MS
#define CYCLES "30"
#define USER_SPACE "[daemon]\nmechanism = user\n"

#define DAEMON "1"
#define DIRECT "2"
_Static_assert(GPREEMPT_OPEN_DAEMON == 1 && GPREEMPT_OPEN_DIRECT == 2, "the options above");

/* A way to hold oneself. */
static const struct way {
	const char *name;
	const char *config;
	enum gt_how how;
	const char *flags;
} ways[] = {
	{ "module", NULL, GT_KERNEL, DIRECT },
	{ "daemon over module", NULL, GT_KERNEL, DAEMON },
	{ "daemon over shim", USER_SPACE, GT_SHIM, DAEMON },
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

/* With the device open to those who use GPUs, as a site decides by a rule of udev. */
static void begin(struct gt_program *daemon, const struct way *w)
{
	gt_command_begin(daemon, w->config);
	GT_CHECK(!chown("/dev/gpreempt", 0, GT_GROUP_RENDER), "chown: %s", strerror(errno));
}

static void start(struct gt_load *l, const struct way *w, const char *cycles, const char *depth)
{
	char text[16];

	GT_LOAD(l, w->how, GT_USER, "besteffort", "load_self", "--flags", w->flags, "--cycles",
		cycles, "--depth", depth);
	snprintf(text, sizeof(text), "depth %s", depth);
	if (gt_program_says(&l->program, "depth ", MS) || gt_program_says(&l->program, text, 10)) {
		gt_program_show(&l->program);
		gt_fail("%s: not held %s times", w->name, depth);
	}
}

/* Undoes one hold, and waits until that is said. */
static void release(struct gt_load *l, const char *left)
{
	char text[16];

	kill(l->pid, SIGUSR1);
	snprintf(text, sizeof(text), "left %s", left);
	GT_CHECK(!gt_program_says(&l->program, text, MS), "%s are not left", left);
}

static void check_runs(const struct gt_load *l, const struct way *w, bool runs)
{
	/* What is held stays so. */
	if (!runs)
		gt_sleep_us(50000);
	GT_CHECK(!gt_load_wait_mapped(l, runs, runs ? MS : 0), "%s: %u queues on the GPU",
		 w->name, gt_load_mapped(l));
	if (runs)
		gt_gpk_wait_waves(1, MS);
	else
		GT_CHECK(!gt_stat(0, "waves"), "%s: %lu waves", w->name, gt_stat(0, "waves"));
}

static void a_process_holds_itself(void)
{
	struct gt_program daemon;
	struct gt_load l;

	for (size_t i = 0; i < WAYS; i++) {
		begin(&daemon, &ways[i]);
		start(&l, &ways[i], "0", "2");
		check_runs(&l, &ways[i], false);
		release(&l, "1");
		check_runs(&l, &ways[i], false);
		release(&l, "0");
		check_runs(&l, &ways[i], true);
		release(&l, "-22");
		check_runs(&l, &ways[i], true);
		gt_load_kill(&l);
		gt_command_end(&daemon);
	}
}

/* A lease is shorter than this: it has been renewed. By the daemon: unit test lib-self. */
static void a_hold_outlasts_its_lease(void)
{
	struct gt_program daemon;
	struct gt_load l;

	begin(&daemon, &ways[0]);
	start(&l, &ways[0], "0", "1");
	gt_sleep_us(12000000);
	check_runs(&l, &ways[0], false);
	release(&l, "0");
	check_runs(&l, &ways[0], true);
	gt_load_kill(&l);
	gt_command_end(&daemon);
}

/* Killed before, once held, twice held, and released: the next one runs. */
static void death_leaves_nothing_held(void)
{
	static const struct {
		const char *cycles, *depth;
	} states[] = { { "0", "0" }, { "0", "1" }, { "0", "2" }, { "1", "0" } };
	struct gt_program daemon;
	struct gt_load l, next;

	for (size_t i = 0; i < WAYS; i++) {
		begin(&daemon, &ways[i]);
		for (size_t s = 0; s < sizeof(states) / sizeof(states[0]); s++) {
			start(&l, &ways[i], states[s].cycles, states[s].depth);
			gt_load_kill(&l);
			gt_gpk_wait_empty(MS);
			start(&next, &ways[i], "0", "0");
			check_runs(&next, &ways[i], true);
			gt_load_kill(&next);
			gt_gpk_wait_empty(MS);
		}
		gt_command_end(&daemon);
	}
}

/* From the start of the command until nothing runs. */
static uint64_t suspend_by_command(const struct way *w)
{
	struct gt_program daemon, p;
	struct gt_load l;
	uint64_t begin_ns;
	char pid[16];

	begin(&daemon, w);
	start(&l, w, "0", "0");
	gt_gpk_wait_waves(1, MS);
	snprintf(pid, sizeof(pid), "%d", l.pid);
	begin_ns = gt_now_ns();
	GT_START(&p, GT_USER, "gpreempt", "suspend", pid, "--wait");
	while (gt_stat(0, "waves") && gt_now_ns() - begin_ns < MS * 1000000ull)
		gt_sleep_us(5);
	begin_ns = gt_now_ns() - begin_ns;
	GT_CHECK(!gt_program_says(&p, "suspended", MS), "the command says nothing");
	GT_CHECK(!gt_program_stop(&p, SIGTERM, MS), "the command's end");
	gt_load_kill(&l);
	gt_command_end(&daemon);
	return begin_ns;
}

static uint64_t measure(const struct way *w)
{
	struct gt_program daemon;
	struct gt_load l;
	uint64_t p50;

	begin(&daemon, w);
	start(&l, w, CYCLES, "0");
	p50 = gt_program_value(&l.program, "hold_p50");
	gt_note("%s: hold first %lu p50 %lu max %lu ns, release p50 %lu max %lu ns", w->name,
		gt_program_value(&l.program, "hold_first"), p50,
		gt_program_value(&l.program, "hold_max"),
		gt_program_value(&l.program, "release_p50"),
		gt_program_value(&l.program, "release_max"));
	gt_load_kill(&l);
	gt_command_end(&daemon);
	return p50;
}

static void the_nearer_way_is_the_shorter(void)
{
	uint64_t command_ns[WAYS], p50[WAYS];

	for (size_t i = 0; i < WAYS; i++) {
		p50[i] = measure(&ways[i]);
		command_ns[i] = suspend_by_command(&ways[i]);
		gt_note("%s: gpreempt suspend, from its start: %lu ns", ways[i].name,
			command_ns[i]);
		GT_CHECK(p50[i] && p50[i] < command_ns[i], "%s: %lu ns, the command %lu ns",
			 ways[i].name, p50[i], command_ns[i]);
	}
	GT_CHECK(p50[0] < p50[1] && p50[0] < p50[2], "the module takes %lu ns", p50[0]);
}

static const struct gt_case cases[] = {
	{ "a_process_holds_itself", a_process_holds_itself, GT_TINY, 120 },
	{ "a_hold_outlasts_its_lease", a_hold_outlasts_its_lease, GT_TINY, 300 },
	{ "death_leaves_nothing_held", death_leaves_nothing_held, GT_TINY, 300 },
	{ "the_nearer_way_is_the_shorter", the_nearer_way_is_the_shorter, GT_TINY, 300 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
