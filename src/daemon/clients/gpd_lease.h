/* SPDX-License-Identifier: MIT */
/*
 * Leases: what is held is renewed at a third of the lease. The timer is there only
 * while something is held, so that an idle daemon sleeps.
 */
#ifndef GPD_LEASE_H
#define GPD_LEASE_H

#include "daemon/gpreemptd.h"

/* Make the timer, off. */
int gpd_lease_init(struct gpd *d);

void gpd_lease_fini(struct gpd *d);

/* Something was held or released: start the timer if it is needed. */
void gpd_lease_update(struct gpd *d);

#endif
