// SPDX-License-Identifier: MIT
/*
 * AMDKFD_IOC_DBG_TRAP: which process may open a session, what each operation asks for first, and
 * what ENABLE does besides.
 */
#define _GNU_SOURCE
#include "gt/gt_debug.h"

#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define TINY "profile=tiny"
#define SLOW TINY " queue_preemption_timeout_ms=1000"
#define GRACE 1
#define KTHREADD 2
#define OTHER_USER 1000
#define SOMEBODY_ELSE 1001

static const struct gt_shape endless = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 0, .step_ns = 100000, .seed = 1,
};

/* Return: of the operation, with arguments that are all 0. */
static int plain(const struct gt_session *s, uint32_t op)
{
	struct kfd_ioctl_dbg_trap_args args = {};

	return gt_debug_trap(s, op, &args);
}

static void expect_good_end(pid_t pid)
{
	int status;

	GT_CHECK(waitpid(pid, &status, 0) == pid, "wait");
	GT_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "process %d: %x", pid, status);
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	GT_CHECK(waitpid(pid, NULL, 0) == pid, "wait");
}

/* kfd_ioctl(): the file belongs to the process that opened it. */
static void file_of_another_process_is_refused(void)
{
	struct kfd_runtime_info info;
	struct gt_session s = {};
	struct gt_gpu gpu;
	pid_t pid;
	int r;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	s.pid = getpid();
	pid = fork();
	if (!pid) {
		r = gt_debug_enable(&s, &info);
		GT_CHECK(r == -EBADF, "with the parent's file: %d", r);
		_exit(0);
	}
	expect_good_end(pid);
	GT_CHECK(!gt_debug_enable(&s, &info), "with its own");
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

static void kernel_thread_is_no_target(void)
{
	struct gt_session s = { .pid = KTHREADD };
	struct kfd_runtime_info info;
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	r = gt_debug_enable(&s, &info);
	GT_CHECK(r == -ESRCH, "%d", r);
}

/* Only the ENABLE of a tracer makes a KFD process of what is none. */
static void tracer_makes_the_target_a_kfd_process(void)
{
	struct kfd_runtime_info info = { .runtime_state = 77 };
	struct gt_session s = {};
	struct gt_gpu gpu;
	char path[64];
	int r;

	s.pid = fork();
	if (!s.pid) {
		pause();
		_exit(0);
	}
	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d", s.pid);
	r = gt_debug_enable(&s, &info);
	GT_CHECK(r == -ESRCH, "not traced: %d", r);
	GT_CHECK(!ptrace(PTRACE_SEIZE, s.pid, 0, 0), "%s", strerror(errno));
	r = plain(&s, KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT);
	GT_CHECK(r == -ESRCH, "traced, but another operation: %d", r);
	GT_CHECK(access(path, F_OK), "it is one already");
	r = gt_debug_enable(&s, &info);
	GT_CHECK(!r, "traced: %d", r);
	GT_CHECK(!access(path, F_OK), "it is none");
	GT_CHECK(info.runtime_state == DEBUG_RUNTIME_STATE_DISABLED, "%u", info.runtime_state);
	GT_CHECK(!gt_debug_disable(&s), "disable");
	end_child(s.pid);
}

/**
 * struct tracing - a thread that traces, and opens the session when told to
 */
struct tracing {
	struct gt_session session;
	int go[2], seized[2];
	int result;
};

static void *trace_thread(void *arg)
{
	struct kfd_runtime_info info;
	struct tracing *t = arg;
	char c;

	GT_CHECK(!ptrace(PTRACE_SEIZE, t->session.pid, 0, 0), "%s", strerror(errno));
	GT_CHECK(write(t->seized[1], "", 1) == 1 && read(t->go[0], &c, 1) == 1, "pipe");
	t->result = gt_debug_enable(&t->session, &info);
	return NULL;
}

static void only_the_tracing_thread_may_enable(void)
{
	struct kfd_runtime_info info;
	struct tracing t = {};
	struct gt_gpu gpu;
	pthread_t thread;
	int r;
	char c;

	GT_CHECK(!pipe(t.go) && !pipe(t.seized), "pipe");
	t.session.pid = fork();
	if (!t.session.pid) {
		gt_gpu_open(&gpu, 0);
		GT_CHECK(write(t.seized[1], "", 1) == 1, "pipe");
		pause();
	}
	GT_CHECK(read(t.seized[0], &c, 1) == 1, "child");
	gt_gpu_open(&gpu, 0);
	t.session.kfd = gpu.kfd;
	GT_CHECK(!pthread_create(&thread, NULL, trace_thread, &t), "thread");
	GT_CHECK(read(t.seized[0], &c, 1) == 1, "thread");
	r = gt_debug_enable(&t.session, &info);
	GT_CHECK(r == -EPERM, "by another thread: %d", r);
	GT_CHECK(write(t.go[1], "", 1) == 1, "pipe");
	GT_CHECK(!pthread_join(thread, NULL), "thread");
	GT_CHECK(!t.result, "by the thread that traces: %d", t.result);
	GT_CHECK(!gt_debug_disable(&t.session), "disable");
	end_child(t.session.pid);
}

/* First "not enabled", then "no runtime", and for some of them only. */
static void operations_ask_for_session_and_runtime(void)
{
	static const struct {
		uint32_t op;
		int result;	/* without the runtime */
	} ops[] = {
		{ KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_OVERRIDE, -EPERM },
		{ KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_MODE, -EPERM },
		{ KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, -EPERM },
		{ KFD_IOC_DBG_TRAP_RESUME_QUEUES, -EPERM },
		{ KFD_IOC_DBG_TRAP_SET_NODE_ADDRESS_WATCH, -EPERM },
		{ KFD_IOC_DBG_TRAP_CLEAR_NODE_ADDRESS_WATCH, -EPERM },
		{ KFD_IOC_DBG_TRAP_SET_FLAGS, -EPERM },
		{ KFD_IOC_DBG_TRAP_SET_EXCEPTIONS_ENABLED, 0 },
		{ KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT, -EAGAIN },
		{ KFD_IOC_DBG_TRAP_QUERY_EXCEPTION_INFO, -EINVAL },
		{ KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT, -EINVAL },
		{ KFD_IOC_DBG_TRAP_GET_DEVICE_SNAPSHOT, -EINVAL },
		{ KFD_IOC_DBG_TRAP_SEND_RUNTIME_EVENT, 0 },
		{ 99, -EINVAL },
		{ KFD_IOC_DBG_TRAP_DISABLE, 0 },
	};
	struct kfd_queue_snapshot_entry entry;
	struct gt_session s = { .pid = getpid() };
	struct kfd_runtime_info info;
	struct gt_gpu gpu;
	size_t i;
	int r;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		r = plain(&s, ops[i].op);
		GT_CHECK(r == -EINVAL, "operation %u, not enabled: %d", ops[i].op, r);
	}
	GT_CHECK(!gt_debug_enable(&s, &info), "enable");
	GT_CHECK(gt_debug_snapshot(&s, &entry, 1, 0) == 0, "a snapshot needs no runtime");
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		r = plain(&s, ops[i].op);
		GT_CHECK(r == ops[i].result, "operation %u, no runtime: %d", ops[i].op, r);
	}
	/* Control: with the runtime only the override is, as the GPU has no trap handler. */
	s = gt_debug_self(&gpu);
	for (i = 1; i < sizeof(ops) / sizeof(ops[0]); i++) {
		r = plain(&s, ops[i].op);
		GT_CHECK(r != -EPERM, "operation %u", ops[i].op);
	}
}

/* The device files are open already: what is asked for is ptrace, not root. */
static void become(uid_t uid)
{
	GT_CHECK(!setgroups(0, NULL) && !setresgid(uid, uid, uid) && !setresuid(uid, uid, uid),
		 "%s", strerror(errno));
	GT_CHECK(!prctl(PR_SET_DUMPABLE, 1), "%s", strerror(errno));
}

/* A process of @uid that waits for its debugger. */
static pid_t start_target(uid_t uid)
{
	struct gt_gpu gpu;
	int fds[2];
	pid_t pid;
	char c;

	GT_CHECK(!pipe(fds), "pipe");
	pid = fork();
	if (!pid) {
		gt_gpu_open(&gpu, 0);
		become(uid);
		GT_CHECK(!gt_debug_runtime_enable(&gpu), "runtime");
		GT_CHECK(write(fds[1], "", 1) == 1, "pipe");
		pause();
	}
	GT_CHECK(read(fds[0], &c, 1) == 1, "the target did not start");
	return pid;
}

static void root_is_not_needed(void)
{
	struct gt_session s = {}, other = {}, self;
	struct kfd_runtime_info info = {};
	struct gt_queue q;
	struct gt_gpu gpu;
	uint32_t id;
	int r;

	s.pid = start_target(OTHER_USER);
	other.pid = start_target(SOMEBODY_ELSE);
	gt_gpu_open(&gpu, 0);
	s.kfd = other.kfd = gpu.kfd;
	become(OTHER_USER);
	/* Control: another user's process. */
	GT_CHECK(ptrace(PTRACE_SEIZE, other.pid, 0, 0) && errno == EPERM, "%s", strerror(errno));
	r = gt_debug_enable(&other, &info);
	GT_CHECK(r == -EPERM, "%d", r);
	GT_CHECK(!ptrace(PTRACE_SEIZE, s.pid, 0, 0), "%s", strerror(errno));
	r = gt_debug_enable(&s, &info);
	GT_CHECK(!r && info.runtime_state == DEBUG_RUNTIME_STATE_ENABLED, "%d", r);
	GT_CHECK(!gt_debug_disable(&s), "disable");
	self = gt_debug_self(&gpu);
	gt_queue_create(&gpu, 7, &q);
	gt_debug_clear_new(&self);
	id = q.id;
	r = gt_debug_suspend(&self, &id, 1, GRACE);
	GT_CHECK(r == 1, "suspended %d", r);
	GT_CHECK(!gt_debug_disable(&self), "disable");
	end_child(s.pid);
}

/* kfd_dbg_trap_enable() of 6.12.115 takes the session back when it cannot tell the state. */
static void unwritable_state_undoes_enable(void)
{
	struct kfd_ioctl_dbg_trap_args args = {};
	struct kfd_queue_snapshot_entry entry;
	struct kfd_runtime_info info;
	struct gt_session s = { .pid = getpid() };
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	GT_CHECK(!gt_debug_runtime_enable(&gpu), "runtime");
	r = gt_debug_enable(&s, (void *)8);
	GT_CHECK(r == -EFAULT, "%d", r);
	r = gt_debug_snapshot(&s, &entry, 1, 0);
	GT_CHECK(r == -EINVAL, "a session is open: %d", r);
	/* Only as much as asked for, and how much there is. */
	memset(&info, 0x5a, sizeof(info));
	args.enable.rinfo_ptr = (uintptr_t)&info;
	args.enable.rinfo_size = sizeof(info.r_debug);
	args.enable.dbg_fd = s.events[1];
	r = gt_debug_trap(&s, KFD_IOC_DBG_TRAP_ENABLE, &args);
	GT_CHECK(!r, "%d", r);
	GT_CHECK(args.enable.rinfo_size == sizeof(info), "%u", args.enable.rinfo_size);
	GT_CHECK(!info.r_debug && info.runtime_state == 0x5a5a5a5a, "%x", info.runtime_state);
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

/* A process of its own whose kernel has four waves on the GPU. */
static pid_t start_neighbour(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	pid_t pid = fork();

	if (pid)
		return pid;
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &endless, &k);
	gt_kernel_launch(&k, &q);
	pause();
	_exit(0);
}

/* debug_refresh_runlist(): every queue leaves the GPU and comes back. */
static void enable_interrupts_everybody(void)
{
	pid_t neighbour = start_neighbour();
	struct kfd_runtime_info info;
	struct gt_session s = { .pid = getpid() };
	struct gt_gpu gpu;
	uint64_t saves;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	GT_CHECK(!gt_debug_runtime_enable(&gpu), "runtime");
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
	saves = gt_stat(0, "saves");
	GT_CHECK(!gt_debug_enable(&s, &info), "enable");
	GT_CHECK(gt_stat(0, "saves") > saves, "nothing was interrupted");
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "it did not come back");
	GT_CHECK(!gt_debug_disable(&s), "disable");
	end_child(neighbour);
}

/* Control for the one above: before the runtime there is nothing to activate. */
static void enable_without_runtime_interrupts_nobody(void)
{
	pid_t neighbour = start_neighbour();
	struct kfd_runtime_info info;
	struct gt_session s = { .pid = getpid() };
	struct gt_gpu gpu;
	uint64_t saves;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
	saves = gt_stat(0, "saves");
	GT_CHECK(!gt_debug_enable(&s, &info), "enable");
	GT_CHECK(gt_stat(0, "saves") == saves, "%lu saves", gt_stat(0, "saves") - saves);
	GT_CHECK(!gt_debug_disable(&s), "disable");
	end_child(neighbour);
}

/* GC 9.4.2 and later debug by VMID: sessions do not exclude each other. */
static void debug_a_while(void)
{
	struct gt_session s;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint32_t id;
	int r;

	gt_gpu_open(&gpu, 0);
	s = gt_debug_self(&gpu);
	gt_queue_create(&gpu, 7, &q);
	gt_debug_clear_new(&s);
	id = q.id;
	r = gt_debug_suspend(&s, &id, 1, GRACE);
	GT_CHECK(r == 1, "suspended %d", r);
	gt_sleep_us(300000);
	GT_CHECK(gt_debug_resume(&s, &id, 1) == 1, "resume");
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

static void two_sessions_share_a_gpu(void)
{
	pid_t pid = fork();

	debug_a_while();
	if (!pid)
		_exit(0);
	expect_good_end(pid);
}

/* The call succeeds; the state tells, and nothing that needs hardware works. */
static void enable_hides_broken_hardware(void)
{
	struct kfd_runtime_info info = {};
	struct gt_session s = { .pid = getpid() };
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	uint32_t event, id;
	int r;

	gt_gpu_open(&gpu, 0);
	s.kfd = gpu.kfd;
	GT_CHECK(!gt_debug_runtime_enable(&gpu), "runtime");
	event = gt_event_create(&gpu, KFD_IOC_EVENT_HW_EXCEPTION, NULL);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &endless, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
	gt_fault(0, "lose_fence 1");
	r = gt_debug_enable(&s, &info);
	GT_CHECK(!r, "%d", r);
	GT_CHECK(info.runtime_state == DEBUG_RUNTIME_STATE_ENABLED_ERROR, "state %u",
		 info.runtime_state);
	id = q.id;
	r = gt_debug_suspend(&s, &id, 1, GRACE);
	GT_CHECK(r == -EPERM, "suspend: %d", r);
	GT_CHECK(!gt_debug_disable(&s), "disable");
	r = gt_event_wait(&gpu, event, NULL, 5000);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "no reset: %d", r);
	/* After it, and after DISABLE, a session can be opened again. */
	r = gt_debug_enable(&s, &info);
	GT_CHECK(!r && info.runtime_state == DEBUG_RUNTIME_STATE_ENABLED, "%d, state %u", r,
		 info.runtime_state);
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

static const struct gt_case cases[] = {
	{ "file_of_another_process_is_refused", file_of_another_process_is_refused, TINY, 10 },
	{ "kernel_thread_is_no_target", kernel_thread_is_no_target, TINY, 10 },
	{ "tracer_makes_the_target_a_kfd_process", tracer_makes_the_target_a_kfd_process, TINY,
	  10 },
	{ "only_the_tracing_thread_may_enable", only_the_tracing_thread_may_enable, TINY, 10 },
	{ "operations_ask_for_session_and_runtime", operations_ask_for_session_and_runtime, TINY,
	  10 },
	{ "root_is_not_needed", root_is_not_needed, TINY, 10 },
	{ "unwritable_state_undoes_enable", unwritable_state_undoes_enable, TINY, 10 },
	{ "enable_interrupts_everybody", enable_interrupts_everybody, TINY, 10 },
	{ "enable_without_runtime_interrupts_nobody", enable_without_runtime_interrupts_nobody,
	  TINY, 10 },
	{ "two_sessions_share_a_gpu", two_sessions_share_a_gpu, TINY, 10 },
	{ "enable_hides_broken_hardware", enable_hides_broken_hardware, SLOW, 20 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
