// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_control.h"
#include "daemon/control/gpd_auth.h"
#include "daemon/clients/gpd_dbg.h"
#include "daemon/control/gpd_manual.h"
#include "daemon/control/gpd_methods.h"
#include "daemon/module/gpd_module.h"
#include "daemon/gpd_sock.h"
#include "daemon/control/gpd_suspend.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Nothing more is handled for who has this much to read first. */
#define UNREAD_MAX (64u << 10)
/* Connections of one user, in parts of all. */
#define USER_SHARE 2

/**
 * struct gpd_control - the control socket
 * @listen: listening socket
 * @io: in the loop
 * @reap: frees dead connections; on only while there are some
 * @conns: connections
 * @nr: how many
 * @request: the request in hand
 */
struct gpd_control {
	int listen;
	sd_event_source *io;
	sd_event_source *reap;
	LIST_HEAD(, gpd_conn) conns;
	uint32_t nr;
	struct gpd_request request;
};

void gpd_control_dead(struct gpd_conn *conn)
{
	if (conn->dead)
		return;
	conn->dead = true;
	sd_event_source_set_enabled(conn->io, SD_EVENT_OFF);
	sd_event_source_set_enabled(conn->turn, SD_EVENT_OFF);
	sd_event_source_set_enabled(conn->d->control->reap, SD_EVENT_ONESHOT);
}

/* One request that begins at conn->in. */
static void handle(struct gpd_conn *conn, size_t len)
{
	struct gpd_request *r = &conn->d->control->request;
	struct gpd_refusal refusal;
	int err = gpd_control_decode(conn->in, len, r, &refusal);

	conn->oneway = r->oneway;
	if (err == -EBADMSG) {
		gpd_log(LOG_WARNING, "control: uid %u (pid %d): not a request",
			(unsigned int)conn->cred.uid, (int)conn->cred.pid);
		conn->oneway = false;
		gpd_control_refuse(conn, "org.varlink.service.InvalidParameter", "parameter",
			   "not a request");
		gpd_control_dead(conn);
	} else if (err) {
		gpd_control_refuse(conn, refusal.error, refusal.key, refusal.value);
	} else {
		gpd_methods_call(conn, r);
	}
}

/* One request a turn: whoever sends a thousand at once makes nobody else wait. */
static void handle_first(struct gpd_conn *conn)
{
	char *end = memchr(conn->in, '\0', conn->in_len);
	size_t len;

	if (!end) {
		if (conn->in_len <= GPD_REQUEST_MAX)
			return;
		conn->oneway = false;
		gpd_control_refuse(conn, "org.varlink.service.InvalidParameter", "parameter",
			   "request too long");
		gpd_control_dead(conn);
		return;
	}
	len = (size_t)(end - conn->in);
	handle(conn, len);
	conn->in_len -= len + 1;
	memmove(conn->in, end + 1, conn->in_len);
}

static bool may_go_on(const struct gpd_conn *conn)
{
	return !conn->dead && !conn->waiting && conn->out_len - conn->out_sent <= UNREAD_MAX;
}

void gpd_control_next(struct gpd_conn *conn)
{
	if (may_go_on(conn) && memchr(conn->in, '\0', conn->in_len))
		sd_event_source_set_enabled(conn->turn, SD_EVENT_ONESHOT);
	if (!conn->dead)
		gpd_control_watch(conn);
}

static int on_turn(sd_event_source *s, void *data)
{
	struct gpd_conn *conn = data;

	if (may_go_on(conn))
		handle_first(conn);
	gpd_control_next(conn);
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
	/* Who gets events says nothing more: it is his way to leave. */
	if (conn->monitor)
		return;
	conn->in_len += (size_t)len;
	if (memchr(conn->in, '\0', conn->in_len))
		gpd_control_next(conn);
	else
		handle_first(conn);
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

	gpd_suspend_conn_gone(conn);
	gpd_dbg_forget(d, conn);
	gpd_manual_forget_conn(d, conn);
	gpd_module_hold_forget_conn(d, conn);
	LIST_REMOVE(conn, link);
	d->control->nr--;
	gpd_module_monitor(d);
	sd_event_source_unref(conn->io);
	sd_event_source_unref(conn->turn);
	close(conn->fd);
	free(conn->in);
	free(conn->out);
	free(conn);
}

static int on_reap(sd_event_source *s, void *data)
{
	struct gpd *d = data;
	struct gpd_conn *conn;
	struct gpd_conn *next;

	for (conn = LIST_FIRST(&d->control->conns); conn; conn = next) {
		next = LIST_NEXT(conn, link);
		if (conn->dead)
			free_conn(conn);
	}
	return 0;
}

static struct gpd_conn *make_conn(struct gpd *d, int fd)
{
	struct gpd_conn *conn = calloc(1, sizeof(*conn));

	if (!conn)
		return NULL;
	conn->d = d;
	conn->fd = fd;
	conn->in = malloc(GPD_REQUEST_MAX + 1);
	if (!conn->in || gpd_auth_peer(d->config, fd, &conn->cred) ||
	    sd_event_add_io(d->event, &conn->io, fd, EPOLLIN, on_io, conn) < 0 ||
	    sd_event_add_defer(d->event, &conn->turn, on_turn, conn) < 0) {
		sd_event_source_unref(conn->io);
		free(conn->in);
		free(conn);
		return NULL;
	}
	/* Clients come first: somebody who asks a lot makes nobody else late. */
	sd_event_source_set_priority(conn->io, SD_EVENT_PRIORITY_NORMAL + 10);
	sd_event_source_set_priority(conn->turn, SD_EVENT_PRIORITY_NORMAL + 10);
	sd_event_source_set_enabled(conn->turn, SD_EVENT_OFF);
	sd_event_source_set_description(conn->io, "control");
	LIST_INSERT_HEAD(&d->control->conns, conn, link);
	d->control->nr++;
	return conn;
}

static bool is_room(const struct gpd *d, const struct gpd_conn *newest)
{
	uint64_t max = d->config->max_connections;
	const struct gpd_conn *conn;
	uint64_t of_user = 0;

	if (newest->cred.privileged)
		return d->control->nr <= max;
	LIST_FOREACH(conn, &d->control->conns, link)
		of_user += conn->cred.uid == newest->cred.uid;
	return d->control->nr <= max && of_user <= (max + USER_SHARE - 1) / USER_SHARE;
}

static int on_accept(sd_event_source *s, int fd, uint32_t events, void *data)
{
	struct gpd *d = data;
	struct gpd_conn *conn;
	int sock = gpd_sock_accept(s, fd);

	if (sock < 0)
		return 0;
	conn = make_conn(d, sock);
	if (!conn) {
		close(sock);
		return 0;
	}
	if (is_room(d, conn))
		return 0;
	gpd_control_error(conn, "Failed", "reason", "too many connections");
	gpd_control_dead(conn);
	return 0;
}

int gpd_control_listen(struct gpd *d, const char *path)
{
	struct gpd_control *control = calloc(1, sizeof(*control));
	int err;

	if (!control)
		return -ENOMEM;
	d->control = control;
	control->listen = -1;
	err = gpd_sock_listen(path, SOCK_STREAM, &control->listen);
	if (err)
		return err;
	err = sd_event_add_io(d->event, &control->io, control->listen, EPOLLIN, on_accept, d);
	if (err >= 0)
		err = sd_event_add_defer(d->event, &control->reap, on_reap, d);
	if (err >= 0)
		err = sd_event_source_set_enabled(control->reap, SD_EVENT_OFF);
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
	sd_event_source_unref(control->io);
	sd_event_source_unref(control->reap);
	if (control->listen >= 0)
		close(control->listen);
	free(control);
	d->control = NULL;
}

static struct gpd_conn *monitor_from(struct gpd_conn *conn)
{
	while (conn && (!conn->monitor || conn->dead))
		conn = LIST_NEXT(conn, link);
	return conn;
}

struct gpd_conn *gpd_control_first_monitor(struct gpd *d)
{
	return d->control ? monitor_from(LIST_FIRST(&d->control->conns)) : NULL;
}

struct gpd_conn *gpd_control_next_monitor(struct gpd_conn *conn)
{
	return monitor_from(LIST_NEXT(conn, link));
}

struct gpd_conn *gpd_control_first(struct gpd *d)
{
	return d->control ? LIST_FIRST(&d->control->conns) : NULL;
}
