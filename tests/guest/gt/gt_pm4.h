/* SPDX-License-Identifier: MIT */
/*
 * Compute queues of PM4 packets, for the tests of them. Packets are collected in a list
 * and then sent through the ring, or put into memory as an indirect buffer.
 */
#ifndef GT_PM4_H
#define GT_PM4_H

#include "gt/gt.h"
#include "gpu/pm4.h"

#define GT_PM4_MAX_DW 512

/**
 * struct gt_pm4 - packets in order
 * @dw: their dwords
 * @nr: how many
 */
struct gt_pm4 {
	uint32_t dw[GT_PM4_MAX_DW];
	uint32_t nr;
};

void gt_pm4_put(struct gt_pm4 *p, const uint32_t *pkt, uint32_t nr);
/* NOP of @nr dwords, its header included. */
void gt_pm4_nop(struct gt_pm4 *p, uint32_t nr);
void gt_pm4_write(struct gt_pm4 *p, volatile uint32_t *where, uint32_t value);
void gt_pm4_wait(struct gt_pm4 *p, volatile uint32_t *where, uint32_t value);
/* RELEASE_MEM of 64 bits. @event: id for the interrupt, 0 = none */
void gt_pm4_release(struct gt_pm4 *p, uint64_t where, uint64_t value, uint32_t event);
/* Clears what an earlier run left; registers, DISPATCH_DIRECT, and its end clears the signal. */
void gt_pm4_kernel(struct gt_pm4 *p, struct gt_kernel *k);
/* The same without the last part: what follows does not wait for it. */
void gt_pm4_dispatch(struct gt_pm4 *p, struct gt_kernel *k);
void gt_pm4_signal(struct gt_pm4 *p, const struct gt_kernel *k);
void gt_pm4_buffer(struct gt_pm4 *p, uint64_t addr, uint32_t nr_dw);

/* Puts the packets into memory of the GPU. Return: the packet that calls them. */
struct gt_pm4 gt_pm4_in_buffer(struct gt_gpu *gpu, const struct gt_pm4 *p);
/* Through the ring, round its end if need be, and rings. */
void gt_pm4_send(struct gt_queue *q, const struct gt_pm4 *p);

#endif
