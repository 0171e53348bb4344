/* SPDX-License-Identifier: MIT */
/*
 * The control thread: connects to the daemon, carries out its orders, ends what is
 * held when the lease is over or the daemon is gone, and proves idle. It starts with
 * the first queue. All of its work is shim_control_step(), which never waits.
 */
#ifndef GP_SHIM_CONTROL_H
#define GP_SHIM_CONTROL_H

#include "client/shim/shim.h"

/**
 * shim_control_start() - start the thread unless it runs; errors leave the client unscheduled
 * @s: shim
 * @fd: /dev/kfd of the application, used while no other can be opened
 */
void shim_control_start(struct shim *s, int fd);

/**
 * shim_control_stop() - end the thread, for tests
 * @s: shim
 */
void shim_control_stop(struct shim *s);

/**
 * shim_control_step() - do what is to be done now
 * @s: shim
 *
 * Return: when to be called again at the latest; earlier if the socket is readable or
 * @wake_fd is.
 */
uint64_t shim_control_step(struct shim *s);

/**
 * shim_control_wake_locked() - there is something for the thread
 * @s: shim
 */
void shim_control_wake_locked(struct shim *s);

/**
 * shim_control_tell_queue_locked() - there is a new queue
 * @s: shim
 * @q: queue
 */
void shim_control_tell_queue_locked(struct shim *s, const struct shim_queue *q);

/**
 * shim_control_tell_gone_locked() - a queue is about to leave the table
 * @s: shim
 * @q: queue
 */
void shim_control_tell_gone_locked(struct shim *s, const struct shim_queue *q);

/**
 * shim_control_kfd() - the descriptor for the shim's own calls of the driver
 * @s: shim; call_lock
 *
 * Return: one; opened again if the application closed it. Else the application's.
 */
int shim_control_kfd(struct shim *s);

#endif
