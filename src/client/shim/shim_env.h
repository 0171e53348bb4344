/* SPDX-License-Identifier: MIT */
/*
 * The variables of the environment that the shim reads. Another thread must not call
 * getenv() while the application changes the environment: they are copied once, before
 * the program begins.
 */
#ifndef GP_SHIM_ENV_H
#define GP_SHIM_ENV_H

/* Copy them. A relative name of the socket is completed: the program may go elsewhere. */
void shim_env_freeze(void);

/**
 * shim_env() - a variable
 * @name: GPREEMPT_* or XDG_RUNTIME_DIR
 *
 * Return: its value when shim_env_freeze() was called, now if it never was; NULL = not set.
 */
const char *shim_env(const char *name);

#endif
