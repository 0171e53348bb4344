// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_ops.h"
#include "driver/sysfile.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ATTACH_NS (5 * GPD_NS_PER_SEC)
/* A tracer has to resume, disable and detach after its socket was closed. */
#define END_NS (3 * GPD_NS_PER_SEC)
/* Until a target whose tracer was lost is traced again. */
#define AGAIN_NS GPD_NS_PER_SEC
/* Twice as long for each that had to be killed, until one has lived as long as this. */
#define DOUBLED_MAX 6
#define CALM_NS (60 * GPD_NS_PER_SEC)

/* A tracer process, or one that is to be started again. */
struct gpd_tracer {
	LIST_ENTRY(gpd_tracer) link; /* in gpd.tracers */
	struct gpd *d;
	pid_t pid;		/* the tracer */
	pid_t target;		/* the process it traces */
	uint64_t start_time;	/* of the target */
	struct gpd_owner owner; /* of the target */
	struct gpd_user *user;	/* whose budgets it takes from */
	/* Tells when it ends; NULL = it was lost, @timer starts another. */
	sd_event_source *child;
	sd_event_source *timer;	   /* kills it: attaching, or ending, takes too long */
	struct gpd_client *client; /* its client, NULL = that is gone */
	struct gpd_attrs attrs;	   /* attributes of the target */
	bool has_attrs;		   /* they were given */
	bool attached;		   /* it said so */
	uint64_t attached_ns;	   /* when */
	unsigned int nr_late;	   /* tracers of this target that did not answer */
	bool is_killed;		   /* it did not answer; in the driver it may take a while to die */
	bool again;		   /* the target was under control and is to be so still */
	gpd_dbg_result_fn result;  /* called with how it went, NULL = not wanted, or told */
	void *data;		   /* first argument of @result */
};

static void tell(struct gpd_tracer *t, int err, const char *text)
{
	gpd_dbg_result_fn result = t->result;

	t->result = NULL;
	if (result)
		result(t->data, t->client, err, text);
}

/* Where it hangs is gone with it: the log is to say so. */
static void kill_tracer(struct gpd_tracer *t, const char *why)
{
	struct gpd_proc proc = { .state = '?' };
	char path[DRV_SYSFILE_PATH_MAX], where[64];

	gpd_proc_read(t->pid, &proc);
	if (drv_sysfile_path(path, NULL, "/proc/%d/wchan", (int)t->pid) ||
	    drv_sysfile_text(path, where, sizeof(where)) < 0)
		strcpy(where, "?");
	gpd_log(LOG_WARNING, "tracer %d of process %d killed: %s (state %c, in %s)", (int)t->pid,
		(int)t->target, why, proc.state, where);
	sd_event_source_send_child_signal(t->child, SIGKILL, NULL, 0);
}

static void free_tracer(struct gpd_tracer *t)
{
	LIST_REMOVE(t, link);
	gpd_user_give(t->user, GPD_BUDGET_TRACERS);
	gpd_user_put(t->user);
	sd_event_source_unref(t->child);
	sd_event_source_unref(t->timer);
	free(t);
}

static void arm(struct gpd_tracer *t, uint64_t after_ns)
{
	gpd_timer_set(t->timer, gpd_now_ns() + after_ns);
}

/* The number may have gone to another process since the check. */
static bool is_same(const struct gpd_tracer *t)
{
	struct gpd_proc proc;

	return !gpd_proc_read(t->target, &proc) && proc.start_time == t->start_time &&
	       proc.uid == t->owner.uid;
}

/* Its client goes; what was set since it attached is for the next. */
static void remember(struct gpd_tracer *t)
{
	if (t->attached) {
		t->attrs = t->client->attrs;
		t->has_attrs = true;
	}
	t->client = NULL;
}

static bool is_wanted_again(const struct gpd_tracer *t)
{
	return t->again && is_same(t) && t->d->config->dbg != GPD_DBG_OFF &&
	       t->d->ops->is_traced && !gpd_client_find(t->d, t->target);
}

static int on_exit_child(sd_event_source *s, const siginfo_t *info, void *data)
{
	struct gpd_tracer *t = data;

	gpd_log(LOG_DEBUG, "tracer %d of process %d ended with %d", (int)t->pid, (int)t->target,
		info->si_status);
	if (t->client) {
		t->client->mech_data = NULL;
		gpd_client_close(t->client);
		remember(t);
	}
	tell(t, -EIO, "the tracer ended");
	t->child = sd_event_source_unref(t->child);
	if (t->attached && gpd_now_ns() - t->attached_ns > CALM_NS)
		t->nr_late = 0;
	t->attached = false;
	if (is_wanted_again(t))
		arm(t, AGAIN_NS << (t->nr_late < DOUBLED_MAX ? t->nr_late : DOUBLED_MAX));
	else
		free_tracer(t);
	return 0;
}

static int on_timer(sd_event_source *s, uint64_t usec, void *data);

static int watch(struct gpd_tracer *t)
{
	int err = sd_event_add_child(t->d->event, &t->child, t->pid, WEXITED, on_exit_child, t);

	if (err >= 0 && !t->timer)
		err = gpd_timer_add(t->d->event, &t->timer, on_timer, t);
	if (err < 0)
		return err;
	arm(t, ATTACH_NS);
	return 0;
}

static int connect_tracer(struct gpd_tracer *t, int fd)
{
	struct gpd_cred cred = { .pid = t->pid, .owner = t->owner, .privileged = false };
	int err = gpd_client_add(t->d, fd, &cred, t->user, &t->client);

	if (err) {
		close(fd);
		return err;
	}
	t->client->ops = &gpd_dbg_ops;
	t->client->mech_data = t;
	t->client->pid = t->target;
	t->client->start_time = t->start_time;
	return 0;
}

static int start(struct gpd_tracer *t)
{
	const char *path = t->d->config->tracer;
	int pair[2];
	int err;

	t->is_killed = false;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair))
		return -errno;
	err = gpd_dbg_spawn(path[0] ? path : GPD_TRACER, t->target, pair[1], &t->pid);
	close(pair[1]);
	if (err) {
		close(pair[0]);
		return err;
	}
	err = watch(t);
	if (err < 0) {
		close(pair[0]);
		gpd_dbg_end_child(t->pid);
		return err;
	}
	err = connect_tracer(t, pair[0]);
	if (err) {
		t->child = sd_event_source_unref(t->child);
		gpd_dbg_end_child(t->pid);
	}
	return err;
}

static void start_again(struct gpd_tracer *t)
{
	int err = is_wanted_again(t) ? start(t) : -ESRCH;

	gpd_log(LOG_INFO, "process %d: its tracer was lost; %s", (int)t->target,
		err ? "it is left alone" : "it is traced again");
	if (err)
		free_tracer(t);
}

static int on_timer(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd_tracer *t = data;

	if (!t->child) {
		start_again(t);
		return 0;
	}
	tell(t, -ETIMEDOUT, "the tracer could not attach in time");
	kill_tracer(t, t->client ? "could not attach in time" : "does not end");
	return 0;
}

static struct gpd_tracer *find(struct gpd *d, pid_t pid)
{
	struct gpd_tracer *t;

	LIST_FOREACH(t, &d->tracers, link)
	if (t->target == pid)
		return t;
	return NULL;
}

int gpd_dbg_start(struct gpd *d, pid_t pid, const struct gpd_attrs *attrs,
		  gpd_dbg_result_fn result, void *data)
{
	struct gpd_tracer *t;
	struct gpd_proc proc;
	int err;

	if (pid <= 1 || pid == getpid() || gpd_proc_read(pid, &proc))
		return -ESRCH;
	t = find(d, pid);
	if (t && !t->child)
		free_tracer(t);
	else if (t || gpd_client_find(d, pid))
		return -EBUSY;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->d = d;
	t->target = pid;
	t->start_time = proc.start_time;
	gpd_trust_owner(d, pid, proc.uid, &t->owner);
	t->user = gpd_user_get(d, &t->owner, gpd_trust_is_root(&t->owner));
	if (!t->user || !gpd_user_take(t->user, GPD_BUDGET_TRACERS)) {
		gpd_user_put(t->user);
		free(t);
		return -EDQUOT;
	}
	t->has_attrs = attrs;
	if (attrs)
		t->attrs = *attrs;
	LIST_INSERT_HEAD(&d->tracers, t, link);
	err = start(t);
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

void gpd_dbg_attrs(struct gpd_client *c)
{
	struct gpd_tracer *t = c->mech_data;

	if (t && t->has_attrs)
		c->attrs = t->attrs;
}

int gpd_dbg_end(struct gpd *d, pid_t pid)
{
	struct gpd_tracer *t = find(d, pid);

	if (!t)
		return -ESRCH;
	t->again = false;
	if (!t->child)
		free_tracer(t);
	else if (t->client)
		gpd_client_close(t->client);
	return 0;
}

bool gpd_dbg_is_coming(struct gpd *d, pid_t pid)
{
	struct gpd_tracer *t = find(d, pid);

	return t && !t->attached && is_same(t);
}

bool gpd_dbg_note(struct gpd_client *c, const struct wire_note *m, const char *text)
{
	struct gpd_tracer *t = c->mech_data;

	if (!t || t->attached)
		return false;
	if (m->code == WIRE_NOTE_REFUSED) {
		int err = m->value && m->value < 4096 ? -(int)m->value : -EIO;

		gpd_client_note(c, "cannot be traced: %s", text);
		t->again = false;
		tell(t, err, text);
		gpd_client_close(c);
		return true;
	}
	if (m->code != WIRE_NOTE_SEES)
		return false;
	if (!is_same(t)) {
		tell(t, -ESRCH, "the process is gone");
		gpd_client_drop(c, -ESRCH, "another process has this number now");
		return true;
	}
	t->attached = true;
	t->attached_ns = gpd_now_ns();
	t->again = true;
	gpd_timer_set(t->timer, U64_MAX);
	tell(t, 0, "");
	return false;
}

static void late(struct gpd_client *c)
{
	struct gpd_tracer *t = c->mech_data;

	if (!t || t->is_killed)
		return;
	gpd_client_note(c, "its tracer does not answer and is killed");
	t->is_killed = true;
	t->nr_late++;
	kill_tracer(t, "does not answer");
}

static void stop(struct gpd_client *c)
{
	struct gpd_tracer *t = c->mech_data;

	if (!t)
		return;
	remember(t);
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
