// SPDX-License-Identifier: MIT
/*
 * Processes and queues as the module lists them.
 */
#include "daemon/module/gpd_module_types.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_trust.h"

#include <stdlib.h>
#include <string.h>

static int by_process(const void *a, const void *b)
{
	const struct gpreempt_ioc_queue *x = a;
	const struct gpreempt_ioc_queue *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->gpu_id < y->gpu_id ? -1 : x->gpu_id > y->gpu_id;
}

/* All queues of the module by process and node, valid for this turn of the loop. */
static const struct gpreempt_ioc_queue *queues(struct gpd *d, size_t *nr)
{
	struct gpd_module *m = d->module;
	int fd = gpd_module_fd(d);

	*nr = 0;
	if (fd < 0)
		return NULL;
	if (!m->is_listed) {
		m->is_listed = !drv_module_list(fd, &m->queues, &m->nr_queues);
		if (m->nr_queues)
			qsort(m->queues, m->nr_queues, sizeof(*m->queues), by_process);
	}
	*nr = m->nr_queues;
	return m->queues;
}

/* The queues of one process, of @nr by process. */
static const struct gpreempt_ioc_queue *queues_of(const struct gpreempt_ioc_queue *all, size_t *nr,
						  pid_t pid)
{
	size_t from = 0, to = *nr, end;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (all[mid].pid < pid)
			from = mid + 1;
		else
			to = mid;
	}
	for (end = from; end < *nr && all[end].pid == pid; end++)
		;
	*nr = end - from;
	return *nr ? all + from : NULL;
}

static bool has(const struct gpreempt_ioc_queue *all, size_t nr, pid_t pid, uint32_t gpu_id,
		uint32_t queue_id)
{
	const struct gpreempt_ioc_queue *q;

	for (q = queues_of(all, &nr, pid); nr; q++, nr--)
		if ((!gpu_id || q->gpu_id == gpu_id) &&
		    (queue_id == WIRE_QUEUE_ALL || q->queue_id == queue_id))
			return true;
	return false;
}

bool gpd_module_has(struct gpd *d, pid_t pid, uint32_t gpu_id, uint32_t queue_id)
{
	size_t nr;
	const struct gpreempt_ioc_queue *all = queues(d, &nr);

	return has(all, nr, pid, gpu_id, queue_id);
}

bool gpd_module_list_has(const struct gpd_module_list *l, pid_t pid, uint32_t gpu_id,
			 uint32_t queue_id)
{
	return has(l->queues, l->nr, pid, gpu_id, queue_id);
}

/* What was read in this turn is the list's from now on. */
void gpd_module_list_begin(struct gpd *d, pid_t pid, struct gpd_module_list *l)
{
	const struct gpreempt_ioc_queue *first;

	*l = (struct gpd_module_list){ 0 };
	if (!queues(d, &l->nr))
		return;
	l->queues = d->module->queues;
	d->module->queues = NULL;
	gpd_module_forget(d);
	l->end = l->nr;
	first = pid ? queues_of(l->queues, &l->end, pid) : l->queues;
	if (first)
		l->at = (size_t)(first - l->queues);
	l->end += l->at;
}

void gpd_module_list_end(struct gpd_module_list *l)
{
	free(l->queues);
	l->queues = NULL;
}

void gpd_module_count(struct gpd_node *n, uint32_t *nr, uint32_t *nr_busy)
{
	const struct gpreempt_ioc_queue *q;
	size_t left;

	*nr = 0;
	*nr_busy = 0;
	for (q = queues(n->d, &left); left; q++, left--) {
		if (q->gpu_id != n->gpu_id)
			continue;
		(*nr)++;
		*nr_busy += !!(q->flags & GPREEMPT_QUEUE_F_BUSY);
	}
}

static enum gp_entity_state state_of(const struct gpreempt_ioc_queue *q)
{
	return q->state < GP_ENTITY_STATE_COUNT ? (enum gp_entity_state)q->state : GP_ENTITY_IDLE;
}

/* The numbers of a process on a node come with each of its queues there: once is enough. */
static void sum_up(const struct gpreempt_ioc_queue *all, size_t nr, struct gpd_totals *t)
{
	const struct gpreempt_ioc_queue *q;

	memset(t, 0, sizeof(*t));
	t->state = GP_ENTITY_IDLE;
	for (q = all; q < all + nr; q++) {
		t->nr_queues++;
		t->nr_busy += !!(q->flags & GPREEMPT_QUEUE_F_BUSY);
		t->held |= q->flags & GPREEMPT_QUEUE_F_MANUAL ? GPREEMPT_HELD_MANUAL : 0;
		t->held |= q->flags & GPREEMPT_QUEUE_F_SCHED ? GPREEMPT_HELD_SCHED : 0;
		if (q > all && q[-1].gpu_id == q->gpu_id)
			continue;
		if (gpd_list_outweighs(state_of(q), t->state))
			t->state = state_of(q);
		t->nr_preempted += q->nr_preempted;
		t->run_ns += q->run_ns;
		t->off_ns += q->off_ns;
		t->off_max_ns = max(t->off_max_ns, (uint64_t)q->off_max_ns);
	}
}

static json_t *process_json(struct gpd *d, pid_t pid, struct gpd_module_way *way,
			    const struct gpreempt_ioc_queue *all, size_t nr)
{
	struct gpd_attrs attrs;
	struct gpd_totals t;
	json_t *out;

	sum_up(all, nr, &t);
	out = gpd_list_other(pid, "kernel", 0, &t);
	if (!gpd_module_attrs(d, pid, way, &attrs))
		json_object_set_new(out, "attributes", gpd_list_attributes(&attrs));
	json_object_set_new(out, "sees", json_pack("[s]", "queues and work by the kernel"));
	return out;
}

json_t *gpd_module_process(struct gpd *d, pid_t pid)
{
	size_t nr;
	const struct gpreempt_ioc_queue *all = queues(d, &nr);
	struct gpd_module_way way = { 0 };

	all = queues_of(all, &nr, pid);
	return process_json(d, pid, &way, all, nr);
}

json_t *gpd_module_next_process(struct gpd *d, struct gpd_module_list *l)
{
	const struct gpreempt_ioc_queue *first;
	size_t nr = 0;

	if (l->at == l->end)
		return NULL;
	first = l->queues + l->at;
	if (!gpd_module_climb(d, first->pid, &l->way))
		return json_null();
	while (l->at < l->end && l->queues[l->at].pid == first->pid) {
		l->at++;
		nr++;
	}
	return process_json(d, first->pid, &l->way, first, nr);
}

static json_t *queue_json(const struct gpreempt_ioc_queue *k, bool may_touch)
{
	struct gpreempt_queue q = {
		.pid = (uint32_t)k->pid,
		.gpu_id = k->gpu_id,
		.queue_id = k->queue_id,
	};

	drv_module_describe(k, &q);
	return gpd_list_queue(&q, may_touch, "kernel", gp_entity_state_name(state_of(k)),
			      GPREEMPT_SOURCE_KERNEL);
}

static bool may_touch(const struct gpd_conn *conn, pid_t pid)
{
	struct gpd_proc proc;

	if (conn->cred.privileged)
		return true;
	return !gpd_proc_read(pid, &proc) &&
	       gpd_trust_may_touch_process(conn->d, &conn->cred, pid, proc.uid);
}

json_t *gpd_module_next_queue(struct gpd_conn *conn, struct gpd_module_list *l)
{
	const struct gpreempt_ioc_queue *q;

	if (l->at == l->end)
		return NULL;
	q = &l->queues[l->at++];
	if (q->pid != l->pid)
		l->may_touch = may_touch(conn, q->pid);
	l->pid = q->pid;
	return queue_json(q, l->may_touch);
}
