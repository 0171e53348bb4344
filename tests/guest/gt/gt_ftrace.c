// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_ftrace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "gt/gt.h"

#define TRACING "/sys/kernel/tracing/"
#define CPU "/sys/devices/system/cpu/cpu1/online"

static void set(const char *file, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), TRACING "%s", file);
	GT_CHECK(!gt_write_file(path, "%s", value), "%s: %s", path, strerror(errno));
}

static void set_second_processor(const char *value)
{
	if (gt_write_file(CPU, "%s", value))
		GT_CHECK(errno == ENOENT, "cpu1: %s", strerror(errno));
}

/*
 * Switching a tracepoint patches code that runs. An emulated second processor has been seen
 * to trip over that, so it is not there meanwhile, and it is done once for a case only: it
 * is the buffer that is switched on and off. To record names patches the scheduler's code.
 */
static void enable_events(bool with_log)
{
	static bool is_done;

	if (is_done)
		return;
	set_second_processor("0");
	set("options/record-cmd", "0");
	/* Without the module there is none of it. */
	if (!access(TRACING "events/gpreempt", F_OK))
		set("events/gpreempt/enable", "1");
	set("events/kfdsim/enable", "1");
	if (with_log)
		set("events/printk/console/enable", "1");
	set_second_processor("1");
	is_done = true;
}

static void start(bool with_log)
{
	if (mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL) && errno != EBUSY)
		gt_fail("tracefs: %s", strerror(errno));
	set("tracing_on", "0");
	set("trace_clock", "mono");
	set("buffer_size_kb", "8192");
	set("trace", "");
	enable_events(with_log);
	set("tracing_on", "1");
}

void gt_ftrace_start(void)
{
	start(false);
}

void gt_ftrace_start_with_log(void)
{
	start(true);
}

/* "    <...>-12   [000] .....  1234.567890: EVENT: arguments" */
static bool parse(char *line, struct gt_ftrace_line *l)
{
	unsigned long s, us;
	char *cpu = strstr(line, " [0"), *time, *text, *dash;

	if (line[0] == '#' || !cpu)
		return false;
	text = strstr(cpu, ": ");
	time = text;
	while (time && time > cpu && time[-1] != ' ')
		time--;
	if (!text || sscanf(time, "%lu.%lu", &s, &us) != 2)
		return false;
	l->ns = s * 1000000000ull + us * 1000;
	*cpu = 0;
	dash = strrchr(line, '-');
	l->pid = dash ? atoi(dash + 1) : 0;
	text[strcspn(text, "\n")] = 0;
	snprintf(l->text, sizeof(l->text), "%s", text + 2);
	return true;
}

static void append(struct gt_ftrace *t, size_t *room, const struct gt_ftrace_line *l)
{
	if (t->nr == *room) {
		*room = *room ? *room * 2 : 1024;
		t->line = realloc(t->line, *room * sizeof(*t->line));
		GT_CHECK(t->line, "memory");
	}
	t->line[t->nr++] = *l;
}

void gt_ftrace_stop(struct gt_ftrace *t)
{
	FILE *f = fopen(TRACING "trace", "re");
	struct gt_ftrace_line l;
	size_t room = 0;
	char line[512];

	set("tracing_on", "0");
	GT_CHECK(f, "trace: %s", strerror(errno));
	*t = (struct gt_ftrace){ 0 };
	while (fgets(line, sizeof(line), f))
		if (parse(line, &l))
			append(t, &room, &l);
	fclose(f);
	set("trace", "");
}

void gt_ftrace_free(struct gt_ftrace *t)
{
	free(t->line);
	*t = (struct gt_ftrace){ 0 };
}

bool gt_ftrace_has(const struct gt_ftrace_line *l, const char *const *texts)
{
	for (; *texts; texts++)
		if (!strstr(l->text, *texts))
			return false;
	return true;
}

size_t gt_ftrace_find(const struct gt_ftrace *t, size_t from, const char *a, const char *b)
{
	const char *const texts[] = { a, b, NULL };

	for (; from < t->nr; from++)
		if (gt_ftrace_has(&t->line[from], texts))
			break;
	return from;
}
