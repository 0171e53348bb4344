// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/top/top_model.h"

#include <stdlib.h>
#include <string.h>

/* Off the GPU for so much of an interval, it got next to nothing. */
#define LATE_PPM 900000

/* "-" if it is unknown; nothing in it moves the cursor. */
static void copy(char *out, size_t size, const json_t *row, const char *key)
{
	char text[CLI_CELL_MAX];

	cli_format_value(json_object_get(row, key), CLI_COLUMN_TEXT, text);
	snprintf(out, size, "%.*s", (int)size - 1, text);
}

/* Of a row that lacks it, 0. */
static void set_number(char *cell, const json_t *row, const char *key)
{
	snprintf(cell, CLI_TOP_CELL, "%lld", cli_number(row, key));
}

static void set_time(char *cell, const json_t *row, const char *key)
{
	if (cli_number(row, key))
		cli_format_duration((u64)cli_number(row, key), cell);
	else
		strcpy(cell, "-");
}

/* By how much a counter grew in a second since the look before; -1 = unknown. */
static double growth(const struct cli_top *t, const json_t *before, const json_t *row,
		     const char *key)
{
	double grown = (double)(cli_number(row, key) - cli_number(before, key));

	if (!before || !t->before_ns || t->now_ns == t->before_ns)
		return -1;
	return max(grown, 0.0) * CLI_NS_PER_S / (double)(t->now_ns - t->before_ns);
}

static void set_rate(char *cell, double per_s)
{
	snprintf(cell, CLI_TOP_CELL, "%.1f", max(per_s, 0.0));
}

/* Of a counter of nanoseconds; in millionths, with a cell in hundredths. */
static double set_share(char *cell, double ns_per_s)
{
	double ppm = ns_per_s < 0 ? -1 : (double)min((u64)(ns_per_s / 1000), (u64)1000000);

	snprintf(cell, CLI_TOP_CELL, ppm < 0 ? "-" : "%.1f", ppm / 10000);
	return ppm;
}

/* Numbers between commas; what does not fit is left out. */
static void list_devices(const json_t *gpus, char *out, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < json_array_size(gpus); i++) {
		const char *id = json_string_value(json_array_get(gpus, i));

		if (len + strlen(id) + 2 <= size)
			len += (size_t)snprintf(out + len, size - len, "%s%s", len ? "," : "", id);
	}
}

/* The scheduler does not count holds by hand; a process with work is off all the same. */
static double off_growth(const struct cli_top *t, const json_t *before, const json_t *p, double run)
{
	double off = growth(t, before, p, "off_ns");

	if (off < 0 || !cli_has(p, "held", "manual") || !cli_number(p, "nr_busy"))
		return off;
	return max(off, (double)CLI_NS_PER_S - run);
}

/*
 * Is it off the GPU for about as long as it may be? Either now, or for most of the time with a
 * longest time that is at the bound.
 */
static bool is_late(const struct cli_top *t, const json_t *p, const struct cli_top_row *r)
{
	u64 near_ns = t->max_wait_ns / 10 * 9;

	if (!near_ns || r->off_ppm < LATE_PPM)
		return false;
	return (u64)cli_number(p, "off_max_ns") >= near_ns ||
	       cli_top_trail_off_ns(t, r->pid) >= near_ns;
}

static void make_row(const struct cli_top *t, const json_t *p, struct cli_top_row *r)
{
	const json_t *attributes = json_object_get(p, "attributes"), *before;
	char (*c)[CLI_TOP_CELL] = r->cells;
	double run;

	r->pid = (u32)cli_number(p, "pid");
	set_number(*c, p, "pid");
	before = json_object_get(t->before, *c);
	copy(*++c, CLI_TOP_CELL, p, "comm");
	copy(*++c, CLI_TOP_CELL, attributes, "class");
	copy(*++c, CLI_TOP_CELL, attributes, "priority");
	list_devices(json_object_get(p, "gpu"), *++c, CLI_TOP_CELL);
	set_number(*++c, p, "nr_queues");
	set_number(*++c, p, "nr_busy");
	copy(*++c, CLI_TOP_CELL, p, "state");
	if (cli_has(p, "held", "manual"))
		strcpy(*c, "suspended");
	run = growth(t, before, p, "run_ns");
	r->run_ppm = set_share(*++c, run);
	r->off_ppm = set_share(*++c, off_growth(t, before, p, run));
	set_rate(*++c, r->per_s = growth(t, before, p, "nr_preempted"));
	set_number(*++c, p, "nr_preempted");
	set_time(*++c, p, "off_max_ns");
	set_time(*++c, p, "wait_p99_ns");
	r->is_late = is_late(t, p, r);
	if (r->is_late)
		strcat(r->cells[CLI_TOP_STATE], "!");
}

static void make_device(const struct cli_top *t, const json_t *d, struct cli_top_device *out)
{
	char (*c)[CLI_TOP_CELL] = out->cells;
	const json_t *before;

	copy(*c, CLI_TOP_CELL, d, "id");
	before = json_object_get(t->device_before, *c);
	copy(*++c, CLI_TOP_CELL, d, "gpu");
	copy(*++c, CLI_TOP_CELL, d, "name");
	copy(*++c, CLI_TOP_CELL, d, "policy");
	copy(*++c, CLI_TOP_CELL, d, "breaker");
	if (!strcmp(*c, "closed"))
		strcpy(*c, "ok");
	if (json_is_false(json_object_get(d, "enabled")))
		strcpy(*c, "off");
	if (json_is_string(json_object_get(d, "breaker_reason")))
		copy(out->reason, sizeof(out->reason), d, "breaker_reason");
	set_number(*++c, d, "nr_queues");
	set_number(*++c, d, "nr_busy");
	set_number(*++c, d, "nr_out");
	set_rate(*++c, out->per_s = growth(t, before, d, "nr_preemptions"));
	set_number(*++c, d, "nr_preemptions");
	set_time(*++c, d, "switch_p50_ns");
	set_time(*++c, d, "switch_p99_ns");
	set_time(*++c, d, "wait_p99_ns");
}

static void make_head(struct cli_top *t, const json_t *info)
{
	u32 up = (u32)((u64)cli_number(info, "uptime_ns") / CLI_NS_PER_S);
	json_int_t nr = cli_number(info, "nr_clients");

	if (!info)
		snprintf(t->head, sizeof(t->head), "gpreemptd does not run: the driver alone");
	else
		snprintf(t->head, sizeof(t->head),
			 "gpreemptd %s, up %u:%02u:%02u, %lld client%s", cli_text(info, "version"),
			 up / 3600, up / 60 % 60, up % 60, nr, nr == 1 ? "" : "s");
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

static int make_picture(struct cli_top *t, const json_t *devices, const json_t *processes)
{
	t->nr_devices = (u32)json_array_size(devices);
	t->nr_rows = (u32)json_array_size(processes);
	free(t->devices);
	free(t->rows);
	t->devices = calloc(t->nr_devices + 1, sizeof(*t->devices));
	t->rows = calloc(t->nr_rows + 1, sizeof(*t->rows));
	if (!t->devices || !t->rows) {
		t->nr_devices = t->nr_rows = 0;
		return cli_fail("top", -ENOMEM, NULL);
	}
	for (u32 i = 0; i < t->nr_devices; i++)
		make_device(t, json_array_get(devices, i), &t->devices[i]);
	for (u32 i = 0; i < t->nr_rows; i++)
		make_row(t, json_array_get(processes, i), &t->rows[i]);
	cli_top_trail_add(t);
	json_decref(t->before);
	json_decref(t->device_before);
	t->before = remember(processes, "pid");
	t->device_before = remember(devices, "id");
	t->before_ns = t->now_ns;
	return CLI_GO_ON;
}

/* The bound on the time off the GPU; 0 where nothing tells. */
static u64 ask_max_wait(struct cli_session *s)
{
	json_t *reply = NULL;
	u64 found = 0;

	if (s->is_direct || cli_session_ask(s->g, "GetPolicy", cli_session_device(s), &reply))
		return 0;
	for (size_t i = 0; i < json_array_size(json_object_get(reply, "parameters")); i++) {
		const json_t *p = json_array_get(json_object_get(reply, "parameters"), i);

		if (!strcmp(cli_text(p, "name"), "max_wait_ns"))
			found = (u64)cli_number(p, "value");
	}
	json_decref(reply);
	return found;
}

int cli_top_look(struct cli_top *t, struct cli_session *s)
{
	json_t *info = NULL, *devices = NULL, *processes = NULL;
	int ret = CLI_GO_ON;

	if (!s->is_direct)
		ret = cli_session_call(s, NULL, "GetInfo", NULL, &info);
	if (ret == CLI_GO_ON)
		ret = cli_objects_get(s, CLI_OBJECT_DEVICE, &devices);
	if (ret == CLI_GO_ON)
		ret = cli_objects_get(s, CLI_OBJECT_PROCESS, &processes);
	t->now_ns = cli_now_ns();
	if (ret == CLI_GO_ON) {
		t->max_wait_ns = ask_max_wait(s);
		make_head(t, info);
		ret = make_picture(t, devices, processes);
	}
	json_decref(info);
	json_decref(devices);
	json_decref(processes);
	return ret;
}

void cli_top_fini(struct cli_top *t)
{
	free(t->devices);
	free(t->rows);
	cli_top_trail_fini(t);
	json_decref(t->before);
	json_decref(t->device_before);
	memset(t, 0, sizeof(*t));
}

const json_t *cli_top_process(const struct cli_top *t, u32 pid)
{
	char key[16];

	snprintf(key, sizeof(key), "%u", pid);
	return json_object_get(t->before, key);
}

void cli_top_bar(const struct cli_top_row *r, u32 *run, u32 *off)
{
	u64 ran = (u64)max(r->run_ppm, 0.0);
	u64 was_off = (u64)max(r->off_ppm, 0.0);

	*run = (u32)((ran * CLI_TOP_BAR + 500000) / 1000000);
	*off = min((u32)((was_off * CLI_TOP_BAR + 500000) / 1000000), CLI_TOP_BAR - *run);
}

/* The cell has only as many of its GPUs as fit. */
static bool is_on(const json_t *process, const char *gpu)
{
	const json_t *gpus = json_object_get(process, "gpu");

	for (size_t i = 0; i < json_array_size(gpus); i++) {
		if (!strcmp(json_string_value(json_array_get(gpus, i)), gpu))
			return true;
	}
	return false;
}

bool cli_top_matches(const struct cli_top *t, const struct cli_top_row *r, const char *text,
		     const char *gpu)
{
	if (*gpu && !is_on(cli_top_process(t, r->pid), gpu))
		return false;
	return !*text || strstr(r->cells[CLI_TOP_COMMAND], text) ||
	       strstr(r->cells[CLI_TOP_PID], text);
}
