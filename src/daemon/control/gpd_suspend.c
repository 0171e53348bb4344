// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_suspend.h"
#include "daemon/control/gpd_auth.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/clients/gpd_dbg.h"
#include "daemon/control/gpd_manual.h"
#include "daemon/clients/gpd_mech.h"
#include "daemon/module/gpd_module.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 5000
#define ENTRIES_MAX 4096

/* Words of the interface, by enum gp_wire_result; then two of ours. */
static const char *const words[] = { "ok", "gone", "busy", "error", "refused" };
#define REFUSED 4

/**
 * struct entry - one order, or why there is none
 * @target: what was asked for
 * @gpu_id: node of this order, 0 = none
 * @client: who owes an answer, NULL = nobody
 * @epoch: of the order
 * @sent_ns: when it was sent
 * @result: index of a word
 * @took_ns: until the answer, 0 = there was none
 * @by_module: the kernel module is to do it
 * @uid: whose process that is
 * @reason: in words, "" = none
 */
struct entry {
	struct gpd_target target;
	uint32_t gpu_id;
	struct gpd_client *client;
	uint64_t epoch;
	uint64_t sent_ns;
	uint32_t result;
	uint64_t took_ns;
	bool by_module;
	uid_t uid;
	char reason[80];
};

/**
 * struct gpd_job - a request that waits
 * @conn: connection
 * @release: Resume
 * @lease_ns: of holds
 * @keep: holds outlive the connection
 * @dry_run: only say what would be done
 * @nr: entries
 * @nr_pending: of these, not answered
 * @timer: when the time is over
 * @entry: entries
 */
struct gpd_job {
	struct gpd_conn *conn;
	bool release;
	uint64_t lease_ns;
	bool keep;
	bool dry_run;
	uint32_t nr;
	uint32_t nr_pending;
	sd_event_source *timer;
	struct entry entry[ENTRIES_MAX];
};

static json_t *entry_json(const struct entry *e)
{
	bool one = e->target.queue_id != GP_WIRE_QUEUE_ALL;

	return json_pack("{s:I, s:o, s:o, s:s, s:o, s:o}", "pid", (json_int_t)e->target.pid,
			 "gpu_id", e->gpu_id ? json_integer(e->gpu_id) : json_null(), "queue_id",
			 one ? json_integer((json_int_t)e->target.queue_id) : json_null(), "result",
			 words[e->result], "reason",
			 e->reason[0] ? json_string(e->reason) : json_null(), "took_ns",
			 e->took_ns ? json_integer((json_int_t)e->took_ns) : json_null());
}

static void free_job(struct gpd_job *job)
{
	sd_event_source_unref(job->timer);
	job->conn->job = NULL;
	free(job);
}

static void finish(struct gpd_job *job)
{
	struct gpd_conn *conn = job->conn;
	json_t *results = json_array();
	bool waited = conn->waiting;
	uint32_t i;

	for (i = 0; i < job->nr; i++)
		json_array_append_new(results, entry_json(&job->entry[i]));
	free_job(job);
	conn->waiting = false;
	gpd_control_reply(conn, json_pack("{s:o}", "results", results));
	if (waited)
		gpd_control_next(conn);
}

static int on_timeout(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd_job *job = data;
	uint32_t i;

	for (i = 0; i < job->nr; i++) {
		struct entry *e = &job->entry[i];

		if (!e->client)
			continue;
		if (e->client->ops->late)
			e->client->ops->late(e->client);
		e->client = NULL;
		e->result = GP_WIRE_BUSY_NOW;
		snprintf(e->reason, sizeof(e->reason), "no answer in time");
	}
	finish(job);
	return 0;
}

static struct entry *add_entry(struct gpd_job *job, const struct gpd_target *t, uint32_t gpu_id)
{
	struct entry *e;

	if (job->nr == ENTRIES_MAX)
		return NULL;
	e = &job->entry[job->nr++];
	e->target = *t;
	e->gpu_id = gpu_id;
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
	struct gpd_conn *owner = job->keep ? NULL : job->conn;
	int err;

	e->sent_ns = gpd_now_ns();
	if (job->release)
		err = gpd_manual_release(c, e->gpu_id, queue_id, &e->epoch);
	else
		err = gpd_manual_hold(c, e->gpu_id, queue_id, owner, job->lease_ns, &e->epoch);
	if (err) {
		e->result = err == -EPIPE ? GP_WIRE_GONE : GP_WIRE_ERROR;
		snprintf(e->reason, sizeof(e->reason), "%s", strerror(-err));
	} else if (e->epoch) {
		e->client = c;
		job->nr_pending++;
	}
}

static bool is_compute(const struct gpd_queue *q)
{
	return q->told.type == GP_WIRE_QUEUE_AQL || q->told.type == GP_WIRE_QUEUE_PM4;
}

static bool matches(const struct gpd_target *t, const struct gpd_queue *q)
{
	return (!t->gpu_id || t->gpu_id == q->told.gpu_id) &&
	       (t->queue_id == GP_WIRE_QUEUE_ALL || t->queue_id == q->told.queue_id);
}

static bool has_entry(const struct gpd_job *job, const struct gpd_target *t, uint32_t gpu_id,
		      uint32_t from)
{
	uint32_t i;

	for (i = from; i < job->nr; i++)
		if (job->entry[i].gpu_id == gpu_id)
			return true;
	return false;
}

/* One order for each node that the target has compute queues on. */
static void target_client(struct gpd_job *job, const struct gpd_target *t, struct gpd_client *c)
{
	uint32_t first = job->nr;
	bool other = false;
	struct gpd_queue *q;
	uint32_t i;
	uint32_t nr;

	LIST_FOREACH(q, &c->queues, link) {
		if (!matches(t, q))
			continue;
		if (!is_compute(q) || !q->member)
			other = true;
		else if (!has_entry(job, t, q->told.gpu_id, first))
			add_entry(job, t, q->told.gpu_id);
	}
	if (job->nr == first)
		refuse(job, t, other ? REFUSED : GP_WIRE_GONE,
		       other ? "not a compute queue that can be stopped" : "no such queue");
	nr = job->nr;
	for (i = first; i < nr && !job->dry_run; i++)
		if (job->entry[i].result == GP_WIRE_OK)
			send_entry(job, &job->entry[i], c);
}

static void set_result(struct entry *e, int err)
{
	if (!err)
		return;
	if (err == -ESRCH)
		e->result = GP_WIRE_GONE;
	else if (err == -EBUSY)
		e->result = GP_WIRE_BUSY_NOW;
	else
		e->result = err == -EPERM ? REFUSED : GP_WIRE_ERROR;
	snprintf(e->reason, sizeof(e->reason), "the kernel module: %s", strerror(-err));
}

/* Up to GPD_MODULE_ITEMS on one node, from this entry on. The module answers at once. */
static void order_module(struct gpd_job *job, uint32_t first)
{
	struct gpd_module_item items[GPD_MODULE_ITEMS];
	struct gpd_conn *owner = job->keep ? NULL : job->conn;
	uint32_t of[GPD_MODULE_ITEMS];
	uint64_t start_ns = gpd_now_ns();
	uint32_t nr = 0;
	uint32_t i;

	for (i = first; i < job->nr && nr < GPD_MODULE_ITEMS; i++) {
		struct entry *e = &job->entry[i];

		if (!e->by_module || e->gpu_id != job->entry[first].gpu_id)
			continue;
		e->by_module = false;
		items[nr] = (struct gpd_module_item){ .t = e->target, .uid = e->uid };
		items[nr].t.gpu_id = e->gpu_id;
		of[nr++] = i;
	}
	if (job->release)
		gpd_module_release(job->conn->d, items, nr);
	else
		gpd_module_hold(job->conn->d, items, nr, owner, job->lease_ns);
	for (i = 0; i < nr; i++) {
		set_result(&job->entry[of[i]], items[i].result);
		job->entry[of[i]].took_ns = gpd_now_ns() - start_ns;
	}
}

static void order_modules(struct gpd_job *job)
{
	uint32_t i;

	for (i = 0; i < job->nr && !job->dry_run; i++)
		if (job->entry[i].by_module)
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
		refuse(job, t, GP_WIRE_GONE, "no such process");
		return;
	}
	if (!gpd_auth_may_touch(&job->conn->cred, proc.uid)) {
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
	}
	if (job->nr == first)
		refuse(job, t, GP_WIRE_GONE, "no such compute queue");
}

static bool is_of_module(const struct gpd_job *job, const struct gpd_target *t,
			 const struct gpd_client *c)
{
	return !(c && gpd_mech_is_sim(c)) &&
	       gpd_module_has(job->conn->d, (pid_t)t->pid, 0, GP_WIRE_QUEUE_ALL);
}

static void target(struct gpd_job *job, const struct gpd_target *t)
{
	struct gpd_client *c = gpd_client_find(job->conn->d, (pid_t)t->pid);

	if (is_of_module(job, t, c))
		target_module(job, t);
	else if (!c && gpd_dbg_is_coming(job->conn->d, (pid_t)t->pid))
		refuse(job, t, GP_WIRE_BUSY_NOW, "its tracer is not there yet: try again");
	else if (!c)
		refuse(job, t, GP_WIRE_GONE, "no such process under control");
	else if (!gpd_auth_may_touch(&job->conn->cred, c->uid))
		refuse(job, t, REFUSED, "process of another user");
	else if (c->refused && !job->release)
		refuse(job, t, REFUSED, "this process cannot be stopped");
	else
		target_client(job, t, c);
}

void gpd_suspend_call(struct gpd_conn *conn, const struct gpd_request *r)
{
	uint64_t timeout_ms = r->has & GPD_HAS_TIMEOUT ? r->timeout_ms : TIMEOUT_MS;
	struct gpd_job *job = calloc(1, sizeof(*job));
	uint64_t until_us = gpd_now_ns() / 1000 + timeout_ms * 1000;
	uint32_t i;

	if (!job || sd_event_add_time(conn->d->event, &job->timer, CLOCK_MONOTONIC, until_us, 1,
				      on_timeout, job) < 0) {
		free(job);
		gpd_control_error(conn, "Failed", "reason", "out of memory");
		return;
	}
	job->conn = conn;
	conn->job = job;
	job->release = r->method == GPD_METHOD_RESUME;
	job->lease_ns = r->lease_ms * GPD_NS_PER_MS;
	job->keep = r->keep;
	job->dry_run = r->dry_run;
	for (i = 0; i < r->nr_targets; i++)
		target(job, &r->targets[i]);
	order_modules(job);
	if (job->nr_pending)
		conn->waiting = true;
	else
		finish(job);
}

static bool job_done(struct gpd_job *job, struct gpd_client *c, const struct gp_wire_done *done)
{
	uint32_t i;

	for (i = 0; i < job->nr; i++) {
		struct entry *e = &job->entry[i];

		if (e->client != c || e->epoch != done->epoch)
			continue;
		e->client = NULL;
		e->result = done->result;
		e->took_ns = gpd_now_ns() - e->sent_ns;
		if (done->result != GP_WIRE_OK)
			snprintf(e->reason, sizeof(e->reason), "%s",
				 done->error ? strerror((int)done->error) : words[done->result]);
		if (!--job->nr_pending)
			finish(job);
		return true;
	}
	return false;
}

bool gpd_suspend_done(struct gpd_client *c, const struct gp_wire_done *done)
{
	struct gpd_conn *conn;

	for (conn = gpd_control_first(c->d); conn; conn = LIST_NEXT(conn, link))
		if (conn->job && job_done(conn->job, c, done))
			return true;
	return false;
}

/* A tracer may have been lost, or a connection. */
static bool is_alive(const struct gpd_client *c)
{
	struct gpd_proc proc;

	return !gpd_proc_read(c->pid, &proc) && proc.state != 'Z' && proc.state != 'X';
}

static void forget(struct gpd_job *job, const struct gpd_client *c)
{
	bool alive = is_alive(c);
	uint32_t i;

	for (i = 0; i < job->nr; i++) {
		struct entry *e = &job->entry[i];

		if (e->client != c)
			continue;
		e->client = NULL;
		e->result = alive ? GP_WIRE_BUSY_NOW : GP_WIRE_GONE;
		snprintf(e->reason, sizeof(e->reason), "%s",
			 alive ? "it went out of control: try again" : "the process is gone");
		job->nr_pending--;
	}
	if (!job->nr_pending)
		finish(job);
}

void gpd_suspend_client_gone(struct gpd_client *c)
{
	struct gpd_conn *conn;

	for (conn = gpd_control_first(c->d); conn; conn = LIST_NEXT(conn, link))
		if (conn->job)
			forget(conn->job, c);
}

void gpd_suspend_conn_gone(struct gpd_conn *conn)
{
	if (conn->job)
		free_job(conn->job);
}
