// SPDX-License-Identifier: MIT
#include "daemon/gpd_config.h"
#include "client/wire_decode.h"
#include "rules/guess.h"
#include "rules/right.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	KIND_NUMBER,
	KIND_U8,
	KIND_U32,
	KIND_MODE,
	KIND_PATH,
	KIND_ADDRESS,
	KIND_NAME,
	KIND_BOOL,
	KIND_DBG,
	KIND_MECHANISM,
};

struct key {
	const char *name; /* with its unit */
	enum kind kind;
	size_t offset;	 /* where it goes */
	const char *def; /* NULL = not set */
	u64 min;
	u64 max;
	u64 scale; /* the number is multiplied by this */
};

#define C(member) offsetof(struct gpd_config, member)
#define K(member) offsetof(struct gpd_class, member)

static const struct key daemon_keys[] = {
	{ "group", KIND_NAME, C(group), "", 0, 0, 0 },
	{ "lease_ms", KIND_NUMBER, C(lease_ns), "1000", 30, 60000, GP_TEXT_MS },
	{ "poll_us", KIND_NUMBER, C(poll_ns), "1000", 10, 1000000, GP_TEXT_US },
	{ "quiet_us", KIND_NUMBER, C(quiet_ns), "200", 10, 1000000, GP_TEXT_US },
	{ "http_port", KIND_NUMBER, C(http_port), "0", 0, 65535, 1 },
	{ "http_address", KIND_ADDRESS, C(http_address), "127.0.0.1", 0, 0, 0 },
	{ "mechanism", KIND_MECHANISM, C(mechanism), "auto", 0, 0, 0 },
	{ "dbg", KIND_DBG, C(dbg), "manual", 0, 0, 0 },
	{ "self_dbg", KIND_BOOL, C(self_dbg), "no", 0, 0, 0 },
	{ "tracer", KIND_PATH, C(tracer), "", 0, 0, 0 },
	{ "socket", KIND_PATH, C(socket), NULL, 0, 0, 0 },
	{ "state_dir", KIND_PATH, C(state_dir), "", 0, 0, 0 },
	{ "max_clients", KIND_NUMBER, C(max_clients), "1024", 1, 4096, 1 },
	{ "max_connections", KIND_NUMBER, C(max_connections), "64", 1, 1024, 1 },
	{ "message_rate", KIND_NUMBER, C(message_rate), "50000", 100, 10000000, 1 },
	{ "message_burst", KIND_NUMBER, C(message_burst), "10000", 100, 10000000, 1 },
	{ "edge_rate", KIND_NUMBER, C(edge_rate), "20000", 100, 10000000, 1 },
	{ "edge_burst", KIND_NUMBER, C(edge_burst), "4000", 10, 10000000, 1 },
	{ "socket_mode", KIND_MODE, C(socket_mode), "0666", 0, 0, 0 },
	{ "client_mode", KIND_MODE, C(client_mode), "0666", 0, 0, 0 },
	{ "socket_group", KIND_NAME, C(socket_group), NULL, 0, 0, 0 },
};

#define KIND_OF(member)                                                                       \
	_Generic(((struct gp_attr *)0)->member, u8: KIND_U8, u32: KIND_U32, u64: KIND_NUMBER, \
		 bool: KIND_BOOL)

static const struct key class_keys[] = {
#define X(name, text, member, min, max) \
	{ text, KIND_OF(member), K(attr.member), NULL, min, max, 1 },
	GP_ATTRS(X)
#undef X
	{ "open", KIND_BOOL, K(open), NULL, 0, 0, 0 },
};

/* Defaults that are not of [daemon]. */
static const struct gpd_setting defaults[] = {
	{ "policy", "name", "prio", "" },
	{ "class realtime", "priority", "12", "" },
	{ "class realtime", "latency_critical", "yes", "" },
	{ "class realtime", "open", "no", "" },
	{ "class default", "priority", "7", "" },
	{ "class besteffort", "priority", "2", "" },
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const char *bad_number(int err)
{
	return err == -ERANGE ? "out of range" : "not a number, or not one of its unit";
}

/* Of those below, each returns NULL or a constant that says what is wrong. */

static const char *read_word(const char *text, const char *const words[3], const char *why,
			     unsigned int *to)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (!strcmp(text, words[i])) {
			*to = i;
			return NULL;
		}
	return why;
}

static const char *read_text(const char *text, size_t size, char *to)
{
	if (strlen(text) >= size)
		return "too long";
	strcpy(to, text);
	return NULL;
}

static const char *read_mode(const char *text, uint64_t *to)
{
	char *end;
	unsigned long mode = strtoul(text, &end, 8);

	if (!isdigit((unsigned char)text[0]) || *end || mode > 0777)
		return "not an octal mode of up to 0777";
	*to = mode;
	return NULL;
}

static const char *read_number(const struct key *k, const char *text, void *to)
{
	u64 number;
	int err = gp_text_read_value(k->name, text, k->min, k->max, &number);

	if (err)
		return bad_number(err);
	if (k->kind == KIND_U8)
		*(u8 *)to = (u8)number;
	else if (k->kind == KIND_U32)
		*(u32 *)to = (u32)number;
	else
		*(uint64_t *)to = number * k->scale;
	return NULL;
}

static const char *read_value(const struct key *k, const char *text, void *to)
{
	static const char *const modes[] = { "off", "manual", "auto" };
	static const char *const mechanisms[] = { "auto", "user", "kernel" };
	unsigned char bytes[sizeof(struct in6_addr)];

	switch (k->kind) {
	case KIND_MODE:
		return read_mode(text, to);
	case KIND_PATH:
		if (text[0] && text[0] != '/')
			return "not an absolute path";
		return read_text(text, PATH_MAX, to);
	case KIND_ADDRESS:
		if (inet_pton(AF_INET, text, bytes) != 1 && inet_pton(AF_INET6, text, bytes) != 1)
			return "not an IP address";
		return read_text(text, INET6_ADDRSTRLEN, to);
	case KIND_NAME:
		return read_text(text, GPD_NAME_LEN, to);
	case KIND_BOOL:
		return gp_text_read_bool(text, to) ? "neither yes nor no" : NULL;
	case KIND_DBG:
		return read_word(text, modes, "not one of off, manual, auto", to);
	case KIND_MECHANISM:
		return read_word(text, mechanisms, "not one of auto, user, kernel", to);
	default:
		return read_number(k, text, to);
	}
}

/* Of those below: @guess gets the names there are where a name is wrong. */

static const char *set_key(const struct key *keys, size_t nr, void *base, const char *name,
			   const char *value, struct gp_guess *guess)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(keys[i].name, name))
			return read_value(&keys[i], value, (char *)base + keys[i].offset);
	gp_guess_init(guess, name);
	for (i = 0; i < nr; i++)
		gp_guess_try(guess, keys[i].name);
	return "no such key";
}

static struct gpd_param *get_param(struct gpd_config *c, const char *name)
{
	uint32_t i;

	for (i = 0; i < c->nr_params; i++)
		if (!strcmp(c->params[i].name, name))
			return &c->params[i];
	return c->nr_params < GPD_PARAMS_MAX ? &c->params[c->nr_params++] : NULL;
}

static const char *no_parameter(const char *name, struct gp_guess *guess)
{
	/* They are made as they are asked for: the nearest is kept. */
	static char names[2][GP_TEXT_PARAM_MAX];
	u32 i, at = 0;

	gp_guess_init(guess, name);
	for (i = 0; gp_text_param(i, names[at]); i++) {
		gp_guess_try(guess, names[at]);
		at = guess->best == names[at] ? !at : at;
	}
	return "no such parameter";
}

static const char *set_policy(struct gpd_config *c, const char *key, const char *value,
			      struct gp_guess *guess)
{
	struct gpd_param *p;
	u64 number;
	int err;

	if (!strcmp(key, "name") && !gp_text_is_policy(value))
		return "no such policy";
	if (!strcmp(key, "name"))
		return read_text(value, sizeof(c->policy), c->policy);
	err = gp_text_read_param(key, value, &number, NULL);
	if (err)
		return err == -ENOENT ? no_parameter(key, guess) : bad_number(err);
	p = get_param(c, key);
	if (!p)
		return "too many parameters";
	p->value = number;
	return read_text(key, sizeof(p->name), p->name);
}

const struct gpd_class *gpd_config_class(const struct gpd_config *c, const char *name)
{
	uint32_t i;

	for (i = 0; i < c->nr_classes; i++)
		if (!strcmp(c->classes[i].name, name))
			return &c->classes[i];
	return NULL;
}

static const char *set_class(struct gpd_config *c, const char *name, const char *key,
			     const char *value, struct gp_guess *guess)
{
	struct gpd_class *k = (struct gpd_class *)gpd_config_class(c, name);

	if (!name[0] || strlen(name) >= GPD_NAME_LEN || !wire_is_name(name, strlen(name)))
		return "not a name";
	if (!k && c->nr_classes == GPD_CLASSES_MAX)
		return "too many classes";
	if (!k) {
		k = &c->classes[c->nr_classes++];
		*k = (struct gpd_class){ .open = true };
		gp_attr_default(&k->attr);
		strcpy(k->name, name);
	}
	return set_key(class_keys, NR(class_keys), k, key, value, guess);
}

static struct gpd_pattern *get_pattern(struct gpd_config *c, const char *pattern)
{
	uint32_t i;

	for (i = 0; i < c->nr_cgroups; i++)
		if (!strcmp(c->cgroups[i].pattern, pattern))
			return &c->cgroups[i];
	if (c->nr_cgroups == GPD_PATTERNS_MAX)
		return NULL;
	strcpy(c->cgroups[c->nr_cgroups].pattern, pattern);
	gp_cgroup_default(&c->cgroups[c->nr_cgroups].attr);
	return &c->cgroups[c->nr_cgroups++];
}

static const char *set_cgroup(struct gpd_config *c, const char *pattern, const char *key,
			      const char *value, struct gp_guess *guess)
{
	struct gpd_pattern *p;
	const char *name;
	u32 i;
	int err;

	if (!gp_cgroup_is_path(pattern) || strlen(pattern) >= GPD_PATTERN_LEN)
		return "not the path of a cgroup, or too long";
	p = get_pattern(c, pattern);
	if (!p)
		return "too many cgroups";
	err = gp_cgroup_read(key, value, &p->attr);
	gp_guess_init(guess, key);
	for (i = 0; err == -ENOENT && (name = gp_cgroup_name(i)); i++)
		gp_guess_try(guess, name);
	if (err == -ENOENT)
		return "no such key";
	return err ? "not such a value, or out of range" : NULL;
}

const struct gpd_setting *gpd_config_setting(const struct gpd_config *c, const char *section,
					     const char *key)
{
	uint32_t i;

	for (i = 0; i < c->nr_settings; i++)
		if (!strcmp(c->settings[i].section, section) && !strcmp(c->settings[i].key, key))
			return &c->settings[i];
	return NULL;
}

static const char *remember(struct gpd_config *c, const char *section, const char *key,
			    const char *value, const char *origin)
{
	struct gpd_setting *s = (struct gpd_setting *)gpd_config_setting(c, section, key);

	if (!s && c->nr_settings == GPD_SETTINGS_MAX)
		return "too many settings";
	if (!s)
		s = &c->settings[c->nr_settings++];
	snprintf(s->section, sizeof(s->section), "%s", section);
	snprintf(s->key, sizeof(s->key), "%s", key);
	snprintf(s->value, sizeof(s->value), "%s", value);
	snprintf(s->origin, sizeof(s->origin), "%s", origin);
	return NULL;
}

static const char *no_section(const char *section, struct gp_guess *guess)
{
	static const char *const sections[] = { "daemon", "policy", "class", "cgroup" };
	static char first[GPD_NAME_LEN];
	size_t i;

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(section, " "), section);
	gp_guess_init(guess, first);
	for (i = 0; i < NR(sections); i++)
		gp_guess_try(guess, sections[i]);
	return section[0] ? "no such section" : "it comes before the first section";
}

static const char *set(struct gpd_config *c, const char *section, const char *key,
		       const char *value, struct gp_guess *guess)
{
	if (strlen(value) >= GPD_VALUE_LEN || strlen(key) >= sizeof(c->settings[0].key))
		return "too long";
	if (!strcmp(section, "daemon"))
		return set_key(daemon_keys, NR(daemon_keys), c, key, value, guess);
	if (!strcmp(section, "policy"))
		return set_policy(c, key, value, guess);
	if (!strncmp(section, "class ", 6))
		return set_class(c, section + 6, key, value, guess);
	if (!strncmp(section, "cgroup ", 7))
		return set_cgroup(c, section + 7, key, value, guess);
	return no_section(section, guess);
}

int gpd_config_set(struct gpd_config *c, const char *section, const char *key, const char *value,
		   const char *origin, char *error, size_t size)
{
	struct gp_guess guess = { 0 };
	const char *why = set(c, section, key, value, &guess);

	if (!why)
		why = remember(c, section, key, value, origin);
	if (!why)
		return 0;
	snprintf(error, size, "[%.40s] %.32s = %.64s: %s%s", section, key, value, why,
		 gp_guess_text(&guess));
	return -EINVAL;
}

static void set_default(struct gpd_config *c, const char *section, const char *key,
			const char *value)
{
	char error[128];

	GP_WARN_ON(gpd_config_set(c, section, key, value, "default", error, sizeof(error)));
}

/* The defaults are settings like any other, so that they are checked and shown. */
void gpd_config_default(struct gpd_config *c)
{
	size_t i;

	memset(c, 0, sizeof(*c));
	c->gid = (gid_t)-1;
	c->socket_gid = (gid_t)-1;
	for (i = 0; i < NR(daemon_keys); i++)
		if (daemon_keys[i].def)
			set_default(c, "daemon", daemon_keys[i].name, daemon_keys[i].def);
	for (i = 0; i < NR(defaults); i++)
		set_default(c, defaults[i].section, defaults[i].key, defaults[i].value);
}

static int find_group(const char *name, gid_t *gid, char *error, size_t size)
{
	struct group *g = name[0] ? getgrnam(name) : NULL;

	*gid = g ? g->gr_gid : (gid_t)-1;
	if (g || !name[0])
		return 0;
	snprintf(error, size, "group '%s': no such group", name);
	return -EINVAL;
}

int gpd_config_finish(struct gpd_config *c, char *error, size_t size)
{
	if (c->edge_burst > c->message_burst || c->edge_rate > c->message_rate) {
		snprintf(error, size, "edges are messages: their limits cannot be higher");
		return -EINVAL;
	}
	if (find_group(c->group, &c->gid, error, size))
		return -EINVAL;
	return find_group(c->socket_group, &c->socket_gid, error, size);
}
