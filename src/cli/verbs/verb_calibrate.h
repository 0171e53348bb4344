/* SPDX-License-Identifier: MIT */
/*
 * What the costs of a report of gpreempt selftest say of a GPU.
 */
#ifndef GP_CLI_CALIBRATE_H
#define GP_CLI_CALIBRATE_H

#include "gp_port.h"

#include <jansson.h>

#define CLI_SAMPLES_MAX 512

/* A distribution. */
struct cli_samples {
	double bytes;	/* that were saved */
	u32 nr;
	double ns[CLI_SAMPLES_MAX];	/* ascending */
};

/* The duration that a share of them does not exceed. */
double cli_samples_at(const struct cli_samples *s, double share);

/* What follows from a report. */
struct cli_calibration {
	double call_ns;	/* of the driver, for a call that unmaps nothing */
	double unmap_ns;	/* of the firmware */
	double map_ns;	/* same, with one queue */
	double packet_ns;	/* doorbell to signal */
	double wake_ns;	/* of a thread */
	double spread;	/* share of the firmware's costs that varies */
	double save_ns_byte;	/* 0 = not known */
	double restore_ns_byte;	/* same */
	u32 nr_samples;	/* of each cost */
	u32 nr_points;	/* occupancies */
};

/* Return: 0, -ENODATA the report has no costs. */
int cli_calibrate(const json_t *report, struct cli_calibration *out);

#endif
