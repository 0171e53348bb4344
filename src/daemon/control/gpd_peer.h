/* SPDX-License-Identifier: MIT */
#ifndef GPD_PEER_H
#define GPD_PEER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Has this process, of this user, the other end of a socket? The caller has a pidfd of the
 * process, which is alive before and after. A process in another network namespace has not, nor
 * has one that has hundreds of files open, or thousands as root.
 */
bool gpd_peer_is(int sock, pid_t pid, uid_t uid);

#endif
