// SPDX-License-Identifier: MIT
/*
 * The conversation with the daemon, and what becomes of holds when it ends, hangs or
 * makes no sense: nothing stays held.
 */
#include "rig.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/shim/shim_part.h"

static void hold_all(uint64_t epoch)
{
	rig_order(WIRE_HOLD, epoch, WIRE_QUEUE_ALL);
}

/* A queue with work, held. */
static uint32_t held_queue(void)
{
	uint32_t id = rig_create();

	rig_connect();
	rig_ring(id);
	hold_all(1);
	assert_int_equal(rig.queues[id].percentage, 0);
	rig_drain();
	return id;
}

static void hello_says_what_is_wished(void **state)
{
	struct wire_hello m;

	setenv("GPREEMPT_PRIORITY", "12", 1);
	setenv("GPREEMPT_CLASS", "realtime", 1);
	setenv("GPREEMPT_WEIGHT", "many", 1);
	setenv("GPREEMPT_GROUP", "a-name-that-is-longer-than-thirty-one-bytes", 1);
	setenv("GPREEMPT_LATENCY_CRITICAL", "1", 1);
	rig_step();
	assert_true(rig_expect(WIRE_HELLO, &m, sizeof(m)));
	assert_int_equal(m.version, WIRE_VERSION);
	assert_int_equal(m.mech, WIRE_MECH_SHIM);
	assert_int_equal(m.pid, getpid());
	assert_int_equal(m.prio, 12);
	assert_int_equal(m.weight, 0);
	assert_int_equal(m.attr_flags, WIRE_ATTR_LATENCY_CRITICAL);
	assert_string_equal(m.klass, "realtime");
	assert_int_equal(strlen(m.group), WIRE_NAME_LEN - 1);
	assert_true(m.sees & WIRE_SEES_IOCTL);
	unsetenv("GPREEMPT_PRIORITY");
	unsetenv("GPREEMPT_CLASS");
	unsetenv("GPREEMPT_WEIGHT");
	unsetenv("GPREEMPT_GROUP");
	unsetenv("GPREEMPT_LATENCY_CRITICAL");
}

static void queues_are_told_after_the_welcome(void **state)
{
	struct wire_queue m;
	uint32_t id = rig_create_busy(), untouched = rig_create(), later;

	rig_step();
	rig_step();
	assert_false(rig_has(WIRE_QUEUE_ADD));
	rig_welcome(0);
	rig_step();
	assert_true(rig_expect(WIRE_QUEUE_ADD, &m, sizeof(m)));
	assert_int_equal(m.queue_id, id);
	assert_int_equal(m.gpu_id, RIG_GPU);
	/* It is not known yet that it has nothing to do. */
	assert_int_equal(m.busy, 1);
	assert_true(rig_expect(WIRE_QUEUE_ADD, &m, sizeof(m)));
	assert_int_equal(m.queue_id, untouched);
	assert_int_equal(m.busy, 0);
	later = rig_create();
	assert_true(rig_expect(WIRE_QUEUE_ADD, &m, sizeof(m)));
	assert_int_equal(m.queue_id, later);
	assert_int_equal(m.busy, 0);
	rig_destroy(later);
	assert_true(rig_has(WIRE_QUEUE_REMOVE));
}

static void lease_ends_by_itself(void **state)
{
	struct wire_note m;
	uint32_t id = held_queue();

	rig_run(999 * MS);
	assert_int_equal(rig.queues[id].percentage, 0);
	rig_run(2 * MS);
	assert_int_equal(rig.queues[id].percentage, 100);
	assert_true(rig_expect(WIRE_NOTE, &m, sizeof(m)));
	assert_int_equal(m.code, WIRE_NOTE_LEASE_ENDED);
}

/* With a daemon that has nothing more to say nothing else would wake the thread. */
static void refused_end_of_a_hold_is_tried_again(void **state)
{
	uint32_t id = held_queue();
	uint64_t next;

	rig_run(990 * MS);
	rig.update_error = ENOMEM;
	rig_advance(20 * MS);
	next = shim_control_step(&shim_self);
	assert_int_equal(rig.queues[id].percentage, 0);
	assert_in_range(next, rig.now_ns + 1, rig.now_ns + 1000 * MS);
	/* Not without a pause, and no longer than a second between two tries. */
	rig.nr_calls = 0;
	rig_run(10000 * MS);
	assert_in_range(rig.nr_calls, 10, 100);
	next = shim_control_step(&shim_self);
	assert_in_range(next, rig.now_ns, rig.now_ns + 1000 * MS);
	rig.update_error = 0;
	rig_run(1000 * MS);
	assert_int_equal(rig.queues[id].percentage, 100);
}

static void refused_release_is_tried_again(void **state)
{
	uint32_t id = held_queue();
	struct wire_done m;
	uint64_t next;

	rig.update_error = EIO;
	rig_order(WIRE_RELEASE, 2, WIRE_QUEUE_ALL);
	assert_true(rig_expect(WIRE_DONE, &m, sizeof(m)));
	assert_int_equal(m.result, WIRE_ERROR);
	next = shim_control_step(&shim_self);
	assert_in_range(next, rig.now_ns, rig.now_ns + 1000 * MS);
	rig.update_error = 0;
	rig_run(1000 * MS);
	assert_int_equal(rig.queues[id].percentage, 100);
}

static void renewal_lengthens_the_lease(void **state)
{
	uint32_t id = held_queue();
	int i;

	for (i = 0; i < 10; i++) {
		rig_run(900 * MS);
		rig_order(WIRE_RENEW, 1, WIRE_QUEUE_ALL);
		assert_int_equal(rig.queues[id].percentage, 0);
	}
	/* Of another hold: no effect. */
	rig_run(900 * MS);
	rig_order(WIRE_RENEW, 77, WIRE_QUEUE_ALL);
	rig_run(200 * MS);
	assert_int_equal(rig.queues[id].percentage, 100);
}

static void end_of_the_daemon_releases(void **state)
{
	uint32_t id = held_queue();

	close(rig.daemon);
	rig.daemon = -1;
	rig_step();
	assert_int_equal(rig.queues[id].percentage, 100);
	assert_int_equal(rig.nr_connects, 1);
	/* A new one is found soon. */
	rig_run(60 * MS);
	assert_int_equal(rig.nr_connects, 2);
	rig_welcome(0);
	rig_step();
	assert_true(rig_has(WIRE_QUEUE_ADD));
	/* Its epochs begin anew. */
	hold_all(1);
	assert_int_equal(rig.queues[id].percentage, 0);
}

static void absent_daemon_is_asked_for_ever_less_often(void **state)
{
	rig.connect_error = ECONNREFUSED;
	rig_create();
	rig_run(60000 * MS);
	rig.connect_error = 0;
	rig_run(2000 * MS);
	assert_int_equal(rig.nr_connects, 1);
}

static void silent_daemon_is_left(void **state)
{
	rig_create();
	rig_step();
	assert_int_equal(rig.nr_connects, 1);
	rig_run(4999 * MS);
	assert_int_equal(rig.nr_connects, 1);
	rig_run(2002 * MS);
	assert_int_equal(rig.nr_connects, 2);
}

static void nonsense_releases(const void *message, size_t bytes)
{
	uint32_t id = held_queue();

	rig_send(message, bytes);
	rig_step();
	assert_int_equal(rig.queues[id].percentage, 100);
	assert_int_equal(shim_self.sock, -1);
}

static struct wire_order good_order(void)
{
	return (struct wire_order){
		.hdr = { WIRE_MAGIC, WIRE_RENEW, sizeof(struct wire_order), 0 },
		.epoch = 1,
		.gpu_id = RIG_GPU,
		.queue_id = WIRE_QUEUE_ALL,
		.lease_ns = 1000 * MS,
	};
}

static void every_kind_of_nonsense_releases(void **state)
{
	static const char noise[300] = "what is this?";
	struct wire_order m = good_order(), bad;
	struct wire_welcome again = {
		.hdr = { WIRE_MAGIC, WIRE_WELCOME, sizeof(again), 0 },
	};
	int kind;

	for (kind = 0; kind < 11; kind++) {
		bad = m;
		bad.hdr.magic ^= kind == 0;
		bad.hdr.type = kind == 1 ? 99 : kind == 2 ? WIRE_HELLO : m.hdr.type;
		bad.hdr.size += kind == 3;
		bad.holder = kind == 4 ? WIRE_HOLDER_COUNT : 0;
		bad.epoch = kind != 5;
		bad.lease_ns = kind == 6 ? 0 : m.lease_ns;
		bad.grace = kind == 7 ? 256 : 0;
		if (kind < 8)
			nonsense_releases(&bad, sizeof(bad));
		else if (kind == 8)
			nonsense_releases(noise, sizeof(noise));
		else if (kind == 9)
			nonsense_releases(noise, 1);
		else
			nonsense_releases(&again, sizeof(again));
		rig_teardown(NULL);
		rig_setup(NULL);
	}
	/* Control: the message that was spoilt is a good one. */
	kind = (int)held_queue();
	rig_send(&m, sizeof(m));
	rig_step();
	assert_int_equal(rig.queues[kind].percentage, 0);
}

static void daemon_that_does_not_read_is_left(void **state)
{
	uint32_t id = held_queue();
	int i;

	/* Stopped: it reads nothing and renews nothing. */
	for (i = 0; i < 5000 && shim_self.sock >= 0; i++) {
		rig_destroy(rig_create());
		rig_step();
	}
	assert_int_equal(shim_self.sock, -1);
	assert_int_equal(rig.queues[id].percentage, 100);
}

/* Welcomed, told of the queues, sent away: as one that breaks the rules. */
static void daemon_that_sends_away_is_asked_ever_less_often(void **state)
{
	int i, before;

	for (i = 0; i < 200; i++) {
		if (shim_self.sock >= 0) {
			rig_welcome(0);
			rig_step();
			close(rig.daemon);
			rig.daemon = -1;
		}
		rig_run(50 * MS);
	}
	assert_in_range(rig.nr_connects, 7, 12);
	/* Control: of one that was content for a while nothing bad is thought. */
	rig_run(2000 * MS);
	rig_welcome(0);
	rig_run(2000 * MS);
	close(rig.daemon);
	rig.daemon = -1;
	rig_step();
	before = rig.nr_connects;
	rig_run(60 * MS);
	assert_int_equal(rig.nr_connects, before + 1);
}

static void old_epochs_are_ignored(void **state)
{
	struct wire_done done;
	uint32_t id = held_queue();

	hold_all(10);
	rig_order(WIRE_RELEASE, 10, WIRE_QUEUE_ALL);
	rig_order(WIRE_RELEASE, 9, WIRE_QUEUE_ALL);
	assert_int_equal(rig.queues[id].percentage, 0);
	assert_true(rig_expect(WIRE_DONE, &done, sizeof(done)));
	assert_int_equal(done.epoch, 10);
	assert_false(rig_has(WIRE_DONE));
}

static void two_holders_hold_twice(void **state)
{
	uint32_t id = held_queue();

	rig_order_by(WIRE_HOLD, 2, WIRE_QUEUE_ALL, WIRE_HOLDER_MANUAL, 500 * MS);
	rig_order(WIRE_RELEASE, 3, WIRE_QUEUE_ALL);
	assert_int_equal(rig.queues[id].percentage, 0);
	rig_order_by(WIRE_RELEASE, 4, WIRE_QUEUE_ALL, WIRE_HOLDER_MANUAL, 0);
	assert_int_equal(rig.queues[id].percentage, 100);
}

static void one_queue_is_held_alone(void **state)
{
	struct wire_done done;
	uint32_t a = rig_create_busy(), b = rig_create_busy();

	rig_connect();
	rig_drain();
	rig_order(WIRE_HOLD, 1, a);
	assert_int_equal(rig.queues[a].percentage, 0);
	assert_int_equal(rig.queues[b].percentage, 100);
	rig_order(WIRE_RELEASE, 2, a);
	assert_int_equal(rig.queues[a].percentage, 100);
	rig_drain();
	rig_order(WIRE_HOLD, 3, 60);
	assert_true(rig_expect(WIRE_DONE, &done, sizeof(done)));
	assert_int_equal(done.result, WIRE_GONE);
	/* One of a node that is held as a whole cannot be let go alone. */
	hold_all(4);
	rig_drain();
	rig_order(WIRE_RELEASE, 5, a);
	assert_true(rig_expect(WIRE_DONE, &done, sizeof(done)));
	assert_int_equal(done.result, WIRE_ERROR);
	assert_int_equal(done.error, EINVAL);
}

static void failure_of_the_driver_is_told(void **state)
{
	struct wire_done done;

	rig_create_busy();
	rig_connect();
	rig_drain();
	rig.update_error = EACCES;
	hold_all(1);
	assert_true(rig_expect(WIRE_DONE, &done, sizeof(done)));
	assert_int_equal(done.result, WIRE_ERROR);
	assert_int_equal(done.error, EACCES);
}

static void expect_lost(void)
{
	struct wire_note m;

	assert_true(rig_expect(WIRE_NOTE, &m, sizeof(m)));
	assert_int_equal(m.code, WIRE_NOTE_RESET);
	assert_int_equal(m.gpu_id, RIG_GPU);
}

/* The driver would take all queues off the node each time. */
static void node_with_a_reset_queue_is_left_alone(void **state)
{
	uint32_t id = held_queue(), other;
	struct wire_done done;

	rig.update_error = EACCES;
	rig_order(WIRE_RELEASE, 2, WIRE_QUEUE_ALL);
	expect_lost();
	assert_true(rig_expect(WIRE_DONE, &done, sizeof(done)));
	assert_int_equal(done.error, EACCES);
	rig.nr_calls = 0;
	rig_run(2000 * MS);
	hold_all(3);
	assert_true(rig_expect(WIRE_DONE, &done, sizeof(done)));
	assert_int_equal(done.error, EACCES);
	rig_run(2000 * MS);
	assert_int_equal(rig.nr_calls, 0);
	/* Nor is a queue made that could never be continued. */
	assert_int_equal(rig.queues[rig_create()].percentage, 100);
	/* Another node is another matter. */
	rig.update_error = 0;
	other = rig_create_on(RIG_GPU + 1, DRV_KFD_QUEUE_AQL);
	assert_int_equal(rig_update(other, 50, 7), 0);
	assert_int_equal(rig.queues[other].percentage, 50);
	assert_int_equal(rig.queues[id].percentage, 0);
}

/* An answer is not waited for where an edge has made the call. */
static void reset_queue_is_told_without_an_order(void **state)
{
	uint32_t id = rig_create();

	rig_connect();
	hold_all(1);
	rig_drain();
	rig.update_error = EACCES;
	rig_ring(id);
	rig_step();
	expect_lost();
	/* And to the next daemon. */
	close(rig.daemon);
	rig.daemon = -1;
	rig_run(60 * MS);
	rig_welcome(0);
	rig_step();
	expect_lost();
}

/* The application closed it and took what it needs to open another. */
static void queue_goes_on_by_the_applications_descriptor(void **state)
{
	uint32_t id = held_queue();
	struct shim *s = &shim_self;

	assert_int_equal(rig.last_fd, RIG_KFD);
	s->kfd_id = (struct shim_fd_id){ .dev = 1, .ino = 1 };
	rig.open_fd = -EMFILE;
	rig_order(WIRE_RELEASE, 2, WIRE_QUEUE_ALL);
	assert_int_equal(rig.queues[id].percentage, 100);
	assert_int_equal(rig.last_fd, 3);
	/* And by one of its own as soon as there is one again. */
	rig.open_fd = dup(STDERR_FILENO);
	rig_ring(id);
	hold_all(3);
	assert_int_equal(rig.queues[id].percentage, 0);
	assert_int_not_equal(rig.last_fd, 3);
	assert_int_equal(rig.last_fd, s->kfd);
	shim_fd_close(s->kfd, &s->kfd_id);
}

static void series_of_updates_stops_the_oldest_work_first(void **state)
{
	struct wire_done done;
	uint32_t a = rig_create(), b = rig_create();

	rig_connect();
	rig_complete(a);
	rig_run(10 * MS);
	rig_ring(b);
	rig_advance(1000);
	rig_ring(a);
	rig_drain();
	hold_all(1);
	assert_true(rig_expect(WIRE_DONE, &done, sizeof(done)));
	assert_int_equal(done.nr_cycles, 2);
	assert_int_equal(shim_self.queues[a].busy_since_ns,
			 shim_self.queues[b].busy_since_ns + 1000);
}

static void enable_runtime(void)
{
	struct drv_kfd_runtime_enable a = { .mode = DRV_KFD_RUNTIME_ENABLE };

	assert_int_equal(shim_ioctl_call(&shim_self, 3, DRV_KFD_IOC_RUNTIME_ENABLE, &a), 0);
}

static void connect_for_batches(void)
{
	rig_step();
	rig_welcome(WIRE_WELCOME_SELF_DBG);
	rig_step();
	rig_drain();
}

static void batch_costs_one_cycle_each_way(void **state)
{
	uint32_t ids[4], i, before, late;

	enable_runtime();
	for (i = 0; i < 4; i++)
		ids[i] = rig_create_busy();
	connect_for_batches();
	before = rig.nr_cycles;
	hold_all(1);
	assert_int_equal(rig.nr_cycles, before + 1);
	for (i = 0; i < 4; i++)
		assert_true(rig.queues[ids[i]].is_suspended);
	/* The application's wishes wait, and the driver is not asked. */
	assert_int_equal(rig_update(ids[0], 100, 9), 0);
	assert_int_equal(rig.nr_cycles, before + 1);
	rig_order(WIRE_RELEASE, 2, WIRE_QUEUE_ALL);
	assert_int_equal(rig.nr_cycles, before + 3);
	assert_int_equal(rig.queues[ids[0]].prio, 9);
	/* A queue that was made since needs a new snapshot. */
	late = rig_create_busy();
	rig_ring(late);
	before = rig.nr_cycles;
	hold_all(3);
	assert_int_equal(rig.nr_cycles, before + 1);
	assert_true(rig.queues[late].is_suspended);
	/* The driver would wait for ever if it were still suspended. */
	assert_int_equal(rig_destroy(late), 0);
	rig_order(WIRE_RELEASE, 4, WIRE_QUEUE_ALL);
	for (i = 0; i < 4; i++)
		assert_false(rig.queues[ids[i]].is_suspended);
}

/* Control: without leave of the daemon, or without a runtime, a series. */
static void no_batch_without_leave(void **state)
{
	uint32_t before;

	rig_create_busy();
	rig_create_busy();
	connect_for_batches();
	before = rig.nr_cycles;
	hold_all(1);
	assert_int_equal(rig.nr_cycles, before + 2);
	assert_false(rig.has_session);
	rig_teardown(NULL);
	rig_setup(NULL);
	enable_runtime();
	rig_create_busy();
	rig_create_busy();
	rig_connect();
	hold_all(1);
	assert_false(rig.has_session);
}

static void failed_batch_becomes_a_series(void **state)
{
	uint32_t a, b;

	enable_runtime();
	a = rig_create_busy();
	b = rig_create_busy();
	connect_for_batches();
	rig.suspend_error = EPERM;
	hold_all(1);
	assert_int_equal(rig.queues[a].percentage, 0);
	assert_int_equal(rig.queues[b].percentage, 0);
	assert_false(rig.has_session);
	rig.suspend_error = 0;
	rig_order(WIRE_RELEASE, 2, WIRE_QUEUE_ALL);
	hold_all(3);
	assert_false(rig.has_session);
	assert_int_equal(rig.queues[a].percentage, 0);
}

static void progress_is_told_after_a_release(void **state)
{
	struct wire_note m;
	uint32_t id = held_queue();

	rig_order(WIRE_RELEASE, 2, WIRE_QUEUE_ALL);
	rig_run(20 * MS);
	assert_false(rig_has(WIRE_NOTE));
	rig.queues[id].rptr++;
	rig_run(100 * MS);
	assert_true(rig_expect(WIRE_NOTE, &m, sizeof(m)));
	assert_int_equal(m.code, WIRE_NOTE_PROGRESS);
	assert_int_equal(m.gpu_id, RIG_GPU);
	/* A long kernel moves no pointer, but has waves. */
	rig_ring(id);
	rig_ring(id);
	hold_all(3);
	rig.occupancy = 5;
	rig_order(WIRE_RELEASE, 4, WIRE_QUEUE_ALL);
	rig_run(10 * MS);
	assert_true(rig_expect(WIRE_NOTE, &m, sizeof(m)));
	assert_int_equal(m.code, WIRE_NOTE_PROGRESS);
}

static void lack_of_progress_is_told_after_a_second(void **state)
{
	struct wire_note m;

	held_queue();
	rig_order(WIRE_RELEASE, 2, WIRE_QUEUE_ALL);
	rig_run(990 * MS);
	assert_false(rig_has(WIRE_NOTE));
	rig_run(20 * MS);
	assert_true(rig_expect(WIRE_NOTE, &m, sizeof(m)));
	assert_int_equal(m.code, WIRE_NOTE_NO_PROGRESS);
}

static void end_of_the_runtime_ends_the_session(void **state)
{
	struct drv_kfd_runtime_enable off = {};
	uint32_t a;

	enable_runtime();
	a = rig_create_busy();
	rig_create_busy();
	connect_for_batches();
	hold_all(1);
	assert_true(rig.has_session);
	assert_int_equal(shim_ioctl_call(&shim_self, 3, DRV_KFD_IOC_RUNTIME_ENABLE, &off), 0);
	assert_false(rig.has_session);
	/* Still held, the other way. */
	assert_int_equal(rig.queues[a].percentage, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
		T(hello_says_what_is_wished),
		T(queues_are_told_after_the_welcome),
		T(lease_ends_by_itself),
		T(refused_end_of_a_hold_is_tried_again),
		T(refused_release_is_tried_again),
		T(renewal_lengthens_the_lease),
		T(end_of_the_daemon_releases),
		T(absent_daemon_is_asked_for_ever_less_often),
		T(silent_daemon_is_left),
		T(every_kind_of_nonsense_releases),
		T(daemon_that_does_not_read_is_left),
		T(daemon_that_sends_away_is_asked_ever_less_often),
		T(old_epochs_are_ignored),
		T(two_holders_hold_twice),
		T(one_queue_is_held_alone),
		T(failure_of_the_driver_is_told),
		T(node_with_a_reset_queue_is_left_alone),
		T(reset_queue_is_told_without_an_order),
		T(queue_goes_on_by_the_applications_descriptor),
		T(series_of_updates_stops_the_oldest_work_first),
		T(batch_costs_one_cycle_each_way),
		T(no_batch_without_leave),
		T(failed_batch_becomes_a_series),
		T(progress_is_told_after_a_release),
		T(lack_of_progress_is_told_after_a_second),
		T(end_of_the_runtime_ends_the_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
