/* SPDX-License-Identifier: MIT */
/*
 * How gpreempt-tracer is started, by the daemon and by the library.
 */
#ifndef GP_CLIENT_TRACER_H
#define GP_CLIENT_TRACER_H

#include <stdbool.h>
#include <sys/types.h>

/* Descriptor of the tracer's end of the socket. */
#define CLIENT_TRACER_FD 3

/**
 * client_tracer_spawn() - start a tracer; no signal is blocked or ignored in it
 * @program: its path
 * @target: process that it traces
 * @fd: its end of the socket
 * @is_apart: in a process group of its own, which signals of a terminal do not reach
 * @pid: output
 *
 * Return: 0, -ENOENT no such program, -errno.
 */
int client_tracer_spawn(const char *program, pid_t target, int fd, bool is_apart, pid_t *pid);

#endif
