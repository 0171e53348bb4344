// SPDX-License-Identifier: MIT
#include "reload.h"

void gpd_reload_call(struct gpd_conn *conn, const struct gpd_request *r)
{
	gpd_control_error(conn, "NotSupported", "reason", "there is no configuration to read");
}
