/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the simulated GPU does, as trace events: kfdsim:gpu, one per struct
 * gpu_trace, and what amdkfd asks of it, as kfdsim:hiq_doorbell.
 * The meaning of the arguments is in gpu/gpu.h (GPU_TRACES).
 */
/* clang-format off */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kfdsim

#if !defined(KFDSIM_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KFDSIM_TRACE_H

#include <linux/tracepoint.h>

#include "gpu/gpu.h"

#define KFDSIM_TRACE_NAME(name, text) { GPU_TRACE_##name, text },

/* amdkfd rings the doorbell of its own queue: packets are on their way to the firmware. */
TRACE_EVENT(hiq_doorbell,
	TP_PROTO(unsigned int device, u64 value),
	TP_ARGS(device, value),
	TP_STRUCT__entry(
		__field(unsigned int, device)
		__field(u64, value)
	),
	TP_fast_assign(
		__entry->device = device;
		__entry->value = value;
	),
	TP_printk("gpu=%u value=%llu", __entry->device, __entry->value)
);

TRACE_EVENT(gpu,
	TP_PROTO(unsigned int device, const struct gpu_trace *t),
	TP_ARGS(device, t),
	TP_STRUCT__entry(
		__field(unsigned int, device)
		__field(unsigned int, kind)
		__field(u32, pasid)
		__field(u32, doorbell)
		__field(u64, now_ns)
		__field(u64, arg0)
		__field(u64, arg1)
	),
	TP_fast_assign(
		__entry->device = device;
		__entry->kind = t->kind;
		__entry->pasid = t->pasid;
		__entry->doorbell = t->doorbell;
		__entry->now_ns = t->now_ns;
		__entry->arg0 = t->arg[0];
		__entry->arg1 = t->arg[1];
	),
	TP_printk("gpu=%u %s pasid=%#x doorbell=%#x at=%llu arg0=%llu arg1=%llu",
		  __entry->device,
		  __print_symbolic(__entry->kind, GPU_TRACES(KFDSIM_TRACE_NAME) { -1, NULL }),
		  __entry->pasid, __entry->doorbell, __entry->now_ns, __entry->arg0,
		  __entry->arg1)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE kfdsim_trace
#include <trace/define_trace.h>
