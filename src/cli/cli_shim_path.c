// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/cli_shim_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "libgpreempt-shim.so"

static int is_there(const char *path)
{
	return !access(path, R_OK);
}

/* A path that stays right in another folder. */
static int absolute(const char *path, char *out, size_t size)
{
	char *real = realpath(path, NULL);
	int n = snprintf(out, size, "%s", real ? real : path);

	free(real);
	return n > 0 && (size_t)n < size && is_there(out) ? 0 : -ENOENT;
}

/* .../cli/gpreempt has .../client/shim and .../daemon beside it. */
static int in_build(const char *name, char *out, size_t size)
{
	char self[CLI_SHIM_PATH_MAX - 64];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	for (int i = 0; n > 0 && i < 2; i++) {
		char *slash;

		self[n] = '\0';
		slash = strrchr(self, '/');
		n = slash ? slash - self : 0;
	}
	if (n <= 0)
		return -ENOENT;
	self[n] = '\0';
	snprintf(out, size, "%s/%s", self, name);
	return is_there(out) ? 0 : -ENOENT;
}

int cli_shim_find(const char *named, char *out, size_t size)
{
	const char *variable = getenv("GPREEMPT_SHIM");

	if (named)
		return absolute(named, out, size);
	if (variable && *variable)
		return absolute(variable, out, size);
	if (!in_build("client/shim/" NAME, out, size))
		return 0;
	snprintf(out, size, "%s", GP_LIBDIR "/" NAME);
	return is_there(out) ? 0 : -ENOENT;
}

const char *cli_daemon_find(char *out, size_t size)
{
	if (in_build("daemon/gpreemptd", out, size))
		snprintf(out, size, "%s", GP_SBINDIR "/gpreemptd");
	return out;
}
