/* SPDX-License-Identifier: MIT */
/*
 * Reading the configuration again: it is applied as a whole or refused as a whole.
 */
#ifndef GPD_RELOAD_H
#define GPD_RELOAD_H

#include "control.h"

/* Reload, of the control interface. */
void gpd_reload_call(struct gpd_conn *conn, const struct gpd_request *r);

#endif
