// SPDX-License-Identifier: MIT
#include "nodes.h"
#include "engine.h"
#include "util.h"

#include <stdio.h>

static struct gpd_node *lookup(struct gpd *d, uint32_t gpu_id)
{
	uint32_t i;

	for (i = 0; i < d->nr_nodes; i++)
		if (d->node[i].gpu_id == gpu_id)
			return &d->node[i];
	return NULL;
}

static struct gpd_node *add(struct gpd *d, uint32_t gpu_id)
{
	struct gpd_node *n;

	if (d->nr_nodes == GPD_NODES_MAX)
		return NULL;
	n = &d->node[d->nr_nodes];
	n->d = d;
	n->index = d->nr_nodes++;
	n->gpu_id = gpu_id;
	n->cwsr = -1;
	n->enabled = true;
	return n;
}

static void add_simulated(struct gpd *d)
{
	uint32_t i;

	for (i = 0; i < d->config->nr_sim; i++) {
		struct gpd_node *n = add(d, i + 1);

		if (!n)
			return;
		n->simulated = true;
		n->topology = i;
		snprintf(n->name, sizeof(n->name), "simulated");
	}
}

void gpd_nodes_init(struct gpd *d)
{
	add_simulated(d);
	d->max_nodes = d->nr_nodes + GPD_NODES_SPARE;
	if (d->max_nodes > GPD_NODES_MAX)
		d->max_nodes = GPD_NODES_MAX;
}

struct gpd_node *gpd_nodes_find(struct gpd *d, uint32_t gpu_id)
{
	return lookup(d, gpu_id);
}
