/* SPDX-License-Identifier: MIT */
/* A daemon with one simulated node, without sockets. */
#ifndef GP_TESTS_DAEMON_UNIT_DAEMON_H
#define GP_TESTS_DAEMON_UNIT_DAEMON_H

#include "unit.h"

#include "daemon/gpd_engine.h"
#include "daemon/gpd_grant.h"
#include "daemon/gpd_hold.h"
#include "daemon/gpd_user.h"

#include <stdlib.h>

static inline struct gpd *unit_daemon_make(void)
{
	struct gpd *d = calloc(1, sizeof(*d));

	assert_non_null(d);
	assert_true(sd_event_new(&d->event) >= 0);
	d->config = calloc(1, sizeof(*d->config));
	gpd_config_default(d->config);
	d->config->nr_sim = 1;
	gpd_log_level = -1;
	gpd_nodes_init(d);
	assert_int_equal(gpd_daemon_tables(d), 0);
	return d;
}

static inline void unit_daemon_free(struct gpd *d)
{
	gpd_daemon_free_tables(d);
	sd_event_unref(d->event);
	free(d->config);
	free(d);
}

#endif
