/* SPDX-License-Identifier: MIT */
/*
 * The ways to get a client. All of them end in a socket that speaks mechanism/wire.h;
 * an ops table holds what differs.
 */
#ifndef GPD_MECH_H
#define GPD_MECH_H

#include "daemon/gpreemptd.h"

/**
 * gpd_mech_admit() - decide what a client is, from its HELLO and its credentials
 * @c: client; its ops and pid are set
 * @m: HELLO
 * @why: output if refused: the reason
 * @size: of @why
 *
 * Return: 0, -EPERM, -EEXIST, -EOPNOTSUPP.
 */
int gpd_mech_admit(struct gpd_client *c, const struct wire_hello *m, char *why, size_t size);

/* Whether it is a simulated client. */
bool gpd_mech_is_sim(const struct gpd_client *c);

/* Whether it is a tracer that the daemon started. */
bool gpd_mech_is_dbg(const struct gpd_client *c);

#endif
