// SPDX-License-Identifier: MIT
/*
 * Joins the nameless images of debugfs to the queues of a list.
 */
#include "driver/discover.h"

#include <errno.h>
#include <stdlib.h>

#include "driver/mqds.h"
#include "driver/sysfile.h"

#define MQDS "/sys/kernel/debug/kfd/mqds"
#define GFX9 9

static bool is_known(const struct gpreempt_value *v)
{
	return v->source != GPREEMPT_SOURCE_UNKNOWN;
}

static void say(struct gpreempt_value *v, uint64_t value)
{
	if (!is_known(v))
		*v = (struct gpreempt_value){ .value = value, .source = GPREEMPT_SOURCE_DEBUGFS };
}

static void join(struct gpreempt_queue *q, const struct drv_mqd *m)
{
	say(&q->ring_addr, m->ring_addr);
	say(&q->ring_bytes, m->ring_bytes);
	say(&q->rptr_addr, m->rptr_addr);
	if (!m->is_compute)
		return;
	say(&q->wptr_addr, m->wptr_addr);
	say(&q->type, m->is_aql ? DRV_KFD_QUEUE_AQL : DRV_KFD_QUEUE_PM4);
	say(&q->prio, m->prio);
}

static bool is_alike(const struct gpreempt_queue *q, const struct drv_mqd *m)
{
	return q->pid == m->pid && q->gpu_id == m->gpu_id && is_known(&q->compute) &&
	       (q->compute.value != 0) == m->is_compute && is_known(&q->ring_bytes) &&
	       q->ring_bytes.value == m->ring_bytes;
}

/* The queue with this ring, or the only one it can be. */
static struct gpreempt_queue *find(struct drv_queues *list, const struct drv_mqd *m,
				   size_t nr_twins)
{
	struct gpreempt_queue *q, *alike = NULL;
	size_t nr_alike = 0;

	for (q = list->queues; q < list->queues + list->nr; q++) {
		if (!is_alike(q, m))
			continue;
		if (is_known(&q->ring_addr) && q->ring_addr.value == m->ring_addr)
			return q;
		if (is_known(&q->ring_addr))
			continue;
		alike = q;
		nr_alike++;
	}
	return nr_alike == 1 && nr_twins == 1 ? alike : NULL;
}

/* Images that cannot be told from this one without its ring. */
static size_t count_twins(const struct drv_mqd *m, const struct drv_mqd *all, size_t nr)
{
	const struct drv_mqd *o;
	size_t n = 0;

	for (o = all; o < all + nr; o++)
		n += o->pid == m->pid && o->gpu_id == m->gpu_id &&
		     o->is_compute == m->is_compute && o->ring_bytes == m->ring_bytes;
	return n;
}

static bool is_gfx9(const struct drv_node *nodes, size_t nr, uint32_t gpu_id)
{
	const struct drv_node *n;

	for (n = nodes; n < nodes + nr; n++) {
		if (n->gpu_id == gpu_id)
			return n->gfx_target.value / 10000 == GFX9;
	}
	return false;
}

static int read_mqds(const char *root, struct drv_mqd **mqds, size_t *nr)
{
	char path[DRV_SYSFILE_PATH_MAX];
	int r = drv_sysfile_path(path, root, MQDS);
	FILE *f;

	if (r)
		return r;
	f = fopen(path, "re");
	if (!f)
		return -errno;
	r = drv_mqds_read(f, mqds, nr);
	fclose(f);
	return r;
}

int drv_discover_add_mqds(const char *root, struct drv_queues *list)
{
	struct drv_node *nodes = NULL;
	struct gpreempt_queue *q;
	struct drv_mqd *mqds;
	size_t i, nr, nr_nodes = 0;
	int r = drv_discover_nodes(root, &nodes, &nr_nodes);

	if (r)
		return r;
	r = read_mqds(root, &mqds, &nr);
	if (r)
		goto err_nodes;
	for (i = 0; i < nr; i++) {
		if (!is_gfx9(nodes, nr_nodes, mqds[i].gpu_id))
			continue;
		q = find(list, &mqds[i], count_twins(&mqds[i], mqds, nr));
		if (q)
			join(q, &mqds[i]);
	}
	free(mqds);
err_nodes:
	free(nodes);
	return r;
}
