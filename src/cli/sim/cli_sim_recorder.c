// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_demo_page.h"

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
