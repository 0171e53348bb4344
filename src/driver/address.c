// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "driver/address.h"
#include "driver/environ.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int put(char *out, size_t size, const char *folder, const char *name)
{
	int n = snprintf(out, size, "%s%s", folder, name);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* NULL if the variable is not there, empty, or that of the user of a set-uid program. */
static const char *get(const char *variable)
{
	const char *value = secure_getenv(variable);

	return value && *value ? value : NULL;
}

int drv_address_choose(const char *named, const char *user, char *out, size_t size)
{
	if (named && *named)
		return put(out, size, named, "");
	if (!user || !*user || !access(DRV_ADDRESS_SYSTEM, F_OK))
		return put(out, size, DRV_ADDRESS_SYSTEM, "");
	return put(out, size, user, "/gpreempt/gpreempt.sock");
}

int drv_address_find(char *out, size_t size)
{
	return drv_address_choose(get(DRV_ENV_SOCKET), get("XDG_RUNTIME_DIR"), out, size);
}

int drv_address_listen(char *out, size_t size)
{
	const char *named = get(DRV_ENV_SOCKET);
	const char *user = get("XDG_RUNTIME_DIR");

	if (named)
		return put(out, size, named, "");
	if (geteuid() == 0)
		return put(out, size, DRV_ADDRESS_SYSTEM, "");
	if (!user)
		return -ENOENT;
	return put(out, size, user, "/gpreempt/gpreempt.sock");
}
