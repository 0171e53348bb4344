// SPDX-License-Identifier: MIT
#include "dbg.h"

#include <errno.h>
#include <stdio.h>

const struct gpd_mech_ops gpd_dbg_ops = {
	.name = "dbg",
};

int gpd_dbg_admit(struct gpd_client *c, const struct gp_wire_hello *m, char *why, size_t size)
{
	if (m->mech == GP_WIRE_MECH_DBG && m->pid == (uint32_t)c->pid)
		return 0;
	snprintf(why, size, "not the tracer it was started as");
	return -EPERM;
}
