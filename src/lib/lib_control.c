// SPDX-License-Identifier: MIT
/*
 * Attributes, policies, statistics: of the daemon, or of the kernel module without it.
 */
#include "lib/lib_decode.h"
#include "lib/lib_handle.h"
#include "lib/lib_module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A call whose reply says nothing. */
static int call_only(struct gpreempt *g, const char *method, json_t *parameters)
{
	json_t *reply;
	int ret;

	if (!parameters)
		return lib_fail(g, -ENOMEM, "%s", strerror(ENOMEM));
	ret = lib_call(g, method, parameters, lib_deadline(LIB_TIMEOUT_NS), &reply);
	if (!ret)
		json_decref(reply);
	return ret;
}

static int of_process(int ret)
{
	return ret == -ENOENT ? -ESRCH : ret;
}

static int of_node(int ret)
{
	return ret == -ENOENT ? -ENODEV : ret;
}

/* {} for all nodes */
static json_t *node_parameters(uint32_t gpu_id)
{
	return gpu_id ? json_pack("{s:I}", "gpu_id", (json_int_t)gpu_id) : json_object();
}

int gpreempt_get_attr(struct gpreempt *g, uint32_t pid, struct gpreempt_attr *attr)
{
	struct gpreempt_process *list;
	size_t nr;
	int ret;

	if (!g || !attr)
		return -EINVAL;
	if (g->direct)
		return lib_module_get_attr(g, pid, attr);
	ret = lib_begin_daemon(g);
	if (!ret)
		ret = gpreempt_get_processes(g, &list, &nr);
	if (ret)
		return ret;
	ret = lib_fail(g, -ESRCH, "process %u has no GPU queues here", pid);
	for (size_t i = 0; i < nr; i++) {
		if (list[i].pid == pid) {
			*attr = list[i].attr;
			lib_begin(g);
			ret = 0;
			break;
		}
	}
	free(list);
	return ret;
}

static bool is_ended(const char *text)
{
	return memchr(text, 0, GPREEMPT_NAME_LEN);
}

int gpreempt_set_attr(struct gpreempt *g, uint32_t pid, const struct gpreempt_attr *attr)
{
	json_t *object;
	int ret;

	if (!g || !attr || !is_ended(attr->klass) || !is_ended(attr->group))
		return -EINVAL;
	if (g->direct)
		return lib_module_set_attr(g, pid, attr);
	ret = lib_begin_daemon(g);
	if (ret)
		return ret;
	object = lib_encode_attr(attr);
	if (!object)
		return lib_fail(g, -ENOMEM, "%s", strerror(ENOMEM));
	return of_process(call_only(g, "SetAttributes",
				    json_pack("{s:I, s:o}", "pid", (json_int_t)pid,
					      "attributes", object)));
}

int gpreempt_attach(struct gpreempt *g, uint32_t pid)
{
	int ret;

	if (!g)
		return -EINVAL;
	ret = lib_begin_daemon(g);
	if (ret)
		return ret;
	ret = call_only(g, "Attach", json_pack("{s:I}", "pid", (json_int_t)pid));
	if (ret == -EIO && g->remote_errno)
		return -g->remote_errno;
	return of_process(ret);
}

int gpreempt_detach(struct gpreempt *g, uint32_t pid)
{
	int ret;

	if (!g)
		return -EINVAL;
	ret = lib_begin_daemon(g);
	if (ret)
		return ret;
	return of_process(call_only(g, "Detach", json_pack("{s:I}", "pid", (json_int_t)pid)));
}

static int get_policy(struct gpreempt *g, uint32_t gpu_id, json_t **reply)
{
	int ret = lib_begin_daemon(g);

	if (ret)
		return ret;
	return of_node(lib_call(g, "GetPolicy", node_parameters(gpu_id),
				lib_deadline(LIB_TIMEOUT_NS), reply));
}

int gpreempt_get_policy(struct gpreempt *g, uint32_t gpu_id, char name[GPREEMPT_NAME_LEN])
{
	json_t *reply;
	int ret;

	if (!g || !name)
		return -EINVAL;
	if (g->direct)
		return lib_module_get_policy(g, gpu_id, name);
	ret = get_policy(g, gpu_id, &reply);
	if (ret)
		return ret;
	ret = lib_decode_name(reply, "policy", name, GPREEMPT_NAME_LEN);
	json_decref(reply);
	return ret || !name[0] ? lib_fail(g, -EPROTO, "the daemon names no policy") : 0;
}

static int set_policy(struct gpreempt *g, uint32_t gpu_id, const char *key, json_t *value)
{
	json_t *parameters;
	int ret = lib_begin_daemon(g);

	if (ret) {
		json_decref(value);
		return ret;
	}
	parameters = node_parameters(gpu_id);
	json_object_set_new(parameters, key, value);
	return of_node(call_only(g, "SetPolicy", parameters));
}

int gpreempt_set_policy(struct gpreempt *g, uint32_t gpu_id, const char *name)
{
	if (!g || !name)
		return -EINVAL;
	if (g->direct)
		return lib_module_set_policy(g, gpu_id, name);
	return set_policy(g, gpu_id, "policy", json_string(name));
}

int gpreempt_set_enabled(struct gpreempt *g, uint32_t gpu_id, bool enabled)
{
	if (!g)
		return -EINVAL;
	if (g->direct)
		return lib_module_set_enabled(g, gpu_id, enabled);
	return set_policy(g, gpu_id, "enabled", json_boolean(enabled));
}

int gpreempt_set_param(struct gpreempt *g, uint32_t gpu_id, const char *name, uint64_t value)
{
	if (!g || !name || value > INT64_MAX)
		return -EINVAL;
	if (g->direct)
		return lib_module_set_param(g, gpu_id, name, value);
	return set_policy(g, gpu_id, "parameters", json_pack("{s:I}", name, (json_int_t)value));
}

int gpreempt_get_param(struct gpreempt *g, uint32_t gpu_id, const char *name, uint64_t *value)
{
	json_t *reply, *list;
	int ret;

	if (!g || !name || !value)
		return -EINVAL;
	if (g->direct)
		return lib_module_get_param(g, gpu_id, name, value);
	ret = get_policy(g, gpu_id, &reply);
	if (ret)
		return ret;
	ret = lib_fail(g, -EINVAL, "there is no parameter '%s'", name);
	list = json_object_get(reply, "parameters");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *p = json_array_get(list, i);
		const char *is = json_string_value(json_object_get(p, "name"));

		if (is && !strcmp(is, name) && !lib_decode_u64(p, "value", value)) {
			lib_begin(g);
			ret = 0;
		}
	}
	json_decref(reply);
	return ret;
}

static int decode_stats(const json_t *in, struct gpreempt_stats *s)
{
	const json_t *sw = json_object_get(in, "switch");
	const json_t *off = json_object_get(in, "off");

	if (lib_decode_u64(in, "nr_switches", &s->nr_switches) ||
	    lib_decode_u64(in, "nr_preemptions", &s->nr_preemptions) ||
	    lib_decode_u64(in, "nr_resumes", &s->nr_resumes) ||
	    lib_decode_u64(in, "nr_failed", &s->nr_failed) ||
	    lib_decode_u64(in, "nr_deadline", &s->nr_deadline) ||
	    lib_decode_u64(in, "nr_starvation", &s->nr_starvation) ||
	    lib_decode_u64(in, "cost_ns", &s->cost_ns) ||
	    lib_decode_u64(in, "off_max_ns", &s->off_max_ns) || !json_is_object(sw) ||
	    !json_is_object(off))
		return -EPROTO;
	/* null before the first one: 0. */
	lib_decode_u64(sw, "p50_ns", &s->switch_p50_ns);
	lib_decode_u64(sw, "p99_ns", &s->switch_p99_ns);
	lib_decode_u64(off, "p50_ns", &s->off_p50_ns);
	lib_decode_u64(off, "p99_ns", &s->off_p99_ns);
	return 0;
}

int gpreempt_get_stats(struct gpreempt *g, uint32_t gpu_id, struct gpreempt_stats *stats)
{
	struct gpreempt_stats s = { .size = sizeof(s) };
	json_t *reply, *list;
	int ret;

	if (!g || !stats || stats->size < 2 * sizeof(uint32_t))
		return -EINVAL;
	if (g->direct)
		return lib_module_get_stats(g, gpu_id, stats);
	ret = lib_begin_daemon(g);
	if (!ret)
		ret = of_node(lib_call(g, "GetStatistics", node_parameters(gpu_id),
				       lib_deadline(LIB_TIMEOUT_NS), &reply));
	if (ret)
		return ret;
	list = json_object_get(reply, "nodes");
	if (json_array_size(list) == 1)
		ret = decode_stats(json_array_get(list, 0), &s);
	else
		ret = json_is_array(list) ? -ENODEV : -EPROTO;
	json_decref(reply);
	if (ret)
		return lib_fail(g, ret, ret == -ENODEV ? "name one node" :
							"the daemon's statistics make no sense");
	if (stats->size < s.size)
		s.size = stats->size;
	memcpy(stats, &s, s.size);
	return 0;
}
