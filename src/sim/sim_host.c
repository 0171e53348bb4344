// SPDX-License-Identifier: MIT
/*
 * The GPU's view of the simulated machine: memory by address space, and interrupts.
 */
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>

static struct sim_space *space_of(struct sim *sim, u32 pasid)
{
	u32 index = pasid - 0x8000;

	if (pasid == GPU_PASID_GART)
		return &sim->gart;
	return index < sim->nr_procs ? &sim->procs[index].space : NULL;
}

static void *host_ptr(struct gpu_host *host, u32 pasid, u64 addr, u64 len)
{
	struct sim_space *s = space_of(container_of(host, struct sim, host), pasid);

	return s ? sim_space_ptr(s, addr, len) : NULL;
}

static int host_read(struct gpu_host *host, u32 pasid, u64 addr, void *dst, u32 len)
{
	void *p = host_ptr(host, pasid, addr, len);

	if (!p)
		return -EFAULT;
	memcpy(dst, p, len);
	return 0;
}

static int host_write(struct gpu_host *host, u32 pasid, u64 addr, const void *src, u32 len)
{
	void *p = host_ptr(host, pasid, addr, len);

	if (!p)
		return -EFAULT;
	memcpy(p, src, len);
	return 0;
}

static int host_add64(struct gpu_host *host, u32 pasid, u64 addr, s64 delta, s64 *value)
{
	s64 *p = host_ptr(host, pasid, addr, sizeof(*p));

	if (!p)
		return -EFAULT;
	*p += delta;
	*value = *p;
	return 0;
}

static void stop_by_fault(struct sim *sim, const struct gpu_irq *irq)
{
	const char *cause = irq->source == GPU_IRQ_MEM_FAULT  ? "memory fault" :
			    irq->source == GPU_IRQ_NO_MEMORY ? "the model has no memory left" :
							       "illegal packet";
	char *why = sim->result->stopped;
	size_t size = sizeof(sim->result->stopped);

	if (irq->doorbell < SIM_DOORBELL(0))
		snprintf(why, size, "HIQ: %s", cause);
	else
		snprintf(why, size, "queue %u: %s", SIM_QUEUE_OF(irq->doorbell), cause);
}

static void host_irq(struct gpu_host *host, const struct gpu_irq *irq)
{
	struct sim *sim = container_of(host, struct sim, host);

	if (irq->source != GPU_IRQ_EOP) {
		stop_by_fault(sim, irq);
		return;
	}
	sim_queue_completed(&sim->queues[SIM_QUEUE_OF(irq->doorbell)], irq->context - 1);
}

static void *host_alloc(struct gpu_host *host, size_t bytes)
{
	return calloc(1, bytes);
}

static void host_free(struct gpu_host *host, void *mem)
{
	free(mem);
}

const struct gpu_host_ops sim_host_ops = {
	.read = host_read,
	.write = host_write,
	.add64 = host_add64,
	.irq = host_irq,
	.alloc = host_alloc,
	.free = host_free,
	.trace = sim_watch_trace,
};
