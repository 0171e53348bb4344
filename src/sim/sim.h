/* SPDX-License-Identifier: MIT */
/*
 * DOC: Inside a run
 *
 * 1. struct sim is one run: a clock, a calendar, one GPU, one scheduler.
 * 2. It has processes (struct sim_proc), each an entity of the scheduler.
 * 3. A process has queues (struct sim_queue): rings, signals and save areas in the
 *    memory that the GPU sees. Requests wait in a queue until their packets are
 *    written and end when the last packet's signal says so.
 * 4. A mechanism (struct sim_mech_ops) carries out the switches of the scheduler.
 *
 * Private to sim/. Files: queue.c (memory and packets), client.c (requests),
 * detect.c (how the core learns), hws.c (the driver under the firmware
 * scheduler), mech.c and mech_*.c (mechanisms), watch.c (what the GPU's trace
 * means), verify.c (nothing lost, nothing repeated), host.c (what the GPU sees of
 * the machine), run.c (the loop).
 */
#ifndef GP_SIM_SIM_H
#define GP_SIM_SIM_H

#include "sim/sim_arrival.h"
#include "gpu/aql.h"
#include "rules/act.h"
#include "rules/idle.h"
#include "sim/sim_calendar.h"
#include "sim/sim_mem.h"
#include "sim/sim_rng.h"
#include "sim/sim_run.h"

struct sim;
struct sim_proc;

/* Doorbells are 8 bytes: two dwords each. The HIQ has one of its own. */
#define SIM_HIQ_DOORBELL 2u
#define SIM_DOORBELL(index) (1024u + 2u * (index))
#define SIM_QUEUE_OF(doorbell) (((doorbell)-1024u) / 2u)

/**
 * struct sim_request - one request on its way
 * @arrival_ns: when it came
 * @first: index of its first packet, once written
 * @nr_written: kernels of it that have been written to the ring
 */
struct sim_request {
	u64 arrival_ns;
	u64 first;
	u32 nr_written;
};

/* Where a queue is, as the GPU's trace tells it. */
enum sim_where {
	SIM_AT_GPU,
	SIM_AT_SAVING,
	SIM_AT_OFF,
	SIM_AT_RESTORING,
};

/**
 * struct sim_queue - a queue and everything in memory that belongs to it
 * @proc: its process
 * @index: 0.. over all processes; also its track and its doorbell
 * @nr_packets: size of the ring, a power of two
 * @ring_va: address of the ring
 * @rptr_va: address of the read pointer; the write pointer is 8 bytes after
 * @save_va: address of the save area of XCC 0
 * @mqd: GART address of its MQD
 * @ring: host view of the ring
 * @pointers: host view of read and write pointer
 * @signals: one per ring slot
 * @signals_va: their address
 * @kernargs: one per ring slot
 * @kernargs_va: their address
 * @tally: one per ring slot
 * @tally_va: their address
 * @rung: packets whose doorbell has been rung (or will be at a SIM_EV_STORE)
 * @done: packets completed and verified
 * @nr_rings: doorbells rung; tells whether a queue stayed quiet
 * @requests: requests not yet complete, oldest first, a ring buffer
 * @nr_requests: how many
 * @head: position of the oldest
 * @cap: size of @requests, a power of two
 * @unwritten: how many of the newest are not completely written yet
 * @launching: a SIM_EV_PUMP is on its way
 * @core_id: the core's id
 * @idle: what was seen of it
 * @core_busy: what the core believes
 * @core_since_ns: arrival of its oldest request, as the core believes
 * @slot: slot of mechanisms that map by hand
 * @want_on: the level such a mechanism was asked for
 * @where: where its waves are
 * @running: a dispatch has waves on the GPU
 * @since_ns: since when it is so
 * @packet: the dispatch in question
 * @edge_ns: doorbell store that ended its idleness, if @waiting
 * @waiting: no wave since then
 * @victim: track of the last queue saved since then, or -1
 * @victim_ns: when
 * @victim_bytes: contexts of victims saved since then, over all XCCs
 * @gpu_ns: time with running waves
 */
struct sim_queue {
	struct sim_proc *proc;
	u32 index;
	u32 nr_packets;
	u64 ring_va;
	u64 rptr_va;
	u64 save_va;
	u64 mqd;
	struct gpu_aql_dispatch *ring;
	u64 *pointers;
	struct gpu_signal *signals;
	u64 signals_va;
	struct gpu_kernarg *kernargs;
	u64 kernargs_va;
	u64 (*tally)[2];
	u64 tally_va;
	u64 rung;
	u64 done;
	u64 nr_rings;

	struct sim_request *requests;
	u32 nr_requests;
	u32 head;
	u32 cap;
	u32 unwritten;
	bool launching;

	u64 core_id;
	struct gp_idle idle;
	bool core_busy;
	u64 core_since_ns;
	int slot;
	bool want_on;

	enum sim_where where;
	bool running;
	u64 since_ns;
	u64 packet;
	u64 edge_ns;
	bool waiting;
	int victim;
	u64 victim_ns;
	u64 victim_bytes;
	u64 gpu_ns;
};

/**
 * struct sim_kernel_image - a kernel in a process's memory
 * @object_va: address of its descriptor
 * @nr_workgroups: workgroups of its grid
 * @workgroup_ns: time one of them runs; U64_MAX = endless
 * @spec: its specification
 */
struct sim_kernel_image {
	u64 object_va;
	u64 nr_workgroups;
	u64 workgroup_ns;
	const struct sim_kernel_spec *spec;
};

/**
 * struct sim_proc - a client process, an entity
 * @sim: the run
 * @spec: its class
 * @result: where its class's results go
 * @index: 0..
 * @number: which process of its class
 * @pasid: address space
 * @space: its memory
 * @kernels: the kernels of a request
 * @queues: its queues
 * @arrivals: generator, unless a closed loop
 * @next_queue: where the next request goes
 * @core_id: the core's id
 * @armed: its doorbell page is unmapped
 * @off: level asked for by the last switch: not on the GPU
 * @off_since_ns: since when
 * @blocked: launch-block: the host holds its launches back
 * @outstanding: requests not complete
 * @active_since_ns: since when there are any
 */
struct sim_proc {
	struct sim *sim;
	const struct sim_class_spec *spec;
	struct sim_class_result *result;
	u32 index;
	u32 number;
	u32 pasid;
	struct sim_space space;
	struct sim_kernel_image *kernels;
	struct sim_queue *queues;
	struct sim_arrival_state arrivals;
	u32 next_queue;
	u64 core_id;
	bool armed;
	bool off;
	u64 off_since_ns;
	bool blocked;
	u64 outstanding;
	u64 active_since_ns;
};

/**
 * struct sim_mech_ops - a way to carry out a switch
 * @start: put all queues on the GPU at time 0
 * @begin: begin sim.sw; may be called while an older switch is unfinished,
 *         which it then replaces (levels, not steps)
 * @step: a SIM_EV_MECH event of the switch in flight; NULL = never schedules one
 * @poll: called after the GPU has moved, while a switch is in flight; NULL = no need
 *
 * A mechanism ends a switch with sim_switch_done().
 */
struct sim_mech_ops {
	int (*start)(struct sim *sim);
	void (*begin)(struct sim *sim);
	void (*step)(struct sim *sim);
	void (*poll)(struct sim *sim);
};

/**
 * struct sim_hws - the driver's side of the firmware scheduler
 * @ring: host view of the HIQ ring
 * @ring_va: its GART address
 * @wptr: write pointer in dwords
 * @mqd: GART address of the HIQ's MQD
 * @fence_va: GART address of the fence
 * @fence: host view of it
 * @fence_seq: value the fence must reach
 * @waiting: an unmap has been sent and its fence not seen
 * @unmap_ns: when it was sent
 * @ib: runlist buffers, used in turn
 * @ib_va: their addresses
 * @ib_dw: size of one in dwords
 * @next_ib: which is next
 * @phase: what the next SIM_EV_MECH does
 */
struct sim_hws {
	u32 *ring;
	u64 ring_va;
	u64 wptr;
	u64 mqd;
	u64 fence_va;
	u64 *fence;
	u64 fence_seq;
	bool waiting;
	u64 unmap_ns;
	u32 *ib[4];
	u64 ib_va[4];
	u32 ib_dw;
	u32 next_ib;
	enum { SIM_HWS_IDLE, SIM_HWS_UNMAP, SIM_HWS_FENCE, SIM_HWS_MAP } phase;
};

/**
 * struct sim - one run
 * @host: what the GPU sees of us; first member, for container_of
 * @sc: scenario
 * @profile: the GPU's profile
 * @now_ns: the clock
 * @end_ns: no requests from here on
 * @calendar: what is to be done
 * @gpu: the GPU
 * @gpu_next_ns: when it wants to be called
 * @gart: kernel memory
 * @nr_procs: processes
 * @procs: them
 * @nr_queues: queues over all processes
 * @queues: them, by index
 * @sched: the scheduling core; NULL if the mechanism has no use for it
 * @sched_mem: its memory
 * @act: what it wants and what becomes of it
 * @mech: the mechanism
 * @hws: firmware scheduler, if used
 * @sw_begin_ns: when the switch in flight began
 * @forced: result forced upon the next @nr_forced switches by a fault
 * @nr_forced: see there
 * @rng: for jitter
 * @observer: watches the run, or NULL
 * @result: results
 * @error: first error that ends the run: -errno
 * @stopping: no more requests
 */
struct sim {
	struct gpu_host host;
	const struct sim_scenario *sc;
	const struct gpu_profile *profile;
	u64 now_ns;
	u64 end_ns;
	struct sim_calendar calendar;
	struct gpu *gpu;
	u64 gpu_next_ns;
	struct sim_space gart;
	u32 nr_procs;
	struct sim_proc *procs;
	u32 nr_queues;
	struct sim_queue *queues;
	struct gp_sched *sched;
	void *sched_mem;
	struct gp_act act;
	const struct sim_mech_ops *mech;
	struct sim_hws hws;
	u64 sw_begin_ns;
	enum gp_result forced;
	u64 nr_forced;
	struct sim_rng rng;
	struct sim_observer *observer;
	struct sim_result *result;
	int error;
	bool stopping;
};

/* run.c: schedule an event; an allocation failure ends the run. */
void sim_at(struct sim *sim, u64 at_ns, enum sim_event_kind kind, u32 who, u64 arg);
void sim_mark(struct sim *sim, const char *text);

/* queue.c: memory, MQD and packets of a queue. */
int sim_queue_init(struct sim_queue *q, struct sim_proc *proc, u32 index);
void sim_queue_fini(struct sim_queue *q);
u64 sim_queue_bytes(const struct sim *sim, const struct sim_class_spec *spec);
void sim_queue_write(struct sim_queue *q, const struct sim_kernel_image *k, bool event);
void sim_queue_ring(struct sim_queue *q);
static inline u64 sim_queue_written(const struct sim_queue *q)
{
	return q->pointers[1];
}
static inline u64 sim_queue_outstanding(const struct sim_queue *q)
{
	return sim_queue_written(q) - q->done;
}

/* client.c: processes and requests. */
int sim_proc_init(struct sim_proc *proc, struct sim *sim, u32 class_index, u32 number);
void sim_proc_fini(struct sim_proc *proc);
void sim_proc_start(struct sim_proc *proc);
void sim_proc_arrival(struct sim_proc *proc);
void sim_proc_arrival_closed(struct sim_queue *q);
void sim_queue_pump(struct sim_queue *q);
void sim_queue_completed(struct sim_queue *q, u32 slot);
int sim_queue_take_waiting(struct sim_queue *q, u64 end_ns);

/* verify.c: what the kernels left in memory. */
void sim_verify_packet(struct sim_queue *q, u64 packet, const struct sim_kernel_image *k);
bool sim_verify_has_vanished(const struct sim_queue *q);
void sim_verify_end(struct sim *sim);

/* detect.c: how the core learns; core.c: what the core wants. */
void sim_detect_start(struct sim *sim);
void sim_detect_doorbell(struct sim_queue *q);
void sim_detect_quiet(struct sim_queue *q);
void sim_detect_progress(struct sim_queue *q);
void sim_detect_event(struct sim *sim, const struct sim_event *e);
void sim_detect_arm(struct sim_proc *proc, bool arm);

int sim_core_init(struct sim *sim, char *error, size_t error_size);
void sim_core_fini(struct sim *sim);
void sim_core_busy(struct sim_queue *q);
void sim_core_idle(struct sim_queue *q);
void sim_core_progress(struct sim_queue *q);
bool sim_core_is_switching(const struct sim *sim, u64 seq);
void sim_core_stop(struct sim *sim);

/* mech.c */
const struct sim_mech_ops *sim_mech_find(enum sim_mechanism m);
void sim_mech_set_levels(struct sim *sim);
void sim_switch_done(struct sim *sim);
extern const struct sim_mech_ops sim_mech_cwsr;
extern const struct sim_mech_ops sim_mech_hqd_save;
extern const struct sim_mech_ops sim_mech_hqd_drain;
extern const struct sim_mech_ops sim_mech_hqd_reset;
extern const struct sim_mech_ops sim_mech_launch_block;
extern const struct sim_mech_ops sim_mech_none;

/* hws.c: the driver under the firmware scheduler. */
int sim_hws_init(struct sim *sim);
void sim_hws_unmap(struct sim *sim);
void sim_hws_map(struct sim *sim);
u32 sim_hws_take_refused(struct sim *sim);

/* host.c: the GPU's view of the machine. */
extern const struct gpu_host_ops sim_host_ops;

/* watch.c: the GPU's trace. */
void sim_watch_tracks(struct sim *sim);
void sim_watch_trace(struct gpu_host *host, const struct gpu_trace *t);
void sim_watch_preempt(struct sim_proc *victim);
void sim_watch_switch(struct sim *sim);
void sim_watch_end(struct sim *sim);

#endif
