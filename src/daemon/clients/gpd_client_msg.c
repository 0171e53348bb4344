// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_cgroup.h"
#include "daemon/gpd_hold.h"
#include "daemon/gpd_ops.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_state.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"
#include "client/wire_decode.h"
#include "driver/kfd_abi.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How long edges are kept back that come too fast. */
#define THROTTLE_NS (5 * GPD_NS_PER_MS)

struct gpd_queue *gpd_client_queue(struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id)
{
	struct gpd_queue key = { .told = { .gpu_id = gpu_id, .queue_id = queue_id } };
	struct gp_tree_node *n = gp_tree_find(&c->queues_by_id, &key.by_id);

	return n ? container_of(n, struct gpd_queue, by_id) : NULL;
}

static void read_process(struct gpd_client *c, const struct wire_hello *m)
{
	struct gpd_proc proc;

	gpd_text_clean(c->comm, sizeof(c->comm), m->comm, sizeof(m->comm));
	if (c->pid > GPD_PID_MAX || gpd_proc_read(c->pid, &proc))
		return;
	c->start_time = proc.start_time;
	if (!c->comm[0])
		memcpy(c->comm, proc.comm, sizeof(c->comm));
}

static void hello(struct gpd_client *c, const struct wire_hello *m)
{
	const char *why = "";
	int err;

	if (c->state != GPD_CLIENT_NEW) {
		gpd_client_drop(c, -EPROTO, "said hello twice");
		return;
	}
	err = gpd_mech_admit(c, m, &why);
	if (err) {
		gpd_client_drop(c, err, "%s", why);
		return;
	}
	read_process(c, m);
	c->sees = m->sees;
	gpd_client_is_known(c);
	gpd_auth_wishes(c, m);
	gpd_cgroup_join(c);
	if (gpd_mech_is_dbg(c))
		gpd_dbg_attrs(c);
	gpd_state_recall(c);
	if (gpd_ops_of(c->d, c)->hello)
		c->d->ops->hello(c);
	gpd_silent_hello(c);
	gpd_monitor_event(c->d, "client", c->pid, 0, WIRE_QUEUE_ALL, "%s client of %s",
			  c->ops->name, c->comm);
	err = gpd_client_welcome(c);
	if (err)
		gpd_client_drop(c, err, "does not take a welcome: %s", strerror(-err));
}

static void schedule_queue(struct gpd_queue *q)
{
	struct gpd_client *c = q->client;
	struct gpd_node *n = gpd_nodes_find(c->d, q->told.gpu_id);
	int err;

	/* Simulated processes have no say about a GPU, nor real ones about a simulated one. */
	if (!n || (n->simulated != gpd_mech_is_sim(c) && !gpd_mech_is_dbg(c))) {
		gpd_client_note(c, "queue %" PRIu32 ": node %" PRIu32 " is not known",
				q->told.queue_id, q->told.gpu_id);
		return;
	}
	err = n->simulated ? 0 : gpd_trust_shows(q);
	q->is_unasked = err && err != -ENOENT;
	if (err) {
		gpd_client_note(c, "queue %" PRIu32 " of node %" PRIu32 "%s%s", q->told.queue_id,
				q->told.gpu_id,
				q->is_unasked ? ": the driver cannot be asked: " :
						" is not in the driver",
				q->is_unasked ? strerror(-err) : "");
		return;
	}
	q->manual = gpd_hold_covers(c->d, c->number, q->told.gpu_id,
				    q->told.queue_id);
	err = gpd_engine_queue_add(q, n);
	if (err)
		gpd_client_note(c, "queue %" PRIu32 " is not scheduled: %s", q->told.queue_id,
				strerror(-err));
	gpd_silent_busy(q);
}

static void queue_add(struct gpd_client *c, const struct wire_queue *m)
{
	struct gpd_queue *q = gpd_client_queue(c, m->gpu_id, m->queue_id);

	/* Numbers are used again: the old one is gone, the client forgot to say so. */
	if (q)
		gpd_client_queue_free(q);
	if (c->nr_queues >= GPD_CLIENT_QUEUES_MAX) {
		gpd_client_drop(c, -ENOSPC, "more than %d queues", GPD_CLIENT_QUEUES_MAX);
		return;
	}
	if (!gpd_user_take(c->user, GPD_BUDGET_QUEUES)) {
		gpd_client_drop(c, -EDQUOT, "more than %d queues of one user", GPD_USER_QUEUES_MAX);
		return;
	}
	q = calloc(1, sizeof(*q));
	if (!q) {
		gpd_user_give(c->user, GPD_BUDGET_QUEUES);
		gpd_client_drop(c, -ENOMEM, "out of memory");
		return;
	}
	q->client = c;
	q->told = *m;
	q->busy = m->busy;
	q->core_id = GP_ID_NONE;
	LIST_INSERT_HEAD(&c->queues, q, link);
	gp_tree_insert(&c->queues_by_id, &q->by_id);
	c->nr_queues++;
	gpd_monitor_event(c->d, "queue", c->pid, m->gpu_id, m->queue_id, "added");
	if (drv_kfd_is_compute(m->type))
		schedule_queue(q);
}

void gpd_client_queue_free(struct gpd_queue *q)
{
	struct gpd_client *c = q->client;

	gpd_monitor_event(c->d, "queue", c->pid, q->told.gpu_id, q->told.queue_id, "removed");
	gpd_engine_queue_remove(q);
	LIST_REMOVE(q, link);
	gp_tree_remove(&c->queues_by_id, &q->by_id);
	c->nr_queues--;
	gpd_user_give(c->user, GPD_BUDGET_QUEUES);
	free(q);
}

static void throttle(struct gpd_client *c)
{
	struct gpd *d = c->d;

	if (c->throttled)
		return;
	gpd_client_note(c, "more than %" PRIu64 " edges a second: some are put together",
			d->config->edge_rate);
	c->throttled = true;
	LIST_INSERT_HEAD(&d->throttled, c, of_throttled);
	if (!gpd_timer_is_on(d->throttle))
		gpd_timer_set(d->throttle, gpd_now_ns() + THROTTLE_NS);
}

/* One client a turn, in the time of its user. */
int gpd_client_unthrottle(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd *d = data;
	struct gpd_client *c = LIST_FIRST(&d->throttled);
	struct gpd_queue *q;

	if (!c)
		return 0;
	LIST_REMOVE(c, of_throttled);
	c->throttled = false;
	gpd_user_begin(c->user);
	LIST_FOREACH(q, &c->queues, link)
		gpd_engine_queue_level(q);
	gpd_user_end(c->user);
	if (!LIST_EMPTY(&d->throttled))
		gpd_timer_set(s, gpd_now_ns());
	return 0;
}

/* A queue that the driver has destroyed has no work, whatever its client says. */
static bool is_there(struct gpd_queue *q)
{
	if (!q->member || q->member->node->simulated || gpd_trust_shows(q) != -ENOENT)
		return true;
	gpd_client_note(q->client, "queue %" PRIu32 " of node %" PRIu32 " is gone from the driver",
			q->told.queue_id, q->told.gpu_id);
	gpd_engine_queue_remove(q);
	return false;
}

/* The driver is asked for so many before it is another's turn. */
#define ASKED_A_TURN 16

bool gpd_client_look(struct gpd_client *c)
{
	uint64_t now_ns = gpd_now_ns();
	int nr = ASKED_A_TURN;
	struct gpd_queue *q;

	LIST_FOREACH(q, &c->queues, link) {
		if (!q->busy || gpd_trust_was_shown(q, now_ns))
			continue;
		if (!nr--)
			return true;
		q->busy = is_there(q);
	}
	return false;
}

/* A queue that a message is about; a client that never told it is dropped. */
static struct gpd_queue *told_queue(struct gpd_client *c, uint32_t gpu_id, uint32_t queue_id,
				    const char *what)
{
	struct gpd_queue *q = gpd_client_queue(c, gpu_id, queue_id);

	if (!q)
		gpd_client_drop(c, -ENOENT, "%s %" PRIu32 " that it never told", what, queue_id);
	return q;
}

/* An edge is the new level of a queue: of several that wait, only the last counts. */
static void edge(struct gpd_client *c, const struct wire_edge *m)
{
	const struct gpd_config *config = c->d->config;
	struct gpd_queue *q = told_queue(c, m->gpu_id, m->queue_id, "edge of queue");
	bool busy = m->hdr.type == WIRE_BUSY;

	if (!q || (busy && !is_there(q)))
		return;
	q->busy = busy;
	if (busy && q->is_unasked)
		schedule_queue(q);
	gpd_monitor_edge(q);
	if (!gpd_bucket_take(&c->edges, config->edge_rate, config->edge_burst, c->d->rx_ns))
		throttle(c);
	if (!c->throttled)
		gpd_engine_queue_level(q);
	gpd_silent_busy(q);
	gpd_progress_busy(q);
}

/*
 * By its age: the client may have another clock. One that is too much is left out, as the
 * next says more.
 */
static void progress(struct gpd_client *c, const struct wire_progress *m)
{
	const struct gpd_config *config = c->d->config;
	struct gpd_queue *q = told_queue(c, m->gpu_id, m->queue_id, "progress of queue");
	uint64_t age_ns = m->hdr.time_ns - m->since_ns, now_ns = gpd_now_ns();

	if (q && gpd_bucket_take(&c->edges, config->edge_rate, config->edge_burst, c->d->rx_ns))
		gpd_engine_queue_progress(q, age_ns < now_ns ? now_ns - age_ns : 0);
}

static void queue_remove(struct gpd_client *c, const struct wire_edge *m)
{
	struct gpd_queue *q = told_queue(c, m->gpu_id, m->queue_id, "end of queue");

	if (q)
		gpd_client_queue_free(q);
}

static void done(struct gpd_client *c, const struct wire_done *m)
{
	struct gpd_node *n = gpd_nodes_find(c->d, m->gpu_id);
	struct gpd_member *member = n ? gpd_member_find(c, n) : NULL;
	bool is_owed = member && member->owed_epoch && member->owed_epoch == m->epoch;
	bool is_awaited;
	bool is_manual;
	bool is_taken;

	/* Before the switch goes on, and orders something new. */
	if (is_owed)
		member->owed_epoch = 0;
	is_awaited = member && gpd_fanout_done(member, m);
	is_manual = !is_awaited && gpd_suspend_done(c, m);
	is_taken = !is_awaited && !is_manual && member && gpd_late_done(member, m);
	if (!member || (!is_owed && !is_awaited && !is_manual && !is_taken))
		return;
	gpd_silent_done(member, m, is_awaited || is_taken);
	gpd_progress_done(member, m);
	if (is_owed && is_taken && m->result != WIRE_OK)
		gpd_engine_again(member);
	gpd_engine_rejoin(member);
}

static void note(struct gpd_client *c, const struct wire_note *m)
{
	char text[GPD_NOTE_LEN];

	gpd_text_clean(text, sizeof(text), m->text, sizeof(m->text));
	if (m->code == WIRE_NOTE_SEES)
		c->sees = (uint32_t)m->value;
	if (gpd_mech_is_dbg(c) && gpd_dbg_note(c, m, text))
		return;
	switch (m->code) {
	case WIRE_NOTE_SEES:
		/* Set before a caller is told that a tracer has attached. */
		return;
	case WIRE_NOTE_LEASE_ENDED:
		gpd_client_note(c, "let go by itself: the lease ended");
		return;
	case WIRE_NOTE_PROGRESS:
	case WIRE_NOTE_NO_PROGRESS:
		gpd_progress_note(c, m->gpu_id, m->code == WIRE_NOTE_PROGRESS);
		return;
	case WIRE_NOTE_REFUSED:
		gpd_client_note(c, "cannot be stopped: %s", text[0] ? text : "no reason given");
		c->refused = true;
		gpd_engine_attrs(c);
		return;
	default:
		gpd_progress_reset(c, m->gpu_id);
		return;
	}
}

void gpd_client_message(struct gpd_client *c, const void *buf, size_t len)
{
	union wire_said msg;
	const char *why;
	int err = wire_decode(buf, len, &msg, &why);

	if (err) {
		gpd_client_drop(c, err, "%s", why);
		return;
	}
	if (c->state == GPD_CLIENT_NEW && msg.hdr.type != WIRE_HELLO) {
		gpd_client_drop(c, -EPROTO, "did not say hello first");
		return;
	}
	switch (msg.hdr.type) {
	case WIRE_HELLO:
		hello(c, &msg.hello);
		break;
	case WIRE_QUEUE_ADD:
		queue_add(c, &msg.queue);
		break;
	case WIRE_QUEUE_REMOVE:
		queue_remove(c, &msg.edge);
		break;
	case WIRE_PROGRESS:
		progress(c, &msg.progress);
		break;
	case WIRE_DONE:
		done(c, &msg.done);
		break;
	case WIRE_NOTE:
		note(c, &msg.note);
		break;
	default:
		edge(c, &msg.edge);
		break;
	}
}
