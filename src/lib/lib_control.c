// SPDX-License-Identifier: MIT
/*
 * Capabilities, attributes, policies, statistics: of the daemon, or of the kernel module
 * without it.
 */
#include "lib/lib_decode.h"
#include "lib/lib_handle.h"
#include "lib/lib_module.h"
#include "driver/list_json.h"
#include "driver/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As lib_call(), with the time that all calls have and the errno of what is not there. */
static int call(struct gpreempt *g, const char *method, json_t *parameters, int not_found,
		json_t **reply)
{
	int ret = lib_begin_daemon(g);

	if (ret)
		json_decref(parameters);
	else
		ret = lib_call(g, method, parameters, lib_deadline(LIB_TIMEOUT_NS), reply);
	return ret == -ENOENT ? not_found : ret;
}

/* A call whose reply says nothing. */
static int call_only(struct gpreempt *g, const char *method, json_t *parameters, int not_found)
{
	json_t *reply;
	int ret = parameters ? call(g, method, parameters, not_found, &reply) : lib_no_memory(g);

	if (!ret)
		json_decref(reply);
	return ret;
}

/* {} for all nodes */
static json_t *node_parameters(uint32_t gpu_id)
{
	return gpu_id ? json_pack("{s:I}", "gpu_id", (json_int_t)gpu_id) : json_object();
}

/* A descriptor of the module, or -errno. */
static int begin_module(struct gpreempt *g)
{
	int fd;

	lib_begin(g);
	fd = drv_module_open();
	if (fd == -ENOENT)
		return lib_fail(g, -EOPNOTSUPP, "this needs the daemon or the kernel module");
	return fd < 0 ? lib_fail(g, fd, DRV_MODULE_DEVICE ": %s", strerror(-fd)) : fd;
}

static int end_module(struct gpreempt *g, int fd, int ret)
{
	close(fd);
	return ret ? lib_fail(g, ret, "the kernel module: %s", strerror(-ret)) : 0;
}

/* A struct that begins with its size, to a caller that may know less of it. */
static int give(void *to, void *from)
{
	uint32_t *room = to, *size = from;

	if (*room < *size)
		*size = *room;
	memcpy(to, from, *size);
	return 0;
}

/* The daemon knows what it may use; the rest is this machine's. */
static int ask_caps(struct gpreempt *g, struct gpreempt_caps *c)
{
	json_t *reply, *list;
	int ret = call(g, "GetInfo", NULL, -ENOENT, &reply);

	if (ret)
		return ret;
	c->daemon = true;
	c->privileged = json_is_true(json_object_get(reply, "privileged"));
	c->mechanisms = 0;
	list = json_object_get(reply, "mechanisms");
	for (size_t i = 0; i < json_array_size(list); i++)
		c->mechanisms |= lib_decode_mechanism(json_string_value(json_array_get(list, i)));
	if (lib_decode_u32(reply, "nr_nodes", &c->nr_nodes))
		ret = lib_fail(g, -EPROTO, "the daemon's answer makes no sense");
	json_decref(reply);
	return ret;
}

int gpreempt_get_caps(struct gpreempt *g, struct gpreempt_caps *caps)
{
	struct gpreempt_caps c = { .size = sizeof(c), .privileged = geteuid() == 0 };
	int ret = 0;

	if (!g || !caps || caps->size < 2 * sizeof(uint32_t))
		return -EINVAL;
	lib_begin(g);
	lib_direct_probe(&c);
	if (!g->direct)
		ret = ask_caps(g, &c);
	return ret ? ret : give(caps, &c);
}

int gpreempt_get_attr(struct gpreempt *g, uint32_t pid, struct gpreempt_attr *attr)
{
	struct gpreempt_process *list;
	size_t nr;
	int fd, ret;

	if (!g || !attr)
		return -EINVAL;
	if (g->direct) {
		fd = begin_module(g);
		return fd < 0 ? fd : end_module(g, fd, lib_module_get_attr(fd, pid, attr));
	}
	ret = gpreempt_get_processes(g, &list, &nr);
	if (ret)
		return ret;
	ret = lib_fail(g, -ESRCH, "process %u has no GPU queues here", pid);
	for (size_t i = 0; ret && i < nr; i++) {
		if (list[i].pid == pid) {
			*attr = list[i].attr;
			lib_begin(g);
			ret = 0;
		}
	}
	free(list);
	return ret;
}

static int set_module_attr(struct gpreempt *g, uint32_t pid, const struct gpreempt_attr *attr)
{
	int fd = begin_module(g);

	if (fd < 0)
		return fd;
	if (!(attr->valid & GPREEMPT_ATTR_CLASS))
		return end_module(g, fd, lib_module_set_attr(fd, pid, attr));
	close(fd);
	return lib_fail(g, -EOPNOTSUPP, "classes need the daemon");
}

static bool is_ended(const char *text)
{
	return memchr(text, 0, GPREEMPT_NAME_LEN);
}

int gpreempt_set_attr(struct gpreempt *g, uint32_t pid, const struct gpreempt_attr *attr)
{
	json_t *object;

	if (!g || !attr || !is_ended(attr->klass) || !is_ended(attr->group))
		return -EINVAL;
	if (g->direct)
		return set_module_attr(g, pid, attr);
	object = lib_encode_attr(attr);
	if (!object)
		return lib_no_memory(g);
	return call_only(g, "SetAttributes",
			 json_pack("{s:I, s:o}", "pid", (json_int_t)pid, "attributes", object),
			 -ESRCH);
}

int gpreempt_attach(struct gpreempt *g, uint32_t pid)
{
	int ret;

	if (!g)
		return -EINVAL;
	ret = call_only(g, "Attach", json_pack("{s:I}", "pid", (json_int_t)pid), -ESRCH);
	return ret == -EIO && g->remote_errno ? -g->remote_errno : ret;
}

int gpreempt_detach(struct gpreempt *g, uint32_t pid)
{
	if (!g)
		return -EINVAL;
	return call_only(g, "Detach", json_pack("{s:I}", "pid", (json_int_t)pid), -ESRCH);
}

int gpreempt_get_policy(struct gpreempt *g, uint32_t gpu_id, char name[GPREEMPT_NAME_LEN])
{
	struct gpreempt_ioc_policy policy;
	json_t *reply;
	int fd, ret;

	if (!g || !name)
		return -EINVAL;
	if (g->direct) {
		fd = begin_module(g);
		if (fd < 0)
			return fd;
		ret = drv_module_get_policy(fd, gpu_id, NULL, &policy);
		if (!ret)
			snprintf(name, GPREEMPT_NAME_LEN, "%.31s", policy.policy);
		return end_module(g, fd, ret);
	}
	ret = call(g, "GetPolicy", node_parameters(gpu_id), -ENODEV, &reply);
	if (ret)
		return ret;
	ret = lib_decode_name(reply, "policy", name, GPREEMPT_NAME_LEN);
	json_decref(reply);
	return ret || !name[0] ? lib_fail(g, -EPROTO, "the daemon names no policy") : 0;
}

static int set_policy(struct gpreempt *g, uint32_t gpu_id, const char *key, json_t *value)
{
	json_t *parameters = node_parameters(gpu_id);

	/* A name that JSON does not take must not become no change. */
	if (json_object_set_new(parameters, key, value)) {
		json_decref(parameters);
		return -EINVAL;
	}
	return call_only(g, "SetPolicy", parameters, -ENODEV);
}

int gpreempt_set_policy(struct gpreempt *g, uint32_t gpu_id, const char *name)
{
	int fd;

	if (!g || !name)
		return -EINVAL;
	if (!g->direct)
		return set_policy(g, gpu_id, "policy", json_string(name));
	fd = begin_module(g);
	return fd < 0 ? fd : end_module(g, fd, drv_module_set_policy(fd, gpu_id, name));
}

int gpreempt_set_enabled(struct gpreempt *g, uint32_t gpu_id, bool enabled)
{
	int fd;

	if (!g)
		return -EINVAL;
	if (!g->direct)
		return set_policy(g, gpu_id, "enabled", json_boolean(enabled));
	fd = begin_module(g);
	return fd < 0 ? fd : end_module(g, fd, drv_module_set_enabled(fd, gpu_id, enabled));
}

int gpreempt_set_param(struct gpreempt *g, uint32_t gpu_id, const char *name, uint64_t value)
{
	int fd;

	if (!g || !name || value > INT64_MAX)
		return -EINVAL;
	if (!g->direct)
		return set_policy(g, gpu_id, "parameters",
				  json_pack("{s:I}", name, (json_int_t)value));
	fd = begin_module(g);
	return fd < 0 ? fd : end_module(g, fd, drv_module_set_param(fd, gpu_id, name, value));
}

static int get_module_param(struct gpreempt *g, uint32_t gpu_id, const char *name, uint64_t *value)
{
	struct gpreempt_ioc_policy policy;
	int fd = begin_module(g), ret;

	if (fd < 0)
		return fd;
	ret = drv_module_get_policy(fd, gpu_id, name, &policy);
	if (!ret)
		*value = policy.value;
	return end_module(g, fd, ret == -ENOENT ? -EINVAL : ret);
}

int gpreempt_get_param(struct gpreempt *g, uint32_t gpu_id, const char *name, uint64_t *value)
{
	json_t *reply, *list;
	int ret;

	if (!g || !name || !value)
		return -EINVAL;
	if (g->direct)
		return get_module_param(g, gpu_id, name, value);
	ret = call(g, "GetPolicy", node_parameters(gpu_id), -ENODEV, &reply);
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

static int get_module_stats(struct gpreempt *g, uint32_t gpu_id, struct gpreempt_stats *s)
{
	struct gpreempt_ioc_stats k = { 0 };
	int fd = begin_module(g), ret;

	if (fd < 0)
		return fd;
	ret = drv_module_stats(fd, gpu_id, &k);
#define X(member) s->member = k.member;
	DRV_STATS(X)
#undef X
	s->switch_p50_ns = k.switch_p50_ns;
	s->switch_p99_ns = k.switch_p99_ns;
	return end_module(g, fd, ret);
}

static int get_daemon_stats(struct gpreempt *g, uint32_t gpu_id, struct gpreempt_stats *s)
{
	json_t *reply, *list;
	int ret = call(g, "GetStatistics", node_parameters(gpu_id), -ENODEV, &reply);

	if (ret)
		return ret;
	list = json_object_get(reply, "nodes");
	if (json_array_size(list) == 1)
		ret = lib_decode_stats(json_array_get(list, 0), s);
	else
		ret = json_is_array(list) ? -ENODEV : -EPROTO;
	json_decref(reply);
	if (ret)
		lib_fail(g, ret, ret == -ENODEV ? "name one node" :
						  "the daemon's statistics make no sense");
	return ret;
}

int gpreempt_get_stats(struct gpreempt *g, uint32_t gpu_id, struct gpreempt_stats *stats)
{
	struct gpreempt_stats s = { .size = sizeof(s) };
	int ret;

	if (!g || !stats || stats->size < 2 * sizeof(uint32_t))
		return -EINVAL;
	ret = g->direct ? get_module_stats(g, gpu_id, &s) : get_daemon_stats(g, gpu_id, &s);
	return ret ? ret : give(stats, &s);
}
