// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A module that is nothing but its name: rocminfo asks for a module called amdgpu
 * before it asks the device. Parameters are those that clients read.
 */
#include <linux/module.h>

static int cwsr_enable = 1;
module_param(cwsr_enable, int, 0444);
MODULE_PARM_DESC(cwsr_enable, "as kfdsim has it");

static int emu_mode;
module_param(emu_mode, int, 0444);
MODULE_PARM_DESC(emu_mode, "1: AMD's tests leave out what takes long or checks much; 0 (default)");

static int __init name_init(void)
{
	return 0;
}

static void __exit name_exit(void)
{
}

module_init(name_init);
module_exit(name_exit);

MODULE_DESCRIPTION("Stands for the name of amdgpu beside kfdsim");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_VERSION("6.12");
