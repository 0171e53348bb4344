/* SPDX-License-Identifier: MIT */
/*
 * Metrics in the text form of Prometheus.
 */
#ifndef GPD_METRICS_H
#define GPD_METRICS_H

#include "daemon/gpreemptd.h"

/* All metrics as text, for free(); NULL out of memory. */
char *gpd_metrics_text(struct gpd *d);

#endif
