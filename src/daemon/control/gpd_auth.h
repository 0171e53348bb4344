/* SPDX-License-Identifier: MIT */
/*
 * Rights of connections.
 *
 * Every connection may look. It may stop, continue and change processes of its own user, as
 * long as nothing becomes more urgent than every process may be: the default attributes, or
 * those of an open class. rules/right.h says what is more urgent. Privileged are root, the
 * user the daemon runs as, and the members of the configured group, each only inside of the
 * daemon's own user and pid namespace: they may touch others' processes, raise, and change
 * policies. trust.h has the whole table.
 */
#ifndef GPD_AUTH_H
#define GPD_AUTH_H

#include "daemon/gpreemptd.h"

/**
 * gpd_auth_peer() - what is at the other end of a socket
 * @d: daemon
 * @fd: socket
 * @cred: output
 *
 * Return: 0 or -errno.
 */
int gpd_auth_peer(const struct gpd *d, int fd, struct gpd_cred *cred);

/**
 * gpd_auth_check() - may these attributes be had?
 * @config: configuration
 * @cred: the connection that asks
 * @old: attributes until now: keeping them is no raising; NULL = none
 * @new: attributes asked for
 * @why: output if not: the reason
 * @size: of @why
 *
 * Return: true if so.
 */
bool gpd_auth_check(const struct gpd_config *config, const struct gpd_cred *cred,
		    const struct gpd_attrs *old, const struct gpd_attrs *new, char *why,
		    size_t size);

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
void gpd_auth_wishes(struct gpd_client *c, const struct wire_hello *m);

#endif
