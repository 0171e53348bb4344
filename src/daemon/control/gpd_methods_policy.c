// SPDX-License-Identifier: MIT
#include "daemon/gpd_engine.h"
#include "daemon/control/gpd_control.h"
#include "daemon/control/gpd_monitor.h"
#include "daemon/gpd_state.h"
#include "rules/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static json_t *parameters_json(struct gpd_node *n)
{
	const struct gp_param_desc *desc;
	json_t *array = json_array();
	char name[GP_TEXT_PARAM_MAX];
	u32 i;

	for (i = 0; (desc = gp_text_param(i, name)); i++) {
		const char *unit = gp_text_unit(name);
		u64 value = desc->def;

		n->ops->get_param(n, name, &value);
		json_array_append_new(
			array, json_pack("{s:s, s:I, s:I, s:I, s:I, s:s?, s:s}", "name", name,
					 "value", (json_int_t)value, "min", (json_int_t)desc->min,
					 "max", (json_int_t)desc->max, "default",
					 (json_int_t)desc->def, "unit", unit, "doc", desc->doc));
	}
	return array;
}

static json_t *policies_json(void)
{
	json_t *array = json_array();
	const char *name;
	u32 i;

	for (i = 0; (name = gp_policy_name_at(i)); i++)
		json_array_append_new(array, json_string(name));
	return array;
}

/* The node that is meant; the first stands for all. NULL after an error was sent. */
static struct gpd_node *first_node(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_node *n;

	if (r->has & GPD_HAS_GPU_ID && r->gpu_id)
		n = gpd_nodes_find(conn->d, (uint32_t)r->gpu_id);
	else
		n = conn->d->nr_nodes ? &conn->d->node[0] : NULL;
	if (!n)
		gpd_control_error(conn, "NotFound", "what", "node %" PRIu64, r->gpu_id);
	return n;
}

void gpd_methods_get_policy(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_node *n = first_node(conn, r);

	if (!n)
		return;
	gpd_control_reply(conn, json_pack("{s:o, s:s, s:b, s:o}", "policies", policies_json(),
					  "policy", n->ops->policy(n), "enabled",
					  gpd_nodes_is_enabled(n), "parameters",
					  parameters_json(n)));
}

/* All is checked before anything is changed. False after an error was sent. */
static bool check(struct gpd_conn *conn, const struct gpd_request *r)
{
	uint32_t i;

	if (r->has & GPD_HAS_POLICY && !gp_text_is_policy(r->policy)) {
		gpd_control_error(conn, "NotFound", "what", "policy %s", r->policy);
		return false;
	}
	for (i = 0; i < r->nr_parameters; i++) {
		const struct gpd_change *c = &r->parameters[i];
		const struct gp_param_desc *desc = gp_params_find(c->name);

		if (!desc) {
			gpd_control_error(conn, "NotFound", "what", "parameter %s", c->name);
			return false;
		}
		if (c->value < desc->min || c->value > desc->max) {
			gpd_control_failed(conn, -ERANGE,
					   "%s: %" PRIu64 " is not in %" PRIu64 "..%" PRIu64,
					   c->name, c->value, desc->min, desc->max);
			return false;
		}
	}
	return true;
}

static void note_change(json_t *changed, const struct gpd_node *n, const char *what,
			const char *from, const char *to)
{
	char text[160];

	snprintf(text, sizeof(text), "node %" PRIu32 ": %s %s -> %s", n->gpu_id, what, from, to);
	json_array_append_new(changed, json_string(text));
}

static int change_param(struct gpd_node *n, const struct gpd_change *c, bool dry_run,
			json_t *changed)
{
	char from[32];
	char to[32];
	u64 old = 0;

	n->ops->get_param(n, c->name, &old);
	if (old == c->value)
		return 0;
	snprintf(from, sizeof(from), "%" PRIu64, old);
	snprintf(to, sizeof(to), "%" PRIu64, c->value);
	note_change(changed, n, c->name, from, to);
	return dry_run ? 0 : n->ops->set_param(n, c->name, c->value);
}

static int change_policy(struct gpd_node *n, const struct gpd_request *r, json_t *changed)
{
	const char *policy = n->ops->policy(n);

	if (!(r->has & GPD_HAS_POLICY) || !strcmp(policy, r->policy))
		return 0;
	note_change(changed, n, "policy", policy, r->policy);
	return r->dry_run ? 0 : n->ops->set_policy(n, r->policy);
}

static int change_enabled(struct gpd_node *n, const struct gpd_request *r, json_t *changed)
{
	bool enabled = gpd_nodes_is_enabled(n);

	if (!(r->has & GPD_HAS_ENABLED) || enabled == r->enabled)
		return 0;
	note_change(changed, n, "enabled", enabled ? "true" : "false",
		    r->enabled ? "true" : "false");
	return r->dry_run ? 0 : gpd_engine_set_enabled(n, r->enabled);
}

static int change_node(struct gpd_node *n, const struct gpd_request *r, json_t *changed)
{
	int err = change_policy(n, r, changed);
	uint32_t i;

	for (i = 0; !err && i < r->nr_parameters; i++)
		err = change_param(n, &r->parameters[i], r->dry_run, changed);
	if (!err)
		err = change_enabled(n, r, changed);
	if (!r->dry_run && json_array_size(changed)) {
		n->by_hand = true;
		gpd_monitor_event(n->d, "policy", 0, n->gpu_id, WIRE_QUEUE_ALL, "%s, %s",
				  n->ops->policy(n), n->enabled ? "enabled" : "disabled");
	}
	return err;
}

void gpd_methods_set_policy(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_node *n = first_node(conn, r);
	struct gpd *d = conn->d;
	char old_policy[GPD_NAME_LEN];
	json_t *changed;
	uint32_t i;
	int err = 0;

	if (!n || !check(conn, r))
		return;
	changed = json_array();
	snprintf(old_policy, sizeof(old_policy), "%s", n->ops->policy(n));
	for (i = 0; !err && i < d->nr_nodes; i++)
		if (!r->gpu_id || &d->node[i] == n)
			err = change_node(&d->node[i], r, changed);
	if (!r->dry_run)
		gpd_state_save(d);
	if (err) {
		json_decref(changed);
		gpd_control_error(conn, err == -EPERM ? "PermissionDenied" : "Failed", "reason",
				  "%s", strerror(-err));
		return;
	}
	gpd_control_reply(conn, json_pack("{s:s, s:s, s:o}", "old_policy", old_policy,
					  "new_policy",
					  r->has & GPD_HAS_POLICY ? r->policy : old_policy,
					  "changed", changed));
}
