// SPDX-License-Identifier: MIT
#include "daemon/gpd_trust.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/epoll.h>
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

static int on_rested(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd_listener *l = data;

	return sd_event_source_set_enabled(l->io, SD_EVENT_ON);
}

/*
 * A connection of a user that has had its time is taken all the same, on account of that
 * user: it waits with the others, as nothing is read from them until the user has rested.
 */
static int take_in(struct gpd_listener *l, int sock)
{
	struct gpd_cred cred;
	struct gpd_user *user;
	int err;

	/* Whose time it is shows what takes most of it: which process that is. */
	gpd_user_begin_unknown(l->d);
	if (gpd_auth_peer(l->d, sock, &cred))
		return -ENFILE;
	user = gpd_user_get(l->d, &cred.owner, cred.privileged);
	if (!user)
		return -ENFILE;
	err = l->take(l->d, sock, &cred, user);
	gpd_user_end(user);
	gpd_user_put(user);
	return err;
}

static int on_accept(sd_event_source *s, int fd, uint32_t events, void *data)
{
	int sock = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct gpd_listener *l = data;
	int err = sock < 0 ? -errno : take_in(l, sock);

	if (err && sock >= 0)
		close(sock);
	if (err != -ENFILE && (sock >= 0 || (err != -EMFILE && err != -ENOMEM && err != -ENOBUFS)))
		return 0;
	/* The socket stays readable: without a rest the loop would do nothing else. */
	gpd_log(LOG_WARNING, "cannot take a connection: %s", strerror(-err));
	gpd_timer_set(l->rest, gpd_now_ns() + REST_NS);
	return sd_event_source_set_enabled(s, SD_EVENT_OFF);
}

int gpd_sock_listen(struct gpd_listener *l, const char *path, int type, uint64_t mode)
{
	struct gpd *d = l->d;
	int fd = -1;
	int err = listen_at(path, type, (mode_t)mode, d->config->socket_gid, &fd);

	if (err)
		return err;
	err = sd_event_add_io(d->event, &l->io, fd, EPOLLIN, on_accept, l);
	if (err < 0) {
		close(fd);
		return err;
	}
	sd_event_source_set_io_fd_own(l->io, true);
	err = sd_event_source_set_priority(l->io, GPD_PRIORITY_ACCEPT);
	return err < 0 ? err : gpd_timer_add(d->event, &l->rest, on_rested, l);
}

void gpd_sock_close(struct gpd_listener *l)
{
	l->io = sd_event_source_unref(l->io);
	l->rest = sd_event_source_unref(l->rest);
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
