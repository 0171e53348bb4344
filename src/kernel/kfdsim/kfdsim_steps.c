// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * User-Mode Linux: computing takes no virtual time, so that what gpreempt.ko and the hooks do is
 * counted. The test build compiles both so that every basic block calls
 * __sanitizer_cov_trace_pc(): a step. The functions of the core that take a scheduler tell when
 * they are entered, as only the monitor may call them.
 *
 * One CPU, no preemption: the counters need no lock.
 */
#include "kfdsim.h"

static unsigned long long steps_monitor;
module_param(steps_monitor, ullong, 0444);
MODULE_PARM_DESC(steps_monitor, "steps of gpreempt.ko and the hooks in threads of the module");

static unsigned long long steps_others;
module_param(steps_others, ullong, 0444);
MODULE_PARM_DESC(steps_others, "the same in all other threads");

static unsigned long long core_elsewhere;
module_param(core_elsewhere, ullong, 0444);
MODULE_PARM_DESC(core_elsewhere, "calls of the core from threads that are not the module's");

static bool is_monitor(void)
{
	static const char name[] = "gpreempt/";

	return !memcmp(current->comm, name, sizeof(name) - 1);
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	if (is_monitor())
		steps_monitor++;
	else
		steps_others++;
}
EXPORT_SYMBOL_GPL(__sanitizer_cov_trace_pc);

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_enter(void *function, void *caller)
{
	core_elsewhere += !is_monitor();
}
EXPORT_SYMBOL_GPL(__cyg_profile_func_enter);

void __cyg_profile_func_exit(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller)
{
}
EXPORT_SYMBOL_GPL(__cyg_profile_func_exit);
