// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_control.h"
#include "daemon/control/gpd_event.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_grant.h"
#include "daemon/gpd_hold.h"
#include "daemon/module/gpd_module.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* Nothing more is handled for a connection that has this much to read first. */
#define UNREAD_MAX (64u << 10)

/* The control socket. */
struct gpd_control {
	struct gpd_listener listener;
	sd_event_source *reap; /* frees dead connections; on only while there are some */
	LIST_HEAD(, gpd_conn) conns;
	TAILQ_HEAD(, gpd_conn) dead;	/* that are to be freed, the first one first */
	LIST_HEAD(, gpd_conn) monitors; /* those that get events */
	struct gpd_request request; /* the request in hand */
};

static void end_turn(struct gpd_conn *conn)
{
	if (conn->has_turn)
		TAILQ_REMOVE(&conn->user->turns, conn, of_turns);
	conn->has_turn = false;
}

void gpd_control_dead(struct gpd_conn *conn)
{
	if (conn->dead)
		return;
	conn->dead = true;
	sd_event_source_set_enabled(conn->io, SD_EVENT_OFF);
	end_turn(conn);
	TAILQ_INSERT_TAIL(&conn->d->control->dead, conn, of_dead);
	sd_event_source_set_enabled(conn->d->control->reap, SD_EVENT_ONESHOT);
}

static void let_go(struct gpd_conn *conn, const char *why)
{
	conn->oneway = false;
	gpd_control_refuse(conn, "org.varlink.service.InvalidParameter", "parameter", why);
	gpd_control_dead(conn);
}

/* One request that begins at conn->in. */
static void handle(struct gpd_conn *conn, size_t len)
{
	struct gpd_request *r = &conn->d->control->request;
	struct gpd_refusal refusal;
	int err = gpd_control_decode(conn->in, len, r, &refusal);

	conn->oneway = r->oneway;
	if (err == -EBADMSG) {
		if (gpd_user_may_log(conn->user))
			gpd_log(LOG_WARNING, "control: uid %u (pid %d): not a request",
				(unsigned int)conn->user->uid, (int)conn->cred.pid);
		let_go(conn, "not a request");
	} else if (err) {
		gpd_control_refuse(conn, refusal.error, refusal.key, refusal.value);
	} else {
		gpd_methods_call(conn, r);
	}
}

/* One request a turn: a thousand at once keep no other user waiting. */
static void handle_first(struct gpd_conn *conn)
{
	size_t max = conn->user->privileged ? GPD_REQUEST_MAX : GPD_REQUEST_USER_MAX;
	char *end = memchr(conn->in, '\0', conn->in_len);
	size_t len = end ? (size_t)(end - conn->in) : conn->in_len;

	if (len > max) {
		let_go(conn, "request too long");
		return;
	}
	if (!end)
		return;
	handle(conn, len);
	conn->in_len -= len + 1;
	memmove(conn->in, end + 1, conn->in_len);
}

static bool is_reading(const struct gpd_conn *conn)
{
	return !conn->dead && conn->out_len - conn->out_sent <= UNREAD_MAX;
}

/* Part of the request in hand that is to be done now. */
static bool has_step(const struct gpd_conn *conn)
{
	return conn->stream.next || (conn->job && gpd_suspend_has_step(conn)) ||
	       gpd_event_has_step(conn);
}

void gpd_control_next(struct gpd_conn *conn)
{
	struct gpd_user *u = conn->user;

	if (!conn->has_turn && is_reading(conn) &&
	    (has_step(conn) || (!conn->waiting && memchr(conn->in, '\0', conn->in_len)))) {
		if (TAILQ_EMPTY(&u->turns))
			eventfd_write(u->turn_fd, 1);
		conn->has_turn = true;
		TAILQ_INSERT_TAIL(&u->turns, conn, of_turns);
	}
	if (!conn->dead)
		gpd_control_watch(conn);
}

static void take_turn(struct gpd_conn *conn)
{
	if (conn->stream.next)
		gpd_control_stream_step(conn);
	else if (conn->job && gpd_suspend_has_step(conn))
		gpd_suspend_step(conn);
	else if (gpd_event_has_step(conn))
		gpd_event_step(conn);
	else if (!conn->waiting)
		handle_first(conn);
}

/* A user has one turn, however many connections it has: they take it one after another. */
int gpd_control_turn(sd_event_source *s, int fd, uint32_t events, void *user)
{
	struct gpd_user *u = user;
	struct gpd_conn *conn = TAILQ_FIRST(&u->turns);
	eventfd_t value;

	if (conn) {
		end_turn(conn);
		if (is_reading(conn))
			take_turn(conn);
		gpd_control_next(conn);
	}
	if (TAILQ_EMPTY(&u->turns))
		eventfd_read(fd, &value);
	return 0;
}

static void receive(struct gpd_conn *conn)
{
	ssize_t len = recv(conn->fd, conn->in + conn->in_len, GPD_REQUEST_MAX + 1 - conn->in_len,
			   MSG_DONTWAIT);

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (len <= 0) {
		gpd_control_dead(conn);
		return;
	}
	/* A connection that gets events has nothing more to say: what it says is not heard. */
	if (conn->monitor)
		return;
	conn->in_len += (size_t)len;
	/* Reading is part of the turn of its user; others that wait come first. */
	if (TAILQ_EMPTY(&conn->user->turns) && is_reading(conn))
		take_turn(conn);
	gpd_control_next(conn);
}

static int on_io(sd_event_source *s, int fd, uint32_t events, void *data)
{
	struct gpd_conn *conn = data;

	if (events & EPOLLOUT) {
		gpd_control_flush(conn);
		gpd_control_next(conn);
	}
	if (events & EPOLLIN && !conn->dead)
		receive(conn);
	else if (events & (EPOLLERR | EPOLLHUP))
		gpd_control_dead(conn);
	if (!conn->dead)
		gpd_control_watch(conn);
	return 0;
}

static void free_conn(struct gpd_conn *conn)
{
	struct gpd *d = conn->d;

	gpd_control_stream_stop(conn);
	gpd_suspend_conn_gone(conn);
	gpd_dbg_forget(d, conn);
	gpd_grant_forget(d, conn);
	gpd_hold_forget_conn(d, conn);
	end_turn(conn);
	LIST_REMOVE(conn, link);
	if (conn->dead)
		TAILQ_REMOVE(&d->control->dead, conn, of_dead);
	if (conn->monitor) {
		LIST_REMOVE(conn, of_monitors);
		gpd_user_give(conn->user, GPD_BUDGET_MONITORS);
	}
	gpd_module_monitor(d);
	sd_event_source_unref(conn->io);
	close(conn->fd);
	gpd_user_give(conn->user, GPD_BUDGET_CONNECTIONS);
	gpd_user_put(conn->user);
	free(conn->in);
	free(conn->out);
	free(conn);
}

/* One a turn, in the time of its user: all of a user may go at once. */
static int on_reap(sd_event_source *s, void *data)
{
	struct gpd *d = data;
	struct gpd_conn *conn = TAILQ_FIRST(&d->control->dead);
	struct gpd_user *user = gpd_user_ref(conn->user);

	gpd_user_begin(user);
	free_conn(conn);
	gpd_user_end(user);
	gpd_user_put(user);
	return TAILQ_EMPTY(&d->control->dead) ? 0 :
						sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
}

static int make_conn(struct gpd *d, int fd, const struct gpd_cred *cred, struct gpd_user *user)
{
	struct gpd_conn *conn = calloc(1, sizeof(*conn));

	if (!conn)
		return -ENOMEM;
	conn->d = d;
	conn->fd = fd;
	conn->cred = *cred;
	conn->user = user;
	conn->in = malloc(GPD_REQUEST_MAX + 1);
	if (!conn->in || sd_event_add_io(user->event, &conn->io, fd, EPOLLIN, on_io, conn) < 0) {
		free(conn->in);
		free(conn);
		return -ENOMEM;
	}
	/* Within a user's own loop all its sockets are equal. */
	if (user->privileged)
		sd_event_source_set_priority(conn->io, GPD_PRIORITY_ROOT);
	gpd_user_ref(user);
	LIST_INSERT_HEAD(&d->control->conns, conn, link);
	return 0;
}

static void turn_away(int fd, struct gpd_user *user)
{
	static const char reply[] = "{\"error\":\"" GPD_INTERFACE ".Failed\",\"parameters\":"
				    "{\"reason\":\"too many connections\"}}";

	if (send(fd, reply, sizeof(reply), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		gpd_log(LOG_DEBUG, "control: uid %u: gone already", (unsigned int)user->uid);
}

static int take_in(struct gpd *d, int fd, const struct gpd_cred *cred, struct gpd_user *user)
{
	int err;

	if (!gpd_user_take(user, GPD_BUDGET_CONNECTIONS)) {
		turn_away(fd, user);
		return -EMFILE;
	}
	err = make_conn(d, fd, cred, user);
	if (err)
		gpd_user_give(user, GPD_BUDGET_CONNECTIONS);
	return err;
}

int gpd_control_listen(struct gpd *d, const char *path)
{
	struct gpd_control *control = calloc(1, sizeof(*control));
	int err;

	if (!control)
		return -ENOMEM;
	d->control = control;
	TAILQ_INIT(&control->dead);
	control->listener = (struct gpd_listener){ .d = d, .take = take_in };
	err = gpd_sock_listen(&control->listener, path, SOCK_STREAM, d->config->socket_mode);
	if (!err)
		err = gpd_defer_add(d->event, &control->reap, GPD_PRIORITY_USER, on_reap, d);
	return err < 0 ? err : 0;
}

void gpd_control_close(struct gpd *d)
{
	struct gpd_control *control = d->control;
	struct gpd_conn *conn;

	if (!control)
		return;
	while ((conn = LIST_FIRST(&control->conns)))
		free_conn(conn);
	gpd_sock_close(&control->listener);
	sd_event_source_unref(control->reap);
	gpd_event_fini(d);
	free(control);
	d->control = NULL;
}

bool gpd_control_monitor(struct gpd_conn *conn, bool trace)
{
	conn->trace = trace;
	/* Requests that were read before the first was handled. */
	if (conn->monitor)
		return true;
	if (!gpd_user_take(conn->user, GPD_BUDGET_MONITORS))
		return false;
	if (gpd_event_begin(conn)) {
		gpd_user_give(conn->user, GPD_BUDGET_MONITORS);
		return false;
	}
	LIST_INSERT_HEAD(&conn->d->control->monitors, conn, of_monitors);
	conn->monitor = true;
	return true;
}

struct gpd_conn *gpd_control_first_monitor(struct gpd *d)
{
	return d->control ? LIST_FIRST(&d->control->monitors) : NULL;
}
