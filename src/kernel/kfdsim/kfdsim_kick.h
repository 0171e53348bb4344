/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The one thread between amdkfd and the simulated hardware that is not a function
 * of amdgpu: the store to the HIQ's doorbell. kfd_kernel_queue.c makes it through
 * write_kernel_doorbell64() of kfd_doorbell.c; the build renames that call (see
 * Kbuild), so that it comes by here, is made, and wakes the CP.
 */
#ifndef KFDSIM_KICK_H
#define KFDSIM_KICK_H

struct kfdsim_device;

void kfdsim_kick_add(struct kfdsim_device *kdev);
void kfdsim_kick_remove(struct kfdsim_device *kdev);

#endif
