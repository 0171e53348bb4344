/* SPDX-License-Identifier: MIT */
/*
 * What survives a restart: attributes set by hand, policies and parameters set at
 * run time, and how the daemon ended. A small JSON file, written to a new name and
 * renamed. Nothing about holds is in it: a new daemon holds nothing.
 */
#ifndef GPD_STATE_H
#define GPD_STATE_H

#include "daemon/control/gpd_control.h"
#include "daemon/gpreemptd.h"

#include <jansson.h>

struct gpd_proc;

/*
 * Read what the daemon before this one left. A file that cannot be read, makes no sense, or can
 * be written by other users is said in the log and ignored. 0, -ENOMEM.
 */
int gpd_state_load(struct gpd *d);

/* Forget it. */
void gpd_state_free(struct gpd *d);

/* Set the policy of a node as it was set at run time. */
void gpd_state_apply_node(struct gpd_node *n);

/* What was set at run time for nodes that have not come is over. */
void gpd_state_forget_nodes(struct gpd *d);

/* Give a client that came back the attributes it had. */
void gpd_state_recall(struct gpd_client *c);

/*
 * Attributes of a process that were set by hand before the daemon was restarted. Return: true if
 * there were some; they are not there any more.
 */
bool gpd_state_take(struct gpd *d, pid_t pid, const struct gpd_proc *proc,
		    struct gpd_attrs *attrs);

/* Append a process and what was set of it to those of the file. */
void gpd_state_add(json_t *processes, pid_t pid, uint64_t start_time, uid_t uid,
		   const struct gpd_attrs *attrs);

/* Something changed that is to survive: write the file. */
void gpd_state_save(struct gpd *d);

/* The same within a second, with all that changes until then. */
void gpd_state_soon(struct gpd *d);

/* The same for a request: at once if it is privileged, else within a second. */
void gpd_state_changed(struct gpd_conn *conn);

/* Attributes as the file has them; false if a part is missing or out of range. */
bool gpd_state_read_attributes(json_t *json, struct gpd_attrs *attrs);

/*
 * The configuration as a whole: read at the start, and read again while the daemon
 * runs. A new one is applied as a whole or refused as a whole.
 */

/* What the command line said; it counts more than any file. */
struct gpd_options {
	char file[PATH_MAX];   /* configuration file */
	bool file_given;       /* it was named, so it must be there */
	char socket[PATH_MAX]; /* path of the socket, "" = not said */
	uint32_t nr_sim;       /* simulated nodes */
};

/* Room for all that is said of files of the configuration. */
#define GPD_ERRORS_TEXT 4096

/*
 * Read the configuration. 0 or -errno with @error: all that is wrong, "FILE:LINE:COLUMN: what" with
 * the line and a mark on two lines below each.
 */
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
