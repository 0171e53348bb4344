// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/top/top_model.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S 1000000000ull

static u64 number(const json_t *row, const char *key)
{
	return (u64)json_integer_value(json_object_get(row, key));
}

/* Empty if it is unknown; nothing in it moves the cursor. */
static void copy(char *out, size_t size, const json_t *row, const char *key)
{
	char text[CLI_CELL_MAX];

	cli_format_value(json_object_get(row, key), CLI_COLUMN_TEXT, text);
	snprintf(out, size, "%.*s", (int)size - 1, text);
}

static u64 clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * NS_PER_S + (u64)ts.tv_nsec;
}

/* By how much a counter grew since the look before. */
static u64 growth(const json_t *before, const json_t *row, const char *key)
{
	u64 now = number(row, key), then = number(before, key);

	return now > then ? now - then : 0;
}

static s64 share(const json_t *before, const json_t *row, const char *key, u64 span_ns)
{
	if (!before || !span_ns)
		return -1;
	return (s64)min((u64)(growth(before, row, key) * 1000000 / span_ns), (u64)1000000);
}

static void list_devices(const json_t *queues, u32 pid, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < json_array_size(queues); i++) {
		const json_t *q = json_array_get(queues, i);
		char id[16];

		if (number(q, "pid") != pid)
			continue;
		snprintf(id, sizeof(id), "%llu", (unsigned long long)number(q, "gpu_id"));
		if (strstr(out, id) || len + strlen(id) + 2 > size)
			continue;
		len += (size_t)snprintf(out + len, size - len, "%s%s", len ? "," : "", id);
	}
}

static bool has_manual(const json_t *row)
{
	const json_t *held = json_object_get(row, "held");

	for (size_t i = 0; i < json_array_size(held); i++) {
		const char *by = json_string_value(json_array_get(held, i));

		if (by && !strcmp(by, "manual"))
			return true;
	}
	return false;
}

static void make_row(const struct cli_top *t, const json_t *p, const json_t *queues,
		     struct cli_top_row *r)
{
	u64 span = t->before_ns ? t->now_ns - t->before_ns : 0;
	const json_t *attributes = json_object_get(p, "attributes");
	const json_t *prio = json_object_get(attributes, "priority"), *before;
	char key[16];

	memset(r, 0, sizeof(*r));
	r->pid = (u32)number(p, "pid");
	snprintf(key, sizeof(key), "%u", r->pid);
	before = json_object_get(t->before, key);
	r->prio = json_is_integer(prio) ? (int)json_integer_value(prio) : -1;
	r->nr_queues = (u32)number(p, "nr_queues");
	r->nr_busy = (u32)number(p, "nr_busy");
	r->run_ppm = share(before, p, "run_ns", span);
	r->off_ppm = share(before, p, "off_ns", span);
	if (before && span)
		r->preempted_per_s = (double)growth(before, p, "nr_preempted") * NS_PER_S /
				     (double)span;
	r->nr_preempted = number(p, "nr_preempted");
	r->off_max_ns = number(p, "off_max_ns");
	r->is_manual = has_manual(p);
	copy(r->state, sizeof(r->state), p, "state");
	if (r->is_manual)
		strcpy(r->state, "suspended");
	copy(r->comm, sizeof(r->comm), p, "comm");
	copy(r->klass, sizeof(r->klass), attributes, "class");
	copy(r->mechanism, sizeof(r->mechanism), p, "mechanism");
	list_devices(queues, r->pid, r->where, sizeof(r->where));
}

static void make_device(const struct cli_top *t, const json_t *d, struct cli_top_device *out)
{
	u64 span = t->before_ns ? t->now_ns - t->before_ns : 0;
	const json_t *before;

	memset(out, 0, sizeof(*out));
	copy(out->id, sizeof(out->id), d, "id");
	before = json_object_get(t->device_before, out->id);
	copy(out->name, sizeof(out->name), d, "name");
	copy(out->policy, sizeof(out->policy), d, "policy");
	copy(out->health, sizeof(out->health), d, "breaker");
	if (!strcmp(out->health, "closed"))
		strcpy(out->health, "ok");
	if (json_is_false(json_object_get(d, "enabled")))
		strcpy(out->health, "off");
	if (json_is_string(json_object_get(d, "breaker_reason")))
		copy(out->reason, sizeof(out->reason), d, "breaker_reason");
	out->nr_queues = (u32)number(d, "nr_queues");
	out->nr_busy = (u32)number(d, "nr_busy");
	out->nr_out = (u32)number(d, "nr_out");
	out->p50_ns = number(d, "switch_p50_ns");
	out->p99_ns = number(d, "switch_p99_ns");
	out->nr_preemptions = number(d, "nr_preemptions");
	if (before && span)
		out->preempted_per_s = (double)growth(before, d, "nr_preemptions") * NS_PER_S /
				       (double)span;
}

static void make_head(struct cli_top *t, const json_t *info)
{
	u64 up = number(info, "uptime_ns") / NS_PER_S;

	if (!info)
		snprintf(t->head, sizeof(t->head), "gpreemptd does not run: the driver alone");
	else
		snprintf(t->head, sizeof(t->head),
			 "gpreemptd %s, up %llu:%02llu:%02llu, %llu client%s",
			 json_string_value(json_object_get(info, "version")),
			 (unsigned long long)(up / 3600), (unsigned long long)(up / 60 % 60),
			 (unsigned long long)(up % 60),
			 (unsigned long long)number(info, "nr_clients"),
			 number(info, "nr_clients") == 1 ? "" : "s");
}

/* The counters of this look, for the rates of the next. */
static json_t *remember(const json_t *list, const char *by)
{
	json_t *out = json_object();

	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *row = json_array_get(list, i);
		char key[CLI_CELL_MAX];

		cli_format_value(json_object_get(row, by), CLI_COLUMN_TEXT, key);
		json_object_set(out, key, row);
	}
	return out;
}

static int make_picture(struct cli_top *t, const json_t *devices, const json_t *processes,
			const json_t *queues)
{
	t->nr_devices = (u32)json_array_size(devices);
	t->nr_rows = (u32)json_array_size(processes);
	free(t->devices);
	free(t->rows);
	t->devices = calloc(t->nr_devices + 1, sizeof(*t->devices));
	t->rows = calloc(t->nr_rows + 1, sizeof(*t->rows));
	if (!t->devices || !t->rows) {
		t->nr_devices = t->nr_rows = 0;
		cli_error("top", "%s", strerror(ENOMEM));
		return CLI_EXIT_FAILED;
	}
	for (u32 i = 0; i < t->nr_devices; i++)
		make_device(t, json_array_get(devices, i), &t->devices[i]);
	for (u32 i = 0; i < t->nr_rows; i++)
		make_row(t, json_array_get(processes, i), queues, &t->rows[i]);
	json_decref(t->before);
	json_decref(t->device_before);
	t->before = remember(processes, "pid");
	t->device_before = remember(devices, "id");
	t->before_ns = t->now_ns;
	return CLI_GO_ON;
}

int cli_top_look(struct cli_top *t, struct cli_session *s, const struct cli_options *o)
{
	json_t *info = NULL, *devices = NULL, *processes = NULL, *queues = NULL;
	int ret = CLI_GO_ON;

	if (!s->is_direct)
		ret = cli_session_call(s, NULL, "GetInfo", NULL, &info);
	if (ret == CLI_GO_ON)
		ret = cli_objects_get(s, CLI_OBJECT_DEVICE, o, &devices);
	if (ret == CLI_GO_ON)
		ret = cli_session_processes(s, &processes);
	t->now_ns = clock_ns();
	if (ret == CLI_GO_ON)
		ret = cli_session_queues(s, &queues);
	if (ret == CLI_GO_ON) {
		make_head(t, info);
		ret = make_picture(t, devices, processes, queues);
	}
	json_decref(info);
	json_decref(devices);
	json_decref(processes);
	json_decref(queues);
	return ret;
}

static const char *const sort_names[CLI_TOP_SORT_COUNT] = {
	[CLI_TOP_BY_PRIO] = "prio",
	[CLI_TOP_BY_RUN] = "run",
	[CLI_TOP_BY_OFF] = "off",
	[CLI_TOP_BY_PREEMPTED] = "preempted",
	[CLI_TOP_BY_PID] = "pid",
};

const char *cli_top_sort_name(enum cli_top_sort by)
{
	return sort_names[by];
}

int cli_top_parse_sort(const char *text, enum cli_top_sort *by, bool *is_up)
{
	*is_up = *text != '-';
	text += !*is_up;
	for (u32 i = 0; i < CLI_TOP_SORT_COUNT; i++) {
		if (!strcmp(sort_names[i], text)) {
			*by = (enum cli_top_sort)i;
			return 0;
		}
	}
	return -EINVAL;
}

static double key_of(const struct cli_top_row *r, enum cli_top_sort by)
{
	switch (by) {
	case CLI_TOP_BY_PRIO:
		return r->prio;
	case CLI_TOP_BY_RUN:
		return (double)r->run_ppm;
	case CLI_TOP_BY_OFF:
		return (double)r->off_ppm;
	case CLI_TOP_BY_PREEMPTED:
		return (double)r->nr_preempted;
	default:
		return r->pid;
	}
}

struct order {
	enum cli_top_sort by;
	bool is_up;
};

static int compare(const void *a, const void *b, void *arg)
{
	const struct cli_top_row *x = a, *y = b;
	const struct order *o = arg;
	double kx = key_of(x, o->by), ky = key_of(y, o->by);

	if (kx != ky)
		return (kx > ky ? 1 : -1) * (o->is_up ? 1 : -1);
	return (x->pid > y->pid) - (x->pid < y->pid);
}

void cli_top_sort(struct cli_top *t, enum cli_top_sort by, bool is_up)
{
	struct order o = { by, is_up };

	qsort_r(t->rows, t->nr_rows, sizeof(*t->rows), compare, &o);
}

void cli_top_fini(struct cli_top *t)
{
	free(t->devices);
	free(t->rows);
	json_decref(t->before);
	json_decref(t->device_before);
	memset(t, 0, sizeof(*t));
}
