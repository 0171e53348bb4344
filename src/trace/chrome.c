// SPDX-License-Identifier: MIT
/*
 * The format is Google's "Trace Event Format": an object whose traceEvents are
 * objects with a phase "ph"; times are microseconds and may have a fraction.
 */
#include "trace/chrome.h"

/* Microseconds of an hour have 10 digits, nanoseconds add 3. */
#define REAL_DIGITS 15

void trace_chrome_begin(struct trace_chrome *c, FILE *out)
{
	*c = (struct trace_chrome){ .out = out };
	if (fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out) == EOF)
		c->error = -EIO;
}

/* Takes the reference to @event, which may be NULL. */
static void write_event(struct trace_chrome *c, json_t *event)
{
	if (!event && !c->error)
		c->error = -ENOMEM;
	if (c->error) {
		json_decref(event);
		return;
	}
	if (fputs(c->nr_events++ ? ",\n" : "\n", c->out) == EOF ||
	    json_dumpf(event, c->out, JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS)))
		c->error = -EIO;
	json_decref(event);
}

static double in_us(u64 ns)
{
	return (double)ns / 1000.0;
}

/* A name, and its place among the others. */
static void write_name(struct trace_chrome *c, const char *what, u32 pid, u32 tid, u32 order,
		       const char *name)
{
	char key[32];

	snprintf(key, sizeof(key), "%s_name", what);
	write_event(c, json_pack("{s:s, s:s, s:I, s:I, s:{s:s}}", "ph", "M", "name", key, "pid",
				 (json_int_t)pid, "tid", (json_int_t)tid, "args", "name", name));
	snprintf(key, sizeof(key), "%s_sort_index", what);
	write_event(c, json_pack("{s:s, s:s, s:I, s:I, s:{s:I}}", "ph", "M", "name", key, "pid",
				 (json_int_t)pid, "tid", (json_int_t)tid, "args", "sort_index",
				 (json_int_t)order));
}

void trace_chrome_name_process(struct trace_chrome *c, u32 pid, const char *name)
{
	write_name(c, "process", pid, 0, pid, name);
}

void trace_chrome_name_track(struct trace_chrome *c, u32 pid, u32 tid, const char *name)
{
	write_name(c, "thread", pid, tid, tid, name);
}

static json_t *event_json(const char *phase, const struct trace_chrome_event *e)
{
	json_t *o = json_pack("{s:s, s:s, s:s, s:I, s:I, s:f}", "ph", phase, "name", e->name,
			      "cat", e->category, "pid", (json_int_t)e->pid,
			      "tid", (json_int_t)e->tid, "ts", in_us(e->from_ns));

	if (o && e->arg_name)
		json_object_set_new(o, "args",
				    json_pack("{s:I}", e->arg_name, (json_int_t)e->arg));
	return o;
}

void trace_chrome_complete(struct trace_chrome *c, const struct trace_chrome_event *e)
{
	json_t *o = event_json("X", e);

	if (o)
		json_object_set_new(o, "dur", json_real(in_us(e->to_ns - e->from_ns)));
	write_event(c, o);
}

void trace_chrome_async(struct trace_chrome *c, const struct trace_chrome_event *e, u64 id)
{
	json_t *o = event_json("b", e), *last = event_json("e", e);

	if (o)
		json_object_set_new(o, "id", json_integer((json_int_t)id));
	if (last)
		json_object_update_new(last, json_pack("{s:I, s:f}", "id", (json_int_t)id, "ts",
						       in_us(e->to_ns)));
	write_event(c, o);
	write_event(c, last);
}

void trace_chrome_counter(struct trace_chrome *c, const struct trace_chrome_event *e)
{
	write_event(c, event_json("C", e));
}

void trace_chrome_instant(struct trace_chrome *c, const struct trace_chrome_event *e)
{
	json_t *o = event_json("i", e);

	if (o)
		json_object_set_new(o, "s", json_string("p"));
	write_event(c, o);
}

void trace_chrome_flow(struct trace_chrome *c, enum trace_chrome_flow kind, u64 id,
		       const struct trace_chrome_event *e)
{
	static const char *const phase[] = {
		[TRACE_CHROME_FLOW_START] = "s",
		[TRACE_CHROME_FLOW_STEP] = "t",
		[TRACE_CHROME_FLOW_END] = "f",
	};
	json_t *o = event_json(phase[kind], e);

	if (o) {
		json_object_set_new(o, "id", json_integer((json_int_t)id));
		/* Bind to the box that encloses the point, not to the next one. */
		json_object_set_new(o, "bp", json_string("e"));
	}
	write_event(c, o);
}

int trace_chrome_finish(struct trace_chrome *c)
{
	if (!c->error && fputs("\n]", c->out) == EOF)
		c->error = -EIO;
	if (!c->error && c->about &&
	    (fputs(",\"otherData\":", c->out) == EOF ||
	     json_dumpf(c->about, c->out, JSON_COMPACT | JSON_SORT_KEYS)))
		c->error = -EIO;
	if (!c->error && (fputs("}\n", c->out) == EOF || fflush(c->out)))
		c->error = -EIO;
	return c->error;
}
