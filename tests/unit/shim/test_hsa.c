// SPDX-License-Identifier: MIT
/*
 * The side of ROCr, with a table of functions and queues made by hand: what is
 * wrapped, which rings are told of, and idle proven by a barrier packet.
 */
#include "rig.h"

#include <ctype.h>
#include <errno.h>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/shim/shim_hsa.h"
#include "client/shim/shim_queue.h"

#define HEADER "/usr/include/hsa/hsa_api_trace.h"
#define PACKETS 64
#define NR_ROUNDS 200000

static struct shim_hsa_core_table core;
static struct shim_hsa_table table = { .core = &core };

/* A queue as ROCr makes it. */
static amd_queue_t aq;
static amd_signal_t doorbell, other;
static hsa_barrier_and_packet_t ring[PACKETS];
static uint64_t doorbell_page[1024] __attribute__((aligned(8192)));
static amd_signal_t *barrier_signal;
static int nr_rings, nr_stores, nr_signals;
static hsa_queue_type32_t type;
static uint32_t queue_id;

static void store(hsa_signal_t signal, hsa_signal_value_t value)
{
	amd_signal_t *s = (amd_signal_t *)(uintptr_t)signal.handle;

	if (s->kind < 0) {
		*s->hardware_doorbell_ptr = (uint64_t)value;
		nr_rings++;
	} else {
		s->value = value;
		nr_stores++;
	}
}

static uint64_t add_write_index(const hsa_queue_t *q, uint64_t value)
{
	amd_queue_t *queue = (amd_queue_t *)q;

	return __atomic_fetch_add(&queue->write_dispatch_id, value, __ATOMIC_ACQ_REL);
}

/* Another producer is faster by so many packets, once. */
static uint64_t nr_overtaken;

static uint64_t cas_write_index(const hsa_queue_t *q, uint64_t expected, uint64_t value)
{
	amd_queue_t *queue = (amd_queue_t *)q;

	queue->write_dispatch_id += nr_overtaken;
	nr_overtaken = 0;
	__atomic_compare_exchange_n(&queue->write_dispatch_id, &expected, value, false,
				    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	return expected;
}

static void store_write_index(const hsa_queue_t *q, uint64_t value)
{
	__atomic_store_n(&((amd_queue_t *)q)->write_dispatch_id, value, __ATOMIC_RELEASE);
}

static hsa_status_t signal_create(hsa_signal_value_t initial, uint32_t nr,
				  const hsa_agent_t *consumers, hsa_signal_t *out)
{
	/* A consumer that is no CPU: no event. */
	assert_int_equal(nr, 1);
	barrier_signal = aligned_alloc(64, sizeof(*barrier_signal));
	memset(barrier_signal, 0, sizeof(*barrier_signal));
	barrier_signal->kind = AMD_SIGNAL_KIND_USER;
	barrier_signal->value = initial;
	out->handle = (uintptr_t)barrier_signal;
	nr_signals++;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t signal_destroy(hsa_signal_t signal)
{
	free((void *)(uintptr_t)signal.handle);
	nr_signals--;
	return HSA_STATUS_SUCCESS;
}

/* As ROCr: the ioctl comes inside the call. */
static hsa_status_t queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t t,
				 void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
				 uint32_t private_bytes, uint32_t group_bytes, hsa_queue_t **out)
{
	queue_id = rig_create();
	/* The driver's side of the rig has pointers of its own; use ROCr's. */
	shim_self.queues[queue_id].wptr_addr = (uintptr_t)&aq.write_dispatch_id;
	shim_self.queues[queue_id].rptr_addr = (uintptr_t)&aq.read_dispatch_id;
	aq.hsa_queue.type = type;
	aq.hsa_queue.size = PACKETS;
	aq.hsa_queue.base_address = ring;
	aq.hsa_queue.doorbell_signal.handle = (uintptr_t)&doorbell;
	*out = &aq.hsa_queue;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t queue_destroy(hsa_queue_t *q)
{
	return rig_destroy(queue_id) ? HSA_STATUS_ERROR : HSA_STATUS_SUCCESS;
}

static int setup(void **state)
{
	int i;

	rig_setup(state);
	memset(&aq, 0, sizeof(aq));
	memset(&core, 0, sizeof(core));
	memset(&doorbell, 0, sizeof(doorbell));
	memset(&other, 0, sizeof(other));
	memset(ring, 0, sizeof(ring));
	for (i = 0; i < PACKETS; i++)
		ring[i].header = HSA_PACKET_TYPE_INVALID;
	nr_rings = nr_stores = nr_signals = 0;
	barrier_signal = NULL;
	type = HSA_QUEUE_TYPE_MULTI;
	doorbell.kind = AMD_SIGNAL_KIND_DOORBELL;
	doorbell.hardware_doorbell_ptr = doorbell_page;
	doorbell.queue_ptr = &aq;
	other.kind = AMD_SIGNAL_KIND_USER;
	core.version.minor = sizeof(core);
	core.fn[SHIM_HSA_QUEUE_CREATE] = queue_create;
	core.fn[SHIM_HSA_QUEUE_DESTROY] = queue_destroy;
	core.fn[SHIM_HSA_SIGNAL_CREATE] = signal_create;
	core.fn[SHIM_HSA_SIGNAL_DESTROY] = signal_destroy;
	core.fn[SHIM_HSA_QUEUE_CAS_WRITE_INDEX_SCACQ_SCREL] = cas_write_index;
	core.fn[SHIM_HSA_QUEUE_STORE_WRITE_INDEX_RELAXED] = store_write_index;
	core.fn[SHIM_HSA_QUEUE_STORE_WRITE_INDEX_SCRELEASE] = store_write_index;
	core.fn[SHIM_HSA_SIGNAL_STORE_RELAXED] = store;
	core.fn[SHIM_HSA_SIGNAL_STORE_SCRELEASE] = store;
	core.fn[SHIM_HSA_SIGNAL_SILENT_STORE_RELAXED] = store;
	core.fn[SHIM_HSA_SIGNAL_SILENT_STORE_SCRELEASE] = store;
	assert_true(OnLoad(&table, 1, 0, NULL));
	return 0;
}

static int teardown(void **state)
{
	OnUnload();
	return rig_teardown(state);
}

static hsa_queue_t *make_queue(void)
{
	hsa_queue_t *q;
	hsa_agent_t agent = { 1 };
	hsa_status_t (*create)(hsa_agent_t, uint32_t, hsa_queue_type32_t,
			       void (*)(hsa_status_t, hsa_queue_t *, void *), void *, uint32_t,
			       uint32_t, hsa_queue_t **) = core.fn[SHIM_HSA_QUEUE_CREATE];

	assert_int_equal(create(agent, PACKETS, type, NULL, NULL, 0, 0, &q), HSA_STATUS_SUCCESS);
	return q;
}

static void destroy_queue(hsa_queue_t *q)
{
	hsa_status_t (*destroy)(hsa_queue_t *) = core.fn[SHIM_HSA_QUEUE_DESTROY];

	assert_int_equal(destroy(q), HSA_STATUS_SUCCESS);
}

/* The application sends a packet and rings with one of the four stores. */
static void submit(enum shim_hsa_core place)
{
	void (*ring_it)(hsa_signal_t, hsa_signal_value_t) = core.fn[place];
	uint64_t index = add_write_index(&aq.hsa_queue, 1);

	ring_it(aq.hsa_queue.doorbell_signal, (hsa_signal_value_t)index);
}

/* The GPU fetches everything; what it has to run may go on. */
static void fetch(void)
{
	for (; aq.read_dispatch_id != aq.write_dispatch_id; aq.read_dispatch_id++)
		ring[aq.read_dispatch_id % PACKETS].header = HSA_PACKET_TYPE_INVALID;
}

/* What a producer of its own kind writes. */
static void write_dispatch(uint64_t index)
{
	hsa_barrier_and_packet_t *p = &ring[index % PACKETS];

	memset(p, 0, sizeof(*p));
	p->completion_signal.handle = (uintptr_t)&other;
	p->header = HSA_PACKET_TYPE_KERNEL_DISPATCH;
}

static bool is_busy(void)
{
	return shim_self.queues[queue_id].is_busy;
}

/* Place of a function in the table of the installed header. */
static int place_of(const char *name)
{
	FILE *f = fopen(HEADER, "re");
	char line[256], want[96];
	bool inside = false;
	int n = 0;

	if (!f)
		skip();
	snprintf(want, sizeof(want), "%s_fn;", name);
	while (fgets(line, sizeof(line), f)) {
		inside |= !!strstr(line, "struct CoreApiTable {");
		if (!inside || !strstr(line, "_fn;"))
			continue;
		if (strstr(line, want))
			break;
		n++;
	}
	fclose(f);
	return n;
}

static void places_are_those_of_the_header(void **state)
{
	assert_int_equal(place_of("hsa_queue_create"), SHIM_HSA_QUEUE_CREATE);
	assert_int_equal(place_of("hsa_queue_destroy"), SHIM_HSA_QUEUE_DESTROY);
	assert_int_equal(place_of("hsa_queue_cas_write_index_scacq_screl"),
			 SHIM_HSA_QUEUE_CAS_WRITE_INDEX_SCACQ_SCREL);
	assert_int_equal(place_of("hsa_queue_store_write_index_relaxed"),
			 SHIM_HSA_QUEUE_STORE_WRITE_INDEX_RELAXED);
	assert_int_equal(place_of("hsa_queue_store_write_index_screlease"),
			 SHIM_HSA_QUEUE_STORE_WRITE_INDEX_SCRELEASE);
	assert_int_equal(place_of(" hsa_memory_copy"), SHIM_HSA_MEMORY_COPY);
	assert_int_equal(place_of(" hsa_signal_create"), SHIM_HSA_SIGNAL_CREATE);
	assert_int_equal(place_of(" hsa_signal_destroy"), SHIM_HSA_SIGNAL_DESTROY);
	assert_int_equal(place_of(" hsa_signal_store_relaxed"), SHIM_HSA_SIGNAL_STORE_RELAXED);
	assert_int_equal(place_of("hsa_signal_store_screlease"), SHIM_HSA_SIGNAL_STORE_SCRELEASE);
	assert_int_equal(place_of("hsa_executable_load_code_object"),
			 SHIM_HSA_EXECUTABLE_LOAD_CODE_OBJECT);
	assert_int_equal(place_of("hsa_executable_freeze"), SHIM_HSA_EXECUTABLE_FREEZE);
	assert_int_equal(place_of("hsa_signal_silent_store_relaxed"),
			 SHIM_HSA_SIGNAL_SILENT_STORE_RELAXED);
	assert_int_equal(place_of("hsa_signal_silent_store_screlease"),
			 SHIM_HSA_SIGNAL_SILENT_STORE_SCRELEASE);
	assert_int_equal(place_of("hsa_executable_load_agent_code_object"),
			 SHIM_HSA_EXECUTABLE_LOAD_AGENT_CODE_OBJECT);
}

static void every_store_tells_of_the_first_ring(void **state)
{
	static const enum shim_hsa_core stores[] = {
		SHIM_HSA_SIGNAL_STORE_RELAXED,
		SHIM_HSA_SIGNAL_STORE_SCRELEASE,
		SHIM_HSA_SIGNAL_SILENT_STORE_RELAXED,
		SHIM_HSA_SIGNAL_SILENT_STORE_SCRELEASE,
	};
	hsa_queue_t *q;
	size_t i;

	rig_connect();
	for (i = 0; i < 4; i++) {
		q = make_queue();
		assert_false(is_busy());
		rig_drain();
		submit(stores[i]);
		assert_true(is_busy());
		assert_true(rig_has(WIRE_BUSY));
		submit(stores[i]);
		assert_false(rig_has(WIRE_BUSY));
		destroy_queue(q);
	}
	assert_int_equal(nr_rings, 8);
	assert_int_equal(nr_signals, 0);
}

static void other_signals_are_left_alone(void **state)
{
	void (*f)(hsa_signal_t, hsa_signal_value_t) = core.fn[SHIM_HSA_SIGNAL_STORE_RELAXED];
	hsa_queue_t *q;

	rig_connect();
	q = make_queue();
	f((hsa_signal_t){ (uintptr_t)&other }, 77);
	assert_int_equal(other.value, 77);
	assert_false(is_busy());
	destroy_queue(q);
}

static void barrier_packet_proves_idle(void **state)
{
	hsa_queue_t *q;

	rig_connect();
	q = make_queue();
	submit(SHIM_HSA_SIGNAL_STORE_SCRELEASE);
	fetch();
	rig_run(5 * MS);
	/* One packet, with the barrier bit, no fences, our signal. */
	assert_int_equal(aq.write_dispatch_id, 2);
	assert_int_equal(ring[1].header, HSA_PACKET_TYPE_BARRIER_AND | 1 << 8);
	assert_int_equal(ring[1].completion_signal.handle, (uintptr_t)barrier_signal);
	assert_int_equal(doorbell_page[0], 1);
	assert_int_equal(barrier_signal->value, 1);
	/* Pointers are equal and there are no waves, yet the kernel runs. */
	fetch();
	rig_run(200 * MS);
	assert_true(is_busy());
	assert_int_equal(aq.write_dispatch_id, 2);
	rig_drain();
	barrier_signal->value = 0;
	rig_run(10 * MS);
	assert_false(is_busy());
	assert_true(rig_has(WIRE_IDLE));
	/* Idle and seen: nothing is looked at any more. */
	assert_int_equal(shim_control_step(&shim_self), UINT64_MAX);
	submit(SHIM_HSA_SIGNAL_STORE_SCRELEASE);
	assert_true(is_busy());
	destroy_queue(q);
}

static void work_behind_the_barrier_is_not_idle(void **state)
{
	hsa_queue_t *q;

	rig_connect();
	q = make_queue();
	submit(SHIM_HSA_SIGNAL_STORE_SCRELEASE);
	rig_run(5 * MS);
	assert_int_equal(aq.write_dispatch_id, 2);
	submit(SHIM_HSA_SIGNAL_STORE_SCRELEASE);
	barrier_signal->value = 0;
	rig_run(200 * US);
	assert_true(is_busy());
	/* Another one, behind the work. */
	rig_run(5 * MS);
	assert_int_equal(aq.write_dispatch_id, 4);
	assert_true(is_busy());
	barrier_signal->value = 0;
	rig_run(10 * MS);
	assert_false(is_busy());
	destroy_queue(q);
}

/* It takes every place between our look at the ring and our packet. */
static void barrier_never_overwrites_what_was_not_read(void **state)
{
	hsa_queue_t *q;
	int i;

	rig_connect();
	q = make_queue();
	submit(SHIM_HSA_SIGNAL_STORE_SCRELEASE);
	fetch();
	for (i = 0; i < PACKETS; i++)
		ring[i].completion_signal.handle = i + 1;
	nr_overtaken = PACKETS;
	rig_run(2 * MS);
	assert_int_equal(nr_overtaken, 0);
	assert_int_equal(aq.write_dispatch_id, 1 + PACKETS);
	for (i = 0; i < PACKETS; i++)
		assert_int_equal(ring[i].completion_signal.handle, i + 1);
	/* Later there is room. */
	assert_true(is_busy());
	fetch();
	rig_run(20 * MS);
	assert_int_equal(aq.write_dispatch_id, 2 + PACKETS);
	barrier_signal->value = 0;
	rig_run(20 * MS);
	assert_false(is_busy());
	destroy_queue(q);
}

/* The queue becomes idle without a barrier. */
static void expect_idle_by_pointers(void)
{
	uint64_t before = aq.write_dispatch_id;

	fetch();
	rig.occupancy = 1;
	rig_run(20 * MS);
	assert_true(is_busy());
	rig.occupancy = 0;
	other.value = 0;
	rig_run(100 * MS);
	assert_false(is_busy());
	assert_int_equal(aq.write_dispatch_id, before);
}

/* A lock of its own, then load, write, store: legal for itself, and not with others. */
static void producer_that_stores_its_index_gets_no_barrier(void **state)
{
	void (*store_index)(const hsa_queue_t *, uint64_t) =
		core.fn[SHIM_HSA_QUEUE_STORE_WRITE_INDEX_RELAXED];
	void (*ring_it)(hsa_signal_t, hsa_signal_value_t) = core.fn[SHIM_HSA_SIGNAL_STORE_RELAXED];
	hsa_queue_t *q;

	rig_connect();
	q = make_queue();
	other.value = 1;
	write_dispatch(0);
	store_index(q, 1);
	ring_it(q->doorbell_signal, 0);
	assert_true(is_busy());
	rig_run(20 * MS);
	assert_int_equal(aq.write_dispatch_id, 1);
	expect_idle_by_pointers();
	destroy_queue(q);
}

/* The same without a call: its packet is there before its index. */
static void packet_ahead_of_its_index_is_left_alone(void **state)
{
	hsa_queue_t *q;

	rig_connect();
	q = make_queue();
	submit(SHIM_HSA_SIGNAL_STORE_SCRELEASE);
	fetch();
	other.value = 1;
	write_dispatch(1);
	rig_run(20 * MS);
	assert_int_equal(aq.write_dispatch_id, 1);
	assert_int_equal(ring[1].header, HSA_PACKET_TYPE_KERNEL_DISPATCH);
	store_write_index(q, 2);
	rig_run(20 * MS);
	assert_int_equal(aq.write_dispatch_id, 2);
	expect_idle_by_pointers();
	destroy_queue(q);
}

/* It had loaded the index before the barrier took it, and writes over the barrier. */
static void barrier_that_was_overwritten_is_given_up(void **state)
{
	hsa_queue_t *q;

	rig_connect();
	q = make_queue();
	submit(SHIM_HSA_SIGNAL_STORE_SCRELEASE);
	fetch();
	rig_run(5 * MS);
	assert_int_equal(aq.write_dispatch_id, 2);
	assert_int_equal(barrier_signal->value, 1);
	other.value = 1;
	write_dispatch(1);
	store_write_index(q, 2);
	expect_idle_by_pointers();
	/* It is not tried again. */
	submit(SHIM_HSA_SIGNAL_STORE_SCRELEASE);
	expect_idle_by_pointers();
	destroy_queue(q);
}

/* As before, but the producer had room for a whole ring before anything was looked at. */
static void barrier_lost_a_ring_ago_is_given_up(void **state)
{
	hsa_queue_t *q;
	int i;

	rig_connect();
	q = make_queue();
	submit(SHIM_HSA_SIGNAL_STORE_SCRELEASE);
	fetch();
	rig_run(5 * MS);
	assert_int_equal(aq.write_dispatch_id, 2);
	for (i = 1; i <= PACKETS + 1; i++) {
		write_dispatch(i);
		store_write_index(q, i + 1);
		fetch();
	}
	expect_idle_by_pointers();
	destroy_queue(q);
}

static void nothing_is_put_into_some_queues(void **state)
{
	hsa_queue_t *q;

	rig_connect();
	/* One producer only: pointers must do. */
	type = HSA_QUEUE_TYPE_SINGLE;
	q = make_queue();
	submit(SHIM_HSA_SIGNAL_STORE_SCRELEASE);
	rig_run(20 * MS);
	assert_int_equal(aq.write_dispatch_id, 1);
	assert_true(is_busy());
	fetch();
	rig.occupancy = 1;
	rig_run(20 * MS);
	rig.occupancy = 0;
	rig_run(70 * MS);
	assert_false(is_busy());
	destroy_queue(q);
	/* Half full. */
	type = HSA_QUEUE_TYPE_MULTI;
	q = make_queue();
	aq.write_dispatch_id += PACKETS / 2;
	submit(SHIM_HSA_SIGNAL_STORE_SCRELEASE);
	rig_run(20 * MS);
	assert_int_equal(aq.write_dispatch_id, 1 + PACKETS / 2 + 1);
	destroy_queue(q);
}

static void nothing_is_put_into_a_stopped_queue(void **state)
{
	hsa_queue_t *q;

	rig_connect();
	q = make_queue();
	submit(SHIM_HSA_SIGNAL_STORE_SCRELEASE);
	rig_order(WIRE_HOLD, 1, WIRE_QUEUE_ALL);
	rig_run(100 * MS);
	assert_int_equal(rig.queues[queue_id].percentage, 0);
	assert_int_equal(aq.write_dispatch_id, 1);
	rig_order(WIRE_RELEASE, 2, WIRE_QUEUE_ALL);
	rig_run(5 * MS);
	assert_int_equal(aq.write_dispatch_id, 2);
	destroy_queue(q);
}

/* A profiler shows a queue of its own with an ordinary signal as doorbell. */
static void queue_of_a_profiler_is_watched(void **state)
{
	hsa_queue_t *q;

	doorbell.kind = AMD_SIGNAL_KIND_USER;
	rig_connect();
	q = make_queue();
	assert_true(shim_self.sees & WIRE_SEES_NOT_PROXY);
	assert_true(shim_self.queues[queue_id].is_watched);
	add_write_index(q, 1);
	rig_run(200 * MS);
	assert_true(is_busy());
	destroy_queue(q);
}

/* ROCr frees its memory whatever the driver says; a read of ours must not end the program. */
static void memory_of_a_queue_that_stays_is_not_trusted(void **state)
{
	hsa_status_t (*destroy)(hsa_queue_t *) = core.fn[SHIM_HSA_QUEUE_DESTROY];

	make_queue();
	assert_false(shim_self.queues[queue_id].is_watched);
	rig.destroy_error = EINVAL;
	assert_int_equal(destroy(&aq.hsa_queue), HSA_STATUS_ERROR);
	assert_true(shim_self.queues[queue_id].used);
	assert_true(shim_self.queues[queue_id].is_watched);
}

static void end_of_rocr_leaves_nothing_behind(void **state)
{
	rig_connect();
	make_queue();
	submit(SHIM_HSA_SIGNAL_STORE_SCRELEASE);
	rig_run(5 * MS);
	assert_int_equal(aq.write_dispatch_id, 2);
	OnUnload();
	submit(SHIM_HSA_SIGNAL_STORE_SCRELEASE);
	rig_run(50 * MS);
	assert_int_equal(aq.write_dispatch_id, 3);
	assert_false(shim_self.sees & WIRE_SEES_TABLE);
	free(barrier_signal);
}

static bool is_over;

/* What is shown is a profiler's queue, again and again. */
static void *attach_often(void *arg)
{
	const struct shim_hsa_calls none = {};

	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
		shim_hsa_queue_attach(&shim_self, &aq.hsa_queue, (hsa_agent_t){ 1 }, &none);
	return arg;
}

/* Both set a bit of the same word; one has a lock, the other is called by ROCr without. */
static void two_threads_that_learn_lose_nothing(void **state)
{
	pthread_t thread;
	int i, lost = 0;

	doorbell.kind = AMD_SIGNAL_KIND_USER;
	aq.hsa_queue.doorbell_signal.handle = (uintptr_t)&doorbell;
	is_over = false;
	assert_int_equal(pthread_create(&thread, NULL, attach_often, NULL), 0);
	for (i = 0; i < NR_ROUNDS; i++) {
		OnUnload();
		core.fn[SHIM_HSA_QUEUE_CREATE] = queue_create;
		assert_true(OnLoad(&table, 1, 0, NULL));
		lost += !(shim_self.sees & WIRE_SEES_TABLE);
	}
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	assert_int_equal(lost, 0);
}

static void strange_table_is_left_alone(void **state)
{
	struct shim_hsa_core_table small = { .version.minor = 64 };
	struct shim_hsa_table t = { .core = &small };

	small.fn[SHIM_HSA_QUEUE_CREATE] = queue_create;
	assert_true(OnLoad(&t, 1, 0, NULL));
	assert_ptr_equal(small.fn[SHIM_HSA_QUEUE_CREATE], queue_create);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(places_are_those_of_the_header),
		T(every_store_tells_of_the_first_ring),
		T(other_signals_are_left_alone),
		T(barrier_packet_proves_idle),
		T(work_behind_the_barrier_is_not_idle),
		T(barrier_never_overwrites_what_was_not_read),
		T(producer_that_stores_its_index_gets_no_barrier),
		T(packet_ahead_of_its_index_is_left_alone),
		T(barrier_that_was_overwritten_is_given_up),
		T(barrier_lost_a_ring_ago_is_given_up),
		T(nothing_is_put_into_some_queues),
		T(nothing_is_put_into_a_stopped_queue),
		T(queue_of_a_profiler_is_watched),
		T(memory_of_a_queue_that_stays_is_not_trusted),
		T(end_of_rocr_leaves_nothing_behind),
		T(two_threads_that_learn_lose_nothing),
		T(strange_table_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
