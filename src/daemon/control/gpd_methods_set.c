// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_auth.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/control/gpd_list.h"
#include "daemon/clients/gpd_mech.h"
#include "daemon/control/gpd_methods.h"
#include "daemon/module/gpd_module.h"
#include "daemon/control/gpd_monitor.h"
#include "daemon/gpd_state.h"
#include "daemon/gpd_trust.h"

#include <inttypes.h>
#include <string.h>

/* A class brings all its values; what is said beside it counts more. */
bool gpd_methods_apply(const struct gpd_config *config, const struct gpd_attr_change *change,
		       struct gpd_attrs *attrs)
{
	if (change->has & GPD_ATTR_CLASS && !gpd_auth_class(config, change->klass, attrs))
		return false;
	if (change->has & GPD_ATTR_PRIORITY)
		attrs->core.prio = (u8)change->priority;
	if (change->has & GPD_ATTR_WEIGHT)
		attrs->core.weight = (u32)change->weight;
	if (change->has & GPD_ATTR_SLICE)
		attrs->core.slice_ns = change->slice_ns;
	if (change->has & GPD_ATTR_DEADLINE)
		attrs->core.deadline_ns = change->deadline_ns;
	if (change->has & GPD_ATTR_LATENCY_CRITICAL)
		attrs->core.latency_critical = change->latency_critical;
	if (change->has & GPD_ATTR_NO_PREEMPT)
		attrs->core.no_preempt = change->no_preempt;
	if (change->has & GPD_ATTR_GROUP)
		memcpy(attrs->group, change->group, sizeof(attrs->group));
	return true;
}

static void set_one(struct gpd_client *c, const struct gpd_attrs *attrs)
{
	c->by_hand = true;
	gpd_client_set_attrs(c, attrs);
	gpd_monitor_event(c->d, "attribute", c->pid, 0, WIRE_QUEUE_ALL,
			  "priority %u, weight %" PRIu32 ", class %s, group %s",
			  (unsigned int)attrs->core.prio, attrs->core.weight, attrs->klass,
			  attrs->group[0] ? attrs->group : "-");
}

/* A process of the same group and user that may have the same attributes. */
static bool changes_too(struct gpd_conn *conn, const struct gpd_client *c,
			const struct gpd_client *other, const struct gpd_attrs *attrs)
{
	char why[GPD_NOTE_LEN];

	return other != c && other->state == GPD_CLIENT_KNOWN && attrs->group[0] &&
	       !strcmp(other->attrs.group, attrs->group) &&
	       gpd_trust_may_touch(&conn->cred, &other->owner) &&
	       gpd_auth_check(conn->d->config, &conn->cred, &other->attrs, attrs, why, sizeof(why));
}

/* Processes of a group are one: all of them change, unless that would raise one of them. */
static void set_group(struct gpd_conn *conn, struct gpd_client *c, const struct gpd_attrs *attrs)
{
	struct gpd_client *other;

	LIST_FOREACH(other, &c->user->clients, of_user)
	if (changes_too(conn, c, other, attrs))
		other->attrs = *attrs;
	LIST_FOREACH(other, &c->user->clients, of_user)
	if (changes_too(conn, c, other, attrs))
		set_one(other, attrs);
}

void gpd_methods_set_attributes(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_client *c = gpd_client_find(conn->d, (pid_t)r->pid);
	struct gpd_attrs old;
	struct gpd_attrs new;
	char why[GPD_NOTE_LEN];

	if (gpd_module_is_used(conn->d) && !(c && gpd_mech_is_sim(c))) {
		gpd_module_set_attributes(conn, r);
		return;
	}
	if (!c) {
		gpd_control_error(conn, "NotFound", "what", "process %" PRIu64, r->pid);
		return;
	}
	if (!gpd_trust_may_touch(&conn->cred, &c->owner)) {
		gpd_control_error(conn, "PermissionDenied", "reason", "process of another user");
		return;
	}
	old = c->attrs;
	new = old;
	if (!gpd_methods_apply(conn->d->config, &r->attributes, &new)) {
		gpd_control_error(conn, "NotFound", "what", "class %s", r->attributes.klass);
		return;
	}
	if (!gpd_auth_check(conn->d->config, &conn->cred, &old, &new, why, sizeof(why))) {
		gpd_control_error(conn, "PermissionDenied", "reason", "%s", why);
		return;
	}
	if (!r->dry_run) {
		c->attrs = new;
		set_group(conn, c, &new);
		set_one(c, &new);
		gpd_state_changed(conn);
	}
	gpd_control_reply(conn, json_pack("{s:o, s:o}", "old", gpd_list_attributes(&old), "new",
					  gpd_list_attributes(&new)));
}
