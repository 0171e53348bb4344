/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Trace events of gpreempt.ko: every step from a doorbell to a switch, and every
 * record of the scheduler.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM gpreempt

#if !defined(GPREEMPT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define GPREEMPT_TRACE_H

#include <linux/tracepoint.h>

#include "sched.h"

TRACE_EVENT(gpreempt_core,
	TP_PROTO(u32 gpu_id, const struct gp_trace *t),
	TP_ARGS(gpu_id, t),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(u32, kind)
		__field(u64, id)
		__field(u64, arg0)
		__field(u64, arg1)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->kind = t->kind;
		__entry->id = t->id;
		__entry->arg0 = t->arg[0];
		__entry->arg1 = t->arg[1];
	),
	TP_printk("gpu_id=%u kind=%u id=%llx arg0=%llu arg1=%llu", __entry->gpu_id,
		  __entry->kind, __entry->id, __entry->arg0, __entry->arg1)
);

TRACE_EVENT(gpreempt_detect,
	TP_PROTO(u32 gpu_id, int pid, u64 took_ns),
	TP_ARGS(gpu_id, pid, took_ns),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(int, pid)
		__field(u64, took_ns)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->pid = pid;
		__entry->took_ns = took_ns;
	),
	TP_printk("gpu_id=%u pid=%d took_ns=%llu", __entry->gpu_id, __entry->pid,
		  __entry->took_ns)
);

TRACE_EVENT(gpreempt_arm,
	TP_PROTO(u32 gpu_id, int pid, int ret),
	TP_ARGS(gpu_id, pid, ret),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(int, pid)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->pid = pid;
		__entry->ret = ret;
	),
	TP_printk("gpu_id=%u pid=%d ret=%d", __entry->gpu_id, __entry->pid, __entry->ret)
);

TRACE_EVENT(gpreempt_switch_begin,
	TP_PROTO(u32 gpu_id, u64 seq, u32 nr_out, u32 nr_in),
	TP_ARGS(gpu_id, seq, nr_out, nr_in),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(u32, nr_out)
		__field(u32, nr_in)
		__field(u64, seq)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->seq = seq;
		__entry->nr_out = nr_out;
		__entry->nr_in = nr_in;
	),
	TP_printk("gpu_id=%u seq=%llu out=%u in=%u", __entry->gpu_id, __entry->seq,
		  __entry->nr_out, __entry->nr_in)
);

TRACE_EVENT(gpreempt_switch_end,
	TP_PROTO(u32 gpu_id, u64 seq, int ret),
	TP_ARGS(gpu_id, seq, ret),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(int, ret)
		__field(u64, seq)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->seq = seq;
		__entry->ret = ret;
	),
	TP_printk("gpu_id=%u seq=%llu ret=%d", __entry->gpu_id, __entry->seq, __entry->ret)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE gpreempt_trace
#include <trace/define_trace.h>
