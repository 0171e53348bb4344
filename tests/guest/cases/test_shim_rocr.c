// SPDX-License-Identifier: MIT
/*
 * The shim in programs on Debian's ROCr 5.2 and 6.1, unmodified, with the test as the
 * daemon: what it sees of them, their edges, and a pause in the middle of a kernel.
 *
 * Needs: stack clients
 * Clock: host, ROCr spins on the clock
 */
#define _GNU_SOURCE
#include "gt/gt_root.h"
#include "gt/gt_stack.h"
#include "gt/gt_wire.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR_KERNELS 8

static uint32_t gpu_id;
static struct gt_wire wire;
static struct gt_program client;

static void start(const char *root, const char *ms, const char *pause_ms)
{
	char count[16];

	gt_root_enter(root);
	gt_wire_open(&wire);
	snprintf(count, sizeof(count), "%d", NR_KERNELS);
	setenv("LD_LIBRARY_PATH", "/usr/lib/x86_64-linux-gnu", 1);
	GT_START(&client, 0, "chroot", root, "/usr/bin/client_kernel", count, ms, pause_ms);
}

/* Its queues are told of; @gpu_id is known then. */
static void meet(uint32_t sees)
{
	struct wire_hello hello;
	struct wire_queue queue;

	GT_CHECK(!gt_wire_accept(&wire, &hello, 20000), "no client comes");
	GT_CHECK((hello.sees & sees) == sees, "sees %x", hello.sees);
	GT_CHECK(!strcmp(hello.comm, "client_kernel"), "'%s'", hello.comm);
	gt_wire_welcome(&wire, 0);
	GT_CHECK(!gt_wire_get(&wire, WIRE_QUEUE_ADD, &queue, sizeof(queue), GT_WIRE_MS),
		 "no queue");
	gpu_id = queue.gpu_id;
}

static void finish(const char *root)
{
	int r = gt_program_wait(&client, 60000);

	if (r)
		gt_program_show(&client);
	GT_CHECK(!r, "ended with %d", r);
	GT_CHECK(gt_file_has(client.output, "exact 1"), "results");
	/* It was asked to print nothing. */
	GT_CHECK(!gt_file_has(client.output, "gpreempt"), "the library speaks");
	gt_root_leave(root);
}

static void pause_in_the_middle(const char *root)
{
	struct wire_done done;
	uint64_t saves;

	start(root, "1000", "0");
	meet(WIRE_SEES_IOCTL | WIRE_SEES_TABLE);
	GT_CHECK(!gt_program_says(&client, "completed 1", 30000), "no kernel ends");
	/* The second is in the first quarter of its second. */
	gt_sleep_us(100000);
	saves = gt_stat(0, "saves");
	done = gt_wire_order(&wire, WIRE_HOLD, gpu_id);
	GT_CHECK(done.nr_queues >= 1, "%u queues stopped", done.nr_queues);
	GT_CHECK(gt_stat(0, "saves") > saves, "nothing was saved");
	GT_CHECK(!gt_stat(0, "waves"), "waves of a stopped queue");
	gt_sleep_us(2000000);
	GT_CHECK(!gt_file_has(client.output, "completed 2"), "it went on");
	gt_wire_order(&wire, WIRE_RELEASE, gpu_id);
	GT_CHECK(!gt_program_says(&client, "completed 2", 10000), "it does not go on");
	finish(root);
}

/* One busy and one idle for each kernel, each idle proven by a packet of ours. */
static void edges(const char *root)
{
	uint64_t packets;
	int i;

	packets = gt_stat(0, "packets");
	start(root, "50", "200");
	meet(WIRE_SEES_TABLE);
	for (i = 1; i < NR_KERNELS - 1; i++) {
		GT_CHECK(!gt_wire_get(&wire, WIRE_IDLE, NULL, 0, 10000), "no idle %d", i);
		GT_CHECK(!gt_wire_get(&wire, WIRE_BUSY, NULL, 0, 10000), "no busy %d", i);
	}
	finish(root);
	packets = gt_stat(0, "packets") - packets;
	gt_note("%d kernels, %lu packets", NR_KERNELS, packets);
	GT_CHECK(packets >= 2 * NR_KERNELS - 2, "no packets of ours");
}

static void rocr_5_is_paused_and_continued(void)
{
	pause_in_the_middle(GT_ROOT_ROCR_5);
}

static void rocr_6_is_paused_and_continued(void)
{
	pause_in_the_middle(GT_ROOT_ROCR_6);
}

static void edges_of_rocr_5_are_seen(void)
{
	edges(GT_ROOT_ROCR_5);
}

static void edges_of_rocr_6_are_seen(void)
{
	edges(GT_ROOT_ROCR_6);
}

/*
 * ROCr 5.2 asks for tools by a variable that cannot say every name: there the symbols that
 * the program itself calls must do.
 */
static void without_a_table_symbols_do(void)
{
	struct wire_hello hello;
	struct wire_note note;
	int i;

	GT_CHECK(!system("mkdir -p \"/tmp/it's\" && cp " GT_SHIM " \"/tmp/it's\""), "copy");
	gt_root_enter(GT_ROOT_ROCR_5);
	gt_wire_open(&wire);
	setenv("LD_PRELOAD", "/tmp/it's/libgpreempt-shim.so", 1);
	setenv("LD_LIBRARY_PATH", "/usr/lib/x86_64-linux-gnu", 1);
	GT_START(&client, 0, "chroot", GT_ROOT_ROCR_5, "/usr/bin/client_kernel", "8", "50", "200");
	GT_CHECK(!gt_wire_accept(&wire, &hello, 20000), "no client comes");
	/* Control: there is no table. */
	GT_CHECK(!(hello.sees & WIRE_SEES_TABLE), "sees %x", hello.sees);
	gt_wire_welcome(&wire, 0);
	do
		GT_CHECK(!gt_wire_get(&wire, WIRE_NOTE, &note, sizeof(note), 20000),
			 "symbols are not seen");
	while (note.code != WIRE_NOTE_SEES || !(note.value & WIRE_SEES_SYMBOL));
	for (i = 0; i < 3; i++) {
		GT_CHECK(!gt_wire_get(&wire, WIRE_IDLE, NULL, 0, 10000), "no idle %d", i);
		GT_CHECK(!gt_wire_get(&wire, WIRE_BUSY, NULL, 0, 10000), "no busy %d", i);
	}
	finish(GT_ROOT_ROCR_5);
}

static const struct gt_case cases[] = {
	{ "rocr_5_is_paused_and_continued", rocr_5_is_paused_and_continued, "profile=tiny", 90 },
	{ "edges_of_rocr_5_are_seen", edges_of_rocr_5_are_seen, "profile=tiny", 90 },
	{ "without_a_table_symbols_do", without_a_table_symbols_do, "profile=tiny", 90 },
	{ "rocr_6_is_paused_and_continued", rocr_6_is_paused_and_continued, "profile=tiny", 90 },
	{ "edges_of_rocr_6_are_seen", edges_of_rocr_6_are_seen, "profile=tiny", 90 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
