// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What waves of machine code run in: pages of their process, decoded instructions,
 * clocks and apertures.
 */
#include "gpu/wave_isa.h"

static int find_page(struct isa_env *env, u64 address, bool *can_write, u8 **at)
{
	struct gpu_isa *isa = container_of(env, struct gpu_isa, env);
	struct gpu_host *host = isa->gpu->host;

	return host->ops->page(host, isa->pasid, address, can_write, (void **)at);
}

static const struct isa_env_ops env_ops = { .page = find_page };

int gpu_isa_prepare(struct gpu *gpu)
{
	struct gpu_host *host = gpu->host;
	struct gpu_isa *isa;

	if (!host->ops->page || !host->ops->generation)
		return -EINVAL;
	if (gpu->isa)
		return 0;
	isa = host->ops->alloc(host, sizeof(*isa));
	if (!isa)
		return -ENOMEM;
	isa->env.code = host->ops->alloc(host, GPU_ISA_CODE_PAGES * sizeof(*isa->env.code));
	if (!isa->env.code) {
		host->ops->free(host, isa);
		return -ENOMEM;
	}
	isa->gpu = gpu;
	isa->env.ops = &env_ops;
	isa->env.arch = gpu_isa_arch(gpu);
	isa->env.nr_code = GPU_ISA_CODE_PAGES;
	gpu->isa = isa;
	return 0;
}

void gpu_isa_destroy(struct gpu *gpu)
{
	struct gpu_host *host = gpu->host;

	if (!gpu->isa)
		return;
	host->ops->free(host, gpu->isa->env.code);
	host->ops->free(host, gpu->isa);
	gpu->isa = NULL;
}

void gpu_isa_invalidate(struct gpu *gpu, struct gpu_slot *slot)
{
	if (gpu->isa)
		slot->isa_generation = ++gpu->isa->generation;
}

/*
 * A generation belongs to a queue: what another one left in the tables is never good
 * for this one, and is still there when that one runs again.
 */
void gpu_isa_enter(struct gpu *gpu, struct gpu_slot *slot)
{
	struct gpu_isa *isa = gpu->isa;
	const struct gpu_vmid *vmid = &gpu->vmid[slot->vmid % GPU_NR_VMIDS];
	u32 generation = gpu->host->ops->generation(gpu->host, slot->pasid);

	if (!slot->isa_generation || slot->host_generation != generation)
		gpu_isa_invalidate(gpu, slot);
	slot->host_generation = generation;
	isa->pasid = slot->pasid;
	isa->env.generation = slot->isa_generation;
	isa->env.clock = gpu->now_ns / 1000 * gpu->profile->clock_khz / 1000;
	isa->env.realtime = gpu->now_ns / GPU_CLOCK_NS;
	isa->env.private_base = (vmid->sh_mem_bases & 0xffff) << 16;
	isa->env.shared_base = vmid->sh_mem_bases & 0xffff0000;
}
