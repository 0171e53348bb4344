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

#define CLI_COMPARISON_ROWS (SIM_MECH_COUNT * SIM_DETECT_COUNT)

/* One combination. */
struct cli_comparison_row {
	enum sim_mechanism mechanism;
	enum sim_detect detect;	/* meaningless if the mechanism has no use for it */
	char reason[256];	/* why it was not run; empty = it was */
	struct sim_result result;
};

/* All of them. */
struct cli_comparison {
	struct sim_scenario *sc;	/* its mechanism and detection mode are the last row's */
	bool is_online[SIM_MAX_CLASSES];
	u32 nr_rows;
	struct cli_comparison_row rows[CLI_COMPARISON_ROWS];
};

/**
 * cli_comparison_init() - which rows there will be
 * @c: comparison
 * @sc: scenario, validated; must outlive the comparison
 */
void cli_comparison_init(struct cli_comparison *c, struct sim_scenario *sc);
void cli_comparison_fini(struct cli_comparison *c);

/**
 * cli_comparison_run() - run all rows
 * @c: comparison
 * @progress: bar; parts count on from its current one
 * @error: output on error
 * @error_size: its size
 *
 * A combination that the scenario does not allow is a row with a reason.
 *
 * Return: 0, -ENOMEM, -EINVAL.
 */
int cli_comparison_run(struct cli_comparison *c, struct cli_progress *progress, char *error,
		       size_t error_size);

/* Online requests of a row, ended or not. */
u64 cli_comparison_requests(const struct cli_comparison *c, const struct cli_comparison_row *row);

/**
 * cli_comparison_online() - latencies of all online requests of a row
 * @c: comparison, run
 * @row: row
 * @ended: output: of those that ended
 * @waiting: output: how long the others had waited by the end
 *
 * Return: 0 or -ENOMEM.
 */
int cli_comparison_online(const struct cli_comparison *c, const struct cli_comparison_row *row,
			  struct sim_samples *ended, struct sim_samples *waiting);

/* What is to be said of them. Return: 0 or -ENOMEM. */
int cli_comparison_summary(const struct cli_comparison *c, const struct cli_comparison_row *row,
			   struct sim_summary *s);

/* Requests that offline classes complete, of those that each does alone; -1 = there is none. */
double cli_comparison_offline_done(const struct cli_comparison *c, const struct sim_result *r);

/**
 * cli_comparison_headline() - what the comparison says, in a sentence
 * @c: comparison, run
 * @mechanism: the one that is recommended
 * @detect: with this detection mode
 * @text: output
 * @size: its size
 *
 * Return: 0 or -ENOMEM.
 */
int cli_comparison_headline(const struct cli_comparison *c, enum sim_mechanism mechanism,
			    enum sim_detect detect, char *text, size_t size);

/**
 * cli_comparison_table() - the rows for people
 * @c: comparison, run
 * @t: output; the caller ends it with cli_table_fini()
 *
 * Return: 0 or -ENOMEM.
 */
int cli_comparison_table(const struct cli_comparison *c, struct cli_table *t);

/* Hides what is wanted least until a line has at most @width columns; 0 = any number. */
void cli_comparison_fit(struct cli_table *t, u32 width);

/**
 * cli_comparison_print() - print what is compared, the table, and why rows are missing
 * @c: comparison, run
 * @width: columns of a line, 0 = any number
 *
 * Return: 0 or -ENOMEM.
 */
int cli_comparison_print(const struct cli_comparison *c, u32 width);

/**
 * cli_comparison_figures() - what a run is about, in one line
 * @c: comparison
 * @r: a run of its scenario, with what each class has alone
 * @text: output
 * @size: its size
 */
void cli_comparison_figures(const struct cli_comparison *c, const struct sim_result *r,
			    char *text, size_t size);

/* Appends the run objects of all rows that were run. Return: 0 or -ENOMEM. */
int cli_comparison_json(struct cli_comparison *c, json_t *array);

/* The first run that stopped early or could not preempt, as text; NULL = none. */
const char *cli_comparison_stopped(const struct cli_comparison *c);

/* "doorbell", or "-" if the mechanism has no use for detection. */
const char *cli_comparison_detect(const struct cli_comparison_row *row);

#endif
