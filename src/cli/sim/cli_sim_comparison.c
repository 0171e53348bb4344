// SPDX-License-Identifier: MIT
#include "cli/sim/cli_sim_comparison.h"

#include "cli/cli.h"
#include "sim/sim_result_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void choose_online(struct cli_comparison *c)
{
	const struct sim_scenario *sc = c->sc;
	u32 best = 0, nr = 0;

	for (u32 i = 0; i < sc->nr_classes; i++)
		best = max(best, (u32)sc->classes[i].attr.prio);
	for (u32 i = 0; i < sc->nr_classes; i++) {
		c->is_online[i] = sc->classes[i].attr.prio == best;
		nr += c->is_online[i];
	}
	for (u32 i = 1; nr == sc->nr_classes && i < sc->nr_classes; i++)
		c->is_online[i] = false;
}

static void add_row(struct cli_comparison *c, enum sim_mechanism m, enum sim_detect d)
{
	struct cli_comparison_row *row = &c->rows[c->nr_rows++];

	row->mechanism = m;
	row->detect = d;
}

/* Without an elastic class resize is cwsr. */
static bool has_elastic(const struct sim_scenario *sc)
{
	for (u32 i = 0; i < sc->nr_classes; i++)
		if (sc->classes[i].elastic.mode != GP_ELASTIC_OFF)
			return true;
	return false;
}

void cli_comparison_init(struct cli_comparison *c, struct sim_scenario *sc)
{
	memset(c, 0, sizeof(*c));
	c->sc = sc;
	choose_online(c);
	for (u32 m = 0; m < SIM_MECH_COUNT; m++) {
		if (m == SIM_MECH_RESIZE && !has_elastic(sc))
			continue;
		if (!sim_mechanism_uses_detection((enum sim_mechanism)m)) {
			add_row(c, (enum sim_mechanism)m, sc->detect);
			continue;
		}
		for (u32 d = 0; d < SIM_DETECT_COUNT; d++) {
			if (d != SIM_DETECT_MANUAL || sc->costs.trigger_ns)
				add_row(c, (enum sim_mechanism)m, (enum sim_detect)d);
		}
	}
}

void cli_comparison_fini(struct cli_comparison *c)
{
	for (u32 i = 0; i < c->nr_rows; i++)
		sim_result_fini(&c->rows[i].result);
	memset(c, 0, sizeof(*c));
}

static void copy_alone(const struct sim_result *from, struct sim_result *to)
{
	for (u32 i = 0; i < to->nr_classes; i++) {
		to->classes[i].alone = from->classes[i].alone;
		to->classes[i].alone_throughput_per_s = from->classes[i].alone_throughput_per_s;
		to->classes[i].alone_gpu_ns = from->classes[i].alone_gpu_ns;
		to->classes[i].alone_active_ns = from->classes[i].alone_active_ns;
	}
}

int cli_comparison_run(struct cli_comparison *c, struct cli_progress *progress, char *error,
		       size_t error_size)
{
	u32 part = progress->part;

	for (u32 i = 0; i < c->nr_rows; i++) {
		struct cli_comparison_row *row = &c->rows[i];
		int err;

		cli_progress_set_part(progress, part + i);
		c->sc->mechanism = row->mechanism;
		c->sc->detect = row->detect;
		if (sim_scenario_validate(c->sc, row->reason, sizeof(row->reason)))
			continue;
		err = sim_run(c->sc, !i, &progress->base, &row->result, error, error_size);
		if (err)
			return err;
		if (i)
			copy_alone(&c->rows[0].result, &row->result);
	}
	progress->part = part + c->nr_rows;
	return 0;
}

u64 cli_comparison_requests(const struct cli_comparison *c, const struct cli_comparison_row *row)
{
	u64 requests = 0;

	for (u32 i = 0; i < row->result.nr_classes; i++)
		requests += c->is_online[i] ? row->result.classes[i].requests : 0;
	return requests;
}

static int append(struct sim_samples *to, const struct sim_samples *s)
{
	for (u64 k = 0; k < s->nr; k++) {
		if (sim_samples_add(to, s->ns[k]))
			return -ENOMEM;
	}
	return 0;
}

int cli_comparison_online(const struct cli_comparison *c, const struct cli_comparison_row *row,
			  struct sim_samples *ended, struct sim_samples *waiting)
{
	int err = 0;

	memset(ended, 0, sizeof(*ended));
	memset(waiting, 0, sizeof(*waiting));
	for (u32 i = 0; !err && i < row->result.nr_classes; i++) {
		if (!c->is_online[i])
			continue;
		err = append(ended, &row->result.classes[i].samples);
		if (!err)
			err = append(waiting, &row->result.classes[i].waiting);
	}
	if (err) {
		sim_samples_fini(ended);
		sim_samples_fini(waiting);
	}
	return err;
}

const char *cli_comparison_detect(const struct cli_comparison_row *row)
{
	return sim_mechanism_uses_detection(row->mechanism) ? sim_detect_name(row->detect) : "-";
}

/* In the order of the headers. */
enum {
	COL_MECHANISM,
	COL_DETECT,
	COL_P50,
	COL_P99,
	COL_RATIO,
	COL_COMPLETED,
	COL_OFFLINE_GPU,
	COL_OFFLINE_DONE,
	COL_PREEMPTIONS,
	COL_PREEMPT_P50,
	COL_PREEMPT_P99,
	COL_LOST,
	COL_REPEATED,
};

static const char *const headers[] = {
	"MECHANISM", "DETECT", "P50", "P99", "P99/ALONE", "COMPLETED", "OFF_GPU", "OFF_DONE",
	"PREEMPTED", "PRE_P50", "PRE_P99", "LOST", "REPEATED", NULL,
};

/* The worst of the online classes; infinite if one does not get there at all. */
static double worst_ratio(const struct cli_comparison *c, const struct sim_result *r)
{
	double worst = 0;

	for (u32 i = 0; i < r->nr_classes; i++) {
		const struct sim_class_result *cr = &r->classes[i];

		if (!c->is_online[i] || !sim_summary_has_p99(&cr->alone))
			continue;
		if (cr->latency.p99 == SIM_NEVER)
			return INFINITY;
		worst = max(worst, (double)cr->latency.p99 / (double)cr->alone.p99);
	}
	return worst;
}

static void set_duration(struct cli_table *t, u32 column, u64 ns)
{
	char text[CLI_TEXT_MAX_DURATION];

	cli_table_set(t, column, "%s", cli_format_reached(ns, text));
}

int cli_comparison_summary(const struct cli_comparison *c, const struct cli_comparison_row *row,
			   struct sim_summary *s)
{
	struct sim_samples ended, waiting;
	int err = cli_comparison_online(c, row, &ended, &waiting);

	if (err)
		return err;
	err = sim_samples_summary(&ended, &waiting, s);
	sim_samples_fini(&ended);
	sim_samples_fini(&waiting);
	return err;
}

static int fill_online(const struct cli_comparison *c, const struct cli_comparison_row *row,
		       struct cli_table *t)
{
	struct sim_summary s;
	double ratio = worst_ratio(c, &row->result);
	u64 requests = cli_comparison_requests(c, row);
	int err = cli_comparison_summary(c, row, &s);

	if (err)
		return err;
	cli_table_set(t, COL_COMPLETED, "%llu/%llu", (unsigned long long)s.nr,
		      (unsigned long long)requests);
	if (requests) {
		set_duration(t, COL_P50, s.p50);
		set_duration(t, COL_P99, s.p99);
	}
	if (isinf(ratio))
		cli_table_set(t, COL_RATIO, "never");
	else if (ratio > 0)
		cli_table_set(t, COL_RATIO, "%.2f", ratio);
	return 0;
}

double cli_comparison_offline_done(const struct cli_comparison *c, const struct sim_result *r)
{
	double sum = 0;
	u32 nr = 0;

	/* A mean of shares: requests of two classes are not of one size. */
	for (u32 i = 0; i < r->nr_classes; i++) {
		const struct sim_class_result *cr = &r->classes[i];

		if (c->is_online[i] || cr->alone_throughput_per_s <= 0)
			continue;
		sum += cr->throughput_per_s / cr->alone_throughput_per_s;
		nr++;
	}
	return nr ? sum / nr : -1;
}

static void fill_offline(const struct cli_comparison *c, const struct sim_result *r,
			 struct cli_table *t)
{
	double gpu = 0, alone_gpu = 0, done = cli_comparison_offline_done(c, r);

	for (u32 i = 0; i < r->nr_classes; i++) {
		if (c->is_online[i])
			continue;
		gpu += (double)r->classes[i].gpu_ns;
		alone_gpu += (double)r->classes[i].alone_gpu_ns;
	}
	if (alone_gpu > 0)
		cli_table_set(t, COL_OFFLINE_GPU, "%.1f %%", 100 * gpu / alone_gpu);
	if (done >= 0)
		cli_table_set(t, COL_OFFLINE_DONE, "%.1f %%", 100 * done);
}

void cli_comparison_figures(const struct cli_comparison *c, const struct sim_result *r,
			    char *text, size_t size)
{
	double ratio = worst_ratio(c, r), gpu = 0, alone_gpu = 0;

	for (u32 i = 0; i < r->nr_classes; i++) {
		gpu += c->is_online[i] ? 0 : (double)r->classes[i].gpu_ns;
		alone_gpu += c->is_online[i] ? 0 : (double)r->classes[i].alone_gpu_ns;
	}
	if (isinf(ratio))
		snprintf(text, size, "P99/ALONE never, OFF_GPU %.1f %%",
			 alone_gpu > 0 ? 100 * gpu / alone_gpu : 0);
	else
		snprintf(text, size, "P99/ALONE %.2f, OFF_GPU %.1f %%", ratio,
			 alone_gpu > 0 ? 100 * gpu / alone_gpu : 0);
}

static int fill_row(const struct cli_comparison *c, const struct cli_comparison_row *row,
		    struct cli_table *t)
{
	const struct sim_result *r = &row->result;
	int err;

	cli_table_add_row(t);
	cli_table_set(t, COL_MECHANISM, "%s", sim_mechanism_name(row->mechanism));
	cli_table_set(t, COL_DETECT, "%s", cli_comparison_detect(row));
	if (row->reason[0])
		return t->error;
	err = fill_online(c, row, t);
	if (err)
		return err;
	fill_offline(c, r, t);
	if (sim_mechanism_uses_detection(row->mechanism))
		cli_table_set(t, COL_PREEMPTIONS, "%llu", (unsigned long long)r->preemptions);
	if (r->preempt_latency.nr) {
		set_duration(t, COL_PREEMPT_P50, r->preempt_latency.p50);
		set_duration(t, COL_PREEMPT_P99, r->preempt_latency.p99);
	}
	cli_table_set(t, COL_LOST, "%llu", (unsigned long long)r->lost);
	cli_table_set(t, COL_REPEATED, "%llu", (unsigned long long)r->repeated);
	return t->error;
}

int cli_comparison_table(const struct cli_comparison *c, struct cli_table *t)
{
	cli_table_init(t, headers, 2);
	for (u32 i = 0; i < c->nr_rows; i++) {
		int err = fill_row(c, &c->rows[i], t);

		if (err)
			return err;
	}
	return 0;
}

void cli_comparison_fit(struct cli_table *t, u32 width)
{
	static const u32 order[] = {
		COL_PREEMPT_P50,
		COL_REPEATED,
		COL_OFFLINE_GPU,
		COL_PREEMPTIONS,
		COL_PREEMPT_P99,
		COL_P50,
		COL_LOST,
		COL_COMPLETED,
	};

	cli_table_fit(t, order, ARRAY_SIZE(order), width);
}

int cli_comparison_json(struct cli_comparison *c, json_t *array)
{
	for (u32 i = 0; i < c->nr_rows; i++) {
		if (c->rows[i].reason[0])
			continue;
		c->sc->mechanism = c->rows[i].mechanism;
		c->sc->detect = c->rows[i].detect;
		if (json_array_append_new(array, sim_result_to_json(c->sc, &c->rows[i].result)))
			return -ENOMEM;
	}
	return 0;
}

const char *cli_comparison_stopped(const struct cli_comparison *c)
{
	for (u32 i = 0; i < c->nr_rows; i++) {
		if (c->rows[i].result.stopped[0])
			return c->rows[i].result.stopped;
	}
	return NULL;
}
