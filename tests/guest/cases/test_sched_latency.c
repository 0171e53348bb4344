// SPDX-License-Identifier: MIT
/*
 * What a request waits for beside a kernel that never ends and leaves no room, by
 * detection mode, step by step as the trace events tell it. The bounds are of virtual time,
 * or of an emulator that counts instructions: elsewhere only ratios mean anything, and those
 * only of a quiet machine.
 *
 * Variant: hooks
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_offline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "gt/gt_ftrace.h"

/* Saving waves is a matter of simulated time here, not of an emulated copy. */
#define PARAMS "profile=tiny engine=timed poll_us=50"
#define SERVED_MS 10000
#define REQUESTS_MAX 256
#define POLL_US 5000
#define PHASE_US 1370
#define DETECTION_RATIO 8
#define END_RATIO 2

enum mark {
	MARK_STORE,
	MARK_FAULT,
	MARK_MONITOR,
	MARK_DECIDED,
	MARK_PACKET,
	MARK_SAVED,
	MARK_FIRST,
	MARK_LAST,
	MARK_COUNT,
};

/* What ends with each mark. */
static const char *const step_names[MARK_COUNT] = {
	[MARK_FAULT] = "fault",
	[MARK_MONITOR] = "wake-up",
	[MARK_DECIDED] = "decision",
	[MARK_PACKET] = "lock and packet",
	[MARK_SAVED] = "unmap",
	[MARK_FIRST] = "first wave",
	[MARK_LAST] = "kernel",
};

static const char *const mode_names[] = { "poll 5 ms", "critical 1 ms", "doorbell", "manual" };

#define MODES (sizeof(mode_names) / sizeof(mode_names[0]))

/**
 * struct stage - what a round needs
 */
struct stage {
	struct gt_offline offline;
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint32_t victim;
	uint32_t online;
};

/**
 * struct sample - of the requests of one mode; ns between marks
 * @nr: requests
 * @step: from the mark before to each mark
 * @detect: store to scheduler
 * @own: fault to packet
 * @total: store to last wave
 */
struct sample {
	size_t nr;
	uint64_t step[MARK_COUNT][REQUESTS_MAX];
	uint64_t detect[REQUESTS_MAX];
	uint64_t own[REQUESTS_MAX];
	uint64_t total[REQUESTS_MAX];
};

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t median(uint64_t *values, size_t nr)
{
	if (!nr)
		return 0;
	qsort(values, nr, sizeof(*values), compare);
	return values[nr / 2];
}

static void stage_open(struct stage *s)
{
	gt_gpk_load("");
	gt_offline_start(&s->offline, &gt_endless);
	s->victim = gt_other_doorbell(0);
	gt_gpu_open(&s->gpu, 0);
	gt_queue_create(&s->gpu, 7, &s->q);
	gt_kernel_create(&s->gpu, &gt_brief, &s->k);
	gt_gpk_wait_waves(gt_endless.groups * gt_endless.waves, SERVED_MS);
	s->online = gt_other_doorbell(s->victim);
}

static void stage_close(struct stage *s)
{
	gt_offline_kill(&s->offline);
	gt_gpk_wait_empty(SERVED_MS);
	gt_gpk_unload();
}

static void trigger(const struct stage *s)
{
	struct gpreempt_ioc_trigger arg = { .size = sizeof(arg), .gpu_id = s->gpu.id, .pidfd = -1 };

	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_TRIGGER, &arg), "trigger: %s",
		 strerror(errno));
}

/* One request, when it is idle and the GPU is full. Return: when it rang. */
static uint64_t request(struct stage *s, int mode)
{
	uint64_t store;

	/* Any moment of a polling period is as likely as another. */
	gt_sleep_us(20000 + rand() % 10000);
	gt_gpk_wait_waves(gt_endless.groups * gt_endless.waves, SERVED_MS);
	store = gt_now_ns();
	gt_kernel_launch(&s->k, &s->q);
	if (mode == GPREEMPT_DETECT_MANUAL)
		trigger(s);
	GT_CHECK(!gt_kernel_wait(&s->k, SERVED_MS), "%s: not served", mode_names[mode]);
	GT_CHECK(s->k.tally[0] == s->k.nr_groups, "%s: %lu workgroups", mode_names[mode],
		 s->k.tally[0]);
	/* Until the scheduler knows that it is done; it is not told. */
	if (mode == GPREEMPT_DETECT_MANUAL)
		trigger(s);
	return store;
}

static uint64_t at(const struct gt_ftrace *t, size_t *from, const char *a, const char *b)
{
	*from = gt_ftrace_find(t, *from, a, b);
	return *from < t->nr ? t->line[(*from)++].ns : 0;
}

/* The marks of the request that rang at this time; false if nothing had to be preempted. */
static bool find_marks(const struct stage *s, const struct gt_ftrace *t, uint64_t store,
		       int mode, uint64_t *mark)
{
	char victim[32], online[32];
	size_t i = 0, first;
	int m;

	snprintf(victim, sizeof(victim), "doorbell=%#x", s->victim);
	snprintf(online, sizeof(online), "doorbell=%#x", s->online);
	/* The trace counts microseconds. */
	while (i < t->nr && t->line[i].ns + 1000 < store)
		i++;
	mark[MARK_STORE] = store;
	mark[MARK_FAULT] = store;
	if (mode == GPREEMPT_DETECT_DOORBELL)
		mark[MARK_FAULT] = at(t, &i, "gpreempt_fault:", "");
	first = i;
	mark[MARK_MONITOR] = at(t, &i, "gpreempt_core:", " busy ");
	mark[MARK_DECIDED] = at(t, &i, "gpreempt_switch_begin:", "out=1 in=0");
	mark[MARK_PACKET] = at(t, &i, "hiq_doorbell:", "");
	mark[MARK_SAVED] = at(t, &i, " saved ", victim);
	i = first;
	mark[MARK_FIRST] = at(t, &i, " dispatch ", online);
	mark[MARK_LAST] = at(t, &i, " dispatched ", online);
	for (m = MARK_FAULT; m < MARK_COUNT; m++)
		if (mark[m] + 1000 < mark[m - 1])
			return false;
	return true;
}

static void add(struct sample *sample, const uint64_t *mark)
{
	size_t n = sample->nr++;
	int m;

	for (m = MARK_FAULT; m < MARK_COUNT; m++)
		sample->step[m][n] = mark[m] > mark[m - 1] ? mark[m] - mark[m - 1] : 0;
	sample->detect[n] = mark[MARK_MONITOR] - mark[MARK_STORE];
	sample->own[n] = mark[MARK_PACKET] - mark[MARK_FAULT];
	sample->total[n] = mark[MARK_LAST] - mark[MARK_STORE];
}

/* The modes of @modes, a bit each, take turns. */
static void measure(struct stage *s, unsigned int modes, unsigned int nr, struct sample *sample)
{
	static uint64_t stores[MODES][REQUESTS_MAX];
	uint64_t mark[MARK_COUNT];
	unsigned int i, mode;
	struct gt_ftrace t;

	GT_CHECK(nr <= REQUESTS_MAX, "%u requests", nr);
	gt_ftrace_start();
	for (i = 0; i < nr; i++)
		for (mode = 0; mode < MODES; mode++) {
			if (!(modes & 1u << mode))
				continue;
			gt_gpk_set_attr(12, mode);
			/* At every phase of a poll. */
			gt_sleep_us(i * PHASE_US % POLL_US);
			stores[mode][i] = request(s, mode);
		}
	gt_ftrace_stop(&t);
	memset(sample, 0, MODES * sizeof(*sample));
	for (mode = 0; mode < MODES; mode++) {
		for (i = 0; modes & 1u << mode && i < nr; i++)
			if (find_marks(s, &t, stores[mode][i], mode, mark))
				add(&sample[mode], mark);
		GT_CHECK(!(modes & 1u << mode) || sample[mode].nr >= nr / 2,
			 "%s: %zu of %u requests had to preempt", mode_names[mode],
			 sample[mode].nr, nr);
	}
	gt_ftrace_free(&t);
}

static void show(struct sample *sample, uint64_t *detect, uint64_t *total)
{
	char line[256];
	size_t mode;
	int m, n;

	n = snprintf(line, sizeof(line), "%-14s%9s", "medians, us", "detection");
	for (m = MARK_FAULT; m < MARK_COUNT; m++)
		n += snprintf(line + n, sizeof(line) - n, "%11s", step_names[m]);
	gt_note("%s%9s", line, "total");
	for (mode = 0; mode < MODES; mode++) {
		struct sample *s = &sample[mode];

		detect[mode] = median(s->detect, s->nr);
		total[mode] = median(s->total, s->nr);
		n = snprintf(line, sizeof(line), "%-14s%9lu", mode_names[mode],
			     detect[mode] / 1000);
		for (m = MARK_FAULT; m < MARK_COUNT; m++)
			n += snprintf(line + n, sizeof(line) - n, "%11lu",
				      median(s->step[m], s->nr) / 1000);
		gt_note("%s%9lu", line, total[mode] / 1000);
	}
}

static double ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / b : 0;
}

static void doorbells_are_quicker_than_polling(void)
{
	static struct sample sample[MODES];
	uint64_t detect[MODES], total[MODES];
	unsigned int nr = gt_scaled(200);
	double better, end, control;
	struct stage s;

	nr = nr < 15 ? 15 : nr;
	stage_open(&s);
	measure(&s, (1u << MODES) - 1, nr, sample);
	stage_close(&s);
	show(sample, detect, total);
	better = ratio(detect[GPREEMPT_DETECT_POLL], detect[GPREEMPT_DETECT_DOORBELL]);
	end = ratio(total[GPREEMPT_DETECT_POLL], total[GPREEMPT_DETECT_DOORBELL]);
	control = ratio(detect[GPREEMPT_DETECT_POLL], detect[GPREEMPT_DETECT_CRITICAL]);
	gt_note("doorbell against poll: detection %.1f times, end to end %.1f; %u requests a mode",
		better, end, nr);
	if (!gt_argument("steady", 0)) {
		gt_note("bounds of %d and %d: only by a steady clock", DETECTION_RATIO, END_RATIO);
		return;
	}
	GT_CHECK(better >= DETECTION_RATIO, "detection %.1f times better", better);
	GT_CHECK(end >= END_RATIO, "end to end %.1f times better", end);
	/* Control: what polls five times as often does not pass for a doorbell. */
	GT_CHECK(control < DETECTION_RATIO, "polling every millisecond is as good");
}

/*
 * From the fault to the packet that takes the victim off. Under an emulator that counts
 * (vehicle/run --steady) a nanosecond is an instruction, and with its one processor
 * no others come between. In virtual time it is what wake-ups and system calls cost.
 */
static void the_schedulers_own_part(void)
{
	bool counts = gt_argument("steady", 0);
	static struct sample samples[MODES];
	struct sample *sample = &samples[GPREEMPT_DETECT_DOORBELL];
	struct stage s;
	uint64_t own;

	stage_open(&s);
	measure(&s, 1u << GPREEMPT_DETECT_DOORBELL, counts ? 50 : 15, samples);
	stage_close(&s);
	own = median(sample->own, sample->nr);
	gt_note("fault to unmap packet: %lu %s; of these until the scheduler is told %lu, decision "
		"%lu, lock and packet %lu",
		own / 1000, counts && !gt_is_virtual() ? "thousand instructions" : "us",
		median(sample->step[MARK_MONITOR], sample->nr) / 1000,
		median(sample->step[MARK_DECIDED], sample->nr) / 1000,
		median(sample->step[MARK_PACKET], sample->nr) / 1000);
	GT_CHECK(own, "no time at all");
	GT_CHECK(!counts || own < 1000000, "%lu instructions or ns", own);
}

static const struct gt_case cases[] = {
	{ "doorbells_are_quicker_than_polling", doorbells_are_quicker_than_polling, PARAMS, 240 },
	{ "the_schedulers_own_part", the_schedulers_own_part, PARAMS, 120 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
