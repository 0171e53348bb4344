/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: Pressure
 *
 * As the kernel's pressure stall information: of the time in which something was kept
 * waiting, the average of the last 10, 60 and 300 seconds, each a running mean that forgets
 * exponentially. The caller tells totals from time to time. A time between two calls counts
 * as one in which nothing changed, so that calls every two seconds or more often give what a
 * reader of /proc/pressure expects.
 */
#ifndef GP_RULES_PRESSURE_H
#define GP_RULES_PRESSURE_H

#include "gp_port.h"

/* How often the caller should tell at least. */
#define GP_PRESSURE_PERIOD_NS ((u64)2000000000)
#define GP_PRESSURE_COUNT 3
#define GP_PRESSURE_ONE_PPM 1000000U

/* Some or full. All zero is one that was never told of. */
struct gp_pressure {
	u64 at_ns;			  /* time of the last call, 0 = there was none */
	u64 total_ns;			  /* its total */
	u32 avg_ppm[GP_PRESSURE_COUNT]; /* of the last 10, 60, 300 seconds */
};

/**
 * gp_pressure_tell() - tell a total
 * @p: pressure
 * @total_ns: time in which something was kept waiting, never less than before
 * @now_ns: time
 */
void gp_pressure_tell(struct gp_pressure *p, u64 total_ns, u64 now_ns);

#endif
