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

/* Those of gpd_methods_policy.c. */
void gpd_methods_get_policy(struct gpd_conn *conn, const struct gpd_request *r);
void gpd_methods_set_policy(struct gpd_conn *conn, const struct gpd_request *r);

/**
 * gpd_methods_change() - change attributes of a process as was asked
 * @conn: connection that asks
 * @r: SetAttributes or Attach
 * @old: output: attributes until now
 * @new: output: those it has, or would have after a dry run
 *
 * Return: false after an error was sent.
 */
bool gpd_methods_change(struct gpd_conn *conn, const struct gpd_request *r, struct gpd_attrs *old,
			struct gpd_attrs *new);

/*
 * Change attributes as was asked, if the connection may; false after an error was sent. @old
 * are those until now, which it is no raising to keep; NULL = none.
 */
bool gpd_methods_apply(struct gpd_conn *conn, const struct gpd_attr_change *change,
		       const struct gpd_attrs *old, struct gpd_attrs *attrs);

/* A process is not there (-ESRCH), or not to be touched: send that. Return: false. */
bool gpd_methods_refuse(struct gpd_conn *conn, uint64_t pid, int err);

#endif
