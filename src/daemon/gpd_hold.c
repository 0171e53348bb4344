// SPDX-License-Identifier: MIT
#include "daemon/gpd_hold.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <stdlib.h>

/* All holds by hand. */
struct gpd_holds {
	struct gp_holds set;
	/* Renews them, and ends those whose time is over; on only while there are some. */
	sd_event_source *timer;
	uint64_t renew_ns; /* when they are renewed next, U64_MAX = there are none */
};

/* Holds of one node that are ordered at once. */
struct batch {
	struct gpd_hold *h[GPD_HOLD_ITEMS];
	uint32_t nr;
};

static struct gpd_hold *of(struct gp_hold *h)
{
	return h ? container_of(h, struct gpd_hold, h) : NULL;
}

static struct gp_hold_target target_of(u64 process, uint32_t gpu_id, uint32_t queue_id)
{
	return (struct gp_hold_target){
		.process = process,
		.node = gpu_id,
		.queue = queue_id == WIRE_QUEUE_ALL ? GP_HOLD_ALL : queue_id,
	};
}

/* A connection has an even address. */
static u64 owner_of(const struct gpd_conn *conn, bool keep)
{
	u64 user = conn->user->account << 2 | (u64)conn->user->privileged << 1 | 1;

	return keep ? user : (u64)(uintptr_t)conn;
}

static bool may_end(const struct gpd_conn *conn, u64 owner)
{
	return conn->cred.privileged || owner == owner_of(conn, false) ||
	       owner == owner_of(conn, true);
}

bool gpd_hold_covers(const struct gpd *d, u64 process, uint32_t gpu_id, uint32_t queue_id)
{
	struct gp_hold_target t = target_of(process, gpu_id, queue_id);

	return gp_holds_covers(&d->holds->set, &t);
}

const struct gpd_user *gpd_hold_other(const struct gpd_conn *conn, u64 process, uint32_t gpu_id,
				      uint32_t queue_id)
{
	struct gp_hold *h = gp_holds_first_on(&conn->d->holds->set, process, gpu_id);

	for (; h; h = gp_holds_next_on(h))
		if ((queue_id == WIRE_QUEUE_ALL || h->target.queue == GP_HOLD_ALL ||
		     h->target.queue == queue_id) && !may_end(conn, h->owner))
			return container_of(h, struct gpd_hold, h)->user;
	return NULL;
}

uint32_t gpd_hold_nr(const struct gpd *d)
{
	return gp_holds_nr(&d->holds->set);
}

uint32_t gpd_hold_nr_on(const struct gpd *d, const struct gpd_hold *h)
{
	return gp_holds_nr_on(&d->holds->set, &h->h.target);
}

/* A third of the lease after the first, then after each time: no new hold puts it off. */
static void set_timer(struct gpd *d)
{
	struct gpd_holds *s = d->holds;

	if (!gp_holds_nr(&s->set))
		s->renew_ns = U64_MAX;
	else if (s->renew_ns == U64_MAX)
		s->renew_ns = gpd_now_ns() + d->config->lease_ns / 3;
	gpd_timer_set(s->timer, min(s->renew_ns, gp_holds_next_ns(&s->set)));
}

static void free_hold(struct gpd *d, struct gpd_hold *h)
{
	if (gp_hold_is_used(&h->h))
		gp_holds_drop(&d->holds->set, &h->h);
	if (h->ops->close)
		h->ops->close(d, h);
	gpd_user_give(h->user, GPD_BUDGET_HOLDS);
	gpd_user_put(h->user);
	free(h);
}

static void release(struct gpd *d, struct batch *b)
{
	uint32_t i;

	if (b->nr)
		b->h[0]->ops->order(d, b->h, b->nr, true);
	for (i = 0; i < b->nr; i++) {
		struct gpd_hold_item *item = b->h[i]->item;

		if (item) {
			item->result = item->result ? item->result : b->h[i]->result;
			item->epoch = b->h[i]->epoch;
		}
		free_hold(d, b->h[i]);
	}
	b->nr = 0;
}

/* The target goes on with the last of its holds. */
static void end(struct gpd *d, struct gpd_hold *h, struct gpd_hold_item *item, struct batch *b)
{
	if (gpd_hold_nr_on(d, h) > 1) {
		free_hold(d, h);
		return;
	}
	gp_holds_drop(&d->holds->set, &h->h);
	h->item = item;
	b->h[b->nr++] = h;
	if (b->nr == GPD_HOLD_ITEMS)
		release(d, b);
}

static void end_one(struct gpd *d, struct gpd_hold *h)
{
	struct batch b = { .nr = 0 };

	end(d, h, NULL, &b);
	release(d, &b);
}

static bool is_same(const struct gp_hold_target *a, const struct gp_hold_target *b)
{
	return a->process == b->process && a->node == b->node && a->queue == b->queue;
}

/* The holds of one target: its client knows the newest order of several. Return: the next. */
static struct gpd_hold *renew(struct gpd *d, struct gpd_hold *first)
{
	struct gpd_hold *newest = first;
	struct gpd_hold *end = first;
	struct gpd_hold *next;
	bool is_gone;

	for (; end && is_same(&end->h.target, &first->h.target); end = of(gp_holds_next(&end->h)))
		newest = end->epoch > newest->epoch ? end : newest;
	is_gone = newest->ops->renew(d, newest) == -ESRCH;
	for (; is_gone && first != end; first = next) {
		next = of(gp_holds_next(&first->h));
		free_hold(d, first);
	}
	return end;
}

static void note(struct gpd *d, const struct gpd_hold *h, const char *text)
{
	struct gpd_client *c = h->client ? h->client : gpd_client_find(d, h->pid);

	if (c)
		gpd_client_note(c, "%s", text);
	else
		gpd_monitor_event(d, "note", h->pid, (uint32_t)h->h.target.node, WIRE_QUEUE_ALL,
				  "%s", text);
}

static int on_timer(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd *d = data;
	struct gpd_holds *holds = d->holds;
	struct gpd_hold *h;

	while ((h = of(gp_holds_expired(&holds->set, gpd_now_ns())))) {
		note(d, h, "held by hand: the time is over");
		end_one(d, h);
	}
	if (gpd_now_ns() >= holds->renew_ns) {
		holds->renew_ns = U64_MAX;
		for (h = of(gp_holds_first(&holds->set)); h;)
			h = renew(d, h);
	}
	set_timer(d);
	return 0;
}

int gpd_hold_init(struct gpd *d)
{
	d->holds = calloc(1, sizeof(*d->holds));
	if (!d->holds)
		return -ENOMEM;
	/* The budget is that of the user. */
	gp_holds_init(&d->holds->set, UINT32_MAX);
	d->holds->renew_ns = U64_MAX;
	return gpd_timer_add(d->event, &d->holds->timer, on_timer, d);
}

void gpd_hold_fini(struct gpd *d)
{
	struct gpd_hold *h;

	if (!d->holds)
		return;
	while ((h = of(gp_holds_first(&d->holds->set))))
		free_hold(d, h);
	sd_event_source_unref(d->holds->timer);
	free(d->holds);
	d->holds = NULL;
}

/* A hold that is not carried out yet. */
static int make(struct gpd_conn *conn, const struct gpd_hold_item *item, bool keep,
		struct gpd_hold **out)
{
	struct gpd *d = conn->d;
	struct gpd_hold *h;
	int err = 0;

	if (!gpd_user_take(conn->user, GPD_BUDGET_HOLDS))
		return -EDQUOT;
	h = calloc(1, sizeof(*h));
	if (!h || (item->ops->open && (err = item->ops->open(d, h, item)))) {
		gpd_user_give(conn->user, GPD_BUDGET_HOLDS);
		free(h);
		return err ? err : -ENOMEM;
	}
	h->h.target = target_of(item->process, item->gpu_id, item->queue_id);
	h->h.owner = owner_of(conn, keep);
	h->h.user = conn->user->account;
	h->h.until_ns = GP_HOLD_FOREVER;
	h->ops = item->ops;
	h->user = gpd_user_ref(conn->user);
	h->client = item->client;
	h->pid = item->pid;
	gp_holds_add(&d->holds->set, &h->h);
	*out = h;
	return 0;
}

static struct gpd_hold *find(struct gpd_conn *conn, const struct gpd_hold_item *item, bool keep)
{
	struct gp_hold_target t = target_of(item->process, item->gpu_id, item->queue_id);

	return of(gp_holds_find(&conn->d->holds->set, owner_of(conn, keep), &t));
}

void gpd_hold_make(struct gpd_conn *conn, struct gpd_hold_item **items, uint32_t nr, bool keep,
		   uint64_t lease_ns)
{
	uint64_t until_ns = lease_ns ? gpd_now_ns() + lease_ns : GP_HOLD_FOREVER;
	struct gpd *d = conn->d;
	struct batch b = { .nr = 0 };
	struct gpd_hold *h;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		h = find(conn, items[i], keep);
		items[i]->result = h ? 0 : make(conn, items[i], keep, &h);
		if (items[i]->result)
			continue;
		gp_holds_renew(&d->holds->set, &h->h, until_ns);
		b.h[b.nr++] = h;
	}
	if (b.nr)
		b.h[0]->ops->order(d, b.h, b.nr, false);
	for (i = 0; i < nr; i++) {
		/* The same may be named twice, and has failed once then. */
		h = items[i]->result ? NULL : find(conn, items[i], keep);
		if (!h)
			continue;
		items[i]->result = h->result;
		items[i]->epoch = h->epoch;
		if (h->result)
			free_hold(d, h);
	}
	set_timer(d);
}

void gpd_hold_end(struct gpd_conn *conn, struct gpd_hold_item **items, uint32_t nr)
{
	struct gpd *d = conn->d;
	struct batch b = { .nr = 0 };
	struct gpd_hold *h;
	struct gpd_hold *next;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		struct gpd_hold_item *item = items[i];

		h = of(gp_holds_first_on(&d->holds->set, item->process, item->gpu_id));
		for (; h; h = next) {
			next = of(gp_holds_next_on(&h->h));
			if ((item->queue_id == WIRE_QUEUE_ALL ||
			     item->queue_id == h->h.target.queue) &&
			    may_end(conn, h->h.owner))
				end(d, h, item, &b);
		}
	}
	release(d, &b);
	set_timer(d);
}

void gpd_hold_forget_client(struct gpd_client *c)
{
	struct gpd *d = c->d;
	struct gpd_hold *h;
	uint32_t i;

	for (i = 0; i < d->nr_nodes; i++)
		while ((h = of(gp_holds_first_on(&d->holds->set, c->number, d->node[i].gpu_id))))
			free_hold(d, h);
	set_timer(d);
}

void gpd_hold_forget_ops(struct gpd *d, const struct gpd_hold_ops *ops)
{
	struct gpd_hold *h = of(gp_holds_first(&d->holds->set));
	struct gpd_hold *next;

	for (; h; h = next) {
		next = of(gp_holds_next(&h->h));
		if (h->ops == ops)
			free_hold(d, h);
	}
	set_timer(d);
}

void gpd_hold_forget_conn(struct gpd *d, struct gpd_conn *conn)
{
	struct gpd_hold *h;

	while ((h = of(gp_holds_first_of(&d->holds->set, owner_of(conn, false)))))
		end_one(d, h);
	set_timer(d);
}
