// SPDX-License-Identifier: MIT
#include "metrics.h"

#include <string.h>

char *gpd_metrics_text(struct gpd *d)
{
	return strdup("");
}
