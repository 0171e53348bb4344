// SPDX-License-Identifier: MIT
#include "daemon/gpd_cgroup.h"
#include "daemon/gpd_ops.h"
#include "daemon/gpd_state.h"
#include "daemon/gpd_util.h"
#include "daemon/module/gpd_module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_US 1000

static json_t *settings_json(const struct gp_cgroup_attr *a)
{
	char text[GP_CGROUP_TEXT_MAX];
	json_t *out = json_object();
	u32 i;

	for (i = 0; i < GP_CGROUP_COUNT; i++)
		json_object_set_new(out, gp_cgroup_name(i),
				    json_string(gp_cgroup_text(a, i, text)));
	return out;
}

static json_t *integer(u64 value)
{
	return json_integer((json_int_t)value);
}

static json_t *pressure_json(const struct gp_pressure *p, u64 total_ns)
{
	return json_pack("{s:i, s:i, s:i, s:o}", "avg10_ppm", (int)p->avg_ppm[0], "avg60_ppm",
			 (int)p->avg_ppm[1], "avg300_ppm", (int)p->avg_ppm[2], "total_usec",
			 integer(total_ns / NS_PER_US));
}

static json_t *cgroup_json(const struct gpd_cgroup *g)
{
	char text[GP_CGROUP_TEXT_MAX];
	struct gpd_cgroup_use use;

	gpd_cgroup_count(g, &use);
	return json_pack("{s:s, s:i, s:s, s:o, s:b, s:i, s:o, s:o, s:o, s:o, s:i, s:o, s:o}",
			 "cgroup", g->path, "weight", (int)g->said.weight, "max",
			 gp_cgroup_text(&g->said, GP_CGROUP_INDEX_MAX, text), "latency_usec",
			 integer(g->all.latency_ns / NS_PER_US), "idle", g->all.idle,
			 "nr_processes", (int)(g->nr_clients + g->nr_listed), "usage_usec",
			 integer(use.info.usage_ns / NS_PER_US), "nr_periods",
			 integer(use.info.nr_periods), "nr_throttled",
			 integer(use.info.nr_throttled), "throttled_usec",
			 integer(use.info.throttled_ns / NS_PER_US), "nr_throttled_nodes",
			 (int)use.nr_throttled, "some", pressure_json(&g->some, use.info.some_ns),
			 "full", pressure_json(&g->full, use.info.full_ns));
}

static json_t *next(struct gpd_conn *conn, void *cursor)
{
	const struct gpd_cgroup *g = gpd_cgroup_step(conn->d, cursor);

	if (!g)
		return NULL;
	return g->retired ? json_null() : cgroup_json(g);
}

void gpd_cgroup_call_list(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_cgroup_place *at = calloc(1, sizeof(*at));

	if (at)
		gpd_control_stream(conn, "cgroups", next, free, at);
	else
		gpd_control_failed(conn, -ENOMEM, "out of memory");
}

void gpd_cgroup_call_set(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gp_cgroup_attr old, new;
	struct gpd *d = conn->d;
	int err = 0;

	if (d->ops != &gpd_client_ops && !gpd_module_has_cgroups(d)) {
		gpd_control_error(conn, "NotSupported", "reason",
				  "this kernel module knows no shares of cgroups");
		return;
	}
	if (!gp_cgroup_is_path(r->cgroup)) {
		gpd_control_failed(conn, -EINVAL, "not the path of a cgroup");
		return;
	}
	gpd_cgroup_said(d, r->cgroup, &old);
	gpd_cgroup_would(d, r->cgroup, &r->settings, r->clear, &new);
	if (!r->dry_run)
		err = gpd_cgroup_say(d, r->cgroup, &r->settings, r->clear);
	if (err) {
		gpd_control_failed(conn, err, "no room for more cgroups");
		return;
	}
	if (!r->dry_run) {
		gpd_cgroup_changed(d);
		gpd_state_soon(d);
	}
	gpd_control_reply(conn, json_pack("{s:o, s:o}", "old", settings_json(&old), "new",
					  settings_json(&new)));
}
