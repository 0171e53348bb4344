/* SPDX-License-Identifier: MIT */
/*
 * Metrics in the text form of Prometheus.
 */
#ifndef GPD_METRICS_H
#define GPD_METRICS_H

#include "daemon/gpreemptd.h"

/* Metrics as text, for free(); NULL out of memory. */
char *gpd_metrics_text(struct gpd *d, enum gpd_metrics_of of);

/*
 * The same, as it was up to a second ago, for users that may ask as often as they like; as a
 * reply of the control socket if that is wanted. The text is the daemon's; NULL out of memory.
 */
const char *gpd_metrics_recent(struct gpd *d, enum gpd_metrics_of of, bool as_reply);

void gpd_metrics_free(struct gpd *d);

/*
 * Metrics over HTTP, for programs that collect them; off by default. GET /metrics, and
 * /healthz: 503 with the reason while a GPU is not scheduled that is to be. Runs in the daemon's
 * own loop.
 */

/* Listen where a configuration says. 0, or -errno with @error, all as it was. */
int gpd_http_change(struct gpd *d, const struct gpd_config *c, char *error, size_t size);

/* Stop. */
void gpd_http_stop(struct gpd *d);

#endif
