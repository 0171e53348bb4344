// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_trace.h"

#include <stdlib.h>
#include <string.h>

#define NODE_NAME "node"

static struct cli_sim_trace *to_trace(struct sim_observer *o)
{
	return container_of(o, struct cli_sim_trace, base);
}

static bool is_node(const char *class_name, u32 track, const struct cli_sim_trace *t)
{
	return track && !strcmp(class_name, NODE_NAME) && track == t->nr_tracks;
}

/* Tracks come in order; queue 0 begins a new process. */
static void on_track(struct sim_observer *o, u32 track, const char *class_name, u32 process,
		     u32 queue)
{
	struct cli_sim_trace *t = to_trace(o);
	char name[SIM_NAME_MAX + 32];
	struct cli_track_name *mem;

	if (t->next->track)
		t->next->track(t->next, track, class_name, process, queue);
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
		trace_chrome_name_process(&t->chrome, t->nr_pids,
					  is_node(class_name, track, t) ? class_name : name);
	}
	snprintf(name, sizeof(name), "queue %u", queue);
	trace_chrome_name_track(&t->chrome, t->nr_pids, queue + 1,
				is_node(class_name, track, t) ? "switches" : name);
	t->tracks[t->nr_tracks] = (struct cli_track_name){ t->nr_pids, queue + 1, "" };
	snprintf(t->tracks[t->nr_tracks++].class, SIM_NAME_MAX, "%s", class_name);
}

static const char *arg_name(enum sim_span_kind kind)
{
	switch (kind) {
	case SIM_SPAN_KERNEL:
		return "packet";
	case SIM_SPAN_SAVE:
	case SIM_SPAN_RESTORE:
		return "bytes";
	case SIM_SPAN_SWITCH:
		return "members";
	default:
		return NULL;
	}
}

/* A switch says how many members each of its sets has. */
static u32 nr_preempt(const struct sim_span *span)
{
	return (u32)(span->arg >> 32);
}

static u32 nr_resume(const struct sim_span *span)
{
	return (u32)span->arg;
}

static const char *span_name(const struct sim_span *span)
{
	if (span->kind != SIM_SPAN_SWITCH)
		return sim_span_kind_name(span->kind);
	if (nr_preempt(span) && nr_resume(span))
		return "preempt and resume";
	return nr_preempt(span) ? "preempt" : "resume";
}

static void on_span(struct sim_observer *o, const struct sim_span *span)
{
	struct cli_sim_trace *t = to_trace(o);
	const char *name = span_name(span);
	const char *arg = arg_name(span->kind);
	bool is_switch = span->kind == SIM_SPAN_SWITCH;
	char kernel[SIM_NAME_MAX + 16];

	if (t->next->span)
		t->next->span(t->next, span);
	if (span->track >= t->nr_tracks)
		return;
	if (span->kind == SIM_SPAN_KERNEL) {
		snprintf(kernel, sizeof(kernel), "%s kernel", t->tracks[span->track].class);
		name = kernel;
	}
	trace_chrome_complete(&t->chrome, &(struct trace_chrome_event){
		.pid = t->tracks[span->track].pid,
		.tid = t->tracks[span->track].tid,
		.name = name,
		.category = sim_span_kind_name(span->kind),
		.from_ns = span->from_ns,
		.to_ns = span->to_ns,
		.arg_name = span->arg || span->kind == SIM_SPAN_KERNEL ? arg : NULL,
		.arg = is_switch ? nr_preempt(span) + nr_resume(span) : span->arg,
	});
}

static void flow(struct cli_sim_trace *t, enum trace_chrome_flow kind, u32 track, u64 at_ns)
{
	trace_chrome_flow(&t->chrome, kind, t->nr_flows, &(struct trace_chrome_event){
		.pid = t->tracks[track].pid,
		.tid = t->tracks[track].tid,
		.name = "preemption",
		.category = "preemption",
		.from_ns = at_ns,
	});
}

static void on_preemption(struct sim_observer *o, u32 track, u64 doorbell_ns, u32 victim_track,
			  u64 save_ns, u64 first_wave_ns)
{
	struct cli_sim_trace *t = to_trace(o);

	if (t->next->preemption)
		t->next->preemption(t->next, track, doorbell_ns, victim_track, save_ns,
				    first_wave_ns);
	if (track >= t->nr_tracks || victim_track >= t->nr_tracks)
		return;
	t->nr_flows++;
	flow(t, TRACE_CHROME_FLOW_START, track, doorbell_ns);
	flow(t, TRACE_CHROME_FLOW_STEP, victim_track, save_ns);
	flow(t, TRACE_CHROME_FLOW_END, track, first_wave_ns);
}

static void add_edge(struct cli_sim_trace *t, u64 at_ns, u32 pid, s32 by)
{
	struct cli_request_edge *mem = t->edges;

	/* It doubles when their number is a power of two. */
	if (!(t->nr_edges & (t->nr_edges - 1)))
		mem = realloc(t->edges, max(2 * t->nr_edges, (u64)1) * sizeof(*mem));
	if (!mem) {
		t->chrome.error = -ENOMEM;
		return;
	}
	t->edges = mem;
	t->edges[t->nr_edges++] = (struct cli_request_edge){ at_ns, pid, by };
}

static void on_request(struct sim_observer *o, u32 track, u64 arrival_ns, u64 end_ns)
{
	struct cli_sim_trace *t = to_trace(o);

	if (t->next->request)
		t->next->request(t->next, track, arrival_ns, end_ns);
	if (track >= t->nr_tracks)
		return;
	trace_chrome_async(&t->chrome, &(struct trace_chrome_event){
		.pid = t->tracks[track].pid,
		.tid = t->tracks[track].tid,
		.name = "request",
		.category = "request",
		.from_ns = arrival_ns,
		.to_ns = end_ns,
	}, t->nr_edges / 2 + 1);
	add_edge(t, arrival_ns, t->tracks[track].pid, 1);
	add_edge(t, end_ns, t->tracks[track].pid, -1);
}

static int by_process_and_time(const void *a, const void *b)
{
	const struct cli_request_edge *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid > y->pid ? 1 : -1;
	if (x->at_ns != y->at_ns)
		return x->at_ns > y->at_ns ? 1 : -1;
	/* At one time those that end are first: no request is there twice. */
	return x->by - y->by;
}

/* How many requests of each process had come and not ended. */
static void write_counters(struct cli_sim_trace *t)
{
	s64 nr = 0;

	if (t->nr_edges)
		qsort(t->edges, t->nr_edges, sizeof(*t->edges), by_process_and_time);
	for (u64 i = 0; i < t->nr_edges; i++) {
		const struct cli_request_edge *e = &t->edges[i];

		nr += e->by;
		trace_chrome_counter(&t->chrome, &(struct trace_chrome_event){
			.pid = e->pid,
			.name = "requests in progress",
			.category = "request",
			.from_ns = e->at_ns,
			.arg_name = "requests",
			.arg = (u64)nr,
		});
	}
}

static void on_mark(struct sim_observer *o, u64 now_ns, const char *text)
{
	struct cli_sim_trace *t = to_trace(o);

	if (!t->nr_tracks)
		return;
	trace_chrome_instant(&t->chrome, &(struct trace_chrome_event){
		.pid = t->tracks[t->nr_tracks - 1].pid,
		.tid = t->tracks[t->nr_tracks - 1].tid,
		.name = text,
		.category = "report",
		.from_ns = now_ns,
	});
}

static void on_progress(struct sim_observer *o, u64 now_ns, u64 end_ns)
{
	struct sim_observer *next = to_trace(o)->next;

	if (next->progress)
		next->progress(next, now_ns, end_ns);
}

static json_t *about(const struct sim_scenario *sc)
{
	return json_pack("{s:b, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:s}", "simulated", 1,
			 "scenario", sc->name, "title", sc->title, "gpu", sc->gpu, "policy",
			 sc->policy, "mechanism", sim_mechanism_name(sc->mechanism), "detect",
			 sim_detect_name(sc->detect), "seed", (json_int_t)sc->seed, "gpreempt",
			 GP_VERSION);
}

int cli_sim_trace_open(struct cli_sim_trace *t, const char *path, const struct sim_scenario *sc,
		       struct sim_observer *next)
{
	int err;

	memset(t, 0, sizeof(*t));
	t->base = (struct sim_observer){
		.track = on_track,
		.span = on_span,
		.preemption = on_preemption,
		.request = on_request,
		.mark = on_mark,
		.progress = on_progress,
	};
	t->next = next;
	err = cli_outfile_open(&t->out, path);
	if (!err)
		trace_chrome_begin(&t->chrome, t->out.file);
	t->chrome.about = err ? NULL : about(sc);
	return err;
}

int cli_sim_trace_commit(struct cli_sim_trace *t)
{
	int err;

	write_counters(t);
	err = trace_chrome_finish(&t->chrome);
	return err ? err : cli_outfile_commit(&t->out);
}

void cli_sim_trace_fini(struct cli_sim_trace *t)
{
	cli_outfile_abort(&t->out);
	json_decref(t->chrome.about);
	free(t->edges);
	free(t->tracks);
	memset(t, 0, sizeof(*t));
}
