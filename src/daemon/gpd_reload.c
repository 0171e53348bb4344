// SPDX-License-Identifier: MIT
#include "daemon/gpd_reload.h"
#include "driver/address.h"
#include "daemon/clients/gpd_dbg.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_ops.h"
#include "daemon/control/gpd_metrics.h"
#include "daemon/module/gpd_module.h"
#include "daemon/control/gpd_monitor.h"
#include "daemon/gpd_state.h"
#include "daemon/gpd_util.h"
#include "rules/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int set_option(struct gpd_config *c, const char *key, const char *value, char *error,
		      size_t size)
{
	return gpd_config_set(c, "daemon", key, value, "command line", error, size);
}

int gpd_reload_read(const struct gpd_options *options, struct gpd_config *config, char *error,
		    size_t size)
{
	char path[DRV_ADDRESS_MAX];
	int err;

	gpd_config_default(config);
	if (!drv_address_listen(path, sizeof(path)))
		gpd_config_set(config, "daemon", "socket", path, "default", error, size);
	err = gpd_config_load(config, options->file, options->file_given, error, size);
	if (!err && options->socket[0])
		err = set_option(config, "socket", options->socket, error, size);
	config->nr_sim = options->nr_sim;
	if (!err && !config->socket[0]) {
		snprintf(error, size, "no place for a socket; try --socket PATH");
		err = -ENOENT;
	}
	return err ? err : gpd_config_finish(config, error, size);
}

static void reset_params(struct gpd_node *n)
{
	const struct gp_param_desc *desc;
	char name[GP_TEXT_PARAM_MAX];
	u32 i;

	for (i = 0; (desc = gp_text_param(i, name)); i++)
		n->ops->set_param(n, name, desc->def);
}

/* What was said at run time is over: the files say what holds. */
void gpd_reload_apply_node(struct gpd_node *n, const struct gpd_config *old)
{
	const struct gpd_config *new = n->d->config;
	uint32_t i;

	if (old)
		reset_params(n);
	for (i = 0; i < new->nr_params; i++)
		n->ops->set_param(n, new->params[i].name, new->params[i].value);
	if (strcmp(gp_sched_node_policy(n->d->sched, n->index), new->policy))
		n->ops->set_policy(n, new->policy);
	if (old && !n->enabled)
		gpd_engine_set_enabled(n, true);
	n->by_hand = false;
}

static void say_change(json_t *changed, const struct gpd_setting *s, const char *from,
		       const char *to)
{
	char text[2 * GPD_VALUE_LEN + 160];

	snprintf(text, sizeof(text), "[%s] %s: %s -> %s", s->section, s->key, from, to);
	json_array_append_new(changed, json_string(text));
}

static void compare(json_t *changed, const struct gpd_config *old, const struct gpd_config *new)
{
	const struct gpd_setting *s;
	const struct gpd_setting *was;

	for (s = new->settings; s < new->settings + new->nr_settings; s++) {
		was = gpd_config_setting(old, s->section, s->key);
		if (!was || strcmp(was->value, s->value))
			say_change(changed, s, was ? was->value : "-", s->value);
	}
	for (s = old->settings; s < old->settings + old->nr_settings; s++)
		if (!gpd_config_setting(new, s->section, s->key))
			say_change(changed, s, s->value, "-");
}

/* What cannot change while there are connections; NULL = nothing of it does. */
static const char *fixed_change(const struct gpd_config *old, const struct gpd_config *new)
{
	if (strcmp(old->socket, new->socket))
		return "socket";
	if (strcmp(old->state_dir, new->state_dir))
		return "state_dir";
	return old->socket_mode != new->socket_mode || old->client_mode != new->client_mode ||
			       old->socket_gid != new->socket_gid
		       ? "modes, group of sockets"
		       : NULL;
}

static int read_again(struct gpd *d, struct gpd_config *new, char *error, size_t size)
{
	int err = gpd_reload_read(d->options, new, error, size);
	const char *fixed = err ? NULL : fixed_change(d->config, new);

	if (fixed) {
		snprintf(error, size, "%s: cannot change without a restart", fixed);
		return -EBUSY;
	}
	return err ? err : gpd_http_change(d, new->http_port, error, size);
}

int gpd_reload(struct gpd *d, json_t *changed, char *error, size_t size)
{
	struct gpd_config *old = d->config;
	struct gpd_config *new = malloc(sizeof(*new));
	uint32_t i;
	int err;

	if (!new) {
		snprintf(error, size, "out of memory");
		return -ENOMEM;
	}
	err = read_again(d, new, error, size);
	if (err) {
		free(new);
		gpd_log(LOG_ERR, "reload refused: %s", error);
		return err;
	}
	d->config = new;
	gpd_module_update(d);
	gpd_state_forget_nodes(d);
	for (i = 0; i < d->nr_nodes; i++)
		gpd_reload_apply_node(&d->node[i], old);
	gpd_dbg_auto_update(d);
	if (changed)
		compare(changed, old, new);
	free(old);
	gpd_state_save(d);
	gpd_log(LOG_INFO, "configuration read again");
	gpd_monitor_event(d, "policy", 0, 0, WIRE_QUEUE_ALL, "configuration read again");
	return 0;
}

void gpd_reload_call(struct gpd_conn *conn, const struct gpd_request *r)
{
	json_t *changed;
	char error[320];

	changed = json_array();
	if (gpd_reload(conn->d, changed, error, sizeof(error))) {
		json_decref(changed);
		gpd_control_error(conn, "Failed", "reason", "%s", error);
		return;
	}
	gpd_control_reply(conn, json_pack("{s:o}", "changed", changed));
}
