// SPDX-License-Identifier: MIT
#include "dbg.h"
#include "client.h"
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKET_FD 3
#define ATTACH_NS (5 * GPD_NS_PER_SEC)
/* A tracer has to resume, disable and detach after its socket was closed. */
#define END_NS (3 * GPD_NS_PER_SEC)

/**
 * struct gpd_tracer - a tracer process
 * @link: in gpd.tracers
 * @d: daemon
 * @pid: the tracer
 * @target: the process it traces
 * @start_time: of the target
 * @child: tells when it ends
 * @timer: kills it: attaching, or ending, takes too long
 * @client: its client, NULL = that is gone
 * @attrs: attributes of the target
 * @has_attrs: they were given
 * @attached: it said so
 * @result: who wants to know how it went, NULL = nobody, or told
 * @data: first argument of @result
 */
struct gpd_tracer {
	LIST_ENTRY(gpd_tracer) link;
	struct gpd *d;
	pid_t pid;
	pid_t target;
	uint64_t start_time;
	sd_event_source *child;
	sd_event_source *timer;
	struct gpd_client *client;
	struct gpd_attrs attrs;
	bool has_attrs;
	bool attached;
	gpd_dbg_result_fn result;
	void *data;
};

static void tell(struct gpd_tracer *t, int err, const char *text)
{
	gpd_dbg_result_fn result = t->result;

	t->result = NULL;
	if (result)
		result(t->data, t->client, err, text);
}

static void kill_tracer(struct gpd_tracer *t, const char *why)
{
	gpd_log(LOG_WARNING, "tracer %d of process %d killed: %s", (int)t->pid, (int)t->target,
		why);
	sd_event_source_send_child_signal(t->child, SIGKILL, NULL, 0);
}

static void free_tracer(struct gpd_tracer *t)
{
	LIST_REMOVE(t, link);
	sd_event_source_unref(t->child);
	sd_event_source_unref(t->timer);
	free(t);
}

static int on_timer(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd_tracer *t = data;

	tell(t, -ETIMEDOUT, "the tracer could not attach in time");
	kill_tracer(t, t->client ? "could not attach in time" : "does not end");
	return 0;
}

static int on_exit_child(sd_event_source *s, const siginfo_t *info, void *data)
{
	struct gpd_tracer *t = data;

	gpd_log(LOG_DEBUG, "tracer %d of process %d ended with %d", (int)t->pid, (int)t->target,
		info->si_status);
	tell(t, -EIO, "the tracer ended");
	if (t->client) {
		t->client->mech_data = NULL;
		gpd_client_close(t->client);
	}
	free_tracer(t);
	return 0;
}

static void arm(struct gpd_tracer *t, uint64_t after_ns)
{
	sd_event_source_set_time(t->timer, (gpd_now_ns() + after_ns) / 1000);
	sd_event_source_set_enabled(t->timer, SD_EVENT_ONESHOT);
}

static const char *tracer_path(const struct gpd *d)
{
	return d->config->tracer[0] ? d->config->tracer : GPD_TRACER;
}

/* In the child, between fork and exec: its end of the socket, no signal blocked. */
static void become(const char *path, const char *number, int fd)
{
	char *argv[] = { "gpreempt-tracer", (char *)number, NULL };
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0);
	if (fd == SOCKET_FD)
		fcntl(fd, F_SETFD, 0);
	else if (dup2(fd, SOCKET_FD) < 0)
		_exit(127);
	execv(path, argv);
	_exit(127);
}

/* fork() by hand: <spawn.h> wants a <sched.h> that is not that of the core. */
static int spawn(const char *path, pid_t target, int fd, pid_t *pid)
{
	char number[16];

	if (access(path, X_OK))
		return -errno;
	snprintf(number, sizeof(number), "%d", (int)target);
	*pid = fork();
	if (*pid < 0)
		return -errno;
	if (!*pid)
		become(path, number, fd);
	return 0;
}

static int watch(struct gpd_tracer *t)
{
	int err = sd_event_add_child(t->d->event, &t->child, t->pid, WEXITED, on_exit_child, t);

	if (err >= 0)
		err = sd_event_add_time(t->d->event, &t->timer, CLOCK_MONOTONIC, 0, 1, on_timer, t);
	if (err < 0)
		return err;
	arm(t, ATTACH_NS);
	return 0;
}

static int connect_tracer(struct gpd_tracer *t, int fd, uid_t uid)
{
	struct gpd_cred cred = { .pid = t->pid, .uid = uid, .privileged = false };
	int err = gpd_client_add(t->d, fd, &cred, &t->client);

	if (err)
		return err;
	t->client->ops = &gpd_dbg_ops;
	t->client->mech_data = t;
	t->client->pid = t->target;
	t->client->uid = uid;
	return 0;
}

static int start(struct gpd_tracer *t, uid_t uid)
{
	int pair[2];
	int err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair))
		return -errno;
	err = spawn(tracer_path(t->d), t->target, pair[1], &t->pid);
	close(pair[1]);
	if (err) {
		close(pair[0]);
		return err;
	}
	err = watch(t);
	if (err < 0) {
		/* Without its socket it ends by itself; nobody collects it but us. */
		close(pair[0]);
		kill(t->pid, SIGKILL);
		waitpid(t->pid, NULL, 0);
		return err;
	}
	err = connect_tracer(t, pair[0], uid);
	if (err) {
		kill(t->pid, SIGKILL);
		waitpid(t->pid, NULL, 0);
	}
	return err;
}

int gpd_dbg_start(struct gpd *d, pid_t pid, const struct gpd_attrs *attrs,
		  gpd_dbg_result_fn result, void *data)
{
	struct gpd_tracer *t;
	struct gpd_proc proc;
	int err;

	if (pid <= 1 || pid == getpid() || gpd_proc_read(pid, &proc))
		return -ESRCH;
	LIST_FOREACH(t, &d->tracers, link)
		if (t->target == pid)
			return -EBUSY;
	if (gpd_client_find(d, pid))
		return -EBUSY;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->d = d;
	t->target = pid;
	t->start_time = proc.start_time;
	t->has_attrs = attrs;
	if (attrs)
		t->attrs = *attrs;
	LIST_INSERT_HEAD(&d->tracers, t, link);
	err = start(t, proc.uid);
	if (err) {
		free_tracer(t);
		return err;
	}
	t->result = result;
	t->data = data;
	return 0;
}

void gpd_dbg_forget(struct gpd *d, void *data)
{
	struct gpd_tracer *t;

	LIST_FOREACH(t, &d->tracers, link)
		if (t->data == data)
			t->result = NULL;
}

int gpd_dbg_admit(struct gpd_client *c, const struct gp_wire_hello *m, char *why, size_t size)
{
	if (m->mech == GP_WIRE_MECH_DBG && m->pid == (uint32_t)c->pid)
		return 0;
	snprintf(why, size, "not the tracer it was started as");
	return -EPERM;
}

void gpd_dbg_attrs(struct gpd_client *c)
{
	struct gpd_tracer *t = c->mech_data;

	if (t && t->has_attrs)
		c->attrs = t->attrs;
}

/* The number may have gone to another process since somebody was allowed to. */
static bool is_same(const struct gpd_tracer *t)
{
	struct gpd_proc proc;

	return !gpd_proc_read(t->target, &proc) && proc.start_time == t->start_time;
}

bool gpd_dbg_note(struct gpd_client *c, const struct gp_wire_note *m, const char *text)
{
	struct gpd_tracer *t = c->mech_data;

	if (!t || t->attached)
		return false;
	if (m->code == GP_WIRE_NOTE_REFUSED) {
		int err = m->value && m->value < 4096 ? -(int)m->value : -EIO;

		gpd_client_note(c, "cannot be traced: %s", text);
		tell(t, err, text);
		gpd_client_close(c);
		return true;
	}
	if (m->code != GP_WIRE_NOTE_SEES)
		return false;
	if (!is_same(t)) {
		tell(t, -ESRCH, "the process is gone");
		gpd_client_drop(c, -ESRCH, "another process has this number now");
		return true;
	}
	t->attached = true;
	sd_event_source_set_enabled(t->timer, SD_EVENT_OFF);
	tell(t, 0, "");
	return false;
}

static void late(struct gpd_client *c)
{
	struct gpd_tracer *t = c->mech_data;

	gpd_client_note(c, "its tracer does not answer and is killed");
	if (t)
		kill_tracer(t, "does not answer");
}

static void stop(struct gpd_client *c)
{
	struct gpd_tracer *t = c->mech_data;

	if (!t)
		return;
	t->client = NULL;
	tell(t, -EIO, "the tracer is gone");
	arm(t, END_NS);
}

const struct gpd_mech_ops gpd_dbg_ops = {
	.name = "dbg",
	.late = late,
	.stop = stop,
};

void gpd_dbg_fini(struct gpd *d)
{
	struct gpd_tracer *t;

	while ((t = LIST_FIRST(&d->tracers)))
		free_tracer(t);
	d->dbg_auto = sd_event_source_unref(d->dbg_auto);
}
