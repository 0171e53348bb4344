/* SPDX-License-Identifier: MIT */
/*
 * Listening unix sockets.
 */
#ifndef GPD_SOCK_H
#define GPD_SOCK_H

#include "daemon/gpreemptd.h"

/*
 * Listen at a path, where a socket without a listener is replaced. @l has its daemon and what
 * takes connections, each on account of its user; without room left for one it rests. @mode is
 * that of the file, whose group the configuration says. 0, -EADDRINUSE, -ENAMETOOLONG, -errno.
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
