/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Trace events of gpreempt.ko: every step from a doorbell to a switch, and every
 * record of the scheduler.
 */
/* clang-format off */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM gpreempt

#if !defined(GPREEMPT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define GPREEMPT_TRACE_H

#include <linux/tracepoint.h>

#include "core/sched.h"

#define GPK_KIND_NAME(name, text) { GP_TRACE_##name, text },
#define GPK_KINDS GP_TRACE_KINDS(GPK_KIND_NAME) { -1, NULL }

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
	TP_printk("gpu_id=%u %s id=%llx arg0=%llu arg1=%llu", __entry->gpu_id,
		  __print_symbolic(__entry->kind, GPK_KINDS), __entry->id, __entry->arg0,
		  __entry->arg1)
);

#define GPK_STATE_NAME(name, text) { GP_ENTITY_##name, text },
#define GPK_STATES GP_ENTITY_STATES(GPK_STATE_NAME) { -1, NULL }

/* A process on the node is in another state. */
TRACE_EVENT(gpreempt_state,
	TP_PROTO(u32 gpu_id, int pid, u32 old, u32 new),
	TP_ARGS(gpu_id, pid, old, new),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(int, pid)
		__field(u32, old)
		__field(u32, new)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->pid = pid;
		__entry->old = old;
		__entry->new = new;
	),
	TP_printk("gpu_id=%u pid=%d %s to %s", __entry->gpu_id, __entry->pid,
		  __print_symbolic(__entry->old, GPK_STATES),
		  __print_symbolic(__entry->new, GPK_STATES))
);

/* Something of a process. */
DECLARE_EVENT_CLASS(gpreempt_process,
	TP_PROTO(u32 gpu_id, int pid, s64 value),
	TP_ARGS(gpu_id, pid, value),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(int, pid)
		__field(s64, value)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->pid = pid;
		__entry->value = value;
	),
	TP_printk("gpu_id=%u pid=%d", __entry->gpu_id, __entry->pid)
);

/* A store to an armed doorbell; the pages are mapped again. In the process that rang. */
DEFINE_EVENT(gpreempt_process, gpreempt_fault,
	TP_PROTO(u32 gpu_id, int pid, s64 value), TP_ARGS(gpu_id, pid, value));

/* The monitor runs, and knows of a fault. */
DEFINE_EVENT_PRINT(gpreempt_process, gpreempt_detect,
	TP_PROTO(u32 gpu_id, int pid, s64 value), TP_ARGS(gpu_id, pid, value),
	TP_printk("gpu_id=%u pid=%d took_ns=%lld", __entry->gpu_id, __entry->pid, __entry->value));

DEFINE_EVENT_PRINT(gpreempt_process, gpreempt_arm,
	TP_PROTO(u32 gpu_id, int pid, s64 value), TP_ARGS(gpu_id, pid, value),
	TP_printk("gpu_id=%u pid=%d ret=%lld", __entry->gpu_id, __entry->pid, __entry->value));

/* A switch begins, with so many processes, or has ended. */
DECLARE_EVENT_CLASS(gpreempt_switch,
	TP_PROTO(u32 gpu_id, u64 seq, int a, int b),
	TP_ARGS(gpu_id, seq, a, b),
	TP_STRUCT__entry(
		__field(u32, gpu_id)
		__field(int, a)
		__field(int, b)
		__field(u64, seq)
	),
	TP_fast_assign(
		__entry->gpu_id = gpu_id;
		__entry->a = a;
		__entry->b = b;
		__entry->seq = seq;
	),
	TP_printk("gpu_id=%u seq=%llu out=%d in=%d", __entry->gpu_id, __entry->seq,
		  __entry->a, __entry->b)
);

DEFINE_EVENT(gpreempt_switch, gpreempt_switch_begin,
	TP_PROTO(u32 gpu_id, u64 seq, int a, int b), TP_ARGS(gpu_id, seq, a, b));

DEFINE_EVENT_PRINT(gpreempt_switch, gpreempt_switch_end,
	TP_PROTO(u32 gpu_id, u64 seq, int a, int b), TP_ARGS(gpu_id, seq, a, b),
	TP_printk("gpu_id=%u seq=%llu ret=%d", __entry->gpu_id, __entry->seq, __entry->a));

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE gpreempt_trace
#include <trace/define_trace.h>
