/* SPDX-License-Identifier: MIT */
/*
 * Metrics over HTTP on loopback, for programs that collect them; off by default.
 * GET /metrics and nothing else. Runs in the daemon's own loop.
 */
#ifndef GPD_HTTP_H
#define GPD_HTTP_H

#include "daemon/gpreemptd.h"

/**
 * gpd_http_change() - listen at another port
 * @d: daemon
 * @port: port on 127.0.0.1, 0 = off
 * @error: output
 * @size: of @error
 *
 * Return: 0, or -errno with @error and everything as it was.
 */
int gpd_http_change(struct gpd *d, uint64_t port, char *error, size_t size);

/* Stop. */
void gpd_http_stop(struct gpd *d);

#endif
