/* SPDX-License-Identifier: MIT */
/*
 * The daemon as a whole: its parts are made in order and freed in reverse.
 */
#ifndef GPD_DAEMON_H
#define GPD_DAEMON_H

#include "daemon/gpd_reload.h"

/**
 * gpd_daemon_run() - be the daemon until it is told to stop
 * @options: command line
 * @config: configuration, checked; the daemon owns it
 *
 * Return: 0 or -errno.
 */
int gpd_daemon_run(const struct gpd_options *options, struct gpd_config *config);

#endif
