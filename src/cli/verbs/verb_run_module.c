// SPDX-License-Identifier: MIT
#include "cli/verbs/verb_run_module.h"

#include "gpreempt/gpreempt.h"
#include "driver/module.h"
#include "rules/group.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void warn(const char *reason)
{
	cli_error("run", "%s; the program starts all the same", reason);
}

static json_t *attributes_json(const struct cli_options *o)
{
	json_t *a = json_object();

	if (o->klass)
		json_object_set_new(a, "class", json_string(o->klass));
	if (o->prio)
		json_object_set_new(a, "priority", json_integer((json_int_t)o->prio - 1));
	if (o->weight)
		json_object_set_new(a, "weight", json_integer((json_int_t)o->weight));
	if (o->slice_ns)
		json_object_set_new(a, "slice_ns", json_integer((json_int_t)o->slice_ns));
	if (o->deadline_ns)
		json_object_set_new(a, "deadline_ns", json_integer((json_int_t)o->deadline_ns));
	if (o->is_critical)
		json_object_set_new(a, "latency_critical", json_true());
	if (o->group)
		json_object_set_new(a, "group", json_string(o->group));
	return a;
}

/* The daemon checks what this user may have. Process 0 is the caller. */
static void set_by_daemon(struct gpreempt *g, const struct cli_options *o)
{
	json_t *attributes = attributes_json(o);
	json_t *parameters;
	char *text, *reply = NULL;

	if (!json_object_size(attributes)) {
		json_decref(attributes);
		return;
	}
	parameters = json_pack("{s:i, s:o}", "pid", 0, "attributes", attributes);
	text = json_dumps(parameters, JSON_COMPACT);
	if (gpreempt_call(g, "SetAttributes", text, &reply))
		warn(gpreempt_strerror(g));
	gpreempt_free(reply);
	free(text);
	json_decref(parameters);
}

static bool is_module_used(struct gpreempt *g)
{
	char *text = NULL;
	const char *scheduler;
	bool is_used = false;
	json_t *info;

	if (!gpreempt_call(g, "GetInfo", NULL, &text)) {
		info = json_loads(text, 0, NULL);
		scheduler = json_string_value(json_object_get(info, "scheduler"));
		is_used = scheduler && !strcmp(scheduler, "kernel");
		json_decref(info);
	}
	gpreempt_free(text);
	return is_used;
}

static void set_by_device(int fd, const struct cli_options *o)
{
	struct gpreempt_ioc_attr a = {
		.prio = o->prio ? (uint32_t)o->prio - 1 : 0,
		.weight = (uint32_t)o->weight,
		.latency_critical = o->is_critical,
		.slice_ns = o->slice_ns,
		.deadline_ns = o->deadline_ns,
		.group = o->group ? gp_group_number(o->group) : 0,
	};
	int err;

	a.valid |= o->prio ? GPREEMPT_ATTR_F_PRIO : 0;
	a.valid |= o->weight ? GPREEMPT_ATTR_F_WEIGHT : 0;
	a.valid |= o->slice_ns ? GPREEMPT_ATTR_F_SLICE : 0;
	a.valid |= o->deadline_ns ? GPREEMPT_ATTR_F_DEADLINE : 0;
	a.valid |= o->is_critical ? GPREEMPT_ATTR_F_LATENCY_CRITICAL : 0;
	a.valid |= o->group ? GPREEMPT_ATTR_F_GROUP : 0;
	if (o->klass)
		warn("classes are the daemon's, and it does not run");
	err = a.valid ? drv_module_set_attr(fd, -1, &a) : 0;
	if (err)
		warn(err == -EPERM ? "this user may not have these attributes" : strerror(-err));
}

bool cli_run_by_module(const struct cli_options *o)
{
	struct gpreempt *g;
	bool is_done = false;
	int fd, err;

	/* A user that names a shim wants it. */
	if (o->shim)
		return false;
	err = gpreempt_open(&g, GPREEMPT_OPEN_DAEMON, o->socket);
	if (!err) {
		is_done = is_module_used(g);
		if (is_done)
			set_by_daemon(g, o);
		gpreempt_close(g);
	} else if (err == -ENOENT || err == -ECONNREFUSED) {
		fd = drv_module_open();
		is_done = fd >= 0;
		if (is_done) {
			set_by_device(fd, o);
			close(fd);
		}
	}
	if (err && !is_done && !o->is_quiet)
		warn(err == -ENOENT || err == -ECONNREFUSED ? "the daemon does not run" :
							      strerror(-err));
	return is_done;
}
