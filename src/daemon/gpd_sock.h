/* SPDX-License-Identifier: MIT */
/*
 * Listening unix sockets.
 */
#ifndef GPD_SOCK_H
#define GPD_SOCK_H

#include "daemon/gpreemptd.h"

/* Make a connection one of ours, and the socket with it. 0 or -errno: the socket is closed. */
typedef int (*gpd_sock_take)(struct gpd *d, int sock, const struct gpd_cred *cred,
			     struct gpd_user *user);

/**
 * gpd_sock_listen() - listen at a path
 * @d: daemon
 * @path: path; a socket without a listener is replaced
 * @type: SOCK_STREAM or SOCK_SEQPACKET
 * @mode: of the socket file; its group is that of the configuration
 * @on_accept: calls gpd_sock_accept(); its data is @d
 * @fd: output: the socket
 * @io: output: the same in the loop
 *
 * Return: 0, -EADDRINUSE it has a listener, -ENAMETOOLONG, -errno.
 */
int gpd_sock_listen(struct gpd *d, const char *path, int type, uint64_t mode,
		    sd_event_io_handler_t on_accept, int *fd, sd_event_source **io);

/* Remove a socket without a listener. 0, -EADDRINUSE it has one, -errno. */
int gpd_sock_clear(const char *path, int type);

/**
 * gpd_sock_accept() - take a connection, on account of its user
 * @d: daemon
 * @io: of the listening socket; off for a second if there is no descriptor or memory left
 * @fd: listening socket
 * @take: makes the connection one of ours
 */
void gpd_sock_accept(struct gpd *d, sd_event_source *io, int fd, gpd_sock_take take);

/* As many descriptors as may be: every client has one. */
void gpd_sock_raise_limit(void);

/* Make the folder of a path, if it is not there. 0 or -errno. */
int gpd_sock_make_dir(const char *path);

#endif
