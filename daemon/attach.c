// SPDX-License-Identifier: MIT
#include "attach.h"

void gpd_attach_call(struct gpd_conn *conn, const struct gpd_request *r)
{
	gpd_control_error(conn, "NotSupported", "reason", "tracing is off");
}

void gpd_attach_detach(struct gpd_conn *conn, const struct gpd_request *r)
{
	gpd_control_error(conn, "NotSupported", "reason", "tracing is off");
}
