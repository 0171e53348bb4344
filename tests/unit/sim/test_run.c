// SPDX-License-Identifier: MIT
/*
 * Whole runs in virtual time: what each mechanism promises, and that the ones
 * that promise nothing do not deliver it either (the negative controls).
 */
#include "sim/sim_run.h"

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define MS 1000000ull

/* Online requests of 1 ms beside offline kernels that fill the GPU. */
static const char *const text =
	"[scenario]\n"
	"name = test\n"
	"gpu = tiny\n"
	"duration = 400ms\n"
	"[class online]\n"
	"priority = 12\n"
	"latency-critical = yes\n"
	"arrival = uniform every 10ms\n"
	"kernel = 250us x 4 fill 30%\n"
	"[class offline]\n"
	"priority = 3\n"
	"arrival = closed 2\n"
	"kernel = 20ms\n";

static void load(struct sim_scenario *sc, enum sim_mechanism m, enum sim_detect d)
{
	char error[256];

	if (sim_scenario_parse(sc, text, strlen(text), "test", error, sizeof(error)))
		fail_msg("%s", error);
	sc->mechanism = m;
	sc->detect = d;
}

static void run(struct sim_scenario *sc, struct sim_result *r)
{
	char error[256] = "";

	if (sim_scenario_validate(sc, error, sizeof(error)))
		fail_msg("%s", error);
	if (sim_run(sc, true, NULL, r, error, sizeof(error)))
		fail_msg("%s", error);
	sim_scenario_fini(sc);
}

static void go(struct sim_result *r, enum sim_mechanism m, enum sim_detect d)
{
	struct sim_scenario sc;

	load(&sc, m, d);
	run(&sc, r);
}

static void assert_nothing_lost(const struct sim_result *r)
{
	assert_int_equal(r->lost, 0);
	assert_int_equal(r->repeated, 0);
	assert_string_equal(r->stopped, "");
}

/* No preemption is quicker than the model allows, and software adds little. */
static void assert_floor_holds(const struct sim_result *r)
{
	assert_true(r->floor_ns > 0);
	for (u64 i = 0; i < r->preempt_samples.nr; i++)
		assert_true(r->preempt_samples.ns[i] >= r->floor_ns);
	assert_true(r->preempt_latency.p99 < r->floor_ns + 15000);
}

static void cwsr_with_doorbells_keeps_online_near_alone(void **state)
{
	static const enum sim_mechanism mechs[] = { SIM_MECH_CWSR, SIM_MECH_CWSR_QUEUE };

	for (u32 i = 0; i < ARRAY_SIZE(mechs); i++) {
		struct sim_result r;

		go(&r, mechs[i], SIM_DETECT_DOORBELL);
		assert_nothing_lost(&r);
		assert_floor_holds(&r);
		assert_int_equal(r.classes[0].completed, 40);
		assert_true(r.classes[0].latency.p99 * 100 <= r.classes[0].alone.p99 * 120);
		assert_true(r.preemptions >= 39);
		assert_true(r.classes[1].gpu_ns > 70 * r.classes[1].alone_gpu_ns / 100);
		sim_result_fini(&r);
	}
}

static void stock_driver_makes_online_wait_for_kernels(void **state)
{
	static const enum sim_mechanism mechs[] = { SIM_MECH_NONE, SIM_MECH_HWPRIO };

	for (u32 i = 0; i < ARRAY_SIZE(mechs); i++) {
		struct sim_result r;

		go(&r, mechs[i], SIM_DETECT_DOORBELL);
		assert_nothing_lost(&r);
		assert_int_equal(r.switches, 0);
		assert_true(r.classes[0].latency.p99 > 10 * MS);
		for (u32 c = 0; c < r.nr_classes; c++)
			assert_int_equal(r.classes[c].samples.nr + r.classes[c].waiting.nr,
					 r.classes[c].requests);
		sim_result_fini(&r);
	}
}

static void launch_block_and_drain_wait_for_what_is_running(void **state)
{
	static const enum sim_mechanism mechs[] = { SIM_MECH_LAUNCH_BLOCK, SIM_MECH_DRAIN };

	for (u32 i = 0; i < ARRAY_SIZE(mechs); i++) {
		struct sim_result r;

		go(&r, mechs[i], SIM_DETECT_DOORBELL);
		assert_nothing_lost(&r);
		assert_true(r.preemptions > 0);
		assert_true(r.classes[0].latency.p99 > 10 * MS);
		for (u32 c = 0; c < r.nr_classes; c++)
			assert_int_equal(r.classes[c].samples.nr + r.classes[c].waiting.nr,
					 r.classes[c].requests);
		sim_result_fini(&r);
	}
}

static void launch_block_synchronises_below_its_batch(void **state)
{
	struct sim_scenario sc;
	struct sim_result r;

	load(&sc, SIM_MECH_LAUNCH_BLOCK, SIM_DETECT_DOORBELL);
	sc.costs.block_threshold = 2;
	sc.costs.block_batch = 8;
	run(&sc, &r);
	assert_nothing_lost(&r);
	assert_true(r.classes[0].completed > 20);
	sim_result_fini(&r);
}

static void reset_is_quick_but_repeats_work(void **state)
{
	struct sim_result r;

	go(&r, SIM_MECH_RESET, SIM_DETECT_DOORBELL);
	assert_int_equal(r.lost, 0);
	assert_true(r.repeated > 0);
	assert_true(r.classes[0].latency.p99 * 100 <= r.classes[0].alone.p99 * 120);
	/* 20 ms kernels killed every 10 ms never end. */
	assert_int_equal(r.classes[1].completed, 0);
	sim_result_fini(&r);
}

static void polling_is_slower_by_its_period(void **state)
{
	struct sim_result poll, critical, doorbell;

	go(&poll, SIM_MECH_CWSR, SIM_DETECT_POLL);
	go(&critical, SIM_MECH_CWSR, SIM_DETECT_CRITICAL);
	go(&doorbell, SIM_MECH_CWSR, SIM_DETECT_DOORBELL);
	assert_nothing_lost(&poll);
	assert_nothing_lost(&critical);
	assert_true(doorbell.preempt_latency.p99 < critical.preempt_latency.p50);
	assert_true(critical.preempt_latency.max < 2 * MS);
	assert_true(poll.preempt_latency.max < 6 * MS);
	sim_result_fini(&poll);
	sim_result_fini(&critical);
	sim_result_fini(&doorbell);
}

static void endless_kernel_yields_only_to_cwsr(void **state)
{
	struct sim_scenario sc;
	struct sim_result r;

	load(&sc, SIM_MECH_NONE, SIM_DETECT_DOORBELL);
	sc.classes[1].kernels[0].endless = true;
	run(&sc, &r);
	assert_int_equal(r.classes[0].completed, 0);
	assert_nothing_lost(&r);
	sim_result_fini(&r);

	load(&sc, SIM_MECH_CWSR, SIM_DETECT_DOORBELL);
	sc.classes[1].kernels[0].endless = true;
	run(&sc, &r);
	assert_int_equal(r.classes[0].completed, 40);
	assert_nothing_lost(&r);
	sim_result_fini(&r);
}

/* Two endless victims, one of them restored without room: waiting is not lost. */
static void work_that_waits_for_room_is_not_lost(void **state)
{
	struct sim_scenario sc;
	struct sim_result r;

	load(&sc, SIM_MECH_CWSR, SIM_DETECT_DOORBELL);
	sc.classes[1].kernels[0].endless = true;
	sc.classes[1].processes = 3;
	run(&sc, &r);
	assert_nothing_lost(&r);
	assert_int_equal(r.classes[0].completed, 40);
	sim_result_fini(&r);
}

static void no_injected_fault_loses_or_repeats_work(void **state)
{
	static const u32 kinds[] = {
		GPU_FAULT_REFUSE,
		GPU_FAULT_LOSE_FENCE,
		GPU_FAULT_SLOW,
		GPU_FAULT_COUNT + GP_RESULT_BUSY,
		GPU_FAULT_COUNT + GP_RESULT_ERROR,
		GPU_FAULT_COUNT + GP_RESULT_GONE,
	};

	for (u32 k = 0; k < ARRAY_SIZE(kinds); k++)
		for (u64 at = 0; at < 40; at++) {
			struct sim_scenario sc;
			struct sim_result r;

			load(&sc, SIM_MECH_CWSR, SIM_DETECT_DOORBELL);
			sc.nr_faults = 1;
			sc.faults[0] = (struct sim_fault_spec){
				.at_ns = 95 * MS + at * 500000,
				.kind = kinds[k],
				.arg = kinds[k] == GPU_FAULT_SLOW ? 20 : 1,
			};
			run(&sc, &r);
			assert_nothing_lost(&r);
			sim_result_fini(&r);
		}
}

static void hung_firmware_stops_the_run_with_a_reason(void **state)
{
	struct sim_scenario sc;
	struct sim_result r;

	load(&sc, SIM_MECH_CWSR, SIM_DETECT_DOORBELL);
	sc.duration_ns = 12000 * MS;
	sc.nr_faults = 1;
	sc.faults[0] = (struct sim_fault_spec){
		.at_ns = 95 * MS, .kind = GPU_FAULT_HANG, .arg = 1,
	};
	run(&sc, &r);
	assert_string_not_equal(r.stopped, "");
	assert_int_equal(r.lost, 0);
	sim_result_fini(&r);
}

static void corrupted_save_area_is_noticed(void **state)
{
	struct sim_scenario sc;
	struct sim_result r;

	load(&sc, SIM_MECH_CWSR, SIM_DETECT_DOORBELL);
	sc.nr_faults = 1;
	sc.faults[0] = (struct sim_fault_spec){ .at_ns = 95 * MS, .kind = GPU_FAULT_CORRUPT };
	run(&sc, &r);
	assert_true(r.lost || r.repeated || r.stopped[0]);
	sim_result_fini(&r);
}

static void more_queues_than_slots_all_finish(void **state)
{
	struct sim_scenario sc;
	struct sim_result r;

	load(&sc, SIM_MECH_CWSR, SIM_DETECT_DOORBELL);
	sc.classes[1].processes = 12;
	sc.classes[1].queues = 4;
	sc.classes[1].kernels[0].duration_ns = MS;
	run(&sc, &r);
	assert_nothing_lost(&r);
	assert_true(r.classes[1].completed > 100);
	sim_result_fini(&r);
}

static void same_seed_gives_the_same_run(void **state)
{
	struct sim_result a, b;

	go(&a, SIM_MECH_CWSR, SIM_DETECT_CRITICAL);
	go(&b, SIM_MECH_CWSR, SIM_DETECT_CRITICAL);
	assert_int_equal(a.preempt_latency.nr, b.preempt_latency.nr);
	assert_memory_equal(a.preempt_samples.ns, b.preempt_samples.ns,
			    a.preempt_samples.nr * sizeof(u64));
	assert_memory_equal(&a.classes[1].latency, &b.classes[1].latency,
			    sizeof(struct sim_summary));
	sim_result_fini(&a);
	sim_result_fini(&b);
}

static void parse(struct sim_scenario *sc, const char *scenario)
{
	char error[256];

	if (sim_scenario_parse(sc, scenario, strlen(scenario), "test", error, sizeof(error)))
		fail_msg("%s", error);
}

/* What is not known makes it worse, and more so if one thinks the worst. */
static void models_differ_in_what_a_preemption_costs(void **state)
{
	static const char *const scenario =
		"[scenario]\ngpu = mi300x\nduration = 2s\n"
		"[class online]\npriority = 12\nlatency-critical = yes\n"
		"arrival = uniform 100/s\nkernel = 1ms\n"
		"[class offline]\npriority = 3\nkernel = endless\n";
	struct sim_summary latency[SIM_MODEL_COUNT];
	u64 floor_ns[SIM_MODEL_COUNT], floor_p99_ns[SIM_MODEL_COUNT];

	for (u32 m = 0; m < SIM_MODEL_COUNT; m++) {
		struct sim_scenario sc;
		struct sim_result r;

		parse(&sc, scenario);
		sc.model = (enum sim_model)m;
		run(&sc, &r);
		assert_nothing_lost(&r);
		latency[m] = r.preempt_latency;
		floor_ns[m] = r.floor_ns;
		floor_p99_ns[m] = r.floor_p99_ns;
		sim_result_fini(&r);
	}
	assert_int_equal(floor_ns[SIM_MODEL_FIXED], floor_p99_ns[SIM_MODEL_FIXED]);
	assert_true(latency[SIM_MODEL_FIXED].max < floor_ns[SIM_MODEL_FIXED] + 8000);
	/* L2 by bandwidth: 7.9 us; and a tail of its own. */
	assert_in_range(floor_ns[SIM_MODEL_DEFAULT] - floor_ns[SIM_MODEL_FIXED], 7900, 7930);
	assert_true(floor_p99_ns[SIM_MODEL_DEFAULT] > floor_ns[SIM_MODEL_DEFAULT] + 10000);
	assert_true(latency[SIM_MODEL_DEFAULT].p99 > latency[SIM_MODEL_DEFAULT].p50 + 10000);
	assert_true(latency[SIM_MODEL_PESSIMIST].p50 > 3 * latency[SIM_MODEL_DEFAULT].p50);
}

/* The request is announced while the host prepares it: the GPU is free when it is launched. */
static void a_hint_hides_the_preemption(void **state)
{
	static const char *const scenario =
		"[scenario]\nmodel = fixed\nduration = 1s\n"
		"[class online]\npriority = 12\nlatency-critical = yes\n"
		"arrival = uniform 100/s\nkernel = 1ms\nhost = 200us\nhint = %s\n"
		"[class offline]\npriority = 3\nkernel = 20ms\n";
	u64 p99[2], alone = 0;

	for (u32 i = 0; i < 2; i++) {
		struct sim_scenario sc;
		struct sim_result r;
		char text_of_it[512];

		snprintf(text_of_it, sizeof(text_of_it), scenario, i ? "yes" : "no");
		parse(&sc, text_of_it);
		run(&sc, &r);
		assert_nothing_lost(&r);
		p99[i] = r.classes[0].latency.p99;
		alone = r.classes[0].alone.p99;
		sim_result_fini(&r);
	}
	assert_true(alone >= 1200000);
	assert_true(p99[0] > alone + 60000);
	assert_true(p99[1] < alone + 5000);
}

static void run_beside_10ms(struct sim_result *r, enum sim_mechanism m, const char *kernel)
{
	struct sim_scenario sc;
	char scenario[512];

	snprintf(scenario, sizeof(scenario),
		 "[scenario]\nmodel = fixed\nduration = 1s\n"
		 "[class online]\npriority = 12\nlatency-critical = yes\n"
		 "arrival = uniform 100/s\nkernel = %s\n"
		 "[class offline]\npriority = 3\narrival = closed 2\nkernel = 10ms\n",
		 kernel);
	parse(&sc, scenario);
	sc.mechanism = m;
	run(&sc, r);
	assert_nothing_lost(r);
}

/* The last kernels are known by what is left in the ring: offline work has waves when they end. */
static void what_comes_back_is_there_when_the_last_kernel_ends(void **state)
{
	struct sim_result known, any;

	run_beside_10ms(&known, SIM_MECH_CWSR_QUEUE, "100us x 20 fill 50%");
	/* The same work on average, but no request tells how long the next one is. */
	run_beside_10ms(&any, SIM_MECH_CWSR_QUEUE, "20us to 300us x 20 fill 50%");
	/* 99 requests, each 54 us to save, and a few us more; 119 us if ordered back at the end. */
	assert_true(known.classes[1].gpu_ns > 1000000000 - 99 * (20 * 102000 + 80000));
	assert_true(known.classes[0].latency.p99 < known.classes[0].alone.p99 + 60000);
	assert_true(any.classes[0].latency.p50 < any.classes[0].alone.p50 + 80000);
	sim_result_fini(&known);
	sim_result_fini(&any);
}

/* One in a few kernels is much longer than those before: it keeps the GPU, after a moment. */
static void kernel_that_does_not_end_as_foreseen_is_work(void **state)
{
	static const char *const scenario =
		"[scenario]\nmodel = fixed\nduration = 1s\nmechanism = %s\n"
		"[class online]\npriority = 12\nlatency-critical = yes\n"
		"arrival = uniform 50/s\nkernel = 100us to 10ms fill 50%%\n"
		"[class offline]\npriority = 3\nkernel = endless\n";
	static const char *const mechanism[] = { "cwsr", "cwsr-queue" };
	u64 nr_switches[2], offline_ns[2];

	for (u32 i = 0; i < 2; i++) {
		struct sim_scenario sc;
		struct sim_result r;
		char text_of_it[512];

		snprintf(text_of_it, sizeof(text_of_it), scenario, mechanism[i]);
		parse(&sc, text_of_it);
		run(&sc, &r);
		assert_nothing_lost(&r);
		nr_switches[i] = r.switches;
		offline_ns[i] = r.classes[1].gpu_ns;
		sim_result_fini(&r);
	}
	assert_true(nr_switches[1] > nr_switches[0]);
	/* At most two leads, twice a request, beside online work. */
	assert_true(offline_ns[1] < offline_ns[0] + 50 * 400000);
}

static void kernels_of_any_length_are_all_executed(void **state)
{
	struct sim_scenario sc;
	struct sim_result r;

	parse(&sc, "[scenario]\ngpu = tiny\nduration = 2s\n"
		   "[class online]\npriority = 12\narrival = uniform 20/s\nkernel = 1ms\n"
		   "[class offline]\npriority = 3\narrival = closed 2\nkernel = 10us to 10ms\n");
	run(&sc, &r);
	assert_nothing_lost(&r);
	/* The mean of that distribution is 1.45 ms. */
	assert_in_range(r.classes[1].samples.nr, 600, 2500);
	assert_true(r.classes[1].latency.max > 4 * r.classes[1].latency.p50);
	sim_result_fini(&r);
}

/* Whatever the mechanism: the dead leave the GPU, the others lose nothing. */
static void processes_come_and_die(void **state)
{
	for (u32 m = 0; m < SIM_MECH_COUNT; m++)
		for (u64 at = 0; at < 20; at++) {
			struct sim_scenario sc;
			struct sim_result r;

			load(&sc, (enum sim_mechanism)m, SIM_DETECT_DOORBELL);
			sc.classes[1].dies_ns = 200 * MS + at * 500000;
			sc.classes[1].kernels[0].endless = true;
			sc.classes[1].joins_ns = 50 * MS + at * 50000;
			run(&sc, &r);
			assert_int_equal(r.lost, 0);
			assert_true(m == SIM_MECH_RESET || !r.repeated);
			assert_string_equal(r.stopped, "");
			assert_int_equal(r.classes[1].dropped, 2);
			/* Those before it came and after it died are not disturbed by it. */
			assert_true(r.classes[0].completed >= 20);
			assert_in_range(r.classes[1].gpu_ns, 1 * MS, 161 * MS);
			sim_result_fini(&r);
		}
}

/* The urgent one dies: what left for it comes back. */
static void a_victim_comes_back_when_its_beneficiary_dies(void **state)
{
	static const enum sim_mechanism mechs[] = { SIM_MECH_CWSR, SIM_MECH_CWSR_QUEUE };

	for (u32 i = 0; i < ARRAY_SIZE(mechs); i++) {
		struct sim_scenario sc;
		struct sim_result r;

		load(&sc, mechs[i], SIM_DETECT_DOORBELL);
		sc.classes[0].kernels[0].endless = true;
		sc.classes[0].dies_ns = 100 * MS;
		run(&sc, &r);
		assert_nothing_lost(&r);
		assert_int_equal(r.classes[0].completed, 0);
		assert_in_range(r.classes[1].gpu_ns, 285 * MS, 320 * MS);
		assert_true(r.classes[1].completed >= 13);
		sim_result_fini(&r);
	}
}

/* Some wake-ups come after the request is over, and the next doorbell must still be heard. */
static void a_late_wake_up_loses_no_edge(void **state)
{
	struct sim_scenario sc;
	struct sim_result r;

	parse(&sc, "[scenario]\nduration = 500ms\n[costs]\ntail = 300us\ntail-chance = 20%\n"
		   "[class online]\npriority = 12\nlatency-critical = yes\n"
		   "arrival = closed think 200us\nkernel = 60us\n"
		   "[class offline]\npriority = 3\nkernel = 10ms\n");
	run(&sc, &r);
	assert_nothing_lost(&r);
	assert_true(r.classes[0].completed > 800);
	assert_true(r.classes[0].latency.max < 4 * MS);
	sim_result_fini(&r);
}

/* Nothing is shared: two GPUs with half of the processes each are two runs. */
static void gpus_are_independent(void **state)
{
	static const char *const scenario =
		"[scenario]\ngpu = tiny\ngpus = %u\nduration = 200ms\n"
		"[class online]\npriority = 12\nprocesses = %u\narrival = uniform 50/s\n"
		"kernel = 500us\n"
		"[class offline]\npriority = 3\nprocesses = %u\nkernel = 5ms\n";
	u64 requests[3], dispatches[3];

	for (u32 n = 1; n <= 2; n++) {
		struct sim_scenario sc;
		struct sim_result r;
		char text_of_it[512];

		snprintf(text_of_it, sizeof(text_of_it), scenario, n, 2 * n, n);
		parse(&sc, text_of_it);
		run(&sc, &r);
		assert_nothing_lost(&r);
		requests[n] = r.classes[0].requests;
		dispatches[n] = r.dispatches;
		assert_int_equal(r.classes[0].samples.nr + r.classes[0].waiting.nr, requests[n]);
		assert_true(r.classes[1].process_least_ns <= r.classes[1].process_most_ns);
		assert_int_equal(r.nr_classes, 2);
		sim_result_fini(&r);
	}
	assert_int_equal(requests[2], 2 * requests[1]);
	assert_in_range(dispatches[2], 2 * dispatches[1] - 4, 2 * dispatches[1] + 4);
}

/* One process and two GPUs: one of them has nothing to do. */
static void a_gpu_may_have_no_process(void **state)
{
	struct sim_scenario sc;
	struct sim_result r;

	parse(&sc, "[scenario]\ngpu = tiny\ngpus = 2\nduration = 50ms\n[class a]\nkernel = 1ms\n");
	run(&sc, &r);
	assert_nothing_lost(&r);
	assert_true(r.classes[0].completed > 40);
	assert_true(r.occupancy > 0.4 && r.occupancy < 0.51);
	sim_result_fini(&r);
}

static void late_requests_are_counted(void **state)
{
	struct sim_scenario sc;
	struct sim_result r;

	load(&sc, SIM_MECH_NONE, SIM_DETECT_DOORBELL);
	sc.classes[0].attr.deadline_ns = 2 * MS;
	run(&sc, &r);
	assert_true(r.classes[0].missed > 20);
	assert_true(r.classes[0].missed <= r.classes[0].requests);
	sim_result_fini(&r);

	load(&sc, SIM_MECH_CWSR, SIM_DETECT_DOORBELL);
	sc.classes[0].attr.deadline_ns = 2 * MS;
	run(&sc, &r);
	assert_int_equal(r.classes[0].missed, 0);
	assert_true(r.occupancy > 0.9 && r.occupancy <= 1);
	assert_true(r.unmaps >= r.switches);
	assert_int_equal(r.classes[1].process_least_ns, r.classes[1].gpu_ns);
	sim_result_fini(&r);
}

static void every_policy_runs_every_mechanism(void **state)
{
	const char *policy;

	for (u32 p = 0; (policy = gp_policy_name_at(p)); p++)
		for (u32 m = 0; m < SIM_MECH_COUNT; m++) {
			struct sim_scenario sc;
			struct sim_result r;

			load(&sc, (enum sim_mechanism)m, SIM_DETECT_DOORBELL);
			snprintf(sc.policy, sizeof(sc.policy), "%s", policy);
			run(&sc, &r);
			assert_int_equal(r.lost, 0);
			assert_string_equal(r.stopped, "");
			assert_true(m == SIM_MECH_RESET || !r.repeated);
			assert_true(r.classes[0].completed > 0);
			sim_result_fini(&r);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cwsr_with_doorbells_keeps_online_near_alone),
		cmocka_unit_test(stock_driver_makes_online_wait_for_kernels),
		cmocka_unit_test(launch_block_and_drain_wait_for_what_is_running),
		cmocka_unit_test(launch_block_synchronises_below_its_batch),
		cmocka_unit_test(reset_is_quick_but_repeats_work),
		cmocka_unit_test(polling_is_slower_by_its_period),
		cmocka_unit_test(endless_kernel_yields_only_to_cwsr),
		cmocka_unit_test(work_that_waits_for_room_is_not_lost),
		cmocka_unit_test(no_injected_fault_loses_or_repeats_work),
		cmocka_unit_test(hung_firmware_stops_the_run_with_a_reason),
		cmocka_unit_test(corrupted_save_area_is_noticed),
		cmocka_unit_test(more_queues_than_slots_all_finish),
		cmocka_unit_test(same_seed_gives_the_same_run),
		cmocka_unit_test(models_differ_in_what_a_preemption_costs),
		cmocka_unit_test(a_hint_hides_the_preemption),
		cmocka_unit_test(what_comes_back_is_there_when_the_last_kernel_ends),
		cmocka_unit_test(kernel_that_does_not_end_as_foreseen_is_work),
		cmocka_unit_test(kernels_of_any_length_are_all_executed),
		cmocka_unit_test(processes_come_and_die),
		cmocka_unit_test(a_victim_comes_back_when_its_beneficiary_dies),
		cmocka_unit_test(a_late_wake_up_loses_no_edge),
		cmocka_unit_test(gpus_are_independent),
		cmocka_unit_test(a_gpu_may_have_no_process),
		cmocka_unit_test(late_requests_are_counted),
		cmocka_unit_test(every_policy_runs_every_mechanism),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
