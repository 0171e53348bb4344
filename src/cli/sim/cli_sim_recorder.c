// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_demo_page.h"
#include "cli/sim/cli_sim_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cli_recorder *to_recorder(struct sim_observer *o)
{
	return container_of(o, struct cli_recorder, base);
}

/* Room for one more of @nr: it doubles when their number is a power of two. False = none. */
static bool grow(struct cli_recorder *r, void *list, u64 nr, size_t size)
{
	void **mem = list, *more;

	if (nr & (nr - 1))
		return true;
	more = realloc(*mem, max(2 * nr, (u64)1) * size);
	if (more)
		*mem = more;
	else
		r->error = -ENOMEM;
	return more;
}

static void on_track(struct sim_observer *o, u32 track, const char *class_name, u32 process,
		     u32 queue)
{
	struct cli_recorder *r = to_recorder(o);

	if (grow(r, &r->tracks, r->nr_tracks, sizeof(*r->tracks)))
		snprintf(r->tracks[r->nr_tracks++], sizeof(*r->tracks), "%s %u, queue %u",
			 class_name, process, queue);
}

static void on_span(struct sim_observer *o, const struct sim_span *span)
{
	struct cli_recorder *r = to_recorder(o);

	if (grow(r, &r->spans, r->nr_spans, sizeof(*r->spans)))
		r->spans[r->nr_spans++] = *span;
}

static void on_preemption(struct sim_observer *o, u32 track, u64 doorbell_ns, u32 victim_track,
			  u64 save_ns, u64 first_wave_ns)
{
	struct cli_recorder *r = to_recorder(o);

	if (grow(r, &r->preemptions, r->nr_preemptions, sizeof(*r->preemptions)))
		r->preemptions[r->nr_preemptions++] = (struct cli_preemption){
			track, doorbell_ns, victim_track, save_ns, first_wave_ns,
		};
}

void cli_recorder_init(struct cli_recorder *r)
{
	memset(r, 0, sizeof(*r));
	r->base = (struct sim_observer){
		.track = on_track,
		.span = on_span,
		.preemption = on_preemption,
	};
}

void cli_recorder_fini(struct cli_recorder *r)
{
	free(r->tracks);
	free(r->spans);
	free(r->preemptions);
	memset(r, 0, sizeof(*r));
}

static int watch(struct cli_recorder *r, const struct sim_scenario *sc, const char *path,
		 char *error, size_t size)
{
	static struct sim_result result;
	struct cli_sim_trace trace = { 0 };
	int err = path ? cli_sim_trace_open(&trace, path, sc, &r->base) : 0;

	if (err)
		return err;
	err = sim_run(sc, false, path ? &trace.base : &r->base, &result, error, size);
	if (!err)
		err = r->error;
	if (!err && path)
		err = cli_sim_trace_commit(&trace);
	if (path)
		cli_sim_trace_fini(&trace);
	sim_result_fini(&result);
	return err;
}

int cli_demo_record(struct cli_demo_runs *runs, struct sim_scenario *sc,
		    enum sim_mechanism mechanism, enum sim_detect detect, const char *trace,
		    char *error, size_t size)
{
	int err;

	runs->mechanism = mechanism;
	runs->detect = detect;
	cli_recorder_init(&runs->with);
	cli_recorder_init(&runs->without);
	sc->mechanism = SIM_MECH_NONE;
	err = watch(&runs->without, sc, NULL, error, size);
	sc->mechanism = mechanism;
	sc->detect = detect;
	return err ? err : watch(&runs->with, sc, trace, error, size);
}

void cli_demo_runs_fini(struct cli_demo_runs *runs)
{
	cli_recorder_fini(&runs->with);
	cli_recorder_fini(&runs->without);
}
