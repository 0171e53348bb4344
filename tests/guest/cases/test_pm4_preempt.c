// SPDX-License-Identifier: MIT
/*
 * PM4 queues that are taken off the GPU all the time: by UPDATE_QUEUE, by a neighbour's
 * UPDATE_QUEUE, by SUSPEND_QUEUES and without HWS. Results are exact, and a flipped bit
 * in what was saved is not.
 */
#define _GNU_SOURCE
#include "gt/gt_debug.h"
#include "gt/gt_pm4.h"

#include <errno.h>
#include <string.h>

#define TINY "profile=tiny"
#define EVERY_US 300
#define NR_KERNELS 3

/* Long enough to be preempted many times; 8 CUs hold it all at once. */
static const struct gt_shape steady = {
	.groups = 8, .waves = 1, .vgprs = 16, .lds_bytes = 512,
	.steps = 2000, .step_ns = 100000, .seed = 22,
};

/**
 * struct scene - a PM4 queue, its kernels and what they leave when undisturbed
 * @packets: the kernels one after the other, each with a word that is written and waited for
 * @nr_words: how often @word was written; no value comes twice, as the queue may be
 *	waiting for the last one still when its kernel has ended
 */
struct scene {
	struct gt_gpu gpu;
	struct gt_queue q;
	struct gt_kernel k[NR_KERNELS];
	struct gt_pm4 packets;
	volatile uint32_t *word;
	uint32_t nr_words;
	uint64_t digest;
};

static void collect(struct scene *s, uint32_t nr)
{
	uint32_t i;

	s->packets.nr = 0;
	for (i = 0; i < nr; i++) {
		gt_pm4_kernel(&s->packets, &s->k[i]);
		gt_pm4_write(&s->packets, s->word, ++s->nr_words);
		gt_pm4_wait(&s->packets, s->word, s->nr_words);
	}
}

static void expect_exact(struct scene *s, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++) {
		GT_CHECK(!gt_kernel_wait(&s->k[i], 10000), "kernel %u does not end", i);
		GT_CHECK(!gt_kernel_check(&s->k[i]), "%s", gt_kernel_check(&s->k[i]));
		GT_CHECK(gt_kernel_digest(&s->k[i]) == s->digest, "kernel %u: result changed", i);
	}
}

/* With a first run that is not disturbed. */
static void set_up(struct scene *s)
{
	uint32_t i;

	gt_gpu_open(&s->gpu, 0);
	gt_queue_create_pm4(&s->gpu, 7, &s->q);
	s->word = gt_alloc(&s->gpu, 4096);
	for (i = 0; i < NR_KERNELS; i++)
		gt_kernel_create(&s->gpu, &steady, &s->k[i]);
	collect(s, 1);
	gt_pm4_send(&s->q, &s->packets);
	GT_CHECK(!gt_kernel_wait(&s->k[0], 10000), "no end");
	GT_CHECK(!gt_kernel_check(&s->k[0]), "%s", gt_kernel_check(&s->k[0]));
	s->digest = gt_kernel_digest(&s->k[0]);
}

/* Takes @q out and back until @k has ended. Return: how often. */
static unsigned int preempt_until_done(struct gt_queue *q, const struct gt_kernel *k)
{
	uint64_t end = gt_deadline_ns(20000);
	unsigned int n;

	for (n = 0; k->signal->value; n++) {
		GT_CHECK(gt_now_ns() < end, "no end after %u preemptions", n);
		gt_sleep_us(EVERY_US);
		GT_CHECK(!gt_queue_update(q, 0), "preempt %u", n);
		GT_CHECK(!gt_queue_update(q, 100), "resume %u", n);
	}
	return n;
}

/* Whatever was saved since the module was loaded has come back. */
static void expect_balance(uint64_t saves, unsigned int n)
{
	gt_note("%u preemptions, %lu saves", n, gt_stat(0, "saves") - saves);
	GT_CHECK(gt_stat(0, "saves") >= saves + 2, "%lu saves", gt_stat(0, "saves") - saves);
	GT_CHECK(gt_stat(0, "saves") == gt_stat(0, "restores"), "%lu saves, %lu restores",
		 gt_stat(0, "saves"), gt_stat(0, "restores"));
	GT_CHECK(!gt_stat(0, "killed"), "%lu killed", gt_stat(0, "killed"));
	GT_CHECK(!gt_stat(0, "faults"), "%lu faults", gt_stat(0, "faults"));
}

static void preempted_kernel_gives_the_same_result(void)
{
	struct scene s = {};
	uint64_t saves = gt_stat(0, "saves");
	unsigned int n;

	set_up(&s);
	collect(&s, 1);
	gt_pm4_send(&s.q, &s.packets);
	n = preempt_until_done(&s.q, &s.k[0]);
	expect_exact(&s, 1);
	expect_balance(saves, n);
}

/* Three kernels in a buffer: the position in it is kept, and no packet runs twice. */
static void preempted_inside_a_buffer(void)
{
	struct scene s = {};
	uint64_t saves = gt_stat(0, "saves"), dispatches;
	struct gt_pm4 call;
	unsigned int n;

	set_up(&s);
	dispatches = gt_stat(0, "dispatches");
	collect(&s, NR_KERNELS);
	call = gt_pm4_in_buffer(&s.gpu, &s.packets);
	gt_pm4_send(&s.q, &call);
	n = preempt_until_done(&s.q, &s.k[NR_KERNELS - 1]);
	expect_exact(&s, NR_KERNELS);
	expect_balance(saves, n);
	GT_CHECK(gt_stat(0, "dispatches") == dispatches + NR_KERNELS, "%lu dispatches",
		 gt_stat(0, "dispatches") - dispatches);
}

/* Takes the only kernel out once, with the fault armed before it if there is one. */
static void preempt_once(struct scene *s, const char *fault)
{
	uint64_t saves = gt_stat(0, "saves");
	struct gt_pm4 call;

	collect(s, 1);
	call = gt_pm4_in_buffer(&s->gpu, &s->packets);
	if (fault)
		gt_fault(0, "%s", fault);
	gt_pm4_send(&s->q, &call);
	GT_CHECK(!gt_stat_wait(0, "waves", steady.groups), "%lu waves", gt_stat(0, "waves"));
	GT_CHECK(!gt_queue_update(&s->q, 0), "preempt");
	GT_CHECK(gt_stat(0, "saves") == saves + 1, "%lu saves", gt_stat(0, "saves") - saves);
	GT_CHECK(!gt_queue_update(&s->q, 100), "resume");
	GT_CHECK(!gt_kernel_wait(&s->k[0], 5000), "did not end");
}

/* Control for those above: a flipped bit in the save area shows, and only with the fault. */
static void corrupted_save_is_noticed(void)
{
	struct scene s = {};

	set_up(&s);
	preempt_once(&s, NULL);
	expect_exact(&s, 1);
	preempt_once(&s, "corrupt 3000");
	GT_CHECK(gt_kernel_digest(&s.k[0]) != s.digest, "a corrupted save went unnoticed");
}

/* An UPDATE_QUEUE takes all queues of the node out: each is preempted by the other's too. */
static void beside_an_aql_queue(void)
{
	struct scene s = {};
	uint64_t saves = gt_stat(0, "saves");
	struct gt_kernel k;
	struct gt_queue q;
	unsigned int n;

	set_up(&s);
	gt_queue_create(&s.gpu, 7, &q);
	gt_kernel_create(&s.gpu, &steady, &k);
	collect(&s, NR_KERNELS);
	gt_pm4_send(&s.q, &s.packets);
	gt_kernel_launch(&k, &q);
	n = preempt_until_done(&q, &k);
	GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
	GT_CHECK(gt_kernel_digest(&k) == s.digest, "AQL: result changed");
	gt_kernel_launch(&k, &q);
	n += preempt_until_done(&s.q, &s.k[NR_KERNELS - 1]);
	expect_exact(&s, NR_KERNELS);
	GT_CHECK(!gt_kernel_wait(&k, 10000), "AQL: no end");
	GT_CHECK(gt_kernel_digest(&k) == s.digest, "AQL: result changed");
	expect_balance(saves, n);
}

static void suspended_by_the_debugger(void)
{
	struct kfd_queue_snapshot_entry entry[1] = {};
	struct gt_session session;
	struct scene s = {};
	uint32_t id;
	int r;

	/* The runtime comes before the queues. */
	gt_gpu_open(&s.gpu, 0);
	session = gt_debug_self(&s.gpu);
	gt_queue_create_pm4(&s.gpu, 7, &s.q);
	s.word = gt_alloc(&s.gpu, 4096);
	gt_kernel_create(&s.gpu, &steady, &s.k[0]);
	GT_CHECK(gt_debug_snapshot(&session, entry, 1, GT_NEW) == 1, "snapshot");
	GT_CHECK(entry[0].queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE, "%u", entry[0].queue_type);
	collect(&s, 1);
	gt_pm4_send(&s.q, &s.packets);
	GT_CHECK(!gt_stat_wait(0, "waves", steady.groups), "%lu waves", gt_stat(0, "waves"));
	id = s.q.id;
	r = gt_debug_suspend(&session, &id, 1, 1);
	GT_CHECK(r == 1 && id == s.q.id, "suspended %d, id %x", r, id);
	GT_CHECK(gt_kernel_wait(&s.k[0], 300) == -ETIMEDOUT, "it ran on");
	GT_CHECK(gt_debug_resume(&session, &id, 1) == 1, "resume");
	GT_CHECK(!gt_kernel_wait(&s.k[0], 5000), "it did not go on");
	GT_CHECK(!gt_kernel_check(&s.k[0]), "%s", gt_kernel_check(&s.k[0]));
	GT_CHECK(!gt_debug_disable(&session), "disable");
}

static const struct gt_case cases[] = {
	{ "preempted_kernel_gives_the_same_result", preempted_kernel_gives_the_same_result, TINY,
	  0 },
	{ "preempted_inside_a_buffer", preempted_inside_a_buffer, TINY, 0 },
	{ "beside_an_aql_queue", beside_an_aql_queue, TINY, 60 },
	{ "suspended_by_the_debugger", suspended_by_the_debugger, TINY, 0 },
	{ "corrupted_save_is_noticed", corrupted_save_is_noticed, TINY, 0 },
	{ "preempted_on_8_xccs", preempted_inside_a_buffer, "profile=mi300x", 60 },
	{ "preempted_without_hws", preempted_inside_a_buffer, TINY " sched_policy=2", 0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
