// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What the simulated GPU sees of the world: memory by PASID, interrupts to amdkfd.
 * All of it runs under cp.lock.
 */
#include "kfdsim.h"

#include <linux/sched/mm.h>
#include <linux/vmalloc.h>

#include <uapi/linux/kfd_ioctl.h>

#include "soc15_int.h"

#define CREATE_TRACE_POINTS
#include "kfdsim_trace.h"

static struct kfdsim_device *to_kdev(struct gpu_host *host)
{
	return container_of(host, struct kfdsim_device, cp.host);
}

static int copy(struct gpu_host *host, u32 pasid, u64 addr, void *buf, u32 len,
		enum kfdsim_access access)
{
	struct kfdsim_device *kdev = to_kdev(host);
	int r;

	if (pasid == GPU_PASID_GART)
		return kfdsim_gart_copy(kdev, addr, buf, len, access);
	r = kfdsim_vm_copy(kdev, pasid, addr, buf, len, access);
	if (r)
		kdev->cp.fault_addr = addr;
	return r;
}

static int host_read(struct gpu_host *host, u32 pasid, u64 addr, void *dst, u32 len)
{
	return copy(host, pasid, addr, dst, len, KFDSIM_READ);
}

static int host_write(struct gpu_host *host, u32 pasid, u64 addr, const void *src, u32 len)
{
	return copy(host, pasid, addr, (void *)src, len, KFDSIM_WRITE);
}

static int host_add64(struct gpu_host *host, u32 pasid, u64 addr, s64 delta, s64 *value)
{
	struct kfdsim_device *kdev = to_kdev(host);
	int r = kfdsim_vm_add64(kdev, pasid, addr, delta, value);

	if (r)
		kdev->cp.fault_addr = addr;
	return r;
}

static int host_page(struct gpu_host *host, u32 pasid, u64 addr, bool *can_write, void **at)
{
	struct kfdsim_device *kdev = to_kdev(host);
	int r = kfdsim_vm_page(kdev, pasid, addr, can_write, at);

	if (r)
		kdev->cp.fault_addr = addr;
	return r;
}

static u32 host_generation(struct gpu_host *host, u32 pasid)
{
	return kfdsim_vm_generation(to_kdev(host), pasid);
}

/* As KFD_DEBUG_DOORBELL_ID() of kfd_int_process_v9.c wants it. */
#define DOORBELL_ID(doorbell) ((doorbell) / 2 & 0x3ff)
/* There: SQ_INTERRUPT_WORD_WAVE_CTXID, PRIV and ENCODING_INST */
#define SQ_FROM_HANDLER (BIT(13) | BIT(26))
#define RING_NOT_PRESENT 0x08	/* kfd_int_process_v9.c: prot_valid */

static const struct {
	u8 client;
	u8 source;
	u8 ring;
} ih_sources[] = {
	[GPU_IRQ_EOP] = { SOC15_IH_CLIENTID_GRBM_CP, SOC15_INTSRC_CP_END_OF_PIPE },
	[GPU_IRQ_SDMA_TRAP] = { SOC15_IH_CLIENTID_SDMA0, SOC15_INTSRC_SDMA_TRAP },
	[GPU_IRQ_MEM_FAULT] = { SOC15_IH_CLIENTID_UTCL2, SOC15_INTSRC_VMC_FAULT,
				RING_NOT_PRESENT },
	[GPU_IRQ_BAD_OPCODE] = { SOC15_IH_CLIENTID_GRBM_CP, SOC15_INTSRC_CP_BAD_OPCODE },
	[GPU_IRQ_WAVE] = { SOC15_IH_CLIENTID_SE0SH, SOC15_INTSRC_SQ_INTERRUPT_MSG },
};

/* The model has its own names for what amdkfd passes on. */
static_assert((int)GPU_ERROR_ILLEGAL == EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION);
static_assert((int)GPU_ERROR_MEMORY == EC_QUEUE_WAVE_MEMORY_VIOLATION);
static_assert((int)GPU_ERROR_DIMENSIONS == EC_QUEUE_PACKET_DISPATCH_DIM_INVALID);
static_assert((int)GPU_ERROR_GROUP_SEGMENT == EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID);
static_assert((int)GPU_ERROR_CODE == EC_QUEUE_PACKET_DISPATCH_CODE_INVALID);
static_assert((int)GPU_ERROR_PACKET == EC_QUEUE_PACKET_UNSUPPORTED);
static_assert((int)GPU_ERROR_GROUP_SIZE == EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID);
static_assert((int)GPU_ERROR_REGISTERS == EC_QUEUE_PACKET_DISPATCH_REGISTER_INVALID);
static_assert((int)GPU_ERROR_VENDOR == EC_QUEUE_PACKET_VENDOR_UNSUPPORTED);

/* What a wave sends from its trap handler: KFD_CONTEXT_ID_GET_SQ_INT_DATA(). @data: 24 bits */
static void fill_wave_data(u32 *entry, u32 data)
{
	entry[4] = (data & 0xfff) | (data & 0xf000) << 16 | SQ_FROM_HANDLER;
	entry[5] = data >> 16;
}

/* An entry of the IH ring as soc15 writes it. @entry: 8 zeroed dwords */
static void fill_entry(u32 *entry, const struct gpu_irq *irq, u64 fault_page)
{
	bool is_packet = KFD_DBG_EC_TYPE_IS_PACKET(irq->code);
	u32 source = irq->source == GPU_IRQ_BAD_OPCODE && !is_packet ? GPU_IRQ_WAVE : irq->source;

	entry[0] = ih_sources[source].client | ih_sources[source].source << 8 |
		   ih_sources[source].ring << 16 | irq->vmid << 24;
	entry[3] = irq->pasid;
	entry[4] = irq->context;
	/* A packet's error is a code, a wave's a bit of a mask: KFD_DEBUG_TRAP_CODE() */
	if (source == GPU_IRQ_BAD_OPCODE)
		entry[4] = DOORBELL_ID(irq->doorbell) | irq->code << 10;
	else if (irq->source == GPU_IRQ_BAD_OPCODE)
		fill_wave_data(entry, DOORBELL_ID(irq->doorbell) | KFD_EC_MASK(irq->code) << 10);
	else if (source == GPU_IRQ_WAVE)
		fill_wave_data(entry, irq->context);
	if (irq->source == GPU_IRQ_MEM_FAULT) {
		entry[4] = lower_32_bits(fault_page);
		entry[5] = upper_32_bits(fault_page);
	}
}

static void host_irq(struct gpu_host *host, const struct gpu_irq *irq)
{
	struct kfdsim_device *kdev = to_kdev(host);
	u32 entry[8] = {};

	/* amdkfd has no process to tell it to any more, or will have none at any moment. */
	if (kdev->is_leaving)
		return;
	if (!irq->pasid) {
		dev_err(kdev->adev.dev, "kfdsim: HIQ: packet refused\n");
		return;
	}
	/* No hardware runs out of memory, so there is no interrupt for it. */
	if (irq->source == GPU_IRQ_NO_MEMORY) {
		dev_err(kdev->adev.dev, "kfdsim: no memory: queue of PASID %#x stopped\n",
			irq->pasid);
		return;
	}
	/* The access that failed is the last one before the interrupt. */
	fill_entry(entry, irq, kdev->cp.fault_addr >> PAGE_SHIFT);
	if (kdev->adev.kfd.dev)
		kgd2kfd_interrupt(kdev->adev.kfd.dev, entry);
}

/*
 * Reclaim may want user memory that is mapped here, which stops queues, which waits for
 * this thread: it must not start here. What is kept for reclaim itself is not for waves.
 */
static void *host_alloc(struct gpu_host *host, size_t bytes)
{
	unsigned int flags = memalloc_noreclaim_save();
	void *mem = kvzalloc(bytes, GFP_KERNEL | __GFP_NOMEMALLOC | __GFP_NOWARN);

	memalloc_noreclaim_restore(flags);
	return mem;
}

static void host_free(struct gpu_host *host, void *mem)
{
	kvfree(mem);
}

static void host_trace(struct gpu_host *host, const struct gpu_trace *t)
{
	struct kfdsim_device *kdev = to_kdev(host);

	trace_gpu(kdev->index, t);
	kfdsim_cp_on_trace(&kdev->cp, t);
}

const struct gpu_host_ops kfdsim_host_ops = {
	.read = host_read,
	.write = host_write,
	.add64 = host_add64,
	.irq = host_irq,
	.alloc = host_alloc,
	.free = host_free,
	.trace = host_trace,
	.page = host_page,
	.generation = host_generation,
};

/*
 * amdkfd waits for this entry to come back before it believes that no interrupt
 * of a process is on its way (kfd_process.c: kfd_process_drain_interrupts). Ours
 * are delivered when they are raised.
 */
int amdgpu_amdkfd_send_close_event_drain_irq(struct amdgpu_device *adev, uint32_t *payload)
{
	if (!adev->kfd.dev)
		return -ENODEV;
	kgd2kfd_interrupt(adev->kfd.dev, payload);
	return 0;
}
