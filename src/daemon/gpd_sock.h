/* SPDX-License-Identifier: MIT */
/*
 * Listening unix sockets.
 */
#ifndef GPD_SOCK_H
#define GPD_SOCK_H

#include "daemon/gpreemptd.h"

/**
 * gpd_sock_listen() - listen at a path; connections are taken on account of their users
 * @l: listener with its daemon and what takes connections; without room left for one it rests
 * @path: path; a socket without a listener is replaced
 * @type: SOCK_STREAM or SOCK_SEQPACKET
 * @mode: of the socket file; its group is that of the configuration
 *
 * Return: 0, -EADDRINUSE it has a listener, -ENAMETOOLONG, -errno.
 */
int gpd_sock_listen(struct gpd_listener *l, const char *path, int type, uint64_t mode);

/* Listen no more, if it does. */
void gpd_sock_close(struct gpd_listener *l);

/* Remove a socket without a listener. 0, -EADDRINUSE it has one, -errno. */
int gpd_sock_clear(const char *path, int type);

/* As many descriptors as may be: every client has one. */
void gpd_sock_raise_limit(void);

/* Make the folder of a path, if it is not there. 0 or -errno. */
int gpd_sock_make_dir(const char *path);

#endif
