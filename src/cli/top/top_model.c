// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/top/top_model.h"

#include <stdlib.h>
#include <string.h>

#define DEVICE_FORMAT "%-10s %-12.12s %-7.7s %-9.9s %6s %5s %4s %10s %10s %9s %9s"
#define DEVICE_WIDTH 101
#define ROW_FORMAT "%8s  %-16.16s %-11.11s %4s  %-6.6s %6s %4s  %-10.10s %6s %6s %7s %9s %9s"
#define ROW_WIDTH 117
/* The same in 80 columns: %.0s leaves one out. */
#define DEVICE_NARROW "%-10s%.0s %-6.6s %-9.9s %6s %4s %4s %7s %9s %8s %8s"
#define ROW_NARROW "%8s %-12.12s%.0s %4s %-6.6s%.0s %4s %-10.10s %5s %5s %6s%.0s %8s"

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

static void make_row(const struct cli_top *t, const json_t *p, struct cli_top_row *r)
{
	const json_t *attributes = json_object_get(p, "attributes"), *before;
	const json_t *prio = json_object_get(attributes, "priority");
	char (*c)[CLI_TOP_CELL] = r->cells;
	double run;

	r->pid = (u32)cli_number(p, "pid");
	set_number(*c, p, "pid");
	before = json_object_get(t->before, *c);
	copy(*++c, CLI_TOP_CELL, p, "comm");
	copy(*++c, CLI_TOP_CELL, attributes, "class");
	copy(*++c, CLI_TOP_CELL, attributes, "priority");
	list_devices(json_object_get(p, "gpus"), *++c, CLI_TOP_CELL);
	set_number(*++c, p, "nr_queues");
	set_number(*++c, p, "nr_busy");
	copy(*++c, CLI_TOP_CELL, p, "state");
	if (cli_has(p, "held", "manual"))
		strcpy(*c, "suspended");
	run = growth(t, before, p, "run_ns");
	r->keys[CLI_TOP_BY_RUN] = set_share(*++c, run);
	r->keys[CLI_TOP_BY_OFF] = set_share(*++c, off_growth(t, before, p, run));
	set_rate(*++c, growth(t, before, p, "nr_preempted"));
	set_number(*++c, p, "nr_preempted");
	set_time(*++c, p, "off_max_ns");
	r->keys[CLI_TOP_BY_PRIO] = json_is_integer(prio) ? (double)json_integer_value(prio) : -1;
	r->keys[CLI_TOP_BY_PREEMPTED] = (double)cli_number(p, "nr_preempted");
	r->keys[CLI_TOP_BY_PID] = r->pid;
}

static void make_device(const struct cli_top *t, const json_t *d, struct cli_top_device *out)
{
	char (*c)[CLI_TOP_CELL] = out->cells;
	const json_t *before;

	copy(*c, CLI_TOP_CELL, d, "id");
	before = json_object_get(t->device_before, *c);
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
	set_rate(*++c, growth(t, before, d, "nr_preemptions"));
	set_number(*++c, d, "nr_preemptions");
	set_time(*++c, d, "switch_p50_ns");
	set_time(*++c, d, "switch_p99_ns");
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
	json_decref(t->before);
	json_decref(t->device_before);
	t->before = remember(processes, "pid");
	t->device_before = remember(devices, "id");
	t->before_ns = t->now_ns;
	return CLI_GO_ON;
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
		make_head(t, info);
		ret = make_picture(t, devices, processes);
	}
	json_decref(info);
	json_decref(devices);
	json_decref(processes);
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

struct order {
	enum cli_top_sort by;
	bool is_up;
};

static int compare(const void *a, const void *b, void *arg)
{
	const struct cli_top_row *x = a, *y = b;
	const struct order *o = arg;
	double kx = x->keys[o->by], ky = y->keys[o->by];

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

const char *cli_top_device_line(const struct cli_top_device *d, int width, char *out)
{
	bool is_narrow = width < DEVICE_WIDTH;
	const struct cli_top_device header = { .cells = {
						       "DEVICE",
						       "NAME",
						       "POLICY",
						       "HEALTH",
						       "QUEUES",
						       "BUSY",
						       "OUT",
						       "PREEMPT/S",
						       "PREEMPTED",
						       "SW_P50",
						       "SW_P99",
					       } };
	const char(*c)[CLI_TOP_CELL] = d ? d->cells : header.cells;

	snprintf(out, CLI_TOP_LINE, is_narrow ? DEVICE_NARROW : DEVICE_FORMAT, c[0], c[1], c[2],
		 c[3], c[4], c[5], c[6], !d && is_narrow ? "PRE/S" : c[7], c[8], c[9], c[10]);
	return out;
}

const char *cli_top_row_line(const struct cli_top_row *r, int width, char *out)
{
	const struct cli_top_row header = { .cells = {
						    "PID",
						    "COMMAND",
						    "CLASS",
						    "PRIO",
						    "GPU",
						    "QUEUES",
						    "BUSY",
						    "STATE",
						    "RUN%",
						    "OFF%",
						    "PRE/S",
						    "PREEMPTED",
						    "OFF_MAX",
					    } };
	const char(*c)[CLI_TOP_CELL] = r ? r->cells : header.cells;

	snprintf(out, CLI_TOP_LINE, width < ROW_WIDTH ? ROW_NARROW : ROW_FORMAT, c[0], c[1], c[2],
		 c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11], c[12]);
	return out;
}

void cli_top_bar(const struct cli_top_row *r, u32 *run, u32 *off)
{
	u64 ran = (u64)max(r->keys[CLI_TOP_BY_RUN], 0.0);
	u64 was_off = (u64)max(r->keys[CLI_TOP_BY_OFF], 0.0);

	*run = (u32)((ran * CLI_TOP_BAR + 500000) / 1000000);
	*off = min((u32)((was_off * CLI_TOP_BAR + 500000) / 1000000), CLI_TOP_BAR - *run);
}

bool cli_top_matches(const struct cli_top_row *r, const char *text)
{
	return !*text || strstr(r->cells[CLI_TOP_COMMAND], text) ||
	       strstr(r->cells[CLI_TOP_PID], text);
}
