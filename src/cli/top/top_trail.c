// SPDX-License-Identifier: MIT
/* What processes did in the looks before: what the charts of top show. */
#include "cli/top/top_model.h"

#include <stdlib.h>
#include <string.h>

/* A process that ran for less than this in an interval is off the GPU still. */
#define RAN_PPM 1000

static int by_pid(const void *a, const void *b)
{
	const struct cli_top_trail *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

const struct cli_top_trail *cli_top_trail_of(const struct cli_top *t, u32 pid)
{
	struct cli_top_trail key = { .pid = pid };

	return t->nr_trails ? bsearch(&key, t->trails, t->nr_trails, sizeof(key), by_pid) : NULL;
}

u64 cli_top_trail_off_ns(const struct cli_top *t, u32 pid)
{
	const struct cli_top_trail *p = cli_top_trail_of(t, pid);

	return p && p->off_since_ns ? t->now_ns - p->off_since_ns : 0;
}

static u8 percent(double ppm)
{
	return (u8)(max(ppm, 0.0) / 10000 + 0.5);
}

static void add(struct cli_top_trail *p, const struct cli_top *t, const struct cli_top_row *r)
{
	bool is_off = r->off_ppm > 0 && r->run_ppm < RAN_PPM;

	if (!is_off)
		p->off_since_ns = 0;
	else if (!p->off_since_ns)
		p->off_since_ns = t->before_ns;
	/* Rates need two looks. */
	if (r->run_ppm < 0)
		return;
	if (p->nr == CLI_TOP_TRAIL) {
		p->nr--;
		memmove(p->run, p->run + 1, p->nr);
		memmove(p->off, p->off + 1, p->nr);
	}
	p->run[p->nr] = percent(r->run_ppm);
	p->off[p->nr++] = percent(r->off_ppm);
}

static void add_rate(struct cli_top *t)
{
	double sum = 0;

	for (u32 i = 0; i < t->nr_devices; i++)
		sum += t->devices[i].per_s;
	if (!t->nr_devices || sum < 0)
		return;
	if (t->nr_per_s == CLI_TOP_TRAIL) {
		t->nr_per_s--;
		memmove(t->per_s, t->per_s + 1, t->nr_per_s * sizeof(t->per_s[0]));
	}
	t->per_s[t->nr_per_s++] = sum;
}

/* Those that are gone are forgotten. Without memory there are no charts. */
void cli_top_trail_add(struct cli_top *t)
{
	struct cli_top_trail *all = calloc(t->nr_rows + 1, sizeof(*all));

	for (u32 i = 0; all && i < t->nr_rows; i++) {
		const struct cli_top_trail *old = cli_top_trail_of(t, t->rows[i].pid);

		if (old)
			all[i] = *old;
		all[i].pid = t->rows[i].pid;
		add(&all[i], t, &t->rows[i]);
	}
	if (all)
		qsort(all, t->nr_rows, sizeof(*all), by_pid);
	free(t->trails);
	t->trails = all;
	t->nr_trails = all ? t->nr_rows : 0;
	add_rate(t);
}

void cli_top_trail_fini(struct cli_top *t)
{
	free(t->trails);
}
