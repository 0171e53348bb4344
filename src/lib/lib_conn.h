/* SPDX-License-Identifier: MIT */
/*
 * A connection to the daemon: texts ended by a NUL byte, both ways, each with a
 * deadline. Knows nothing of what the texts say. The owner of the struct calls from
 * one thread at a time.
 */
#ifndef GP_LIB_CONN_H
#define GP_LIB_CONN_H

#include <stddef.h>
#include <stdint.h>

/* Longest text that is accepted: lists of some ten thousand queues. */
#define LIB_CONN_MAX (16u << 20)

/* The connection. */
struct lib_conn {
	int fd;	/* -1 = none */
	char *buf;	/* what was received */
	size_t cap;
	size_t len;	/* bytes in @buf */
	size_t start;	/* bytes of it that were given out */
};

/* Monotonic time, and the moment so many nanoseconds from now, without overflow. */
uint64_t lib_now_ns(void);
uint64_t lib_deadline(uint64_t timeout_ns);

/* Waits for poll() events. 0, -ETIMEDOUT, -errno. */
int lib_wait(int fd, short events, uint64_t deadline_ns);

/* No connection yet. */
void lib_conn_init(struct lib_conn *c);

/* Connects to the socket @path. 0, -ENAMETOOLONG, -ETIMEDOUT, or what connect() said. */
int lib_conn_open(struct lib_conn *c, const char *path, uint64_t deadline_ns);

/* Also forgets what was received; harmless without a connection. */
void lib_conn_close(struct lib_conn *c);

/* Sends a text and its NUL. 0; after -ETIMEDOUT, -EPIPE the connection is of no use. */
int lib_conn_send(struct lib_conn *c, const char *text, uint64_t deadline_ns);

/**
 * lib_conn_receive() - next text
 * @c: connection
 * @text: the text; good until the next call
 * @deadline_ns: give up then; 0 = what is there already, without waiting
 *
 * Return: 0, -ETIMEDOUT (-EAGAIN for deadline 0), -EPIPE the peer is gone,
 * -EMSGSIZE longer than LIB_CONN_MAX, -ENOMEM.
 */
int lib_conn_receive(struct lib_conn *c, const char **text, uint64_t deadline_ns);

#endif
