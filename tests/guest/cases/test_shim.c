// SPDX-License-Identifier: MIT
/*
 * The shim in raw clients of amdkfd, with the test as the daemon: what each order
 * costs the node in runlist cycles, exactly; results; and that nothing stays stopped.
 *
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt/gt_stack.h"
#include "gt/gt_wire.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR_PAIRS 1000	/* test_stack_cycles.c has more */

static struct gt_gpu gpu;
static struct gt_wire wire;
static struct gt_program client;

static void begin(void)
{
	gt_gpu_open(&gpu, 0);
	gt_wire_open(&wire);
}

/* Another process on the node: with none left the driver sends no runlist at all. */
static void start_bystander(void)
{
	static const struct gt_shape endless = { .groups = 1, .waves = 1, .vgprs = 8,
						 .step_ns = 100000, .seed = 1 };
	static struct gt_kernel k;
	static struct gt_queue q;

	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &endless, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 1), "no bystander");
}

static struct wire_done hold(void)
{
	return gt_wire_order(&wire, WIRE_HOLD, gpu.id);
}

static struct wire_done release(void)
{
	return gt_wire_order(&wire, WIRE_RELEASE, gpu.id);
}

static void end_client(int signal)
{
	int r = gt_program_stop(&client, signal, 20000);

	if (r)
		gt_program_show(&client);
	GT_CHECK(!r, "ended with %d", r);
}

/* The driver does not wait until the firmware has read the last runlist. */
static uint64_t settled(const char *key)
{
	gt_sleep_us(100000);
	return gt_stat(0, key);
}

/* Runlists and unmaps of @pairs holds and releases. */
static void check_pairs(unsigned int pairs, uint64_t cycles)
{
	uint64_t runlists = settled("runlists"), unmaps = gt_stat(0, "unmaps");
	unsigned int i;

	for (i = 0; i < pairs; i++) {
		hold();
		release();
	}
	runlists = settled("runlists") - runlists;
	unmaps = gt_stat(0, "unmaps") - unmaps;
	GT_CHECK(runlists == cycles, "%lu runlists, not %lu", runlists, cycles);
	GT_CHECK(unmaps == cycles, "%lu unmaps, not %lu", unmaps, cycles);
}

static void pair_of_one_queue_costs_two_cycles(void)
{
	struct wire_done done;
	uint64_t runlists;

	begin();
	start_bystander();
	GT_START(&client, 0, "load_offline", "--endless");
	gt_wire_meet(&wire, 0);
	gt_wire_wait_busy(&wire, 1);
	GT_CHECK(!gt_program_says(&client, "started", 10000), "no start");
	GT_CHECK(!gt_stat_wait(0, "mapped", 2), "not mapped");
	check_pairs(1, 2);
	check_pairs(10, 20);
	/* What is so already costs nothing. */
	hold();
	runlists = settled("runlists");
	done = hold();
	GT_CHECK(!done.nr_cycles, "%u cycles", done.nr_cycles);
	GT_CHECK(settled("runlists") == runlists, "a cycle for nothing");
	GT_CHECK(!gt_stat_wait(0, "waves", 1), "waves of a stopped queue");
	done = release();
	GT_CHECK(done.nr_cycles == 1 && done.nr_queues == 1, "%u cycles", done.nr_cycles);
	GT_CHECK(!gt_wire_get(&wire, WIRE_NOTE, NULL, 0, 3000), "no note of progress");
	end_client(SIGTERM);
}

/* Control: the client is an ordinary one; without the library none comes. */
static void nobody_comes_without_the_shim(void)
{
	struct wire_hello hello;

	begin();
	unsetenv("LD_PRELOAD");
	GT_START(&client, 0, "load_offline", "--count", "3", "--kernel-ms", "10");
	GT_CHECK(gt_wire_accept(&wire, &hello, 1000) == -ETIMEDOUT, "a client came");
	GT_CHECK(!gt_program_wait(&client, 10000), "end");
}

static void series_of_four_costs_eight_cycles(void)
{
	begin();
	start_bystander();
	GT_START(&client, 0, "load_queues", "4", "3000", "1");
	gt_wire_meet(&wire, 0);
	gt_wire_wait_busy(&wire, 4);
	GT_CHECK(!gt_stat_wait(0, "waves", 9), "%lu waves", gt_stat(0, "waves"));
	/* The fifth has never had work. */
	check_pairs(1, 8);
	GT_CHECK(!gt_program_says(&client, "completed 1", 20000), "no result");
	end_client(SIGTERM);
}

static void batch_of_four_costs_two_cycles(void)
{
	begin();
	start_bystander();
	GT_START(&client, 0, "load_queues", "4", "3000", "1", "runtime");
	gt_wire_meet(&wire, WIRE_WELCOME_SELF_DBG);
	gt_wire_wait_busy(&wire, 4);
	GT_CHECK(!gt_stat_wait(0, "waves", 9), "%lu waves", gt_stat(0, "waves"));
	/* Opening the session is not free. */
	hold();
	GT_CHECK(!gt_stat_wait(0, "waves", 1), "waves of stopped queues");
	release();
	check_pairs(1, 2);
	check_pairs(5, 10);
	GT_CHECK(!gt_program_says(&client, "completed 1", 20000), "no result");
	/* With a session open the driver would never let it go: the shim closes it. */
	end_client(SIGTERM);
}

static void queue_of_a_held_node_is_born_paused(void)
{
	uint64_t runlists;

	begin();
	start_bystander();
	GT_START(&client, 0, "load_queues", "1", "10", "1");
	gt_wire_meet(&wire, 0);
	GT_CHECK(!gt_program_says(&client, "completed 1", 20000), "no result");
	gt_wire_drain(&wire);
	gt_sleep_us(200000);
	hold();
	runlists = settled("runlists");
	kill(client.pid, SIGUSR1);
	GT_CHECK(!gt_program_says(&client, "late launched", 10000), "no queue");
	GT_CHECK(!gt_wire_get(&wire, WIRE_BUSY, NULL, 0, GT_WIRE_MS), "no edge");
	gt_sleep_us(300000);
	GT_CHECK(gt_stat(0, "runlists") == runlists, "%lu cycles",
		 gt_stat(0, "runlists") - runlists);
	GT_CHECK(!gt_file_has(client.output, "late done"), "it ran");
	release();
	GT_CHECK(!gt_program_says(&client, "late done", 10000), "it does not run");
	end_client(SIGTERM);
}

static void a_thousand_pairs_leave_results_exact(void)
{
	uint64_t saves, start, took = 0;
	int i;

	begin();
	GT_START(&client, 0, "load_offline", "--kernel-ms", "50");
	gt_wire_meet(&wire, 0);
	gt_wire_wait_busy(&wire, 1);
	GT_CHECK(!gt_program_says(&client, "started", 10000), "no start");
	saves = gt_stat(0, "saves");
	start = gt_now_ns();
	for (i = 0; i < NR_PAIRS; i++) {
		took += hold().took_ns;
		took += release().took_ns;
	}
	gt_note("%d pairs in %lu ms, of these %lu ms in the driver; %lu saves", NR_PAIRS,
		(gt_now_ns() - start) / 1000000, took / 1000000, gt_stat(0, "saves") - saves);
	GT_CHECK(gt_stat(0, "saves") - saves > NR_PAIRS / 2, "little was saved");
	/* However quick they were: kernels must come to an end, too. */
	gt_sleep_us(1000000);
	end_client(SIGTERM);
	GT_CHECK(gt_program_value(&client, "exact") == 1, "results");
	GT_CHECK(gt_program_value(&client, "kernels") > 10, "%lu kernels",
		 gt_program_value(&client, "kernels"));
}

static void stop_client(void)
{
	GT_START(&client, 0, "load_offline", "--endless");
	gt_wire_meet(&wire, 0);
	gt_wire_wait_busy(&wire, 1);
	GT_CHECK(!gt_program_says(&client, "started", 10000), "no start");
	GT_CHECK(!gt_stat_wait(0, "mapped", 1), "not mapped");
	hold();
	GT_CHECK(!gt_stat_wait(0, "mapped", 0), "still mapped");
}

static void lease_ends_by_itself(void)
{
	struct wire_note note;
	uint64_t start;

	begin();
	wire.lease_ns = 500000000;
	start = gt_now_ns();
	stop_client();
	GT_CHECK(!gt_wire_get(&wire, WIRE_NOTE, &note, sizeof(note), 2000), "no note");
	GT_CHECK(note.code == WIRE_NOTE_LEASE_ENDED, "note %u", note.code);
	GT_CHECK(!gt_stat_wait(0, "mapped", 1), "stays stopped");
	GT_CHECK(gt_now_ns() - start >= wire.lease_ns, "too early");
	end_client(SIGTERM);
}

static void end_of_the_daemon_releases(void)
{
	begin();
	stop_client();
	close(wire.sock);
	GT_CHECK(!gt_stat_wait(0, "mapped", 1), "stays stopped");
	/* It comes back to the next daemon, which may stop it again. */
	gt_wire_meet(&wire, 0);
	gt_wire_wait_busy(&wire, 1);
	hold();
	GT_CHECK(!gt_stat_wait(0, "mapped", 0), "still mapped");
	release();
	end_client(SIGTERM);
}

static void nonsense_releases(void)
{
	begin();
	stop_client();
	GT_CHECK(write(wire.sock, "what?", 5) == 5, "write");
	GT_CHECK(!gt_stat_wait(0, "mapped", 1), "stays stopped");
	end_client(SIGTERM);
}

static void edges_of_a_raw_client_are_found(void)
{
	struct wire_done done;
	int i;

	begin();
	GT_START(&client, 0, "load_online", "--count", "20", "--period-ms", "100");
	gt_wire_meet(&wire, 0);
	for (i = 0; i < 5; i++) {
		GT_CHECK(!gt_wire_get(&wire, WIRE_IDLE, NULL, 0, 3000), "no idle %d", i);
		GT_CHECK(!gt_wire_get(&wire, WIRE_BUSY, NULL, 0, 3000), "no busy %d", i);
	}
	GT_CHECK(!gt_wire_get(&wire, WIRE_IDLE, NULL, 0, 3000), "no idle");
	/* Nothing to stop, no cycle. */
	done = hold();
	release();
	GT_CHECK(!done.nr_cycles, "%u cycles", done.nr_cycles);
	GT_CHECK(!gt_program_wait(&client, 20000), "end");
	GT_CHECK(gt_program_value(&client, "exact") == 1, "results");
}

static const struct gt_case cases[] = {
	{ "nobody_comes_without_the_shim", nobody_comes_without_the_shim, "profile=tiny", 0 },
	{ "pair_of_one_queue_costs_two_cycles", pair_of_one_queue_costs_two_cycles,
	  "profile=tiny", 0 },
	{ "series_of_four_costs_eight_cycles", series_of_four_costs_eight_cycles,
	  "profile=tiny", 60 },
	{ "batch_of_four_costs_two_cycles", batch_of_four_costs_two_cycles, "profile=tiny", 60 },
	{ "queue_of_a_held_node_is_born_paused", queue_of_a_held_node_is_born_paused,
	  "profile=tiny", 60 },
	{ "lease_ends_by_itself", lease_ends_by_itself, "profile=tiny", 0 },
	{ "end_of_the_daemon_releases", end_of_the_daemon_releases, "profile=tiny", 0 },
	{ "nonsense_releases", nonsense_releases, "profile=tiny", 0 },
	{ "edges_of_a_raw_client_are_found", edges_of_a_raw_client_are_found, "profile=tiny", 60 },
	{ "a_thousand_pairs_leave_results_exact", a_thousand_pairs_leave_results_exact,
	  "profile=tiny", 240 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
