// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_client.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKET_FD 3

/* In the child, between fork and exec: its end of the socket, no signal blocked. */
static void become(const char *path, const char *number, int fd)
{
	char *argv[] = { "gpreempt-tracer", (char *)number, NULL };
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0);
	if (fd == SOCKET_FD)
		fcntl(fd, F_SETFD, 0);
	else if (dup2(fd, SOCKET_FD) < 0)
		_exit(127);
	execv(path, argv);
	_exit(127);
}

/* Children that were killed and had not died when they were looked at last. */
#define DYING_MAX 64
static pid_t dying[DYING_MAX];

static void collect(void)
{
	size_t i;

	for (i = 0; i < DYING_MAX; i++)
		if (dying[i] && waitpid(dying[i], NULL, WNOHANG))
			dying[i] = 0;
}

void gpd_dbg_end_child(pid_t pid)
{
	size_t i;

	kill(pid, SIGKILL);
	for (i = 0; i < DYING_MAX - 1 && dying[i]; i++)
		;
	dying[i] = pid;
	collect();
}

/* fork() by hand: <spawn.h> wants a <sched.h> that is not that of the core. */
int gpd_dbg_spawn(const char *path, pid_t target, int fd, pid_t *pid)
{
	char number[16];

	collect();
	if (access(path, X_OK))
		return -errno;
	snprintf(number, sizeof(number), "%d", (int)target);
	*pid = fork();
	if (*pid < 0)
		return -errno;
	if (!*pid)
		become(path, number, fd);
	return 0;
}
