// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "client/shim/shim_fd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Below are the numbers that programs expect to get, 0 to 2 above all. */
#define LOW 200

/* By number: fstat() of libc is younger than the programs this library is for. */
static bool identify(int fd, struct shim_fd_id *id)
{
	struct stat st;

	if (syscall(SYS_fstat, fd, &st))
		return false;
	*id = (struct shim_fd_id){ st.st_dev, st.st_ino };
	return true;
}

static void note(int fd, struct shim_fd_id *id)
{
	if (!identify(fd, id))
		*id = (struct shim_fd_id){};
}

void shim_fd_note_path(const char *path, struct shim_fd_id *id)
{
	struct stat st;

	*id = (struct shim_fd_id){};
	if (!syscall(SYS_newfstatat, AT_FDCWD, path, &st, 0))
		*id = (struct shim_fd_id){ st.st_dev, st.st_ino };
}

int shim_fd_keep(int fd, struct shim_fd_id *id)
{
	int high = fd < LOW ? fcntl(fd, F_DUPFD_CLOEXEC, LOW) : -1;

	note(high < 0 ? fd : high, id);
	if (high < 0)
		return fd;
	shim_fd_close(fd, id);
	return high;
}

bool shim_fd_is_ours(int fd, const struct shim_fd_id *id)
{
	struct shim_fd_id is;

	return !id->ino || (identify(fd, &is) && is.dev == id->dev && is.ino == id->ino);
}

void shim_fd_close(int fd, const struct shim_fd_id *id)
{
	if (fd >= 0 && shim_fd_is_ours(fd, id))
		close(fd);
}
