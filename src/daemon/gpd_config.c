// SPDX-License-Identifier: MIT
#include "daemon/gpd_config.h"
#include "daemon/gpd_config_key.h"
#include "rules/text.h"

#include <errno.h>
#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(char *error, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse(char *error, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, size, format, args);
	va_end(args);
	return -EINVAL;
}

static int remember(struct gpd_config *c, const char *section, const char *key, const char *value,
		    const char *origin)
{
	struct gpd_setting *s = NULL;
	uint32_t i;

	for (i = 0; i < c->nr_settings; i++)
		if (!strcmp(c->settings[i].section, section) && !strcmp(c->settings[i].key, key))
			s = &c->settings[i];
	if (!s) {
		if (c->nr_settings == GPD_SETTINGS_MAX)
			return -ENOSPC;
		s = &c->settings[c->nr_settings++];
	}
	snprintf(s->section, sizeof(s->section), "%s", section);
	snprintf(s->key, sizeof(s->key), "%s", key);
	snprintf(s->value, sizeof(s->value), "%s", value);
	snprintf(s->origin, sizeof(s->origin), "%s", origin);
	return 0;
}

const struct gpd_class *gpd_config_class(const struct gpd_config *c, const char *name)
{
	uint32_t i;

	for (i = 0; i < c->nr_classes; i++)
		if (!strcmp(c->classes[i].name, name))
			return &c->classes[i];
	return NULL;
}

static bool is_class_name(const char *name)
{
	return name[0] && strlen(name) < GPD_NAME_LEN && !strpbrk(name, " \t\"/");
}

static struct gpd_class *get_class(struct gpd_config *c, const char *name)
{
	struct gpd_class *k = (struct gpd_class *)gpd_config_class(c, name);

	if (k || c->nr_classes == GPD_CLASSES_MAX)
		return k;
	k = &c->classes[c->nr_classes++];
	memset(k, 0, sizeof(*k));
	gp_attr_default(&k->attr);
	snprintf(k->name, sizeof(k->name), "%s", name);
	k->open = true;
	return k;
}

static int set_policy(struct gpd_config *c, const char *key, const char *value, char *error,
		      size_t size)
{
	struct gpd_param *p = NULL;
	const char *why;
	uint64_t number;
	uint32_t i;

	if (!strcmp(key, "name")) {
		if (!gp_text_is_policy(value))
			return refuse(error, size, "policy '%s': no such policy", value);
		snprintf(c->policy, sizeof(c->policy), "%s", value);
		return 0;
	}
	why = gpd_key_param(key, value, &number);
	if (why)
		return refuse(error, size, "%s = %s: %s", key, value, why);
	for (i = 0; i < c->nr_params; i++)
		if (!strcmp(c->params[i].name, key))
			p = &c->params[i];
	if (!p) {
		if (c->nr_params == GPD_PARAMS_MAX)
			return refuse(error, size, "too many parameters");
		p = &c->params[c->nr_params++];
	}
	snprintf(p->name, sizeof(p->name), "%s", key);
	p->value = number;
	return 0;
}

static int set_class(struct gpd_config *c, const char *name, const char *key, const char *value,
		     char *error, size_t size)
{
	struct gpd_class *k;
	const char *why;

	if (!is_class_name(name))
		return refuse(error, size, "class '%s': not a name", name);
	k = get_class(c, name);
	if (!k)
		return refuse(error, size, "too many classes");
	why = gpd_key_class(k, key, value);
	return why ? refuse(error, size, "%s = %s: %s", key, value, why) : 0;
}

int gpd_config_set(struct gpd_config *c, const char *section, const char *key, const char *value,
		   const char *origin, char *error, size_t size)
{
	const char *why;
	int err = 0;

	if (strlen(value) >= GPD_VALUE_LEN || strlen(key) >= sizeof(c->settings[0].key))
		return refuse(error, size, "%.32s: too long", key);
	if (!strcmp(section, "daemon")) {
		why = gpd_key_daemon(c, key, value);
		err = why ? refuse(error, size, "%s = %s: %s", key, value, why) : 0;
	} else if (!strcmp(section, "policy")) {
		err = set_policy(c, key, value, error, size);
	} else if (!strncmp(section, "class ", 6)) {
		err = set_class(c, section + 6, key, value, error, size);
	} else {
		err = refuse(error, size, "[%s]: no such section", section);
	}
	if (!err && remember(c, section, key, value, origin))
		err = refuse(error, size, "too many settings");
	return err;
}

/* The defaults are settings like any other, so that they are checked and shown. */
static const struct {
	const char *section;
	const char *key;
	const char *value;
} defaults[] = {
	{ "daemon", "group", "" },
	{ "daemon", "lease_ms", "1000" },
	{ "daemon", "poll_us", "1000" },
	{ "daemon", "quiet_us", "200" },
	{ "daemon", "http_port", "0" },
	{ "daemon", "mechanism", "auto" },
	{ "daemon", "dbg", "manual" },
	{ "daemon", "self_dbg", "no" },
	{ "daemon", "tracer", "" },
	{ "daemon", "state_dir", "" },
	{ "daemon", "max_clients", "1024" },
	{ "daemon", "max_connections", "64" },
	{ "daemon", "message_rate", "50000" },
	{ "daemon", "message_burst", "10000" },
	{ "daemon", "edge_rate", "20000" },
	{ "daemon", "edge_burst", "4000" },
	{ "daemon", "socket_mode", "0666" },
	{ "daemon", "client_mode", "0666" },
	{ "policy", "name", "prio" },
	{ "class realtime", "priority", "12" },
	{ "class realtime", "latency_critical", "yes" },
	{ "class realtime", "open", "no" },
	{ "class default", "priority", "7" },
	{ "class besteffort", "priority", "2" },
};

void gpd_config_default(struct gpd_config *c)
{
	char error[128];
	size_t i;

	memset(c, 0, sizeof(*c));
	c->gid = (gid_t)-1;
	c->socket_gid = (gid_t)-1;
	for (i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
		if (gpd_config_set(c, defaults[i].section, defaults[i].key, defaults[i].value,
				   "default", error, sizeof(error)))
			GP_WARN_ON(true);
}

static int find_group(const char *name, gid_t *gid, char *error, size_t size)
{
	struct group *g;

	*gid = (gid_t)-1;
	if (!name[0])
		return 0;
	g = getgrnam(name);
	if (!g)
		return refuse(error, size, "group '%s': no such group", name);
	*gid = g->gr_gid;
	return 0;
}

int gpd_config_finish(struct gpd_config *c, char *error, size_t size)
{
	if (c->edge_burst > c->message_burst || c->edge_rate > c->message_rate)
		return refuse(error, size, "edges are messages: their limits cannot be higher");
	if (find_group(c->group, &c->gid, error, size))
		return -EINVAL;
	return find_group(c->socket_group, &c->socket_gid, error, size);
}
