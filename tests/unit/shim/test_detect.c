// SPDX-License-Identifier: MIT
/*
 * Edges: every one is told, idle is never said of a queue that has work, and a ring
 * that falls into the decision is not lost.
 */
#include "rig.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "client/shim/shim_part.h"
#include "client/shim/shim_queue.h"

static bool is_busy(uint32_t id)
{
	return shim_self.queues[id].is_busy;
}

static void new_queue_is_idle_and_its_ring_is_told(void **state)
{
	struct wire_edge m;
	uint32_t id;

	rig_connect();
	id = rig_create();
	assert_false(is_busy(id));
	rig_ring(id);
	assert_true(is_busy(id));
	assert_true(rig_expect(WIRE_BUSY, &m, sizeof(m)));
	assert_int_equal(m.queue_id, id);
	assert_int_equal(m.gpu_id, RIG_GPU);
	/* Only the first one. */
	rig_ring(id);
	rig_ring(id);
	assert_false(rig_has(WIRE_BUSY));
}

static void pointers_and_an_event_prove_idle(void **state)
{
	uint32_t id;

	rig_connect();
	id = rig_create();
	rig_wait();
	rig_advance(1);
	rig_ring(id);
	rig_run(50 * MS);
	assert_true(is_busy(id));
	rig_complete(id);
	rig_drain();
	/* The event was before the ring: it says nothing. */
	rig_run(6 * MS);
	assert_true(is_busy(id));
	rig_wait();
	rig_run(6 * MS);
	assert_false(is_busy(id));
	assert_true(rig_has(WIRE_IDLE));
}

/* A kernel that waits for room has no waves either. */
static void pointers_alone_need_longer(void **state)
{
	uint32_t id;

	rig_connect();
	id = rig_create();
	rig_ring(id);
	rig_complete(id);
	rig_run(900 * MS);
	assert_true(is_busy(id));
	rig_run(150 * MS);
	assert_false(is_busy(id));
}

/* The ring of a queue, with one packet in it. */
static int64_t *give_packet(uint32_t id)
{
	static _Alignas(64) uint64_t ring[64];
	static int64_t signal[8];

	signal[1] = 1;
	ring[7] = (uintptr_t)signal;
	shim_self.queues[id].wish.ring_base_address = (uintptr_t)ring;
	shim_self.queues[id].wish.ring_size = sizeof(ring);
	return &signal[1];
}

static void signals_prove_idle_at_once(void **state)
{
	int64_t *signal;
	uint32_t id;

	rig_connect();
	id = rig_create();
	signal = give_packet(id);
	rig_ring(id);
	rig_complete(id);
	/* It was fetched, and no more: an event of something else does not help. */
	rig_advance(1);
	rig_wait();
	rig_run(900 * MS);
	assert_true(is_busy(id));
	rig_drain();
	*signal = 0;
	rig_run(6 * MS);
	assert_false(is_busy(id));
	assert_true(rig_has(WIRE_IDLE));
}

/* No room was given: it is not forgotten, and does not keep others away for good. */
static void what_has_not_ended_is_asked_again(void **state)
{
	int64_t *signal;
	uint32_t id;

	rig_connect();
	id = rig_create();
	signal = give_packet(id);
	rig_ring(id);
	rig_complete(id);
	rig_run(1100 * MS);
	assert_false(is_busy(id));
	rig_drain();
	rig_run(1000 * MS);
	assert_true(is_busy(id));
	assert_true(rig_has(WIRE_BUSY));
	/* Idle for twice as long the next time. */
	rig_run(1100 * MS);
	assert_false(is_busy(id));
	rig_run(1500 * MS);
	assert_false(is_busy(id));
	rig_run(600 * MS);
	assert_true(is_busy(id));
	*signal = 0;
	rig_run(10 * MS);
	assert_false(is_busy(id));
	/* Control: what has ended is not asked again. */
	rig_drain();
	rig_run(10000 * MS);
	assert_false(is_busy(id));
	assert_false(rig_has(WIRE_BUSY));
}

/* The read index moves when a packet is fetched: equal pointers prove nothing. */
static void waves_keep_a_queue_busy(void **state)
{
	uint32_t id;

	rig_connect();
	id = rig_create();
	rig_ring(id);
	rig_complete(id);
	rig.occupancy = 1;
	rig_run(500 * MS);
	assert_true(is_busy(id));
	/* A queue was changed, and all waves are saved for a moment. */
	rig.occupancy = 0;
	rig_run(8 * MS);
	rig.occupancy = 1;
	rig_run(6 * MS);
	rig.occupancy = 0;
	rig_run(8 * MS);
	assert_true(is_busy(id));
	rig_run(20 * MS);
	assert_false(is_busy(id));
}

/* The driver does not wait until waves that were saved are back. */
static void released_queue_is_not_idle_before_it_was_seen_alive(void **state)
{
	uint32_t id;

	rig_connect();
	id = rig_create();
	rig_ring(id);
	rig_complete(id);
	rig_order(WIRE_HOLD, 1, WIRE_QUEUE_ALL);
	rig_run(10 * MS);
	rig_order(WIRE_RELEASE, 2, WIRE_QUEUE_ALL);
	rig_run(900 * MS);
	assert_true(is_busy(id));
	rig.occupancy = 1;
	rig_run(10 * MS);
	rig.occupancy = 0;
	rig_run(70 * MS);
	assert_false(is_busy(id));
}

static void watched_queue_needs_no_ring(void **state)
{
	struct shim_queue *q;
	uint64_t gap;
	uint32_t id;

	rig_connect();
	id = rig_create();
	q = &shim_self.queues[id];
	rig_run(20 * MS);
	/* Work that comes soon is seen soon. */
	assert_true(q->look_ns - rig.now_ns < 3 * MS);
	rig_run(500 * MS);
	assert_false(is_busy(id));
	/* Looks got rarer. */
	assert_true(q->look_ns - q->idle.moved_ns >= 500 * MS);
	gap = shim_control_step(&shim_self) - rig.now_ns;
	assert_true(gap > 3 * MS && gap <= 16 * MS);
	rig_drain();
	rig_write(id);
	rig_run(17 * MS);
	assert_true(is_busy(id));
	assert_true(rig_has(WIRE_BUSY));
	/* Control: a queue whose rings are told of is not looked at. */
	rig_complete(id);
	rig_run(6 * MS);
	rig_wait();
	rig_run(100 * MS);
	assert_false(is_busy(id));
	rig_make_seen(id);
	assert_int_equal(shim_control_step(&shim_self), UINT64_MAX);
}

static void unreadable_pointers_mean_busy_for_ever(void **state)
{
	uint32_t id;

	rig_connect();
	id = rig_create();
	rig_destroy(id);
	shim_self.queues[id].wptr_addr = 8;
	rig.queues[id].used = false;
	{
		struct kfd_ioctl_create_queue_args a = {
			.queue_type = DRV_KFD_QUEUE_AQL, .gpu_id = RIG_GPU,
			.write_pointer_address = 8, .read_pointer_address = 16,
			.queue_id = id, .queue_percentage = 100,
		};

		pthread_mutex_lock(&shim_self.lock);
		shim_detect_new_locked(&shim_self,
				       shim_queue_add_locked(&shim_self, &a, 100, NULL));
		pthread_mutex_unlock(&shim_self.lock);
	}
	rig_run(100 * MS);
	assert_true(is_busy(id));
	assert_true(shim_self.sees & WIRE_SEES_NOT_RAW);
}

static void held_queue_that_rings_is_stopped_then(void **state)
{
	uint32_t id, before;

	rig_connect();
	id = rig_create();
	rig_make_seen(id);
	before = rig.nr_cycles;
	rig_order(WIRE_HOLD, 1, WIRE_QUEUE_ALL);
	/* Without work it costs nothing. */
	assert_int_equal(rig.nr_cycles, before);
	assert_int_equal(rig.queues[id].percentage, 100);
	rig_ring(id);
	rig_step();
	assert_int_equal(rig.queues[id].percentage, 0);
	/* While it is stopped nothing says that it is idle. */
	rig_complete(id);
	rig_run(100 * MS);
	assert_true(is_busy(id));
	rig_order(WIRE_RELEASE, 2, WIRE_QUEUE_ALL);
	rig_advance(1);
	rig_wait();
	rig_run(20 * MS);
	assert_false(is_busy(id));
	assert_int_equal(rig.nr_cycles, before + 2);
}

static void call_of_rocr_makes_its_own_queues_busy(void **state)
{
	uint32_t inside, seen;

	rig_connect();
	inside = rig_create();
	seen = rig_create();
	rig_make_seen(seen);
	shim_detect_api(&shim_self);
	assert_true(is_busy(inside));
	assert_false(is_busy(seen));
}

static void two_gpus_share_a_doorbell_number(void **state)
{
	uintptr_t at = 0x7f0000000000ull, other = at + 8192;
	struct shim_queue *q;
	uint32_t id;

	rig_connect();
	id = rig_create();
	q = &shim_self.queues[id];
	/* Where it is mapped is not known: every place may be it. */
	assert_int_equal(shim_slots[shim_slot(at)], 1);
	assert_int_equal(shim_slots[shim_slot(other)], 1);
	shim_detect_ring(&shim_self, other, (uintptr_t)&rig.queues[id].wptr);
	assert_true(q->is_busy);
	assert_int_equal(shim_slots[shim_slot(at)], 0);
	assert_int_equal(shim_slots[shim_slot(other)], 0);
	rig_run(70 * MS);
	assert_false(q->is_busy);
	assert_int_equal(shim_slots[shim_slot(at)], 0);
	assert_int_equal(shim_slots[shim_slot(other)], 1);
	rig_destroy(id);
	assert_int_equal(shim_slots[shim_slot(other)], 0);
}

/* The application rings exactly where the decision was made and is not yet published. */
static uint32_t race_id;
static int nr_races;

static void ring_in_the_window(void)
{
	rig_write(race_id);
	if (__atomic_load_n(&shim_slots[shim_slot(0x7f0000004000ull + race_id * 8)],
			    __ATOMIC_RELAXED))
		abort(); /* then it would be told of, and this were no race */
	nr_races++;
}

static int lost_edges(bool skip_recheck)
{
	struct shim_sys sys = *shim_self.sys;
	uint64_t next;
	int i, lost = 0;

	sys.window = ring_in_the_window;
	rig_connect();
	race_id = rig_create();
	rig_make_seen(race_id);
	shim_self.skip_recheck = skip_recheck;
	nr_races = 0;
	for (i = 0; i < 1000; i++) {
		rig_ring(race_id);
		rig_complete(race_id);
		rig_advance(1);
		rig_wait();
		shim_self.sys = &sys;
		while (nr_races == i) {
			next = shim_control_step(&shim_self);
			rig.now_ns = next > rig.now_ns ? next : rig.now_ns + 1;
		}
		/* Work is there; is it known? */
		lost += !is_busy(race_id);
		rig_complete(race_id);
		rig_drain();
	}
	assert_int_equal(nr_races, 1000);
	return lost;
}

static void ring_inside_the_decision_is_not_lost(void **state)
{
	assert_int_equal(lost_edges(false), 0);
}

/* Control: without the second look each of them is. */
static void without_the_second_look_rings_are_lost(void **state)
{
	assert_int_equal(lost_edges(true), 1000);
}

/* Legal: the GPU has a mapping of its own. */
static void indices_that_are_unmapped_are_no_crash(void **state)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	uint64_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, flags, -1, 0);
	uint32_t id, busy;

	assert_ptr_not_equal(page, MAP_FAILED);
	rig_connect();
	id = rig_create_at(page, page + 1);
	busy = rig_create_at(page + 2, page + 3);
	page[2] = 1;
	rig_run(50 * MS);
	assert_false(shim_self.queues[id].is_busy);
	assert_true(shim_self.queues[busy].is_busy);
	rig_drain();
	munmap(page, 4096);
	rig_run(3000 * MS);
	/* Not known to have no work. */
	assert_true(shim_self.queues[id].is_busy);
	assert_true(shim_self.queues[busy].is_busy);
	assert_true(shim_self.sees & WIRE_SEES_NOT_RAW);
	assert_true(rig_has(WIRE_BUSY));
	rig_order(WIRE_HOLD, 1, WIRE_QUEUE_ALL);
	assert_int_equal(rig.queues[id].percentage, 0);
	rig_order(WIRE_RELEASE, 2, WIRE_QUEUE_ALL);
	rig_run(3000 * MS);
	assert_int_equal(rig.queues[id].percentage, 100);
	assert_int_equal(rig_destroy(id), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
		T(new_queue_is_idle_and_its_ring_is_told),
		T(pointers_and_an_event_prove_idle),
		T(pointers_alone_need_longer),
		T(signals_prove_idle_at_once),
		T(what_has_not_ended_is_asked_again),
		T(waves_keep_a_queue_busy),
		T(released_queue_is_not_idle_before_it_was_seen_alive),
		T(watched_queue_needs_no_ring),
		T(unreadable_pointers_mean_busy_for_ever),
		T(held_queue_that_rings_is_stopped_then),
		T(call_of_rocr_makes_its_own_queues_busy),
		T(two_gpus_share_a_doorbell_number),
		T(ring_inside_the_decision_is_not_lost),
		T(without_the_second_look_rings_are_lost),
		T(indices_that_are_unmapped_are_no_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
