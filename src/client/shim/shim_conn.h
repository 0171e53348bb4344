/* SPDX-License-Identifier: MIT */
/*
 * The connection to the daemon: what it is told of this process. Sending never
 * waits: a daemon that does not read is as good as dead, and the connection is
 * marked broken. Callers hold lock.
 */
#ifndef GP_SHIM_CONN_H
#define GP_SHIM_CONN_H

#include "client/shim/shim.h"

/**
 * shim_conn_send_locked() - send a message
 * @s: shim
 * @hdr: begins the message; magic and time are filled in
 * @type: enum wire_type
 * @bytes: of the message
 */
void shim_conn_send_locked(struct shim *s, struct wire_hdr *hdr, uint16_t type, size_t bytes);

/**
 * shim_conn_hello_locked() - say which process this is and what it wishes
 * @s: shim, connected
 *
 * What is wished comes from the environment (GPREEMPT_PRIORITY, ..._CLASS, ..._WEIGHT,
 * ..._SLICE_NS, ..._DEADLINE_NS, ..._LATENCY_CRITICAL, ..._GROUP); a number that is none
 * counts as not said.
 */
void shim_conn_hello_locked(struct shim *s);

/**
 * shim_conn_queue_locked() - tell of a queue
 * @s: shim
 * @q: queue
 */
void shim_conn_queue_locked(struct shim *s, const struct shim_queue *q);

/**
 * shim_conn_edge_locked() - tell what happened to a queue
 * @s: shim
 * @type: WIRE_BUSY, WIRE_IDLE, WIRE_QUEUE_REMOVE
 * @q: queue
 */
void shim_conn_edge_locked(struct shim *s, uint16_t type, const struct shim_queue *q);

/**
 * shim_conn_progress_locked() - tell that a queue completed requests and has more
 * @s: shim
 * @q: queue
 * @since_ns: when the oldest request that is not completed came
 */
void shim_conn_progress_locked(struct shim *s, const struct shim_queue *q, uint64_t since_ns);

/**
 * shim_conn_lost_locked() - tell that a queue was reset: the process is left alone there
 * @s: shim
 * @gpu_id: node
 */
void shim_conn_lost_locked(struct shim *s, uint32_t gpu_id);

/**
 * shim_conn_note_locked() - tell something worth knowing
 * @s: shim
 * @code: enum wire_note_code
 * @gpu_id: node or 0
 * @value: see the code
 * @text: for people
 */
void shim_conn_note_locked(struct shim *s, uint32_t code, uint32_t gpu_id, uint64_t value,
			   const char *text);

/**
 * shim_conn_check() - is it a message that a daemon may send?
 * @data: what came
 * @bytes: of it
 *
 * Return: its type, or -EBADMSG.
 */
int shim_conn_check(const void *data, size_t bytes);

#endif
