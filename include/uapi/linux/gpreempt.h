/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: /dev/gpreempt
 *
 * The ioctl ABI of gpreempt.ko. A process is named by a pidfd, a queue by the queue id
 * that amdkfd gave it in its process, a node by amdkfd's gpu_id.
 *
 * Growth. A struct begins with its size. A shorter struct, of an older program, is
 * filled with zeros. A longer one is accepted if the surplus is zero. The elements of an
 * array have a size of their own, given beside the array, and each event begins with
 * its size. read() wants room for GPREEMPT_ABI_READ_MIN bytes. Unknown flags and reserved
 * members must be zero (EINVAL). An enum may get new values at its end: a program must
 * expect numbers that it does not know. Pointers are __u64.
 *
 * Rights. Opening the device, listing and reading need read permission. A process may
 * lower its own urgency, and preempt and resume its own queues. The same for another
 * process needs what attaching a debugger to it would need. Changing the policy,
 * switching scheduling on and off, and raising need CAP_SYS_NICE.
 *
 * Limits. The value that a caller with CAP_SYS_NICE sets for an attribute is also the
 * limit up to which other callers may raise that attribute afterwards. Without such a
 * value the limit is the default. A limit covers the process and all its descendants,
 * also those whose parents have ended. A service with CAP_SYS_NICE that passes on the wish
 * of an ordinary user says so (GPREEMPT_ATTR_AS_OWNER): it is bound by the limit then, and
 * does not move it.
 *
 * A hold by hand is leased: it ends with its lease, when the file is closed, and with a
 * process that has queues. A hold of a process covers the queues that the process creates
 * later, also if it has none in between. A switch of a caller without CAP_SYS_NICE may have
 * to wait for its turn (EINTR: the caller was killed meanwhile).
 *
 * A higher number is a higher priority.
 */
#ifndef _UAPI_LINUX_GPREEMPT_H
#define _UAPI_LINUX_GPREEMPT_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define GPREEMPT_ABI_VERSION 2

#define GPREEMPT_ABI_NAME_LEN 32
#define GPREEMPT_ABI_QUEUE_ALL 0xffffffffU

/* Capabilities. HWS, NO_HWS and MES say how the queues of a node are scheduled. */
#define GPREEMPT_CAP_HWS (1ULL << 0)		/* firmware scheduler: one cycle per switch */
#define GPREEMPT_CAP_NO_HWS (1ULL << 1)		/* queue slots owned by the driver */
#define GPREEMPT_CAP_DOORBELL (1ULL << 2)	/* armed doorbells */
#define GPREEMPT_CAP_VERIFY (1ULL << 3)		/* saved state is verified */
#define GPREEMPT_CAP_MES (1ULL << 4)		/* firmware scheduler: queue by queue */
#define GPREEMPT_CAP_CGROUP (1ULL << 5)		/* GPU time by cgroup */

/**
 * enum gpreempt_abi_state - state of a process on a node
 * @GPREEMPT_STATE_IDLE: no work, on the GPU
 * @GPREEMPT_STATE_WAITING: has work, on the GPU, not chosen to run
 * @GPREEMPT_STATE_RUNNING: has work, on the GPU, chosen to run
 * @GPREEMPT_STATE_PREEMPTING: leaves the GPU now
 * @GPREEMPT_STATE_PREEMPTED: off the GPU, its waves are saved
 * @GPREEMPT_STATE_RESUMING: returns to the GPU now
 * @GPREEMPT_STATE_LOST: gone, or its node is
 */
enum gpreempt_abi_state {
	GPREEMPT_STATE_IDLE = 0,
	GPREEMPT_STATE_WAITING = 1,
	GPREEMPT_STATE_RUNNING = 2,
	GPREEMPT_STATE_PREEMPTING = 3,
	GPREEMPT_STATE_PREEMPTED = 4,
	GPREEMPT_STATE_RESUMING = 5,
	GPREEMPT_STATE_LOST = 6,
};

/**
 * enum gpreempt_abi_breaker - whether preemption on a node is trusted
 * @GPREEMPT_BREAKER_CLOSED: trusted
 * @GPREEMPT_BREAKER_OPEN: a switch failed or was late: all run, preemption pauses
 * @GPREEMPT_BREAKER_PROBATION: tried again; one failure opens it again
 * @GPREEMPT_BREAKER_DEAD: the node is lost
 */
enum gpreempt_abi_breaker {
	GPREEMPT_BREAKER_CLOSED = 0,
	GPREEMPT_BREAKER_OPEN = 1,
	GPREEMPT_BREAKER_PROBATION = 2,
	GPREEMPT_BREAKER_DEAD = 3,
};

/**
 * enum gpreempt_abi_report - what the scheduler reports
 * @GPREEMPT_REPORT_SWITCH_DEADLINE: a switch missed its deadline
 * @GPREEMPT_REPORT_SWITCH_ERROR: a switch failed
 * @GPREEMPT_REPORT_BREAKER_OPEN: preemption is suspended
 * @GPREEMPT_REPORT_BREAKER_PROBATION: preemption is tried again
 * @GPREEMPT_REPORT_BREAKER_CLOSED: preemption is trusted again
 * @GPREEMPT_REPORT_STARVATION: a process that waited too long gets its turn
 * @GPREEMPT_REPORT_RATE_LIMIT: too many preemptions in a short time
 * @GPREEMPT_REPORT_ENTITY_LOST: a process is lost
 * @GPREEMPT_REPORT_NODE_LOST: a node is lost
 * @GPREEMPT_REPORT_NODE_BACK: a node is back
 */
enum gpreempt_abi_report {
	GPREEMPT_REPORT_SWITCH_DEADLINE = 0,
	GPREEMPT_REPORT_SWITCH_ERROR = 1,
	GPREEMPT_REPORT_BREAKER_OPEN = 2,
	GPREEMPT_REPORT_BREAKER_PROBATION = 3,
	GPREEMPT_REPORT_BREAKER_CLOSED = 4,
	GPREEMPT_REPORT_STARVATION = 5,
	GPREEMPT_REPORT_RATE_LIMIT = 6,
	GPREEMPT_REPORT_ENTITY_LOST = 7,
	GPREEMPT_REPORT_NODE_LOST = 8,
	GPREEMPT_REPORT_NODE_BACK = 9,
};

/**
 * struct gpreempt_ioc_caps - what there is
 * @size: sizeof
 * @version: out: GPREEMPT_ABI_VERSION
 * @caps: out: GPREEMPT_CAP_*, of any node
 * @nr_nodes: out: nodes
 * @reserved: zero
 * @gpu_ids: out: of the first 64 nodes
 * @node_caps: out: of each of them GPREEMPT_CAP_HWS, NO_HWS or MES; 0 = its queues cannot
 *	be preempted
 */
struct gpreempt_ioc_caps {
	__u32 size;
	__u32 version;
	__u64 caps;
	__u32 nr_nodes;
	__u32 reserved;
	__u32 gpu_ids[64];
	__u32 node_caps[64];
};

/* Detection modes. */
#define GPREEMPT_DETECT_POLL 0
#define GPREEMPT_DETECT_CRITICAL 1
#define GPREEMPT_DETECT_DOORBELL 2
#define GPREEMPT_DETECT_MANUAL 3

#define GPREEMPT_ATTR_F_PRIO (1U << 0)
#define GPREEMPT_ATTR_F_WEIGHT (1U << 1)
#define GPREEMPT_ATTR_F_SLICE (1U << 2)
#define GPREEMPT_ATTR_F_DEADLINE (1U << 3)
#define GPREEMPT_ATTR_F_LATENCY_CRITICAL (1U << 4)
#define GPREEMPT_ATTR_F_NO_PREEMPT (1U << 5)
#define GPREEMPT_ATTR_F_DETECT (1U << 6)
#define GPREEMPT_ATTR_F_GROUP (1U << 7)

#define GPREEMPT_ATTR_AS_OWNER (1U << 0) /* as if without CAP_SYS_NICE */

/**
 * struct gpreempt_ioc_attr - attributes of a process, on all nodes it is on and will be
 *
 * Attributes survive execve(). A process whose attributes were never set has those of
 * the nearest ancestor whose attributes were, as with nice values, but for @detect.
 *
 * @size: sizeof
 * @pidfd: process; -1 = the caller
 * @flags: SET: GPREEMPT_ATTR_AS_OWNER or 0; GET: zero
 * @valid: SET: GPREEMPT_ATTR_F_* to change; GET: all that are known
 * @prio: 0..15
 * @weight: 1..10000
 * @latency_critical: 0, 1
 * @no_preempt: 0, 1
 * @detect: GPREEMPT_DETECT_*
 * @reserved: zero
 * @slice_ns: 0 = default
 * @deadline_ns: 0 = none
 * @group: processes of one user with the same number and the same attributes are
 *	preempted and resumed together; 0 = none
 */
struct gpreempt_ioc_attr {
	__u32 size;
	__s32 pidfd;
	__u32 flags;
	__u32 valid;
	__u32 prio;
	__u32 weight;
	__u8 latency_critical;
	__u8 no_preempt;
	__u8 detect;
	__u8 reserved[5];
	__u64 slice_ns;
	__u64 deadline_ns;
	__u64 group;
};

/**
 * struct gpreempt_ioc_queue - a queue in a list
 * @pid: process, in the caller's namespace
 * @gpu_id: node
 * @queue_id: number
 * @flags: GPREEMPT_QUEUE_F_*
 * @state: of its process on the node: enum gpreempt_abi_state
 * @prio: of its process
 * @pending: packets or dwords not consumed; ~0 = not known
 * @ring_bytes: size of its ring
 * @reserved: zero
 * @rptr_addr: where its read index is, in the process; 0 if the caller may not stop it
 * @wptr_addr: where its write index is; the same
 * @nr_preempted: times its process was preempted on the node
 * @run_ns: time its process had the GPU
 * @off_ns: time its process was kept off it with work
 * @off_max_ns: the longest of these
 */
struct gpreempt_ioc_queue {
	__s32 pid;
	__u32 gpu_id;
	__u32 queue_id;
	__u32 flags;
	__u32 state;
	__u32 prio;
	__u64 pending;
	__u32 ring_bytes;
	__u32 reserved;
	__u64 rptr_addr;
	__u64 wptr_addr;
	__u64 nr_preempted;
	__u64 run_ns;
	__u64 off_ns;
	__u64 off_max_ns;
};

#define GPREEMPT_QUEUE_F_AQL (1U << 0)
#define GPREEMPT_QUEUE_F_ACTIVE (1U << 1)
#define GPREEMPT_QUEUE_F_PREEMPTED (1U << 2)
#define GPREEMPT_QUEUE_F_EVICTED (1U << 3)
#define GPREEMPT_QUEUE_F_SUSPENDED (1U << 4)
#define GPREEMPT_QUEUE_F_BUSY (1U << 5)
#define GPREEMPT_QUEUE_F_MANUAL (1U << 6)	/* by hand, alone or with its process */
#define GPREEMPT_QUEUE_F_SCHED (1U << 7)	/* its process, by the scheduler */

/**
 * struct gpreempt_ioc_list - list queues
 * @size: sizeof
 * @gpu_id: node; 0 = all
 * @queues: struct gpreempt_ioc_queue[nr]
 * @nr: in: room; out: how many there are
 * @entry_size: in: bytes from one entry to the next; what an entry has beyond what the
 *	kernel knows is set to zero
 */
struct gpreempt_ioc_list {
	__u32 size;
	__u32 gpu_id;
	__u64 queues;
	__u32 nr;
	__u32 entry_size;
};

/**
 * struct gpreempt_ioc_ref - names a queue, and says what became of it
 * @pidfd: process; -1 = the caller
 * @queue_id: queue, or GPREEMPT_ABI_QUEUE_ALL
 * @gpu_id: node
 * @result: out: 0 or -errno
 */
struct gpreempt_ioc_ref {
	__s32 pidfd;
	__u32 queue_id;
	__u32 gpu_id;
	__s32 result;
};

/**
 * struct gpreempt_ioc_switch - preempt and resume by hand
 * @size: sizeof
 * @gpu_id: node, of all references
 * @refs: struct gpreempt_ioc_ref[nr_out + nr_in], those to preempt first
 * @nr_out: to preempt
 * @nr_in: to resume
 * @lease_ms: of those preempted; 1..60000
 * @grace: how long those preempted may go on before their waves are saved, in thousand
 *	clocks of the GPU: 1..255; 0 = the driver's default
 * @ref_size: bytes from one reference to the next; what a reference has beyond what the
 *	kernel knows must be zero
 * @reserved: zero
 */
struct gpreempt_ioc_switch {
	__u32 size;
	__u32 gpu_id;
	__u64 refs;
	__u32 nr_out;
	__u32 nr_in;
	__u32 lease_ms;
	__u32 grace;
	__u32 ref_size;
	__u32 reserved;
};

/**
 * struct gpreempt_ioc_policy - policy, parameters, on and off
 * @size: sizeof
 * @gpu_id: node; 0 = all (SET): then all nodes change, or none does
 * @valid: GPREEMPT_POLICY_F_* (SET)
 * @enabled: 0, 1
 * @policy: name
 * @param: name of a parameter; empty = none
 * @value: of the parameter
 */
struct gpreempt_ioc_policy {
	__u32 size;
	__u32 gpu_id;
	__u32 valid;
	__u32 enabled;
	char policy[GPREEMPT_ABI_NAME_LEN];
	char param[GPREEMPT_ABI_NAME_LEN];
	__u64 value;
};

#define GPREEMPT_POLICY_F_POLICY (1U << 0)
#define GPREEMPT_POLICY_F_ENABLED (1U << 1)
#define GPREEMPT_POLICY_F_PARAM (1U << 2)

/**
 * struct gpreempt_ioc_trigger - look at a node, or at one process, now
 * @size: sizeof
 * @gpu_id: node
 * @pidfd: process, one the caller may stop; -1 = the caller; -2 = all (CAP_SYS_NICE)
 * @reserved: zero
 */
struct gpreempt_ioc_trigger {
	__u32 size;
	__u32 gpu_id;
	__s32 pidfd;
	__u32 reserved;
};

/**
 * struct gpreempt_ioc_stats - counters of a node
 */
struct gpreempt_ioc_stats {
	__u32 size;
	__u32 gpu_id;
	__u32 breaker;		/* enum gpreempt_abi_breaker */
	__u32 breaker_reason;	/* enum gpreempt_abi_report */
	__u64 nr_events;
	__u64 nr_switches;
	__u64 nr_preemptions;
	__u64 nr_resumes;
	__u64 nr_failed;
	__u64 nr_deadline;
	__u64 nr_starvation;
	__u64 nr_wakeups;	/* of the monitor */
	__u64 nr_timer_wakeups;	/* of these, by a timer */
	__u64 nr_faults;	/* of armed doorbells */
	__u64 cost_ns;
	__u64 off_max_ns;
	__u64 switch_p50_ns;
	__u64 switch_p99_ns;
	__u64 detect_p50_ns;	/* fault or store to decision */
	__u64 detect_p99_ns;
	__u32 nr_entities;
	__u32 nr_out;		/* of these, preempted now */
	__u64 nr_rate_limited;
	__u64 nr_left_to_finish;
};

#define GPREEMPT_HIST_SWITCH 0	/* duration of switches */
#define GPREEMPT_HIST_OFF 1	/* times off the GPU */
#define GPREEMPT_HIST_DETECT 2	/* from a doorbell's fault to the scheduler */
#define GPREEMPT_HIST_WAIT 3	/* how long online work waited for its first run */

/**
 * struct gpreempt_ioc_hist - a distribution of durations in ns
 * @size: sizeof
 * @gpu_id: node
 * @which: GPREEMPT_HIST_*
 * @nr: in: room in @buckets; out: how many there are
 * @buckets: __u32[nr] counts. Values below 128 have a bucket each; above, each power of
 *	two is cut into 64
 * @count: out: values
 * @sum: out: their sum
 * @min: out: smallest
 * @max: out: largest
 */
struct gpreempt_ioc_hist {
	__u32 size;
	__u32 gpu_id;
	__u32 which;
	__u32 nr;
	__u64 buckets;
	__u64 count;
	__u64 sum;
	__u64 min;
	__u64 max;
};

#define GPREEMPT_CGROUP_F_WEIGHT (1U << 0)
#define GPREEMPT_CGROUP_F_MAX (1U << 1)
#define GPREEMPT_CGROUP_F_LATENCY (1U << 2)
#define GPREEMPT_CGROUP_F_IDLE (1U << 3)

/**
 * struct gpreempt_ioc_cgroup - what is said of a cgroup of version 2, on all nodes
 *
 * It holds for the processes in it and below it. What is said of it takes the place of
 * what was said before, and is forgotten when the cgroup is removed. Saying needs
 * CAP_SYS_NICE.
 *
 * @size: sizeof
 * @cgroup_fd: its folder, open
 * @gpu_id: SET: zero; GET: node whose usage is wanted; 0 = all together
 * @valid: what is said, GPREEMPT_CGROUP_F_*; SET: 0 = nothing any more
 * @weight: 1..10000: its part among its siblings with work, under fair and slice
 * @idle: 0, 1: its processes have the lowest priority, and it has the weight 1
 * @quota_ns: run time of its processes in each period; 0 = no limit
 * @period_ns: 1000000..1000000000
 * @latency_ns: deadline of the requests of its processes; 0 = none
 * @usage_ns: out: run time
 * @nr_periods: out: periods in which it had work
 * @nr_throttled: out: of these, how often its quota was used up
 * @throttled_ns: out: time until the next period then
 * @some_ns: out: time in which a process had work and did not run
 * @full_ns: out: time in which some had work and none ran
 * @nr_throttled_nodes: out: nodes on which its quota is used up now
 * @reserved: zero
 */
struct gpreempt_ioc_cgroup {
	__u32 size;
	__s32 cgroup_fd;
	__u32 gpu_id;
	__u32 valid;
	__u32 weight;
	__u32 idle;
	__u64 quota_ns;
	__u64 period_ns;
	__u64 latency_ns;
	__u64 usage_ns;
	__u64 nr_periods;
	__u64 nr_throttled;
	__u64 throttled_ns;
	__u64 some_ns;
	__u64 full_ns;
	__u32 nr_throttled_nodes;
	__u32 reserved;
};

/* An event may grow to so many bytes. */
#define GPREEMPT_ABI_READ_MIN 256

/**
 * struct gpreempt_abi_event - what read() gives, any number of them
 * @size: bytes from this event to the next; read() gives whole events only
 * @kind: enum gpreempt_abi_event_kind
 * @time_ns: CLOCK_MONOTONIC
 * @gpu_id: node
 * @pid: process in the reader's namespace, 0 = none
 * @code: see the kind
 * @reserved: zero
 * @value: see the kind
 */
struct gpreempt_abi_event {
	__u32 size;
	__u32 kind;
	__u64 time_ns;
	__u32 gpu_id;
	__s32 pid;
	__u32 code;
	__u32 reserved;
	__u64 value;
};

enum gpreempt_abi_event_kind {
	GPREEMPT_EVENT_STATE = 1,	/* code: new gpreempt_abi_state, value: old one */
	GPREEMPT_EVENT_SWITCH = 2,	/* code: members, value: duration in ns */
	GPREEMPT_EVENT_REPORT = 3,	/* code: gpreempt_abi_report */
	GPREEMPT_EVENT_QUEUE = 4,	/* code: 1 added, 0 removed; value: queue id */
	GPREEMPT_EVENT_LEASE = 5,	/* it ended; code: 1 all queues, 0 one; value: queue id */
	GPREEMPT_EVENT_LOST = 6,	/* value: events that were not delivered */
	GPREEMPT_EVENT_BUSY = 7,	/* code: 1 has work, 0 none; value: queue id */
};

/*
 * Documentation/userspace-api/ioctl/ioctl-number.rst of Linux 6.12 lists nothing from 0xd0
 * to 0xda.
 */
#define GPREEMPT_IOC_MAGIC 0xd5
#define GPREEMPT_IOC_CAPS _IOWR(GPREEMPT_IOC_MAGIC, 0x00, struct gpreempt_ioc_caps)
#define GPREEMPT_IOC_LIST _IOWR(GPREEMPT_IOC_MAGIC, 0x01, struct gpreempt_ioc_list)
#define GPREEMPT_IOC_GET_ATTR _IOWR(GPREEMPT_IOC_MAGIC, 0x02, struct gpreempt_ioc_attr)
#define GPREEMPT_IOC_SET_ATTR _IOW(GPREEMPT_IOC_MAGIC, 0x03, struct gpreempt_ioc_attr)
#define GPREEMPT_IOC_GET_POLICY _IOWR(GPREEMPT_IOC_MAGIC, 0x04, struct gpreempt_ioc_policy)
#define GPREEMPT_IOC_SET_POLICY _IOW(GPREEMPT_IOC_MAGIC, 0x05, struct gpreempt_ioc_policy)
#define GPREEMPT_IOC_SWITCH _IOWR(GPREEMPT_IOC_MAGIC, 0x06, struct gpreempt_ioc_switch)
#define GPREEMPT_IOC_TRIGGER _IOW(GPREEMPT_IOC_MAGIC, 0x07, struct gpreempt_ioc_trigger)
#define GPREEMPT_IOC_STATS _IOWR(GPREEMPT_IOC_MAGIC, 0x08, struct gpreempt_ioc_stats)
#define GPREEMPT_IOC_HIST _IOWR(GPREEMPT_IOC_MAGIC, 0x09, struct gpreempt_ioc_hist)
#define GPREEMPT_IOC_SET_CGROUP _IOW(GPREEMPT_IOC_MAGIC, 0x0a, struct gpreempt_ioc_cgroup)
#define GPREEMPT_IOC_GET_CGROUP _IOWR(GPREEMPT_IOC_MAGIC, 0x0b, struct gpreempt_ioc_cgroup)

/* Neither a compiler nor a change may move a member (tests/unit/driver/test_abi.c). */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define GPREEMPT_ABI_SIZE(name, bytes) static_assert(sizeof(name) == (bytes), #name)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define GPREEMPT_ABI_SIZE(name, bytes) _Static_assert(sizeof(name) == (bytes), #name)
#else
#define GPREEMPT_ABI_SIZE(name, bytes) name
#endif

GPREEMPT_ABI_SIZE(struct gpreempt_ioc_caps, 536);
GPREEMPT_ABI_SIZE(struct gpreempt_ioc_attr, 56);
GPREEMPT_ABI_SIZE(struct gpreempt_ioc_queue, 88);
GPREEMPT_ABI_SIZE(struct gpreempt_ioc_list, 24);
GPREEMPT_ABI_SIZE(struct gpreempt_ioc_ref, 16);
GPREEMPT_ABI_SIZE(struct gpreempt_ioc_switch, 40);
GPREEMPT_ABI_SIZE(struct gpreempt_ioc_policy, 88);
GPREEMPT_ABI_SIZE(struct gpreempt_ioc_trigger, 16);
GPREEMPT_ABI_SIZE(struct gpreempt_ioc_stats, 168);
GPREEMPT_ABI_SIZE(struct gpreempt_ioc_hist, 56);
GPREEMPT_ABI_SIZE(struct gpreempt_ioc_cgroup, 104);
GPREEMPT_ABI_SIZE(struct gpreempt_abi_event, 40);

#endif
