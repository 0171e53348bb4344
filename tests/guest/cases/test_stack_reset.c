// SPDX-License-Identifier: MIT
/*
 * A GPU that is reset under the daemon: it hears of it, says so, holds no client, and goes
 * on with those that come afterwards.
 *
 * Needs: stack
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_load.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define TINY "profile=tiny queue_preemption_timeout_ms=500"
#define RESET_MS 20000

/* kfd_chardev.c: during a reset the device cannot be opened. */
static void wait_for_device(void)
{
	int tries, fd = -1;

	for (tries = 0; fd < 0 && tries < 500; tries++) {
		fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
		gt_sleep_us(10000);
	}
	GT_CHECK(fd >= 0, "%s", strerror(errno));
	close(fd);
}

/* Return: how often the daemon stopped an offline job for an online one. */
static uint64_t preemptions(void)
{
	struct gt_load offline, online;
	struct gt_view view = {};

	GT_LOAD(&offline, GT_SHIM, GT_USER, "besteffort", "load_offline");
	gt_sleep_us(200000);
	GT_LOAD(&online, GT_SHIM, 0, "realtime", "load_online", "--count", "10");
	gt_load_wait(&online, 30000);
	GT_CHECK(!gt_daemon_view(offline.pid, &view), "offline is not listed");
	gt_load_stop(&offline, 10000);
	return view.nr_preempted;
}

static void the_daemon_goes_on_after_a_reset(void)
{
	struct gt_load offline, online;
	struct gt_program daemon;
	uint64_t nr;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	GT_LOAD(&offline, GT_SHIM, GT_USER, "besteffort", "load_offline");
	GT_LOAD(&online, GT_SHIM, 0, "realtime", "load_online");
	GT_CHECK(!gt_load_moves(&online, 5, 10000), "no request");
	/* Control: nothing is heard as long as nothing is wrong. */
	GT_CHECK(gt_program_says(&daemon, "reset", 0), "a reset before there was one");
	gt_fault(0, "hang 1");
	if (gt_program_says(&daemon, "the GPU was reset", RESET_MS)) {
		gt_program_show(&daemon);
		gt_fail("the daemon did not hear of the reset");
	}
	gt_load_kill(&online);
	gt_load_kill(&offline);
	gt_fault(0, "hang 0");
	wait_for_device();
	nr = preemptions();
	gt_note("%lu preemptions after the reset", nr);
	GT_CHECK(nr > 0, "nothing is scheduled after the reset");
	gt_daemon_stop(&daemon);
}

/* How the model names the queue of an offline job. */
static uint32_t doorbell_of(const struct gt_load *l)
{
	unsigned int pasid = gt_pasid_of(l->pid), found, doorbell;
	FILE *f = fopen("/sys/kernel/debug/kfdsim/0/slots", "re");

	GT_CHECK(f, "slots: %s", strerror(errno));
	while (fscanf(f, "slot %*u doorbell %u ring %*x pasid %x vmid %*u waves %*u\n",
		      &doorbell, &found) == 2) {
		if (found == pasid) {
			fclose(f);
			return doorbell;
		}
	}
	gt_fail("it has no slot");
}

/*
 * The driver resets it, and leaves all queues off the GPU (bystander_survives_a_queue_reset
 * of test_reset.c); only the daemon knows a client that can end that.
 */
static void others_go_on_after_one_refuses(void)
{
	struct gt_load offline, online;
	struct gt_program daemon;
	uint64_t killed;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	killed = gt_stat(0, "killed");
	GT_LOAD(&offline, GT_SHIM, GT_USER, "besteffort", "load_offline");
	GT_CHECK(!gt_load_moves(&offline, 1, 20000), "no kernel");
	GT_CHECK(!gt_load_wait_mapped(&offline, 1, 5000), "offline is not mapped");
	gt_fault(0, "refuse %u", doorbell_of(&offline));
	GT_LOAD(&online, GT_SHIM, 0, "realtime", "load_online");
	GT_CHECK(!gt_load_moves(&online, 100, 30000), "online waits for ever");
	GT_CHECK(gt_stat(0, "killed") > killed, "nothing was reset");
	GT_CHECK(!gt_program_says(&daemon, "was reset", 1000), "the daemon does not say why");
	gt_load_kill(&offline);
	gt_load_stop(&online, 10000);
	gt_daemon_stop(&daemon);
}

static const struct gt_case cases[] = {
	{ "the_daemon_goes_on_after_a_reset", the_daemon_goes_on_after_a_reset, TINY, 60 },
	{ "others_go_on_after_one_refuses", others_go_on_after_one_refuses, TINY, 90 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
