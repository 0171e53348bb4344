// SPDX-License-Identifier: MIT
/*
 * Holds by hand in the module. Each has a lease there that the daemon renews: if the
 * daemon hangs they end with it, if it dies they end with its descriptor.
 */
#include "daemon/module/gpd_module_types.h"
#include "daemon/control/gpd_monitor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than anybody has a use for. */
#define HOLDS_MAX 4096

/**
 * struct gpd_module_hold - one hold
 * @link: in gpd_module.holds
 * @pid: process, for finding it
 * @ref: as the module names it; its pidfd is ours
 * @owner: connection it ends with, NULL = none
 * @until_ns: when it ends, U64_MAX = never by itself
 */
struct gpd_module_hold {
	LIST_ENTRY(gpd_module_hold) link;
	pid_t pid;
	struct gpreempt_ioc_ref ref;
	struct gpd_conn *owner;
	uint64_t until_ns;
};

static uint32_t lease_ms(const struct gpd *d)
{
	return (uint32_t)(d->config->lease_ns / GPD_NS_PER_MS);
}

static void free_hold(struct gpd_module *m, struct gpd_module_hold *h)
{
	LIST_REMOVE(h, link);
	m->nr_holds--;
	close(h->ref.pidfd);
	free(h);
	/* Nothing hangs on it any more: the module may go. */
	if (!m->nr_holds) {
		close(m->hold_fd);
		m->hold_fd = -1;
	}
}

static int end_hold(struct gpd *d, struct gpd_module_hold *h)
{
	int err = gp_kernel_release(d->module->hold_fd, &h->ref);

	gpd_module_forget(d);
	free_hold(d->module, h);
	return err == -ESRCH ? 0 : err;
}

static void start(struct gpd *d)
{
	struct gpd_module *m = d->module;
	uint64_t next_ns = gpd_now_ns() + d->config->lease_ns / 3;
	struct gpd_module_hold *h;

	LIST_FOREACH(h, &m->holds, link)
		if (h->until_ns < next_ns)
			next_ns = h->until_ns;
	if (!m->nr_holds) {
		sd_event_source_set_enabled(m->hold_timer, SD_EVENT_OFF);
		return;
	}
	sd_event_source_set_time(m->hold_timer, next_ns / 1000 + 1);
	sd_event_source_set_enabled(m->hold_timer, SD_EVENT_ONESHOT);
}

static int on_timer(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd *d = data;
	uint64_t now_ns = gpd_now_ns();
	struct gpd_module_hold *h;
	struct gpd_module_hold *next;

	for (h = LIST_FIRST(&d->module->holds); h; h = next) {
		next = LIST_NEXT(h, link);
		if (h->until_ns <= now_ns) {
			gpd_monitor_event(d, "note", h->pid, h->ref.gpu_id, GP_WIRE_QUEUE_ALL,
					  "held by hand: the time is over");
			end_hold(d, h);
		} else if (gp_kernel_hold(d->module->hold_fd, &h->ref, lease_ms(d)) == -ESRCH) {
			/* The process or the queue is gone. */
			free_hold(d->module, h);
		}
	}
	start(d);
	return 0;
}

int gpd_module_hold_init(struct gpd *d)
{
	int err = sd_event_add_time(d->event, &d->module->hold_timer, CLOCK_MONOTONIC, 0, 1,
				    on_timer, d);

	if (err < 0)
		return err;
	return sd_event_source_set_enabled(d->module->hold_timer, SD_EVENT_OFF);
}

uint32_t gpd_module_nr_holds(const struct gpd *d)
{
	return d->module ? d->module->nr_holds : 0;
}

static struct gpd_module_hold *find(struct gpd_module *m, const struct gpd_target *t)
{
	struct gpd_module_hold *h;

	LIST_FOREACH(h, &m->holds, link)
		if (h->pid == (pid_t)t->pid && h->ref.gpu_id == t->gpu_id &&
		    h->ref.queue_id == (uint32_t)t->queue_id)
			return h;
	return NULL;
}

/* A hold that is not carried out yet. */
static int make(struct gpd *d, const struct gpd_target *t, uid_t uid, struct gpd_module_hold **out)
{
	struct gpd_module *m = d->module;
	struct gpd_module_hold *h;
	struct gpd_proc proc;
	int pidfd;

	if (m->nr_holds >= HOLDS_MAX)
		return -ENOMEM;
	if (m->hold_fd < 0)
		m->hold_fd = gp_kernel_open();
	if (m->hold_fd < 0)
		return m->hold_fd;
	pidfd = gpd_module_pidfd((pid_t)t->pid, &proc);
	if (pidfd < 0)
		return pidfd;
	h = proc.uid == uid ? calloc(1, sizeof(*h)) : NULL;
	if (!h) {
		close(pidfd);
		return proc.uid == uid ? -ENOMEM : -ESRCH;
	}
	h->pid = (pid_t)t->pid;
	h->ref.pidfd = pidfd;
	h->ref.gpu_id = (uint32_t)t->gpu_id;
	h->ref.queue_id = (uint32_t)t->queue_id;
	LIST_INSERT_HEAD(&m->holds, h, link);
	m->nr_holds++;
	*out = h;
	return 0;
}

/* What it was opened for came to nothing. */
static void close_unused(struct gpd_module *m)
{
	if (m->nr_holds || m->hold_fd < 0)
		return;
	close(m->hold_fd);
	m->hold_fd = -1;
}

void gpd_module_hold(struct gpd *d, struct gpd_module_item *items, uint32_t nr,
		     struct gpd_conn *owner, uint64_t lease_ns)
{
	struct gpd_module_hold *of[GPD_MODULE_ITEMS];
	struct gpreempt_ioc_ref refs[GPD_MODULE_ITEMS];
	uint32_t item[GPD_MODULE_ITEMS];
	uint32_t nr_refs = 0;
	uint32_t i;
	int err = 0;

	for (i = 0; i < nr; i++) {
		struct gpd_module_hold *h = find(d->module, &items[i].t);

		items[i].result = h ? 0 : make(d, &items[i].t, items[i].uid, &h);
		if (items[i].result)
			continue;
		h->owner = owner;
		h->until_ns = lease_ns ? gpd_now_ns() + lease_ns : U64_MAX;
		of[nr_refs] = h;
		refs[nr_refs] = h->ref;
		item[nr_refs++] = i;
	}
	if (nr_refs)
		err = gp_kernel_switch(d->module->hold_fd, refs, nr_refs, lease_ms(d));
	for (i = 0; i < nr_refs; i++) {
		items[item[i]].result = err ? err : refs[i].result;
		/* The same may be named twice. */
		if (items[item[i]].result && find(d->module, &items[item[i]].t) == of[i])
			free_hold(d->module, of[i]);
	}
	gpd_module_forget(d);
	close_unused(d->module);
	start(d);
}

static bool is_meant(const struct gpd_module_hold *h, const struct gpd_module_item *item)
{
	return h->pid == (pid_t)item->t.pid && h->ref.gpu_id == item->t.gpu_id &&
	       (item->t.queue_id == GP_WIRE_QUEUE_ALL || item->t.queue_id == h->ref.queue_id);
}

/* Takes up to @max holds that are meant out of the set. Return: how many. */
static uint32_t take(struct gpd_module *m, const struct gpd_module_item *items, uint32_t nr,
		     struct gpd_module_hold **taken, uint32_t max)
{
	struct gpd_module_hold *h;
	struct gpd_module_hold *next;
	uint32_t nr_taken = 0;
	uint32_t i;

	for (h = LIST_FIRST(&m->holds); h && nr_taken < max; h = next) {
		next = LIST_NEXT(h, link);
		for (i = 0; i < nr && !is_meant(h, &items[i]); i++)
			;
		if (i == nr)
			continue;
		LIST_REMOVE(h, link);
		m->nr_holds--;
		taken[nr_taken++] = h;
	}
	return nr_taken;
}

void gpd_module_release(struct gpd *d, struct gpd_module_item *items, uint32_t nr)
{
	struct gpd_module_hold *taken[GPD_MODULE_ITEMS];
	struct gpreempt_ioc_ref refs[GPD_MODULE_ITEMS];
	uint32_t nr_taken;
	uint32_t i;
	uint32_t k;
	int err;

	for (i = 0; i < nr; i++)
		items[i].result = 0;
	while ((nr_taken = take(d->module, items, nr, taken, GPD_MODULE_ITEMS))) {
		for (k = 0; k < nr_taken; k++)
			refs[k] = taken[k]->ref;
		err = gp_kernel_switch(d->module->hold_fd, refs, nr_taken, 0);
		for (k = 0; k < nr_taken; k++) {
			int result = err ? err : refs[k].result;

			for (i = 0; i < nr; i++)
				if (is_meant(taken[k], &items[i]) && result != -ESRCH &&
				    !items[i].result)
					items[i].result = result;
			close(taken[k]->ref.pidfd);
			free(taken[k]);
		}
	}
	gpd_module_forget(d);
	close_unused(d->module);
	start(d);
}

void gpd_module_hold_forget_conn(struct gpd *d, const struct gpd_conn *conn)
{
	struct gpd_module_hold *h;
	struct gpd_module_hold *next;

	if (!d->module)
		return;
	for (h = LIST_FIRST(&d->module->holds); h; h = next) {
		next = LIST_NEXT(h, link);
		if (h->owner == conn)
			end_hold(d, h);
	}
	start(d);
}

void gpd_module_hold_forget_all(struct gpd *d)
{
	struct gpd_module_hold *h;

	while ((h = LIST_FIRST(&d->module->holds)))
		free_hold(d->module, h);
	start(d);
}
