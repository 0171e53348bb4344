/* SPDX-License-Identifier: MIT */
/*
 * The dbg mechanism: a tracer process (gpreempt-tracer) beside each target, started
 * by the daemon with one end of a socket pair as descriptor 3.
 *
 * A tracer that does not answer in time is killed: its death ends the debug session,
 * and the kernel resumes the target.
 */
#ifndef GPD_DBG_H
#define GPD_DBG_H

#include "gpreemptd.h"

extern const struct gpd_mech_ops gpd_dbg_ops;

/* The HELLO of a tracer: it must be about the process it was started for. */
int gpd_dbg_admit(struct gpd_client *c, const struct gp_wire_hello *m, char *why, size_t size);

#endif
