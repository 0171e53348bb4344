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

/* The queues of one process. */
static const struct gpreempt_ioc_queue *queues_of(struct gpd *d, pid_t pid, size_t *nr)
{
	const struct gpreempt_ioc_queue *all = queues(d, nr);
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

bool gpd_module_has(struct gpd *d, pid_t pid, uint32_t gpu_id, uint32_t queue_id)
{
	const struct gpreempt_ioc_queue *q;
	size_t nr;

	for (q = queues_of(d, pid, &nr); nr; q++, nr--)
		if ((!gpu_id || q->gpu_id == gpu_id) &&
		    (queue_id == WIRE_QUEUE_ALL || q->queue_id == queue_id))
			return true;
	return false;
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

json_t *gpd_module_process(struct gpd *d, pid_t pid)
{
	struct gpd_attrs attrs;
	struct gpd_totals t;
	json_t *out;
	size_t nr;
	const struct gpreempt_ioc_queue *all = queues_of(d, pid, &nr);

	sum_up(all, nr, &t);
	out = gpd_list_other(pid, "kernel", 0, &t);
	if (!gpd_module_attrs(d, pid, &attrs))
		json_object_set_new(out, "attributes", gpd_list_attributes(&attrs));
	json_object_set_new(out, "sees", json_pack("[s]", "queues and work by the kernel"));
	return out;
}

void gpd_module_list_processes(struct gpd *d, json_t *processes)
{
	size_t nr, i;
	const struct gpreempt_ioc_queue *all = queues(d, &nr);

	for (i = 0; i < nr; i++)
		if (!i || all[i].pid != all[i - 1].pid)
			json_array_append_new(processes, gpd_module_process(d, all[i].pid));
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

void gpd_module_list_queues(struct gpd_conn *conn, json_t *array, pid_t pid)
{
	size_t nr;
	const struct gpreempt_ioc_queue *q =
		pid ? queues_of(conn->d, pid, &nr) : queues(conn->d, &nr);
	bool may = false;
	pid_t last = 0;

	for (; nr; q++, nr--) {
		if (q->pid != last)
			may = may_touch(conn, q->pid);
		last = q->pid;
		json_array_append_new(array, queue_json(q, may));
	}
}
