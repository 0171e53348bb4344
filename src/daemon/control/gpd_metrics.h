/* SPDX-License-Identifier: MIT */
/*
 * Metrics in the text form of Prometheus.
 */
#ifndef GPD_METRICS_H
#define GPD_METRICS_H

#include "daemon/gpreemptd.h"

/* All metrics as text, for free(); NULL out of memory. */
char *gpd_metrics_text(struct gpd *d);

/*
 * The same, as it was up to a second ago, for users that may ask as often as they like; as a
 * reply of the control socket if that is wanted. The text is the daemon's; NULL out of memory.
 */
const char *gpd_metrics_recent(struct gpd *d, bool as_reply);

/*
 * Metrics over HTTP on loopback, for programs that collect them; off by default.
 * GET /metrics and nothing else. Runs in the daemon's own loop.
 */

/* Listen at another port of 127.0.0.1, 0 = off. 0, or -errno with @error, all as it was. */
int gpd_http_change(struct gpd *d, uint64_t port, char *error, size_t size);

/* Stop. */
void gpd_http_stop(struct gpd *d);

#endif
