// SPDX-License-Identifier: MIT
#include "client/client_tracer.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <unistd.h>

extern char **environ;

int client_tracer_spawn(const char *program, pid_t target, int fd, bool is_apart, pid_t *pid)
{
	short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, all;
	char number[16];
	char *argv[] = { "gpreempt-tracer", number, NULL };
	int ret;

	snprintf(number, sizeof(number), "%d", (int)target);
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd, CLIENT_TRACER_FD);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, is_apart ? flags | POSIX_SPAWN_SETPGROUP : flags);
	ret = posix_spawn(pid, program, &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return -ret;
}
