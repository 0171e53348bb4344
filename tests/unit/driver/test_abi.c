// SPDX-License-Identifier: MIT
/*
 * The ABI of the module is what it was: each member is where programs look for it, and each
 * number that the core gives means what the header says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/sched.h"
#include "rules/right.h"
#include "uapi/linux/gpreempt.h"

#define SAME(core, abi) assert_int_equal((int)GP_##core, (int)GPREEMPT_##abi)
#define AT(type, member, offset) \
	assert_int_equal(offsetof(struct gpreempt_##type, member), offset)

static void numbers_of_the_core(void **state)
{
	SAME(ENTITY_IDLE, STATE_IDLE);
	SAME(ENTITY_WAITING, STATE_WAITING);
	SAME(ENTITY_RUNNING, STATE_RUNNING);
	SAME(ENTITY_PREEMPTING, STATE_PREEMPTING);
	SAME(ENTITY_PREEMPTED, STATE_PREEMPTED);
	SAME(ENTITY_RESUMING, STATE_RESUMING);
	SAME(ENTITY_LOST, STATE_LOST);
	SAME(BREAKER_CLOSED, BREAKER_CLOSED);
	SAME(BREAKER_OPEN, BREAKER_OPEN);
	SAME(BREAKER_PROBATION, BREAKER_PROBATION);
	SAME(BREAKER_DEAD, BREAKER_DEAD);
	SAME(REPORT_SWITCH_DEADLINE, REPORT_SWITCH_DEADLINE);
	SAME(REPORT_SWITCH_ERROR, REPORT_SWITCH_ERROR);
	SAME(REPORT_BREAKER_OPEN, REPORT_BREAKER_OPEN);
	SAME(REPORT_BREAKER_PROBATION, REPORT_BREAKER_PROBATION);
	SAME(REPORT_BREAKER_CLOSED, REPORT_BREAKER_CLOSED);
	SAME(REPORT_STARVATION, REPORT_STARVATION);
	SAME(REPORT_RATE_LIMIT, REPORT_RATE_LIMIT);
	SAME(REPORT_ENTITY_LOST, REPORT_ENTITY_LOST);
	SAME(REPORT_NODE_LOST, REPORT_NODE_LOST);
	SAME(REPORT_NODE_BACK, REPORT_NODE_BACK);
	SAME(ATTR_PRIO, ATTR_F_PRIO);
	SAME(ATTR_WEIGHT, ATTR_F_WEIGHT);
	SAME(ATTR_SLICE, ATTR_F_SLICE);
	SAME(ATTR_DEADLINE, ATTR_F_DEADLINE);
	SAME(ATTR_LATENCY_CRITICAL, ATTR_F_LATENCY_CRITICAL);
	SAME(ATTR_NO_PREEMPT, ATTR_F_NO_PREEMPT);
	/* A new value of the core needs a number in the ABI. */
	assert_int_equal(GP_ENTITY_STATE_COUNT, GPREEMPT_STATE_LOST + 1);
	assert_int_equal(GP_BREAKER_STATE_COUNT, GPREEMPT_BREAKER_DEAD + 1);
	assert_int_equal(GP_REPORT_COUNT, GPREEMPT_REPORT_NODE_BACK + 1);
}

static void members_of_caps(void **state)
{
	AT(ioc_caps, size, 0);
	AT(ioc_caps, version, 4);
	AT(ioc_caps, caps, 8);
	AT(ioc_caps, nr_nodes, 16);
	AT(ioc_caps, reserved, 20);
	AT(ioc_caps, gpu_ids, 24);
	AT(ioc_caps, node_caps, 280);
}

static void members_of_attr(void **state)
{
	AT(ioc_attr, size, 0);
	AT(ioc_attr, pidfd, 4);
	AT(ioc_attr, flags, 8);
	AT(ioc_attr, valid, 12);
	AT(ioc_attr, prio, 16);
	AT(ioc_attr, weight, 20);
	AT(ioc_attr, latency_critical, 24);
	AT(ioc_attr, no_preempt, 25);
	AT(ioc_attr, detect, 26);
	AT(ioc_attr, reserved, 27);
	AT(ioc_attr, slice_ns, 32);
	AT(ioc_attr, deadline_ns, 40);
	AT(ioc_attr, group, 48);
}

static void members_of_queue(void **state)
{
	AT(ioc_queue, pid, 0);
	AT(ioc_queue, gpu_id, 4);
	AT(ioc_queue, queue_id, 8);
	AT(ioc_queue, flags, 12);
	AT(ioc_queue, state, 16);
	AT(ioc_queue, prio, 20);
	AT(ioc_queue, pending, 24);
	AT(ioc_queue, ring_bytes, 32);
	AT(ioc_queue, reserved, 36);
	AT(ioc_queue, rptr_addr, 40);
	AT(ioc_queue, wptr_addr, 48);
	AT(ioc_queue, nr_preempted, 56);
	AT(ioc_queue, run_ns, 64);
	AT(ioc_queue, off_ns, 72);
	AT(ioc_queue, off_max_ns, 80);
}

static void members_of_list(void **state)
{
	AT(ioc_list, size, 0);
	AT(ioc_list, gpu_id, 4);
	AT(ioc_list, queues, 8);
	AT(ioc_list, nr, 16);
	AT(ioc_list, entry_size, 20);
}

static void members_of_ref(void **state)
{
	AT(ioc_ref, pidfd, 0);
	AT(ioc_ref, queue_id, 4);
	AT(ioc_ref, gpu_id, 8);
	AT(ioc_ref, result, 12);
}

static void members_of_switch(void **state)
{
	AT(ioc_switch, size, 0);
	AT(ioc_switch, gpu_id, 4);
	AT(ioc_switch, refs, 8);
	AT(ioc_switch, nr_out, 16);
	AT(ioc_switch, nr_in, 20);
	AT(ioc_switch, lease_ms, 24);
	AT(ioc_switch, grace, 28);
	AT(ioc_switch, ref_size, 32);
	AT(ioc_switch, reserved, 36);
}

static void members_of_policy(void **state)
{
	AT(ioc_policy, size, 0);
	AT(ioc_policy, gpu_id, 4);
	AT(ioc_policy, valid, 8);
	AT(ioc_policy, enabled, 12);
	AT(ioc_policy, policy, 16);
	AT(ioc_policy, param, 48);
	AT(ioc_policy, value, 80);
}

static void members_of_trigger(void **state)
{
	AT(ioc_trigger, size, 0);
	AT(ioc_trigger, gpu_id, 4);
	AT(ioc_trigger, pidfd, 8);
	AT(ioc_trigger, reserved, 12);
}

static void members_of_stats(void **state)
{
	AT(ioc_stats, size, 0);
	AT(ioc_stats, gpu_id, 4);
	AT(ioc_stats, breaker, 8);
	AT(ioc_stats, breaker_reason, 12);
	AT(ioc_stats, nr_events, 16);
	AT(ioc_stats, nr_switches, 24);
	AT(ioc_stats, nr_preemptions, 32);
	AT(ioc_stats, nr_resumes, 40);
	AT(ioc_stats, nr_failed, 48);
	AT(ioc_stats, nr_deadline, 56);
	AT(ioc_stats, nr_starvation, 64);
	AT(ioc_stats, nr_wakeups, 72);
	AT(ioc_stats, nr_timer_wakeups, 80);
	AT(ioc_stats, nr_faults, 88);
	AT(ioc_stats, cost_ns, 96);
	AT(ioc_stats, off_max_ns, 104);
	AT(ioc_stats, switch_p50_ns, 112);
	AT(ioc_stats, switch_p99_ns, 120);
	AT(ioc_stats, detect_p50_ns, 128);
	AT(ioc_stats, detect_p99_ns, 136);
	AT(ioc_stats, nr_entities, 144);
	AT(ioc_stats, nr_out, 148);
	AT(ioc_stats, nr_rate_limited, 152);
	AT(ioc_stats, nr_left_to_finish, 160);
}

static void members_of_hist(void **state)
{
	AT(ioc_hist, size, 0);
	AT(ioc_hist, gpu_id, 4);
	AT(ioc_hist, which, 8);
	AT(ioc_hist, nr, 12);
	AT(ioc_hist, buckets, 16);
	AT(ioc_hist, count, 24);
	AT(ioc_hist, sum, 32);
	AT(ioc_hist, min, 40);
	AT(ioc_hist, max, 48);
}

static void members_of_cgroup(void **state)
{
	AT(ioc_cgroup, size, 0);
	AT(ioc_cgroup, cgroup_fd, 4);
	AT(ioc_cgroup, gpu_id, 8);
	AT(ioc_cgroup, valid, 12);
	AT(ioc_cgroup, weight, 16);
	AT(ioc_cgroup, idle, 20);
	AT(ioc_cgroup, quota_ns, 24);
	AT(ioc_cgroup, period_ns, 32);
	AT(ioc_cgroup, latency_ns, 40);
	AT(ioc_cgroup, usage_ns, 48);
	AT(ioc_cgroup, nr_periods, 56);
	AT(ioc_cgroup, nr_throttled, 64);
	AT(ioc_cgroup, throttled_ns, 72);
	AT(ioc_cgroup, some_ns, 80);
	AT(ioc_cgroup, full_ns, 88);
	AT(ioc_cgroup, nr_throttled_nodes, 96);
	AT(ioc_cgroup, reserved, 100);
}

static void members_of_event(void **state)
{
	AT(abi_event, size, 0);
	AT(abi_event, kind, 4);
	AT(abi_event, time_ns, 8);
	AT(abi_event, gpu_id, 16);
	AT(abi_event, pid, 20);
	AT(abi_event, code, 24);
	AT(abi_event, reserved, 28);
	AT(abi_event, value, 32);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_the_core),
		cmocka_unit_test(members_of_caps),
		cmocka_unit_test(members_of_attr),
		cmocka_unit_test(members_of_queue),
		cmocka_unit_test(members_of_list),
		cmocka_unit_test(members_of_ref),
		cmocka_unit_test(members_of_switch),
		cmocka_unit_test(members_of_policy),
		cmocka_unit_test(members_of_trigger),
		cmocka_unit_test(members_of_stats),
		cmocka_unit_test(members_of_hist),
		cmocka_unit_test(members_of_cgroup),
		cmocka_unit_test(members_of_event),
	};

	return cmocka_run_group_tests_name("driver/abi", tests, NULL, NULL);
}
