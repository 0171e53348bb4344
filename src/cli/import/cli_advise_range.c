// SPDX-License-Identifier: MIT
/*
 * How far off an answer may be. Each part is a number that was seen: how runs with other random
 * numbers differ, how the requests of the trace differ, what software with other costs gives.
 */
#include "cli/import/cli_advise.h"

#include <math.h>

/* No profiler is more exact than that in what it says of one kernel. */
#define LEAST_SPREAD 0.01

double cli_advice_spread(const struct cli_advice *a)
{
	return fmax(a->jobs[0].spread, LEAST_SPREAD);
}

/*
 * Half the width in standard deviations of what holds one more value in nine cases of ten, after
 * @nr values from a normal distribution: Student's t with nr - 1 degrees of freedom, within 2 %.
 */
static double width_of(u32 nr)
{
	static const double t[] = { 6.31, 2.92, 2.35 };
	u32 dof = nr - 1;

	return (dof <= ARRAY_SIZE(t) ? t[dof - 1] : 1.645 + 1.55 / (dof - 0.8)) *
	       sqrt(1 + 1.0 / nr);
}

struct moments {
	double mean;
	double width;
};

static struct moments moments_of(const double *values, u32 nr)
{
	double sum = 0, squares = 0, mean;

	for (u32 i = 0; i < nr; i++)
		sum += values[i];
	mean = sum / nr;
	for (u32 i = 0; i < nr; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	return (struct moments){ mean, nr > 1 ? width_of(nr) * sqrt(squares / (nr - 1)) : 0 };
}

static void cover(struct cli_range *r, double value)
{
	r->least = fmin(r->least, value);
	r->most = fmax(r->most, value);
}

void cli_advice_p99(const struct cli_advice *a, const struct cli_outcomes *o,
		    const struct cli_outcomes *more, struct cli_range *r)
{
	double far = 1 + cli_advice_spread(a), logs[CLI_ADVISE_RUNS];
	struct moments m;

	*r = (struct cli_range){ (double)SIM_NEVER, 0 };
	for (u32 i = 0; i < o->nr; i++) {
		cover(r, (double)o->all[i].p99_ns);
		logs[i] = log((double)o->all[i].p99_ns);
	}
	if (o->nr && cli_outcomes_median(o)->p99_from_ns) {
		cover(r, (double)cli_outcomes_median(o)->p99_from_ns);
		cover(r, (double)cli_outcomes_median(o)->p99_to_ns);
	}
	for (u32 i = 0; more && i < more->nr; i++)
		cover(r, (double)more->all[i].p99_ns);
	if (o->nr && o->all[o->nr - 1].p99_ns != SIM_NEVER) {
		m = moments_of(logs, o->nr);
		cover(r, exp(m.mean - m.width));
		cover(r, exp(m.mean + m.width));
	}
	if (r->least < (double)SIM_NEVER)
		r->least /= far;
	if (r->most < (double)SIM_NEVER)
		r->most *= far;
}

void cli_advice_kept(const struct cli_outcomes *o, struct cli_range *r)
{
	double kept[CLI_ADVISE_RUNS], grain = 0;
	struct moments m;

	*r = (struct cli_range){ 1e9, 0 };
	for (u32 i = 0; i < o->nr; i++) {
		kept[i] = o->all[i].kept;
		grain = fmax(grain, o->all[i].grain);
		cover(r, kept[i]);
	}
	if (!o->nr)
		return;
	m = moments_of(kept, o->nr);
	cover(r, m.mean - m.width);
	cover(r, m.mean + m.width);
	r->least = fmax(r->least - grain, 0);
	r->most += grain;
}
