// SPDX-License-Identifier: MIT
/*
 * Any bytes as a packet of a client: it is refused with a reason, or everything in
 * it is in its range. Then the same bytes as several packets that reach the daemon's
 * handling of messages: whatever a client says, its queues are what it told, and
 * one that talks nonsense is marked to go.
 */
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_hold.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"
#include "client/wire_decode.h"
#include "rules/right.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void check_texts(const union wire_said *m)
{
	if (m->hdr.type == WIRE_HELLO) {
		assert(memchr(m->hello.klass, '\0', sizeof(m->hello.klass)));
		assert(memchr(m->hello.group, '\0', sizeof(m->hello.group)));
		assert(memchr(m->hello.comm, '\0', sizeof(m->hello.comm)));
		assert(m->hello.weight <= GP_WEIGHT_MAX);
		assert(m->hello.prio <= GP_PRIO_MAX || m->hello.prio == WIRE_PRIO_UNSET);
	}
	if (m->hdr.type == WIRE_NOTE)
		assert(memchr(m->note.text, '\0', sizeof(m->note.text)));
	if (m->hdr.type == WIRE_DONE)
		assert(m->done.result <= WIRE_ERROR);
	if (m->hdr.type == WIRE_QUEUE_ADD)
		assert(m->queue.queue_id != WIRE_QUEUE_ALL && m->queue.busy <= 1);
}

static void decode(const uint8_t *data, size_t size)
{
	union wire_said msg;
	const char *why = NULL;
	int err = wire_decode(data, size, &msg, &why);

	if (err) {
		assert(why && why[0]);
		assert(err == -EBADMSG || err == -EINVAL || err == -EPROTONOSUPPORT);
		return;
	}
	assert(msg.hdr.magic == WIRE_MAGIC && msg.hdr.size == size);
	check_texts(&msg);
}

/* A daemon with two simulated nodes, never run: calls are made into it. */
static struct gpd *make_daemon(void)
{
	struct gpd *d = calloc(1, sizeof(*d));

	assert(d && sd_event_new(&d->event) >= 0);
	d->config = calloc(1, sizeof(*d->config));
	gpd_config_default(d->config);
	d->config->nr_sim = 2;
	gpd_log_level = -1;
	gpd_nodes_init(d);
	assert(!gpd_daemon_tables(d));
	assert(!gpd_client_timers(d));
	return d;
}

static struct gpd_client *make_client(struct gpd *d, int *other)
{
	struct gpd_cred cred = { .pid = getpid(), .owner = { .uid = 1000, .account = 1000 } };
	struct gpd_user *user = gpd_user_get(d, &cred.owner, false);
	struct gpd_proc proc;
	struct gpd_client *c;
	int pair[2];

	assert(user && !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair));
	assert(!gpd_client_add(d, pair[0], &cred, user, &c));
	assert(!gpd_proc_read(cred.pid, &proc));
	c->cred.start_time = proc.start_time;
	gpd_user_put(user);
	*other = pair[1];
	return c;
}

static void check_client(const struct gpd_client *c)
{
	const struct gpd_queue *q;
	uint32_t nr = 0;

	LIST_FOREACH(q, &c->queues, link) {
		nr++;
		assert(!q->member == (q->core_id == GP_ID_NONE));
		assert(!q->member || q->member->client == c);
	}
	assert(nr == c->nr_queues);
}

/* A byte says which client speaks and how long the packet is, then it follows. */
static void talk(struct gpd *d, const uint8_t *data, size_t size)
{
	struct gpd_client *c[2];
	int other[2];
	int i;

	for (i = 0; i < 2; i++)
		c[i] = make_client(d, &other[i]);
	while (size > 1) {
		struct gpd_client *who = c[data[0] & 1];
		size_t len = (data[0] >> 1) * 2 + 16;

		data++;
		size--;
		len = len < size ? len : size;
		if (who->state != GPD_CLIENT_DEAD) {
			d->rx_ns = gpd_now_ns();
			gpd_client_message(who, data, len);
			check_client(who);
		}
		data += len;
		size -= len;
	}
	gpd_client_close_all(d);
	for (i = 0; i < 2; i++)
		close(other[i]);
	assert(LIST_EMPTY(&d->held) && !d->nr_clients);
	for (i = 0; i < 2; i++)
		assert(LIST_EMPTY(&d->node[i].entities));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct gpd *d;

	decode(data, size);
	if (!d)
		d = make_daemon();
	talk(d, data, size);
	assert(!gpd_client_timers(d));
	return 0;
}
