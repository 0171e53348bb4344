// SPDX-License-Identifier: MIT
/*
 * JSON of rocprofv3 (--output-format json: "rocprofiler-sdk-tool") and of the PyTorch profiler
 * (export_chrome_trace(): "traceEvents" of which the kernels have the category "kernel").
 */
#include "cli/import/cli_import.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* A number of 0 to CLI_IMPORT_MAX_NS; anything else counts as not said. */
static u64 number(const json_t *object, const char *key)
{
	const json_t *v = json_object_get(object, key);
	json_int_t n = json_is_integer(v) ? json_integer_value(v) : 0;

	return n > 0 ? (u64)n : 0;
}

static void triple(const json_t *object, const char *key, u64 out[3])
{
	const json_t *v = json_object_get(object, key);

	out[0] = number(v, "x");
	out[1] = number(v, "y");
	out[2] = number(v, "z");
}

/* Registers of a kernel by its number. */
struct symbol {
	u64 id;
	u64 vgprs;
	u64 accum_vgprs;
};

struct symbols {
	size_t nr;
	struct symbol *all; /* by number */
};

static int by_id(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int read_symbols(const json_t *list, struct symbols *s)
{
	const json_t *v;
	size_t i;

	s->nr = json_array_size(list);
	s->all = calloc(s->nr + 1, sizeof(*s->all));
	if (!s->all)
		return -ENOMEM;
	json_array_foreach(list, i, v)
		s->all[i] = (struct symbol){ number(v, "kernel_id"), number(v, "arch_vgpr_count"),
					     number(v, "accum_vgpr_count") };
	qsort(s->all, s->nr, sizeof(*s->all), by_id);
	return 0;
}

/* A handle: an object with one, or the number itself. */
static void name_agent(const json_t *info, char *text, size_t size)
{
	const json_t *agent = json_object_get(info, "agent_id");
	u64 handle = json_is_object(agent) ? number(agent, "handle") : number(info, "agent_id");

	snprintf(text, size, "agent %llu", (unsigned long long)handle);
}

static int add_dispatch(struct cli_import *t, const json_t *record, const struct symbols *s,
			struct cli_import_error *e)
{
	const json_t *info = json_object_get(record, "dispatch_info");
	struct symbol key = { .id = number(info, "kernel_id") }, *found;
	struct cli_import_row row = {
		.start_ns = number(record, "start_timestamp"),
		.end_ns = number(record, "end_timestamp"),
		.lds_bytes = number(info, "group_segment_size"),
	};
	char agent[48];

	if (!json_is_object(record) || !row.end_ns)
		return cli_import_fail(e, "kernel_dispatch: a record without its times");
	found = bsearch(&key, s->all, s->nr, sizeof(key), by_id);
	triple(info, "grid_size", row.grid);
	triple(info, "workgroup_size", row.workgroup);
	row.vgprs = found ? found->vgprs : 0;
	row.accum_vgprs = found ? found->accum_vgprs : 0;
	name_agent(info, agent, sizeof(agent));
	row.agent = agent;
	return cli_import_add(t, &row, e);
}

static int read_rocprofv3(struct cli_import *t, const json_t *tools, struct cli_import_error *e)
{
	const json_t *tool, *record;
	size_t i, k;
	int err = 0;

	t->format = "rocprofv3, JSON";
	json_array_foreach(tools, i, tool) {
		const json_t *buffers = json_object_get(tool, "buffer_records");
		struct symbols s;

		err = read_symbols(json_object_get(tool, "kernel_symbols"), &s);
		json_array_foreach(json_object_get(buffers, "kernel_dispatch"), k, record)
			err = err ? err : add_dispatch(t, record, &s, e);
		free(s.all);
		if (err)
			break;
	}
	return err;
}

/* Microseconds, perhaps with a fraction. */
static bool read_us(const json_t *object, const char *key, double from, u64 *ns)
{
	const json_t *v = json_object_get(object, key);
	double us = json_number_value(v) - from;

	if (!json_is_number(v) || us < 0 || us > 1e15)
		return false;
	*ns = (u64)(us * 1000 + 0.5);
	return true;
}

static void array_triple(const json_t *args, const char *key, u64 out[3])
{
	const json_t *v = json_object_get(args, key);

	for (size_t i = 0; i < 3; i++) {
		json_int_t n = json_integer_value(json_array_get(v, i));

		out[i] = n > 0 ? (u64)n : 0;
	}
}

static bool is_kernel(const json_t *event)
{
	const char *category = json_string_value(json_object_get(event, "cat"));

	return category && !strcasecmp(category, "kernel");
}

static int add_event(struct cli_import *t, const json_t *event, double from,
		     struct cli_import_error *e)
{
	const json_t *args = json_object_get(event, "args");
	struct cli_import_row row = {
		.is_in_workgroups = true,
		.vgprs = number(args, "registers per thread"),
		.lds_bytes = number(args, "shared memory"),
	};
	char agent[48];
	u64 duration;

	if (!read_us(event, "ts", from, &row.start_ns) || !read_us(event, "dur", 0, &duration))
		return cli_import_fail(e, "traceEvents: a kernel without its times");
	row.end_ns = row.start_ns + duration;
	array_triple(args, "grid", row.grid);
	array_triple(args, "block", row.workgroup);
	snprintf(agent, sizeof(agent), "device %llu", (unsigned long long)number(args, "device"));
	row.agent = agent;
	return cli_import_add(t, &row, e);
}

/* Times of today in microseconds have too many digits for a double: they count from the first. */
static double first_us(const json_t *events)
{
	const json_t *event;
	double first = 1e300;
	size_t i;

	json_array_foreach(events, i, event) {
		if (is_kernel(event))
			first = min(first, json_number_value(json_object_get(event, "ts")));
	}
	return max(first, 0.0);
}

static int read_pytorch(struct cli_import *t, const json_t *events, struct cli_import_error *e)
{
	double from = first_us(events);
	const json_t *event;
	size_t i;
	int err = 0;

	t->format = "PyTorch profiler, JSON";
	json_array_foreach(events, i, event) {
		if (!err && is_kernel(event))
			err = add_event(t, event, from, e);
	}
	return err;
}

static json_t *load(FILE *file, struct cli_import_error *e)
{
	json_error_t error;
	struct stat st;
	json_t *root;

	if (fstat(fileno(file), &st) || (u64)st.st_size > CLI_IMPORT_MAX_JSON) {
		cli_import_fail(e, "more than 256 MiB of JSON; as CSV it may be larger");
		return NULL;
	}
	root = json_loadf(file, 0, &error);
	if (!root)
		cli_import_fail(e, "line %d: %s", error.line, error.text);
	return root;
}

int cli_import_json(struct cli_import *t, FILE *file, struct cli_import_error *e)
{
	json_t *root = load(file, e), *list;
	int err;

	if (!root)
		return -EINVAL;
	if (json_is_array(list = json_object_get(root, "rocprofiler-sdk-tool")))
		err = read_rocprofv3(t, list, e);
	else if (json_is_array(list = json_object_get(root, "traceEvents")))
		err = read_pytorch(t, list, e);
	else if (json_is_array(root))
		err = read_pytorch(t, root, e);
	else
		err = cli_import_fail(e, "neither 'rocprofiler-sdk-tool' nor 'traceEvents' is "
					 "in it");
	json_decref(root);
	return err;
}
