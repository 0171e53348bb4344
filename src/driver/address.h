/* SPDX-License-Identifier: MIT */
/*
 * Where the daemon's control socket is. The client socket is beside it, see
 * WIRE_SOCKET_SUFFIX in wire.h. Needs libc alone; allocates nothing.
 */
#ifndef GP_MECHANISM_ADDRESS_H
#define GP_MECHANISM_ADDRESS_H

#include <stddef.h>

#define DRV_ADDRESS_SYSTEM "/run/gpreempt/gpreempt.sock"

/* Room for every path that fits into a struct sockaddr_un. */
#define DRV_ADDRESS_MAX 108

/**
 * drv_address_find() - the socket that a client should try
 * @out: room for the path
 * @size: bytes of it
 *
 * $GPREEMPT_SOCKET if it is set; else the system's daemon if its socket is there or
 * the user has no folder of its own; else that of the user's daemon.
 *
 * Return: 0, -ENAMETOOLONG.
 */
int drv_address_find(char *out, size_t size);

/**
 * drv_address_choose() - the same, with the variables as they are given
 * @named: $GPREEMPT_SOCKET, or NULL
 * @user: $XDG_RUNTIME_DIR, or NULL
 * @out: room for the path
 * @size: bytes of it
 *
 * Return: 0, -ENAMETOOLONG.
 */
int drv_address_choose(const char *named, const char *user, char *out, size_t size);

/**
 * drv_address_listen() - the socket that a daemon of this user should make
 * @out: room for the path
 * @size: bytes of it
 *
 * Return: 0, -ENAMETOOLONG, -ENOENT not root and no XDG_RUNTIME_DIR.
 */
int drv_address_listen(char *out, size_t size);

#endif
