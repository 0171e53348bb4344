// SPDX-License-Identifier: MIT
/*
 * Which process is at the other end of a socket, on kernels before 6.5. SO_PEERCRED has the number
 * that it had when it connected. By now that may be the number of another one, in other
 * namespaces. A process is the one that connected if it has the number, the user, and the other
 * end of the socket: the last is asked of the kernel (sock_diag(7)) and looked for in /proc.
 */
#include "daemon/control/gpd_peer.h"
#include "driver/sysfile.h"

#include <dirent.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files of a process that are looked at, and of one that says that it is root. */
#define FILES_MAX 256
#define FILES_ROOT_MAX 4096

static ssize_t ask(const void *request, size_t size, void *reply, size_t room)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	ssize_t len = -1;

	if (fd < 0)
		return -1;
	if (send(fd, request, size, 0) == (ssize_t)size)
		len = recv(fd, reply, room, 0);
	close(fd);
	return len;
}

/* Return: the inode of the other end of a socket, 0 = not known. */
static uint32_t inode_of_peer(int sock)
{
	struct {
		struct nlmsghdr hdr;
		struct unix_diag_req diag;
	} request = {
		.hdr = { sizeof(request), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 0, 0 },
		.diag = { .sdiag_family = AF_UNIX, .udiag_states = ~0U,
			  .udiag_show = UDIAG_SHOW_PEER, .udiag_cookie = { ~0U, ~0U } },
	};
	union {
		struct nlmsghdr hdr;
		char bytes[1024];
	} reply;
	struct rtattr *attr;
	struct stat st;
	ssize_t left;

	if (fstat(sock, &st))
		return 0;
	request.diag.udiag_ino = (uint32_t)st.st_ino;
	left = ask(&request, sizeof(request), &reply, sizeof(reply));
	if (left < 0 || !NLMSG_OK(&reply.hdr, left) || reply.hdr.nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return 0;
	attr = (struct rtattr *)((char *)NLMSG_DATA(&reply.hdr) +
				 NLMSG_ALIGN(sizeof(struct unix_diag_msg)));
	left = (ssize_t)NLMSG_PAYLOAD(&reply.hdr, sizeof(struct unix_diag_msg));
	for (; RTA_OK(attr, left); attr = RTA_NEXT(attr, left))
		if (attr->rta_type == UNIX_DIAG_PEER)
			return *(uint32_t *)RTA_DATA(attr);
	return 0;
}

static bool has_file(pid_t pid, const char *name, int max)
{
	char path[64], target[64];
	struct dirent *entry;
	bool found = false;
	ssize_t len;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && !found && max-- && (entry = readdir(dir))) {
		len = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);
		target[len < 0 ? 0 : len] = '\0';
		found = !strcmp(target, name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* The owner of its files in /proc may be root instead. */
static bool has_user(pid_t pid, uid_t uid)
{
	char path[64], text[2048], *line;
	unsigned int real, effective;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (drv_sysfile_text(path, text, sizeof(text)) < 0)
		return false;
	line = strstr(text, "\nUid:");
	return line && sscanf(line, "\nUid: %u %u", &real, &effective) == 2 && effective == uid;
}

bool gpd_peer_is(int sock, pid_t pid, uid_t uid)
{
	uint32_t inode = has_user(pid, uid) ? inode_of_peer(sock) : 0;
	char name[32];

	snprintf(name, sizeof(name), "socket:[%u]", inode);
	return inode && has_file(pid, name, uid ? FILES_MAX : FILES_ROOT_MAX);
}
