/* SPDX-License-Identifier: MIT */
/*
 * The configuration as a whole: read at the start, and read again while the daemon
 * runs. A new one is applied as a whole or refused as a whole.
 */
#ifndef GPD_RELOAD_H
#define GPD_RELOAD_H

#include "daemon/control/gpd_control.h"

/* What the command line said; it counts more than any file. */
struct gpd_options {
	char file[PATH_MAX];   /* configuration file */
	bool file_given;       /* it was named, so it must be there */
	char socket[PATH_MAX]; /* path of the socket, "" = not said */
	uint32_t nr_sim;       /* simulated nodes */
};

/* Read the configuration. 0 or -errno with @error: what is wrong, with file and line. */
int gpd_reload_read(const struct gpd_options *options, struct gpd_config *config, char *error,
		    size_t size);

/*
 * Set policy and parameters of the configuration. @old is the one before, NULL = the daemon
 * begins; else all that the new one does not say goes back to its default, also what was set at
 * run time.
 */
void gpd_reload_apply_node(struct gpd_node *n, const struct gpd_config *old);

/*
 * Read it again and apply it; an array gets texts that say what changed, NULL = not wanted.
 * 0 or -errno with @error; nothing changed then.
 */
int gpd_reload(struct gpd *d, json_t *changed, char *error, size_t size);

/* Reload, of the control interface. */
void gpd_reload_call(struct gpd_conn *conn, const struct gpd_request *r);

#endif
