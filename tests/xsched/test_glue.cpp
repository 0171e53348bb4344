// SPDX-License-Identifier: MIT
/*
 * xsched/hip_queue_gpreempt.cpp between a made-up XSched, which calls in the order of the real
 * one, and a made-up libgpreempt, which writes down what it is told.
 */
#include "gpreempt/gpreempt.h"
#include "xsched/hip/hal/hip_queue.h"

#include <cerrno>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <thread>

extern "C" {
#include <cmocka.h>
}

using xsched::preempt::CommandLog;
using xsched::preempt::HwQueue;

extern "C" XResult HipQueueCreate(HwQueueHandle *hwq, hipStream_t stream);

/* What happens, in order: [ held, ] released, S a stream was waited for. */
static std::string said;
static int hold_result;
static int depth;
static std::map<HwQueueHandle, std::shared_ptr<HwQueue>> queues;

int gpreempt_self_hold(unsigned int flags)
{
	said += flags ? '?' : '[';
	return hold_result ? hold_result : ++depth;
}

int gpreempt_self_release(void)
{
	said += ']';
	return depth ? --depth : -EINVAL;
}

void xsched::hip::HipQueue::Synchronize()
{
	said += 'S';
}

XResult xsched::preempt::HwQueueManager::Add(HwQueueHandle handle,
					     std::function<std::shared_ptr<HwQueue>()> create)
{
	queues[handle] = create();
	return kXSchedSuccess;
}

static hipStream_t stream_of(uintptr_t number)
{
	return reinterpret_cast<hipStream_t>(number * 16);
}

/* What makes, suspends and resumes a queue of XSched. */
static HwQueue *create(uintptr_t number, XPreemptLevel level)
{
	HwQueueHandle handle = 0;

	assert_int_equal(HipQueueCreate(&handle, stream_of(number)), kXSchedSuccess);
	assert_int_equal(handle, number * 16);
	HwQueue *q = queues[handle].get();

	assert_int_equal(q->GetHandle(), handle);
	q->OnPreemptLevelChange(level);
	return q;
}

static void suspend(HwQueue *q, XPreemptLevel level, bool is_synchronous)
{
	if (level >= kPreemptLevelDeactivate)
		q->Deactivate();
	if (level >= kPreemptLevelInterrupt)
		q->Interrupt();
	if (is_synchronous)
		q->Synchronize();
}

static void resume(HwQueue *q, XPreemptLevel level)
{
	const CommandLog log;

	if (level >= kPreemptLevelInterrupt)
		q->Restore(log);
	if (level >= kPreemptLevelDeactivate)
		q->Reactivate(log);
}

static int begin(void **)
{
	queues.clear();
	said.clear();
	hold_result = 0;
	depth = 0;
	return 0;
}

static void it_is_a_queue_of_level_3(void **)
{
	HwQueue *q = create(1, kPreemptLevelBlock);
	HwQueueHandle handle;

	assert_true(q->SupportDynamicLevel());
	assert_int_equal(q->GetMaxSupportedLevel(), kPreemptLevelInterrupt);
	assert_int_equal(HipQueueCreate(nullptr, stream_of(1)), kXSchedErrorInvalidValue);
	assert_int_equal(HipQueueCreate(&handle, nullptr), kXSchedErrorNotSupported);
}

static void suspending_holds_and_resuming_releases(void **)
{
	HwQueue *q = create(1, kPreemptLevelInterrupt);

	for (int i = 0; i < 3; i++) {
		suspend(q, kPreemptLevelInterrupt, false);
		assert_int_equal(depth, 1);
		resume(q, kPreemptLevelInterrupt);
		assert_int_equal(depth, 0);
	}
	assert_string_equal(said.c_str(), "[][][]");
}

static void lower_levels_hold_nothing(void **)
{
	for (int level = kPreemptLevelBlock; level <= kPreemptLevelDeactivate; level++) {
		HwQueue *q = create(1, static_cast<XPreemptLevel>(level));

		suspend(q, static_cast<XPreemptLevel>(level), true);
		resume(q, static_cast<XPreemptLevel>(level));
	}
	assert_string_equal(said.c_str(), "SS");
	/* Nor does it matter to those of level 3. */
	suspend(create(2, kPreemptLevelInterrupt), kPreemptLevelInterrupt, false);
	assert_string_equal(said.c_str(), "SS[");
}

static void a_stream_that_may_run_keeps_the_process_running(void **)
{
	HwQueue *a = create(1, kPreemptLevelInterrupt);
	HwQueue *b = create(2, kPreemptLevelInterrupt);

	suspend(a, kPreemptLevelInterrupt, false);
	assert_string_equal(said.c_str(), "");
	suspend(b, kPreemptLevelInterrupt, false);
	assert_string_equal(said.c_str(), "[");
	resume(a, kPreemptLevelInterrupt);
	assert_string_equal(said.c_str(), "[]");
	resume(b, kPreemptLevelInterrupt);
	suspend(b, kPreemptLevelInterrupt, false);
	assert_string_equal(said.c_str(), "[]");
	suspend(a, kPreemptLevelInterrupt, false);
	/* A new stream may run at once. */
	create(3, kPreemptLevelInterrupt);
	assert_string_equal(said.c_str(), "[][]");
}

static void a_queue_that_ends_is_not_counted(void **)
{
	HwQueue *a = create(1, kPreemptLevelInterrupt);

	create(2, kPreemptLevelInterrupt);
	suspend(a, kPreemptLevelInterrupt, false);
	queues.erase(32);
	assert_string_equal(said.c_str(), "[");
	queues.erase(16);
	assert_string_equal(said.c_str(), "[]");
	assert_int_equal(depth, 0);
}

/* What XSched does with a queue, in its order. */
static void step(HwQueue *q, int number)
{
	const CommandLog log;

	switch (number) {
	case 0:
		q->Deactivate();
		break;
	case 1:
		q->Interrupt();
		break;
	case 2:
		q->Restore(log);
		break;
	default:
		q->Reactivate(log);
	}
}

/* Deactivate, Interrupt, Restore, Reactivate: it ends after none of them, after one, ... */
static void a_queue_that_ends_in_any_state_holds_nothing(void **)
{
	static const char *const expected[] = { "", "", "[]", "[]", "[]" };
	static const int held[] = { 0, 0, 1, 0, 0 };

	for (int steps = 0; steps <= 4; steps++) {
		HwQueue *q = create(1, kPreemptLevelInterrupt);

		said.clear();
		for (int i = 0; i < steps; i++)
			step(q, i);
		assert_int_equal(depth, held[steps]);
		queues.clear();
		assert_int_equal(depth, 0);
		assert_string_equal(said.c_str(), expected[steps]);
	}
	/* The counters are as before: the next one is held and released. */
	HwQueue *q = create(1, kPreemptLevelInterrupt);

	said.clear();
	suspend(q, kPreemptLevelInterrupt, false);
	resume(q, kPreemptLevelInterrupt);
	assert_string_equal(said.c_str(), "[]");
}

/* One of two ends in each state while the other is interrupted: what is left decides. */
static void a_queue_that_ends_leaves_the_other_as_it_is(void **)
{
	for (int steps = 0; steps <= 4; steps++) {
		HwQueue *a = create(1, kPreemptLevelInterrupt);
		HwQueue *b = create(2, kPreemptLevelInterrupt);

		suspend(a, kPreemptLevelInterrupt, false);
		for (int i = 0; i < steps; i++)
			step(b, i);
		assert_int_equal(depth, steps == 2);
		queues.erase(32);
		/* Only the other is left, and it is interrupted. */
		assert_int_equal(depth, 1);
		resume(a, kPreemptLevelInterrupt);
		assert_int_equal(depth, 0);
		queues.clear();
	}
}

static void a_lower_level_lets_go(void **)
{
	HwQueue *q = create(1, kPreemptLevelInterrupt);

	suspend(q, kPreemptLevelInterrupt, false);
	q->OnPreemptLevelChange(kPreemptLevelBlock);
	assert_string_equal(said.c_str(), "[]");
	resume(q, kPreemptLevelInterrupt);
	assert_string_equal(said.c_str(), "[]");
}

static void what_cannot_be_held_is_not_released(void **)
{
	HwQueue *q = create(1, kPreemptLevelInterrupt);

	hold_result = -EOPNOTSUPP;
	suspend(q, kPreemptLevelInterrupt, false);
	resume(q, kPreemptLevelInterrupt);
	assert_string_equal(said.c_str(), "[");
	hold_result = 0;
	suspend(q, kPreemptLevelInterrupt, false);
	resume(q, kPreemptLevelInterrupt);
	assert_string_equal(said.c_str(), "[[]");
}

static void only_the_interrupter_does_not_wait(void **)
{
	HwQueue *q = create(1, kPreemptLevelInterrupt);

	suspend(q, kPreemptLevelInterrupt, true);
	assert_string_equal(said.c_str(), "[");
	std::thread([q] { q->Synchronize(); }).join();
	assert_string_equal(said.c_str(), "[S");
	resume(q, kPreemptLevelInterrupt);
	q->Synchronize();
	assert_string_equal(said.c_str(), "[S]S");
}

/* It returns also where nothing is held: what was launched may still run, and no more is said. */
static void the_interrupter_does_not_wait_for_what_is_not_held(void **)
{
	HwQueue *a = create(1, kPreemptLevelInterrupt);

	create(2, kPreemptLevelInterrupt);
	suspend(a, kPreemptLevelInterrupt, true);
	assert_string_equal(said.c_str(), "");
	queues.erase(32);
	assert_string_equal(said.c_str(), "[");
	resume(a, kPreemptLevelInterrupt);
	hold_result = -EOPNOTSUPP;
	suspend(a, kPreemptLevelInterrupt, true);
	assert_string_equal(said.c_str(), "[][");
}

/* XSched's scheduler suspends, while the program resumes from its own threads. */
static void threads_do_not_disturb_the_count(void **)
{
	HwQueue *q = create(1, kPreemptLevelInterrupt);
	std::thread other([q] {
		for (int i = 0; i < 1000000; i++)
			resume(q, kPreemptLevelInterrupt);
	});

	for (int i = 0; i < 1000000; i++)
		suspend(q, kPreemptLevelInterrupt, false);
	other.join();
	resume(q, kPreemptLevelInterrupt);
	assert_int_equal(depth, 0);
	/* The counters are as before. */
	said.clear();
	suspend(q, kPreemptLevelInterrupt, true);
	resume(q, kPreemptLevelInterrupt);
	assert_string_equal(said.c_str(), "[]");
}

int main()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_is_a_queue_of_level_3, begin),
		cmocka_unit_test_setup(suspending_holds_and_resuming_releases, begin),
		cmocka_unit_test_setup(lower_levels_hold_nothing, begin),
		cmocka_unit_test_setup(a_stream_that_may_run_keeps_the_process_running, begin),
		cmocka_unit_test_setup(a_queue_that_ends_is_not_counted, begin),
		cmocka_unit_test_setup(a_queue_that_ends_in_any_state_holds_nothing, begin),
		cmocka_unit_test_setup(a_queue_that_ends_leaves_the_other_as_it_is, begin),
		cmocka_unit_test_setup(a_lower_level_lets_go, begin),
		cmocka_unit_test_setup(what_cannot_be_held_is_not_released, begin),
		cmocka_unit_test_setup(only_the_interrupter_does_not_wait, begin),
		cmocka_unit_test_setup(the_interrupter_does_not_wait_for_what_is_not_held, begin),
		cmocka_unit_test_setup(threads_do_not_disturb_the_count, begin),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
