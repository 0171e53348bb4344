// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_demo_page.h"

#include "cli/cli.h"
#include "trace/report.h"

#include <stdlib.h>
#include <string.h>

static const char notice[] =
	"All figures on this page are simulated. They come from a model of the GPU and its driver "
	"in virtual time, not from silicon: they show how the mechanisms differ, not how fast a "
	"given machine is.";

static const char table_text[] =
	"P50 and P99 are latencies of online requests; never, if so many did not end with the run. "
	"P99/ALONE compares with the same class by itself on the stock driver, COMPLETED "
	"says how many requests ended. OFF_GPU and OFF_DONE say what offline work keeps of the GPU "
	"time and of the finished requests that it has by itself. PRE_P50 and PRE_P99 are the time "
	"from the doorbell of the request to its first wave on a compute unit, where another "
	"process had to leave for it. LOST and REPEATED count workgroups.";

static const char curve_text[] =
	"Each curve says which share of the online requests took at most so long. Left is better; "
	"the vertical axis stretches the slowest requests. Line styles are detection modes: solid "
	"doorbell, dashed critical, dotted poll. A request that had not ended with the run counts "
	"as slower than all that had.";

static const char *cell(const void *data, u32 row, u32 column)
{
	return cli_table_cell(data, row, column);
}

static int write_table(FILE *out, const struct cli_comparison *c, enum sim_mechanism mechanism,
		       enum sim_detect detect)
{
	struct cli_table t;
	int err = cli_comparison_table(c, &t);

	if (!err) {
		struct trace_report_table table = {
			.nr_columns = t.nr_columns,
			.nr_left = t.nr_left,
			.nr_rows = t.nr_rows,
			.headers = t.headers,
			.cell = cell,
			.data = &t,
			.marked_row = t.nr_rows,
		};

		for (u32 i = 0; i < c->nr_rows; i++) {
			if (c->rows[i].mechanism == mechanism && c->rows[i].detect == detect)
				table.marked_row = i;
		}
		trace_report_table(out, &table);
	}
	cli_table_fini(&t);
	return err;
}

/* The tracks of the page; the run has more. */
enum { TRACK_ONLINE, TRACK_VICTIM, TRACK_NODE, TRACK_COUNT };

struct episode {
	const struct cli_recorder *rec;
	const struct cli_preemption *p;
	const struct sim_span *restore;
	u64 saved_ns;
};

static u64 map_spans(const struct episode *e, struct trace_report_span *out)
{
	u64 nr = 0;

	for (u64 i = 0; i < e->rec->nr_spans; i++) {
		const struct sim_span *s = &e->rec->spans[i];
		u32 track;

		if (s->track == e->p->track)
			track = TRACK_ONLINE;
		else if (s->track == e->p->victim_track)
			track = TRACK_VICTIM;
		else if (s->track + 1 == e->rec->nr_tracks)
			track = TRACK_NODE;
		else
			continue;
		out[nr++] = (struct trace_report_span){ track, s->kind, s->from_ns, s->to_ns };
	}
	return nr;
}

static void write_timelines(FILE *out, const struct episode *e, struct trace_report_span *spans)
{
	const char *kinds[SIM_SPAN_COUNT];
	const char *tracks[TRACK_COUNT] = {
		e->rec->tracks[e->p->track], e->rec->tracks[e->p->victim_track],
		"node: switches of the scheduler",
	};
	struct trace_report_arrow arrows[] = {
		{ TRACK_ONLINE, e->p->doorbell_ns, TRACK_VICTIM, e->p->save_ns },
		{ TRACK_VICTIM, e->saved_ns, TRACK_ONLINE, e->p->first_wave_ns },
	};
	u64 whole = e->restore->to_ns - e->p->doorbell_ns;
	u64 latency = e->p->first_wave_ns - e->p->doorbell_ns;
	struct trace_report_timeline t = {
		.description = "One preemption from the doorbell to the victim's restore",
		.from_ns = e->p->doorbell_ns - min(whole / 10, e->p->doorbell_ns),
		.to_ns = e->restore->to_ns + whole / 10,
		.zero_ns = e->p->doorbell_ns,
		.nr_tracks = TRACK_COUNT,
		.tracks = tracks,
		.nr_kinds = SIM_SPAN_COUNT,
		.kinds = kinds,
		.nr_spans = map_spans(e, spans),
		.spans = spans,
	};

	for (u32 i = 0; i < SIM_SPAN_COUNT; i++)
		kinds[i] = sim_span_kind_name((enum sim_span_kind)i);
	trace_report_paragraph(out,
			       "From the doorbell of an online request, which is time 0, until "
			       "the victim goes on where it was stopped:");
	trace_report_timeline(out, &t);
	trace_report_paragraph(out,
			       "The same preemption from closer: the doorbell leads to the save "
			       "of the victim's waves, and that to the first wave of the request.");
	t.description = "The same preemption from the doorbell to the first wave";
	t.from_ns = e->p->doorbell_ns - min(latency / 4, e->p->doorbell_ns);
	t.to_ns = e->p->first_wave_ns + latency / 2;
	t.nr_arrows = ARRAY_SIZE(arrows);
	t.arrows = arrows;
	trace_report_timeline(out, &t);
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

/* A preemption from the middle of the run whose victim came back. */
static bool find_episode(const struct cli_recorder *rec, struct episode *e)
{
	const struct sim_span *save;

	for (u64 i = rec->nr_preemptions / 2; i < rec->nr_preemptions; i++) {
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

static int write_episode(FILE *out, const struct cli_recorder *rec)
{
	struct trace_report_span *spans;
	struct episode e;

	if (!find_episode(rec, &e)) {
		trace_report_paragraph(out, "Nothing was preempted in this run.");
		return 0;
	}
	spans = malloc(rec->nr_spans * sizeof(*spans));
	if (!spans)
		return -ENOMEM;
	write_timelines(out, &e, spans);
	free(spans);
	return 0;
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

struct curves {
	u32 nr;
	struct sim_samples samples[CLI_COMPARISON_ROWS];
	char labels[CLI_COMPARISON_ROWS][SIM_NAME_MAX];
	struct trace_report_curve curves[CLI_COMPARISON_ROWS];
};

static int add_curve(struct curves *all, const struct cli_comparison *c,
		     const struct cli_comparison_row *row)
{
	static const u32 colours[SIM_MECH_COUNT] = {
		[SIM_MECH_NONE] = 7,  [SIM_MECH_HWPRIO] = 2, [SIM_MECH_LAUNCH_BLOCK] = 4,
		[SIM_MECH_DRAIN] = 5, [SIM_MECH_RESET] = 1,  [SIM_MECH_CWSR] = 0,
		[SIM_MECH_CWSR_QUEUE] = 3,
	};
	static const u32 dashes[SIM_DETECT_COUNT] = {
		[SIM_DETECT_DOORBELL] = 0, [SIM_DETECT_CRITICAL] = 1,
		[SIM_DETECT_POLL] = 2,	  [SIM_DETECT_MANUAL] = 3,
	};
	bool detects = sim_mechanism_uses_detection(row->mechanism);
	struct sim_samples waiting;
	u32 i = all->nr;
	int err = cli_comparison_online(c, row, &all->samples[i], &waiting);

	if (err)
		return err;
	sim_samples_fini(&waiting);
	all->nr++;
	if (all->samples[i].nr)
		qsort(all->samples[i].ns, all->samples[i].nr, sizeof(u64), compare_u64);
	snprintf(all->labels[i], sizeof(all->labels[i]), "%s%s%s",
		 sim_mechanism_name(row->mechanism), detects ? ", " : "",
		 detects ? sim_detect_name(row->detect) : "");
	all->curves[i] = (struct trace_report_curve){
		.label = all->labels[i],
		.colour = colours[row->mechanism],
		.dash = detects ? dashes[row->detect] : 0,
		.nr = all->samples[i].nr,
		.nr_total = max(cli_comparison_requests(c, row), all->samples[i].nr),
		.sorted_ns = all->samples[i].ns,
	};
	return 0;
}

static int write_curves(FILE *out, const struct cli_comparison *c)
{
	struct curves *all = calloc(1, sizeof(*all));
	int err = all ? 0 : -ENOMEM;

	for (u32 i = 0; !err && i < c->nr_rows; i++) {
		if (!c->rows[i].reason[0])
			err = add_curve(all, c, &c->rows[i]);
	}
	if (!err)
		trace_report_curves(out, "Distributions of online latency", all->curves, all->nr);
	for (u32 i = 0; all && i < all->nr; i++)
		sim_samples_fini(&all->samples[i]);
	free(all);
	return err;
}

int cli_demo_page(FILE *out, const struct cli_comparison *c, const struct cli_recorder *rec,
		  enum sim_mechanism mechanism, enum sim_detect detect)
{
	const struct sim_scenario *sc = c->sc;
	char duration[CLI_TEXT_MAX_DURATION], text[256];
	int err;

	trace_report_begin(out, sc->title[0] ? sc->title : sc->name, notice);
	snprintf(text, sizeof(text), "Scenario %s on a simulated %s, policy %s, %s of virtual "
		 "time, seed %llu.", sc->name, sc->gpu, sc->policy,
		 cli_format_duration(sc->duration_ns, duration), (unsigned long long)sc->seed);
	trace_report_paragraph(out, text);
	trace_report_heading(out, "Every mechanism and detection mode");
	err = write_table(out, c, mechanism, detect);
	trace_report_paragraph(out, table_text);
	snprintf(text, sizeof(text), "One preemption: %s, %s", sim_mechanism_name(mechanism),
		 sim_detect_name(detect));
	trace_report_heading(out, text);
	if (!err)
		err = write_episode(out, rec);
	trace_report_heading(out, "Latency of online requests");
	trace_report_paragraph(out, curve_text);
	if (!err)
		err = write_curves(out, c);
	trace_report_end(out);
	return err;
}
