// SPDX-License-Identifier: MIT
/*
 * The user-space stack over the kernel module: the command, the library and the daemon
 * do with gpreempt.ko what they do without.
 *
 * Variant: hooks
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt/gt_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MS GT_COMMAND_MS
#define TINY GT_TINY
#define NEVER_MS 1000
#define REQUESTS "20"

static bool policy_is(uint32_t gpu_id, const char *name, bool enabled)
{
	int fd = open("/dev/gpreempt", O_RDWR | O_CLOEXEC), r;
	struct gpreempt_ioc_policy arg = { .size = sizeof(arg), .gpu_id = gpu_id };

	GT_CHECK(fd >= 0, "open: %s", strerror(errno));
	r = ioctl(fd, GPREEMPT_IOC_GET_POLICY, &arg);
	GT_CHECK(!r, "policy: %s", strerror(errno));
	close(fd);
	return !strcmp(arg.policy, name) && arg.enabled == enabled;
}

static uint32_t first_gpu(void)
{
	struct gpreempt_ioc_caps caps = { .size = sizeof(caps) };
	int fd = open("/dev/gpreempt", O_RDWR | O_CLOEXEC);

	GT_CHECK(fd >= 0 && !ioctl(fd, GPREEMPT_IOC_CAPS, &caps), "caps: %s", strerror(errno));
	close(fd);
	return caps.gpu_ids[0];
}

static void check_says_who_schedules(void)
{
	struct gt_program daemon;

	gt_gpk_unload();
	gt_stack_devices();
	gt_command_check("warn  module        gpreempt.ko is not loaded",
			 "warn  mechanism     none");
	gt_command_load();
	gt_command_check(GT_CHECK_LOADED,
			 "ok    mechanism     kernel: gpreempt.ko schedules by itself");
	gt_daemon_start(&daemon, NULL);
	gt_command_check(GT_CHECK_LOADED,
			 "ok    mechanism     kernel: gpreempt.ko schedules, the daemon");
	gt_command_as(GT_USER, 0, "ok    module        gpreempt.ko is loaded; this user asks it",
		      (const char *const[]){ "gpreempt", "check", NULL });
	gt_daemon_stop(&daemon);
	gt_daemon_start(&daemon, "[daemon]\nmechanism = user\n");
	gt_command_check(GT_CHECK_LOADED,
			 "warn  mechanism     shim, dbg: the daemon does not use gpreempt.ko");
	gt_command_end(&daemon);
}

static void a_process_is_listed_changed_and_held(void)
{
	struct gt_program daemon;
	struct gt_load job;
	char pid[16], text[96], queue[64];
	uint32_t gpu;

	gt_command_begin(&daemon, NULL);
	gpu = first_gpu();
	GT_LOAD(&job, GT_KERNEL, GT_USER, "besteffort", "load_offline", "--endless");
	snprintf(pid, sizeof(pid), "%d", job.pid);
	snprintf(text, sizeof(text), "%s,1,kernel,running,besteffort", pid);
	GT_COMMAND_UNTIL(text, "list", "--csv", "--fields", "pid,nr_queues,mechanism,state,class");
	snprintf(text, sizeof(text), "%s,%u,0,aql,yes,kernel", pid, gpu);
	GT_COMMAND(text, "list", "queues", "--csv", "--fields",
		"pid,gpu_id,queue_id,type,busy,mechanism");
	GT_COMMAND("\"scheduler\": \"kernel\"", "list", "devices", "--json");
	GT_COMMAND("kernel", "show", pid);
	GT_COMMAND("-> 5", "set", pid, "prio=5");
	GT_CHECK(gt_command_prio(job.pid) == 5, "priority %u", gt_command_prio(job.pid));
	GT_COMMAND("suspended", "suspend", pid);
	GT_CHECK(!gt_load_mapped(&job), "it still has a slot");
	GT_COMMAND("manual", "list", "--csv", "--fields", "pid,held");
	gt_sleep_us(2 * GT_LEASE_MS * 1000);
	GT_CHECK(!gt_load_mapped(&job), "the daemon did not renew the lease");
	GT_COMMAND("resumed", "resume", pid);
	GT_CHECK(!gt_load_wait_mapped(&job, 1, MS), "it was not resumed");
	snprintf(queue, sizeof(queue), "%s/%u/0", pid, gpu);
	GT_COMMAND("suspended", "suspend", queue, "--lease", "500ms");
	GT_CHECK(!gt_load_mapped(&job), "its queue still has a slot");
	GT_CHECK(!gt_load_wait_mapped(&job, 1, MS), "the lease did not end");
	gt_load_stop(&job, MS);
	gt_command_end(&daemon);
}

static void several_are_held_in_one_cycle(void)
{
	struct gt_program daemon;
	struct gt_load job[3];
	char pid[3][16];
	uint64_t cycles;

	gt_command_begin(&daemon, NULL);
	/* Not for the scheduler to decide. */
	GT_COMMAND(NULL, "policy", "off");
	for (int i = 0; i < 3; i++) {
		GT_LOAD(&job[i], GT_KERNEL, 0, "besteffort", "load_offline", "--endless");
		snprintf(pid[i], sizeof(pid[i]), "%d", job[i].pid);
	}
	cycles = gt_stat(0, "unmaps");
	GT_COMMAND("suspended", "suspend", pid[0], pid[1], pid[2]);
	cycles = gt_stat(0, "unmaps") - cycles;
	GT_CHECK(cycles == 1, "%lu cycles", cycles);
	for (int i = 0; i < 3; i++)
		GT_CHECK(!gt_load_mapped(&job[i]), "%s still has a slot", pid[i]);
	GT_COMMAND("resumed", "resume", pid[0], pid[1], pid[2]);
	for (int i = 0; i < 3; i++) {
		GT_CHECK(!gt_load_wait_mapped(&job[i], 1, MS), "%s was not resumed", pid[i]);
		gt_load_kill(&job[i]);
	}
	gt_command_end(&daemon);
}

static void policies_and_numbers_are_the_modules(void)
{
	struct gt_program daemon;
	uint32_t gpu;

	gt_command_begin(&daemon, "[policy]\nname = slice\n");
	gpu = first_gpu();
	GT_CHECK(policy_is(gpu, "slice", true), "the configuration did not reach it");
	GT_COMMAND("slice -> fair", "policy", "set", "fair");
	GT_CHECK(policy_is(gpu, "fair", true), "the policy did not reach it");
	GT_COMMAND("policy fair, scheduling on", "policy", "get");
	GT_COMMAND(NULL, "policy", "off");
	GT_CHECK(policy_is(gpu, "fair", false), "off did not reach it");
	GT_COMMAND("policy fair, scheduling off", "policy", "get");
	GT_COMMAND(NULL, "policy", "on");
	GT_CHECK(policy_is(gpu, "fair", true), "on did not reach it");
	GT_COMMAND("min_run_ns", "policy", "set", "min_run_ns=3000000");
	GT_COMMAND("min_run_ns,3000000", "policy", "get", "--csv", "--fields", "name,value");
	GT_COMMAND("SWITCHES", "stats");
	GT_COMMAND("gpreempt_node_module{gpu_id=", "metrics");
	GT_COMMAND("gpreempt_module_wakeups_total{gpu_id=", "metrics");
	gt_command_end(&daemon);
}

/*
 * With a daemon that says it is off, the same requests wait for ever. The first may find room: when
 * the driver maps the new queue, the waves of the other process are off the GPU for a moment.
 */
static void online_is_served_beside_an_endless_kernel(void)
{
	struct gt_load offline, online;
	struct gt_program daemon, events, trace;
	struct gt_view view;

	gt_command_begin(&daemon, NULL);
	GT_START(&events, 0, "gpreempt", "monitor", "--trace");
	GT_CHECK(!gt_program_says(&events, "monitoring", MS), "no events");
	GT_START(&trace, 0, "gpreempt", "trace", "record", "-o", "/tmp/trace.jsonl");
	GT_LOAD(&offline, GT_KERNEL, GT_USER, "besteffort", "load_offline", "--endless");
	GT_COMMAND(NULL, "policy", "off");
	GT_LOAD(&online, GT_KERNEL, 0, "realtime", "load_online", "--count", "2");
	GT_CHECK(gt_load_moves(&online, 2, NEVER_MS), "there was room");
	gt_load_kill(&online);
	GT_COMMAND(NULL, "policy", "on");
	GT_LOAD(&online, GT_KERNEL, 0, "realtime", "load_online", "--count", REQUESTS);
	gt_load_wait(&online, 60000);
	GT_CHECK(!gt_daemon_view(offline.pid, &view) && view.nr_preempted > 0, "not preempted");
	gt_note("online p50 %.1f ms, p99 %.1f ms; %lu preemptions",
		gt_program_value(&online.program, "p50_us") / 1e3,
		gt_program_value(&online.program, "p99_us") / 1e3, view.nr_preempted);
	GT_CHECK(!gt_program_says(&events, "became busy", MS), "no edge");
	GT_CHECK(!gt_program_says(&events, "took", MS), "no switch");
	GT_CHECK(!gt_program_says(&events, "preempting -> preempted", MS), "no record");
	gt_program_stop(&events, SIGTERM, MS);
	GT_CHECK(!gt_program_stop(&trace, SIGINT, MS), "the recording's end");
	GT_COMMAND(NULL, "trace", "convert", "/tmp/trace.jsonl", "-o", "/tmp/trace.json");
	GT_CHECK(gt_file_has("/tmp/trace.json", "preempted"), "the timeline");
	gt_load_stop(&offline, MS);
	gt_command_end(&daemon);
}

/* What counts is the owner of the queue, not the name on the command line. */
static void children_have_the_attributes_too(void)
{
	struct gt_program daemon;
	struct gt_load job;
	char text[32];
	uint32_t prio;

	gt_command_begin(&daemon, NULL);
	GT_LOAD(&job, GT_KERNEL, 0, "realtime", "sh", "-c", "load_offline \"$@\"; true", "sh",
		"--kernel-ms", "20");
	GT_CHECK(job.pid != job.program.pid, "it is the same process");
	prio = gt_command_prio(job.pid);
	GT_CHECK(prio == gt_command_prio(job.program.pid) && prio > 7, "priority %u", prio);
	snprintf(text, sizeof(text), "%d,realtime", job.pid);
	GT_COMMAND(text, "list", "--csv", "--fields", "pid,class");
	kill(job.pid, SIGTERM);
	GT_CHECK(!gt_program_wait(&job.program, MS), "its end");
	gt_command_end(&daemon);
}

/* Its first kernel: it may have ended long ago. */
static void wait_completed(const struct gt_load *l)
{
	uint64_t end = gt_deadline_ns(MS);

	while (!l->progress->completed) {
		GT_CHECK(gt_now_ns() < end, "the kernel of %d does not end", l->pid);
		gt_sleep_us(1000);
	}
}

/* A cycle takes all off for a moment: what is seen must last. */
static void wait_apart(const struct gt_load *job, const struct gt_load *idle,
		       const struct gt_load *other)
{
	uint64_t end = gt_deadline_ns(MS);
	unsigned int seen = 0;

	while (seen < 20) {
		bool out = !gt_load_mapped(job) && !gt_load_mapped(idle);

		seen = out && gt_load_mapped(other) == 1 ? seen + 1 : 0;
		GT_CHECK(gt_now_ns() < end, "on the GPU: busy %u, idle %u, in no group %u",
			 gt_load_mapped(job), gt_load_mapped(idle), gt_load_mapped(other));
		gt_sleep_us(5000);
	}
}

/* Its members have queues; the one that is not in the group shows what is not done. */
static void a_group_leaves_and_returns_together(void)
{
	struct gt_load idle, other, job, urgent;
	struct gt_program daemon;
	char text[48];

	gt_command_begin(&daemon, NULL);
	GT_LOAD(&idle, GT_PLAIN, 0, NULL, "gpreempt", "run", "-c", "besteffort", "-g", "team", "--",
		"load_online", "--period-ms", "600000");
	GT_LOAD(&other, GT_KERNEL, 0, "besteffort", "load_online", "--period-ms", "600000");
	wait_completed(&idle);
	wait_completed(&other);
	GT_LOAD(&job, GT_PLAIN, 0, NULL, "gpreempt", "run", "-c", "besteffort", "-g", "team", "--",
		"load_offline", "--endless");
	snprintf(text, sizeof(text), "%d,team", idle.pid);
	GT_COMMAND(text, "list", "--csv", "--fields", "pid,group");
	GT_CHECK(gt_load_mapped(&idle) == 1 && gt_load_mapped(&job) == 1, "not on the GPU");
	GT_LOAD(&urgent, GT_KERNEL, 0, "realtime", "load_offline", "--endless");
	wait_apart(&job, &idle, &other);
	gt_load_kill(&urgent);
	GT_CHECK(!gt_load_wait_mapped(&job, 1, MS), "it does not return");
	GT_CHECK(!gt_load_wait_mapped(&idle, 1, MS), "its group returned without it");
	gt_load_kill(&idle);
	gt_load_kill(&other);
	gt_load_stop(&job, MS);
	gt_command_end(&daemon);
}

static void users_are_kept_apart(void)
{
	struct gt_program daemon;
	struct gt_load job;
	char pid[16];

	gt_command_begin(&daemon, NULL);
	GT_LOAD(&job, GT_KERNEL, GT_USER, "besteffort", "load_offline", "--endless");
	snprintf(pid, sizeof(pid), "%d", job.pid);
	GT_REFUSED(GT_OTHER_USER, "suspend", pid);
	GT_REFUSED(GT_OTHER_USER, "set", pid, "prio=0");
	GT_REFUSED(GT_OTHER_USER, "policy", "set", "fair");
	GT_REFUSED(GT_USER, "set", pid, "prio=14");
	GT_CHECK(gt_load_mapped(&job) == 1, "it was suspended");
	GT_CHECK(gt_command_prio(job.pid) < 7, "priority %u", gt_command_prio(job.pid));
	gt_command_as(GT_USER, 0, "suspended",
		      (const char *const[]){ "gpreempt", "suspend", pid, NULL });
	GT_CHECK(!gt_load_mapped(&job), "its owner cannot");
	gt_command_as(GT_USER, 0, "resumed",
		      (const char *const[]){ "gpreempt", "resume", pid, NULL });
	gt_load_stop(&job, MS);
	gt_command_end(&daemon);
}

static void as_owner(const char *pid, const char *what)
{
	gt_command_as(GT_USER, 0, NULL,
		      (const char *const[]){ "gpreempt", "set", pid, what, NULL });
}

/* The daemon passes on what a user asks for; it does not ask for more than the user may. */
static void the_word_of_root_is_a_limit(void)
{
	struct gt_program daemon;
	struct gt_load job;
	char pid[16];

	gt_command_begin(&daemon, NULL);
	GT_LOAD(&job, GT_KERNEL, GT_USER, "besteffort", "load_offline", "--endless");
	snprintf(pid, sizeof(pid), "%d", job.pid);
	/* Control: nobody but its owner has said anything. */
	as_owner(pid, "prio=5");
	GT_CHECK(gt_command_prio(job.pid) == 5, "priority %u", gt_command_prio(job.pid));
	GT_COMMAND(NULL, "set", pid, "prio=3");
	GT_REFUSED(GT_USER, "set", pid, "prio=5");
	GT_CHECK(gt_command_prio(job.pid) == 3, "priority %u", gt_command_prio(job.pid));
	as_owner(pid, "prio=1");
	as_owner(pid, "prio=3");
	GT_REFUSED(GT_USER, "set", pid, "prio=4");
	GT_CHECK(gt_command_prio(job.pid) == 3, "priority %u", gt_command_prio(job.pid));
	gt_load_stop(&job, MS);
	gt_command_end(&daemon);
}

/* Beside the ways of the unmodified driver. */
static void the_module_is_measured(void)
{
	struct gt_program p;

	gt_gpk_unload();
	gt_stack_devices();
	gt_command_load();
	GT_CHECK(!GT_RUN(&p, 0, 60000, "gpreempt", "bench", "mechanisms", "--count", "3", "--csv",
			 "--fields", "name,nr_queues,cycles,result,stop_p50_ns,resume_p50_ns"),
		 "exit code");
	gt_program_show(&p);
	GT_CHECK(!gt_program_says(&p, "hook,1,1,measured", 10), "one queue");
	GT_CHECK(!gt_program_says(&p, "hook,4,1,measured", 10), "four queues");
	gt_gpk_unload();
}

static const struct gt_case cases[] = {
	{ "check_says_who_schedules", check_says_who_schedules, TINY, 60 },
	{ "a_process_is_listed_changed_and_held", a_process_is_listed_changed_and_held, TINY, 90 },
	{ "several_are_held_in_one_cycle", several_are_held_in_one_cycle, TINY, 60 },
	{ "policies_and_numbers_are_the_modules", policies_and_numbers_are_the_modules, TINY, 60 },
	{ "online_is_served_beside_an_endless_kernel", online_is_served_beside_an_endless_kernel,
	  TINY, 90 },
	{ "children_have_the_attributes_too", children_have_the_attributes_too, TINY, 60 },
	{ "a_group_leaves_and_returns_together", a_group_leaves_and_returns_together, TINY, 90 },
	{ "the_word_of_root_is_a_limit", the_word_of_root_is_a_limit, TINY, 60 },
	{ "users_are_kept_apart", users_are_kept_apart, TINY, 60 },
	{ "the_module_is_measured", the_module_is_measured, TINY, 90 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
