/* SPDX-License-Identifier: MIT */
/*
 * Listening unix sockets.
 */
#ifndef GPD_SOCK_H
#define GPD_SOCK_H

#include <sys/types.h>
#include <systemd/sd-event.h>

/**
 * gpd_sock_listen() - listen at a path
 * @path: path; a socket without a listener is replaced
 * @type: SOCK_STREAM or SOCK_SEQPACKET
 * @mode: of the socket file
 * @gid: its group, (gid_t)-1 = that of the daemon
 * @fd: output: non-blocking, closed on exec
 *
 * Return: 0, -EADDRINUSE it has a listener, -ENAMETOOLONG, -errno.
 */
int gpd_sock_listen(const char *path, int type, mode_t mode, gid_t gid, int *fd);

/**
 * gpd_sock_accept() - take a connection
 * @io: of the listening socket; off for a second if there is no descriptor left
 * @fd: listening socket
 *
 * Return: non-blocking and closed on exec, or -1.
 */
int gpd_sock_accept(sd_event_source *io, int fd);

/* Take no connection for a second: there is no descriptor, or no memory, for one. */
void gpd_sock_rest(sd_event_source *io, int err);

/* As many descriptors as may be: every client has one. */
void gpd_sock_raise_limit(void);

/* Make the folder of a path, if it is not there. 0 or -errno. */
int gpd_sock_make_dir(const char *path);

#endif
