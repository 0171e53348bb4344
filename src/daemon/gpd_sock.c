// SPDX-License-Identifier: MIT
#include "daemon/gpd_sock.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 256
/* Where there is no room for another connection, none is taken for so long. */
#define REST_NS GPD_NS_PER_SEC

/* A socket file that refuses connections was left behind. */
static int remove_stale(const struct sockaddr_un *addr, int type)
{
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat st;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (lstat(addr->sun_path, &st))
		err = errno == ENOENT ? 0 : -errno;
	else if (!S_ISSOCK(st.st_mode))
		err = -EEXIST;
	else if (!connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) || errno == EAGAIN)
		err = -EADDRINUSE;
	else if (unlink(addr->sun_path) && errno != ENOENT)
		err = -errno;
	close(fd);
	return err;
}

int gpd_sock_listen(const char *path, int type, mode_t mode, gid_t gid, int *fd)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int sock;
	int err;

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	err = remove_stale(&addr, type);
	if (err)
		return err;
	sock = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock < 0)
		return -errno;
	/* Closed to all until it has its group and mode. */
	if (fchmod(sock, 0) || bind(sock, (struct sockaddr *)&addr, sizeof(addr)) ||
	    (gid != (gid_t)-1 && chown(path, (uid_t)-1, gid)) || chmod(path, mode) ||
	    listen(sock, BACKLOG)) {
		err = -errno;
		close(sock);
		return err;
	}
	*fd = sock;
	return 0;
}

static int on_rested(sd_event_source *s, uint64_t usec, void *data)
{
	sd_event_source *io = data;

	sd_event_source_set_enabled(io, SD_EVENT_ON);
	/* Only the loop has a reference: this takes it away. */
	sd_event_source_set_floating(s, false);
	return 0;
}

/* The socket stays readable: without a rest the loop would do nothing else. */
void gpd_sock_rest(sd_event_source *io, int err)
{
	uint64_t usec = (gpd_now_ns() + REST_NS) / 1000;

	gpd_log(LOG_WARNING, "cannot take a connection: %s", strerror(err));
	if (sd_event_add_time(sd_event_source_get_event(io), NULL, CLOCK_MONOTONIC, usec, 1,
			      on_rested, io) >= 0)
		sd_event_source_set_enabled(io, SD_EVENT_OFF);
}

int gpd_sock_accept(sd_event_source *io, int fd)
{
	int sock = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (sock >= 0)
		return sock;
	if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
		gpd_sock_rest(io, errno);
	return -1;
}

void gpd_sock_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int gpd_sock_make_dir(const char *path)
{
	char dir[PATH_MAX];
	char *slash;

	if (strlen(path) >= sizeof(dir))
		return -ENAMETOOLONG;
	strcpy(dir, path);
	slash = strrchr(dir, '/');
	if (!slash || slash == dir)
		return 0;
	*slash = '\0';
	return mkdir(dir, 0755) && errno != EEXIST ? -errno : 0;
}
