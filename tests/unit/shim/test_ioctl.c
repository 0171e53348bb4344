// SPDX-License-Identifier: MIT
/*
 * The application's ioctls: the table of queues, and a hold that stays one whatever
 * the application says.
 */
#include "rig.h"

#include <errno.h>
#include <sys/mman.h>

#include "client/shim/shim_part.h"
#include "client/shim/shim_queue.h"

static struct shim_queue *find(uint32_t id)
{
	return shim_queue_find(&shim_self, id);
}

static void hold_all(uint64_t epoch)
{
	rig_order(WIRE_HOLD, epoch, WIRE_QUEUE_ALL);
}

static void release_all(uint64_t epoch)
{
	rig_order(WIRE_RELEASE, epoch, WIRE_QUEUE_ALL);
}

static void queues_come_and_go(void **state)
{
	uint32_t a = rig_create(), b = rig_create_on(7, DRV_KFD_QUEUE_SDMA);

	assert_non_null(find(a));
	assert_int_equal(find(a)->gpu_id, RIG_GPU);
	assert_int_equal(find(b)->gpu_id, 7);
	assert_false(drv_kfd_is_compute(find(b)->type));
	assert_int_equal(rig_destroy(a), 0);
	assert_null(find(a));
	assert_non_null(find(b));
	assert_int_equal(rig_destroy(a), -1);
	assert_int_equal(errno, EINVAL);
	assert_null(find(5000));
}

static void errno_is_the_applications(void **state)
{
	uint32_t id = rig_create();

	errno = ENOTTY;
	assert_int_equal(rig_update(id, 100, 3), 0);
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(rig_update(id, 101, 3), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(rig_update(id, 100, 16), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(find(id)->wish.queue_priority, 3);
}

/* The driver's answer, not a crash of ours. */
static void bad_pointer_is_the_drivers_to_refuse(void **state)
{
	static const unsigned long calls[] = {
		AMDKFD_IOC_CREATE_QUEUE, AMDKFD_IOC_DESTROY_QUEUE, AMDKFD_IOC_UPDATE_QUEUE,
		DRV_KFD_IOC_RUNTIME_ENABLE, DRV_KFD_IOC_DBG_TRAP,
	};
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		assert_int_equal(shim_ioctl_call(&shim_self, 3, calls[i], (void *)16), -1);
		assert_int_equal(errno, EFAULT);
	}
}

/* What the driver could not write, the shim must not either; the caller sees no change. */
static void read_only_arguments_are_no_crash(void **state)
{
	struct kfd_ioctl_create_queue_args *a = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t first = rig_create();

	assert_ptr_not_equal(a, MAP_FAILED);
	rig_connect();
	rig_ring(first);
	a->ring_size = 4096;
	a->gpu_id = RIG_GPU;
	a->queue_type = DRV_KFD_QUEUE_AQL;
	a->queue_percentage = 100;
	assert_int_equal(mprotect(a, 4096, PROT_READ), 0);
	assert_int_equal(shim_ioctl_call(&shim_self, 3, AMDKFD_IOC_CREATE_QUEUE, a), -1);
	assert_int_equal(errno, EFAULT);
	/* On a held node the driver gets other arguments than the caller's. */
	hold_all(1);
	assert_int_equal(shim_ioctl_call(&shim_self, 3, AMDKFD_IOC_CREATE_QUEUE, a), -1);
	assert_int_equal(errno, EFAULT);
	munmap(a, 4096);
}

static void other_sizes_of_a_call_are_known(void **state)
{
	struct {
		struct kfd_ioctl_create_queue_args args;
		uint64_t more[4];
	} a = { .args = { .ring_size = 4096, .gpu_id = RIG_GPU, .queue_type = DRV_KFD_QUEUE_AQL,
			  .ring_base_address = 1 << 20, .queue_percentage = 100 } };
	unsigned long longer = _IOWR(AMDKFD_IOCTL_BASE, _IOC_NR(AMDKFD_IOC_CREATE_QUEUE), a);
	unsigned long shorter =
		_IOWR(AMDKFD_IOCTL_BASE, _IOC_NR(AMDKFD_IOC_CREATE_QUEUE), uint8_t[16]);

	assert_true(shim_ioctl_is_ours(longer));
	assert_int_equal(shim_ioctl_call(&shim_self, 3, longer, &a), 0);
	assert_non_null(find(a.args.queue_id));
	/* Less than the fields we need: the driver's alone. */
	assert_int_equal(shim_ioctl_call(&shim_self, 3, shorter, &a), 0);
	assert_int_equal(shim_self.nr_queues, 1);
}

static void console_calls_are_not_ours(void **state)
{
	assert_false(shim_ioctl_is_ours(0x4b02)); /* same type and number, no size */
	assert_false(shim_ioctl_is_ours(0x5401));
	assert_false(shim_ioctl_is_ours(_IOWR('K', 0x16, uint64_t)));
}

static void redundant_updates_do_not_reach_the_driver(void **state)
{
	uint32_t id = rig_create(), before = rig.nr_calls;

	assert_int_equal(rig_update(id, 100, 7), 0);
	assert_int_equal(rig_update(id, 100, 7), 0);
	assert_int_equal(rig.nr_calls, before);
	/* Control: what differs does. */
	assert_int_equal(rig_update(id, 0, 7), 0);
	assert_int_equal(rig_update(id, 100, 7), 0);
	assert_int_equal(rig.nr_calls, before + 2);
}

static void pair_of_a_busy_queue_costs_two_cycles(void **state)
{
	struct wire_done done;
	uint32_t id = rig_create(), before;

	rig_connect();
	rig_ring(id);
	before = rig.nr_cycles;
	hold_all(1);
	assert_int_equal(rig.queues[id].percentage, 0);
	assert_true(rig_expect(WIRE_DONE, &done, sizeof(done)));
	assert_int_equal(done.result, WIRE_OK);
	assert_int_equal(done.nr_cycles, 1);
	assert_int_equal(done.nr_queues, 1);
	hold_all(2);
	assert_int_equal(rig.nr_cycles, before + 1);
	release_all(3);
	assert_int_equal(rig.queues[id].percentage, 100);
	assert_int_equal(rig.queues[id].prio, 7);
	assert_int_equal(rig.queues[id].ring_addr, 0x100000);
	release_all(4);
	assert_int_equal(rig.nr_cycles, before + 2);
}

static void applications_update_does_not_end_a_hold(void **state)
{
	uint32_t id = rig_create(), before;

	rig_connect();
	rig_ring(id);
	hold_all(1);
	before = rig.nr_calls;
	assert_int_equal(rig_update(id, 100, 15), 0);
	assert_int_equal(rig_update(id, 0, 15), 0);
	assert_int_equal(rig_update(id, 100, 15), 0);
	assert_int_equal(rig.queues[id].percentage, 0);
	/* 15 instead of 7 with percentage 0: the wish for 0 is the application's own. */
	assert_true(rig.nr_calls <= before + 1);
	release_all(2);
	assert_int_equal(rig.queues[id].percentage, 100);
	assert_int_equal(rig.queues[id].prio, 15);
}

static void applications_own_stop_survives_a_release(void **state)
{
	uint32_t id = rig_create();

	rig_connect();
	rig_ring(id);
	hold_all(1);
	assert_int_equal(rig_update(id, 0, 7), 0);
	release_all(2);
	assert_int_equal(rig.queues[id].percentage, 0);
	assert_int_equal(rig_update(id, 50, 7), 0);
	assert_int_equal(rig.queues[id].percentage, 50);
}

static void xcc_bits_are_kept(void **state)
{
	uint32_t id = rig_create();

	rig_connect();
	assert_int_equal(rig_update(id, 0x300 | 80, 7), 0);
	rig_ring(id);
	hold_all(1);
	assert_int_equal(rig.queues[id].percentage, 0x300);
	release_all(2);
	assert_int_equal(rig.queues[id].percentage, 0x300 | 80);
}

static void refused_wish_changes_nothing(void **state)
{
	uint32_t id = rig_create();

	rig.update_error = EACCES;
	assert_int_equal(rig_update(id, 20, 7), -1);
	assert_int_equal(errno, EACCES);
	rig.update_error = 0;
	assert_int_equal(find(id)->wish.queue_percentage, 100);
}

static void queue_of_a_held_node_is_born_paused(void **state)
{
	uint32_t first = rig_create(), before, id, sdma, other;

	rig_connect();
	rig_ring(first);
	hold_all(1);
	before = rig.nr_cycles;
	id = rig_create();
	assert_int_equal(rig.queues[id].percentage, 0);
	assert_int_equal(rig.nr_cycles, before);
	rig_ring(id);
	rig_step();
	assert_int_equal(rig.nr_cycles, before);
	/* Control: not on another node, and not a copy engine. */
	other = rig_create_on(99, DRV_KFD_QUEUE_AQL);
	sdma = rig_create_on(RIG_GPU, DRV_KFD_QUEUE_SDMA);
	assert_int_equal(rig.queues[other].percentage, 100);
	assert_int_equal(rig.queues[sdma].percentage, 100);
	release_all(2);
	assert_int_equal(rig.queues[id].percentage, 100);
	assert_int_equal(rig.queues[first].percentage, 100);
}

static void held_queue_can_be_destroyed(void **state)
{
	uint32_t id = rig_create(), again;

	rig_connect();
	rig_ring(id);
	hold_all(1);
	assert_int_equal(rig_destroy(id), 0);
	release_all(2);
	/* The number is given again: nothing of the old queue sticks to it. */
	again = rig_create();
	assert_int_equal(again, id);
	assert_int_equal(rig.queues[again].percentage, 100);
	assert_false(find(again)->is_busy);
}

/* pqm_destroy_queue() of 6.12 */
static void queue_can_be_gone_after_an_error(void **state)
{
	static const struct {
		int error;
		bool is_gone;
	} cases[] = { { ETIME, true }, { EIO, true }, { ERESTART, false }, { EINVAL, false } };
	uint32_t id;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		id = rig_create();
		rig.destroy_error = cases[i].error;
		assert_int_equal(rig_destroy(id), -1);
		assert_int_equal(errno, cases[i].error);
		assert_int_equal(!shim_queue_find(&shim_self, id), cases[i].is_gone);
	}
}

static void sdma_is_never_held(void **state)
{
	uint32_t sdma = rig_create_on(RIG_GPU, DRV_KFD_QUEUE_SDMA);

	rig_connect();
	hold_all(1);
	rig_write(sdma);
	rig_run(50 * MS);
	assert_int_equal(rig.queues[sdma].percentage, 100);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
		T(queues_come_and_go),
		T(errno_is_the_applications),
		T(bad_pointer_is_the_drivers_to_refuse),
		T(read_only_arguments_are_no_crash),
		T(other_sizes_of_a_call_are_known),
		T(console_calls_are_not_ours),
		T(redundant_updates_do_not_reach_the_driver),
		T(pair_of_a_busy_queue_costs_two_cycles),
		T(applications_update_does_not_end_a_hold),
		T(applications_own_stop_survives_a_release),
		T(xcc_bits_are_kept),
		T(refused_wish_changes_nothing),
		T(queue_of_a_held_node_is_born_paused),
		T(held_queue_can_be_destroyed),
		T(queue_can_be_gone_after_an_error),
		T(sdma_is_never_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
