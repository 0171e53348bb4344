// SPDX-License-Identifier: MIT
/*
 * The life of one preemption, step by step, as the trace events tell it: from a store to
 * an armed doorbell until the victim's waves go on and the doorbell is armed again.
 *
 * Variant: hooks
 */
#define _GNU_SOURCE
#include "gt/gt_offline.h"

#include <string.h>
#include <unistd.h>

#include "gt/gt_ftrace.h"

#define SERVED_MS 10000
#define SETTLE_US 300000
#define TEXTS 4

enum who {
	ANY,
	ONLINE,
	MONITOR,
	MEANWHILE,	/* any; and those that follow need not be after it */
};

/**
 * struct step - one line that has to be there, after those of the steps before
 * @what: for people
 * @text: all of these are in it; "%p" at the end of one stands for the online process's
 *	number, "%v" for the victim's, "%o" and "%w" for the doorbells of their queues
 * @who: the task it happened in
 */
struct step {
	const char *what;
	const char *text[TEXTS];
	enum who who;
};

static const struct step story[] = {
	{ "the store faults, in the process that rang", { "gpreempt_fault:", "pid=%p" }, ONLINE },
	{ "the monitor wakes", { "gpreempt_detect:", "pid=%p" }, MONITOR },
	{ "the scheduler is told", { "gpreempt_core:", " busy " }, MONITOR },
	{ "it decides against the victim", { "gpreempt_state:", "pid=%v", "to preempting" }, ANY },
	{ "one goes", { "gpreempt_switch_begin:", "out=1 in=0" }, ANY },
	{ "packets go to the firmware", { "hiq_doorbell:" }, MONITOR },
	{ "the victim's waves are saved", { "gpu:", " save ", "doorbell=%w" }, ANY },
	{ "its CUs are free", { "gpu:", " saved ", "doorbell=%w" }, ANY },
	{ "its queue has no slot", { "gpu:", " unmap ", "doorbell=%w" }, ANY },
	{ "the fence is seen", { "gpreempt_switch_end:", "ret=0" }, ANY },
	{ "the scheduler knows", { "gpreempt_core:", " switch_done " }, ANY },
	{ "the victim is off", { "gpreempt_state:", "pid=%v", "to preempted" }, ANY },
	{ "the scheduler finds the other idle", { "gpreempt_core:", " idle " }, ANY },
	{ "it decides for the victim", { "gpreempt_state:", "pid=%v", "to resuming" }, ANY },
	{ "one comes", { "gpreempt_switch_begin:", "out=0 in=1" }, ANY },
	{ "the victim is back in the runlist", { "gpreempt_switch_end:", "ret=0" }, MEANWHILE },
	{ "its waves are read back", { "gpu:", " restore ", "doorbell=%w" }, ANY },
	{ "and go on", { "gpu:", " restored ", "doorbell=%w" }, ANY },
};

/* What is not in line with the rest, but after the fault: the store has been repeated. */
static const struct step beside[] = {
	{ "the request's first wave", { "gpu:", " dispatch ", "doorbell=%o" }, ANY },
	{ "its last", { "gpu:", " dispatched ", "doorbell=%o" }, ANY },
	{ "the doorbell is armed again", { "gpreempt_arm:", "pid=%p", "ret=0" }, ANY },
};

#define STEPS (sizeof(story) / sizeof(story[0]))
#define BESIDE (sizeof(beside) / sizeof(beside[0]))

/**
 * struct cast - the tasks of the story
 */
struct cast {
	pid_t online;
	pid_t victim;
	pid_t monitor;
	uint32_t online_doorbell;
	uint32_t victim_doorbell;
};

static uint32_t doorbell_of(const struct cast *c, char letter)
{
	return letter == 'o' ? c->online_doorbell : c->victim_doorbell;
}

static bool matches(const struct gt_ftrace_line *l, const struct step *s, const struct cast *c)
{
	char texts[TEXTS][64];
	const char *want[TEXTS + 1] = { NULL };
	char *mark;
	int i;

	for (i = 0; i < TEXTS && s->text[i]; i++) {
		snprintf(texts[i], sizeof(texts[i]), "%s", s->text[i]);
		mark = strchr(texts[i], '%');
		if (mark && mark[1] == 'p')
			snprintf(mark, 16, "%d", c->online);
		else if (mark && mark[1] == 'v')
			snprintf(mark, 16, "%d", c->victim);
		else if (mark)
			snprintf(mark, 16, "%#x", doorbell_of(c, mark[1]));
		want[i] = texts[i];
	}
	if (s->who == ONLINE && l->pid != c->online)
		return false;
	if (s->who == MONITOR && l->pid != c->monitor)
		return false;
	return gt_ftrace_has(l, want);
}

static size_t find(const struct gt_ftrace *t, size_t from, const struct step *s,
		   const struct cast *c)
{
	while (from < t->nr && !matches(&t->line[from], s, c))
		from++;
	return from;
}

/*
 * check_story() - the first step that is missing, NULL if the story is complete
 *
 * @at: filled with the lines of the steps, if not NULL
 */
static const char *check_story(const struct gt_ftrace *t, const struct cast *c, size_t *at)
{
	size_t i, line, pos = 0, fault = 0;

	for (i = 0; i < STEPS; i++) {
		line = find(t, pos, &story[i], c);
		if (line == t->nr)
			return story[i].what;
		if (at)
			at[i] = line;
		if (!i)
			fault = line;
		if (story[i].who != MEANWHILE)
			pos = line + 1;
	}
	for (i = 0, line = fault; i < BESIDE; i++) {
		line = find(t, line, &beside[i], c);
		if (line == t->nr)
			return beside[i].what;
		if (at)
			at[STEPS + i] = line;
	}
	return NULL;
}

/* The kernel's thread of the only node. */
static pid_t find_monitor(void)
{
	char path[64];
	pid_t pid;

	for (pid = 1; pid < 4096; pid++) {
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		if (!access(path, R_OK) && gt_file_has(path, "gpreempt/"))
			return pid;
	}
	gt_fail("there is no monitor");
}

/* One request beside an endless kernel, with everything written down. */
static struct cast play(int detect, struct gt_ftrace *t)
{
	struct cast c = { .online = getpid() };
	struct gpreempt_ioc_stats before, after;
	uint64_t unmaps, runlists, packets;
	struct gt_offline o;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;

	gt_gpk_load("");
	gt_offline_start(&o, &gt_endless);
	c.victim = o.pid;
	c.monitor = find_monitor();
	c.victim_doorbell = gt_other_doorbell(0);
	gt_gpk_set_attr(12, detect);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &gt_brief, &k);
	/* Until it is idle and armed, and the victim is back. */
	GT_CHECK(!gt_online_once(&k, &q, SERVED_MS), "not served");
	gt_sleep_us(SETTLE_US);
	gt_gpk_wait_waves(gt_endless.groups * gt_endless.waves, SERVED_MS);
	c.online_doorbell = gt_other_doorbell(c.victim_doorbell);

	before = gt_gpk_stats(gpu.id);
	unmaps = gt_stat(0, "unmaps");
	runlists = gt_stat(0, "runlists");
	packets = gt_stat(0, "packets");
	gt_ftrace_start();
	GT_CHECK(!gt_online_once(&k, &q, SERVED_MS), "not served");
	gt_sleep_us(SETTLE_US);
	gt_gpk_wait_waves(gt_endless.groups * gt_endless.waves, SERVED_MS);
	gt_ftrace_stop(t);
	after = gt_gpk_stats(gpu.id);
	GT_CHECK(gt_stat(0, "packets") - packets == 1, "%lu packets for one store",
		 gt_stat(0, "packets") - packets);
	/* One cycle there, one back. */
	GT_CHECK(gt_stat(0, "unmaps") - unmaps == 2 && gt_stat(0, "runlists") - runlists == 2,
		 "%lu unmaps, %lu runlists", gt_stat(0, "unmaps") - unmaps,
		 gt_stat(0, "runlists") - runlists);
	GT_CHECK(after.nr_switches - before.nr_switches == 2, "%llu switches",
		 after.nr_switches - before.nr_switches);
	GT_CHECK(after.nr_faults - before.nr_faults == (detect == GPREEMPT_DETECT_DOORBELL),
		 "%llu faults", after.nr_faults - before.nr_faults);
	gt_offline_kill(&o);
	gt_gpk_wait_empty(SERVED_MS);
	gt_gpk_unload();
	return c;
}

/* Every step of which there is one line is missed when it is not there. */
static void check_each_is_needed(struct gt_ftrace *t, const struct cast *c)
{
	size_t at[STEPS + BESIDE], i, nr = 0;
	char first;

	GT_CHECK(!check_story(t, c, at), "the story changed");
	for (i = 0; i < STEPS + BESIDE; i++) {
		struct gt_ftrace_line *l = &t->line[at[i]];
		const struct step *s = i < STEPS ? &story[i] : &beside[i - STEPS];

		first = l->text[0];
		l->text[0] = 0;
		nr += !!check_story(t, c, NULL);
		/* Another line like it may stand in, but never for these. */
		GT_CHECK(check_story(t, c, NULL) || find(t, at[i] + 1, s, c) < t->nr,
			 "is not missed: %s", s->what);
		l->text[0] = first;
	}
	GT_CHECK(nr >= 10, "only %zu of %zu steps are needed", nr, STEPS + BESIDE);
	gt_note("%zu of %zu steps are missed when they are not there", nr, STEPS + BESIDE);
}

static void one_preemption_step_by_step(void)
{
	size_t at[STEPS + BESIDE], i;
	struct gt_ftrace t;
	const char *missing;
	struct cast c;

	c = play(GPREEMPT_DETECT_DOORBELL, &t);
	missing = check_story(&t, &c, at);
	for (i = 0; missing && i < t.nr; i++)
		gt_note("%lu %d %s", t.line[i].ns, t.line[i].pid, t.line[i].text);
	GT_CHECK(!missing, "missing: %s", missing);
	for (i = 0; i < STEPS + BESIDE; i++)
		gt_note("%7lu us  %s", (t.line[at[i]].ns - t.line[at[0]].ns) / 1000,
			i < STEPS ? story[i].what : beside[i - STEPS].what);
	check_each_is_needed(&t, &c);
	gt_ftrace_free(&t);
}

/* Control: found by polling, it is another story. */
static void polling_is_another_story(void)
{
	struct gt_ftrace t;
	const char *missing;
	struct cast c;

	c = play(GPREEMPT_DETECT_POLL, &t);
	missing = check_story(&t, &c, NULL);
	GT_CHECK(missing && missing == story[0].what, "%s", missing ? missing : "the same story");
	gt_ftrace_free(&t);
}

static const struct gt_case cases[] = {
	{ "one_preemption_step_by_step", one_preemption_step_by_step, GT_TINY, 60 },
	{ "polling_is_another_story", polling_is_another_story, GT_TINY, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
