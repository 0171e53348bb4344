/* SPDX-License-Identifier: MIT */
/*
 * Kernel traces of profilers: what was dispatched, from when to when, in which shape. Read are the
 * kernel trace of rocprofv3 as CSV, JSON or SQLite (rocpd), results.csv of rocprof, and the JSON of
 * the PyTorch profiler, told apart by their contents. A trace comes from anywhere: nothing in it
 * is trusted, and memory and time are bounded by the limits below.
 */
#ifndef GP_CLI_IMPORT_H
#define GP_CLI_IMPORT_H

#include "gp_port.h"

#include <stdio.h>

#define CLI_IMPORT_MAX_KERNELS (4u << 20)
#define CLI_IMPORT_MAX_AGENTS 64
#define CLI_IMPORT_MAX_NS (1ull << 62)
/* JSON is read as a whole, about ten times its size in memory; CSV line by line. */
#define CLI_IMPORT_MAX_JSON (256ull << 20)

/* A dispatch. */
struct cli_import_kernel {
	u64 start_ns;
	u64 end_ns;
	u64 workgroups;	    /* 0 = not known */
	u32 workgroup_size; /* work-items, 1 to 1024; 0 = not known */
	u32 vgprs;	    /* of both kinds; 0 = not known */
	u32 lds_bytes;
	u32 agent; /* index into cli_import.agents */
};

/* A trace. */
struct cli_import {
	const char *format; /* for people */
	u64 nr;
	struct cli_import_kernel *kernels; /* by start, those of one agent */
	u32 nr_agents;
	char agents[CLI_IMPORT_MAX_AGENTS][48]; /* GPUs, as the trace calls them */
	u64 per_agent[CLI_IMPORT_MAX_AGENTS];	/* kernels of each */
	u32 agent;				/* that of @kernels: the one with most */
	u64 nr_empty;				/* left out: they have no length */
	u64 nr_shapeless;			/* kernels of which the grid is not known */
};

/* What a row of a trace says; 0 = nothing. */
struct cli_import_row {
	u64 start_ns;
	u64 end_ns;
	u64 grid[3];	  /* work-items, or workgroups if @is_in_workgroups */
	u64 workgroup[3]; /* work-items */
	bool is_in_workgroups;
	u64 vgprs;
	u64 accum_vgprs;
	u64 lds_bytes;
	const char *agent;
};

/* Where a reader says what is wrong: one line, without the file. */
struct cli_import_error {
	char text[256];
};

/**
 * cli_import_read() - read a trace
 * @t: output; free it with cli_import_fini(), also after an error
 * @path: file
 * @error: output on error: "FILE:LINE: reason" or "FILE: reason"
 * @size: its size
 *
 * Return: 0, -EINVAL malformed, -E2BIG over a limit, -ENOMEM, other -errno.
 */
int cli_import_read(struct cli_import *t, const char *path, char *error, size_t size);
void cli_import_fini(struct cli_import *t);

/* Of the readers. */

/* Takes a row in. Return: 0, -EINVAL, -E2BIG, -ENOMEM; @e says why. */
int cli_import_add(struct cli_import *t, const struct cli_import_row *row,
		   struct cli_import_error *e);

/* Notes what is wrong. Return: -EINVAL. */
int cli_import_fail(struct cli_import_error *e, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

int cli_import_csv(struct cli_import *t, FILE *file, struct cli_import_error *e);
int cli_import_json(struct cli_import *t, FILE *file, struct cli_import_error *e);
int cli_import_sqlite(struct cli_import *t, const char *path, struct cli_import_error *e);

#endif
