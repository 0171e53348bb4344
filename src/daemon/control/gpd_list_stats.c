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

static json_t *known(bool is_known, uint64_t value)
{
	return is_known ? json_integer((json_int_t)value) : json_null();
}

static json_t *hist_json(const struct gp_hist *h)
{
	bool any = h->nr > 0;

	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "count", (json_int_t)h->nr,
			 "sum_ns", (json_int_t)h->sum, "min_ns", known(any, h->min), "max_ns",
			 known(any, h->max), "p50_ns", known(any, gp_hist_percentile(h, 500000)),
			 "p90_ns", known(any, gp_hist_percentile(h, 900000)), "p99_ns",
			 known(any, gp_hist_percentile(h, 990000)), "buckets", buckets(h));
}

static json_t *node_json(struct gpd_node *n)
{
	const struct gp_node_stats *s = n->ops->stats(n);

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, "
			 "s:o, s:o}",
			 "gpu_id", (json_int_t)n->gpu_id, "nr_events", (json_int_t)s->nr_events,
			 "nr_switches", (json_int_t)s->nr_switches, "nr_preemptions",
			 (json_int_t)s->nr_preemptions, "nr_resumes", (json_int_t)s->nr_resumes,
			 "nr_failed", (json_int_t)s->nr_failed, "nr_deadline",
			 (json_int_t)s->nr_deadline, "nr_starvation", (json_int_t)s->nr_starvation,
			 "nr_rate_limited", (json_int_t)s->nr_rate_limited, "nr_left_to_finish",
			 (json_int_t)s->nr_left_to_finish, "cost_ns", (json_int_t)s->cost_ns,
			 "off_max_ns", (json_int_t)s->off_max_ns, "switch",
			 hist_json(&s->switch_ns), "off", hist_json(&s->off_ns), "decision",
			 hist_json(n->ops->detect(n)), "fanout", hist_json(&n->fanout));
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
