// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"

#include "rules/text.h"

#include <string.h>

static const struct cli_column device_columns[] = {
	{ "id", "DEVICE", NULL, CLI_COLUMN_TEXT, false },
	{ "gpu", "GPU", NULL, CLI_COLUMN_INT, false },
	{ "pci", "PCI", NULL, CLI_COLUMN_TEXT, false },
	{ "uuid", "UUID", NULL, CLI_COLUMN_TEXT, true },
	{ "render", "RENDER", NULL, CLI_COLUMN_TEXT, true },
	{ "name", "NAME", NULL, CLI_COLUMN_TEXT, false },
	{ "gfx", "GFX", NULL, CLI_COLUMN_TEXT, false },
	{ "nr_cu", "CU", NULL, CLI_COLUMN_INT, false },
	{ "policy", "POLICY", NULL, CLI_COLUMN_TEXT, false },
	{ "enabled", "ON", NULL, CLI_COLUMN_BOOL, false },
	{ "breaker", "BREAKER", NULL, CLI_COLUMN_TEXT, false },
	{ "nr_entities", "ENTITIES", NULL, CLI_COLUMN_INT, false },
	{ "nr_queues", "QUEUES", NULL, CLI_COLUMN_INT, false },
	{ "nr_busy", "BUSY", NULL, CLI_COLUMN_INT, false },
	{ "nr_out", "OUT", NULL, CLI_COLUMN_INT, false },
	{ "nr_preemptions", "PREEMPTED", NULL, CLI_COLUMN_INT, false },
	{ "nr_resumes", "RESUMED", NULL, CLI_COLUMN_INT, true },
	{ "switch_p50_ns", "SWITCH_P50", NULL, CLI_COLUMN_NS, false },
	{ "switch_p99_ns", "SWITCH_P99", NULL, CLI_COLUMN_NS, false },
	{ "wait_p99_ns", "WAIT_P99", NULL, CLI_COLUMN_NS, false },
	{ "wait_p50_ns", "WAIT_P50", NULL, CLI_COLUMN_NS, true },
	{ "wait_p999_ns", "WAIT_P99.9", NULL, CLI_COLUMN_NS, true },
	{ "nr_waits", "WAITS", NULL, CLI_COLUMN_INT, true },
	{ "gpu_id", "GPU_ID", NULL, CLI_COLUMN_INT, true },
	{ "index", "NODE", NULL, CLI_COLUMN_INT, true },
	{ "simulated", "SIMULATED", NULL, CLI_COLUMN_BOOL, true },
	{ "gfx_target", "GFX_TARGET", NULL, CLI_COLUMN_INT, true },
	{ "nr_xcc", "XCC", NULL, CLI_COLUMN_INT, true },
	{ "cwsr", "CWSR", NULL, CLI_COLUMN_BOOL, true },
	{ "breaker_reason", "REASON", NULL, CLI_COLUMN_TEXT, true },
};

static const struct cli_column queue_columns[] = {
	{ "id", "QUEUE", NULL, CLI_COLUMN_TEXT, false },
	{ "comm", "COMMAND", NULL, CLI_COLUMN_TEXT, false },
	{ "type", "TYPE", NULL, CLI_COLUMN_TEXT, false },
	{ "priority", "HW_PRIO", NULL, CLI_COLUMN_INT, false },
	{ "ring_bytes", "RING", NULL, CLI_COLUMN_BYTES, false },
	{ "rptr", "RPTR", NULL, CLI_COLUMN_INT, false },
	{ "wptr", "WPTR", NULL, CLI_COLUMN_INT, false },
	{ "busy", "BUSY", NULL, CLI_COLUMN_BOOL, false },
	{ "state", "STATE", NULL, CLI_COLUMN_TEXT, false },
	{ "held", "HELD_BY", NULL, CLI_COLUMN_LIST, false },
	{ "mechanism", "MECHANISM", NULL, CLI_COLUMN_TEXT, false },
	{ "pid", "PID", NULL, CLI_COLUMN_INT, true },
	{ "gpu_id", "GPU_ID", NULL, CLI_COLUMN_INT, true },
	{ "queue_id", "QUEUE_ID", NULL, CLI_COLUMN_INT, true },
	{ "ring_addr", "RING_ADDR", NULL, CLI_COLUMN_HEX, true },
	{ "rptr_addr", "RPTR_ADDR", NULL, CLI_COLUMN_HEX, true },
	{ "wptr_addr", "WPTR_ADDR", NULL, CLI_COLUMN_HEX, true },
};

static const struct cli_column process_columns[] = {
	{ "pid", "PID", NULL, CLI_COLUMN_INT, false },
	{ "comm", "COMMAND", NULL, CLI_COLUMN_TEXT, false },
	{ "class", "CLASS", "attributes.class", CLI_COLUMN_TEXT, false },
	{ "priority", "PRIO", "attributes.priority", CLI_COLUMN_INT, false },
	{ "gpu", "GPU", NULL, CLI_COLUMN_LIST, false },
	{ "gpus", "GPU_ID", NULL, CLI_COLUMN_LIST, true },
	{ "nr_queues", "QUEUES", NULL, CLI_COLUMN_INT, false },
	{ "nr_busy", "BUSY", NULL, CLI_COLUMN_INT, false },
	{ "state", "STATE", NULL, CLI_COLUMN_TEXT, false },
	{ "held", "HELD_BY", NULL, CLI_COLUMN_LIST, false },
	{ "nr_preempted", "PREEMPTED", NULL, CLI_COLUMN_INT, false },
	{ "run_ns", "RUN", NULL, CLI_COLUMN_NS, false },
	{ "off_ns", "OFF", NULL, CLI_COLUMN_NS, false },
	{ "off_max_ns", "OFF_MAX", NULL, CLI_COLUMN_NS, false },
	{ "wait_p99_ns", "WAIT_P99", NULL, CLI_COLUMN_NS, false },
	{ "wait_p50_ns", "WAIT_P50", NULL, CLI_COLUMN_NS, true },
	{ "wait_p999_ns", "WAIT_P99.9", NULL, CLI_COLUMN_NS, true },
	{ "nr_waits", "WAITS", NULL, CLI_COLUMN_INT, true },
	{ "mechanism", "MECHANISM", NULL, CLI_COLUMN_TEXT, false },
	{ "sees", "SEES", NULL, CLI_COLUMN_LIST, false },
	{ "uid", "UID", NULL, CLI_COLUMN_INT, true },
	{ "client", "CLIENT", NULL, CLI_COLUMN_INT, true },
	{ "weight", "WEIGHT", "attributes.weight", CLI_COLUMN_INT, true },
	{ "slice_ns", "SLICE", "attributes.slice_ns", CLI_COLUMN_NS, true },
	{ "deadline_ns", "DEADLINE", "attributes.deadline_ns", CLI_COLUMN_NS, true },
	{ "latency_critical", "CRITICAL", "attributes.latency_critical", CLI_COLUMN_BOOL, true },
	{ "group", "GROUP", "attributes.group", CLI_COLUMN_TEXT, true },
	{ "notes", "NOTES", NULL, CLI_COLUMN_LIST, true },
};

static const struct cli_column job_columns[] = {
	{ "id", "JOB", NULL, CLI_COLUMN_TEXT, false },
	{ "uid", "UID", NULL, CLI_COLUMN_INT, false },
	{ "nr_procs", "PROCS", NULL, CLI_COLUMN_INT, false },
	{ "nr_queues", "QUEUES", NULL, CLI_COLUMN_INT, false },
	{ "nr_busy", "BUSY", NULL, CLI_COLUMN_INT, false },
	{ "priority", "PRIO", NULL, CLI_COLUMN_INT, false },
	{ "state", "STATE", NULL, CLI_COLUMN_TEXT, false },
	{ "nr_preempted", "PREEMPTED", NULL, CLI_COLUMN_INT, false },
	{ "wait_p99_ns", "WAIT_P99", NULL, CLI_COLUMN_NS, false },
	{ "wait_p50_ns", "WAIT_P50", NULL, CLI_COLUMN_NS, true },
	{ "wait_p999_ns", "WAIT_P99.9", NULL, CLI_COLUMN_NS, true },
	{ "pids", "PIDS", NULL, CLI_COLUMN_LIST, false },
};

static const struct cli_column total_columns[] = {
	{ "group", "JOB", NULL, CLI_COLUMN_TEXT, false },
	{ "uid", "UID", NULL, CLI_COLUMN_INT, false },
	{ "ended_ns", "ENDED", NULL, CLI_COLUMN_NS, false },
	{ "run_ns", "RUN", NULL, CLI_COLUMN_NS, false },
	{ "off_ns", "OFF", NULL, CLI_COLUMN_NS, false },
	{ "off_max_ns", "OFF_MAX", NULL, CLI_COLUMN_NS, false },
	{ "nr_preempted", "PREEMPTED", NULL, CLI_COLUMN_INT, false },
	{ "wait_ns", "WAIT", NULL, CLI_COLUMN_NS, false },
	{ "wait_p99_ns", "WAIT_P99", NULL, CLI_COLUMN_NS, false },
	{ "wait_p50_ns", "WAIT_P50", NULL, CLI_COLUMN_NS, true },
	{ "wait_p999_ns", "WAIT_P99.9", NULL, CLI_COLUMN_NS, true },
	{ "nr_waits", "WAITS", NULL, CLI_COLUMN_INT, true },
	{ "account", "ACCOUNT", NULL, CLI_COLUMN_INT, true },
};

static const struct cli_column cgroup_columns[] = {
	{ "cgroup", "CGROUP", NULL, CLI_COLUMN_TEXT, false },
	{ "weight", "WEIGHT", NULL, CLI_COLUMN_INT, false },
	{ "max", "MAX", NULL, CLI_COLUMN_TEXT, false },
	{ "latency_usec", "LATENCY", NULL, CLI_COLUMN_INT, true },
	{ "idle", "IDLE", NULL, CLI_COLUMN_BOOL, false },
	{ "nr_processes", "PROCS", NULL, CLI_COLUMN_INT, false },
	{ "usage_usec", "USAGE_USEC", NULL, CLI_COLUMN_INT, false },
	{ "nr_periods", "PERIODS", NULL, CLI_COLUMN_INT, true },
	{ "nr_throttled", "THROTTLED", NULL, CLI_COLUMN_INT, false },
	{ "throttled_usec", "THROTTLED_USEC", NULL, CLI_COLUMN_INT, true },
	{ "nr_throttled_nodes", "THROTTLED_ON", NULL, CLI_COLUMN_INT, true },
	{ "some_avg10", "SOME10", NULL, CLI_COLUMN_TEXT, false },
	{ "some_avg60", "SOME60", NULL, CLI_COLUMN_TEXT, true },
	{ "some_avg300", "SOME300", NULL, CLI_COLUMN_TEXT, true },
	{ "some_usec", "SOME_USEC", "some.total_usec", CLI_COLUMN_INT, true },
	{ "full_avg10", "FULL10", NULL, CLI_COLUMN_TEXT, false },
	{ "full_avg60", "FULL60", NULL, CLI_COLUMN_TEXT, true },
	{ "full_avg300", "FULL300", NULL, CLI_COLUMN_TEXT, true },
	{ "full_usec", "FULL_USEC", "full.total_usec", CLI_COLUMN_INT, true },
};

const struct cli_objects cli_objects[CLI_OBJECT_COUNT] = {
	[CLI_OBJECT_DEVICE] = { "devices", device_columns, ARRAY_SIZE(device_columns) },
	[CLI_OBJECT_QUEUE] = { "queues", queue_columns, ARRAY_SIZE(queue_columns) },
	[CLI_OBJECT_PROCESS] = { "procs", process_columns, ARRAY_SIZE(process_columns) },
	[CLI_OBJECT_JOB] = { "jobs", job_columns, ARRAY_SIZE(job_columns) },
	[CLI_OBJECT_TOTAL] = { "totals", total_columns, ARRAY_SIZE(total_columns) },
	[CLI_OBJECT_CGROUP] = { "cgroups", cgroup_columns, ARRAY_SIZE(cgroup_columns) },
};

/* The next number of "A/B/C", and what is behind it. */
static int take(const char **text, u32 *out)
{
	size_t len = strcspn(*text, "/");
	char word[16];
	u64 v;

	if (len >= sizeof(word))
		return -EINVAL;
	memcpy(word, *text, len);
	word[len] = '\0';
	if (gp_text_read_u64(word, 0, UINT32_MAX - 1, &v))
		return -EINVAL;
	*out = (u32)v;
	*text += len + ((*text)[len] == '/');
	return 0;
}

static int parse_ref(const char *text, struct cli_object_ref *ref)
{
	u64 id;

	if (!strncmp(text, "gpu:", 4)) {
		ref->kind = CLI_OBJECT_DEVICE;
		if (cli_options_parse_device(text, &id))
			return -EINVAL;
		ref->gpu_id = (u32)id;
		return 0;
	}
	/* A number alone is that of a process. */
	if (text[strspn(text, "0123456789")] && drv_is_gpu_name(text)) {
		ref->kind = CLI_OBJECT_DEVICE;
		return 0;
	}
	ref->kind = CLI_OBJECT_PROCESS;
	if (take(&text, &ref->pid) || !ref->pid)
		return -EINVAL;
	if (!*text)
		return 0;
	if (take(&text, &ref->gpu_id) || !ref->gpu_id)
		return -EINVAL;
	if (!*text)
		return 0;
	ref->kind = CLI_OBJECT_QUEUE;
	return take(&text, &ref->queue_id) || *text ? -EINVAL : 0;
}

int cli_object_parse(const char *text, struct cli_object_ref *ref)
{
	*ref = (struct cli_object_ref){ .text = text };
	if (!parse_ref(text, ref))
		return CLI_GO_ON;
	if (!strcmp(text, "gpu:0")) {
		cli_error(text, "no GPU has the ID 0; try gpreempt list devices");
		return CLI_EXIT_NOT_FOUND;
	}
	cli_error(text, "neither gpu:ID nor PID, PID/GPU or PID/GPU/QUEUE");
	return CLI_EXIT_USAGE;
}

static void add_gfx(json_t *row)
{
	json_t *target = json_object_get(row, "gfx_target");
	char text[GPREEMPT_NAME_LEN];

	drv_gfx_name((u32)json_integer_value(target), text);
	json_object_set_new(row, "gfx", json_is_integer(target) ? json_string(text) : json_null());
}

void cli_object_name(const json_t *row, char *out, size_t size)
{
	static const char *const keys[] = { "pid", "gpu_id", "queue_id" };
	size_t len = 0;

	snprintf(out, size, "-");
	for (u32 i = 0; i < ARRAY_SIZE(keys); i++) {
		const json_t *v = json_object_get(row, keys[i]);

		if (json_is_integer(v))
			len += (size_t)snprintf(out + len, size - len, "%s%lld",
						len ? "/" : i ? "gpu:" : "", json_integer_value(v));
	}
}

void cli_object_add_id(json_t *row)
{
	char id[64];

	cli_object_name(row, id, sizeof(id));
	json_object_set_new(row, "id", json_string(id));
}

/* Queues know their process by number only. */
static int add_commands(struct cli_session *s, json_t *queues)
{
	json_t *processes;
	int ret = cli_session_list(s, CLI_LIST_PROCESSES, &processes);

	if (ret != CLI_GO_ON)
		return ret;
	for (size_t i = 0; i < json_array_size(queues); i++) {
		json_t *q = json_array_get(queues, i);
		struct cli_object_ref ref = {
			.kind = CLI_OBJECT_PROCESS,
			.pid = (u32)cli_number(q, "pid"),
		};
		json_t *comm = json_object_get(cli_object_find(processes, &ref), "comm");

		json_object_set_new(q, "comm", comm ? json_incref(comm) : json_null());
	}
	json_decref(processes);
	return CLI_GO_ON;
}

static bool has_gpu(const json_t *row, json_int_t gpu_id)
{
	const json_t *gpus = json_object_get(row, "gpus");
	char id[24];

	snprintf(id, sizeof(id), "%lld", gpu_id);
	for (size_t i = 0; i < json_array_size(gpus); i++) {
		if (!strcmp(json_string_value(json_array_get(gpus, i)), id))
			return true;
	}
	return false;
}

/* What the GPU is called that has this gpu_id, among the GPUs here. */
static json_t *number_of(const json_t *nodes, json_int_t gpu_id)
{
	struct cli_object_ref ref = { .kind = CLI_OBJECT_DEVICE, .gpu_id = (u32)gpu_id };
	const json_t *node = cli_object_find(nodes, &ref);

	return node ? json_sprintf("%lld", cli_number(node, "gpu")) : json_string("?");
}

static void add_gpu(json_t *row, const json_t *nodes, json_int_t gpu_id)
{
	if (!row || has_gpu(row, gpu_id))
		return;
	json_array_append_new(json_object_get(row, "gpus"), json_sprintf("%lld", gpu_id));
	json_array_append_new(json_object_get(row, "gpu"), number_of(nodes, gpu_id));
}

/* The queues know on which GPUs a process is. */
static int add_gpus(struct cli_session *s, json_t *processes)
{
	json_t *queues, *nodes, *row;
	int ret = cli_session_list(s, CLI_LIST_QUEUES, &queues);
	size_t i;

	if (ret != CLI_GO_ON)
		return ret;
	ret = cli_session_list(s, CLI_LIST_NODES, &nodes);
	if (ret != CLI_GO_ON) {
		json_decref(queues);
		return ret;
	}
	json_array_foreach(processes, i, row)
		json_object_update_new(row, json_pack("{s:[], s:[]}", "gpus", "gpu"));
	json_array_foreach(queues, i, row) {
		struct cli_object_ref ref = { .kind = CLI_OBJECT_PROCESS,
					      .pid = (u32)cli_number(row, "pid") };

		add_gpu(cli_object_find(processes, &ref), nodes, cli_number(row, "gpu_id"));
	}
	json_decref(queues);
	json_decref(nodes);
	for (i = json_array_size(processes); s->o.device && i-- > 0;) {
		if (!has_gpu(json_array_get(processes, i), (json_int_t)s->o.device))
			json_array_remove(processes, i);
	}
	return CLI_GO_ON;
}

int cli_objects_find_gpu(struct cli_session *s, const char *name, u64 *gpu_id)
{
	struct gpreempt_node *nodes;
	size_t nr;
	int err = gpreempt_get_nodes(s->g, &nodes, &nr);

	if (err)
		return cli_session_fail(s, name, err);
	*gpu_id = 0;
	for (size_t i = 0; i < nr; i++) {
		if (!*gpu_id && drv_node_is_named(&nodes[i], name))
			*gpu_id = nodes[i].gpu_id;
	}
	gpreempt_free(nodes);
	if (*gpu_id)
		return CLI_GO_ON;
	cli_error(name, "no such device; try gpreempt list devices");
	return CLI_EXIT_NOT_FOUND;
}

int cli_objects_check_device(struct cli_session *s)
{
	char name[24];
	u64 id;

	if (s->o.gpu_name)
		return cli_objects_find_gpu(s, s->o.gpu_name, &s->o.device);
	snprintf(name, sizeof(name), "gpu:%llu", (unsigned long long)s->o.device);
	return s->o.device ? cli_objects_find_gpu(s, name, &id) : CLI_GO_ON;
}

/* Devices and queues of the device that --device names, each with its id. */
static void complete(json_t *rows, enum cli_object_kind kind, json_int_t gpu_id)
{
	for (size_t i = json_array_size(rows); i-- > 0;) {
		json_t *row = json_array_get(rows, i);

		if (gpu_id && cli_number(row, "gpu_id") != gpu_id) {
			json_array_remove(rows, i);
			continue;
		}
		cli_object_add_id(row);
		if (kind == CLI_OBJECT_DEVICE)
			add_gfx(row);
	}
}

int cli_objects_get(struct cli_session *s, enum cli_object_kind kind, json_t **out)
{
	static const enum cli_list lists[] = {
		[CLI_OBJECT_DEVICE] = CLI_LIST_NODES,
		[CLI_OBJECT_QUEUE] = CLI_LIST_QUEUES,
		[CLI_OBJECT_PROCESS] = CLI_LIST_PROCESSES,
		[CLI_OBJECT_TOTAL] = CLI_LIST_TOTALS,
	};
	int ret;

	if (kind == CLI_OBJECT_CGROUP)
		return cli_cgroups_get(s, out);
	ret = kind == CLI_OBJECT_JOB ? cli_jobs_get(s, out) :
				       cli_session_list(s, lists[kind], out);
	if (ret == CLI_GO_ON && (kind == CLI_OBJECT_DEVICE || kind == CLI_OBJECT_QUEUE))
		complete(*out, kind, (json_int_t)s->o.device);
	if (ret == CLI_GO_ON && (kind == CLI_OBJECT_QUEUE || kind == CLI_OBJECT_PROCESS)) {
		ret = kind == CLI_OBJECT_QUEUE ? add_commands(s, *out) : add_gpus(s, *out);
		if (ret != CLI_GO_ON)
			json_decref(*out);
	}
	return ret;
}

json_t *cli_object_find(const json_t *rows, const struct cli_object_ref *ref)
{
	for (size_t i = 0; i < json_array_size(rows); i++) {
		json_t *row = json_array_get(rows, i);

		if (ref->kind != CLI_OBJECT_DEVICE && cli_number(row, "pid") != ref->pid)
			continue;
		if (ref->kind != CLI_OBJECT_PROCESS && cli_number(row, "gpu_id") != ref->gpu_id)
			continue;
		if (ref->kind == CLI_OBJECT_QUEUE && cli_number(row, "queue_id") != ref->queue_id)
			continue;
		return row;
	}
	return NULL;
}

const struct drv_node *cli_node_choose(const struct drv_node *nodes, size_t nr,
				       const struct cli_options *o)
{
	for (size_t i = 0; i < nr; i++) {
		struct gpreempt_node n = drv_node_public(&nodes[i]);

		if (o->gpu_name ? drv_node_is_named(&n, o->gpu_name) :
				  !o->device || n.gpu_id == o->device)
			return &nodes[i];
	}
	return NULL;
}
