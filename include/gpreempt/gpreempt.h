/* SPDX-License-Identifier: MIT */
/*
 * DOC: libgpreempt
 *
 * Lists the GPU queues of a machine, stops and continues them, and talks to
 * gpreemptd, which does the same by policy. Needs libc and nothing else.
 *
 * Every call returns 0 (or a count) or -errno; errno itself says nothing. A handle may
 * be used by one thread at a time; different handles are independent. No call
 * waits longer than its timeout and a second for the daemon's answer, or than five
 * seconds if it has none.
 *
 * With the daemon (GPREEMPT_OPEN_DAEMON, the default if it runs) all processes
 * are visible that the caller may see. Without it (GPREEMPT_OPEN_DIRECT) lists
 * come from sysfs, debugfs, queue snapshots and the kernel module, and queues of
 * other processes are stopped through the module, or through a tracer process
 * that lives as long as the handle: what a handle stopped goes on when it is
 * closed or its process ends, and after a minute if it is not stopped again.
 *
 * A value that cannot be known is unknown, not zero: each struct gpreempt_value
 * says where it came from.
 *
 * Higher number = higher priority.
 */
#ifndef GPREEMPT_H
#define GPREEMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GPREEMPT_VERSION_MAJOR 0
#define GPREEMPT_VERSION_MINOR 2

#define GPREEMPT_NAME_LEN 32
#define GPREEMPT_PRIO_MAX 15
#define GPREEMPT_PRIO_DEFAULT 7
#define GPREEMPT_QUEUE_ALL 0xffffffffu

struct gpreempt;

enum gpreempt_source {
	GPREEMPT_SOURCE_UNKNOWN = 0, /* the value means nothing */
	GPREEMPT_SOURCE_SYSFS = 1,
	GPREEMPT_SOURCE_SNAPSHOT = 2, /* DBG_TRAP queue snapshot */
	GPREEMPT_SOURCE_DEBUGFS = 3,  /* kfd/mqds */
	GPREEMPT_SOURCE_SHIM = 4,     /* the process itself */
	GPREEMPT_SOURCE_MEMORY = 5,   /* read from the memory of the process */
	GPREEMPT_SOURCE_DAEMON = 6,
	GPREEMPT_SOURCE_KERNEL = 7, /* gpreempt.ko */
};

/* "sysfs", …; "unknown" for a value outside. */
const char *gpreempt_source_name(enum gpreempt_source source);

/**
 * struct gpreempt_value - a number and where it came from
 * @value: the number
 * @source: enum gpreempt_source
 * @pad: zero
 */
struct gpreempt_value {
	uint64_t value;
	uint32_t source;
	uint32_t pad;
};

#define GPREEMPT_OPEN_DAEMON (1u << 0)	/* the daemon or nothing */
#define GPREEMPT_OPEN_DIRECT (1u << 1)	/* never the daemon */

/**
 * gpreempt_open() - open a handle
 * @out: the handle
 * @flags: GPREEMPT_OPEN_*; 0 = the daemon if it runs, else direct
 * @socket: control socket; NULL = $GPREEMPT_SOCKET, else the default
 *
 * Return: 0, -EINVAL flags, -ECONNREFUSED or -ENOENT no daemon, -ENODEV direct and
 * no amdkfd here, -ENOMEM.
 */
int gpreempt_open(struct gpreempt **out, unsigned int flags, const char *socket);

/**
 * gpreempt_close() - close a handle; what it suspended goes on
 * @g: handle or NULL
 */
void gpreempt_close(struct gpreempt *g);

/* The reason of the last failure in words, "" if there is none; valid until the next call. */
const char *gpreempt_strerror(const struct gpreempt *g);

/* For what the library allocated. */
void gpreempt_free(void *p);

/**
 * struct gpreempt_caps - what can be done here
 * @size: sizeof(struct gpreempt_caps), set by the caller
 * @mechanisms: GPREEMPT_MECH_*: those that can be used
 * @daemon: a daemon answers
 * @privileged: the caller may raise priorities and touch others' processes
 * @kfd_major: ioctl version of amdkfd
 * @kfd_minor: same
 * @nr_nodes: GPUs
 * @hws: 1 firmware scheduler, 0 no, -1 unknown
 * @cwsr: 1 waves can be saved on every node, 0 no, -1 unknown
 * @ptrace_scope: of Yama, -1 unknown
 * @reserved: zero
 */
struct gpreempt_caps {
	uint32_t size;
	uint32_t mechanisms;
	bool daemon;
	bool privileged;
	uint32_t kfd_major;
	uint32_t kfd_minor;
	uint32_t nr_nodes;
	int32_t hws;
	int32_t cwsr;
	int32_t ptrace_scope;
	uint32_t reserved[6];
};

#define GPREEMPT_MECH_SHIM (1u << 0)
#define GPREEMPT_MECH_DBG (1u << 1)
#define GPREEMPT_MECH_SIM (1u << 2)
#define GPREEMPT_MECH_KERNEL (1u << 3)

/**
 * gpreempt_get_caps() - probe
 * @g: handle
 * @caps: filled up to caps->size
 *
 * Return: 0, -EINVAL size.
 */
int gpreempt_get_caps(struct gpreempt *g, struct gpreempt_caps *caps);

/**
 * struct gpreempt_node - a GPU
 * @gpu_id: as amdkfd names it
 * @index: number of its topology node
 * @name: for people
 * @nr_xcc: dies
 * @nr_cu: compute units
 * @gfx_target: gfx_target_version
 * @cwsr_bytes: size of a save area
 * @enabled: scheduled by the daemon
 * @policy: of the daemon or the kernel module, "" without
 * @breaker: the same
 * @gpu: number among the GPUs here, in the order of their PCI addresses, as amd-smi counts
 * @pci_domain: domain of its PCI address
 * @pci_address: bus << 8 | device << 3 | function; 0 = not known
 * @render_minor: 128 for /dev/dri/renderD128; 0 = not known
 * @unique_id: the number in its UUID, as ROCr has it: GPU-%016llx; 0 = not known
 * @reserved: zero
 */
struct gpreempt_node {
	uint32_t gpu_id;
	uint32_t index;
	char name[GPREEMPT_NAME_LEN];
	struct gpreempt_value nr_xcc;
	struct gpreempt_value nr_cu;
	struct gpreempt_value gfx_target;
	struct gpreempt_value cwsr_bytes;
	bool enabled;
	char policy[GPREEMPT_NAME_LEN];
	char breaker[GPREEMPT_NAME_LEN];
	uint32_t gpu;
	uint32_t pci_domain;
	uint32_t pci_address;
	uint32_t render_minor;
	uint64_t unique_id;
	uint64_t reserved[1];
};

/**
 * gpreempt_get_nodes() - list GPUs
 * @g: handle
 * @nodes: an array for gpreempt_free()
 * @nr: its length
 *
 * Return: 0 or -errno.
 */
int gpreempt_get_nodes(struct gpreempt *g, struct gpreempt_node **nodes, size_t *nr);

/**
 * struct gpreempt_attr - what a user can say about a process
 * @valid: GPREEMPT_ATTR_*: the members that are meant
 * @prio: 0..GPREEMPT_PRIO_MAX
 * @weight: 1..10000
 * @latency_critical: wants the fastest detection
 * @no_preempt: is never taken off the GPU
 * @slice_ns: time slice, 0 = default
 * @deadline_ns: after becoming busy, 0 = none
 * @klass: a class of the configuration
 * @group: processes of one group are stopped and continued together
 * @reserved: zero
 */
struct gpreempt_attr {
	uint32_t valid;
	uint32_t prio;
	uint32_t weight;
	bool latency_critical;
	bool no_preempt;
	uint64_t slice_ns;
	uint64_t deadline_ns;
	char klass[GPREEMPT_NAME_LEN];
	char group[GPREEMPT_NAME_LEN];
	uint64_t reserved[4];
};

#define GPREEMPT_ATTR_PRIO (1u << 0)
#define GPREEMPT_ATTR_WEIGHT (1u << 1)
#define GPREEMPT_ATTR_LATENCY_CRITICAL (1u << 2)
#define GPREEMPT_ATTR_SLICE (1u << 3)
#define GPREEMPT_ATTR_DEADLINE (1u << 4)
#define GPREEMPT_ATTR_CLASS (1u << 5)
#define GPREEMPT_ATTR_GROUP (1u << 6)
#define GPREEMPT_ATTR_NO_PREEMPT (1u << 7)

/**
 * struct gpreempt_process - a process that has GPU queues
 * @pid: process
 * @uid: owner; GPREEMPT_SOURCE_UNKNOWN if it cannot be seen
 * @comm: name
 * @mechanism: GPREEMPT_MECH_* it is under, 0 = none
 * @nr_queues: queues
 * @nr_busy: of these, with work
 * @state: "idle", "running", "preempted", …; "" without daemon and kernel module
 * @attr: attributes; attr.valid = 0 without these
 * @wait_p50_ns: how long its work waited for its first run; 0 = not known
 * @wait_p99_ns: same
 * @wait_p999_ns: same
 * @reserved: zero
 */
struct gpreempt_process {
	uint32_t pid;
	struct gpreempt_value uid;
	char comm[GPREEMPT_NAME_LEN];
	uint32_t mechanism;
	uint32_t nr_queues;
	struct gpreempt_value nr_busy;
	char state[GPREEMPT_NAME_LEN];
	struct gpreempt_attr attr;
	uint64_t wait_p50_ns;
	uint64_t wait_p99_ns;
	uint64_t wait_p999_ns;
	uint64_t reserved[1];
};

/**
 * gpreempt_get_processes() - list processes with queues
 * @g: handle
 * @processes: an array for gpreempt_free()
 * @nr: its length
 *
 * Return: 0 or -errno.
 */
int gpreempt_get_processes(struct gpreempt *g, struct gpreempt_process **processes, size_t *nr);

/**
 * struct gpreempt_total - what the processes of a group had, in sum, with those that are gone
 * @group: the group
 * @account: whose; the uid, or a number above 2^32: what is in a container of root's
 * @is_over: 1 no process of it is left; it is kept for ten minutes
 * @reserved: zero, as @reserved2
 * @run_ns: time with work on a GPU
 * @off_ns: time with work and off the GPU
 * @off_max_ns: the longest of these
 * @nr_preempted: how often they were preempted
 * @nr_waits: how often new work came
 * @wait_ns: how long that waited for its first run, in sum
 * @wait_p99_ns: 99 of 100 waited no longer; 0 = not known
 */
struct gpreempt_total {
	char group[GPREEMPT_NAME_LEN];
	uint64_t account;
	uint32_t is_over;
	uint32_t reserved;
	uint64_t run_ns;
	uint64_t off_ns;
	uint64_t off_max_ns;
	uint64_t nr_preempted;
	uint64_t nr_waits;
	uint64_t wait_ns;
	uint64_t wait_p99_ns;
	uint64_t reserved2[3];
};

/**
 * gpreempt_get_totals() - list totals of groups, those of the caller's account without privilege
 * @g: handle
 * @group: those of this name only; NULL = all
 * @totals: an array for gpreempt_free()
 * @nr: its length
 *
 * Return: 0 or -errno; -EOPNOTSUPP without the daemon, -EINVAL @group is no UTF-8.
 */
int gpreempt_get_totals(struct gpreempt *g, const char *group, struct gpreempt_total **totals,
			size_t *nr);

/**
 * struct gpreempt_queue - a queue
 * @pid: process
 * @gpu_id: node
 * @queue_id: as amdkfd numbers it in that process
 * @held: GPREEMPT_HELD_*
 * @type: 0 PM4, 1 SDMA, 2 AQL, 3 SDMA by XGMI, as in the ioctl ABI; sysfs alone
 *	does not tell 0 from 2
 * @compute: 1 a compute queue, 0 a copy engine's
 * @prio: hardware priority 0..15
 * @ring_addr: address of the ring in the process
 * @ring_bytes: its size
 * @rptr_addr: where the read index is
 * @wptr_addr: where the write index is
 * @rptr: read index, a moment ago
 * @wptr: write index, a moment ago
 * @busy: 1 has work, 0 proven idle
 * @reserved: zero
 */
struct gpreempt_queue {
	uint32_t pid;
	uint32_t gpu_id;
	uint32_t queue_id;
	uint32_t held;
	struct gpreempt_value type;
	struct gpreempt_value compute;
	struct gpreempt_value prio;
	struct gpreempt_value ring_addr;
	struct gpreempt_value ring_bytes;
	struct gpreempt_value rptr_addr;
	struct gpreempt_value wptr_addr;
	struct gpreempt_value rptr;
	struct gpreempt_value wptr;
	struct gpreempt_value busy;
	uint64_t reserved[4];
};

#define GPREEMPT_HELD_SCHED (1u << 0)	/* by the scheduler */
#define GPREEMPT_HELD_MANUAL (1u << 1)	/* by hand */

/**
 * gpreempt_get_all_queues() - list the queues of all processes
 * @g: handle
 * @queues: an array for gpreempt_free()
 * @nr: its length
 *
 * Return: 0 or -errno.
 */
int gpreempt_get_all_queues(struct gpreempt *g, struct gpreempt_queue **queues, size_t *nr);

/**
 * struct gpreempt_ref - names a queue, and says what became of it
 * @pid: process
 * @gpu_id: node; 0 = all nodes of the process
 * @queue_id: queue, or GPREEMPT_QUEUE_ALL: every compute queue
 * @result: output: 0, -ESRCH gone, -EBUSY try again, -EPERM, -EOPNOTSUPP, -EIO
 *	hardware, -ETIMEDOUT
 */
struct gpreempt_ref {
	uint32_t pid;
	uint32_t gpu_id;
	uint32_t queue_id;
	int32_t result;
};

/**
 * gpreempt_suspend_queues() - stop queues; waves are saved, nothing is lost
 * @g: handle
 * @refs: queues; several of one process are stopped in one batch
 * @nr: how many
 * @lease_ns: they go on by themselves after this; 0 = when the handle is closed;
 *	without the daemon at most 60 s
 * @timeout_ns: give up after this; 0 = 5 s
 *
 * Level-set: suspending twice needs one resume. Suspending what is suspended begins
 * its lease anew.
 *
 * Without the daemon a hold is not renewed: a @lease_ns of 0 or above 60 s is 60 s, and
 * a caller that wants more suspends the same again in time.
 *
 * Return: how many of @refs are suspended, or -errno if nothing was tried.
 */
int gpreempt_suspend_queues(struct gpreempt *g, struct gpreempt_ref *refs, size_t nr,
			    uint64_t lease_ns, uint64_t timeout_ns);

/**
 * gpreempt_resume_queues() - continue queues that were suspended by hand
 * @g: handle
 * @refs: queues
 * @nr: how many
 * @timeout_ns: as above
 *
 * Return: how many of @refs are not suspended by hand any more, or -errno.
 */
int gpreempt_resume_queues(struct gpreempt *g, struct gpreempt_ref *refs, size_t nr,
			   uint64_t timeout_ns);

/**
 * gpreempt_self_hold() - stop the queues of the calling process
 * @flags: GPREEMPT_OPEN_DIRECT the kernel module only, GPREEMPT_OPEN_DAEMON the daemon only,
 *	0 = the module, else the daemon; of the first call that is not undone
 *
 * Counted for the whole process, without a handle; any thread may call. When it returns, the
 * waves are saved. The hold is of all compute queues on all GPUs, also of those that
 * the process creates meanwhile: a thread that waits for the GPU waits until the release.
 *
 * Leased for 10 s and renewed every 3 s by a thread of the library. A process that is
 * killed leaves nothing held. A child of fork() starts with a count of zero.
 *
 * Return: the new count, or -EOPNOTSUPP neither module nor daemon can hold it, -ESRCH the
 * daemon does not know it, -EBUSY try again, -ETIMEDOUT, -EIO, -EAGAIN no thread can be
 * made; the count is as before then.
 */
int gpreempt_self_hold(unsigned int flags);

/**
 * gpreempt_self_release() - undo one gpreempt_self_hold()
 *
 * With the last one the queues go on, unless the scheduler or another hand holds them.
 *
 * Return: the new count; -EINVAL it was zero.
 */
int gpreempt_self_release(void);

/*
 * The rest needs the daemon, attributes without class, policies and statistics
 * the daemon or the kernel module: -EOPNOTSUPP without.
 */

/**
 * gpreempt_get_attr() - attributes of a process
 * @g: handle
 * @pid: process
 * @attr: output
 *
 * Return: 0, -ESRCH.
 */
int gpreempt_get_attr(struct gpreempt *g, uint32_t pid, struct gpreempt_attr *attr);

/**
 * gpreempt_set_attr() - change attributes of a process
 * @g: handle
 * @pid: process; where the kernel module schedules, 0 = the caller
 * @attr: those that are valid
 *
 * Return: 0, -ESRCH, -EPERM others' process or raising, -EINVAL.
 */
int gpreempt_set_attr(struct gpreempt *g, uint32_t pid, const struct gpreempt_attr *attr);

/**
 * gpreempt_grant() - say what processes may be, before they use the GPU
 * @g: handle
 * @pid: process, with its descendants; 0 = @cgroup
 * @cgroup: path of a cgroup, with those below it; NULL = @pid
 * @attr: those that are valid; the wish of a process can only be less urgent
 * @lease_ns: it ends after this; 0 = with gpreempt_revoke(), or with the process
 *
 * A grant for the same takes the place of the one before. Where the kernel module schedules
 * there are no cgroups and no lease; on a handle without daemon it is gpreempt_set_attr().
 *
 * Return: 0, -ESRCH, -EPERM, -EINVAL, -EOPNOTSUPP.
 */
int gpreempt_grant(struct gpreempt *g, uint32_t pid, const char *cgroup,
		   const struct gpreempt_attr *attr, uint64_t lease_ns);

/* End a grant. 0, -ESRCH there is none, -EPERM, -EOPNOTSUPP without the daemon. */
int gpreempt_revoke(struct gpreempt *g, uint32_t pid, const char *cgroup);

/**
 * gpreempt_attach() - put a process without a shim under the dbg mechanism
 * @g: handle
 * @pid: process
 *
 * Return: 0, -ESRCH, -EPERM, -EBUSY another process traces it, -EOPNOTSUPP.
 */
int gpreempt_attach(struct gpreempt *g, uint32_t pid);

/* Undo it. 0 or -ESRCH. */
int gpreempt_detach(struct gpreempt *g, uint32_t pid);

/**
 * gpreempt_get_policy() - policy of a node
 * @g: handle
 * @gpu_id: node
 * @name: output
 *
 * Return: 0, -ENODEV.
 */
int gpreempt_get_policy(struct gpreempt *g, uint32_t gpu_id, char name[GPREEMPT_NAME_LEN]);

/**
 * gpreempt_set_policy() - change the policy of a node
 * @g: handle
 * @gpu_id: node; 0 = all
 * @name: "prio", "fair", "slice", "edf", "laxity", "mlfq"
 *
 * Return: 0, -ENODEV or -ENOENT no such node or policy, -EPERM.
 */
int gpreempt_set_policy(struct gpreempt *g, uint32_t gpu_id, const char *name);

/*
 * A parameter of the guards ("min_run_ns") or of a policy ("fair.granularity_ns"). No such
 * parameter: -EINVAL (get), -ENODEV or -ENOENT (set); -ERANGE.
 */
int gpreempt_get_param(struct gpreempt *g, uint32_t gpu_id, const char *name, uint64_t *value);
int gpreempt_set_param(struct gpreempt *g, uint32_t gpu_id, const char *name, uint64_t value);

/* Scheduling of a node on or off; off resumes everything. gpu_id 0 = all. */
int gpreempt_set_enabled(struct gpreempt *g, uint32_t gpu_id, bool enabled);

/**
 * struct gpreempt_stats - counters of a node since the daemon began
 * @size: sizeof(struct gpreempt_stats), set by the caller
 * @pad: zero
 * @nr_switches: batched changes
 * @nr_preemptions: entities stopped
 * @nr_resumes: entities continued
 * @nr_failed: members of switches that failed
 * @nr_deadline: switches that missed their deadline
 * @nr_starvation: times the starvation bound was enforced
 * @cost_ns: learned cost of a switch
 * @off_max_ns: longest time a process was off the GPU
 * @switch_p50_ns: duration of a switch
 * @switch_p99_ns: same
 * @off_p50_ns: time off the GPU
 * @off_p99_ns: same
 * @wait_p50_ns: how long online work waited for its first run
 * @wait_p99_ns: same
 * @wait_p999_ns: same
 */
struct gpreempt_stats {
	uint32_t size;
	uint32_t pad;
	uint64_t nr_switches;
	uint64_t nr_preemptions;
	uint64_t nr_resumes;
	uint64_t nr_failed;
	uint64_t nr_deadline;
	uint64_t nr_starvation;
	uint64_t cost_ns;
	uint64_t off_max_ns;
	uint64_t switch_p50_ns;
	uint64_t switch_p99_ns;
	uint64_t off_p50_ns;
	uint64_t off_p99_ns;
	uint64_t wait_p50_ns;
	uint64_t wait_p99_ns;
	uint64_t wait_p999_ns;
};

int gpreempt_get_stats(struct gpreempt *g, uint32_t gpu_id, struct gpreempt_stats *stats);

/**
 * struct gpreempt_event - something happened
 * @time_ns: CLOCK_MONOTONIC
 * @kind: "client", "queue", "busy", "idle", "switch", "done", "report", …
 * @pid: process, 0 = none
 * @gpu_id: node, 0 = none
 * @queue_id: queue, GPREEMPT_QUEUE_ALL = none
 * @pad: zero
 * @text: for people
 */
struct gpreempt_event {
	uint64_t time_ns;
	char kind[GPREEMPT_NAME_LEN];
	uint32_t pid;
	uint32_t gpu_id;
	uint32_t queue_id;
	uint32_t pad;
	char text[160];
};

#define GPREEMPT_MONITOR_TRACE (1u << 0)	/* also every record of the scheduling core */

/**
 * gpreempt_monitor_fd() - begin the event stream of a handle
 * @g: handle; it can do nothing else from now on
 * @flags: GPREEMPT_MONITOR_*
 *
 * Return: a descriptor to poll for reading, owned by the handle; read events until
 * there is none before polling again. Or -errno.
 */
int gpreempt_monitor_fd(struct gpreempt *g, unsigned int flags);

/**
 * gpreempt_monitor_read() - next event
 * @g: handle
 * @event: output
 *
 * Return: 1 an event, 0 none now, -EPIPE the daemon is gone, -errno.
 */
int gpreempt_monitor_read(struct gpreempt *g, struct gpreempt_event *event);

/**
 * gpreempt_monitor_read_text() - next event, in the daemon's own words
 * @g: handle
 * @event: an Event of io.gpreempt as JSON text, for gpreempt_free(); with its data
 *
 * Return: as gpreempt_monitor_read().
 */
int gpreempt_monitor_read_text(struct gpreempt *g, char **event);

/**
 * gpreempt_call() - any method of the daemon, in its own words
 * @g: handle
 * @method: "io.gpreempt.GetInfo" or just "GetInfo"
 * @parameters: JSON object as text; NULL = {}
 * @reply: the "parameters" of the reply as text, for gpreempt_free(); also of an
 *	error reply, with the name of the error under "error"
 *
 * Waits for 5 s, or for a second longer than "timeout_ms" among the parameters says.
 *
 * Return: 0, -ENOENT NotFound, -EPERM, -EOPNOTSUPP, -ETIMEDOUT, -EINVAL, -ERANGE
 * a value out of its range, -EIO Failed otherwise, -EPIPE the daemon is gone, -EPROTO.
 */
int gpreempt_call(struct gpreempt *g, const char *method, const char *parameters, char **reply);

/* sizeof of the public structs by name, for bindings; 0 = no such struct. */
size_t gpreempt_sizeof(const char *name);

#ifdef __cplusplus
}
#endif

#endif
