/* SPDX-License-Identifier: MIT */
/*
 * The methods of the control interface. Each answers by gpd_control_reply() or
 * gpd_control_error(), once, or sets gpd_conn.waiting and does so later.
 */
#ifndef GPD_METHODS_H
#define GPD_METHODS_H

#include "daemon/control/gpd_control.h"

/* Carry out a request. */
void gpd_methods_call(struct gpd_conn *conn, const struct gpd_request *r);

/* Methods that change something; methods_set.c and methods_policy.c. */
void gpd_methods_set_attributes(struct gpd_conn *conn, const struct gpd_request *r);
void gpd_methods_get_policy(struct gpd_conn *conn, const struct gpd_request *r);
void gpd_methods_set_policy(struct gpd_conn *conn, const struct gpd_request *r);

/* Change attributes as was asked; false if there is no such class. */
bool gpd_methods_apply(const struct gpd_config *config, const struct gpd_attr_change *change,
		       struct gpd_attrs *attrs);

#endif
