// SPDX-License-Identifier: MIT
#include "daemon/gpd_sock.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 256
/* Where there is no room for another connection, none is taken for so long. */
#define REST_NS GPD_NS_PER_SEC

static int make_address(const char *path, struct sockaddr_un *addr)
{
	*addr = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(addr->sun_path))
		return -ENAMETOOLONG;
	strcpy(addr->sun_path, path);
	return 0;
}

/* A socket file that refuses connections was left behind. */
int gpd_sock_clear(const char *path, int type)
{
	struct sockaddr_un addr;
	struct stat st;
	int err = make_address(path, &addr);
	int fd = err ? -1 : socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return err ? err : -errno;
	if (lstat(path, &st))
		err = errno == ENOENT ? 0 : -errno;
	else if (!S_ISSOCK(st.st_mode))
		err = -EEXIST;
	else if (!connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) || errno == EAGAIN)
		err = -EADDRINUSE;
	else if (unlink(path) && errno != ENOENT)
		err = -errno;
	close(fd);
	return err;
}

static int listen_at(const char *path, int type, mode_t mode, gid_t gid, int *fd)
{
	struct sockaddr_un addr;
	int err = gpd_sock_clear(path, type);
	int sock;

	if (err)
		return err;
	make_address(path, &addr);
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

int gpd_sock_listen(struct gpd *d, const char *path, int type, uint64_t mode,
		    sd_event_io_handler_t on_accept, int *fd, sd_event_source **io)
{
	int err = listen_at(path, type, (mode_t)mode, d->config->socket_gid, fd);

	if (!err)
		err = sd_event_add_io(d->event, io, *fd, EPOLLIN, on_accept, d);
	if (err >= 0)
		err = sd_event_source_set_priority(*io, GPD_PRIORITY_ACCEPT);
	return err < 0 ? err : 0;
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
static void rest(sd_event_source *io, int err)
{
	uint64_t usec = (gpd_now_ns() + REST_NS) / 1000;

	gpd_log(LOG_WARNING, "cannot take a connection: %s", strerror(err));
	if (sd_event_add_time(sd_event_source_get_event(io), NULL, CLOCK_MONOTONIC, usec, 1,
			      on_rested, io) >= 0)
		sd_event_source_set_enabled(io, SD_EVENT_OFF);
}

/*
 * A connection of a user that has had its time is taken all the same, on account of that
 * user: it waits with the others, as nothing is read from them until the user has rested.
 */
static int take_in(struct gpd *d, int sock, gpd_sock_take take)
{
	struct gpd_cred cred;
	struct gpd_user *user = gpd_user_of_peer(d, sock, &cred);
	int err;

	if (!user)
		return -ENFILE;
	gpd_user_begin(user);
	err = take(d, sock, &cred, user);
	gpd_user_end(user);
	gpd_user_put(user);
	return err;
}

void gpd_sock_accept(struct gpd *d, sd_event_source *io, int fd, gpd_sock_take take)
{
	int sock = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	int err = sock < 0 ? -errno : take_in(d, sock, take);

	if (err && sock >= 0)
		close(sock);
	if (err == -ENFILE || (sock < 0 && (err == -EMFILE || err == -ENOMEM || err == -ENOBUFS)))
		rest(io, -err);
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
