/* SPDX-License-Identifier: MIT */
/*
 * Listening unix sockets.
 */
#ifndef GPD_SOCK_H
#define GPD_SOCK_H

/**
 * gpd_sock_listen() - listen at a path
 * @path: path; a socket that nobody listens at any more is replaced
 * @type: SOCK_STREAM or SOCK_SEQPACKET
 * @fd: output: non-blocking, closed on exec
 *
 * Everybody may connect: who may do what is decided by credentials.
 *
 * Return: 0, -EADDRINUSE somebody listens there, -ENAMETOOLONG, -errno.
 */
int gpd_sock_listen(const char *path, int type, int *fd);

/* Make the folder of a path, if it is not there. 0 or -errno. */
int gpd_sock_make_dir(const char *path);

#endif
