// SPDX-License-Identifier: MIT
/*
 * Attackers on the GPU of root's job, under policy fair: beside a process of another user that
 * plays fair, root's job has half of the GPU. Beside one that plays a trick on the daemon it has
 * no less than four fifths of that, or of what it has by the driver alone beside one that
 * stops and continues its queue as often: every such call takes all queues off the GPU for a
 * moment. A client that says it stopped and did not is no case here: the shim is a client's own.
 *
 * Needs: stack
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_flood.h"
#include "gt/gt_load.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS 10000
#define SECONDS 120
#define WARM_UP_US 100000
#define PLAY_US 500000
#define KERNEL_MS "2"
#define IN_FLIGHT 2
#define LOOP_US 200

/* Needs all of a tiny GPU for 2 ms. */
static const struct gt_shape shape = {
	.groups = 8, .waves = 4, .vgprs = 256, .lds_bytes = 65536, .steps = 20, .step_ns = 100000,
	.seed = 9,
};

/* Of the attacker. */
static struct gt_client client;
static struct gt_kernel kernels[IN_FLIGHT];
static int control;

typedef void (*trick_fn)(int order);

static void keep_busy(void)
{
	unsigned int i;

	for (i = 0; i < IN_FLIGHT; i++)
		if (!kernels[i].signal->value)
			gt_kernel_launch(&kernels[i], &client.queue);
}

static bool held[WIRE_HOLDER_COUNT], is_off;

static void set_queue(void)
{
	bool off = held[0] || held[1];

	if (off == is_off)
		return;
	is_off = off;
	gt_queue_update(&client.queue, off ? 0 : 100);
}

/* Stops and continues its queue as it is told, as the shim would. */
static int obey(void)
{
	struct wire_order order;
	int type = gt_client_order(&client, &order);

	if (type <= 0)
		return type;
	held[order.holder] = type == WIRE_HOLD;
	set_queue();
	gt_client_done(&client, &order);
	return type;
}

static void let_go(void)
{
	memset(held, 0, sizeof(held));
	set_queue();
}

static void play(trick_fn trick, bool with)
{
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	gt_who_become(GT_WHO_USER);
	if (with) {
		control = gt_control_open();
		gt_client_open(&client, true);
	} else {
		gt_gpu_open(&client.gpu, 0);
		gt_queue_create(&client.gpu, 7, &client.queue);
	}
	for (i = 0; i < IN_FLIGHT; i++) {
		gt_kernel_create(&client.gpu, &shape, &kernels[i]);
		gt_kernel_launch(&kernels[i], &client.queue);
	}
	for (;;) {
		keep_busy();
		trick(with ? obey() : 0);
		gt_sleep_us(LOOP_US);
	}
}

static void plays_fair(int order)
{
}

/* Says that its work ended and that there is new work, all the time. */
static void flaps(int order)
{
	gt_client_edge(&client, WIRE_IDLE);
	gt_client_edge(&client, WIRE_BUSY);
}

/* A process that is held says that the GPU was reset. */
static void resets(int order)
{
	if (order == WIRE_HOLD)
		gt_client_note(&client, WIRE_NOTE_RESET);
}

/* A process that is held takes its queue back and tells it anew. */
static void requeues(int order)
{
	if (order != WIRE_HOLD)
		return;
	gt_client_edge(&client, WIRE_QUEUE_REMOVE);
	let_go();
	gt_client_queue(&client, true);
}

/* A process that is held joins another group. */
static void regroups(int order)
{
	static unsigned int nr;
	char text[64];

	if (order != WIRE_HOLD)
		return;
	snprintf(text, sizeof(text), "\"attributes\":{\"group\":\"%c\"}", 'a' + nr++ % 2);
	gt_flood_ask(control, "SetAttributes", text, ",\"oneway\":true");
}

/* A process that is held is another client from now on. */
static void reconnects(int order)
{
	if (order != WIRE_HOLD)
		return;
	close(client.sock);
	let_go();
	gt_client_connect(&client, true);
}

/* Of the driver alone: stops its queue and continues it at once. */
static void updates(int order)
{
	held[0] = true;
	set_queue();
	let_go();
}

/* A process that is held has itself held by hand as well, and ends both. */
static void resumes(int order)
{
	char text[64];

	if (order != WIRE_HOLD)
		return;
	snprintf(text, sizeof(text), "\"targets\":[{\"pid\":%d}],\"timeout_ms\":1", getpid());
	gt_flood_ask(control, "Suspend", text, ",\"oneway\":true");
	gt_flood_ask(control, "Resume", text, ",\"oneway\":true");
}

/* Thousandths of the GPU that root's job has beside the other. @with: under the daemon. */
static uint64_t share_beside(trick_fn trick, bool with)
{
	struct gt_program daemon;
	struct gt_load job;
	uint64_t before;
	pid_t pid;

	if (with) {
		gt_daemon_start(&daemon, "[policy]\nname = fair\n");
		GT_LOAD(&job, GT_SHIM, 0, "default", "load_offline", "--kernel-ms", KERNEL_MS);
	} else {
		GT_LOAD(&job, GT_PLAIN, 0, NULL, "load_offline", "--kernel-ms", KERNEL_MS);
	}
	pid = fork();
	GT_CHECK(pid >= 0, "fork");
	if (!pid)
		play(trick, with);
	gt_sleep_us(WARM_UP_US);
	before = job.progress->completed;
	gt_sleep_us(PLAY_US);
	before = job.progress->completed - before;
	GT_CHECK(!waitpid(pid, NULL, WNOHANG), "the attacker has ended");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	gt_load_stop(&job, MS);
	if (with)
		gt_daemon_stop(&daemon);
	return before * 1000 * 1000 * strtoul(KERNEL_MS, NULL, 0) / PLAY_US;
}

static const struct {
	const char *name;
	trick_fn trick;
	bool updates; /* each time it is held it stops and continues its queue by itself */
} tricks[] = {
	{ "says that its work ended and began", flaps, false },
	{ "says that the GPU was reset", resets, false },
	{ "joins another group", regroups, false },
	{ "takes its queue back", requeues, true },
	{ "connects anew", reconnects, true },
	{ "holds itself by hand", resumes, true },
};

static void no_trick_takes_more_than_a_fair_share(void)
{
	uint64_t usual, by_driver, own, most;
	int nr_bad = 0;
	size_t i;

	gt_stack_devices();
	usual = share_beside(plays_fair, true);
	by_driver = share_beside(updates, false);
	gt_note("root's job has %lu of 1000 beside a fair one; by the driver alone %lu beside one "
		"that stops and continues its queue", usual, by_driver);
	GT_CHECK(usual > 250 && usual < 700, "a fair one leaves %lu", usual);
	for (i = 0; i < sizeof(tricks) / sizeof(tricks[0]); i++) {
		own = share_beside(tricks[i].trick, true);
		most = tricks[i].updates && by_driver < usual ? by_driver : usual;
		gt_note("one that %s leaves %lu", tricks[i].name, own);
		nr_bad += own * 10 <= most * 8;
	}
	GT_CHECK(!nr_bad, "%d tricks take more than a fair share", nr_bad);
}

static const struct gt_case cases[] = {
	{ "no_trick_takes_more_than_a_fair_share", no_trick_takes_more_than_a_fair_share,
	  "profile=tiny", 2 * SECONDS },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
