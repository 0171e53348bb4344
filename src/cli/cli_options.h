/* SPDX-License-Identifier: MIT */
/*
 * Options: one table of what there is, and for each verb which of it the verb takes. Help and
 * errors are printed here.
 */
#ifndef GP_CLI_OPTIONS_H
#define GP_CLI_OPTIONS_H

#include "cli/cli.h"

enum cli_color {
	CLI_COLOR_AUTO,
	CLI_COLOR_ALWAYS,
	CLI_COLOR_NEVER,
};

/* What the user said; NULL, 0 and false = nothing. */
struct cli_options {
	const char *socket; /* control socket */
	u64 device;	    /* gpu_id */
	const char *gpu_name; /* the same by another name, see drv_node_is_named() */
	enum cli_color color;
	bool is_quiet; /* nothing but errors; of sim, no progress bar */
	bool is_verbose;
	bool is_json;	    /* output for programs */
	bool is_csv;	    /* the same, as lines of values */
	bool no_header;	    /* no line with names */
	const char *fields; /* columns */
	const char *sort;   /* column to sort by */
	const char *filter; /* conditions */
	u64 watch_ns;	    /* again and again, so far apart */
	u64 count;	    /* how often; of monitor, how many events */
	bool is_dry_run;    /* say what would change */
	u64 pid;
	const char *queue; /* a queue of the process that is meant */
	const char *job;
	const char *since; /* file with earlier statistics */
	u64 prio;	   /* priority + 1 */
	const char *klass;
	u64 slice_ns;
	u64 deadline_ns;
	u64 weight;
	const char *group;
	const char *gang;
	bool is_critical;
	const char *shim;   /* its path */
	u64 lease_ns;	    /* end of a hold */
	u64 timeout_ns;	    /* how long to wait */
	bool is_waiting;    /* stay until the hold ends */
	bool is_histogram;  /* buckets too */
	const char *output; /* file */
	u64 duration_ns;    /* how long; of sim, of virtual time */
	bool is_trace;	    /* records of the core too */
	bool is_wall;	    /* time of day, not of the monotonic clock */
	bool is_strict;	    /* warnings count */
	bool is_once;	    /* one picture, without a terminal */
	u64 nr_queues;
	bool is_shared;	    /* others may use the GPU */
	bool is_stepwise;   /* ask before each step */
	u64 fill;	    /* percent of the GPU */
	/* of sim: instead of what the scenario says */
	const char *policy;
	const char *mechanism;
	const char *detect;
	const char *gpu;
	const char *model;
	bool no_alone;
	u64 seed;	      /* + 1 */
	const char *trace;    /* file for the timeline */
	const char *out;      /* folder for the demo */
	const char *scenario; /* of the demo */
	u64 gap_ns;	      /* pause that parts requests */
	u64 nr_runs;	      /* with other random numbers */
	const char *html;     /* file for the page */
	bool is_offline;      /* as work that never ends */
	int nr_words;	      /* what is left of the command line */
	char **words;
};

/* Sets of options. */
#define CLI_OPTS_READ (1u << 0)	/* --json, --watch, --count */
#define CLI_OPTS_TABLE (1u << 1)	/* --csv, --fields, --sort, --filter, --no-header */
#define CLI_OPTS_DRY (1u << 2)	/* --dry-run */
#define CLI_OPTS_RUN (1u << 3)	/* attributes */
#define CLI_OPTS_HOLD (1u << 4)	/* --lease, --wait */
#define CLI_OPTS_TIMEOUT (1u << 5)	/* --timeout */
#define CLI_OPTS_STATS (1u << 6)	/* --histogram, --since */
#define CLI_OPTS_MONITOR (1u << 7)	/* --json, --count, --trace, --filter, --time */
#define CLI_OPTS_RECORD (1u << 8)	/* --output, --duration */
#define CLI_OPTS_CHECK (1u << 9)	/* --strict */
#define CLI_OPTS_TOP (1u << 10)	/* --once, --sort, --watch, --count */
#define CLI_OPTS_BENCH (1u << 11)	/* --queues, --count */
#define CLI_OPTS_PID (1u << 12)	/* --pid, --queue, --job */
#define CLI_OPTS_JSON (1u << 13)	/* --json alone */
#define CLI_OPTS_COMMAND (1u << 14)	/* the first word ends the options */
#define CLI_OPTS_DEVICE (1u << 15)	/* --device */
#define CLI_OPTS_SIM (1u << 16)		/* of gpreempt sim: none of those that all others take */
#define CLI_OPTS_SIM_FILES (1u << 17)	/* what takes the place of the scenario's, --json */
#define CLI_OPTS_SIM_RUN (1u << 18)	/* --mechanism, --detect, --trace */
#define CLI_OPTS_SIM_DEMO (1u << 19)	/* --out, --scenario */
#define CLI_OPTS_CDI (1u << 20)		/* --output, --shim */
#define CLI_OPTS_TRACES (1u << 21)	/* --gpu, --gap: of verbs that read kernel traces */
#define CLI_OPTS_ADVISE (1u << 22)	/* --runs, --html, --json */
#define CLI_OPTS_IMPORT (1u << 23)	/* --class, --offline, --output */
#define CLI_OPTS_GRANT (1u << 24)	/* --lease */
#define CLI_OPTS_REPORT (1u << 25)	/* --since, --output */
#define CLI_OPTS_SELFTEST (1u << 26)	/* --shared, --step, --fill, --count, --output */
#define CLI_OPTS_CALIBRATE (1u << 27)	/* --output */

struct cli_verb;

/**
 * cli_options_parse() - read the command line; prints help and errors itself
 * @argc: arguments
 * @argv: them; argv[0] is the verb; sorted so that words come last
 * @verb: what it takes
 * @o: output
 *
 * Return: CLI_GO_ON or the exit code.
 */
int cli_options_parse(int argc, char **argv, const struct cli_verb *verb, struct cli_options *o);

/* An option as completion shows it. */
struct cli_option_text {
	const char *name;
	int letter;	   /* 0 = none */
	const char *value; /* NULL = takes none */
	const char *doc;
};

/* The first option of a verb at @from or later. Return: where to go on, 0 = there is none. */
u32 cli_options_walk(const struct cli_verb *verb, u32 from, struct cli_option_text *out);

/* --socket before the verb, for all that follow. */
void cli_options_set_socket(const char *socket);

/* Prints "one word too many" and gives the exit code, or CLI_GO_ON. */
int cli_options_no_words(const struct cli_options *o, int allowed);

/* "20ms", "1.5s", and plain seconds. 0 or -EINVAL. */
int cli_options_parse_time(const char *text, u64 *ns);

/* "gpu:ID" or "ID". 0 or -EINVAL. */
int cli_options_parse_device(const char *text, u64 *gpu_id);

#endif
