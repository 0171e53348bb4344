// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_trace.h"

#include <stdlib.h>
#include <string.h>

#define NODE_NAME "node"

static struct gp_sim_trace *to_trace(struct gp_observer *o)
{
	return container_of(o, struct gp_sim_trace, base);
}

static bool is_node(const char *class_name, u32 track, const struct gp_sim_trace *t)
{
	return track && !strcmp(class_name, NODE_NAME) && track == t->nr_tracks;
}

/* Tracks come in order; queue 0 begins a new process. */
static void on_track(struct gp_observer *o, u32 track, const char *class_name, u32 process,
		     u32 queue)
{
	struct gp_sim_trace *t = to_trace(o);
	char name[GP_NAME_MAX + 32];
	struct gp_track_name *mem;

	if (track != t->nr_tracks || t->chrome.error)
		return;
	mem = realloc(t->tracks, (track + 1) * sizeof(*mem));
	if (!mem) {
		t->chrome.error = -ENOMEM;
		return;
	}
	t->tracks = mem;
	if (!queue) {
		t->nr_pids++;
		snprintf(name, sizeof(name), "%s %u", class_name, process);
		gp_chrome_name_process(&t->chrome, t->nr_pids,
				       is_node(class_name, track, t) ? class_name : name);
	}
	snprintf(name, sizeof(name), "queue %u", queue);
	gp_chrome_name_track(&t->chrome, t->nr_pids, queue + 1,
			     is_node(class_name, track, t) ? "switches" : name);
	t->tracks[t->nr_tracks++] = (struct gp_track_name){ t->nr_pids, queue + 1 };
}

static const char *arg_name(enum gp_span_kind kind)
{
	switch (kind) {
	case GP_SPAN_KERNEL:
		return "packet";
	case GP_SPAN_SAVE:
	case GP_SPAN_RESTORE:
		return "bytes";
	case GP_SPAN_SWITCH:
		return "members";
	default:
		return NULL;
	}
}

/* A switch says how many members each of its sets has. */
static u32 nr_preempt(const struct gp_span *span)
{
	return (u32)(span->arg >> 32);
}

static u32 nr_resume(const struct gp_span *span)
{
	return (u32)span->arg;
}

static const char *span_name(const struct gp_span *span)
{
	if (span->kind != GP_SPAN_SWITCH)
		return gp_span_kind_name(span->kind);
	if (nr_preempt(span) && nr_resume(span))
		return "preempt and resume";
	return nr_preempt(span) ? "preempt" : "resume";
}

static void on_span(struct gp_observer *o, const struct gp_span *span)
{
	struct gp_sim_trace *t = to_trace(o);
	const char *name = span_name(span);
	const char *arg = arg_name(span->kind);
	bool is_switch = span->kind == GP_SPAN_SWITCH;

	if (span->track >= t->nr_tracks)
		return;
	gp_chrome_complete(&t->chrome, &(struct gp_chrome_event){
		.pid = t->tracks[span->track].pid,
		.tid = t->tracks[span->track].tid,
		.name = name,
		.category = gp_span_kind_name(span->kind),
		.from_ns = span->from_ns,
		.to_ns = span->to_ns,
		.arg_name = span->arg || span->kind == GP_SPAN_KERNEL ? arg : NULL,
		.arg = is_switch ? nr_preempt(span) + nr_resume(span) : span->arg,
	});
}

static void flow(struct gp_sim_trace *t, enum gp_chrome_flow kind, u32 track, u64 at_ns)
{
	gp_chrome_flow(&t->chrome, kind, t->nr_flows, &(struct gp_chrome_event){
		.pid = t->tracks[track].pid,
		.tid = t->tracks[track].tid,
		.name = "preemption",
		.category = "preemption",
		.from_ns = at_ns,
	});
}

static void on_preemption(struct gp_observer *o, u32 track, u64 doorbell_ns, u32 victim_track,
			  u64 save_ns, u64 first_wave_ns)
{
	struct gp_sim_trace *t = to_trace(o);

	if (track >= t->nr_tracks || victim_track >= t->nr_tracks)
		return;
	t->nr_flows++;
	flow(t, GP_CHROME_FLOW_START, track, doorbell_ns);
	flow(t, GP_CHROME_FLOW_STEP, victim_track, save_ns);
	flow(t, GP_CHROME_FLOW_END, track, first_wave_ns);
}

static void on_mark(struct gp_observer *o, u64 now_ns, const char *text)
{
	struct gp_sim_trace *t = to_trace(o);

	if (!t->nr_tracks)
		return;
	gp_chrome_instant(&t->chrome, &(struct gp_chrome_event){
		.pid = t->tracks[t->nr_tracks - 1].pid,
		.tid = t->tracks[t->nr_tracks - 1].tid,
		.name = text,
		.category = "report",
		.from_ns = now_ns,
	});
}

int gp_sim_trace_open(struct gp_sim_trace *t, const char *path)
{
	int err;

	memset(t, 0, sizeof(*t));
	t->base = (struct gp_observer){
		.track = on_track,
		.span = on_span,
		.preemption = on_preemption,
		.mark = on_mark,
	};
	err = gp_outfile_open(&t->out, path);
	if (!err)
		gp_chrome_begin(&t->chrome, t->out.file);
	return err;
}

int gp_sim_trace_commit(struct gp_sim_trace *t)
{
	int err = gp_chrome_finish(&t->chrome);

	return err ? err : gp_outfile_commit(&t->out);
}

void gp_sim_trace_fini(struct gp_sim_trace *t)
{
	gp_outfile_abort(&t->out);
	free(t->tracks);
	memset(t, 0, sizeof(*t));
}
