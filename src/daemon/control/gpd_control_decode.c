// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_control_decode.h"
#include "client/wire_decode.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LEASE_LIMIT_MS (24ULL * 3600 * 1000)
#define TIMEOUT_LIMIT_MS 60000ULL

enum kind {
	KIND_U8,
	KIND_U32,
	KIND_U64,
	KIND_BOOL,
	KIND_NAME,
	KIND_PATH,
	KIND_ATTRIBUTES,
	KIND_TARGETS,
	KIND_PARAMETERS,
	KIND_SETTINGS,
};

/* A key of an object. */
struct field {
	const char *key;
	enum kind kind;
	uint32_t has;  /* its bit */
	size_t offset; /* where its value goes; of lists that of the request */
	uint64_t min;  /* smallest integer, shortest name */
	uint64_t max;  /* largest integer, longest name */
};

#define R(member) offsetof(struct gpd_request, member)
#define A(member) offsetof(struct gpd_attr_change, member)
#define T(member) offsetof(struct gpd_target, member)
#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const struct field request_fields[] = {
	{ "pid", KIND_U64, GPD_HAS_PID, R(pid), 0, INT32_MAX },
	{ "gpu_id", KIND_U64, GPD_HAS_GPU_ID, R(gpu_id), 0, UINT32_MAX },
	{ "attributes", KIND_ATTRIBUTES, GPD_HAS_ATTRIBUTES, R(attributes), 0, 0 },
	{ "targets", KIND_TARGETS, GPD_HAS_TARGETS, 0, 0, 0 },
	{ "lease_ms", KIND_U64, GPD_HAS_LEASE, R(lease_ms), 0, LEASE_LIMIT_MS },
	{ "timeout_ms", KIND_U64, GPD_HAS_TIMEOUT, R(timeout_ms), 0, TIMEOUT_LIMIT_MS },
	{ "keep", KIND_BOOL, GPD_HAS_KEEP, R(keep), 0, 0 },
	{ "dry_run", KIND_BOOL, GPD_HAS_DRY_RUN, R(dry_run), 0, 0 },
	{ "policy", KIND_NAME, GPD_HAS_POLICY, R(policy), 0, WIRE_NAME_LEN - 1 },
	{ "enabled", KIND_BOOL, GPD_HAS_ENABLED, R(enabled), 0, 0 },
	{ "parameters", KIND_PARAMETERS, GPD_HAS_PARAMETERS, 0, 0, 0 },
	{ "trace", KIND_BOOL, GPD_HAS_TRACE, R(trace), 0, 0 },
	{ "cgroup", KIND_PATH, GPD_HAS_CGROUP, R(cgroup), 2, GPD_CGROUP_LEN - 1 },
	{ "group", KIND_NAME, GPD_HAS_GROUP, R(group), 1, WIRE_NAME_LEN - 1 },
	{ "settings", KIND_SETTINGS, GPD_HAS_SETTINGS, 0, 0, 0 },
};

#define KIND_OF(member)                                                                    \
	_Generic(((struct gp_attr *)0)->member, u8: KIND_U8, u32: KIND_U32, u64: KIND_U64, \
		 bool: KIND_BOOL)

static const struct field attr_fields[] = {
	{ "class", KIND_NAME, GPD_ATTR_CLASS, A(klass), 1, WIRE_NAME_LEN - 1 },
#define X(name, text, member, min, max) \
	{ text, KIND_OF(member), GP_ATTR_##name, A(attr.member), min, max },
	GP_ATTRS(X)
#undef X
	{ "group", KIND_NAME, GPD_ATTR_GROUP, A(group), 0, WIRE_NAME_LEN - 1 },
};

/* Queues are numbered by process, but callers are not to rely on that. */
static const struct field target_fields[] = {
	{ "pid", KIND_U64, GPD_HAS_PID, T(pid), 0, INT32_MAX },
	{ "gpu_id", KIND_U64, 0, T(gpu_id), 0, UINT32_MAX },
	{ "queue_id", KIND_U64, 0, T(queue_id), 0, UINT32_MAX },
};

/* What a method takes. */
struct method {
	const char *name;
	uint32_t may;  /* GPD_HAS_* it knows */
	uint32_t must; /* GPD_HAS_* it needs */
};

#define SUSPEND_MAY (GPD_HAS_TARGETS | GPD_HAS_TIMEOUT | GPD_HAS_DRY_RUN)
#define SET_POLICY_MAY                                                            \
	(GPD_HAS_GPU_ID | GPD_HAS_POLICY | GPD_HAS_ENABLED | GPD_HAS_PARAMETERS | \
	 GPD_HAS_DRY_RUN)

static const struct method methods[GPD_METHOD_COUNT] = {
#define X(id, text) [GPD_METHOD_##id].name = text,
	GPD_METHODS(X)
#undef X
	[GPD_METHOD_LIST_QUEUES].may = GPD_HAS_PID,
	[GPD_METHOD_SET_ATTRIBUTES].may = GPD_HAS_PID | GPD_HAS_ATTRIBUTES | GPD_HAS_DRY_RUN,
	[GPD_METHOD_SET_ATTRIBUTES].must = GPD_HAS_PID | GPD_HAS_ATTRIBUTES,
	[GPD_METHOD_SUSPEND].may = SUSPEND_MAY | GPD_HAS_LEASE | GPD_HAS_KEEP,
	[GPD_METHOD_SUSPEND].must = GPD_HAS_TARGETS,
	[GPD_METHOD_RESUME].may = SUSPEND_MAY,
	[GPD_METHOD_RESUME].must = GPD_HAS_TARGETS,
	[GPD_METHOD_GET_POLICY].may = GPD_HAS_GPU_ID,
	[GPD_METHOD_SET_POLICY].may = SET_POLICY_MAY,
	[GPD_METHOD_GET_STATISTICS].may = GPD_HAS_GPU_ID,
	[GPD_METHOD_MONITOR].may = GPD_HAS_TRACE,
	[GPD_METHOD_ATTACH].may = GPD_HAS_PID | GPD_HAS_ATTRIBUTES,
	[GPD_METHOD_ATTACH].must = GPD_HAS_PID,
	[GPD_METHOD_DETACH].may = GPD_HAS_PID,
	[GPD_METHOD_DETACH].must = GPD_HAS_PID,
	[GPD_METHOD_GRANT].may = GPD_HAS_PID | GPD_HAS_CGROUP | GPD_HAS_ATTRIBUTES | GPD_HAS_LEASE,
	[GPD_METHOD_GRANT].must = GPD_HAS_ATTRIBUTES,
	[GPD_METHOD_REVOKE].may = GPD_HAS_PID | GPD_HAS_CGROUP,
	[GPD_METHOD_LIST_TOTALS].may = GPD_HAS_GROUP,
	[GPD_METHOD_SET_CGROUP].may = GPD_HAS_CGROUP | GPD_HAS_SETTINGS | GPD_HAS_DRY_RUN,
	[GPD_METHOD_SET_CGROUP].must = GPD_HAS_CGROUP | GPD_HAS_SETTINGS,
};

const char *gpd_method_name(enum gpd_method method)
{
	return method < GPD_METHOD_COUNT ? methods[method].name : NULL;
}

/* What a stranger wrote goes into a message only if it can be shown. */
static int refuse(struct gpd_refusal *refusal, const char *error, const char *key,
		  const char *value)
{
	size_t i;

	refusal->error = error;
	refusal->key = key;
	snprintf(refusal->value, sizeof(refusal->value), "%s", value);
	for (i = 0; refusal->value[i]; i++)
		if (refusal->value[i] < ' ' || refusal->value[i] > '~')
			refusal->value[i] = '?';
	return -EINVAL;
}

static int bad(struct gpd_refusal *refusal, const char *parameter)
{
	return refuse(refusal, "org.varlink.service.InvalidParameter", "parameter", parameter);
}

static int read_name(const struct field *f, const json_t *value, void *to)
{
	const char *name = json_string_value(value);
	size_t len = json_string_length(value);

	if (!name || len < f->min || len > f->max || !wire_is_name(name, len))
		return -EINVAL;
	memcpy(to, name, len + 1);
	return 0;
}

/* As the kernel writes it: from the root, without a slash at its end or two in a row. */
static int read_path(const struct field *f, const json_t *value, void *to)
{
	const char *path = json_string_value(value);
	size_t len = json_string_length(value);
	size_t i;

	if (!path || len < f->min || len > f->max || path[0] != '/' || path[len - 1] == '/')
		return -EINVAL;
	for (i = 0; i < len; i++)
		if (path[i] < ' ' || path[i] > '~' || (path[i] == '/' && path[i + 1] == '/'))
			return -EINVAL;
	memcpy(to, path, len + 1);
	return 0;
}

static int read_integer(const struct field *f, const json_t *value, void *to)
{
	json_int_t number = json_integer_value(value);

	if (!json_is_integer(value) || number < 0 || (uint64_t)number < f->min ||
	    (uint64_t)number > f->max)
		return -EINVAL;
	if (f->kind == KIND_U8)
		*(u8 *)to = (u8)number;
	else if (f->kind == KIND_U32)
		*(u32 *)to = (u32)number;
	else
		*(uint64_t *)to = (uint64_t)number;
	return 0;
}

static int read_targets(struct gpd_request *r, json_t *value, struct gpd_refusal *refusal);
static int read_parameters(struct gpd_request *r, json_t *value, struct gpd_refusal *refusal);
static int read_settings(struct gpd_request *r, json_t *value, struct gpd_refusal *refusal);

/* Return: 0, -EINVAL; @refusal may say more than the key. */
static int read_value(const struct field *f, json_t *value, void *to, struct gpd_refusal *refusal)
{
	switch (f->kind) {
	case KIND_BOOL:
		if (!json_is_boolean(value))
			return -EINVAL;
		*(bool *)to = json_is_true(value);
		return 0;
	case KIND_NAME:
		return read_name(f, value, to);
	case KIND_PATH:
		return read_path(f, value, to);
	case KIND_ATTRIBUTES:
		return gpd_control_read_attributes(value, to, refusal);
	case KIND_TARGETS:
		return read_targets(to, value, refusal);
	case KIND_PARAMETERS:
		return read_parameters(to, value, refusal);
	case KIND_SETTINGS:
		return read_settings(to, value, refusal);
	default:
		return read_integer(f, value, to);
	}
}

/* The keys of an object that are among @fields, and whose bits @may has. */
static int read_object(const struct field *fields, size_t nr, uint32_t may, json_t *object,
		       void *base, uint32_t *has, struct gpd_refusal *refusal)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value) {
		const struct field *f = fields;

		while (f < fields + nr && strcmp(f->key, key))
			f++;
		if (f == fields + nr || (f->has & ~may))
			return bad(refusal, key);
		if (json_is_null(value))
			continue;
		if (read_value(f, value, (char *)base + f->offset, refusal))
			return refusal->error ? -EINVAL : bad(refusal, key);
		*has |= f->has;
	}
	return 0;
}

int gpd_control_read_attributes(json_t *value, struct gpd_attr_change *a,
				struct gpd_refusal *refusal)
{
	if (!json_is_object(value))
		return -EINVAL;
	return read_object(attr_fields, NR(attr_fields), UINT32_MAX, value, a, &a->has, refusal);
}

static int read_target(struct gpd_target *t, json_t *value, struct gpd_refusal *refusal)
{
	uint32_t has = 0;

	t->queue_id = WIRE_QUEUE_ALL;
	if (!json_is_object(value))
		return -EINVAL;
	if (read_object(target_fields, NR(target_fields), UINT32_MAX, value, t, &has, refusal))
		return -EINVAL;
	if (!has)
		return bad(refusal, "pid");
	return t->queue_id != WIRE_QUEUE_ALL && !t->gpu_id ? bad(refusal, "gpu_id") : 0;
}

static int read_targets(struct gpd_request *r, json_t *value, struct gpd_refusal *refusal)
{
	json_t *target;
	size_t i;

	if (!json_is_array(value) || json_array_size(value) > GPD_TARGETS_MAX)
		return -EINVAL;
	json_array_foreach(value, i, target) {
		if (read_target(&r->targets[r->nr_targets++], target, refusal))
			return -EINVAL;
	}
	return 0;
}

static int read_parameters(struct gpd_request *r, json_t *value, struct gpd_refusal *refusal)
{
	const char *key;
	json_t *number;

	if (!json_is_object(value) || json_object_size(value) > GPD_CHANGES_MAX)
		return -EINVAL;
	json_object_foreach(value, key, number) {
		struct gpd_param *c = &r->parameters[r->nr_parameters++];

		if (!json_is_integer(number) || json_integer_value(number) < 0 ||
		    strlen(key) >= sizeof(c->name) || !wire_is_name(key, strlen(key)))
			return bad(refusal, key);
		memcpy(c->name, key, strlen(key) + 1);
		c->value = (uint64_t)json_integer_value(number);
	}
	return 0;
}

/* What is null is taken back. */
static int read_settings(struct gpd_request *r, json_t *value, struct gpd_refusal *refusal)
{
	const char *key, *text;
	json_t *setting;
	u32 i;

	gp_cgroup_default(&r->settings);
	if (!json_is_object(value))
		return -EINVAL;
	json_object_foreach(value, key, setting) {
		text = json_string_value(setting);
		for (i = 0; gp_cgroup_name(i) && strcmp(gp_cgroup_name(i), key); i++)
			;
		if (!gp_cgroup_name(i) ||
		    (!json_is_null(setting) &&
		     (!text || strlen(text) != json_string_length(setting) ||
		      gp_cgroup_read(key, text, &r->settings))))
			return bad(refusal, key);
		if (json_is_null(setting))
			r->clear |= 1u << i;
	}
	return 0;
}

static const struct method *find_method(const char *name, struct gpd_refusal *refusal)
{
	const char *dot = strrchr(name, '.');
	size_t i;

	if (!dot || (size_t)(dot - name) != strlen(GPD_INTERFACE) ||
	    strncmp(name, GPD_INTERFACE, strlen(GPD_INTERFACE))) {
		refuse(refusal, "org.varlink.service.InterfaceNotFound", "interface", name);
		return NULL;
	}
	for (i = 0; i < GPD_METHOD_COUNT; i++)
		if (!strcmp(methods[i].name, dot + 1))
			return &methods[i];
	refuse(refusal, "org.varlink.service.MethodNotFound", "method", name);
	return NULL;
}

/* Keys of the request itself. Return: 0, -EBADMSG. */
static int read_envelope(json_t *root, struct gpd_request *r, const char **method,
			 json_t **parameters)
{
	const char *key;
	json_t *value;

	json_object_foreach(root, key, value) {
		if (!strcmp(key, "method") && json_is_string(value))
			*method = json_string_value(value);
		else if (!strcmp(key, "parameters") && json_is_object(value))
			*parameters = value;
		else if (!strcmp(key, "more") && json_is_boolean(value))
			r->more = json_is_true(value);
		else if (!strcmp(key, "oneway") && json_is_boolean(value))
			r->oneway = json_is_true(value);
		else if (strcmp(key, "parameters") || !json_is_null(value))
			return -EBADMSG;
	}
	return *method ? 0 : -EBADMSG;
}

static int decode(json_t *root, struct gpd_request *r, struct gpd_refusal *refusal)
{
	const struct field *f;
	const struct method *m;
	const char *name = NULL;
	json_t *parameters = NULL;

	if (!json_is_object(root) || read_envelope(root, r, &name, &parameters))
		return -EBADMSG;
	m = find_method(name, refusal);
	if (!m)
		return -EINVAL;
	r->method = (enum gpd_method)(m - methods);
	if (r->method == GPD_METHOD_MONITOR && !r->more)
		return bad(refusal, "more");
	r->more = r->method == GPD_METHOD_MONITOR;
	if (read_object(request_fields, NR(request_fields), m->may, parameters, r, &r->has,
			refusal))
		return -EINVAL;
	for (f = request_fields; f < request_fields + NR(request_fields); f++)
		if (m->must & ~r->has & f->has)
			return bad(refusal, f->key);
	return 0;
}

int gpd_control_decode(const char *text, size_t len, struct gpd_request *r,
		       struct gpd_refusal *refusal)
{
	json_error_t error;
	json_t *root;
	int err;

	memset(r, 0, sizeof(*r));
	memset(refusal, 0, sizeof(*refusal));
	if (len > GPD_REQUEST_MAX)
		return -EBADMSG;
	root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		return -EBADMSG;
	err = decode(root, r, refusal);
	json_decref(root);
	return err;
}
