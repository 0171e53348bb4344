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
#include "rules/ending.h"
#include "rules/idle.h"
#include "sim/sim_calendar.h"
#include "sim/sim_mem.h"
#include "sim/sim_rng.h"
#include "sim/sim_run.h"

struct sim;
struct sim_job;
struct sim_proc;
struct sim_team;

/* Doorbells are 8 bytes: two dwords each. The HIQ has one of its own. */
#define SIM_HIQ_DOORBELL 2u
#define SIM_DOORBELL(index) (1024u + 2u * (index))
#define SIM_QUEUE_OF(doorbell) (((doorbell)-1024u) / 2u)

/* One request on its way. */
struct sim_request {
	u64 arrival_ns; /* when it came */
	u64 ready_ns;	/* when it can be launched */
	u64 first;	/* index of its first packet, once written */
	u32 nr_written; /* kernels of it that have been written to the ring */
};

/* Where a queue is, as the GPU's trace tells it. */
enum sim_where {
	SIM_AT_GPU,
	SIM_AT_SAVING,
	SIM_AT_OFF,
	SIM_AT_RESTORING,
};

/* A queue and everything in memory that belongs to it. */
struct sim_queue {
	struct sim_proc *proc;	       /* its process */
	u32 index;		       /* 0.. over all processes; also its track and its doorbell */
	u32 nr_packets;		       /* size of the ring, a power of two */
	u64 ring_va;		       /* address of the ring */
	u64 rptr_va;		       /* read pointer; the write pointer is 8 bytes after */
	u64 save_va;		       /* address of the save area of XCC 0 */
	u64 mqd;		       /* GART address of its MQD */
	struct gpu_aql_dispatch *ring; /* host view of the ring */
	u64 *pointers;		       /* host view of read and write pointer */
	struct gpu_signal *signals;    /* one per ring slot */
	u64 signals_va;		       /* their address */
	struct gpu_kernarg *kernargs;  /* one per ring slot */
	u64 kernargs_va;	       /* their address */
	u64 (*tally)[2];	       /* one per ring slot */
	const struct sim_kernel_image **image; /* one per ring slot: what was written there */
	u64 tally_va;		       /* their address */
	struct gpu_signal *meets;      /* of a rank, one per ring slot: what barriers wait for */
	u64 meets_va;		       /* their address */
	u64 met;		       /* index of the barrier it has come to last, plus 1 */
	u64 rung;		       /* packets whose doorbell was rung, or will be */
	u64 done;		       /* packets completed and verified */
	u64 nr_rings;		       /* doorbells rung; tells whether a queue stayed quiet */

	struct sim_request *requests; /* requests not yet complete, oldest first, a ring buffer */
	u32 nr_requests;	      /* how many */
	u32 head;		      /* position of the oldest */
	u32 cap;		      /* size of @requests, a power of two */
	u32 unwritten;		      /* how many of the newest are not completely written yet */
	bool launching;		      /* a SIM_EV_PUMP is on its way */

	u64 core_id;	     /* the core's id */
	struct gp_idle idle; /* what was seen of it */
	struct gp_ending ending; /* and of its ends */
	u64 ended;	     /* packets written when their end was foreseen, or 0 */
	bool core_busy;	     /* what the core believes */
	u64 core_since_ns;   /* arrival of its oldest request, as the core believes */
	int slot;	     /* slot of mechanisms that map by hand */
	bool want_on;	     /* the level such a mechanism was asked for */

	enum sim_where where; /* where its waves are */
	bool running;	      /* a dispatch has waves on the GPU */
	u64 since_ns;	      /* since when it is so */
	u64 packet;	      /* the dispatch in question */
	u64 edge_ns;	      /* doorbell store that ended its idleness, if @waiting */
	bool waiting;	      /* no wave since then */
	u32 waiting_at;	      /* where it is in sim.waiting, if so */
	int victim;	      /* track of the last queue saved since then, or -1 */
	u64 victim_ns;	      /* when */
	u64 victim_bytes;     /* contexts of victims saved since then, over all XCCs */
	u64 gpu_ns;	      /* time with running waves */
};

/* A kernel of any length is one of so many. */
#define SIM_LENGTHS 32

/* A kernel in a process's memory. */
struct sim_kernel_image {
	u64 object_va;			    /* address of its descriptor */
	u64 nr_workgroups;		    /* workgroups of its grid */
	u64 workgroup_ns;		    /* time one of them runs; U64_MAX = endless */
	const struct sim_kernel_spec *spec; /* its specification */
};

/* A client process, an entity. */
struct sim_proc {
	struct sim *sim;		   /* the run */
	const struct sim_class_spec *spec; /* its class */
	struct sim_class_result *result;   /* where its class's results go */
	u32 index;			   /* 0.. */
	u32 number;			   /* which process of its class */
	struct sim_job *job;		   /* the gang it is a rank of, or NULL */
	u32 rank;			   /* which one */
	u32 pasid;			   /* address space */
	struct sim_space space;		   /* its memory */
	/* the kernels of a request, SIM_LENGTHS of each */
	struct sim_kernel_image *kernels;
	struct sim_rng rng;		   /* for their lengths */
	struct sim_queue *queues;	   /* its queues */
	struct sim_arrival_state arrivals; /* generator, unless a closed loop */
	u32 next_queue;			   /* where the next request goes */
	u64 core_id;			   /* the core's id */
	bool gone;			   /* it has not come yet, or has died */
	bool armed;			   /* its doorbell page is unmapped */
	u64 armed_ns;			   /* since when, or from when on */
	struct gp_elastic_fill fill;	   /* resize: CUs that its kernels fill */
	u32 cus;			   /* resize: CUs that it is to have */
	u32 cus_set;			   /* resize: CUs of the masks that were written last */
	bool off;			   /* level asked for by the last switch: not on the GPU */
	u64 off_since_ns;		   /* since when */
	bool blocked;			   /* launch-block: the host holds its launches back */
	u64 gpu_ns;			   /* at the end: time with waves that ran, of all queues */
	u32 *packets;			   /* its part of a runlist */
	u32 nr_dw;			   /* size of that */
	u64 outstanding;		   /* requests not complete */
	u64 active_since_ns;		   /* since when there are any */
};

/**
 * struct sim_mech_ops - a way to carry out a switch
 * @start: put all queues on the GPU at time 0
 * @begin: begin sim.sw; may be called while an older switch is unfinished,
 *         which it then replaces (levels, not steps)
 * @step: a SIM_EV_MECH event of the switch in flight; NULL = never schedules one
 * @poll: called after the GPU has moved, while a switch is in flight; NULL = no need
 * @set_there: a process has come or died; NULL = the next runlist has it or lacks it
 * @how: how a queue leaves its slot, for mechanisms that map by hand
 * @is_local: what stays on the GPU is not disturbed, and what leaves has lost nothing
 *
 * A mechanism ends a switch with sim_switch_done().
 */
struct sim_mech_ops {
	int (*start)(struct sim *sim);
	void (*begin)(struct sim *sim);
	void (*step)(struct sim *sim);
	void (*poll)(struct sim *sim);
	void (*set_there)(struct sim_proc *proc);
	enum gpu_dequeue how;
	bool is_local;
};

enum sim_hws_phase { SIM_HWS_IDLE,
		     SIM_HWS_UNMAP,
		     SIM_HWS_FENCE,
		     SIM_HWS_MAP,
		     SIM_HWS_NOTHING };

/* The driver's side of the firmware scheduler. */
struct sim_hws {
	u32 *ring;		  /* host view of the HIQ ring */
	u64 ring_va;		  /* its GART address */
	u64 wptr;		  /* write pointer in dwords */
	u64 mqd;		  /* GART address of the HIQ's MQD */
	u64 fence_va;		  /* GART address of the fence */
	u64 *fence;		  /* host view of it */
	u64 fence_seq;		  /* value the fence must reach */
	bool waiting;		  /* an unmap has been sent and its fence not seen */
	u64 unmap_ns;		  /* when it was sent */
	u32 *packets;		  /* runlist packets of all processes, as they were made once */
	u32 *ib[4];		  /* runlist buffers, used in turn */
	u64 ib_va[4];		  /* their addresses */
	u32 ib_dw;		  /* size of one in dwords */
	u32 next_ib;		  /* which is next */
	u32 first;		  /* process that the next runlist begins with */
	enum sim_hws_phase phase; /* what the next SIM_EV_MECH does */
};

/* One run. */
struct sim {
	struct gpu_host host;		   /* what the GPU sees of us */
	const struct sim_scenario *sc;	   /* scenario */
	struct gpu_profile own;		   /* the GPU's profile as the scenario changes it */
	const struct gpu_profile *profile; /* the same */
	u64 now_ns;			   /* the clock */
	u64 end_ns;			   /* no requests from here on */
	u64 limit_ns;			   /* no waiting for what has begun from here on */
	u64 shown_ns;			   /* when the observer is told of progress again */
	struct sim_calendar calendar;	   /* what is to be done */
	struct gpu *gpu;		   /* the GPU */
	u64 gpu_next_ns;		   /* when it wants to be called */
	struct sim_space gart;		   /* kernel memory */
	u32 nr_procs;			   /* processes */
	struct sim_proc *procs;		   /* them */
	u32 nr_queues;			   /* queues over all processes */
	struct sim_queue *queues;	   /* them, by index */
	struct sim_queue **waiting;	   /* those that wait for a first wave, in no order */
	u32 nr_waiting;			   /* how many */
	u32 nr_settled;			   /* after the end: queues that were seen empty */
	struct gp_sched *sched;		   /* the core; NULL if the mechanism has no use for it */
	void *sched_mem;		   /* its memory */
	struct sim_share *shares;	   /* cgroups */
	u32 nr_shares;			   /* how many */
	struct gp_act act;		   /* what it wants and what becomes of it */
	const struct sim_mech_ops *mech;   /* the mechanism */
	struct sim_hws hws;		   /* firmware scheduler, if used */
	u64 sw_begin_ns;		   /* when the switch in flight began */
	enum gp_result forced;		   /* a fault: result of the next @nr_forced switches */
	u64 nr_forced;			   /* see there */
	struct sim_team *team;		   /* the GPUs that share one clock, or NULL */
	u32 team_index;			   /* which of these it is */
	struct sim_rng rng;		   /* for jitter */
	u64 lead_ns;			   /* least time from an order to come back to waves */
	u64 thread_ns;			   /* the scheduler's thread is busy until then */
	u64 floor_bytes;		   /* context behind sim_result.floor_ns */
	u64 nr_killed_dead;		   /* workgroups that died with their process */
	u32 nr_active;			   /* processes with requests outstanding */
	u64 active_since_ns;		   /* since when there are any */
	struct sim_observer *observer;	   /* watches the run, or NULL */
	struct sim_result *result;	   /* results */
	int error;			   /* first error that ends the run: -errno */
	bool stopping;			   /* no more requests */
};

/* run.c: schedule an event; an allocation failure ends the run. */
void sim_at(struct sim *sim, u64 at_ns, enum sim_event_kind kind, u32 index, u64 arg);
void sim_mark(struct sim *sim, const char *text);

/* Words of an MQD; the upper half of a long one follows the lower. */
static inline void sim_put32(u8 *mqd, u32 offset, u32 value)
{
	memcpy(mqd + offset, &value, sizeof(value));
}
static inline void sim_put64(u8 *mqd, u32 offset, u64 value)
{
	memcpy(mqd + offset, &value, sizeof(value));
}

/* run.c: a run on one GPU, and its parts; gpus.c: on as many as the scenario has. */
int sim_open(struct sim *sim, char *error, size_t error_size);
void sim_start(struct sim *sim);
u64 sim_next_ns(const struct sim *sim);
void sim_step(struct sim *sim);
bool sim_is_over(struct sim *sim);
int sim_close(struct sim *sim);
int sim_run_one(const struct sim_scenario *sc, struct sim_observer *observer,
		struct sim_result *result, char *error, size_t error_size);
int sim_run_gpus(const struct sim_scenario *sc, struct sim_observer *observer,
		 struct sim_result *result, char *error, size_t error_size);

/* queue.c: memory, MQD and packets of a queue. */
int sim_queue_init(struct sim_queue *q, struct sim_proc *proc, u32 index);
void sim_queue_fini(struct sim_queue *q);
void sim_queue_set_cus(struct sim_queue *q, const u32 *mask);
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
void sim_proc_set_active(struct sim_proc *proc, bool is_active);
void sim_proc_arrival_closed(struct sim_queue *q);
void sim_queue_pump(struct sim_queue *q);
void sim_queue_completed(struct sim_queue *q, u32 slot);
int sim_queue_take_waiting(struct sim_queue *q, u64 end_ns);

/* life.c: processes that come and die. */
void sim_life_start(struct sim *sim);
void sim_life_event(struct sim *sim, const struct sim_event *e);

/* team.c: GPUs with one clock, whose processes meet at barriers. */
int sim_team_run(struct sim **sims, u32 nr, const struct sim_scenario *sc,
		 struct sim_gang_result *result);
void sim_team_look(struct sim_queue *q);
void sim_team_level(struct sim_proc *proc, bool off);
void sim_team_news(struct sim *sim);
void sim_team_switched(struct sim *sim, u64 ns);
void sim_team_end(struct sim *sim);

/* verify.c: what the kernels left in memory. */
void sim_verify_packet(struct sim_queue *q, u64 packet);
bool sim_verify_has_vanished(const struct sim_queue *q);
void sim_verify_end(struct sim *sim);

/* detect.c: how the core learns; core.c: what the core wants. */
void sim_detect_start(struct sim *sim);
void sim_detect_doorbell(struct sim_queue *q);
void sim_detect_hint(struct sim_queue *q);
void sim_detect_began(struct sim_queue *q, u64 packet);
void sim_detect_restored(struct sim *sim);
void sim_detect_quiet(struct sim_queue *q);
void sim_detect_progress(struct sim_queue *q);
void sim_detect_event(struct sim *sim, const struct sim_event *e);
void sim_detect_arm(struct sim_proc *proc, bool arm);

int sim_core_init(struct sim *sim, char *error, size_t error_size);
void sim_core_fini(struct sim *sim);
int sim_core_add(struct sim_proc *proc);

/* sim_share.c: how many there can be; before and after; a process of the core joins its own. */
u32 sim_share_count(const struct sim_scenario *sc);
int sim_share_init(struct sim *sim);
void sim_share_fini(struct sim *sim);
int sim_share_join(struct sim_proc *proc);
void sim_core_remove(struct sim_proc *proc);
struct sim_proc *sim_core_proc(struct sim *sim, u64 id);
void sim_core_tell(struct sim_queue *q, bool busy);
void sim_core_progress(struct sim_queue *q);
bool sim_core_is_switching(const struct sim *sim, u64 seq);
void sim_core_stop(struct sim *sim);

/* model.c: what the hardware and the software around it cost this time. */
void sim_model_profile(const struct sim_scenario *sc, const struct gpu_profile *base,
		       struct gpu_profile *out);
u64 sim_model_wake_ns(struct sim *sim);
u64 sim_model_irq_ns(struct sim *sim);
u64 sim_model_arm_ns(const struct sim *sim);
int sim_model_floor(const struct sim *sim, u64 bytes, struct sim_summary *out);

/* mech.c */
const struct sim_mech_ops *sim_mech_find(enum sim_mechanism m);
void sim_mech_set_levels(struct sim *sim);
void sim_mech_set_level(struct sim_proc *proc, bool off);

/* resize.c: CU masks that change with a switch. */
int sim_resize_start(struct sim *sim);
bool sim_resize_set_levels(struct sim *sim);
void sim_resize_write(struct sim *sim);
void sim_resize_began(struct sim_queue *q, u64 packet);
u64 sim_mech_busy_ns(const struct sim *sim);
void sim_switch_done(struct sim *sim);
extern const struct sim_mech_ops sim_mech_cwsr;
extern const struct sim_mech_ops sim_mech_resize;
extern const struct sim_mech_ops sim_mech_hqd_save;
extern const struct sim_mech_ops sim_mech_hqd_drain;
extern const struct sim_mech_ops sim_mech_hqd_reset;
extern const struct sim_mech_ops sim_mech_launch_block;
extern const struct sim_mech_ops sim_mech_none;

/* hws.c: the driver under the firmware scheduler. */
int sim_hws_init(struct sim *sim);
void sim_hws_fini(struct sim *sim);
void sim_hws_unmap(struct sim *sim);
void sim_hws_map(struct sim *sim);
u32 sim_hws_slots(const struct sim *sim);
u32 sim_hws_take_refused(struct sim *sim);

/* host.c: the GPU's view of the machine. */
extern const struct gpu_host_ops sim_host_ops;

/* watch.c: the GPU's trace. */
void sim_watch_tracks(struct sim *sim);
void sim_watch_wait(struct sim_queue *q);
void sim_watch_request(struct sim_queue *q, u64 arrival_ns);
void sim_watch_forget(struct sim_queue *q);
void sim_watch_trace(struct gpu_host *host, const struct gpu_trace *t);
void sim_watch_preempt(struct sim_proc *victim);
void sim_watch_switch(struct sim *sim);
void sim_watch_end(struct sim *sim);

#endif
