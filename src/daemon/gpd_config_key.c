// SPDX-License-Identifier: MIT
#include "daemon/gpd_config_key.h"
#include "rules/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	KIND_NUMBER,
	KIND_MODE,
	KIND_PATH,
	KIND_NAME,
	KIND_BOOL,
	KIND_DBG,
	KIND_MECHANISM,
	KIND_PRIO,
	KIND_WEIGHT,
};

/**
 * struct key - a key
 * @name: name, with its unit
 * @kind: what it is
 * @offset: where it goes
 * @min: smallest number
 * @max: largest number
 * @scale: the number is multiplied by this
 */
struct key {
	const char *name;
	enum kind kind;
	size_t offset;
	uint64_t min;
	uint64_t max;
	uint64_t scale;
};

#define C(member) offsetof(struct gpd_config, member)
#define K(member) offsetof(struct gpd_class, member)
#define MS 1000000ULL
#define US 1000ULL
#define HOUR_NS 3600000000000ULL

static const struct key daemon_keys[] = {
	{ "socket", KIND_PATH, C(socket), 0, 0, 0 },
	{ "state_dir", KIND_PATH, C(state_dir), 0, 0, 0 },
	{ "tracer", KIND_PATH, C(tracer), 0, 0, 0 },
	{ "group", KIND_NAME, C(group), 0, 0, 0 },
	{ "socket_mode", KIND_MODE, C(socket_mode), 0, 0, 0 },
	{ "client_mode", KIND_MODE, C(client_mode), 0, 0, 0 },
	{ "socket_group", KIND_NAME, C(socket_group), 0, 0, 0 },
	{ "lease_ms", KIND_NUMBER, C(lease_ns), 30, 60000, MS },
	{ "poll_us", KIND_NUMBER, C(poll_ns), 10, 1000000, US },
	{ "quiet_us", KIND_NUMBER, C(quiet_ns), 10, 1000000, US },
	{ "http_port", KIND_NUMBER, C(http_port), 0, 65535, 1 },
	{ "mechanism", KIND_MECHANISM, C(mechanism), 0, 0, 0 },
	{ "dbg", KIND_DBG, C(dbg), 0, 0, 0 },
	{ "self_dbg", KIND_BOOL, C(self_dbg), 0, 0, 0 },
	{ "max_clients", KIND_NUMBER, C(max_clients), 1, 4096, 1 },
	{ "max_connections", KIND_NUMBER, C(max_connections), 1, 1024, 1 },
	{ "message_rate", KIND_NUMBER, C(message_rate), 100, 10000000, 1 },
	{ "message_burst", KIND_NUMBER, C(message_burst), 100, 10000000, 1 },
	{ "edge_rate", KIND_NUMBER, C(edge_rate), 100, 10000000, 1 },
	{ "edge_burst", KIND_NUMBER, C(edge_burst), 10, 10000000, 1 },
};

static const struct key class_keys[] = {
	{ "priority", KIND_PRIO, K(attr.prio), 0, GP_PRIO_MAX, 1 },
	{ "weight", KIND_WEIGHT, K(attr.weight), 1, GP_WEIGHT_MAX, 1 },
	{ "slice_ns", KIND_NUMBER, K(attr.slice_ns), 0, HOUR_NS, 1 },
	{ "deadline_ns", KIND_NUMBER, K(attr.deadline_ns), 0, HOUR_NS, 1 },
	{ "latency_critical", KIND_BOOL, K(attr.latency_critical), 0, 0, 0 },
	{ "no_preempt", KIND_BOOL, K(attr.no_preempt), 0, 0, 0 },
	{ "open", KIND_BOOL, K(open), 0, 0, 0 },
};

static const char not_a_number[] = "not a number, or out of range";

static const char *read_number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return not_a_number;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return errno || *end || *number < min || *number > max ? not_a_number : NULL;
}

static const char *read_bool(const char *text, bool *to)
{
	if (!strcmp(text, "yes") || !strcmp(text, "true") || !strcmp(text, "1"))
		*to = true;
	else if (!strcmp(text, "no") || !strcmp(text, "false") || !strcmp(text, "0"))
		*to = false;
	else
		return "neither yes nor no";
	return NULL;
}

/* One of three words; its number. */
static bool read_word(const char *text, const char *const words[3], unsigned int *to)
{
	for (*to = 0; *to < 3; (*to)++)
		if (!strcmp(text, words[*to]))
			return true;
	return false;
}

static const char *read_dbg(const char *text, enum gpd_dbg_mode *to)
{
	static const char *const modes[] = { "off", "manual", "auto" };
	unsigned int i;

	if (!read_word(text, modes, &i))
		return "not one of off, manual, auto";
	*to = (enum gpd_dbg_mode)i;
	return NULL;
}

static const char *read_mechanism(const char *text, enum gpd_mechanism *to)
{
	static const char *const mechanisms[] = { "auto", "user", "kernel" };
	unsigned int i;

	if (!read_word(text, mechanisms, &i))
		return "not one of auto, user, kernel";
	*to = (enum gpd_mechanism)i;
	return NULL;
}

static const char *read_path(const char *text, char *to)
{
	if (text[0] && text[0] != '/')
		return "not an absolute path";
	snprintf(to, PATH_MAX, "%s", text);
	return NULL;
}

static const char *read_name(const char *text, char *to)
{
	if (strlen(text) >= GPD_NAME_LEN)
		return "too long";
	snprintf(to, GPD_NAME_LEN, "%s", text);
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

static const char *read_value(const struct key *k, const char *text, void *to)
{
	uint64_t number = 0;
	const char *why = NULL;

	switch (k->kind) {
	case KIND_MODE:
		return read_mode(text, to);
	case KIND_PATH:
		return read_path(text, to);
	case KIND_NAME:
		return read_name(text, to);
	case KIND_BOOL:
		return read_bool(text, to);
	case KIND_DBG:
		return read_dbg(text, to);
	case KIND_MECHANISM:
		return read_mechanism(text, to);
	default:
		why = read_number(text, k->min, k->max, &number);
		break;
	}
	if (why)
		return why;
	if (k->kind == KIND_PRIO)
		*(u8 *)to = (u8)number;
	else if (k->kind == KIND_WEIGHT)
		*(u32 *)to = (u32)number;
	else
		*(uint64_t *)to = number * k->scale;
	return NULL;
}

static const char *set(const struct key *keys, size_t nr, void *base, const char *name,
		       const char *value)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(keys[i].name, name))
			return read_value(&keys[i], value, (char *)base + keys[i].offset);
	return "no such key";
}

const char *gpd_key_daemon(struct gpd_config *c, const char *key, const char *value)
{
	return set(daemon_keys, sizeof(daemon_keys) / sizeof(daemon_keys[0]), c, key, value);
}

const char *gpd_key_class(struct gpd_class *k, const char *key, const char *value)
{
	return set(class_keys, sizeof(class_keys) / sizeof(class_keys[0]), k, key, value);
}

const char *gpd_key_param(const char *name, const char *value, uint64_t *number)
{
	u64 read;
	int err = gp_text_read_param(name, value, &read, NULL);

	if (err)
		return err == -ENOENT ? "no such parameter" : not_a_number;
	*number = read;
	return NULL;
}
