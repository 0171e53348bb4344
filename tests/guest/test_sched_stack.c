// SPDX-License-Identifier: MIT
/*
 * The user-space stack over the kernel module: the command, the library and the daemon
 * do with gpreempt.ko what they do without, and nothing stays stopped when one of them
 * goes.
 *
 * Variant: hooks
 * Needs: stack
 */
#define _GNU_SOURCE
#include "gt_load.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "uapi/linux/gpreempt.h"

#define MODULE "/lib/modules/gpreempt.ko"
#define TINY "profile=tiny poll_us=100"
#define MS 20000
#define NEVER_MS 1000
#define REQUESTS "20"
#define DENIED 5	/* exit code, gpreempt(1) */

static void module_unload(void)
{
	int tries;

	for (tries = 0; tries < 250; tries++) {
		if (!syscall(SYS_delete_module, "gpreempt", O_NONBLOCK) || errno == ENOENT)
			return;
		GT_CHECK(errno == EAGAIN || errno == EBUSY, "%s", strerror(errno));
		gt_sleep_us(20000);
	}
	gt_fail("gpreempt.ko stays");
}

static void module_load(void)
{
	int fd = open(MODULE, O_RDONLY | O_CLOEXEC);

	GT_CHECK(fd >= 0, "%s", MODULE);
	GT_CHECK(!syscall(SYS_finit_module, fd, "", 0), "load: %s", strerror(errno));
	close(fd);
}

/* The module's own word, not the daemon's. */
static uint32_t prio_of(pid_t pid)
{
	int fd = open("/dev/gpreempt", O_RDWR | O_CLOEXEC), r;
	struct gpreempt_ioc_attr arg = { .size = sizeof(arg), .pidfd = -1 };

	GT_CHECK(fd >= 0, "open: %s", strerror(errno));
	arg.pidfd = syscall(SYS_pidfd_open, pid, 0);
	GT_CHECK(arg.pidfd >= 0, "pidfd: %s", strerror(errno));
	r = ioctl(fd, GPREEMPT_IOC_GET_ATTR, &arg);
	GT_CHECK(!r, "attributes: %s", strerror(errno));
	close(arg.pidfd);
	close(fd);
	return arg.prio;
}

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

static void begin(struct gt_program *daemon, const char *config)
{
	module_unload();
	gt_stack_devices();
	module_load();
	gt_daemon_start(daemon, config);
}

static void end(struct gt_program *daemon)
{
	gt_daemon_stop(daemon);
	module_unload();
}

/* Runs gpreempt; it must end with @code and say @text. */
static void command_as(uid_t uid, int code, const char *text, const char *const argv[])
{
	struct gt_program p;
	int r = gt_program_run(&p, uid, MS, argv);

	if (r != code || (text && gt_program_says(&p, text, 10))) {
		gt_program_show(&p);
		gt_fail("%s %s: %d, not %d and \"%s\"", argv[0], argv[1], r, code,
			text ? text : "");
	}
}

#define COMMAND(text, ...) \
	command_as(0, 0, text, (const char *const[]){ "gpreempt", __VA_ARGS__, NULL })
#define REFUSED(uid, ...) \
	command_as(uid, DENIED, NULL, (const char *const[]){ "gpreempt", __VA_ARGS__, NULL })

/* One run of check, which must say both. */
static void check_says(const char *module, const char *mechanism)
{
	struct gt_program p;
	int r = GT_RUN(&p, 0, MS, "gpreempt", "check");

	if (r || gt_program_says(&p, "ok    hooks         amdkfd is patched", 10) ||
	    gt_program_says(&p, module, 10) || gt_program_says(&p, mechanism, 10)) {
		gt_program_show(&p);
		gt_fail("check: %d, \"%s\", \"%s\"", r, module, mechanism);
	}
}

#define LOADED \
	"ok    module        gpreempt.ko with ABI 1 on 1 GPU; detection: poll, critical, " \
	"doorbell, manual"

static void check_says_who_schedules(void)
{
	struct gt_program daemon;

	module_unload();
	gt_stack_devices();
	check_says("warn  module        gpreempt.ko is not loaded", "warn  mechanism     none");
	module_load();
	check_says(LOADED, "ok    mechanism     kernel: gpreempt.ko schedules by itself");
	gt_daemon_start(&daemon, NULL);
	check_says(LOADED, "ok    mechanism     kernel: gpreempt.ko schedules, the daemon");
	gt_daemon_stop(&daemon);
	gt_daemon_start(&daemon, "[daemon]\nmechanism = user\n");
	check_says(LOADED, "warn  mechanism     shim, dbg: the daemon does not use gpreempt.ko");
	end(&daemon);
}

static void a_process_is_listed_changed_and_held(void)
{
	struct gt_program daemon;
	struct gt_load job;
	char pid[16], text[96], queue[64];
	uint32_t gpu;

	begin(&daemon, NULL);
	gpu = first_gpu();
	GT_LOAD(&job, GT_KERNEL, GT_USER, "besteffort", "load_offline", "--endless");
	snprintf(pid, sizeof(pid), "%d", job.pid);
	snprintf(text, sizeof(text), "%s,1,kernel,running,besteffort", pid);
	COMMAND(text, "list", "--csv", "--fields", "pid,nr_queues,mechanism,state,class");
	snprintf(text, sizeof(text), "%s,%u,0,aql,yes,kernel", pid, gpu);
	COMMAND(text, "list", "queues", "--csv", "--fields",
		"pid,gpu_id,queue_id,type,busy,mechanism");
	COMMAND("\"scheduler\": \"kernel\"", "list", "devices", "--json");
	COMMAND("kernel", "show", pid);
	COMMAND("-> 5", "set", pid, "prio=5");
	GT_CHECK(prio_of(job.pid) == 5, "priority %u", prio_of(job.pid));
	COMMAND("suspended", "suspend", pid);
	GT_CHECK(!gt_load_mapped(&job), "it still has a slot");
	COMMAND("manual", "list", "--csv", "--fields", "pid,held");
	gt_sleep_us(2 * GT_LEASE_MS * 1000);
	GT_CHECK(!gt_load_mapped(&job), "the daemon did not renew the lease");
	COMMAND("resumed", "resume", pid);
	GT_CHECK(!gt_load_wait_mapped(&job, 1, MS), "it was not resumed");
	snprintf(queue, sizeof(queue), "%s/%u/0", pid, gpu);
	COMMAND("suspended", "suspend", queue, "--lease", "500ms");
	GT_CHECK(!gt_load_mapped(&job), "its queue still has a slot");
	GT_CHECK(!gt_load_wait_mapped(&job, 1, MS), "the lease did not end");
	gt_load_stop(&job, MS);
	end(&daemon);
}

static void policies_and_numbers_are_the_modules(void)
{
	struct gt_program daemon;
	uint32_t gpu;

	begin(&daemon, "[policy]\nname = slice\n");
	gpu = first_gpu();
	GT_CHECK(policy_is(gpu, "slice", true), "the configuration did not reach it");
	COMMAND("slice -> fair", "policy", "set", "fair");
	GT_CHECK(policy_is(gpu, "fair", true), "the policy did not reach it");
	COMMAND("policy fair, scheduling on", "policy", "get");
	COMMAND(NULL, "policy", "off");
	GT_CHECK(policy_is(gpu, "fair", false), "off did not reach it");
	COMMAND("policy fair, scheduling off", "policy", "get");
	COMMAND(NULL, "policy", "on");
	GT_CHECK(policy_is(gpu, "fair", true), "on did not reach it");
	COMMAND("min_run_ns", "policy", "set", "min_run_ns=3000000");
	COMMAND("min_run_ns,3000000", "policy", "get", "--csv", "--fields", "name,value");
	COMMAND("SWITCHES", "stats");
	COMMAND("gpreempt_node_module{gpu_id=", "metrics");
	COMMAND("gpreempt_module_wakeups_total{gpu_id=", "metrics");
	end(&daemon);
}

/* With a daemon that says it is off, the same requests wait for ever. */
static void online_is_served_beside_an_endless_kernel(void)
{
	struct gt_load offline, online;
	struct gt_program daemon, events;
	struct gt_view view;

	begin(&daemon, NULL);
	GT_START(&events, 0, "gpreempt", "monitor", "--trace");
	GT_CHECK(!gt_program_says(&events, "monitoring", MS), "no events");
	GT_LOAD(&offline, GT_KERNEL, GT_USER, "besteffort", "load_offline", "--endless");
	COMMAND(NULL, "policy", "off");
	GT_LOAD(&online, GT_KERNEL, 0, "realtime", "load_online", "--count", "1");
	GT_CHECK(gt_load_moves(&online, 1, NEVER_MS), "there was room");
	gt_load_kill(&online);
	COMMAND(NULL, "policy", "on");
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
	gt_load_stop(&offline, MS);
	end(&daemon);
}

/* What counts is who has the queue, not who was named on the command line. */
static void children_have_the_attributes_too(void)
{
	struct gt_program daemon;
	struct gt_load job;
	char text[32];

	begin(&daemon, NULL);
	GT_LOAD(&job, GT_KERNEL, 0, "realtime", "sh", "-c", "load_offline \"$@\"; true", "sh",
		"--kernel-ms", "20");
	GT_CHECK(job.pid != job.program.pid, "it is the same process");
	GT_CHECK(prio_of(job.pid) == prio_of(job.program.pid) && prio_of(job.pid) > 7,
		 "priority %u", prio_of(job.pid));
	snprintf(text, sizeof(text), "%d,realtime", job.pid);
	COMMAND(text, "list", "--csv", "--fields", "pid,class");
	kill(job.pid, SIGTERM);
	GT_CHECK(!gt_program_wait(&job.program, MS), "its end");
	end(&daemon);
}

static void users_are_kept_apart(void)
{
	struct gt_program daemon;
	struct gt_load job;
	char pid[16];

	begin(&daemon, NULL);
	GT_LOAD(&job, GT_KERNEL, GT_USER, "besteffort", "load_offline", "--endless");
	snprintf(pid, sizeof(pid), "%d", job.pid);
	REFUSED(GT_OTHER_USER, "suspend", pid);
	REFUSED(GT_OTHER_USER, "set", pid, "prio=0");
	REFUSED(GT_OTHER_USER, "policy", "set", "fair");
	REFUSED(GT_USER, "set", pid, "prio=14");
	GT_CHECK(gt_load_mapped(&job) == 1, "it was suspended");
	GT_CHECK(prio_of(job.pid) < 7, "priority %u", prio_of(job.pid));
	command_as(GT_USER, 0, "suspended", (const char *const[]){ "gpreempt", "suspend", pid,
								     NULL });
	GT_CHECK(!gt_load_mapped(&job), "its owner cannot");
	command_as(GT_USER, 0, "resumed", (const char *const[]){ "gpreempt", "resume", pid, NULL });
	gt_load_stop(&job, MS);
	end(&daemon);
}

/* Its own queue cannot be traced (no runtime): only the module can hold it. */
static void without_the_daemon_the_module_is_asked(void)
{
	struct gt_program hold;
	struct gt_load job;
	char pid[16], text[64];

	module_unload();
	gt_stack_devices();
	module_load();
	GT_LOAD(&job, GT_PLAIN, 0, NULL, "gpreempt", "run", "-p", "3", "-c", "besteffort", "--",
		"load_offline", "--endless");
	GT_CHECK(!gt_program_says(&job.program, "classes are the daemon's", 10), "no word of it");
	GT_CHECK(prio_of(job.pid) == 3, "priority %u", prio_of(job.pid));
	snprintf(pid, sizeof(pid), "%d", job.pid);
	snprintf(text, sizeof(text), "%s,1,kernel,running", pid);
	COMMAND(text, "list", "--csv", "--fields", "pid,nr_queues,mechanism,state");
	GT_START(&hold, 0, "gpreempt", "suspend", pid, "--wait", "--lease", "50s");
	GT_CHECK(!gt_program_says(&hold, "suspended", MS), "not suspended");
	GT_CHECK(!gt_load_mapped(&job), "it still has a slot");
	GT_CHECK(!gt_program_stop(&hold, SIGTERM, MS), "the command's end");
	GT_CHECK(!gt_load_wait_mapped(&job, 1, MS), "it does not go on");
	gt_load_stop(&job, MS);
	module_unload();
}

/* Killed, its files are closed; stopped, its leases end. */
static void holds_end_with_the_daemon(void)
{
	static const int signals[] = { SIGKILL, SIGSTOP };
	struct gt_program daemon;
	struct gt_load job;
	char pid[16];
	uint64_t start;

	begin(&daemon, NULL);
	GT_LOAD(&job, GT_KERNEL, GT_USER, "besteffort", "load_offline", "--endless");
	snprintf(pid, sizeof(pid), "%d", job.pid);
	for (int i = 0; i < 2; i++) {
		COMMAND("suspended", "suspend", pid, "--lease", "60s");
		GT_CHECK(!gt_load_mapped(&job), "it still has a slot");
		start = gt_now_ns();
		kill(daemon.pid, signals[i]);
		GT_CHECK(!gt_load_wait_mapped(&job, 1, GT_LEASE_MS + GT_SLACK_MS),
			 "it stays suspended");
		gt_note("%s: in its slot again after %.1f ms",
			i ? "daemon stopped" : "daemon killed", (gt_now_ns() - start) / 1e6);
		if (i)
			kill(daemon.pid, SIGCONT);
		else
			GT_CHECK(gt_program_wait(&daemon, MS) == 128 + SIGKILL, "its end");
		if (!i)
			gt_daemon_start(&daemon, NULL);
	}
	gt_load_stop(&job, MS);
	end(&daemon);
}

/* An idle daemon does not keep the module; it says what happened, and goes on. */
static void the_module_comes_and_goes(void)
{
	struct gt_program daemon;
	struct gt_load job;

	begin(&daemon, NULL);
	GT_LOAD(&job, GT_KERNEL, GT_USER, "besteffort", "load_offline", "--kernel-ms", "20");
	module_unload();
	GT_CHECK(!gt_program_says(&daemon, "the kernel module was unloaded", MS), "not a word");
	GT_CHECK(!gt_daemon_wait_view(job.pid, "none", 1, MS), "the view");
	GT_CHECK(!gt_load_moves(&job, 2, MS), "the job does not go on");
	check_says("warn  module", "ok    mechanism     shim, dbg: the daemon schedules");
	module_load();
	GT_CHECK(!gt_daemon_wait_view(job.pid, "kernel", 1, MS), "it is not back");
	check_says(LOADED, "ok    mechanism     kernel");
	gt_load_stop(&job, MS);
	end(&daemon);
}

/* Beside the ways of the unmodified driver. */
static void the_module_is_measured(void)
{
	struct gt_program p;

	module_unload();
	gt_stack_devices();
	module_load();
	GT_CHECK(!GT_RUN(&p, 0, 60000, "gpreempt", "bench", "mechanisms", "--count", "5", "--csv",
			 "--fields", "name,nr_queues,cycles,result,stop_p50_ns,resume_p50_ns"),
		 "exit code");
	gt_program_show(&p);
	GT_CHECK(!gt_program_says(&p, "hook,1,1,measured", 10), "one queue");
	GT_CHECK(!gt_program_says(&p, "hook,4,1,measured", 10), "four queues");
	module_unload();
}

static const struct gt_case cases[] = {
	{ "check_says_who_schedules", check_says_who_schedules, TINY, 60 },
	{ "a_process_is_listed_changed_and_held", a_process_is_listed_changed_and_held, TINY, 90 },
	{ "policies_and_numbers_are_the_modules", policies_and_numbers_are_the_modules, TINY, 60 },
	{ "online_is_served_beside_an_endless_kernel", online_is_served_beside_an_endless_kernel,
	  TINY, 90 },
	{ "children_have_the_attributes_too", children_have_the_attributes_too, TINY, 60 },
	{ "users_are_kept_apart", users_are_kept_apart, TINY, 60 },
	{ "without_the_daemon_the_module_is_asked", without_the_daemon_the_module_is_asked, TINY,
	  60 },
	{ "holds_end_with_the_daemon", holds_end_with_the_daemon, TINY, 60 },
	{ "the_module_is_measured", the_module_is_measured, TINY, 90 },
	{ "the_module_comes_and_goes", the_module_comes_and_goes, TINY, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
