// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_suspend.h"
#include "daemon/control/gpd_auth.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/clients/gpd_client_msg.h"
#include "daemon/clients/gpd_dbg.h"
#include "daemon/control/gpd_manual.h"
#include "daemon/clients/gpd_mech.h"
#include "daemon/module/gpd_module.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 5000
#define ENTRIES_MAX 4096

/* Words of the interface, by enum wire_result; then two of ours. */
static const char *const words[] = { "ok", "gone", "busy", "error", "refused" };
#define REFUSED 4

/**
 * struct entry - one order, or why there is none
 * @by_epoch: in gpd.suspended, while @client owes an answer
 * @job: request
 * @target: what was asked for
 * @gpu_id: node of this order, 0 = none
 * @client: the client that owes an answer, NULL = none
 * @epoch: of the order
 * @sent_ns: when it was sent
 * @result: index of a word
 * @took_ns: until the answer, 0 = there was none
 * @by_module: the kernel module is to do it
 * @uid: whose process that is
 * @start_time: of the process
 * @reason: in words, "" = none
 */
struct entry {
	struct gp_tree_node by_epoch;
	struct gpd_job *job;
	struct gpd_target target;
	uint32_t gpu_id;
	struct gpd_client *client;
	uint64_t epoch;
	uint64_t sent_ns;
	uint32_t result;
	uint64_t took_ns;
	bool by_module;
	uid_t uid;
	uint64_t start_time;
	char reason[80];
};

/**
 * struct gpd_job - a Suspend or Resume
 * @conn: connection
 * @release: Resume
 * @lease_ns: of holds
 * @keep: holds outlive the connection
 * @dry_run: only say what would be done
 * @targets: what is asked for
 * @nr_targets: how many
 * @next: target that is next
 * @is_sent: all orders are sent, or cannot be
 * @entries: one for each target and node
 * @nr: how many
 * @room: how many fit
 * @told: entries that were replied
 * @nr_pending: orders that are not answered
 * @timer: when the time is over
 */
struct gpd_job {
	struct gpd_conn *conn;
	bool release;
	uint64_t lease_ns;
	bool keep;
	bool dry_run;
	struct gpd_target *targets;
	uint32_t nr_targets;
	uint32_t next;
	bool is_sent;
	struct entry **entries;
	uint32_t nr;
	uint32_t room;
	uint32_t told;
	uint32_t nr_pending;
	sd_event_source *timer;
};

/* Of one client, by epoch. */
static int order(const struct gp_tree_node *a, const struct gp_tree_node *b)
{
	const struct entry *x = container_of(a, struct entry, by_epoch);
	const struct entry *y = container_of(b, struct entry, by_epoch);

	if (x->client->number != y->client->number)
		return x->client->number < y->client->number ? -1 : 1;
	return x->epoch < y->epoch ? -1 : x->epoch > y->epoch;
}

/* The first entry of a client that waits for this epoch or a later one. */
static struct entry *entry_from(struct gpd_client *c, uint64_t epoch)
{
	struct entry key = { .client = c, .epoch = epoch };
	struct gp_tree_node *n = gp_tree_at_least(&c->d->suspended, &key.by_epoch);
	struct entry *e = n ? container_of(n, struct entry, by_epoch) : NULL;

	return e && e->client == c ? e : NULL;
}

static void wait_for(struct entry *e, struct gpd_client *c)
{
	e->client = c;
	c->d->suspended.cmp = order;
	gp_tree_insert(&c->d->suspended, &e->by_epoch);
	e->job->nr_pending++;
}

static void stop_waiting(struct entry *e)
{
	gp_tree_remove(&e->client->d->suspended, &e->by_epoch);
	e->client = NULL;
	e->job->nr_pending--;
}

static json_t *entry_json(const struct entry *e)
{
	bool one = e->target.queue_id != WIRE_QUEUE_ALL;

	return json_pack("{s:I, s:o, s:o, s:s, s:o, s:o}", "pid", (json_int_t)e->target.pid,
			 "gpu_id", e->gpu_id ? json_integer(e->gpu_id) : json_null(), "queue_id",
			 one ? json_integer((json_int_t)e->target.queue_id) : json_null(), "result",
			 words[e->result], "reason",
			 e->reason[0] ? json_string(e->reason) : json_null(), "took_ns",
			 e->took_ns ? json_integer((json_int_t)e->took_ns) : json_null());
}

static void free_job(void *data)
{
	struct gpd_job *job = data;
	uint32_t i;

	for (i = 0; i < job->nr; i++) {
		if (job->entries[i]->client)
			stop_waiting(job->entries[i]);
		free(job->entries[i]);
	}
	sd_event_source_unref(job->timer);
	free(job->entries);
	free(job->targets);
	free(job);
}

static json_t *next_entry(struct gpd_conn *conn, void *data)
{
	struct gpd_job *job = data;

	return job->told < job->nr ? entry_json(job->entries[job->told++]) : NULL;
}

/* The reply, when nothing is to be sent and nothing is awaited any more. */
static void finish(struct gpd_job *job)
{
	struct gpd_conn *conn = job->conn;

	if (!job->is_sent || job->nr_pending || !conn->job)
		return;
	conn->job = NULL;
	sd_event_source_set_enabled(job->timer, SD_EVENT_OFF);
	gpd_control_stream(conn, "results", next_entry, free_job, job);
}

static int on_timeout(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd_job *job = data;
	uint32_t i;

	for (i = 0; i < job->nr; i++) {
		struct entry *e = job->entries[i];

		if (!e->client)
			continue;
		if (e->client->ops->late)
			e->client->ops->late(e->client);
		stop_waiting(e);
		e->result = WIRE_BUSY_NOW;
		snprintf(e->reason, sizeof(e->reason), "no answer in time");
	}
	finish(job);
	return 0;
}

static struct entry *add_entry(struct gpd_job *job, const struct gpd_target *t, uint32_t gpu_id)
{
	uint32_t room = job->room ? job->room * 2 : 8;
	struct entry **bigger;
	struct entry *e;

	if (job->nr == ENTRIES_MAX)
		return NULL;
	if (job->nr == job->room) {
		bigger = realloc(job->entries, room * sizeof(struct entry *));
		if (!bigger)
			return NULL;
		job->entries = bigger;
		job->room = room;
	}
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->job = job;
	e->target = *t;
	e->gpu_id = gpu_id;
	job->entries[job->nr++] = e;
	return e;
}

static void refuse(struct gpd_job *job, const struct gpd_target *t, uint32_t result,
		   const char *reason)
{
	struct entry *e = add_entry(job, t, (uint32_t)t->gpu_id);

	if (!e)
		return;
	e->result = result;
	snprintf(e->reason, sizeof(e->reason), "%s", reason);
}

static void send_entry(struct gpd_job *job, struct entry *e, struct gpd_client *c)
{
	uint32_t queue_id = (uint32_t)e->target.queue_id;
	int err;

	e->sent_ns = gpd_now_ns();
	if (job->release)
		err = gpd_manual_release(c, e->gpu_id, queue_id, job->conn, &e->epoch);
	else
		err = gpd_manual_hold(c, e->gpu_id, queue_id, job->conn, job->keep, job->lease_ns,
				      &e->epoch);
	if (err) {
		e->result = err == -EPIPE ? WIRE_GONE : WIRE_ERROR;
		snprintf(e->reason, sizeof(e->reason), "%s",
			 err == -EDQUOT ? "too many holds of this user" : strerror(-err));
	} else if (e->epoch) {
		wait_for(e, c);
	} else if (gpd_manual_covers(c, e->gpu_id, queue_id)) {
		snprintf(e->reason, sizeof(e->reason), "another holder remains");
	}
}

static bool is_compute(const struct gpd_queue *q)
{
	return q->told.type == WIRE_QUEUE_AQL || q->told.type == WIRE_QUEUE_PM4;
}

/* What one target means: an order for each node on which it has compute queues. */
static void target_client(struct gpd_job *job, const struct gpd_target *t, struct gpd_client *c)
{
	uint32_t first = job->nr;
	bool other = false;
	struct gpd_member *m;
	struct gpd_queue *q;
	uint32_t i;

	if (t->queue_id != WIRE_QUEUE_ALL) {
		q = gpd_client_queue(c, (uint32_t)t->gpu_id, (uint32_t)t->queue_id);
		other = q;
		if (q && is_compute(q) && q->member)
			add_entry(job, t, q->told.gpu_id);
	} else {
		other = !LIST_EMPTY(&c->queues);
		LIST_FOREACH(m, &c->members, of_client)
		if (!t->gpu_id || t->gpu_id == m->node->gpu_id)
			add_entry(job, t, m->node->gpu_id);
	}
	if (job->nr == first)
		refuse(job, t, other ? REFUSED : WIRE_GONE,
		       other ? "not a compute queue that can be stopped" : "no such queue");
	for (i = first; i < job->nr && !job->dry_run; i++)
		if (job->entries[i]->result == WIRE_OK)
			send_entry(job, job->entries[i], c);
}

static void set_result(struct entry *e, int err)
{
	if (!err)
		return;
	if (err == -ESRCH)
		e->result = WIRE_GONE;
	else if (err == -EBUSY)
		e->result = WIRE_BUSY_NOW;
	else
		e->result = err == -EPERM ? REFUSED : WIRE_ERROR;
	snprintf(e->reason, sizeof(e->reason), "the kernel module: %s", strerror(-err));
}

/* Up to GPD_MODULE_ITEMS on one node, from this entry on. The module answers at once. */
static void order_module(struct gpd_job *job, uint32_t first)
{
	struct gpd_module_item items[GPD_MODULE_ITEMS];
	uint32_t of[GPD_MODULE_ITEMS];
	uint64_t start_ns = gpd_now_ns();
	uint32_t nr = 0;
	uint32_t i;

	for (i = first; i < job->nr && nr < GPD_MODULE_ITEMS; i++) {
		struct entry *e = job->entries[i];

		if (!e->by_module || e->gpu_id != job->entries[first]->gpu_id)
			continue;
		e->by_module = false;
		items[nr] = (struct gpd_module_item){ .t = e->target, .uid = e->uid };
		items[nr].start_time = e->start_time;
		items[nr].t.gpu_id = e->gpu_id;
		of[nr++] = i;
	}
	if (job->release)
		gpd_module_release(job->conn, items, nr);
	else
		gpd_module_hold(job->conn, items, nr, job->keep, job->lease_ns);
	for (i = 0; i < nr; i++) {
		set_result(job->entries[of[i]], items[i].result);
		job->entries[of[i]]->took_ns = gpd_now_ns() - start_ns;
	}
}

static void order_modules(struct gpd_job *job)
{
	uint32_t i;

	for (i = 0; i < job->nr && !job->dry_run; i++)
		if (job->entries[i]->by_module)
			order_module(job, i);
}

/* One entry for each node of the module that the target has queues on. */
static void target_module(struct gpd_job *job, const struct gpd_target *t)
{
	struct gpd *d = job->conn->d;
	uint32_t first = job->nr;
	struct gpd_proc proc;
	struct entry *e;
	uint32_t i;

	if (gpd_proc_read((pid_t)t->pid, &proc)) {
		refuse(job, t, WIRE_GONE, "no such process");
		return;
	}
	if (!gpd_trust_may_touch_process(d, &job->conn->cred, (pid_t)t->pid, proc.uid)) {
		refuse(job, t, REFUSED, "process of another user");
		return;
	}
	for (i = 0; i < d->nr_nodes; i++) {
		uint32_t gpu_id = d->node[i].gpu_id;

		if ((t->gpu_id && t->gpu_id != gpu_id) ||
		    !gpd_module_has(d, (pid_t)t->pid, gpu_id, (uint32_t)t->queue_id))
			continue;
		e = add_entry(job, t, gpu_id);
		if (!e)
			break;
		e->by_module = true;
		e->uid = proc.uid;
		e->start_time = proc.start_time;
	}
	if (job->nr == first)
		refuse(job, t, WIRE_GONE, "no such compute queue");
}

static bool is_of_module(const struct gpd_job *job, const struct gpd_target *t,
			 const struct gpd_client *c)
{
	return !(c && gpd_mech_is_sim(c)) &&
	       gpd_module_has(job->conn->d, (pid_t)t->pid, 0, WIRE_QUEUE_ALL);
}

static void target(struct gpd_job *job, const struct gpd_target *t)
{
	struct gpd_client *c = gpd_client_find(job->conn->d, (pid_t)t->pid);

	if (is_of_module(job, t, c))
		target_module(job, t);
	else if (!c && gpd_dbg_is_coming(job->conn->d, (pid_t)t->pid))
		refuse(job, t, WIRE_BUSY_NOW, "its tracer is not there yet: try again");
	else if (!c)
		refuse(job, t, WIRE_GONE, "no such process under control");
	else if (!gpd_trust_may_touch(&job->conn->cred, &c->owner))
		refuse(job, t, REFUSED, "process of another user");
	else if (c->refused && !job->release)
		refuse(job, t, REFUSED, "this process cannot be stopped");
	else
		target_client(job, t, c);
}

bool gpd_suspend_has_step(const struct gpd_conn *conn)
{
	return !conn->job->is_sent;
}

void gpd_suspend_step(struct gpd_conn *conn)
{
	struct gpd_job *job = conn->job;
	int nr = gpd_control_steps(conn);

	while (nr-- && job->next < job->nr_targets)
		target(job, &job->targets[job->next++]);
	if (job->next < job->nr_targets)
		return;
	order_modules(job);
	job->is_sent = true;
	finish(job);
}

static struct gpd_job *make_job(struct gpd_conn *conn, const struct gpd_request *r)
{
	uint64_t timeout_ms = r->has & GPD_HAS_TIMEOUT ? r->timeout_ms : TIMEOUT_MS;
	uint64_t until_us = gpd_now_ns() / 1000 + timeout_ms * 1000;
	struct gpd_job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->targets = malloc((r->nr_targets + 1) * sizeof(*job->targets));
	if (!job->targets || sd_event_add_time(conn->d->event, &job->timer, CLOCK_MONOTONIC,
					       until_us, 1, on_timeout, job) < 0) {
		free_job(job);
		return NULL;
	}
	memcpy(job->targets, r->targets, r->nr_targets * sizeof(*job->targets));
	job->nr_targets = r->nr_targets;
	job->conn = conn;
	job->release = r->method == GPD_METHOD_RESUME;
	job->lease_ns = r->lease_ms * GPD_NS_PER_MS;
	job->keep = r->keep;
	job->dry_run = r->dry_run;
	return job;
}

void gpd_suspend_call(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_job *job = make_job(conn, r);

	if (!job) {
		gpd_control_error(conn, "Failed", "reason", "out of memory");
		return;
	}
	conn->job = job;
	conn->waiting = true;
	gpd_suspend_step(conn);
}

void gpd_suspend_done(struct gpd_client *c, const struct wire_done *done)
{
	struct entry *e = entry_from(c, done->epoch);

	if (!e || e->epoch != done->epoch)
		return;
	stop_waiting(e);
	e->result = done->result;
	e->took_ns = gpd_now_ns() - e->sent_ns;
	if (done->result != WIRE_OK)
		snprintf(e->reason, sizeof(e->reason), "%s",
			 done->error ? strerror((int)done->error) : words[done->result]);
	finish(e->job);
}

/* A tracer may have been lost, or a connection. */
static bool is_alive(const struct gpd_client *c)
{
	struct gpd_proc proc;

	return !gpd_proc_read(c->pid, &proc) && proc.state != 'Z' && proc.state != 'X';
}

void gpd_suspend_client_gone(struct gpd_client *c)
{
	struct entry *e = entry_from(c, 0);
	bool alive = e && is_alive(c);

	for (; e; e = entry_from(c, 0)) {
		stop_waiting(e);
		e->result = alive ? WIRE_BUSY_NOW : WIRE_GONE;
		snprintf(e->reason, sizeof(e->reason), "%s",
			 alive ? "it went out of control: try again" : "the process is gone");
		finish(e->job);
	}
}

void gpd_suspend_conn_gone(struct gpd_conn *conn)
{
	if (conn->job)
		free_job(conn->job);
	conn->job = NULL;
}
