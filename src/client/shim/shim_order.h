/* SPDX-License-Identifier: MIT */
/*
 * Orders of the daemon.
 */
#ifndef GP_SHIM_ORDER_H
#define GP_SHIM_ORDER_H

#include "client/shim/shim.h"

/**
 * shim_order_do() - carry out HOLD, RELEASE or RENEW and answer
 * @s: shim; no lock is held
 * @order: checked by shim_conn_check()
 */
void shim_order_do(struct shim *s, const struct wire_order *order);

#endif
