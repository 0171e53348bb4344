// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_fanout.h"

#include <string.h>

#define EACH(f, member, ...)                                                  \
	do {                                                                  \
		for (u32 i = 0; i < (f)->nr; i++) {                           \
			if ((f)->to[i]->member)                               \
				(f)->to[i]->member((f)->to[i], __VA_ARGS__);  \
		}                                                             \
	} while (0)

static struct cli_fanout *to_fanout(struct sim_observer *o)
{
	return container_of(o, struct cli_fanout, base);
}

static void on_track(struct sim_observer *o, u32 track, const char *class_name, u32 process,
		     u32 queue)
{
	EACH(to_fanout(o), track, track, class_name, process, queue);
}

static void on_span(struct sim_observer *o, const struct sim_span *span)
{
	EACH(to_fanout(o), span, span);
}

static void on_preemption(struct sim_observer *o, u32 track, u64 doorbell_ns, u32 victim_track,
			  u64 save_ns, u64 first_wave_ns)
{
	EACH(to_fanout(o), preemption, track, doorbell_ns, victim_track, save_ns, first_wave_ns);
}

static void on_mark(struct sim_observer *o, u64 now_ns, const char *text)
{
	EACH(to_fanout(o), mark, now_ns, text);
}

static void on_progress(struct sim_observer *o, u64 now_ns, u64 end_ns)
{
	EACH(to_fanout(o), progress, now_ns, end_ns);
}

void cli_fanout_init(struct cli_fanout *f)
{
	memset(f, 0, sizeof(*f));
	f->base = (struct sim_observer){
		.track = on_track,
		.span = on_span,
		.preemption = on_preemption,
		.mark = on_mark,
		.progress = on_progress,
	};
}

void cli_fanout_add(struct cli_fanout *f, struct sim_observer *o)
{
	if (GP_WARN_ON(f->nr == CLI_FANOUT_MAX))
		return;
	f->to[f->nr++] = o;
}
