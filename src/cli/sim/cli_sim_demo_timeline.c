// SPDX-License-Identifier: MIT
/* Timelines of the demo's page: one request without and with, and its preemption from closer. */
#include "cli/sim/cli_sim_demo_page.h"

#include "trace/report.h"

#include <stdlib.h>

/* The tracks of the page; the run has more. */
enum { TRACK_ONLINE,
       TRACK_VICTIM,
       TRACK_NODE,
       TRACK_COUNT };

/* Kinds of boxes are colours: one for each side, whatever the picture. */
enum {
	KIND_ONLINE = 0,
	KIND_MOVE = 1,
	KIND_OFF = 2,
	KIND_OFFLINE = 3,
	KIND_WAIT = 4,
	KIND_SWITCH = 5,
	KIND_COUNT
};

struct episode {
	const struct cli_recorder *rec;
	const struct cli_preemption *p;
	const struct sim_span *restore;
	u64 saved_ns;
};

static bool kind_of(enum sim_span_kind kind, u32 track, u32 *out)
{
	static const u32 kinds[SIM_SPAN_COUNT] = {
		[SIM_SPAN_SAVE] = KIND_MOVE,
		[SIM_SPAN_RESTORE] = KIND_MOVE,
		[SIM_SPAN_OFF] = KIND_OFF,
		[SIM_SPAN_WAIT] = KIND_WAIT,
		[SIM_SPAN_SWITCH] = KIND_SWITCH,
	};

	if (kind == SIM_SPAN_KERNEL)
		*out = track == TRACK_ONLINE ? KIND_ONLINE : KIND_OFFLINE;
	else
		*out = kinds[kind];
	/* That the offline job waits for its next kernel is of no interest. */
	return track == TRACK_ONLINE || *out != KIND_WAIT;
}

/* Kernels of the online track that end between two times; and the end of the @wanted-th. */
static u64 count_kernels(const struct cli_recorder *rec, u32 track, u64 from_ns, u64 to_ns,
			 u64 wanted, u64 *end_ns)
{
	u64 nr = 0;

	for (u64 i = 0; i < rec->nr_spans; i++) {
		const struct sim_span *s = &rec->spans[i];

		if (s->track != track || s->kind != SIM_SPAN_KERNEL || s->from_ns < from_ns ||
		    s->to_ns > to_ns)
			continue;
		if (++nr == wanted)
			*end_ns = s->to_ns;
	}
	return nr;
}

static u64 map_spans(const struct cli_recorder *rec, const struct cli_preemption *p,
		     struct trace_report_span *out)
{
	u64 nr = 1;

	for (u64 i = 0; i < rec->nr_spans; i++) {
		const struct sim_span *s = &rec->spans[i];
		u32 track, kind;

		if (s->track == p->track)
			track = TRACK_ONLINE;
		else if (s->track == p->victim_track)
			track = TRACK_VICTIM;
		else if (s->track + 1 == rec->nr_tracks)
			track = TRACK_NODE;
		else
			continue;
		if (kind_of(s->kind, track, &kind))
			out[nr++] = (struct trace_report_span){ track, kind, s->from_ns, s->to_ns };
	}
	return nr;
}

/* When the request of an episode ends in a run; @to_ns if it does not by then. */
static u64 request_end(const struct episode *e, const struct cli_recorder *rec, u64 to_ns)
{
	u64 end = to_ns;
	u64 nr = count_kernels(e->rec, e->p->track, e->p->doorbell_ns, e->restore->from_ns, 0,
			       &end);

	count_kernels(rec, e->p->track, e->p->doorbell_ns, to_ns, nr, &end);
	return end;
}

static void draw(FILE *out, struct trace_report_timeline *t, const struct episode *e,
		 const struct cli_recorder *rec, u32 nr_tracks, struct trace_report_span *spans)
{
	static const char *const kinds[KIND_COUNT] = {
		[KIND_ONLINE] = "online kernel",
		[KIND_MOVE] = "saved or restored",
		[KIND_OFF] = "off the GPU",
		[KIND_OFFLINE] = "offline kernel",
		[KIND_WAIT] = "online waits",
		[KIND_SWITCH] = "switch",
	};
	const char *tracks[TRACK_COUNT] = {
		rec->tracks[e->p->track],
		rec->tracks[e->p->victim_track],
		"node: switches of the scheduler",
	};

	t->zero_ns = e->p->doorbell_ns;
	t->nr_tracks = nr_tracks;
	t->tracks = tracks;
	t->nr_kinds = nr_tracks == TRACK_COUNT ? KIND_COUNT : KIND_SWITCH;
	t->kinds = kinds;
	t->spans = spans;
	/* On the stock driver the request waits wherever none of its kernels runs. */
	spans[0] = (struct trace_report_span){ TRACK_ONLINE, KIND_WAIT, e->p->doorbell_ns,
					       rec == e->rec ? e->p->doorbell_ns :
							       request_end(e, rec, t->to_ns) };
	t->nr_spans = map_spans(rec, e->p, spans);
	trace_report_timeline(out, t);
}

static void draw_closer(FILE *out, const struct episode *e, struct trace_report_span *spans)
{
	struct trace_report_arrow arrows[] = {
		{ TRACK_ONLINE, e->p->doorbell_ns, TRACK_VICTIM, e->p->save_ns },
		{ TRACK_VICTIM, e->saved_ns, TRACK_ONLINE, e->p->first_wave_ns },
	};
	u64 latency = e->p->first_wave_ns - e->p->doorbell_ns;
	struct trace_report_timeline t = {
		.description = "The same preemption from the doorbell to the first wave",
		.from_ns = e->p->doorbell_ns - min(latency / 4, e->p->doorbell_ns),
		.to_ns = e->p->first_wave_ns + latency / 2,
		.nr_arrows = ARRAY_SIZE(arrows),
		.arrows = arrows,
	};

	trace_report_paragraph(out,
			       "From closer: the doorbell leads to the save of the victim's waves, "
			       "and that to the first wave of the request.");
	draw(out, &t, e, e->rec, TRACK_COUNT, spans);
}

static void draw_both(FILE *out, const struct cli_demo_runs *runs, const struct episode *e,
		      struct trace_report_span *spans)
{
	u64 whole = e->restore->to_ns - e->p->doorbell_ns;
	struct trace_report_timeline t = {
		.description = "One request beside offline work, on the stock driver",
		.from_ns = e->p->doorbell_ns - min(whole / 4, e->p->doorbell_ns),
		.to_ns = e->restore->to_ns + whole * 2,
	};

	trace_report_paragraph(out, "Stock driver: the request waits for the kernels that run. "
				    "Time 0 "
				    "is its doorbell.");
	draw(out, &t, e, &runs->without, TRACK_NODE, spans);
	t.description = "The same request with preemption";
	trace_report_paragraph(out, "gpreempt: offline work is saved, the request runs, "
				    "offline work "
				    "goes on where it was.");
	draw(out, &t, e, &runs->with, TRACK_NODE, spans);
}

/* What came of a preemption: the save of its victim, or the next restore; NULL = did not come. */
static const struct sim_span *find_span(const struct cli_recorder *rec,
					const struct cli_preemption *p, enum sim_span_kind kind)
{
	for (u64 i = 0; i < rec->nr_spans; i++) {
		const struct sim_span *s = &rec->spans[i];

		if (s->kind == kind && s->track == p->victim_track &&
		    (kind == SIM_SPAN_SAVE ? s->from_ns == p->save_ns : s->from_ns > p->save_ns))
			return s;
	}
	return NULL;
}

/*
 * The first preemption whose victim came back: later ones have requests in front of them on the
 * stock driver, and would not show what happens to one.
 */
static bool find_episode(const struct cli_recorder *rec, struct episode *e)
{
	const struct sim_span *save;

	for (u64 i = 0; i < rec->nr_preemptions; i++) {
		e->rec = rec;
		e->p = &rec->preemptions[i];
		e->restore = find_span(rec, e->p, SIM_SPAN_RESTORE);
		save = find_span(rec, e->p, SIM_SPAN_SAVE);
		e->saved_ns = save ? save->to_ns : e->p->save_ns;
		if (e->restore)
			return true;
	}
	return false;
}

int cli_demo_timelines(FILE *out, const struct cli_comparison *c, const struct cli_demo_runs *runs)
{
	struct trace_report_span *spans;
	struct episode e;

	if (!find_episode(&runs->with, &e)) {
		trace_report_paragraph(out, "Nothing was preempted in this run.");
		return 0;
	}
	spans = calloc(1 + max(runs->with.nr_spans, runs->without.nr_spans), sizeof(*spans));
	if (!spans)
		return -ENOMEM;
	draw_both(out, runs, &e, spans);
	draw_closer(out, &e, spans);
	free(spans);
	return 0;
}
