/* SPDX-License-Identifier: MIT */
/*
 * Metrics in the text form of Prometheus.
 */
#ifndef GPD_METRICS_H
#define GPD_METRICS_H

#include "daemon/gpreemptd.h"

/* All metrics as text, for free(); NULL out of memory. */
char *gpd_metrics_text(struct gpd *d);

/**
 * gpd_metrics_recent() - the same, as it was up to a second ago
 * @d: daemon
 * @as_reply: as a reply of the control socket
 *
 * For users that may ask as often as they like.
 *
 * Return: text of the daemon's, NULL out of memory.
 */
const char *gpd_metrics_recent(struct gpd *d, bool as_reply);

#endif
