/* SPDX-License-Identifier: MIT */
/*
 * The keys of the configuration: what each may be and where it goes. Each call
 * returns NULL, or a constant that says what is wrong.
 */
#ifndef GPD_CONFIG_KEY_H
#define GPD_CONFIG_KEY_H

#include "daemon/gpd_config.h"

/* A key of [daemon], of [class NAME]. */
const char *gpd_key_daemon(struct gpd_config *c, const char *key, const char *value);
const char *gpd_key_class(struct gpd_class *k, const char *key, const char *value);

/* A parameter of the core: its value, checked. */
const char *gpd_key_param(const char *name, const char *value, uint64_t *number);

#endif
