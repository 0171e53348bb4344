// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_ops.h"
#include "daemon/gpd_nodes.h"

/* A bucket of the interface is a power of two of the fine ones. */
#define SUB (1u << GP_HIST_SUB_BITS)

/* Upper end of a bucket, as hist.h defines them: exact below 2 * SUB. */
static uint64_t upper(uint32_t bucket)
{
	uint32_t shift;

	if (bucket < 2 * SUB)
		return bucket;
	shift = bucket / SUB - 1;
	return ((uint64_t)(bucket % SUB + SUB + 1) << shift) - 1;
}

static json_t *buckets(const struct gp_hist *h)
{
	json_t *array = json_array();
	uint64_t count = 0;
	uint32_t i;

	for (i = 0; i < GP_HIST_BUCKETS; i++) {
		count += h->bucket[i];
		/* Four of ours to a power of two. */
		if ((i + 1) % (SUB / 4) || !count)
			continue;
		json_array_append_new(array, json_pack("{s:I, s:I}", "le_ns", (json_int_t)upper(i),
						       "count", (json_int_t)count));
		count = 0;
	}
	return array;
}

static json_t *percentile(const struct gp_hist *h, u32 ppm)
{
	return gpd_list_known(h->nr, gp_hist_percentile(h, ppm));
}

static json_t *hist_json(const struct gp_hist *h)
{
	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "count", (json_int_t)h->nr,
			 "sum_ns", (json_int_t)h->sum, "min_ns", gpd_list_known(h->nr, h->min),
			 "max_ns", gpd_list_known(h->nr, h->max), "p50_ns", percentile(h, 500000),
			 "p90_ns", percentile(h, 900000), "p99_ns", percentile(h, 990000),
			 "buckets", buckets(h));
}

static json_t *node_json(struct gpd_node *n)
{
	const struct gp_node_stats *s = n->ops->stats(n);
	json_t *node = json_pack("{s:I, s:o, s:o, s:o, s:o}", "gpu_id", (json_int_t)n->gpu_id,
				 "switch", hist_json(&s->switch_ns), "off", hist_json(&s->off_ns),
				 "decision", hist_json(n->ops->detect(n)), "fanout",
				 hist_json(&n->fanout));

#define COUNT(member) json_object_set_new(node, #member, json_integer((json_int_t)s->member))
	COUNT(nr_events);
	COUNT(nr_switches);
	COUNT(nr_preemptions);
	COUNT(nr_resumes);
	COUNT(nr_failed);
	COUNT(nr_deadline);
	COUNT(nr_starvation);
	COUNT(nr_rate_limited);
	COUNT(nr_left_to_finish);
	COUNT(cost_ns);
	COUNT(off_max_ns);
#undef COUNT
	return node;
}

json_t *gpd_list_statistics(struct gpd *d, uint32_t gpu_id)
{
	json_t *nodes = json_array();
	uint32_t i;

	for (i = 0; i < d->nr_nodes; i++)
		if (!gpu_id || d->node[i].gpu_id == gpu_id)
			json_array_append_new(nodes, node_json(&d->node[i]));
	return nodes;
}
