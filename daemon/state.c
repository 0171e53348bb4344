// SPDX-License-Identifier: MIT
#include "state.h"

void gpd_state_recall(struct gpd_client *c)
{
}

void gpd_state_save(struct gpd *d)
{
}
