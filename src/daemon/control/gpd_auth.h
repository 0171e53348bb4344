/* SPDX-License-Identifier: MIT */
/*
 * Who may do what.
 *
 * Everybody may look. Everybody may stop, continue and change his own processes, as
 * long as nothing is raised above what everybody has: priority GP_PRIO_DEFAULT, or
 * that of an open class if it is higher; latency_critical and no_preempt only
 * where such a class says so. Privileged are root, the user the daemon runs as, and
 * the members of the configured group: they may touch others' processes, raise, and
 * change policies.
 */
#ifndef GPD_AUTH_H
#define GPD_AUTH_H

#include "daemon/gpreemptd.h"

/**
 * gpd_auth_peer() - who is at the other end of a socket
 * @config: configuration
 * @fd: socket
 * @cred: output
 *
 * Return: 0 or -errno.
 */
int gpd_auth_peer(const struct gpd_config *config, int fd, struct gpd_cred *cred);

/* Whether somebody may stop, continue and change the processes of a user. */
bool gpd_auth_may_touch(const struct gpd_cred *cred, uid_t uid);

/**
 * gpd_auth_check() - may these attributes be had?
 * @config: configuration
 * @cred: who asks
 * @old: attributes until now: keeping what one has is no raising; NULL = none
 * @new: attributes asked for
 * @why: output if not: the reason, a constant
 *
 * Return: true if so.
 */
bool gpd_auth_check(const struct gpd_config *config, const struct gpd_cred *cred,
		    const struct gpd_attrs *old, const struct gpd_attrs *new, const char **why);

/**
 * gpd_auth_class() - start from the attributes of a class
 * @config: configuration
 * @name: class
 * @attrs: output; the group is kept
 *
 * Return: true if there is such a class.
 */
bool gpd_auth_class(const struct gpd_config *config, const char *name, struct gpd_attrs *attrs);

/**
 * gpd_auth_wishes() - the first attributes of a client, from its HELLO
 * @c: client
 * @m: HELLO; what goes beyond the client's rights is clamped, and noted
 */
void gpd_auth_wishes(struct gpd_client *c, const struct gp_wire_hello *m);

#endif
