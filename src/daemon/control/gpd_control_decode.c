// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_control_decode.h"
#include "daemon/clients/gpd_wire_decode.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* One above the largest process number of simulated processes is not a process. */
#define PID_LIMIT 0x7fffffffULL
#define LEASE_LIMIT_MS (24ULL * 3600 * 1000)
#define TIMEOUT_LIMIT_MS 60000ULL

enum kind {
	KIND_INT,
	KIND_BOOL,
	KIND_NAME,
	KIND_ATTRIBUTES,
	KIND_TARGETS,
	KIND_PARAMETERS,
};

/**
 * struct field - a key of an object
 * @key: key
 * @kind: what its value must be
 * @has: its bit
 * @offset: where its value goes
 * @max: largest integer; bytes of a name
 */
struct field {
	const char *key;
	enum kind kind;
	uint32_t has;
	size_t offset;
	uint64_t max;
};

#define R(member) offsetof(struct gpd_request, member)
#define A(member) offsetof(struct gpd_attr_change, member)
#define T(member) offsetof(struct gpd_target, member)

static const struct field request_fields[] = {
	{ "pid", KIND_INT, GPD_HAS_PID, R(pid), PID_LIMIT },
	{ "gpu_id", KIND_INT, GPD_HAS_GPU_ID, R(gpu_id), UINT32_MAX },
	{ "attributes", KIND_ATTRIBUTES, GPD_HAS_ATTRIBUTES, R(attributes), 0 },
	{ "targets", KIND_TARGETS, GPD_HAS_TARGETS, R(targets), 0 },
	{ "lease_ms", KIND_INT, GPD_HAS_LEASE, R(lease_ms), LEASE_LIMIT_MS },
	{ "timeout_ms", KIND_INT, GPD_HAS_TIMEOUT, R(timeout_ms), TIMEOUT_LIMIT_MS },
	{ "keep", KIND_BOOL, GPD_HAS_KEEP, R(keep), 0 },
	{ "dry_run", KIND_BOOL, GPD_HAS_DRY_RUN, R(dry_run), 0 },
	{ "policy", KIND_NAME, GPD_HAS_POLICY, R(policy), WIRE_NAME_LEN },
	{ "enabled", KIND_BOOL, GPD_HAS_ENABLED, R(enabled), 0 },
	{ "parameters", KIND_PARAMETERS, GPD_HAS_PARAMETERS, R(parameters), 0 },
	{ "trace", KIND_BOOL, GPD_HAS_TRACE, R(trace), 0 },
};

static const struct field attr_fields[] = {
	{ "class", KIND_NAME, GPD_ATTR_CLASS, A(klass), WIRE_NAME_LEN },
	{ "priority", KIND_INT, GPD_ATTR_PRIORITY, A(priority), GPD_WIRE_HW_PRIO_MAX },
	{ "weight", KIND_INT, GPD_ATTR_WEIGHT, A(weight), GPD_WIRE_WEIGHT_MAX },
	{ "slice_ns", KIND_INT, GPD_ATTR_SLICE, A(slice_ns), GPD_WIRE_TIME_MAX_NS },
	{ "deadline_ns", KIND_INT, GPD_ATTR_DEADLINE, A(deadline_ns), GPD_WIRE_TIME_MAX_NS },
	{ "latency_critical", KIND_BOOL, GPD_ATTR_LATENCY_CRITICAL, A(latency_critical), 0 },
	{ "no_preempt", KIND_BOOL, GPD_ATTR_NO_PREEMPT, A(no_preempt), 0 },
	{ "group", KIND_NAME, GPD_ATTR_GROUP, A(group), WIRE_NAME_LEN },
};

#define TARGET_HAS_PID (1u << 0)
#define TARGET_HAS_GPU (1u << 1)
#define TARGET_HAS_QUEUE (1u << 2)

static const struct field target_fields[] = {
	{ "pid", KIND_INT, TARGET_HAS_PID, T(pid), PID_LIMIT },
	{ "gpu_id", KIND_INT, TARGET_HAS_GPU, T(gpu_id), UINT32_MAX },
	{ "queue_id", KIND_INT, TARGET_HAS_QUEUE, T(queue_id), UINT32_MAX },
};

/**
 * struct method - what a method takes
 * @name: name
 * @may: GPD_HAS_* it knows
 * @must: GPD_HAS_* it needs
 */
struct method {
	const char *name;
	uint32_t may;
	uint32_t must;
};

#define SUSPEND_MAY (GPD_HAS_TARGETS | GPD_HAS_TIMEOUT | GPD_HAS_DRY_RUN)
#define SET_POLICY_MAY                                                           \
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

static const struct field *find_field(const struct field *fields, size_t nr, const char *key)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(fields[i].key, key))
			return &fields[i];
	return NULL;
}

static bool is_name(const char *name, size_t len, size_t size)
{
	size_t i;

	if (len >= size)
		return false;
	for (i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] > '~' || name[i] == '"' || name[i] == '/')
			return false;
	return true;
}

/* Return: 0, -EINVAL: not of that kind or out of range. */
static int read_plain(const struct field *f, const json_t *value, void *to)
{
	json_int_t number = json_integer_value(value);

	switch (f->kind) {
	case KIND_INT:
		if (!json_is_integer(value) || number < 0 || (uint64_t)number > f->max)
			return -EINVAL;
		*(uint64_t *)to = (uint64_t)number;
		return 0;
	case KIND_BOOL:
		if (!json_is_boolean(value))
			return -EINVAL;
		*(bool *)to = json_is_true(value);
		return 0;
	default:
		if (!json_is_string(value) ||
		    !is_name(json_string_value(value), json_string_length(value), f->max))
			return -EINVAL;
		memcpy(to, json_string_value(value), json_string_length(value) + 1);
		return 0;
	}
}

/* An object of plain values. Return: 0, -EINVAL with the key. */
static int read_object(const struct field *fields, size_t nr, json_t *object, void *base,
		       uint32_t *has, struct gpd_refusal *refusal)
{
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		return -EINVAL;
	json_object_foreach(object, key, value) {
		const struct field *f = find_field(fields, nr, key);

		if (!f)
			return bad(refusal, key);
		if (json_is_null(value))
			continue;
		if (read_plain(f, value, (char *)base + f->offset))
			return bad(refusal, key);
		*has |= f->has;
	}
	return 0;
}

static int read_attributes(struct gpd_request *r, json_t *value, struct gpd_refusal *refusal)
{
	struct gpd_attr_change *a = &r->attributes;
	int err;

	err = read_object(attr_fields, sizeof(attr_fields) / sizeof(attr_fields[0]), value, a,
			  &a->has, refusal);
	if (err)
		return err;
	if (a->has & GPD_ATTR_WEIGHT && !a->weight)
		return bad(refusal, "weight");
	if (a->has & GPD_ATTR_CLASS && !a->klass[0])
		return bad(refusal, "class");
	return 0;
}

static int read_target(struct gpd_target *t, json_t *value, struct gpd_refusal *refusal)
{
	uint32_t has = 0;
	int err;

	err = read_object(target_fields, sizeof(target_fields) / sizeof(target_fields[0]), value,
			  t, &has, refusal);
	if (err)
		return err;
	if (!(has & TARGET_HAS_PID) || !t->pid)
		return bad(refusal, "pid");
	if (!(has & TARGET_HAS_QUEUE))
		t->queue_id = WIRE_QUEUE_ALL;
	/* Queues are numbered by process, but callers are not to rely on that. */
	if (has & TARGET_HAS_QUEUE && t->queue_id != WIRE_QUEUE_ALL && !t->gpu_id)
		return bad(refusal, "gpu_id");
	return 0;
}

static int read_targets(struct gpd_request *r, json_t *value, struct gpd_refusal *refusal)
{
	json_t *target;
	size_t i;

	if (!json_is_array(value) || json_array_size(value) > GPD_TARGETS_MAX)
		return -EINVAL;
	json_array_foreach(value, i, target) {
		int err = read_target(&r->targets[i], target, refusal);

		if (err)
			return err;
		r->nr_targets++;
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
		struct gpd_change *c = &r->parameters[r->nr_parameters];

		if (!json_is_integer(number) || json_integer_value(number) < 0 ||
		    !is_name(key, strlen(key), sizeof(c->name)))
			return bad(refusal, key);
		memcpy(c->name, key, strlen(key) + 1);
		c->value = (uint64_t)json_integer_value(number);
		r->nr_parameters++;
	}
	return 0;
}

static int read_field(const struct field *f, json_t *value, struct gpd_request *r,
		      struct gpd_refusal *refusal)
{
	refusal->error = NULL;
	switch (f->kind) {
	case KIND_ATTRIBUTES:
		return read_attributes(r, value, refusal);
	case KIND_TARGETS:
		return read_targets(r, value, refusal);
	case KIND_PARAMETERS:
		return read_parameters(r, value, refusal);
	default:
		return read_plain(f, value, (char *)r + f->offset);
	}
}

static int read_parameters_of(const struct method *m, json_t *object, struct gpd_request *r,
			      struct gpd_refusal *refusal)
{
	const size_t nr = sizeof(request_fields) / sizeof(request_fields[0]);
	const char *key;
	json_t *value;
	size_t i;

	json_object_foreach(object, key, value) {
		const struct field *f = find_field(request_fields, nr, key);

		if (!f || !(m->may & f->has))
			return bad(refusal, key);
		if (json_is_null(value))
			continue;
		if (read_field(f, value, r, refusal))
			return refusal->error ? -EINVAL : bad(refusal, key);
		r->has |= f->has;
	}
	for (i = 0; i < nr; i++)
		if (m->must & ~r->has & request_fields[i].has)
			return bad(refusal, request_fields[i].key);
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
		else if (!strcmp(key, "parameters") && json_is_null(value))
			continue;
		else
			return -EBADMSG;
	}
	return *method ? 0 : -EBADMSG;
}

static int decode(json_t *root, struct gpd_request *r, struct gpd_refusal *refusal)
{
	const struct method *m;
	const char *name = NULL;
	json_t *parameters = NULL;
	int err;

	if (!json_is_object(root))
		return -EBADMSG;
	err = read_envelope(root, r, &name, &parameters);
	if (err)
		return err;
	m = find_method(name, refusal);
	if (!m)
		return -EINVAL;
	r->method = (enum gpd_method)(m - methods);
	if (r->method == GPD_METHOD_MONITOR && !r->more)
		return bad(refusal, "more");
	if (r->more && r->method != GPD_METHOD_MONITOR)
		r->more = false;
	return read_parameters_of(m, parameters, r, refusal);
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
