/* SPDX-License-Identifier: MIT */
/*
 * The side of ROCr: the functions it calls in a tool, the wrapped doorbell stores, stores that
 * programs bind to by name, for a ROCr that hands out no table, and its queues.
 */
#ifndef GP_SHIM_HSA_H
#define GP_SHIM_HSA_H

#include <hsa/hsa.h>

#include "client/shim/shim.h"

/*
 * struct HsaApiTable and struct CoreApiTable of hsa_api_trace.h, which is C++: a
 * version of four words, then pointers. The place of each function in the core table
 * is the same from 5.2 to 6.4; a test compares it with the installed header.
 */
#define SHIM_HSA_NR_CORE 125

enum shim_hsa_core {
	SHIM_HSA_QUEUE_CREATE = 7,
	SHIM_HSA_QUEUE_DESTROY = 9,
	SHIM_HSA_QUEUE_STORE_WRITE_INDEX_RELAXED = 15,
	SHIM_HSA_QUEUE_STORE_WRITE_INDEX_SCRELEASE = 16,
	SHIM_HSA_QUEUE_CAS_WRITE_INDEX_SCACQ_SCREL = 17,
	SHIM_HSA_MEMORY_COPY = 35,
	SHIM_HSA_SIGNAL_CREATE = 37,
	SHIM_HSA_SIGNAL_DESTROY = 38,
	SHIM_HSA_SIGNAL_STORE_RELAXED = 41,
	SHIM_HSA_SIGNAL_STORE_SCRELEASE = 42,
	SHIM_HSA_EXECUTABLE_LOAD_CODE_OBJECT = 85,
	SHIM_HSA_EXECUTABLE_FREEZE = 86,
	SHIM_HSA_SIGNAL_SILENT_STORE_RELAXED = 102,
	SHIM_HSA_SIGNAL_SILENT_STORE_SCRELEASE = 103,
	SHIM_HSA_EXECUTABLE_LOAD_AGENT_CODE_OBJECT = 120,
};

/* Version of a table. */
struct shim_hsa_version {
	uint32_t major; /* layout */
	uint32_t minor; /* bytes of the table */
	uint32_t unused[2];
};

/* Core functions, by enum shim_hsa_core. */
struct shim_hsa_core_table {
	struct shim_hsa_version version;
	void *fn[SHIM_HSA_NR_CORE];
};

/* What ROCr hands to a tool; the core functions are the only part used. */
struct shim_hsa_table {
	struct shim_hsa_version version;
	struct shim_hsa_core_table *core;
};

/* Load order among tools that ROCr finds by this name: low = near to ROCr. */
extern const uint32_t HSA_AMD_TOOL_PRIORITY;

/* ROCr begins: functions of the table are replaced. true, else the library would be unloaded. */
bool OnLoad(struct shim_hsa_table *table, uint64_t runtime_version, uint64_t nr_failed,
	    const char *const *failed);

/* ROCr ends. Queues inside it are still there. */
void OnUnload(void);

/*
 * shim_hsa_queue.c
 *
 * A queue as ROCr shows it to the application: with it come a doorbell whose rings are seen,
 * and the right to put in a barrier packet if it has several producers anyway.
 *
 * The packet is safe beside producers that take their places with the atomic calls, as HSA
 * asks of such queues. A producer with a lock of its own that loads the write index, writes and
 * stores the index may share a place with the packet: one of the two is lost. So no packet
 * is put in any more once the program calls hsa_queue_store_write_index_*() on such a
 * queue, once a packet is seen ahead of the write index, or once a barrier packet was written
 * over; the pointers must do then.
 */

/* The functions of ROCr that the shim calls. */
struct shim_hsa_calls {
	uint64_t (*cas_write_index)(const hsa_queue_t *queue, uint64_t expected, uint64_t value);
	hsa_status_t (*signal_create)(hsa_signal_value_t initial, uint32_t nr_consumers,
				      const hsa_agent_t *consumers, hsa_signal_t *out);
	hsa_status_t (*signal_destroy)(hsa_signal_t signal);
	void (*store)(hsa_signal_t signal, hsa_signal_value_t value);
};

enum shim_hsa_send {
	SHIM_HSA_SENT,
	SHIM_HSA_NOT_NOW,	/* the last one is on its way, or others write a lot */
	SHIM_HSA_NEVER,		/* not in this queue */
};

enum shim_hsa_check {
	SHIM_HSA_WAITS,		/* for packets before it */
	SHIM_HSA_DONE,
	SHIM_HSA_LOST,		/* another producer has written over it */
};

/* ROCr made a queue for the application. @calls must live as long as the queue. */
void shim_hsa_queue_attach(struct shim *s, hsa_queue_t *queue, hsa_agent_t agent,
			   const struct shim_hsa_calls *calls);

/**
 * shim_hsa_queue_detach() - it will be destroyed: put nothing in any more
 * @s: shim; no lock is held
 * @queue: queue
 *
 * Return: for shim_hsa_queue_free() after the queue is gone, or NULL.
 */
struct shim_hsa_queue *shim_hsa_queue_detach(struct shim *s, const hsa_queue_t *queue);

/* The GPU cannot write to the signal any more. */
void shim_hsa_queue_free(struct shim_hsa_queue *h);

/* ROCr shuts down; its signals go with it. */
void shim_hsa_queue_detach_all(struct shim *s);

/* May barrier packets be put in? Not if they were given up. Context of these: lock. */
bool shim_hsa_barrier_is_used(const struct shim_queue *q);

/* Put a barrier packet in that waits for all before it; @wptr: the index right behind it. */
enum shim_hsa_send shim_hsa_barrier_send(struct shim *s, struct shim_queue *q, uint64_t *wptr);

/* What became of it? SHIM_HSA_LOST also if none was ever sent; none is sent after that. */
enum shim_hsa_check shim_hsa_barrier_check(struct shim_queue *q);

#endif
