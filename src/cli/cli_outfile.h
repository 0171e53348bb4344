/* SPDX-License-Identifier: MIT */
/*
 * A file that appears under its name only when it is complete: it is written
 * beside its place and renamed. What exists and is no regular file (a device, a
 * pipe) is written in place. One at a time: a signal that ends the program takes
 * the incomplete file with it.
 */
#ifndef GP_CLI_OUTFILE_H
#define GP_CLI_OUTFILE_H

#include <stdio.h>

struct cli_outfile {
	FILE *file;	/* write here */
	char path[4096];	/* where it ends up */
	char scratch[4096 + 16];	/* where it is meanwhile; empty = in place */
};

/* Return: 0 or -errno. */
int cli_outfile_open(struct cli_outfile *f, const char *path);

/* Return: 0, or -errno and the file does not appear. */
int cli_outfile_commit(struct cli_outfile *f);

/* Throws away what was written; harmless after a commit and on a zeroed struct. */
void cli_outfile_abort(struct cli_outfile *f);

/* Makes a folder, and those above it. Return: 0 or -errno; one that is there is no error. */
int cli_outfile_folder(const char *path);

#endif
