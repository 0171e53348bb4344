// SPDX-License-Identifier: MIT
/*
 * How a tracer ends, or never begins: whatever happens, the target goes on.
 *
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt/gt_tracer.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define TINY "profile=tiny"
#define MS 1000000ull
#define LONG_LEASE (30000 * MS)
#define OTHER_USER 1001

/* A target that runs for ever, and is held. */
static void hold_target(struct gt_target *t, struct gt_tracer *r)
{
	gt_target_start(t, 0);
	gt_tracer_attach(r, t);
	gt_target_do(t, GT_TARGET_ENDLESS);
	GT_CHECK(!gt_stat_wait(0, "waves", GT_TARGET_WAVES), "not running");
	gt_tracer_hold(r, LONG_LEASE);
	/* Control: as long as nothing happens it stands still. */
	gt_sleep_us(300000);
	GT_CHECK(!gt_stat(0, "waves"), "runs");
}

static bool is_traced(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	return !gt_file_has(path, "TracerPid:\t0");
}

/* It runs, no process traces it, and the driver talks to it. */
static void expect_free(struct gt_target *t)
{
	GT_CHECK(!gt_stat_wait(0, "waves", GT_TARGET_WAVES), "does not run");
	GT_CHECK(!is_traced(t->pid), "is traced");
	gt_target_do(t, GT_TARGET_ALLOC);
	gt_target_tell(t, GT_TARGET_EXIT);
	gt_target_ends(t, 5000);
}

static void end_of_file_frees_the_target(void)
{
	struct gt_target t;
	struct gt_tracer r;

	hold_target(&t, &r);
	gt_tracer_close(&r);
	expect_free(&t);
}

static void term_frees_the_target(void)
{
	struct gt_target t;
	struct gt_tracer r;
	int code;

	hold_target(&t, &r);
	kill(r.pid, SIGTERM);
	code = gt_tracer_ends(&r, 3000);
	GT_CHECK(!code, "ended with %d", code);
	expect_free(&t);
}

static void kill_frees_the_target(void)
{
	struct gt_target t;
	struct gt_tracer r;

	hold_target(&t, &r);
	kill(r.pid, SIGKILL);
	GT_CHECK(gt_tracer_ends(&r, 3000) == 128 + SIGKILL, "does not die");
	expect_free(&t);
}

#define GOOD_RENEW { WIRE_MAGIC, WIRE_RENEW, sizeof(struct wire_order), 0 }

/* Each kind of nonsense ends the conversation; a good message before it does not. */
static void nonsense_frees_the_target(void)
{
	static const struct wire_order bad[] = {
		{ .hdr = { 0x12345678, WIRE_RENEW, sizeof(bad[0]), 0 } },
		{ .hdr = { WIRE_MAGIC, 99, sizeof(bad[0]), 0 } },
		{ .hdr = { WIRE_MAGIC, WIRE_HOLD, 16, 0 } },
		{ .hdr = { WIRE_MAGIC, WIRE_QUEUE_ADD, sizeof(bad[0]), 0 } },
		{ .hdr = GOOD_RENEW, .epoch = 1, .lease_ns = 1, .holder = 2 },
		{ .hdr = GOOD_RENEW, .epoch = 1, .lease_ns = 1, .grace = 256 },
		{ .hdr = GOOD_RENEW, .lease_ns = 1 },
		{ .hdr = GOOD_RENEW, .epoch = 1 },
	};
	struct gt_target t;
	struct gt_tracer r;
	size_t i;
	int code;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		hold_target(&t, &r);
		gt_tracer_order(&r, WIRE_RENEW, LONG_LEASE);
		gt_sleep_us(50000);
		GT_CHECK(gt_tracer_ends(&r, 0) == -ETIMEDOUT, "ended by a good message");
		GT_CHECK(send(r.sock, &bad[i], sizeof(bad[i]), MSG_NOSIGNAL) == sizeof(bad[i]),
			 "send");
		code = gt_tracer_ends(&r, 3000);
		GT_CHECK(code == 1, "nonsense %zu: ended with %d", i, code);
		close(r.sock);
		expect_free(&t);
	}
}

static void oversized_message_frees_the_target(void)
{
	char big[4096] = {};
	struct gt_target t;
	struct gt_tracer r;
	struct wire_hdr h = { WIRE_MAGIC, WIRE_RENEW, sizeof(big), 0 };

	hold_target(&t, &r);
	memcpy(big, &h, sizeof(h));
	GT_CHECK(send(r.sock, big, sizeof(big), MSG_NOSIGNAL) == sizeof(big), "send");
	GT_CHECK(gt_tracer_ends(&r, 3000) == 1, "does not end");
	expect_free(&t);
}

static void old_order_is_ignored(void)
{
	struct gt_target t;
	struct gt_tracer r;

	hold_target(&t, &r);
	r.epoch--;
	gt_tracer_order(&r, WIRE_RELEASE, 0);
	gt_tracer_listen(&r, 300);
	GT_CHECK(!gt_stat(0, "waves"), "an old order was obeyed");
	gt_tracer_release(&r);
	gt_tracer_close(&r);
	expect_free(&t);
}

static void held_target_can_be_killed(void)
{
	struct gt_target t;
	struct gt_tracer r;
	int code;

	hold_target(&t, &r);
	kill(t.pid, SIGKILL);
	code = gt_tracer_ends(&r, 5000);
	GT_CHECK(!code, "tracer: %d", code);
	GT_CHECK(waitpid(t.pid, NULL, 0) == t.pid, "wait");
	GT_CHECK(!gt_stat_wait(0, "mapped", 0), "%lu mapped", gt_stat(0, "mapped"));
}

/* Without the tracer's care it would wait in the driver for ever (docs/upstream-bugs.md). */
static void held_target_can_exit(void)
{
	struct gt_target t;
	struct gt_tracer r;
	int code;

	hold_target(&t, &r);
	gt_target_tell(&t, GT_TARGET_EXIT);
	gt_target_ends(&t, 5000);
	code = gt_tracer_ends(&r, 3000);
	GT_CHECK(!code, "tracer: %d", code);
	GT_CHECK(!gt_stat_wait(0, "mapped", 0), "%lu mapped", gt_stat(0, "mapped"));
}

static void held_target_can_exec(void)
{
	struct gt_target t;
	struct gt_tracer r;
	int code;

	hold_target(&t, &r);
	gt_target_tell(&t, GT_TARGET_EXEC);
	gt_target_ends(&t, 8000);
	code = gt_tracer_ends(&r, 3000);
	GT_CHECK(!code, "tracer: %d", code);
	GT_CHECK(!gt_stat_wait(0, "mapped", 0), "%lu mapped", gt_stat(0, "mapped"));
}

/* Nothing is left in its memory that could be seen to go. */
static void target_without_queues_can_exec(void)
{
	struct gt_target t;
	struct gt_tracer r;
	int code;

	gt_target_start(&t, 0);
	gt_tracer_attach(&r, &t);
	gt_target_do(&t, GT_TARGET_DESTROY);
	gt_tracer_listen(&r, 300);
	gt_target_tell(&t, GT_TARGET_EXEC);
	gt_target_ends(&t, 8000);
	code = gt_tracer_ends(&r, 3000);
	GT_CHECK(!code, "tracer: %d", code);
}

/* The driver finds it by another thread, and the end of the process is still seen in time. */
static void held_target_can_lose_its_main_thread(void)
{
	struct gt_target t;
	struct gt_tracer r;
	int code;

	hold_target(&t, &r);
	gt_target_do(&t, GT_TARGET_LOSE_MAIN);
	gt_tracer_listen(&r, 300);
	GT_CHECK(!r.is_over, "the tracer has ended");
	gt_tracer_release(&r);
	GT_CHECK(!gt_stat_wait(0, "waves", GT_TARGET_WAVES), "does not run");
	gt_tracer_hold(&r, LONG_LEASE);
	gt_target_tell(&t, GT_TARGET_EXIT);
	gt_target_ends(&t, 8000);
	code = gt_tracer_ends(&r, 3000);
	GT_CHECK(!code, "tracer: %d", code);
	GT_CHECK(!gt_stat_wait(0, "mapped", 0), "%lu mapped", gt_stat(0, "mapped"));
}

/* A second tracer after the first: nothing is left over. */
static void target_can_be_traced_again(void)
{
	struct gt_target t;
	struct gt_tracer r;
	int i;

	gt_target_start(&t, 0);
	gt_target_do(&t, GT_TARGET_ENDLESS);
	for (i = 0; i < 5; i++) {
		gt_tracer_attach(&r, &t);
		gt_tracer_hold(&r, LONG_LEASE);
		gt_tracer_close(&r);
		GT_CHECK(!gt_stat_wait(0, "waves", GT_TARGET_WAVES), "does not run");
	}
	expect_free(&t);
}

static void expect_refused(struct gt_target *t, uid_t uid, int error)
{
	struct gt_tracer r;
	int code;

	gt_tracer_start(&r, t->pid, uid);
	GT_CHECK(!gt_tracer_wait_note(&r, WIRE_NOTE_REFUSED, 5000), "not refused");
	GT_CHECK(r.note_value == (uint64_t)error, "error %lu, not %d", r.note_value, error);
	GT_CHECK(!r.nr_queues, "queues told");
	code = gt_tracer_ends(&r, 3000);
	GT_CHECK(code == 1, "ended with %d", code);
	close(r.sock);
}

static void runtime_must_be_enabled(void)
{
	struct gt_target t;

	gt_target_start(&t, GT_TARGET_NO_RUNTIME);
	gt_target_do(&t, GT_TARGET_ENDLESS);
	expect_refused(&t, 0, EOPNOTSUPP);
	expect_free(&t);
}

static void there_must_be_queues(void)
{
	struct gt_target t;

	gt_target_start(&t, GT_TARGET_NO_QUEUE);
	expect_refused(&t, 0, EAGAIN);
	gt_target_tell(&t, GT_TARGET_EXIT);
	gt_target_ends(&t, 5000);
}

static void nobody_else_may_trace(void)
{
	struct gt_target t;
	int status;

	gt_target_start(&t, 0);
	gt_target_do(&t, GT_TARGET_ENDLESS);
	GT_CHECK(!ptrace(PTRACE_SEIZE, t.pid, 0, 0), "%s", strerror(errno));
	expect_refused(&t, 0, EBUSY);
	GT_CHECK(!ptrace(PTRACE_INTERRUPT, t.pid, 0, 0), "%s", strerror(errno));
	GT_CHECK(waitpid(t.pid, &status, __WALL) == t.pid, "%s", strerror(errno));
	GT_CHECK(!ptrace(PTRACE_DETACH, t.pid, 0, 0), "%s", strerror(errno));
	expect_free(&t);
}

static void other_users_may_not(void)
{
	struct gt_target t;

	gt_target_start(&t, 0);
	gt_target_do(&t, GT_TARGET_ENDLESS);
	expect_refused(&t, OTHER_USER, EPERM);
	expect_free(&t);
}

static void driver_must_have_hws(void)
{
	struct gt_target t;

	gt_target_start(&t, 0);
	expect_refused(&t, 0, EOPNOTSUPP);
	gt_target_tell(&t, GT_TARGET_EXIT);
	gt_target_ends(&t, 5000);
}

static void process_must_exist(void)
{
	struct gt_target t = { .pid = fork() };

	if (!t.pid)
		_exit(0);
	GT_CHECK(waitpid(t.pid, NULL, 0) == t.pid, "wait");
	expect_refused(&t, 0, ESRCH);
}

static const struct gt_case cases[] = {
	{ "end_of_file_frees_the_target", end_of_file_frees_the_target, TINY, 20 },
	{ "term_frees_the_target", term_frees_the_target, TINY, 20 },
	{ "kill_frees_the_target", kill_frees_the_target, TINY, 20 },
	{ "nonsense_frees_the_target", nonsense_frees_the_target, TINY, 60 },
	{ "oversized_message_frees_the_target", oversized_message_frees_the_target, TINY, 20 },
	{ "old_order_is_ignored", old_order_is_ignored, TINY, 20 },
	{ "held_target_can_be_killed", held_target_can_be_killed, TINY, 20 },
	{ "held_target_can_exit", held_target_can_exit, TINY, 20 },
	{ "held_target_can_exec", held_target_can_exec, TINY, 20 },
	{ "held_target_can_lose_its_main_thread", held_target_can_lose_its_main_thread, TINY, 30 },
	{ "target_without_queues_can_exec", target_without_queues_can_exec, TINY, 20 },
	{ "target_can_be_traced_again", target_can_be_traced_again, TINY, 20 },
	{ "runtime_must_be_enabled", runtime_must_be_enabled, TINY, 20 },
	{ "there_must_be_queues", there_must_be_queues, TINY, 20 },
	{ "nobody_else_may_trace", nobody_else_may_trace, TINY, 20 },
	{ "other_users_may_not", other_users_may_not, TINY, 20 },
	{ "process_must_exist", process_must_exist, TINY, 20 },
	{ "driver_must_have_hws", driver_must_have_hws, "profile=tiny sched_policy=2", 20 },
	{ "end_of_file_frees_the_target_on_gfx942", end_of_file_frees_the_target,
	  "profile=mi308x", 30 },
	{ "kill_frees_the_target_on_gfx942", kill_frees_the_target, "profile=mi308x", 30 },
	{ "term_frees_the_target_on_gfx942", term_frees_the_target, "profile=mi308x", 30 },
	{ "held_target_can_exit_on_gfx942", held_target_can_exit, "profile=mi308x", 30 },
	{ "target_can_be_traced_again_on_gfx942", target_can_be_traced_again, "profile=mi308x",
	  30 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
