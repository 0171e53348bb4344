/* SPDX-License-Identifier: MIT */
/*
 * Orders of the daemon.
 */
#ifndef GP_SHIM_ORDER_H
#define GP_SHIM_ORDER_H

#include "client/shim/shim.h"

/**
 * gp_order_do() - carry out HOLD, RELEASE or RENEW and answer
 * @s: shim; no lock is held
 * @order: checked by gp_conn_check()
 */
void gp_order_do(struct gp_shim *s, const struct gp_wire_order *order);

#endif
