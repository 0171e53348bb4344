// SPDX-License-Identifier: MIT
/*
 * gpreemptd on the unmodified driver, attacked by an ordinary user and by the root of a
 * container while it serves root: what root asks for is answered within five times of what
 * it takes alone, root's job is never stopped and keeps the GPU. What takes virtual time is
 * in docs/design/virtual-time.md: a system call 1 us, a wake-up 5 us.
 *
 * Needs: stack
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_flood.h"
#include "gt/gt_load.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MS 10000
#define SECONDS 120
/* Root's job alone has 99 %: its kernels are short, and it waits for each. */
#define MIN_PERMILLE 900

static int control;

/* A reply is one text, with a zero at its end. */
static void ask_for_info(void)
{
	static char reply[16384];
	ssize_t n;

	GT_CHECK(gt_flood_ask(control, "GetInfo", "", ""), "request: %s", strerror(errno));
	do {
		n = recv(control, reply, sizeof(reply), 0);
		GT_CHECK(n > 0, "no answer: %s", n ? strerror(errno) : "closed");
	} while (reply[n - 1]);
}

static const struct gt_attack_plan *flood_of(const char *name)
{
	const struct gt_attack_plan *f;

	for (f = gt_floods; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	gt_fail("no attack %s", name);
}

static void check_job(struct gt_load *job)
{
	struct gt_view view;
	uint64_t permille;

	GT_CHECK(!gt_daemon_view(job->pid, &view), "root's job is not listed");
	GT_CHECK(!view.nr_preempted, "root's job was stopped %lu times", view.nr_preempted);
	gt_load_stop(job, MS);
	permille = gt_program_value(&job->program, "busy_permille");
	GT_CHECK(permille >= MIN_PERMILLE, "root's job had %lu of 1000", permille);
}

static void serve(enum gt_how how, enum gt_who who, const char *name)
{
	struct gt_program daemon;
	struct gt_load job;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	gt_attack_daemon(daemon.pid);
	GT_LOAD(&job, how, 0, "realtime", "load_offline", "--kernel-ms", "5");
	control = gt_control_open();
	gt_attack_judge(flood_of(name), who, ask_for_info);
	check_job(&job);
	close(control);
	gt_daemon_stop(&daemon);
}

#define FLOODS(X)                                    \
	X(connections, "connections")                \
	X(half_requests, "half requests")            \
	X(lists, "lists")                            \
	X(unread_lists, "lists that are not read")   \
	X(metrics, "metrics")                        \
	X(half_messages, "half messages")            \
	X(edges, "edges")                            \
	X(notes, "notes")                            \
	X(queues, "queues")                          \
	X(holds, "holds")                            \
	X(attributes, "attributes")                  \
	X(unread_monitors, "monitors that are not read")

#define X(function, name)                                       \
	static void user_##function(void)                       \
	{                                                       \
		serve(GT_SHIM, GT_WHO_USER, name);              \
	}                                                       \
	static void container_##function(void)                  \
	{                                                       \
		serve(GT_DBG, GT_WHO_CONTAINER, name);          \
	}
FLOODS(X)
#undef X

/* Control of all of them: what one request keeps the daemon from is seen. */
static void act_long(unsigned int thread)
{
}

static void ask_for_much_first(void)
{
	static char much[65536];
	static int other;
	size_t n = 0;
	int i;

	if (!other)
		other = gt_control_open();
	n += (size_t)sprintf(much, "{\"method\":\"io.gpreempt.Suspend\",\"parameters\":{"
			     "\"dry_run\":true,\"targets\":[{\"pid\":1}");
	for (i = 0; i < 500; i++)
		n += (size_t)sprintf(much + n, ",{\"pid\":%d}", i % 20 + 2);
	n += (size_t)sprintf(much + n, "]}}");
	GT_CHECK(send(other, much, n + 1, MSG_NOSIGNAL) == (ssize_t)n + 1, "send");
	ask_for_info();
	GT_CHECK(recv(other, much, sizeof(much), 0) > 0, "no answer");
}

static void the_measure_sees_what_comes_before(void)
{
	struct gt_attack_plan none = { "nothing", 1, NULL, act_long };
	struct gt_program daemon;
	uint64_t alone, behind;

	gt_stack_devices();
	gt_daemon_start(&daemon, NULL);
	gt_attack_daemon(daemon.pid);
	control = gt_control_open();
	gt_attack_judge(&none, GT_WHO_USER, ask_for_info);
	alone = gt_attack_worst_ns(NULL, ask_for_info, 10);
	behind = gt_attack_worst_ns(NULL, ask_for_much_first, 10);
	gt_note("a request takes %.1f us, behind a long one of root %.1f", alone / 1e3,
		behind / 1e3);
	GT_CHECK(behind > 5 * alone, "only %.1f times", (double)behind / alone);
	close(control);
	gt_daemon_stop(&daemon);
}

#define X(function, name)                                                        \
	{ "root_is_served_beside_" #function, user_##function, "profile=tiny", SECONDS },       \
	{ "root_is_served_beside_" #function "_of_a_container", container_##function,           \
	  "profile=tiny", SECONDS },

static const struct gt_case cases[] = {
	{ "the_measure_sees_what_comes_before", the_measure_sees_what_comes_before, "profile=tiny",
	  SECONDS },
	FLOODS(X)
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
