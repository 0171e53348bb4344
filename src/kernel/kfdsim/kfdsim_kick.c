// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The one thread between amdkfd and the simulated hardware that is not a function
 * of amdgpu: the store to the HIQ's doorbell. kfd_kernel_queue.c makes it through
 * write_kernel_doorbell64() of kfd_doorbell.c; the build renames that call (see
 * Kbuild), so that it comes by here, is made, and wakes the CP.
 */
#include <linux/rculist.h>

#include "kfdsim.h"
#include "kfd_priv.h"
#include "kfdsim_trace.h"

static struct kfdsim_device __rcu *devices[KFDSIM_MAX_GPUS];

void kfdsim_kick_add(struct kfdsim_device *kdev)
{
	rcu_assign_pointer(devices[kdev->index % KFDSIM_MAX_GPUS], kdev);
}

void kfdsim_kick_remove(struct kfdsim_device *kdev)
{
	RCU_INIT_POINTER(devices[kdev->index % KFDSIM_MAX_GPUS], NULL);
	synchronize_rcu();
}

static bool is_in_bar(const struct kfdsim_device *kdev, const void *addr)
{
	return addr >= (void *)kdev->bar_mem && addr < (void *)kdev->bar_mem + KFDSIM_BAR_BYTES;
}

/* Context: RCU read lock. */
static struct kfdsim_device *device_of(const void *addr)
{
	struct kfdsim_device *kdev;
	u32 i;

	for (i = 0; i < KFDSIM_MAX_GPUS; i++) {
		kdev = rcu_dereference(devices[i]);
		if (kdev && is_in_bar(kdev, addr))
			return kdev;
	}
	return NULL;
}

void kfdsim_write_kernel_doorbell64(void __iomem *db, u64 value);

/* Context: under dqm_lock. */
void kfdsim_write_kernel_doorbell64(void __iomem *db, u64 value)
{
	struct kfdsim_device *kdev;

	guard(rcu)();
	kdev = device_of((__force void *)db);
	/* Before the store: the GPU may see that at once, and write down what it does. */
	if (kdev)
		trace_hiq_doorbell(kdev->index, value);
	write_kernel_doorbell64(db, value);
	if (kdev)
		kfdsim_cp_kick(kdev);
}
