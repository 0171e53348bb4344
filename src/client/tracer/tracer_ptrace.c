// SPDX-License-Identifier: MIT
/*
 * One thread of the target is traced at a time: the main thread until it ends, then another.
 * With the last one the process ends, and the session is closed before that: the driver finds
 * a process by a thread that still has its memory, and would let one that ends with a session
 * open wait for ever. The main thread stays traced as a zombie, which the driver asks for.
 */
#define _GNU_SOURCE
#include "client/tracer/tracer.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "driver/sysfile.h"

#define OPTIONS (PTRACE_O_TRACEEXIT | PTRACE_O_TRACEEXEC)
#define STOP_TIMEOUT_NS 1000000000ull

/* A line of /proc/PID/status without its key, or "". */
static void status_text(pid_t pid, const char *key, char *out, size_t size)
{
	char path[DRV_SYSFILE_PATH_MAX], line[128];
	size_t len = strlen(key);
	FILE *f;

	out[0] = 0;
	drv_sysfile_path(path, NULL, "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, len) || line[len] != ':')
			continue;
		snprintf(out, size, "%s", line + len + 1 + strspn(line + len + 1, " \t"));
		break;
	}
	fclose(f);
}

/* A number in /proc/PID/status, or -ESRCH. */
static int64_t status_value(pid_t pid, const char *key)
{
	int64_t value = -ESRCH;
	char text[32];

	status_text(pid, key, text, sizeof(text));
	return sscanf(text, "%" SCNd64, &value) == 1 ? value : -ESRCH;
}

/* Its main thread has ended, and others live. */
static bool has_lost_its_leader(pid_t pid)
{
	char state[32];

	status_text(pid, "State", state, sizeof(state));
	return state[0] == 'Z' && status_value(pid, "Threads") > 1;
}

int tracer_seize(struct tracer *t)
{
	int64_t leader = status_value(t->pid, "Tgid");

	if (leader < 0)
		return tracer_refuse(t, -ESRCH, "no such process");
	if (leader != t->pid)
		return tracer_refuse(t, -EINVAL, "a thread, not a process");
	if (!ptrace(PTRACE_SEIZE, t->pid, 0, OPTIONS)) {
		t->is_seized = true;
		t->thread = t->pid;
		return 0;
	}
	if (errno == ESRCH)
		return tracer_refuse(t, -ESRCH, "no such process");
	if (status_value(t->pid, "TracerPid") > 0)
		return tracer_refuse(t, -EBUSY, "something else traces it (a debugger, strace)");
	if (has_lost_its_leader(t->pid))
		return tracer_refuse(t, -EOPNOTSUPP,
				     "its main thread has ended: it cannot be traced");
	return tracer_refuse(t, -EPERM,
			     "not allowed to trace it (another user, or Yama's ptrace_scope)");
}

static bool is_stop_signal(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/* Whichever of its threads stand still, but for one whose stops are to be seen; 0 = all. */
static void let_go_on(const struct tracer *t, pid_t but)
{
	char path[DRV_SYSFILE_PATH_MAX];
	uint32_t id;
	DIR *dir;

	drv_sysfile_path(path, NULL, "/proc/%d/task", (int)t->pid);
	dir = opendir(path);
	while (dir && drv_sysfile_next(dir, &id))
		if ((pid_t)id != but)
			ptrace(PTRACE_CONT, (pid_t)id, 0, 0);
	if (dir)
		closedir(dir);
}

/* The target is about to end, or to become another program: the session goes first. */
static void leave(struct tracer *t, const char *why)
{
	tracer_end(t, 0, why);
	tracer_close(t);
	let_go_on(t, 0);
}

static bool is_exit(int status)
{
	return status >> 16 == PTRACE_EVENT_EXIT;
}

/* A stop that is not the end of a thread. */
static void go_on(pid_t thread, int status)
{
	int sig = WSTOPSIG(status);

	if (status >> 16 != PTRACE_EVENT_STOP)
		ptrace(PTRACE_CONT, thread, 0, status >> 16 ? 0 : sig);
	else if (is_stop_signal(sig))
		/* Stopped by a signal that was passed on before: it stays so until SIGCONT. */
		ptrace(PTRACE_LISTEN, thread, 0, 0);
	else
		ptrace(PTRACE_CONT, thread, 0, 0);
}

/* Return: how a thread that was just seized stops, 0 = it does not, or has ended. */
static int first_stop(const struct tracer *t, pid_t thread)
{
	struct pollfd fd = { .fd = t->sigs, .events = POLLIN };
	uint64_t end = tracer_now_ns() + STOP_TIMEOUT_NS;
	int status;
	pid_t r;

	ptrace(PTRACE_INTERRUPT, thread, 0, 0);
	while ((r = waitpid(thread, &status, __WALL | WNOHANG)) != thread) {
		if ((r < 0 && errno != EINTR) || tracer_now_ns() > end)
			return 0;
		poll(&fd, 1, 1);
	}
	return WIFSTOPPED(status) ? status : 0;
}

/*
 * A thread may have passed the place where it would stop at its end before it was seized;
 * one that stops for another reason has not.
 */
static bool follow(struct tracer *t, pid_t thread)
{
	int status;

	if (ptrace(PTRACE_SEIZE, thread, 0, OPTIONS))
		return false;
	status = first_stop(t, thread);
	if (!status)
		return false;
	t->thread = thread;
	if (is_exit(status))
		return false;
	go_on(thread, status);
	return true;
}

/*
 * The traced thread ends. Return: another one is traced in its place. If there is none, those
 * that are at their end stand there until leave().
 */
static bool follow_another(struct tracer *t)
{
	char path[DRV_SYSFILE_PATH_MAX];
	bool found = false;
	uint32_t id;
	DIR *dir;

	drv_sysfile_path(path, NULL, "/proc/%d/task", (int)t->pid);
	dir = opendir(path);
	while (dir && !found && drv_sysfile_next(dir, &id))
		found = (pid_t)id != t->thread && follow(t, (pid_t)id);
	if (dir)
		closedir(dir);
	if (found)
		let_go_on(t, t->thread);
	return found;
}

static void take_stop(struct tracer *t, pid_t thread, int status)
{
	if (status >> 16 == PTRACE_EVENT_EXEC)
		leave(t, "the process became another program");
	else if (!is_exit(status))
		go_on(thread, status);
	else if (thread != t->thread || t->done)
		ptrace(PTRACE_CONT, thread, 0, 0);
	else if (!follow_another(t))
		leave(t, "the process ends");
}

static void take_end(struct tracer *t, pid_t thread)
{
	if (thread == t->pid) {
		t->is_seized = false;
		t->is_gone = true;
		tracer_end(t, 0, "the process is gone");
	} else if (thread == t->thread && !t->done && !follow_another(t)) {
		/* Killed where it stood; the main thread tells when all are gone. */
		leave(t, "the process ends");
	}
}

void tracer_stops(struct tracer *t)
{
	int status;
	pid_t r;

	while (t->is_seized && (r = waitpid(-1, &status, __WALL | WNOHANG)) != 0) {
		if (r < 0 && errno == EINTR)
			continue;
		if (r > 0 && WIFSTOPPED(status))
			take_stop(t, r, status);
		else
			take_end(t, r < 0 ? t->pid : r);
	}
}

/* Only a stopped thread can be let go: stop it, and pass on what stopped it instead. */
static bool try_detach(struct tracer *t)
{
	int status, sig = 0;
	pid_t r = waitpid(t->thread, &status, __WALL | WNOHANG);

	if (!r || (r < 0 && errno == EINTR))
		return false;
	if (r < 0 || !WIFSTOPPED(status)) {
		t->is_gone = true;
		return true;
	}
	if (!(status >> 16))
		sig = WSTOPSIG(status);
	ptrace(PTRACE_DETACH, t->thread, 0, sig);
	return true;
}

void tracer_release(struct tracer *t)
{
	struct pollfd fd = { .fd = t->sigs, .events = POLLIN };
	uint64_t end = tracer_now_ns() + STOP_TIMEOUT_NS;

	if (!t->is_seized)
		return;
	ptrace(PTRACE_INTERRUPT, t->thread, 0, 0);
	/* If it does not stop in time, the end of the tracer lets it go just as well. */
	while (!try_detach(t) && tracer_now_ns() < end)
		poll(&fd, 1, 1);
	t->is_seized = false;
}
