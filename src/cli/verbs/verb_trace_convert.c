// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/verbs/verb_trace_convert.h"

#include "cli/cli_view.h"
#include "trace/chrome.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of tracks that a process has: more than it can have queues. */
#define PER_PROCESS 2048

/* What a track shows; those of a process are in this order. */
enum track_kind {
	TRACK_SWITCH,
	TRACK_STATE,
	TRACK_QUEUE,
};

/* One line of the timeline. */
struct track {
	u32 gpu_id;
	enum track_kind kind;
	u32 pid;	/* 0 for switches */
	u32 queue_id;
	u32 tid;	/* number in the timeline */
	u64 since_ns;	/* begin of the box that is open */
	char name[32];	/* its text; "" = none is open */
};

struct convert {
	struct trace_chrome chrome;
	json_t *names;	/* what processes are called: {"PID": "comm"} */
	struct track *tracks;
	u32 nr;
	u64 end_ns;	/* time of the last event */
};

static const char *name_of(const struct convert *c, u32 pid)
{
	char key[16];

	snprintf(key, sizeof(key), "%u", pid);
	return cli_text(c->names, key);
}

static void name_track(struct convert *c, const struct track *t)
{
	char name[96];

	if (t->kind == TRACK_SWITCH)
		strcpy(name, "switches");
	else if (t->kind == TRACK_STATE)
		snprintf(name, sizeof(name), "%u %.31s", t->pid, name_of(c, t->pid));
	else
		snprintf(name, sizeof(name), "%u queue %u", t->pid, t->queue_id);
	trace_chrome_name_track(&c->chrome, t->gpu_id, t->tid, name);
}

static u32 offset_of(const struct track *t)
{
	return t->kind == TRACK_STATE ? 0 : 1 + t->queue_id % (PER_PROCESS - 1);
}

static bool is_new_device(const struct convert *c, u32 gpu_id)
{
	for (u32 i = 0; i < c->nr; i++) {
		if (c->tracks[i].gpu_id == gpu_id)
			return false;
	}
	return true;
}

/* Switches come first, then the processes in order of appearance, each with its queues. */
static u32 number_track(const struct convert *c, const struct track *want)
{
	u32 nr_processes = 0;

	if (want->kind == TRACK_SWITCH)
		return 1;
	for (u32 i = 0; i < c->nr; i++) {
		const struct track *t = &c->tracks[i];

		if (t->gpu_id != want->gpu_id || t->kind == TRACK_SWITCH)
			continue;
		if (t->pid == want->pid)
			return t->tid / PER_PROCESS * PER_PROCESS + offset_of(want);
		nr_processes = max(nr_processes, t->tid / PER_PROCESS);
	}
	return (nr_processes + 1) * PER_PROCESS + offset_of(want);
}

/* The track, made if there is none; NULL = no memory. */
static struct track *get_track(struct convert *c, const struct track *want)
{
	char name[32];

	for (u32 i = 0; i < c->nr; i++) {
		struct track *t = &c->tracks[i];

		if (t->gpu_id == want->gpu_id && t->kind == want->kind && t->pid == want->pid &&
		    t->queue_id == want->queue_id)
			return t;
	}
	if (is_new_device(c, want->gpu_id)) {
		snprintf(name, sizeof(name), "gpu:%u", want->gpu_id);
		trace_chrome_name_process(&c->chrome, want->gpu_id, name);
	}
	/* Room for as many again. */
	if (!(c->nr & (c->nr - 1))) {
		void *mem = realloc(c->tracks, max(2 * c->nr, 1u) * sizeof(*c->tracks));

		if (!mem)
			return NULL;
		c->tracks = mem;
	}
	c->tracks[c->nr] = *want;
	c->tracks[c->nr].tid = number_track(c, want);
	name_track(c, &c->tracks[c->nr]);
	return &c->tracks[c->nr++];
}

static void close_box(struct convert *c, struct track *t, u64 now_ns)
{
	static const char *const categories[] = { "switch", "state", "busy" };
	struct trace_chrome_event e = {
		.pid = t->gpu_id, .tid = t->tid, .name = t->name, .category = categories[t->kind],
		.from_ns = t->since_ns, .to_ns = max(now_ns, t->since_ns),
	};

	if (t->name[0])
		trace_chrome_complete(&c->chrome, &e);
	t->name[0] = '\0';
}

/* Ends the box that is open and begins another; "" = none. */
static int set_box(struct convert *c, const struct track *want, const char *name, u64 now_ns)
{
	struct track *t = get_track(c, want);

	if (!t)
		return -ENOMEM;
	close_box(c, t, now_ns);
	t->since_ns = now_ns;
	snprintf(t->name, sizeof(t->name), "%s", name);
	return 0;
}

static int add_instant(struct convert *c, const json_t *e, u32 gpu_id, u64 now_ns)
{
	struct track want = { .gpu_id = gpu_id, .kind = TRACK_SWITCH };
	struct track *t = get_track(c, &want);
	char name[200];
	struct trace_chrome_event i = {
		.pid = gpu_id,
		.name = name,
		.category = cli_text(e, "kind"),
		.from_ns = now_ns,
		.arg_name = "pid",
		.arg = (u64)cli_number(e, "pid"),
	};

	if (!t)
		return -ENOMEM;
	i.tid = t->tid;
	snprintf(name, sizeof(name), "%s: %s", cli_text(e, "kind"), cli_text(e, "text"));
	trace_chrome_instant(&c->chrome, &i);
	return 0;
}

/* "old -> new" of an entity. Idle is an empty line. */
static int add_state(struct convert *c, const json_t *e, struct track want, u64 now_ns)
{
	const char *arrow = strstr(cli_text(e, "text"), " -> ");

	if (!arrow || strcmp(cli_text(json_object_get(e, "data"), "record"), "state"))
		return 0;
	want.kind = TRACK_STATE;
	return set_box(c, &want, strcmp(arrow + 4, "idle") ? arrow + 4 : "", now_ns);
}

static int add_event(struct convert *c, const json_t *e)
{
	const char *kind = cli_text(e, "kind");
	u64 now_ns = (u64)cli_number(e, "time_ns");
	struct track want = {
		.gpu_id = (u32)cli_number(e, "gpu_id"),
		.pid = (u32)cli_number(e, "pid"),
	};
	char name[32];

	if (!*kind || !json_is_integer(json_object_get(e, "time_ns")))
		return -EINVAL;
	c->end_ns = max(c->end_ns, now_ns);
	if (!want.gpu_id)
		return 0;
	if (!strcmp(kind, "trace"))
		return add_state(c, e, want, now_ns);
	if (!strcmp(kind, "busy") || !strcmp(kind, "idle")) {
		want.kind = TRACK_QUEUE;
		want.queue_id = (u32)cli_number(e, "queue_id");
		return set_box(c, &want, *kind == 'b' ? "busy" : "", now_ns);
	}
	want.pid = 0;
	if (!strcmp(kind, "switch")) {
		snprintf(name, sizeof(name), "switch %llu",
			 (unsigned long long)cli_number(json_object_get(e, "data"), "seq"));
		return set_box(c, &want, name, now_ns);
	}
	if (!strcmp(kind, "done"))
		return set_box(c, &want, "", now_ns);
	return add_instant(c, e, want.gpu_id, now_ns);
}

static int read_head(struct convert *c, const char *text)
{
	json_t *head = json_loads(text, 0, NULL);
	json_t *list = json_object_get(head, "processes");
	int ret = strcmp(cli_text(head, "schema"), "gpreempt.trace/1") ? -EINVAL : 0;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *p = json_array_get(list, i);
		char key[16];

		snprintf(key, sizeof(key), "%u", (u32)cli_number(p, "pid"));
		json_object_set_new(c->names, key, json_string(cli_text(p, "comm")));
	}
	json_decref(head);
	return ret;
}

static int read_line(struct convert *c, const char *text, bool is_first)
{
	json_t *event;
	int ret;

	if (is_first)
		return read_head(c, text);
	event = json_loads(text, 0, NULL);
	ret = json_is_object(event) ? add_event(c, event) : -EINVAL;
	json_decref(event);
	return ret;
}

int cli_trace_convert(FILE *in, FILE *out, unsigned long *line)
{
	struct convert c = { .names = json_object() };
	size_t cap = 0;
	char *text = NULL;
	int ret = 0;

	trace_chrome_begin(&c.chrome, out);
	for (*line = 0; !ret && getline(&text, &cap, in) > 0;)
		ret = read_line(&c, text, !(*line)++);
	if (!ret && !*line)
		ret = -EINVAL;
	for (u32 i = 0; i < c.nr; i++)
		close_box(&c, &c.tracks[i], c.end_ns);
	if (!ret)
		ret = trace_chrome_finish(&c.chrome);
	json_decref(c.names);
	free(c.tracks);
	free(text);
	return ret;
}
