// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_progress.h"

#include "cli/cli.h"

#include <string.h>
#include <unistd.h>

#define BAR_WIDTH 40
#define PATIENCE_NS CLI_NS_PER_S
#define REDRAW_NS (100 * CLI_NS_PER_MS)

static void draw(struct cli_progress *p, double share)
{
	char bar[BAR_WIDTH + 1];
	int full = (int)(share * BAR_WIDTH);

	memset(bar, ' ', BAR_WIDTH);
	memset(bar, '#', (size_t)full);
	bar[BAR_WIDTH] = '\0';
	fprintf(stderr, "\r[%s] %3d %%", bar, (int)(share * 100));
	fflush(stderr);
	p->is_shown = true;
}

static void on_progress(struct sim_observer *o, u64 now_ns, u64 end_ns)
{
	struct cli_progress *p = container_of(o, struct cli_progress, base);
	double share = end_ns ? (double)min(now_ns, end_ns) / (double)end_ns : 1;
	u64 wall;

	if (!p->is_on)
		return;
	wall = cli_now_ns();
	if (wall - p->begin_ns < PATIENCE_NS || wall - p->drawn_ns < REDRAW_NS)
		return;
	p->drawn_ns = wall;
	draw(p, (p->part + share) / p->nr_parts);
}

void cli_progress_init(struct cli_progress *p, bool is_quiet, u32 nr_parts)
{
	memset(p, 0, sizeof(*p));
	p->base.progress = on_progress;
	p->is_on = !is_quiet && isatty(STDERR_FILENO);
	p->begin_ns = cli_now_ns();
	p->nr_parts = max(nr_parts, 1u);
}

void cli_progress_set_part(struct cli_progress *p, u32 part)
{
	p->part = part;
	on_progress(&p->base, 0, 1);
}

void cli_progress_finish(struct cli_progress *p)
{
	if (!p->is_shown)
		return;
	fputs("\r\033[K", stderr);
	p->is_shown = false;
}
