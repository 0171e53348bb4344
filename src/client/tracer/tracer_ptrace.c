// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "client/tracer/tracer.h"

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
#define RELEASE_TIMEOUT_NS 1000000000ull

/* A number in /proc/PID/status, or -ESRCH. */
static int64_t status_value(pid_t pid, const char *key)
{
	char path[GP_SYSFILE_PATH_MAX], line[128];
	size_t len = strlen(key);
	int64_t value = -ESRCH;
	FILE *f;

	gp_sysfile_path(path, NULL, "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return -ESRCH;
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, key, len) && sscanf(line + len, ": %" SCNd64, &value) == 1)
			break;
	}
	fclose(f);
	return value;
}

static int refuse(struct gp_tracer *t, int error, const char *why)
{
	t->why = why;
	return error;
}

int gp_tracer_seize(struct gp_tracer *t)
{
	int64_t leader = status_value(t->pid, "Tgid");

	if (leader < 0)
		return refuse(t, -ESRCH, "no such process");
	if (leader != t->pid)
		return refuse(t, -EINVAL, "a thread, not a process");
	if (!ptrace(PTRACE_SEIZE, t->pid, 0, OPTIONS)) {
		t->is_seized = true;
		return 0;
	}
	if (errno == ESRCH)
		return refuse(t, -ESRCH, "no such process");
	if (status_value(t->pid, "TracerPid") > 0)
		return refuse(t, -EBUSY, "somebody else traces it (a debugger, strace)");
	return refuse(t, -EPERM, "not allowed to trace it (another user, or Yama's ptrace_scope)");
}

static bool is_stop_signal(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/* The target is about to end, or to become another program: the session goes first. */
static void leave(struct gp_tracer *t, const char *why)
{
	gp_tracer_end(t, 0, why);
	gp_tracer_close(t);
	ptrace(PTRACE_CONT, t->pid, 0, 0);
}

static void take_stop(struct gp_tracer *t, int status)
{
	int sig = WSTOPSIG(status);

	switch (status >> 16) {
	case PTRACE_EVENT_EXIT:
		leave(t, "the process ends");
		return;
	case PTRACE_EVENT_EXEC:
		leave(t, "the process became another program");
		return;
	case PTRACE_EVENT_STOP:
		/* Stopped by a signal that was passed on before: it stays so until SIGCONT. */
		if (is_stop_signal(sig))
			ptrace(PTRACE_LISTEN, t->pid, 0, 0);
		else
			ptrace(PTRACE_CONT, t->pid, 0, 0);
		return;
	default:
		ptrace(PTRACE_CONT, t->pid, 0, sig);
	}
}

void gp_tracer_stops(struct gp_tracer *t)
{
	int status;
	pid_t r;

	while (t->is_seized && (r = waitpid(t->pid, &status, __WALL | WNOHANG)) != 0) {
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0 || WIFEXITED(status) || WIFSIGNALED(status)) {
			t->is_seized = false;
			t->is_gone = true;
			gp_tracer_end(t, 0, "the process is gone");
			return;
		}
		take_stop(t, status);
	}
}

/* Only a stopped process can be let go: stop it, and pass on what stopped it instead. */
static bool try_detach(struct gp_tracer *t)
{
	int status, sig = 0;
	pid_t r = waitpid(t->pid, &status, __WALL | WNOHANG);

	if (!r || (r < 0 && errno == EINTR))
		return false;
	if (r < 0 || !WIFSTOPPED(status)) {
		t->is_gone = true;
		return true;
	}
	if (!(status >> 16))
		sig = WSTOPSIG(status);
	ptrace(PTRACE_DETACH, t->pid, 0, sig);
	return true;
}

void gp_tracer_release(struct gp_tracer *t)
{
	struct pollfd fd = { .fd = t->sigs, .events = POLLIN };
	uint64_t end = gp_tracer_now_ns() + RELEASE_TIMEOUT_NS;

	if (!t->is_seized)
		return;
	ptrace(PTRACE_INTERRUPT, t->pid, 0, 0);
	/* If it does not stop in time, our end lets it go just as well. */
	while (!try_detach(t) && gp_tracer_now_ns() < end)
		poll(&fd, 1, 1);
	t->is_seized = false;
}
