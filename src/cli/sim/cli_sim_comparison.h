/* SPDX-License-Identifier: MIT */
/*
 * One scenario under every mechanism and detection mode.
 *
 * Classes of the highest priority are "online", the others "offline"; if all are
 * equal, the first one is online. What "alone" means is measured once, on the
 * stock driver (mechanism none): all rows are held against the same figures.
 */
#ifndef GP_CLI_COMPARISON_H
#define GP_CLI_COMPARISON_H

#include "cli/sim/cli_sim_progress.h"
#include "cli/cli_table.h"

#include <jansson.h>

#define GP_COMPARISON_ROWS (GP_MECH_COUNT * GP_DETECT_COUNT)

/**
 * struct gp_comparison_row - one combination
 * @mechanism: mechanism
 * @detect: detection mode; meaningless if the mechanism has no use for it
 * @reason: why it was not run; empty = it was
 * @result: what it gave
 */
struct gp_comparison_row {
	enum gp_mechanism mechanism;
	enum gp_detect detect;
	char reason[256];
	struct gp_sim_result result;
};

/**
 * struct gp_comparison - all of them
 * @sc: the scenario; its mechanism and detection mode are those of the last row run
 * @is_online: by class
 * @nr_rows: rows
 * @rows: them
 */
struct gp_comparison {
	struct gp_scenario *sc;
	bool is_online[GP_MAX_CLASSES];
	u32 nr_rows;
	struct gp_comparison_row rows[GP_COMPARISON_ROWS];
};

/**
 * gp_comparison_init() - which rows there will be
 * @c: comparison
 * @sc: scenario, validated; must outlive the comparison
 */
void gp_comparison_init(struct gp_comparison *c, struct gp_scenario *sc);
void gp_comparison_fini(struct gp_comparison *c);

/**
 * gp_comparison_run() - run all rows
 * @c: comparison
 * @progress: bar; parts count on from its current one
 * @error: output on error
 * @error_size: its size
 *
 * A combination that the scenario does not allow is a row with a reason.
 *
 * Return: 0, -ENOMEM, -EINVAL.
 */
int gp_comparison_run(struct gp_comparison *c, struct gp_progress *progress, char *error,
		      size_t error_size);

/* Online requests of a row, ended or not. */
u64 gp_comparison_requests(const struct gp_comparison *c, const struct gp_comparison_row *row);

/**
 * gp_comparison_online() - latencies of all online requests of a row
 * @c: comparison, run
 * @row: row
 * @ended: output: of those that ended
 * @waiting: output: how long the others had waited by the end
 *
 * Return: 0 or -ENOMEM.
 */
int gp_comparison_online(const struct gp_comparison *c, const struct gp_comparison_row *row,
			 struct gp_samples *ended, struct gp_samples *waiting);

/**
 * gp_comparison_table() - the rows for people
 * @c: comparison, run
 * @t: output; the caller ends it with gp_table_fini()
 *
 * Return: 0 or -ENOMEM.
 */
int gp_comparison_table(const struct gp_comparison *c, struct gp_table *t);

/* Appends the run objects of all rows that were run. Return: 0 or -ENOMEM. */
int gp_comparison_json(struct gp_comparison *c, json_t *array);

/* The first run that stopped early or could not preempt, as text; NULL = none. */
const char *gp_comparison_stopped(const struct gp_comparison *c);

/* "doorbell", or "-" if the mechanism has no use for detection. */
const char *gp_comparison_detect(const struct gp_comparison_row *row);

#endif
