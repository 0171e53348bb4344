// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cli_recorder *to_recorder(struct sim_observer *o)
{
	return container_of(o, struct cli_recorder, base);
}

/* Room for one more element; NULL and an error if there is none. */
static void *grow(struct cli_recorder *r, void *mem, u64 nr, u64 *cap, size_t size)
{
	u64 more = *cap ? 2 * *cap : 64;
	void *new;

	if (nr < *cap)
		return mem;
	new = realloc(mem, more * size);
	if (!new) {
		r->error = -ENOMEM;
		return mem;
	}
	*cap = more;
	return new;
}

static void on_track(struct sim_observer *o, u32 track, const char *class_name, u32 process,
		     u32 queue)
{
	struct cli_recorder *r = to_recorder(o);

	r->tracks = grow(r, r->tracks, r->nr_tracks, &r->cap_tracks, sizeof(*r->tracks));
	if (r->nr_tracks < r->cap_tracks)
		snprintf(r->tracks[r->nr_tracks++], sizeof(*r->tracks), "%s %u, queue %u",
			 class_name, process, queue);
}

static void on_span(struct sim_observer *o, const struct sim_span *span)
{
	struct cli_recorder *r = to_recorder(o);

	r->spans = grow(r, r->spans, r->nr_spans, &r->cap_spans, sizeof(*r->spans));
	if (r->nr_spans < r->cap_spans)
		r->spans[r->nr_spans++] = *span;
}

static void on_preemption(struct sim_observer *o, u32 track, u64 doorbell_ns, u32 victim_track,
			  u64 save_ns, u64 first_wave_ns)
{
	struct cli_recorder *r = to_recorder(o);

	r->preemptions = grow(r, r->preemptions, r->nr_preemptions, &r->cap_preemptions,
			      sizeof(*r->preemptions));
	if (r->nr_preemptions < r->cap_preemptions)
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

const struct sim_span *cli_recorder_find_restore(const struct cli_recorder *r,
						 const struct cli_preemption *p)
{
	for (u64 i = 0; i < r->nr_spans; i++) {
		const struct sim_span *s = &r->spans[i];

		if (s->kind == SIM_SPAN_RESTORE && s->track == p->victim_track &&
		    s->from_ns > p->save_ns)
			return s;
	}
	return NULL;
}
