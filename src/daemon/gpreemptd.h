/* SPDX-License-Identifier: MIT */
/*
 * DOC: The objects of gpreemptd
 *
 * 1. struct gpd is the daemon: one thread, one sd-event loop, one scheduler.
 * 2. It has nodes (one per gpu_id) and clients (one per connection that speaks
 *    client/wire.h: a shim, a tracer, a simulated client).
 * 3. A client has queues. Its compute queues on one node are a member.
 * 4. A member belongs to an entity, which is what the core schedules: a member of
 *    its own, or all members of one user, one group and the same attributes on that node.
 * 5. A switch of the core is carried out as orders (HOLD, RELEASE) to all members
 *    of its entities; see gpd_engine.h.
 * 6. Nodes that the kernel module schedules are not the core's (gpd_module.h).
 * 7. Control connections (gpd_control.h) ask and change; holds by hand (gpd_hold.h) are theirs.
 *
 * Everything is owned by struct gpd and used from the loop alone: no locks. An
 * object is freed from the loop's own calls only, never from inside of a call to
 * the core: clients that must go are marked and reaped afterwards.
 */
#ifndef GPD_GPREEMPTD_H
#define GPD_GPREEMPTD_H

#include "core/hist.h"
#include "core/sched.h"
#include "rules/act.h"
#include "rules/group.h"
#include "rules/tree.h"
#include "client/wire.h"
#include "gpreempt/gpreempt.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#include "daemon/gpd_config.h"
#include "daemon/gpd_waits.h"

/* Nodes the core can have, and what is kept free for those that appear later. */
#define GPD_NODES_MAX 64
#define GPD_NODES_SPARE 8
/* Most queues one client may tell: as many as amdkfd gives a process. */
#define GPD_CLIENT_QUEUES_MAX 1024
/* Queues and entities that can be scheduled, and queues of one user. */
#define GPD_QUEUES_MAX 32768
#define GPD_ENTITIES_MAX 8192
/* Shares of cgroups, over all nodes. */
#define GPD_SHARES_MAX 16384
#define GPD_USER_QUEUES_MAX 4096
/* Silent processes that are remembered of one user. */
#define GPD_SILENT_MAX 8
#define GPD_NOTES_MAX 8
#define GPD_NOTE_LEN 160

#define GPD_NS_PER_MS 1000000ULL
#define GPD_NS_PER_SEC 1000000000ULL

struct gpd;
struct gpd_cgroup;
struct gpd_client;
struct gpd_cred;
struct gpd_gangs;
struct gpd_grant;
struct gpd_tallies;
struct gpd_tally;
struct gpd_user;

/* What the core counts of an entity. */
struct gpd_sums {
	uint64_t run_ns;
	uint64_t off_ns;
	uint64_t off_max_ns;
	uint64_t nr_preempted;
};

/* A listening socket. */
struct gpd_listener {
	struct gpd *d;
	/* Make a connection one of ours, and its socket: 0, or -errno: the socket is closed. */
	int (*take)(struct gpd *d, int sock, const struct gpd_cred *cred, struct gpd_user *user);
	sd_event_source *io;   /* in the loop; owns the socket, NULL = it does not listen */
	sd_event_source *rest; /* ends a rest */
};

/* A token bucket. */
struct gpd_bucket {
	uint64_t tokens;  /* left, in thousandths */
	uint64_t last_ns; /* when it was filled last */
};

/* To which user a process belongs. */
struct gpd_owner {
	uid_t uid;
	/* That of budgets and claims: all that one user can become is one account. */
	u64 account;
	/* It is in another user or pid namespace than the daemon, or that is not known. */
	bool is_foreign;
	ino_t user_ns; /* its user namespace, 0 = not known */
	ino_t pid_ns;  /* its pid namespace, 0 = not known */
};

/* The other end of a socket, by SO_PEERCRED. */
struct gpd_cred {
	pid_t pid;
	/* Of the process, in clock ticks since boot, as its number may outlive it. 0 = it has. */
	uint64_t start_time;
	struct gpd_owner owner; /* its effective user when it connected, and its namespaces */
	/*
	 * In the daemon's namespaces, and root, the daemon's own user, or a member of the
	 * configured group.
	 */
	bool privileged;
};

/* What a user has a budget of, see gpd_user.h. */
enum gpd_budget {
	GPD_BUDGET_CLIENTS,
	GPD_BUDGET_CONNECTIONS,
	GPD_BUDGET_QUEUES,
	GPD_BUDGET_ENTITIES,
	GPD_BUDGET_HOLDS,
	GPD_BUDGET_MONITORS,
	GPD_BUDGET_TRACERS,
	GPD_BUDGET_CGROUPS,
	GPD_BUDGET_COUNT
};

/* A process that did not answer. */
struct gpd_silence {
	pid_t pid;
	uint64_t start_time; /* of the process */
	uint64_t at_ns;	     /* when it was left alone last */
	uint32_t nr;	     /* how often in a row, without a minute in between; 0 = never */
	bool is_owed;	     /* it has not answered since */
};

/* An account. */
struct gpd_user {
	LIST_ENTRY(gpd_user) link; /* in gpd.users */
	struct gpd *d;
	uid_t uid;	  /* of its first process, for people */
	u64 account;	  /* see struct gpd_owner */
	bool privileged;  /* without a budget */
	uint32_t nr_refs; /* clients, connections and tracers */
	/* Loop of its sockets: the daemon's own, or one inside of it. */
	sd_event *event;
	/* @event in the daemon's loop, NULL = it is the daemon's own. */
	sd_event_source *io;
	LIST_HEAD(, gpd_client) clients;	   /* its clients */
	/* Its control connections that have something to do, the next one first. */
	TAILQ_HEAD(, gpd_conn) turns;
	/*
	 * Lets one of them do it. Readable while there is one: a deferred source of sd-event
	 * would come before every socket that becomes ready later.
	 */
	int turn_fd;
	sd_event_source *turn;
	uint64_t nr_used[GPD_BUDGET_COUNT];	   /* what is used of the budgets */
	struct gpd_bucket logs;			   /* limit of lines in the log */
	struct gpd_bucket notes;		   /* limit of notes that concern others */
	struct gpd_silence silent[GPD_SILENT_MAX]; /* the last processes that did not answer */
	int64_t work_ns;			   /* processor time that is left */
	uint64_t filled_ns;			   /* when @work_ns was filled last */
	sd_event_source *rest;			   /* ends a rest; while it is on nothing is done */
	uint64_t slow_ns;			   /* until then its clients are not waited for */
	uint32_t nr_slow; /* how often that was so, without a minute in between */
	struct gp_small_hist waits; /* how long the work of its processes waited */
	uint32_t nr_shown;	    /* of its cgroups, while metrics are made */
};

/* What a user may say of a node that concerns others, see gpd_trust.h. */
enum gpd_claim {
	GPD_CLAIM_RESET,
	GPD_CLAIM_NO_PROGRESS,
	GPD_CLAIM_FAILED,
	GPD_CLAIM_MAPPED,
	GPD_CLAIM_COUNT
};

/* What the last users said of a node. */
struct gpd_said {
	u64 account;
	uint64_t at_ns; /* when, 0 = never */
};

/* The attributes of a process. */
struct gpd_attrs {
	struct gp_attr core;	   /* what the core knows */
	char klass[WIRE_NAME_LEN]; /* name of the class */
	char group[WIRE_NAME_LEN]; /* name of the group, "" = none */
};

/* A queue of a client. */
struct gpd_queue {
	LIST_ENTRY(gpd_queue) link; /* in gpd_client.queues */
	struct gp_tree_node by_id;  /* in gpd_client.queues_by_id */
	struct gpd_client *client;  /* whose it is */
	struct gpd_member *member;  /* of a compute queue on a node that is scheduled, else NULL */
	struct wire_queue told;	    /* what the client said */
	bool busy;		    /* has work, as the client said last */
	/* What the core was told: false as well while it is held by hand. */
	bool shown;
	bool manual;	  /* held by hand, alone or with its member */
	bool is_unasked;  /* not scheduled as the driver could not be asked for it */
	uint64_t seen_ns; /* when the driver last showed it; 0 = it need not */
	u64 core_id;	  /* of the core, GP_ID_NONE if it is not scheduled */
};

/* The compute queues of one client on one node. */
struct gpd_member {
	LIST_ENTRY(gpd_member) of_client; /* in gpd_client.members */
	LIST_ENTRY(gpd_member) of_entity; /* in gpd_entity.members */
	LIST_ENTRY(gpd_member) of_held;	  /* in gpd.held, if it is held */
	LIST_ENTRY(gpd_member) of_switch; /* in gpd_switch.waiting, if an answer is awaited */
	TAILQ_ENTRY(gpd_member) of_taken; /* in gpd_node.taken, if @taken_epoch */
	struct gpd_client *client;
	struct gpd_node *node;
	struct gpd_entity *entity;
	uint32_t nr_queues;   /* compute queues */
	bool held;	      /* the scheduler's HOLD was sent and no RELEASE since */
	uint64_t order_epoch; /* epoch of the newest HOLD or RELEASE */
	uint64_t owed_epoch;  /* the same, 0 = it is answered */
	uint64_t order_ns;    /* when it was sent */
	uint64_t wait_epoch;  /* epoch of the order of the switch in flight, 0 = none awaited */
	uint32_t wait_index;  /* its entity's place in that switch */
	bool wait_release;    /* that order is a RELEASE */
	/* The first order that counts as carried out and is not answered, 0 = none. */
	uint64_t taken_epoch;
	uint64_t taken_ns; /* when it is late */
	/* A RELEASE was sent, and nothing was heard since of what came of it. */
	bool is_released;
	uint32_t nr_no_progress; /* resumes in a row after which nothing moved */
};

/* Of an entity: is it a rank of a gang? See gpd_gang.h. */
enum gpd_gang {
	GPD_GANG_NONE,
	GPD_GANG_JOINS, /* in a moment */
	GPD_GANG_RANK,
};

/* What the core schedules. */
struct gpd_entity {
	LIST_ENTRY(gpd_entity) link;	 /* in gpd_node.entities */
	LIST_HEAD(, gpd_member) members; /* its members, never empty */
	struct gpd_node *node;
	u64 id;		       /* of the core; its cookie is this struct */
	u64 share;	       /* of the core, that it is in; GP_ID_NONE = none */
	uint64_t since_ns;     /* when its state changed last */
	uint32_t nr_busy;      /* queues that have work, as the core was told */
	struct gp_group group; /* what all members have in common */
	/* Off the GPU when it got its key, which another has: its members join that later. */
	bool is_apart;
	enum gpd_gang gang;
	LIST_ENTRY(gpd_entity) of_gangs; /* of those that join a gang, if it does */
	struct gpd_user *user; /* whose budget it takes from */
	struct gp_small_hist waits; /* how long its work waited */
	LIST_ENTRY(gpd_entity) of_tally; /* in gpd_tally.entities, if @tally */
	struct gpd_tally *tally; /* of its group, NULL = it has none, or is not counted */
	struct gpd_sums tallied; /* what it had before it had its group */
};

/* The switch that a node carries out. */
struct gpd_switch {
	LIST_HEAD(, gpd_member) waiting; /* members whose orders are not answered */
	uint64_t start_ns;		 /* when the first order was sent */
	/* When members that do not answer are looked at; U64_MAX = done already. */
	uint64_t check_ns;
	uint64_t silent_ns; /* how long a member may owe an answer before it counts as silent */
	/* When clients without privileges are not waited for any more; U64_MAX = there is none. */
	uint64_t patience_ns;
};

/* A client that carried out an order. */
struct gpd_heard {
	uint64_t client; /* its number, 0 = none */
	uint64_t at_ns;	 /* when it last did */
};

/* A GPU. */
struct gpd_node {
	struct gpd *d;
	u32 index;	 /* of the core */
	uint32_t gpu_id; /* as amdkfd names it; 1..N for simulated ones */
	/* As the driver shows it; of a simulated one its place among these and a name. */
	struct gpreempt_node about;
	bool simulated;			     /* no GPU, only simulated clients */
	bool enabled;			     /* scheduled */
	bool by_hand;			     /* its policy was changed at run time */
	const struct gpd_node_ops *ops;	     /* what schedules it */
	struct gpd_module_node *module_view; /* what was read of it then */
	/* Why it was put out of scheduling by the daemon, "" = it was not. */
	char out_reason[GPD_NOTE_LEN];
	LIST_HEAD(, gpd_entity) entities;
	uint32_t nr_queues;	 /* of all of them, that the core knows */
	uint32_t nr_busy;	 /* entities with a queue that has work */
	struct gp_groups groups; /* those that others may join */
	sd_event_source *timer;	 /* for the core and for members that do not answer */
	sd_event_source *reset;	 /* tells of resets, NULL = nothing does */
	struct gp_act act;	 /* what the core wants of it */
	struct gpd_switch sw;	 /* the switch in flight */
	/* Members that owe an answer that no switch waits for, see gpd_late.c. */
	TAILQ_HEAD(, gpd_member) taken;
	sd_event_source *taken_timer; /* looks at these when they are late */
	uint64_t answer_ns; /* what clients need to carry out an order, 0 = not known */
	/* The last two clients that carried out an order, the newer one first. */
	struct gpd_heard heard[2];
	uint32_t nr_held;     /* members held by the scheduler */
	bool is_unmapped;     /* the driver may have left all queues of the node unmapped */
	uint64_t unmapped_ns; /* when that was said */
	u64 unmapped_by;      /* the account that said so */
	bool unmapped_by_two; /* another account said so too */
	uint64_t nudge_ns;    /* when a process of another user may be nudged again */
	uint64_t waves_ns;    /* when the driver may be asked for waves again */
	/* Claims of users that no other user has confirmed. */
	struct gpd_said said[GPD_CLAIM_COUNT];
	/* The account that alone had it put out, GP_GROUP_NO_USER = none alone. */
	u64 out_by;
	uint64_t nr_no_progress; /* resumes after which nothing moved */
	struct gp_hist decision; /* from reading a message to the first HOLD it caused */
	struct gp_hist fanout;	 /* from the first order of a switch to its last answer */
	LIST_HEAD(, gpd_class_waits) class_waits; /* how long the work of each class waited */
};

/* A way to get and to lose a client. */
struct gpd_mech_ops {
	const char *name; /* for people */
	/* An order was not answered in time; NULL = the core's deadline is enough. */
	void (*late)(struct gpd_client *c);
	/* The client goes: free what the mechanism added; NULL = nothing to do. */
	void (*stop)(struct gpd_client *c);
};

enum gpd_client_state {
	GPD_CLIENT_NEW,		/* connected, has not said HELLO */
	GPD_CLIENT_KNOWN,
	GPD_CLIENT_DEAD,	/* waits to be reaped */
};

/* The way up from a process to the nearest of its parents that has a grant; all zero at first. */
struct gpd_climb {
	pid_t pid;	       /* of the process */
	uint64_t start_time;   /* when it began */
	uint64_t era;	       /* gpd_grants.era when it was begun */
	pid_t next;	       /* parent that is read next, 0 = the way is done */
	uint64_t child_time;   /* when the one below it began */
	uint32_t nr;	       /* that were read */
	struct gpd_grant *grant; /* that was found */
};

/* One connection that can stop the queues of one process. */
struct gpd_client {
	LIST_ENTRY(gpd_client) link;	  /* in gpd.clients */
	LIST_ENTRY(gpd_client) of_user;	  /* in gpd_user.clients */
	TAILQ_ENTRY(gpd_client) of_dead;	  /* in gpd.dead, if it is dead */
	LIST_ENTRY(gpd_client) of_throttled; /* in gpd.throttled, if it is */
	LIST_ENTRY(gpd_client) of_judged; /* in gpd.judged, until it is left alone */
	TAILQ_ENTRY(gpd_client) of_barred; /* in gpd.barred, if it is */
	/* In gpd.clients_by_pid, of a client that has said HELLO. */
	struct gp_tree_node by_pid;
	struct gpd_user *user; /* whose budgets it takes from */
	struct gpd *d;
	sd_event_source *io; /* its socket in the loop */
	int fd;
	enum gpd_client_state state;
	uint64_t number;		/* the daemon's number for it */
	const struct gpd_mech_ops *ops; /* mechanism, NULL before HELLO */
	void *mech_data;		/* the mechanism's own */
	struct gpd_cred cred;		/* the other end */
	pid_t pid;			/* process whose queues it stops */
	struct gpd_owner owner;		/* owner of that process */
	uint64_t start_time;		/* of the process, in clock ticks since boot; 0 = unknown */
	char comm[WIRE_NAME_LEN];	/* name of the program */
	uint32_t sees;			/* WIRE_SEES_* */
	uint64_t blind_ns; /* when the driver last showed a queue that it never told, 0 = never */
	struct gpd_attrs attrs;
	bool by_hand; /* attributes were set over the control socket */
	struct gpd_climb way;	 /* to its grant, before HELLO is read */
	struct gpd_grant *grant; /* most that it may be, NULL = what every process may */
	struct gpd_cgroup *cgroup; /* nearest of which something is said, NULL = none */
	LIST_HEAD(, gpd_queue) queues;
	struct gp_tree queues_by_id; /* the same in the order of node and number */
	uint32_t nr_queues;
	LIST_HEAD(, gpd_member) members;
	struct gpd_bucket messages; /* limit of messages */
	struct gpd_bucket edges;    /* limit of edges */
	/* Edges are kept back until the timer of the daemon passes them on. */
	bool throttled;
	/* Orders in a row that were not answered in time. */
	uint32_t nr_missed;
	bool mute;				 /* left alone as it does not answer */
	bool barred;				 /* it answers, but was silent too often */
	uint64_t barred_ns;			 /* when it is looked at again, if so */
	bool refused;				 /* said that it cannot be stopped */
	uint32_t nr_failed;			 /* orders in a row that failed */
	char notes[GPD_NOTES_MAX][GPD_NOTE_LEN]; /* newest last */
	uint32_t nr_notes;
};

/* A place in the order of clients, see gpd_client_after(). */
struct gpd_place {
	pid_t pid;
	uint64_t number;
};

/* Which metrics: the second without users, groups and cgroups, which are the host's to know. */
enum gpd_metrics_of {
	GPD_METRICS_ALL,
	GPD_METRICS_NODES,
	GPD_METRICS_KINDS
};

/* Metrics as they were a short time ago. */
struct gpd_metrics {
	char *text;	  /* NULL = not made yet */
	char *reply;	  /* the same as a reply of the control socket */
	uint64_t made_ns; /* when */
};

/* A way round all clients, see gpd_round_next(). */
struct gpd_round {
	struct gpd_place at; /* client that was looked at last */
	uint64_t lap;
};

/* The daemon. */
struct gpd {
	sd_event *event;
	const struct gpd_process_ops *ops; /* what schedules processes, but for simulated ones */
	struct gpd_config *config;	   /* configuration in force */
	const struct gpd_options *options; /* command line, for reading the configuration again */
	struct gp_sched *sched;
	void *sched_mem;		     /* its memory */
	struct gpd_node node[GPD_NODES_MAX]; /* nodes */
	uint32_t nr_nodes;
	uint32_t max_nodes;	     /* how many the core has room for */
	uint64_t look_ns;	     /* when the driver may be asked for new nodes again */
	LIST_HEAD(, gpd_user) users; /* users */
	/* What users without privileges have of each budget. */
	uint64_t nr_used[GPD_BUDGET_COUNT];
	uint64_t nr_used_privileged[GPD_BUDGET_COUNT]; /* what the others have */
	/* Processor time when it began what it does for a user. */
	int64_t began_ns;
	struct gpd_owner own; /* namespaces of the daemon */
	LIST_HEAD(, gpd_client) clients;
	/* Those that have said HELLO; of one process the newest first. */
	struct gp_tree clients_by_pid;
	uint32_t nr_clients;  /* how many, the dead included */
	uint64_t next_client; /* number of the next */
	uint64_t epoch;	      /* of the last order to any client */
	/* When the message was read that is being handled, 0 = none. */
	uint64_t rx_ns;
	LIST_HEAD(, gpd_member) held; /* members held by the scheduler */
	sd_event_source *renew;	      /* renews leases; on only while something is held */
	LIST_HEAD(, gpd_client) throttled; /* clients whose edges are kept back */
	/* Clients that are to be left alone; not empty inside of gpd_silent.c only. */
	LIST_HEAD(, gpd_client) judged;
	/* Clients that are taken in again after a time, the first one first. */
	TAILQ_HEAD(, gpd_client) barred;
	sd_event_source *unbar; /* takes them in; on only while there are some */
	TAILQ_HEAD(, gpd_client) dead; /* clients that are to be freed, the first one first */
	sd_event_source *reap;	      /* frees them; on only while there are some */
	/* Looks whether busy queues are still there, a few at a time; on only during a pass. */
	sd_event_source *look;
	struct gpd_place looked;      /* up to which in this pass */
	/* Passes on edges that were kept back; on only while there are some. */
	sd_event_source *throttle;
	struct gpd_listener listener;	   /* client socket */
	struct gpd_control *control;	   /* control socket and its connections */
	struct gpd_events *events;	   /* for those that monitor, NULL = none has yet */
	struct gpd_holds *holds;	   /* holds by hand */
	struct gpd_cgroups *cgroups;	   /* those with a share */
	struct gpd_grants *grants;	   /* what processes may be that are no clients yet */
	struct gpd_tallies *tallies;	   /* totals of groups */
	struct gpd_gangs *gangs;	   /* groups that are one over all nodes */
	/* Answers that a Suspend or Resume waits for, see gpd_suspend.c. */
	struct gp_tree suspended;
	struct gpd_module *module;	 /* the scheduler in the kernel */
	struct gpd_state *state;	 /* what survives a restart */
	LIST_HEAD(, gpd_tracer) tracers; /* tracer processes */
	/* Looks for processes to trace; on only if the configuration says so. */
	sd_event_source *dbg_auto;
	struct gpd_http *http;		/* metrics over HTTP, NULL = off */
	/* For users that ask often, by enum gpd_metrics_of. */
	struct gpd_metrics metrics[GPD_METRICS_KINDS];
	uint64_t start_ns;		/* when it began */
	char last_exit[GPD_NOTE_LEN];	/* how the daemon before this one ended, "" = not known */
	char exit_reason[GPD_NOTE_LEN]; /* why the loop ends */
	uint64_t nr_dropped;		/* clients that were dropped */
	uint64_t nr_refused;		/* clients that were not let in */
	uint64_t nr_messages;		/* messages of clients */
};

/* What it remembers of nodes, clients and groups; tests make a daemon of it that is never run. */
int gpd_daemon_tables(struct gpd *d);
void gpd_daemon_free_tables(struct gpd *d);

/* Be the daemon until it is told to stop; it owns the configuration. 0 or -errno. */
int gpd_daemon_run(const struct gpd_options *options, struct gpd_config *config);

#endif
