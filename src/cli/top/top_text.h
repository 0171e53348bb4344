/* SPDX-License-Identifier: MIT */
/*
 * The lines of top as text, for the screen and for --once.
 */
#ifndef GP_CLI_TOP_TEXT_H
#define GP_CLI_TOP_TEXT_H

#include "cli/top/top_model.h"

#define CLI_TOP_LINE 256
#define CLI_TOP_BAR 20

/*
 * Headers and lines without a line end; all give @out, of CLI_TOP_LINE bytes. Where @width is
 * not enough for all columns, those that matter least are left out, down to 80.
 */
const char *cli_top_device_header(int width, char *out);
const char *cli_top_device_line(const struct cli_top_device *d, int width, char *out);
const char *cli_top_row_header(int width, char *out);
const char *cli_top_row_line(const struct cli_top_row *r, int width, char *out);

/**
 * cli_top_bar() - what a process did in the last interval
 * @r: process
 * @run: how many of CLI_TOP_BAR cells it ran
 * @off: how many it was off the GPU though it had work
 */
void cli_top_bar(const struct cli_top_row *r, u32 *run, u32 *off);

/* Is this process one of those that were asked for? A part of its name or its number. */
bool cli_top_matches(const struct cli_top_row *r, const char *text);

#endif
