/* SPDX-License-Identifier: MIT */
/*
 * Suspend and Resume: orders to many clients, one reply when all have answered or
 * the time is over.
 */
#ifndef GPD_SUSPEND_H
#define GPD_SUSPEND_H

#include "daemon/control/gpd_control.h"

/* Carry out a Suspend or Resume; the reply comes now or later. */
void gpd_suspend_call(struct gpd_conn *conn, const struct gpd_request *r);

/* Whether targets of the request in hand are left, and the next few of them. */
bool gpd_suspend_has_step(const struct gpd_conn *conn);
void gpd_suspend_step(struct gpd_conn *conn);

/* An answer of a client. Return: a request waited for it. */
bool gpd_suspend_done(struct gpd_client *c, const struct wire_done *done);

/* A client, a connection is gone. */
void gpd_suspend_client_gone(struct gpd_client *c);
void gpd_suspend_conn_gone(struct gpd_conn *conn);

#endif
