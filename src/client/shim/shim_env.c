// SPDX-License-Identifier: MIT
#include "client/shim/shim_sys.h"
#include "driver/environ.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VALUE_MAX 256

static const char *const names[] = {
	DRV_ENV_SOCKET,
	"XDG_RUNTIME_DIR",
	DRV_ENV_DEBUG,
	DRV_ENV_PRIORITY,
	DRV_ENV_CLASS,
	DRV_ENV_GROUP,
	DRV_ENV_WEIGHT,
	DRV_ENV_SLICE_NS,
	DRV_ENV_DEADLINE_NS,
	DRV_ENV_LATENCY_CRITICAL,
};

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

static char values[NR_NAMES][VALUE_MAX];
static bool is_set[NR_NAMES];
static bool is_frozen;

static void complete(char value[VALUE_MAX])
{
	char folder[VALUE_MAX], whole[2 * VALUE_MAX];
	int n;

	if (value[0] == '/' || !value[0] || !getcwd(folder, sizeof(folder)))
		return;
	n = snprintf(whole, sizeof(whole), "%s/%s", folder, value);
	if (n > 0 && n < VALUE_MAX)
		strcpy(value, whole);
}

void shim_env_freeze(void)
{
	size_t i;

	for (i = 0; i < NR_NAMES; i++) {
		const char *value = getenv(names[i]);

		/* What does not fit makes no sense. */
		is_set[i] = value && strlen(value) < VALUE_MAX;
		if (is_set[i])
			strcpy(values[i], value);
		if (is_set[i] && !strcmp(names[i], DRV_ENV_SOCKET))
			complete(values[i]);
	}
	is_frozen = true;
}

const char *shim_env(const char *name)
{
	size_t i;

	if (!is_frozen)
		return getenv(name);
	for (i = 0; i < NR_NAMES; i++)
		if (!strcmp(names[i], name))
			return is_set[i] ? values[i] : NULL;
	return NULL;
}
