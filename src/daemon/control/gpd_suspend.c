// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_client.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_hold.h"
#include "daemon/gpd_ops.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 5000
#define ENTRIES_MAX 4096

/* Words of the interface, by enum wire_result, which has the numbers of the core; then one more. */
#define X(name, text) text,
static const char *const words[] = { GP_RESULTS(X) "refused" };
#undef X
#define REFUSED GP_RESULT_COUNT

/* One order, or why there is none. */
struct entry {
	TAILQ_ENTRY(entry) link;
	struct gp_tree_node by_epoch; /* in gpd.suspended, while its client owes an answer */
	struct gpd_job *job;
	struct gpd_hold_item item; /* what is asked for, and what became of it */
	bool is_ordered;	   /* nothing is left to be ordered */
	bool is_awaited;	   /* its client owes an answer */
	uint64_t sent_ns;	   /* when it was ordered */
	uint32_t result;	   /* index of a word */
	uint64_t took_ns;	   /* until the answer, 0 = there was none */
	char reason[80];	   /* in words, "" = none */
};

/* A Suspend or Resume. */
struct gpd_job {
	struct gpd_conn *conn;
	bool release;		    /* Resume */
	uint64_t lease_ns;	    /* of holds */
	bool keep;		    /* holds outlive the connection */
	bool dry_run;		    /* only say what would be done */
	struct gpd_target *targets; /* what is asked for */
	uint32_t nr_targets;
	uint32_t next;		/* target that is next */
	TAILQ_HEAD(entries, entry) entries; /* one for each target and node */
	uint32_t nr;
	struct entry *told;	/* the entry that is replied next */
	uint32_t nr_pending;	/* orders that are not answered */
	sd_event_source *timer; /* when the time is over */
	bool is_late;		/* it is; what is not ordered yet will not be */
};

/* Of one client, by epoch. */
static int order(const struct gp_tree_node *a, const struct gp_tree_node *b)
{
	const struct gpd_hold_item *x = &container_of(a, struct entry, by_epoch)->item;
	const struct gpd_hold_item *y = &container_of(b, struct entry, by_epoch)->item;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->epoch < y->epoch ? -1 : x->epoch > y->epoch;
}

/* The first entry of a client that waits for this epoch or a later one. */
static struct entry *entry_from(struct gpd_client *c, uint64_t epoch)
{
	struct entry key = { .item = { .process = c->number, .epoch = epoch } };
	struct gp_tree_node *n = gp_tree_at_least(&c->d->suspended, &key.by_epoch);
	struct entry *e = n ? container_of(n, struct entry, by_epoch) : NULL;

	return e && e->item.client == c ? e : NULL;
}

static void wait_for(struct entry *e)
{
	struct gp_tree *suspended = &e->job->conn->d->suspended;

	suspended->cmp = order;
	e->is_awaited = !gp_tree_insert(suspended, &e->by_epoch);
	e->job->nr_pending += e->is_awaited;
}

static void stop_waiting(struct entry *e)
{
	gp_tree_remove(&e->job->conn->d->suspended, &e->by_epoch);
	e->is_awaited = false;
	e->job->nr_pending--;
}

static void __attribute__((format(printf, 3, 4)))
say(struct entry *e, uint32_t result, const char *format, ...)
{
	va_list args;

	e->result = result;
	va_start(args, format);
	vsnprintf(e->reason, sizeof(e->reason), format, args);
	va_end(args);
}

static json_t *entry_json(const struct entry *e)
{
	const struct gpd_hold_item *i = &e->item;

	return json_pack("{s:I, s:o, s:o, s:s, s:o, s:o}", "pid", (json_int_t)i->pid, "gpu_id",
			 drv_json_known(i->gpu_id, i->gpu_id), "queue_id",
			 drv_json_known(i->queue_id != WIRE_QUEUE_ALL, i->queue_id), "result",
			 words[e->result], "reason", drv_json_text(e->reason), "took_ns",
			 drv_json_known(e->took_ns, e->took_ns));
}

static void free_job(void *data)
{
	struct gpd_job *job = data;
	struct entry *e;

	while ((e = TAILQ_FIRST(&job->entries))) {
		TAILQ_REMOVE(&job->entries, e, link);
		if (e->is_awaited)
			stop_waiting(e);
		free(e);
	}
	sd_event_source_unref(job->timer);
	free(job->targets);
	free(job);
}

static json_t *next_entry(struct gpd_conn *conn, void *data)
{
	struct gpd_job *job = data;
	struct entry *e = job->told;

	if (!e)
		return NULL;
	job->told = TAILQ_NEXT(e, link);
	return entry_json(e);
}

/* The reply, when nothing is to be sent and nothing is awaited any more. */
static void finish(struct gpd_job *job)
{
	struct gpd_conn *conn = job->conn;

	if (job->next < job->nr_targets || job->nr_pending || !conn->job)
		return;
	conn->job = NULL;
	job->told = TAILQ_FIRST(&job->entries);
	sd_event_source_set_enabled(job->timer, SD_EVENT_OFF);
	gpd_control_stream(conn, "results", next_entry, free_job, job);
}

static int on_timeout(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd_job *job = data;
	struct entry *e;

	job->is_late = true;
	TAILQ_FOREACH(e, &job->entries, link) {
		if (!e->is_awaited)
			continue;
		if (e->item.client->ops->late)
			e->item.client->ops->late(e->item.client);
		stop_waiting(e);
		say(e, WIRE_BUSY_NOW, "no answer in time");
	}
	finish(job);
	return 0;
}

static struct entry *add_entry(struct gpd_job *job, const struct gpd_hold_item *item)
{
	struct entry *e = job->nr < ENTRIES_MAX ? calloc(1, sizeof(*e)) : NULL;

	if (!e)
		return NULL;
	e->job = job;
	e->item = *item;
	TAILQ_INSERT_TAIL(&job->entries, e, link);
	job->nr++;
	return e;
}

static uint32_t word_of(int err)
{
	return err == -EPERM ? REFUSED : gp_act_result(err);
}

/* What became of an order that may be answered later. */
static void judge(struct entry *e)
{
	const struct gpd_hold_item *i = &e->item;
	const struct gpd_user *other = NULL;

	if (e->job->release)
		other = gpd_hold_other(e->job->conn, i->process, i->gpu_id, i->queue_id);
	if (other && !other->uid)
		say(e, REFUSED, "held by root");
	else if (other)
		say(e, REFUSED, "held by user %u", (unsigned int)other->uid);
	else if (i->result == -EDQUOT)
		say(e, WIRE_ERROR, "too many holds of this user");
	else if (i->result)
		say(e, word_of(i->result), "%s%s", i->ops->says, strerror(-i->result));
	else if (i->epoch)
		wait_for(e);
	else if (e->job->release &&
		 gpd_hold_covers(e->job->conn->d, i->process, i->gpu_id, i->queue_id))
		say(e, WIRE_OK, "held with all queues of the process");
	else
		e->took_ns = gpd_now_ns() - e->sent_ns;
}

/* All of one node, from this entry on, that can be ordered at once. */
static void order_some(struct gpd_job *job, struct entry *first)
{
	struct gpd_hold_item *items[GPD_HOLD_ITEMS];
	uint64_t now_ns = gpd_now_ns();
	struct entry *e;
	uint32_t nr = 0;

	for (e = first; e && nr < GPD_HOLD_ITEMS; e = TAILQ_NEXT(e, link)) {
		if (e->is_ordered || e->item.ops != first->item.ops ||
		    e->item.gpu_id != first->item.gpu_id)
			continue;
		e->is_ordered = true;
		e->sent_ns = now_ns;
		items[nr++] = &e->item;
	}
	if (job->release)
		gpd_hold_end(job->conn, items, nr);
	else
		gpd_hold_make(job->conn, items, nr, job->keep, job->lease_ns);
	while (nr)
		judge(container_of(items[--nr], struct entry, item));
}

/* One entry for each node that a target is on. */
static void target(struct gpd_job *job, const struct gpd_target *t)
{
	struct gpd_hold_aim aim = {
		.conn = job->conn,
		.t = t,
		.release = job->release,
		.why = "not ordered in time",
	};
	struct gpd_client *c = gpd_client_find(job->conn->d, (pid_t)t->pid);
	int err = job->is_late ? -EBUSY : gpd_ops_of(job->conn->d, c)->hold->aim(&aim);
	struct entry *e;
	uint32_t i;

	if (err)
		aim.items[aim.nr++] = (struct gpd_hold_item){
			.pid = (pid_t)t->pid,
			.gpu_id = (uint32_t)t->gpu_id,
			.queue_id = (uint32_t)t->queue_id,
		};
	for (i = 0; i < aim.nr; i++) {
		e = add_entry(job, &aim.items[i]);
		if (!e)
			return;
		e->is_ordered = err || job->dry_run;
		if (err)
			say(e, word_of(err), "%s", aim.why);
	}
}

bool gpd_suspend_has_step(const struct gpd_conn *conn)
{
	return conn->job->next < conn->job->nr_targets;
}

void gpd_suspend_step(struct gpd_conn *conn)
{
	struct gpd_job *job = conn->job;
	int nr = gpd_control_steps(conn);
	struct entry *e = TAILQ_LAST(&job->entries, entries);

	while (nr-- && job->next < job->nr_targets)
		target(job, &job->targets[job->next++]);
	/* Those that this turn has added. */
	e = e ? TAILQ_NEXT(e, link) : TAILQ_FIRST(&job->entries);
	for (; e; e = TAILQ_NEXT(e, link))
		if (!e->is_ordered)
			order_some(job, e);
	finish(job);
}

/* 0 is the process that asks: in a container it has another number. Stays 0 if it is gone. */
static void name_caller(const struct gpd_cred *cred, struct gpd_target *t)
{
	if (!t->pid && gpd_proc_is(cred->pid, cred->start_time))
		t->pid = (uint64_t)cred->pid;
}

static struct gpd_job *make_job(struct gpd_conn *conn, const struct gpd_request *r)
{
	uint64_t timeout_ms = r->has & GPD_HAS_TIMEOUT ? r->timeout_ms : TIMEOUT_MS;
	struct gpd_job *job = calloc(1, sizeof(*job));
	uint32_t i;

	if (!job)
		return NULL;
	TAILQ_INIT(&job->entries);
	job->targets = malloc((r->nr_targets + 1) * sizeof(*job->targets));
	if (!job->targets || gpd_timer_add(conn->d->event, &job->timer, on_timeout, job) < 0) {
		free_job(job);
		return NULL;
	}
	gpd_timer_set(job->timer, gpd_now_ns() + timeout_ms * GPD_NS_PER_MS);
	memcpy(job->targets, r->targets, r->nr_targets * sizeof(*job->targets));
	job->nr_targets = r->nr_targets;
	for (i = 0; i < job->nr_targets; i++)
		name_caller(&conn->cred, &job->targets[i]);
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

bool gpd_suspend_done(struct gpd_client *c, const struct wire_done *done)
{
	struct entry *e = entry_from(c, done->epoch);

	if (!e || e->item.epoch != done->epoch)
		return false;
	stop_waiting(e);
	e->result = done->result;
	e->took_ns = gpd_now_ns() - e->sent_ns;
	if (done->result != WIRE_OK)
		say(e, done->result, "%s",
		    done->error ? strerror((int)done->error) : words[done->result]);
	finish(e->job);
	return true;
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
		if (alive)
			say(e, WIRE_BUSY_NOW, "it went out of control: try again");
		else
			say(e, WIRE_GONE, "the process is gone");
		finish(e->job);
	}
}

void gpd_suspend_conn_gone(struct gpd_conn *conn)
{
	if (conn->job)
		free_job(conn->job);
	conn->job = NULL;
}
