/* SPDX-License-Identifier: MIT */
/*
 * What the tests of the shim stand on: a driver that keeps queues and counts
 * runlist cycles as amdkfd makes them, a daemon at the other end of a socket
 * pair, and a clock that moves when told. rig_step() is the control thread.
 */
#ifndef RIG_H
#define RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "client/shim/shim_part.h"
#include "client/shim/shim.h"

#define RIG_KFD 1000
#define RIG_GPU 0x1234
#define RIG_MAX 64
#define MS 1000000ull
#define US 1000ull

/**
 * struct rig_queue - a queue as the driver has it
 */
struct rig_queue {
	bool used;
	struct kfd_ioctl_create_queue_args made;
	uint32_t percentage;
	uint32_t prio;
	uint64_t ring_addr;
	bool is_new;
	bool is_suspended;
	uint64_t rptr;
	uint64_t wptr;
};

/**
 * struct rig - all of it
 */
struct rig {
	struct rig_queue queues[RIG_MAX];
	uint32_t nr_cycles;
	uint32_t nr_calls;
	bool has_session;
	int update_error;
	int destroy_error;
	int open_fd;
	int last_fd;
	void (*on_call)(void);
	int suspend_error;
	int occupancy;
	uint64_t now_ns;
	int daemon;
	int nr_connects;
	int connect_error;
	void (*on_now)(void);
};

extern struct rig rig;

/* cmocka fixtures: a shim in shim_self with nothing in it. */
int rig_setup(void **state);
int rig_teardown(void **state);

/* The application. */
uint32_t rig_create_on(uint32_t gpu_id, uint32_t type);
uint32_t rig_create(void);
/* With indices of the caller's. */
uint32_t rig_create_at(uint64_t *wptr, uint64_t *rptr);
/* With a packet in it. */
uint32_t rig_create_busy(void);
int rig_update(uint32_t id, uint32_t percentage, uint32_t prio);
int rig_destroy(uint32_t id);
/* Moves the write index and tells nothing. */
void rig_write(uint32_t id);
/* Moves it and rings as the wrapped store of ROCr does. */
void rig_ring(uint32_t id);
/* The GPU does everything there is. */
void rig_complete(uint32_t id);
/* The application waits for an event and gets it. */
void rig_wait(void);
/* The doorbells of this queue are told of, as those of ROCr are. */
void rig_make_seen(uint32_t id);

/* Time and the control thread. */
void rig_step(void);
void rig_advance(uint64_t ns);
/* Steps as the thread would until so much time has passed. */
void rig_run(uint64_t ns);

/* The daemon. */
void rig_send(const void *message, size_t bytes);
void rig_welcome(uint32_t flags);
void rig_order(uint16_t type, uint64_t epoch, uint32_t queue_id);
void rig_order_by(uint16_t type, uint64_t epoch, uint32_t queue_id, uint32_t holder,
		  uint64_t lease_ns);
/* The next message of this type, others are passed over; false if there is none. */
bool rig_expect(uint16_t type, void *out, size_t bytes);
bool rig_has(uint16_t type);
/* Everything that came is thrown away. */
void rig_drain(void);
/* A daemon that is connected and has answered. */
void rig_connect(void);

#endif
