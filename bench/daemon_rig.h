/* SPDX-License-Identifier: MIT */
/*
 * A gpreemptd of its own with simulated clients that answer every order at once, all
 * in the calling thread.
 */
#ifndef BENCH_DAEMON_RIG_H
#define BENCH_DAEMON_RIG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define BENCH_RIG_CLIENTS_MAX 512

/**
 * struct bench_rig - the daemon and its clients
 * @pid: daemon
 * @folder: where its sockets are
 * @epoll: for all clients
 * @nr: clients
 * @fd: their sockets
 * @held: whether each is held
 * @nr_held: how many are
 * @first_held_ns: when the last first HOLD was read, no client being held
 * @held_ns: when the last order to one of them was read
 */
struct bench_rig {
	pid_t pid;
	char folder[64];
	int epoll;
	uint32_t nr;
	int fd[BENCH_RIG_CLIENTS_MAX];
	bool held[BENCH_RIG_CLIENTS_MAX];
	uint32_t nr_held;
	uint64_t first_held_ns;
	uint64_t held_ns;
};

/* Start a daemon with one simulated node, stop it and all clients. */
int bench_rig_start(struct bench_rig *r);
void bench_rig_stop(struct bench_rig *r);

/**
 * bench_rig_add() - add a client
 * @r: rig
 * @prio: its priority
 * @nr_queues: how many queues it has
 *
 * Return: 0 or -errno.
 */
int bench_rig_add(struct bench_rig *r, uint8_t prio, uint32_t nr_queues);

/* A queue of a client became busy or idle. */
int bench_rig_edge(struct bench_rig *r, uint32_t client, uint32_t queue, bool busy);

/**
 * bench_rig_pump() - answer orders
 * @r: rig
 * @nr_held: until at least so many are held; 0: until none is
 * @ns: but not longer
 *
 * Return: 0, -ETIMEDOUT, -errno.
 */
int bench_rig_pump(struct bench_rig *r, uint32_t nr_held, uint64_t ns);

/* Answer orders for so long. */
int bench_rig_serve(struct bench_rig *r, uint64_t ns);

/* Processor time of the daemon so far. */
uint64_t bench_rig_cpu_ns(const struct bench_rig *r);

/* Path of the control socket. */
void bench_rig_path(const struct bench_rig *r, char *path, size_t size);

#endif
