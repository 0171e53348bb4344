/* SPDX-License-Identifier: MIT */
/*
 * What survives a restart: attributes set by hand, policies and parameters set at
 * run time, and how the daemon ended. A small JSON file, written to a new name and
 * renamed. Nothing about holds is in it: a new daemon holds nothing.
 */
#ifndef GPD_STATE_H
#define GPD_STATE_H

#include "gpreemptd.h"

/* Give a client that came back the attributes it had. */
void gpd_state_recall(struct gpd_client *c);

/* Something changed that is to survive: write the file. */
void gpd_state_save(struct gpd *d);

#endif
