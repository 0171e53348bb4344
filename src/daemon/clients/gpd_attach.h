/* SPDX-License-Identifier: MIT */
/*
 * Attach and Detach: the dbg mechanism for processes that have no shim.
 */
#ifndef GPD_ATTACH_H
#define GPD_ATTACH_H

#include "daemon/control/gpd_control.h"

/* Methods of the control interface. */
void gpd_attach_call(struct gpd_conn *conn, const struct gpd_request *r);
void gpd_attach_detach(struct gpd_conn *conn, const struct gpd_request *r);

#endif
