// SPDX-License-Identifier: MIT
/*
 * gpreempt-tracer holds and lets go: results stay exact, leases end, signals arrive, edges
 * are told.
 *
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt/gt_tracer.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define TINY "profile=tiny"
#define MS 1000000ull
#define LONG_LEASE (30000 * MS)
#define NR_CYCLES 1000
#define NR_SIGNALS 300

static void end(struct gt_tracer *r, struct gt_target *t)
{
	gt_tracer_close(r);
	gt_target_tell(t, GT_TARGET_EXIT);
	gt_target_ends(t, 5000);
}

/* Waves are there, or come within the time. */
static void expect_runs(unsigned int ms)
{
	uint64_t stop = gt_deadline_ns(ms);

	while (!gt_stat(0, "waves")) {
		GT_CHECK(gt_now_ns() < stop, "does not run");
		gt_sleep_us(1000);
	}
}

static void expect_stands_still(unsigned int ms)
{
	uint64_t stop = gt_deadline_ns(ms);

	while (gt_now_ns() < stop) {
		GT_CHECK(!gt_stat(0, "waves"), "runs");
		gt_sleep_us(5000);
	}
}

/*
 * The results are compared by the target. That they could be wrong is shown by
 * the corrupted byte below.
 */
static void many_cycles_change_nothing(void)
{
	uint64_t saves, took = 0;
	struct wire_done d;
	struct gt_target t;
	struct gt_tracer r;
	int i;

	gt_target_start(&t, 0);
	gt_target_do(&t, GT_TARGET_SHORT);
	gt_tracer_attach(&r, &t);
	saves = gt_stat(0, "saves");
	gt_target_tell(&t, GT_TARGET_LOOP);
	for (i = 0; i < NR_CYCLES; i++) {
		d = gt_tracer_do(&r, WIRE_HOLD, LONG_LEASE);
		GT_CHECK(d.result == WIRE_OK && d.nr_queues == 1 && d.nr_cycles == 1,
			 "cycle %d: result %u, %u queues", i, d.result, d.nr_queues);
		took += d.took_ns;
		GT_CHECK(!gt_stat(0, "waves"), "cycle %d: runs", i);
		gt_tracer_release(&r);
		gt_sleep_us(i % 7 * 500);
	}
	gt_target_tell(&t, GT_TARGET_SIGNALS);
	GT_CHECK(!gt_target_answers(&t, GT_TARGET_LOOP, 20000), "the target does not end");
	gt_note("%d cycles, %lu saves, hold takes %lu us in this guest", NR_CYCLES,
		gt_stat(0, "saves") - saves, took / NR_CYCLES / 1000);
	GT_CHECK(gt_stat(0, "saves") - saves > NR_CYCLES / 4, "too few were busy: %lu",
		 gt_stat(0, "saves") - saves);
	GT_CHECK(!r.notes[WIRE_NOTE_NO_PROGRESS] && !r.notes[WIRE_NOTE_LEASE_ENDED],
		 "notes");
	gt_tracer_close(&r);
	kill(t.pid, SIGKILL);
}

/* Control: a byte of the saved state is changed, and the target notices. */
static void changed_byte_would_be_noticed(void)
{
	struct gt_target t;
	struct gt_tracer r;

	gt_target_start(&t, 0);
	gt_tracer_attach(&r, &t);
	gt_target_do(&t, GT_TARGET_LONG);
	gt_target_do(&t, GT_TARGET_WAIT);
	gt_target_do(&t, GT_TARGET_LONG);
	expect_runs(2000);
	gt_fault(0, "corrupt 3000");
	gt_tracer_hold(&r, LONG_LEASE);
	gt_tracer_release(&r);
	gt_target_tell(&t, GT_TARGET_WAIT);
	gt_tracer_listen(&r, 4000);
	gt_tracer_close(&r);
	GT_CHECK(gt_tracer_ends(&(struct gt_tracer){ .pid = t.pid }, 25000) != 0,
		 "the target found nothing wrong");
}

static void lease_ends_the_hold(void)
{
	struct gt_target t;
	struct gt_tracer r;
	uint64_t begin;

	gt_target_start(&t, 0);
	gt_tracer_attach(&r, &t);
	gt_target_do(&t, GT_TARGET_ENDLESS);
	expect_runs(2000);
	begin = gt_now_ns();
	gt_tracer_hold(&r, 400 * MS);
	expect_stands_still(200);
	GT_CHECK(!gt_tracer_wait_note(&r, WIRE_NOTE_LEASE_ENDED, 1000), "no note");
	GT_CHECK(gt_now_ns() - begin >= 400 * MS, "ended early");
	expect_runs(500);
	end(&r, &t);
}

/* Control for the one above. */
static void renewed_lease_does_not_end(void)
{
	struct gt_target t;
	struct gt_tracer r;
	int i;

	gt_target_start(&t, 0);
	gt_tracer_attach(&r, &t);
	gt_target_do(&t, GT_TARGET_ENDLESS);
	expect_runs(2000);
	gt_tracer_hold(&r, 600 * MS);
	for (i = 0; i < 10; i++) {
		expect_stands_still(150);
		gt_tracer_order(&r, WIRE_RENEW, 600 * MS);
	}
	gt_tracer_listen(&r, 50);
	GT_CHECK(!r.notes[WIRE_NOTE_LEASE_ENDED], "ended");
	gt_tracer_release(&r);
	expect_runs(1000);
	end(&r, &t);
}

/* A holder renews, and is stopped. */
static void stopped_peer_loses_its_hold(void)
{
	struct gt_target t;
	struct gt_tracer r;
	pid_t peer;

	gt_target_start(&t, 0);
	gt_tracer_attach(&r, &t);
	gt_target_do(&t, GT_TARGET_ENDLESS);
	expect_runs(2000);
	gt_tracer_hold(&r, 500 * MS);
	peer = fork();
	while (!peer) {
		gt_tracer_order(&r, WIRE_RENEW, 500 * MS);
		gt_sleep_us(100000);
	}
	expect_stands_still(1200);
	kill(peer, SIGSTOP);
	expect_runs(1000);
	kill(peer, SIGKILL);
	end(&r, &t);
}

static void new_queue_of_a_held_process_is_held(void)
{
	struct wire_done d;
	struct gt_target t;
	struct gt_tracer r;

	gt_target_start(&t, 0);
	gt_tracer_attach(&r, &t);
	gt_tracer_hold(&r, LONG_LEASE);
	gt_target_do(&t, GT_TARGET_QUEUE);
	gt_tracer_listen(&r, 300);
	GT_CHECK(r.nr_queues == 2, "%d queues told", r.nr_queues);
	GT_CHECK(!gt_stat(0, "waves"), "the new queue runs");
	expect_stands_still(200);
	d = gt_tracer_do(&r, WIRE_RELEASE, 0);
	GT_CHECK(d.result == WIRE_OK && d.nr_queues == 2 && d.nr_cycles == 1, "%u, %u in %u",
		 d.result, d.nr_queues, d.nr_cycles);
	expect_runs(1000);
	end(&r, &t);
}

/* Control: without a hold it runs, and both stop in one go. */
static void queues_are_stopped_in_one_batch(void)
{
	struct wire_done d;
	struct gt_target t;
	struct gt_tracer r;

	gt_target_start(&t, 0);
	gt_tracer_attach(&r, &t);
	gt_target_do(&t, GT_TARGET_QUEUE);
	gt_target_do(&t, GT_TARGET_ENDLESS);
	GT_CHECK(!gt_stat_wait(0, "waves", 2 * GT_TARGET_WAVES), "%lu waves", gt_stat(0, "waves"));
	d = gt_tracer_do(&r, WIRE_HOLD, LONG_LEASE);
	GT_CHECK(d.result == WIRE_OK && d.nr_queues == 2 && d.nr_cycles == 1, "%u, %u in %u",
		 d.result, d.nr_queues, d.nr_cycles);
	GT_CHECK(!gt_stat(0, "waves"), "runs");
	/* Level-set: again is nothing. */
	d = gt_tracer_do(&r, WIRE_HOLD, LONG_LEASE);
	GT_CHECK(d.result == WIRE_OK && !d.nr_queues && !d.nr_cycles, "%u, %u in %u", d.result,
		 d.nr_queues, d.nr_cycles);
	end(&r, &t);
}

/* Queued signals are counted one by one, before, while and after the target is held. */
static void signals_reach_the_target(void)
{
	union sigval v = {};
	struct gt_target t;
	struct gt_tracer r;
	int i;

	gt_target_start(&t, 0);
	gt_tracer_attach(&r, &t);
	gt_target_do(&t, GT_TARGET_ENDLESS);
	for (i = 0; i < NR_SIGNALS; i++) {
		if (i % 30 == 10)
			gt_tracer_hold(&r, LONG_LEASE);
		if (i % 30 == 20)
			gt_tracer_release(&r);
		GT_CHECK(!sigqueue(t.pid, SIGRTMIN, v), "%s", strerror(errno));
	}
	gt_tracer_listen(&r, 200);
	GT_CHECK(gt_target_signals(&t) == NR_SIGNALS, "%u signals", gt_target_signals(&t));
	end(&r, &t);
}

static bool is_stopped(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	return gt_file_has(path, "State:\tt") || gt_file_has(path, "State:\tT");
}

static void stop_and_continue_work(void)
{
	struct gt_target t;
	struct gt_tracer r;
	int i;

	gt_target_start(&t, 0);
	gt_tracer_attach(&r, &t);
	for (i = 0; i < 3; i++) {
		kill(t.pid, SIGSTOP);
		gt_sleep_us(200000);
		GT_CHECK(is_stopped(t.pid), "not stopped");
		gt_target_tell(&t, GT_TARGET_SHORT);
		GT_CHECK(gt_target_answers(&t, GT_TARGET_SHORT, 300) == -ETIMEDOUT, "answers");
		kill(t.pid, SIGCONT);
		GT_CHECK(!gt_target_answers(&t, GT_TARGET_SHORT, 5000), "does not go on");
	}
	/* Let go while it is stopped: it stays stopped. */
	kill(t.pid, SIGSTOP);
	gt_sleep_us(200000);
	gt_tracer_close(&r);
	GT_CHECK(is_stopped(t.pid), "not stopped any more");
	kill(t.pid, SIGCONT);
	gt_target_do(&t, GT_TARGET_SHORT);
	gt_target_tell(&t, GT_TARGET_EXIT);
	gt_target_ends(&t, 5000);
}

/* The long kernel is taken at once, the indices are equal all the time it runs. */
static void idle_is_told_when_it_is_true(void)
{
	struct gt_target t;
	struct gt_tracer r;

	gt_target_start(&t, 0);
	gt_tracer_attach(&r, &t);
	gt_tracer_listen(&r, 500);
	GT_CHECK(r.nr_idle == 1 && !r.nr_busy, "%d idle, %d busy", r.nr_idle, r.nr_busy);
	gt_target_do(&t, GT_TARGET_LONG);
	gt_tracer_listen(&r, 700);
	GT_CHECK(r.nr_idle == 1 && r.nr_busy == 1, "%d idle, %d busy", r.nr_idle, r.nr_busy);
	GT_CHECK(gt_stat(0, "waves"), "does not run");
	/* Held waves are not idle either, nor those that come back. */
	gt_tracer_hold(&r, LONG_LEASE);
	gt_tracer_listen(&r, 1500);
	GT_CHECK(r.nr_idle == 1, "idle while held");
	gt_tracer_release(&r);
	gt_tracer_listen(&r, 300);
	GT_CHECK(r.nr_idle == 1, "idle after the release");
	gt_target_do(&t, GT_TARGET_WAIT);
	gt_tracer_listen(&r, 500);
	GT_CHECK(r.nr_idle == 2 && r.nr_busy == 1, "%d idle, %d busy", r.nr_idle, r.nr_busy);
	GT_CHECK(r.notes[WIRE_NOTE_PROGRESS] == 1, "no progress");
	end(&r, &t);
}

/* The driver lets a process that destroys a suspended queue wait: not longer than the lease. */
static void destroy_waits_for_the_lease(void)
{
	struct gt_target t;
	struct gt_tracer r;

	gt_target_start(&t, 0);
	gt_tracer_attach(&r, &t);
	gt_target_do(&t, GT_TARGET_ENDLESS);
	expect_runs(2000);
	gt_tracer_hold(&r, 700 * MS);
	gt_target_tell(&t, GT_TARGET_DESTROY);
	GT_CHECK(gt_target_answers(&t, GT_TARGET_DESTROY, 300) == -ETIMEDOUT, "does not wait");
	GT_CHECK(!gt_target_answers(&t, GT_TARGET_DESTROY, 3000), "waits for ever");
	gt_tracer_listen(&r, 300);
	GT_CHECK(!r.nr_queues, "%d queues left", r.nr_queues);
	end(&r, &t);
}

static const struct gt_case cases[] = {
	{ "many_cycles_change_nothing", many_cycles_change_nothing, TINY, 120 },
	{ "changed_byte_would_be_noticed", changed_byte_would_be_noticed, TINY, 60 },
	{ "lease_ends_the_hold", lease_ends_the_hold, TINY, 20 },
	{ "renewed_lease_does_not_end", renewed_lease_does_not_end, TINY, 20 },
	{ "stopped_peer_loses_its_hold", stopped_peer_loses_its_hold, TINY, 20 },
	{ "new_queue_of_a_held_process_is_held", new_queue_of_a_held_process_is_held, TINY, 20 },
	{ "queues_are_stopped_in_one_batch", queues_are_stopped_in_one_batch, TINY, 20 },
	{ "signals_reach_the_target", signals_reach_the_target, TINY, 30 },
	{ "stop_and_continue_work", stop_and_continue_work, TINY, 30 },
	{ "idle_is_told_when_it_is_true", idle_is_told_when_it_is_true, TINY, 30 },
	{ "destroy_waits_for_the_lease", destroy_waits_for_the_lease, TINY, 20 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
