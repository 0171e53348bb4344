// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_cgroup.h"
#include "daemon/gpd_grant.h"
#include "daemon/gpd_hold.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_user.h"
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

/* Messages of one client before it is another's turn, and of one without privileges. */
#define MESSAGES_A_TURN 32
#define MESSAGES_A_TURN_USER 4

void gpd_client_close(struct gpd_client *c)
{
	if (c->state == GPD_CLIENT_DEAD)
		return;
	if (c->state == GPD_CLIENT_KNOWN)
		gp_tree_remove(&c->d->clients_by_pid, &c->by_pid);
	c->state = GPD_CLIENT_DEAD;
	TAILQ_INSERT_TAIL(&c->d->dead, c, of_dead);
	sd_event_source_set_enabled(c->io, SD_EVENT_OFF);
	sd_event_source_set_enabled(c->d->reap, SD_EVENT_ONESHOT);
}

void gpd_client_drop(struct gpd_client *c, int err, const char *format, ...)
{
	struct wire_note bye = {
		.code = WIRE_NOTE_REFUSED,
		.value = (uint64_t)-err,
	};
	va_list args;

	if (c->state == GPD_CLIENT_DEAD)
		return;
	va_start(args, format);
	vsnprintf(bye.text, sizeof(bye.text), format, args);
	va_end(args);
	if (c->state == GPD_CLIENT_NEW)
		c->d->nr_refused++;
	else
		c->d->nr_dropped++;
	if (gpd_user_may_log(c->user))
		gpd_log(LOG_WARNING, "client %" PRIu64 " (pid %d): dropped: %s", c->number,
			(int)c->pid, bye.text);
	gpd_monitor_event(c->d, "client", c->pid, 0, WIRE_QUEUE_ALL, "dropped: %s", bye.text);
	wire_send(c->fd, &bye.hdr, WIRE_BYE, sizeof(bye), gpd_now_ns());
	gpd_client_close(c);
}

int gpd_client_order(struct gpd_client *c, struct wire_order *order, uint16_t type)
{
	int err;

	if (c->state != GPD_CLIENT_KNOWN)
		return -EPIPE;
	if (type != WIRE_RENEW)
		order->epoch = ++c->d->epoch;
	err = wire_send(c->fd, &order->hdr, type, sizeof(*order), gpd_now_ns());
	if (!err)
		return 0;
	/* Its buffer is full of orders it never read, or it is gone. */
	gpd_client_drop(c, err, "does not take orders: %s", strerror(-err));
	return -EPIPE;
}

/* A latency-critical client looks more often. */
#define POLL_CRITICAL 8

int gpd_client_welcome(struct gpd_client *c)
{
	const struct gpd_config *config = c->d->config;
	bool self_dbg = config->self_dbg && !gpd_nodes_have_gfx942(c->d);
	struct wire_welcome welcome = {
		.client = c->number,
		.lease_ns = config->lease_ns,
		.poll_ns = config->poll_ns / (c->attrs.core.latency_critical ? POLL_CRITICAL : 1),
		.quiet_ns = config->quiet_ns,
		.flags = (self_dbg ? WIRE_WELCOME_SELF_DBG : 0) |
			 (c->attrs.core.deadline_ns ? WIRE_WELCOME_PROGRESS : 0),
	};

	return wire_send(c->fd, &welcome.hdr, WIRE_WELCOME, sizeof(welcome), gpd_now_ns());
}

void gpd_client_note(struct gpd_client *c, const char *format, ...)
{
	char text[GPD_NOTE_LEN];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	gpd_monitor_event(c->d, "note", c->pid, 0, WIRE_QUEUE_ALL, "%s", text);
	if (c->nr_notes && !strcmp(c->notes[c->nr_notes - 1], text))
		return;
	if (gpd_user_may_log(c->user))
		gpd_log(LOG_INFO, "client %" PRIu64 " (pid %d): %s", c->number, (int)c->pid, text);
	if (c->nr_notes == GPD_NOTES_MAX) {
		memmove(c->notes[0], c->notes[1], sizeof(c->notes) - sizeof(c->notes[0]));
		c->nr_notes--;
	}
	memcpy(c->notes[c->nr_notes++], text, sizeof(text));
}

static void free_client(struct gpd_client *c)
{
	struct gpd_queue *q;

	if (c->number && c->ops)
		gpd_monitor_event(c->d, "client", c->pid, 0, WIRE_QUEUE_ALL, "gone");
	gpd_hold_forget_client(c);
	gpd_suspend_client_gone(c);
	while ((q = LIST_FIRST(&c->queues)))
		gpd_client_queue_free(q);
	if (c->ops && c->ops->stop)
		c->ops->stop(c);
	gpd_grant_give(c, NULL);
	gpd_cgroup_leave(c);
	LIST_REMOVE(c, link);
	LIST_REMOVE(c, of_user);
	TAILQ_REMOVE(&c->d->dead, c, of_dead);
	if (c->throttled)
		LIST_REMOVE(c, of_throttled);
	gpd_silent_forget(c);
	c->d->nr_clients--;
	sd_event_source_unref(c->io);
	close(c->fd);
	gpd_user_give(c->user, GPD_BUDGET_CLIENTS);
	gpd_user_put(c->user);
	free(c);
}

/* Queues of dead clients that are freed before it is another's turn. */
#define FREED_A_TURN 32

/* Some of what a dead client had, in the time of its user. */
static void reap(struct gpd_client *c)
{
	struct gpd_user *user = gpd_user_ref(c->user);
	int nr = FREED_A_TURN;

	gpd_user_begin(user);
	while (nr && !LIST_EMPTY(&c->queues)) {
		gpd_client_queue_free(LIST_FIRST(&c->queues));
		nr--;
	}
	if (nr)
		free_client(c);
	gpd_user_end(user);
	gpd_user_put(user);
}

static int on_reap(sd_event_source *s, void *data)
{
	struct gpd *d = data;

	reap(TAILQ_FIRST(&d->dead));
	return TAILQ_EMPTY(&d->dead) ? 0 : sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
}

/* For a new queue the driver is asked, in files. */
static bool is_dear(const void *msg, size_t len)
{
	const struct wire_hdr *hdr = msg;

	return len >= sizeof(*hdr) && hdr->type == WIRE_QUEUE_ADD;
}

/* One packet. Return: which part of a user's turn it takes, 0 = there is no more now. */
static int read_one(struct gpd_client *c)
{
	const struct gpd_config *config = c->d->config;
	_Alignas(struct wire_hdr) char buf[WIRE_MAX + 1];
	ssize_t len = recv(c->fd, buf, sizeof(buf), MSG_DONTWAIT | MSG_TRUNC);

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (len <= 0) {
		gpd_client_close(c);
		return 0;
	}
	c->d->rx_ns = gpd_now_ns();
	c->d->nr_messages++;
	if (!gpd_bucket_take(&c->messages, config->message_rate, config->message_burst,
			     c->d->rx_ns))
		gpd_client_drop(c, -EDQUOT, "more than %" PRIu64 " messages a second",
				config->message_rate);
	else if (len > WIRE_MAX)
		gpd_client_drop(c, -EMSGSIZE, "message of %zd bytes", len);
	else
		gpd_client_message(c, buf, (size_t)len);
	c->d->rx_ns = 0;
	if (c->state == GPD_CLIENT_DEAD)
		return 0;
	return is_dear(buf, (size_t)len) ? MESSAGES_A_TURN_USER : 1;
}

/* Return: whether nothing is left to read. HELLO waits until its grant is known. */
static bool read_some(struct gpd_client *c)
{
	int left = c->user->privileged ? MESSAGES_A_TURN : MESSAGES_A_TURN_USER;

	if (c->state == GPD_CLIENT_NEW && !gpd_grant_climb(c->d, &c->way, c->pid, c->start_time))
		return false;
	while (left > 0) {
		int took = read_one(c);

		if (!took)
			return true;
		left -= took;
	}
	return false;
}

static int on_io(sd_event_source *s, int fd, uint32_t events, void *data)
{
	struct gpd_client *c = data;

	if (read_some(c) && events & (EPOLLERR | EPOLLHUP))
		gpd_client_close(c);
	return 0;
}

void gpd_client_poll(struct gpd_client *c)
{
	if (c->state != GPD_CLIENT_DEAD)
		read_some(c);
}

static int by_queue(const struct gp_tree_node *a, const struct gp_tree_node *b)
{
	const struct wire_queue *x = &container_of(a, struct gpd_queue, by_id)->told;
	const struct wire_queue *y = &container_of(b, struct gpd_queue, by_id)->told;
	int order = gp_tree_order(x->gpu_id, y->gpu_id);

	return order ? order : gp_tree_order(x->queue_id, y->queue_id);
}

static int by_process(const struct gp_tree_node *a, const struct gp_tree_node *b)
{
	const struct gpd_client *x = container_of(a, struct gpd_client, by_pid);
	const struct gpd_client *y = container_of(b, struct gpd_client, by_pid);
	int order = gp_tree_order((u64)x->pid, (u64)y->pid);

	return order ? order : gp_tree_order(y->number, x->number);
}

int gpd_client_add(struct gpd *d, int fd, const struct gpd_cred *cred, struct gpd_user *user,
		   struct gpd_client **out)
{
	struct gpd_client *c;
	int err;

	if (!gpd_user_take(user, GPD_BUDGET_CLIENTS))
		return -EMFILE;
	c = calloc(1, sizeof(*c));
	err = c ? 0 : -ENOMEM;
	if (!err) {
		c->d = d;
		c->fd = fd;
		c->cred = *cred;
		c->pid = cred->pid;
		c->start_time = cred->start_time;
		c->owner = cred->owner;
		c->number = ++d->next_client;
		c->queues_by_id.cmp = by_queue;
		err = sd_event_add_io(user->event, &c->io, fd, EPOLLIN, on_io, c);
	}
	if (err < 0) {
		gpd_user_give(user, GPD_BUDGET_CLIENTS);
		free(c);
		return err;
	}
	c->user = gpd_user_ref(user);
	LIST_INSERT_HEAD(&user->clients, c, of_user);
	LIST_INSERT_HEAD(&d->clients, c, link);
	d->nr_clients++;
	sd_event_source_set_description(c->io, "client");
	*out = c;
	return 0;
}

/* The words of a daemon that has no place left. */
static void turn_away(struct gpd *d, int fd, struct gpd_user *user)
{
	struct wire_note bye = {
		.code = WIRE_NOTE_REFUSED,
		.value = EMFILE,
		.text = "too many clients",
	};

	d->nr_refused++;
	if (gpd_user_may_log(user))
		gpd_log(LOG_WARNING, "uid %u: too many clients", (unsigned int)user->uid);
	if (wire_send(fd, &bye.hdr, WIRE_BYE, sizeof(bye), gpd_now_ns()))
		gpd_log(LOG_DEBUG, "uid %u: gone already", (unsigned int)user->uid);
}

static int take_in(struct gpd *d, int sock, const struct gpd_cred *cred, struct gpd_user *user)
{
	struct gpd_client *c;
	int err = gpd_client_add(d, sock, cred, user, &c);

	if (err == -EMFILE)
		turn_away(d, sock, user);
	return err;
}

/* Clients that are looked at before it is another's turn. */
#define LOOKS_A_TURN 4

static int on_look(sd_event_source *s, void *data)
{
	struct gpd *d = data;
	struct gpd_client *c;
	int i;

	for (i = 0; i < LOOKS_A_TURN; i++) {
		c = gpd_client_after(d, d->looked.pid, d->looked.number);
		if (!c) {
			d->looked = (struct gpd_place){ 0 };
			return 0;
		}
		gpd_user_begin(c->user);
		if (!gpd_client_look(c))
			d->looked = (struct gpd_place){ c->pid, c->number };
		gpd_user_end(c->user);
	}
	return sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
}

/*
 * What is done for all users comes after what root asks for. A deferred source that goes on is
 * served before every socket of the same priority.
 */
int gpd_client_timers(struct gpd *d)
{
	int err = gpd_defer_add(d->event, &d->reap, GPD_PRIORITY_USER, on_reap, d);

	if (err >= 0)
		err = gpd_defer_add(d->event, &d->look, GPD_PRIORITY_USER, on_look, d);
	if (err >= 0)
		err = gpd_timer_add(d->event, &d->throttle, gpd_client_unthrottle, d);
	if (err >= 0)
		err = sd_event_source_set_priority(d->throttle, GPD_PRIORITY_ROOT);
	if (err >= 0)
		err = gpd_timer_add(d->event, &d->unbar, gpd_silent_unbar, d);
	if (err >= 0)
		err = sd_event_source_set_priority(d->unbar, GPD_PRIORITY_USER);
	return err < 0 ? err : 0;
}

int gpd_client_listen(struct gpd *d, const char *path)
{
	char name[PATH_MAX + sizeof(WIRE_SOCKET_SUFFIX)];
	int err = gpd_client_timers(d);

	snprintf(name, sizeof(name), "%s%s", path, WIRE_SOCKET_SUFFIX);
	d->listener = (struct gpd_listener){ .d = d, .take = take_in };
	if (!err)
		err = gpd_sock_make_dir(name);
	if (!err)
		err = gpd_sock_listen(&d->listener, name, SOCK_SEQPACKET, d->config->client_mode);
	return err;
}

void gpd_client_close_all(struct gpd *d)
{
	struct gpd_client *c;

	while ((c = LIST_FIRST(&d->clients))) {
		gpd_client_close(c);
		free_client(c);
	}
	gpd_sock_close(&d->listener);
	d->reap = sd_event_source_unref(d->reap);
	d->look = sd_event_source_unref(d->look);
	d->throttle = sd_event_source_unref(d->throttle);
	d->unbar = sd_event_source_unref(d->unbar);
}

void gpd_client_is_known(struct gpd_client *c)
{
	c->state = GPD_CLIENT_KNOWN;
	c->d->clients_by_pid.cmp = by_process;
	gp_tree_insert(&c->d->clients_by_pid, &c->by_pid);
}

static struct gpd_client *of(struct gp_tree_node *n)
{
	return n ? container_of(n, struct gpd_client, by_pid) : NULL;
}

struct gpd_client *gpd_client_after(const struct gpd *d, pid_t pid, uint64_t number)
{
	struct gpd_client key = { .pid = pid, .number = number };
	struct gpd_client *c = of(gp_tree_at_least(&d->clients_by_pid, &key.by_pid));

	return c && c->pid == pid && c->number == number ? of(gp_tree_next(&c->by_pid)) : c;
}

struct gpd_client *gpd_round_next(struct gpd *d, struct gpd_round *r)
{
	struct gpd_client *c = gpd_client_after(d, r->at.pid, r->at.number);

	if (c)
		return c;
	*r = (struct gpd_round){ .lap = r->lap + 1 };
	c = gpd_client_after(d, 0, 0);
	/* Nothing is left to reach. */
	r->lap += !c;
	return c;
}

void gpd_round_step(struct gpd_round *r, const struct gpd_client *c)
{
	r->at = (struct gpd_place){ c->pid, c->number };
}

bool gpd_round_is_over(const struct gpd_round *since, const struct gpd_round *r)
{
	const struct gpd_client was = { .pid = since->at.pid, .number = since->at.number };
	const struct gpd_client is = { .pid = r->at.pid, .number = r->at.number };

	if (r->lap != since->lap + 1)
		return r->lap > since->lap + 1;
	return by_process(&is.by_pid, &was.by_pid) >= 0;
}

struct gpd_client *gpd_client_find(const struct gpd *d, pid_t pid)
{
	struct gpd_client *c = gpd_client_after(d, pid, UINT64_MAX);

	return c && c->pid == pid ? c : NULL;
}
