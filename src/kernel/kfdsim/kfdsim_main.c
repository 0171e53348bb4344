// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "kfdsim.h"

#include <linux/module.h>

static char *profile = "tiny";
module_param(profile, charp, 0444);
MODULE_PARM_DESC(profile, "kind of GPU: tiny (default), mi210, mi300x, mi308x");

static uint gpus = 1;
module_param(gpus, uint, 0444);
MODULE_PARM_DESC(gpus, "how many, 1 to 8; 0 = amdkfd without a GPU");

char *kfdsim_engine = "state";
module_param_named(engine, kfdsim_engine, charp, 0444);
MODULE_PARM_DESC(engine, "what waves do: state (default), timed");

char *kfdsim_handler = "run";
module_param_named(handler, kfdsim_handler, charp, 0444);
MODULE_PARM_DESC(handler, "what saves machine code: run (AMD's trap handler, default), shortcut");

uint kfdsim_wave_mb = 64;
module_param_named(wave_mb, kfdsim_wave_mb, uint, 0444);
MODULE_PARM_DESC(wave_mb, "memory for registers and LDS of machine code: what is more waits");

uint kfdsim_slice;
module_param_named(slice, kfdsim_slice, uint, 0444);
MODULE_PARM_DESC(slice, "instructions of a wave between two looks at its queue; 0 = 256");

uint kfdsim_slots;
module_param_named(slots, kfdsim_slots, uint, 0444);
MODULE_PARM_DESC(slots, "queue slots for compute; 0 = as the profile says");

uint kfdsim_vmids;
module_param_named(vmids, kfdsim_vmids, uint, 0444);
MODULE_PARM_DESC(vmids, "processes on the GPU at a time; 0 = as the profile says");

uint kfdsim_poll_us = 50;
module_param_named(poll_us, kfdsim_poll_us, uint, 0644);
MODULE_PARM_DESC(poll_us, "time between two looks at the doorbells of a busy GPU, at least");

bool kfdsim_arms = !KFDSIM_LOOKS;
module_param_named(arm, kfdsim_arms, bool, 0644);
MODULE_PARM_DESC(arm, "stop to look when no doorbell rings, until a store to one faults");

uint kfdsim_vram_mb = 2048;
module_param_named(vram_mb, kfdsim_vram_mb, uint, 0444);
MODULE_PARM_DESC(vram_mb, "size of VRAM; memory is taken when it is touched");

static int __init kfdsim_init(void)
{
	const struct gpu_profile *p = gpu_profile_find(profile);
	int r;

	if (!p) {
		pr_err("kfdsim: no profile '%s'\n", profile);
		return -EINVAL;
	}
	r = kgd2kfd_init();
	if (r)
		return r;
	kfdsim_debugfs_init();
	r = gpus ? kfdsim_pci_add(p, gpus) : 0;
	if (r) {
		kfdsim_debugfs_exit();
		kgd2kfd_exit();
	}
	return r;
}

/*
 * Processes first, as amdgpu_exit() has it: those that once opened /dev/kfd, and those that
 * are gone but not yet taken apart, still refer to the devices.
 */
static void __exit kfdsim_exit(void)
{
	kgd2kfd_exit();
	if (gpus)
		kfdsim_pci_remove();
	kfdsim_debugfs_exit();
}

module_init(kfdsim_init);
module_exit(kfdsim_exit);

MODULE_DESCRIPTION("AMD's amdkfd on a simulated GPU");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_IMPORT_NS(DMA_BUF);
MODULE_SOFTDEP("pre: drm ttm");
