// SPDX-License-Identifier: MIT
/*
 * Holds by hand in the module. Each has a lease there that the daemon renews: if the
 * daemon hangs they end with it, if it dies they end with its descriptor.
 */
#include "daemon/module/gpd_module_types.h"
#include "daemon/control/gpd_control.h"
#include "daemon/control/gpd_manual.h"
#include "daemon/control/gpd_monitor.h"
#include "daemon/gpd_user.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/**
 * struct gpd_module_hold - one hold
 * @h: target, owner, lease of the caller
 * @pid: process, for people
 * @ref: as the module names it; its pidfd is ours
 * @user: whose budget it takes from
 */
struct gpd_module_hold {
	struct gp_hold h;
	pid_t pid;
	struct gpreempt_ioc_ref ref;
	struct gpd_user *user;
};

static struct gpd_module_hold *of(struct gp_hold *h)
{
	return h ? container_of(h, struct gpd_module_hold, h) : NULL;
}

/* Numbers of processes are used again: with its start a process is named once. */
static u64 process_of(const struct gpd_module_item *item)
{
	return item->start_time << 22 | (u64)item->t.pid;
}

static struct gp_hold_target target_of(const struct gpd_module_item *item)
{
	return (struct gp_hold_target){
		.process = process_of(item),
		.node = item->t.gpu_id,
		.queue = item->t.queue_id == WIRE_QUEUE_ALL ? GP_HOLD_ALL : item->t.queue_id,
	};
}

static uint32_t lease_ms(const struct gpd *d)
{
	return (uint32_t)(d->config->lease_ns / GPD_NS_PER_MS);
}

/* Nothing hangs on the descriptor any more: the module may go. */
static void close_unused(struct gpd_module *m)
{
	if (gp_holds_nr(&m->holds) || m->hold_fd < 0)
		return;
	close(m->hold_fd);
	m->hold_fd = -1;
}

static void free_hold(struct gpd_module *m, struct gpd_module_hold *h)
{
	gp_holds_drop(&m->holds, &h->h);
	if (h->ref.pidfd >= 0)
		close(h->ref.pidfd);
	gpd_user_give(h->user, GPD_BUDGET_HOLDS);
	gpd_user_put(h->user);
	free(h);
}

/* The target goes on with the last of its holds. */
static void end_hold(struct gpd *d, struct gpd_module_hold *h)
{
	struct gpd_module *m = d->module;

	if (gp_holds_nr_on(&m->holds, &h->h.target) == 1)
		drv_module_release(m->hold_fd, &h->ref);
	gpd_module_forget(d);
	free_hold(m, h);
}

static void start(struct gpd *d)
{
	struct gpd_module *m = d->module;
	uint64_t next_ns = min(gpd_now_ns() + d->config->lease_ns / 3,
			       gp_holds_next_ns(&m->holds));

	close_unused(m);
	if (!gp_holds_nr(&m->holds)) {
		sd_event_source_set_enabled(m->hold_timer, SD_EVENT_OFF);
		return;
	}
	sd_event_source_set_time(m->hold_timer, next_ns / 1000 + 1);
	sd_event_source_set_enabled(m->hold_timer, SD_EVENT_ONESHOT);
}

/* Leases in the module end unless they are renewed; the process or the queue may be gone. */
static void renew_all(struct gpd *d)
{
	struct gpd_module *m = d->module;
	struct gpd_module_hold *h;
	struct gpd_module_hold *next;

	for (h = of(gp_holds_first(&m->holds)); h; h = next) {
		next = of(gp_holds_next(&h->h));
		if (drv_module_hold(m->hold_fd, &h->ref, lease_ms(d)) == -ESRCH)
			free_hold(m, h);
	}
}

static int on_timer(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd *d = data;
	struct gpd_module_hold *h;

	while ((h = of(gp_holds_expired(&d->module->holds, gpd_now_ns())))) {
		gpd_monitor_event(d, "note", h->pid, h->ref.gpu_id, WIRE_QUEUE_ALL,
				  "held by hand: the time is over");
		end_hold(d, h);
	}
	renew_all(d);
	start(d);
	return 0;
}

int gpd_module_hold_init(struct gpd *d)
{
	int err = sd_event_add_time(d->event, &d->module->hold_timer, CLOCK_MONOTONIC, 0, 1,
				    on_timer, d);

	/* The budget is that of the user. */
	gp_holds_init(&d->module->holds, UINT32_MAX);
	if (err < 0)
		return err;
	return sd_event_source_set_enabled(d->module->hold_timer, SD_EVENT_OFF);
}

uint32_t gpd_module_nr_holds(const struct gpd *d)
{
	return d->module ? gp_holds_nr(&d->module->holds) : 0;
}

static int open_process(struct gpd_module *m, const struct gpd_module_item *item)
{
	struct gpd_proc proc;
	int pidfd;

	if (m->hold_fd < 0)
		m->hold_fd = drv_module_open();
	if (m->hold_fd < 0)
		return m->hold_fd;
	pidfd = gpd_module_pidfd((pid_t)item->t.pid, &proc);
	if (pidfd < 0)
		return pidfd;
	if (proc.uid == item->uid && proc.start_time == item->start_time)
		return pidfd;
	close(pidfd);
	return -ESRCH;
}

/* A hold that is not carried out yet. */
static int make(struct gpd_conn *conn, const struct gpd_module_item *item, bool keep,
		struct gpd_module_hold **out)
{
	struct gpd_module *m = conn->d->module;
	struct gpd_module_hold *h;
	int pidfd;

	if (!gpd_user_take(conn->user, GPD_BUDGET_HOLDS))
		return -EDQUOT;
	pidfd = open_process(m, item);
	h = pidfd < 0 ? NULL : calloc(1, sizeof(*h));
	if (!h) {
		gpd_user_give(conn->user, GPD_BUDGET_HOLDS);
		if (pidfd >= 0)
			close(pidfd);
		return pidfd < 0 ? pidfd : -ENOMEM;
	}
	h->h.target = target_of(item);
	h->h.owner = gpd_manual_owner(conn, keep);
	h->h.user = conn->user->uid;
	h->h.until_ns = GP_HOLD_FOREVER;
	h->pid = (pid_t)item->t.pid;
	h->ref.pidfd = pidfd;
	h->ref.gpu_id = (uint32_t)item->t.gpu_id;
	h->ref.queue_id = (uint32_t)item->t.queue_id;
	h->user = gpd_user_ref(conn->user);
	gp_holds_add(&m->holds, &h->h);
	*out = h;
	return 0;
}

/* The hold of this connection, or of its user, on an item; made if there is none. */
static int get(struct gpd_conn *conn, const struct gpd_module_item *item, bool keep,
	       uint64_t lease_ns, struct gpd_module_hold **out)
{
	struct gp_holds *holds = &conn->d->module->holds;
	struct gp_hold_target t = target_of(item);
	int err = 0;

	*out = of(gp_holds_find(holds, gpd_manual_owner(conn, keep), &t));
	if (!*out)
		err = make(conn, item, keep, out);
	if (!err)
		gp_holds_renew(holds, &(*out)->h,
			       lease_ns ? gpd_now_ns() + lease_ns : GP_HOLD_FOREVER);
	return err;
}

void gpd_module_hold(struct gpd_conn *conn, struct gpd_module_item *items, uint32_t nr, bool keep,
		     uint64_t lease_ns)
{
	struct gpd *d = conn->d;
	struct gpreempt_ioc_ref refs[GPD_MODULE_ITEMS];
	struct gpd_module_hold *h;
	uint32_t item[GPD_MODULE_ITEMS];
	uint32_t nr_refs = 0;
	uint32_t i;
	int err = 0;

	for (i = 0; i < nr; i++) {
		items[i].result = get(conn, &items[i], keep, lease_ns, &h);
		if (items[i].result)
			continue;
		refs[nr_refs] = h->ref;
		item[nr_refs++] = i;
	}
	if (nr_refs)
		err = drv_module_switch(d->module->hold_fd, refs, nr_refs, lease_ms(d));
	for (i = 0; i < nr_refs; i++) {
		struct gp_hold_target t = target_of(&items[item[i]]);

		items[item[i]].result = err ? err : refs[i].result;
		/* The same may be named twice. */
		h = of(gp_holds_find(&d->module->holds, gpd_manual_owner(conn, keep), &t));
		if (items[item[i]].result && h)
			free_hold(d->module, h);
	}
	gpd_module_forget(d);
	start(d);
}

static bool is_meant(const struct gpd_module_hold *h, const struct gpd_module_item *item)
{
	return item->t.queue_id == WIRE_QUEUE_ALL || item->t.queue_id == h->ref.queue_id;
}

/**
 * struct batch - what goes on, all in one cycle
 * @ref: as the module names it; the pidfd is ours
 * @item: for which item
 * @nr: how many
 */
struct batch {
	struct gpreempt_ioc_ref ref[GPD_MODULE_ITEMS];
	struct gpd_module_item *item[GPD_MODULE_ITEMS];
	uint32_t nr;
};

static void release_batch(struct gpd_module *m, struct batch *b)
{
	int err = b->nr ? drv_module_switch(m->hold_fd, b->ref, b->nr, 0) : 0;
	uint32_t i;

	for (i = 0; i < b->nr; i++) {
		int result = err ? err : b->ref[i].result;

		if (result != -ESRCH && !b->item[i]->result)
			b->item[i]->result = result;
		close(b->ref[i].pidfd);
	}
	b->nr = 0;
}

/* Ends the holds on one item that the connection may end. */
static void release(struct gpd_conn *conn, struct gpd_module_item *item, struct batch *b)
{
	struct gpd_module *m = conn->d->module;
	struct gpd_module_hold *h;
	struct gpd_module_hold *next;

	item->result = 0;
	h = of(gp_holds_first_on(&m->holds, process_of(item), item->t.gpu_id));
	for (; h; h = next) {
		next = of(gp_holds_next_on(&h->h));
		if (!is_meant(h, item) || !gpd_manual_may_end(conn, h->h.owner))
			continue;
		if (gp_holds_nr_on(&m->holds, &h->h.target) == 1) {
			b->ref[b->nr] = h->ref;
			b->item[b->nr++] = item;
			h->ref.pidfd = -1;
		}
		free_hold(m, h);
		if (b->nr == GPD_MODULE_ITEMS)
			release_batch(m, b);
	}
}

void gpd_module_release(struct gpd_conn *conn, struct gpd_module_item *items, uint32_t nr)
{
	struct batch b = { .nr = 0 };
	uint32_t i;

	for (i = 0; i < nr; i++)
		release(conn, &items[i], &b);
	release_batch(conn->d->module, &b);
	gpd_module_forget(conn->d);
	start(conn->d);
}

void gpd_module_hold_forget_conn(struct gpd *d, const struct gpd_conn *conn)
{
	struct gpd_module_hold *h;

	if (!d->module)
		return;
	while ((h = of(gp_holds_first_of(&d->module->holds, gpd_manual_owner(conn, false)))))
		end_hold(d, h);
	start(d);
}

void gpd_module_hold_forget_all(struct gpd *d)
{
	struct gpd_module_hold *h;

	while ((h = of(gp_holds_first(&d->module->holds))))
		free_hold(d->module, h);
	start(d);
}
