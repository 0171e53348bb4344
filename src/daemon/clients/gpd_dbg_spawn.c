// SPDX-License-Identifier: MIT
#include "client/client_tracer.h"
#include "daemon/clients/gpd_client.h"

#include <signal.h>
#include <sys/wait.h>

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

int gpd_dbg_spawn(const char *path, pid_t target, int fd, pid_t *pid)
{
	collect();
	return client_tracer_spawn(path, target, fd, true, pid);
}
