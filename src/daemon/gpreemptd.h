/* SPDX-License-Identifier: MIT */
/*
 * DOC: The objects of gpreemptd
 *
 * 1. struct gpd is the daemon: one thread, one sd-event loop, one scheduler.
 * 2. It has nodes (one per gpu_id) and clients (one per connection that speaks
 *    mechanism/wire.h: a shim, a tracer, a simulated client).
 * 3. A client has queues. Its compute queues on one node are a member.
 * 4. A member belongs to an entity, which is what the core schedules: a member of
 *    its own, or all members of one user, one group and the same attributes on that node.
 * 5. A switch of the core is carried out as orders (HOLD, RELEASE) to all members
 *    of its entities; see engine.h.
 * 6. Nodes that the kernel module schedules are not the core's (module.h).
 * 7. Control connections (control.h) ask and change; holds by hand (gpd_hold.h) are theirs.
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

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#include "daemon/gpd_config.h"

/* Nodes the core can have, and what is kept free for those that appear later. */
#define GPD_NODES_MAX 64
#define GPD_NODES_SPARE 8
/* Most queues one client may tell: as many as amdkfd gives a process. */
#define GPD_CLIENT_QUEUES_MAX 1024
/* Queues and entities that can be scheduled, and queues of one user. */
#define GPD_QUEUES_MAX 32768
#define GPD_ENTITIES_MAX 8192
#define GPD_USER_QUEUES_MAX 4096
/* Silent processes that are remembered of one user. */
#define GPD_SILENT_MAX 8
#define GPD_NOTES_MAX 8
#define GPD_NOTE_LEN 160

#define GPD_NS_PER_MS 1000000ULL
#define GPD_NS_PER_SEC 1000000000ULL

struct gpd;
struct gpd_client;
struct gpd_entity;
struct gpd_member;
struct gpd_node;
struct gpd_conn;
struct gpd_module;
struct gpd_module_node;
struct gpd_node_ops;
struct gpd_process_ops;
struct gpd_user;

/**
 * struct gpd_bucket - a token bucket
 * @tokens: left, in thousandths
 * @last_ns: when it was filled last
 */
struct gpd_bucket {
	uint64_t tokens;
	uint64_t last_ns;
};

/**
 * struct gpd_owner - to whom a process belongs
 * @uid: account
 * @is_foreign: it is in another user or pid namespace than the daemon, or that is not known
 * @user_ns: its user namespace, 0 = not known
 * @pid_ns: its pid namespace, 0 = not known
 */
struct gpd_owner {
	uid_t uid;
	bool is_foreign;
	ino_t user_ns;
	ino_t pid_ns;
};

/**
 * struct gpd_cred - the other end of a socket, by SO_PEERCRED
 * @pid: process
 * @start_time: of the process, in clock ticks since boot: the number may outlive it
 * @owner: its effective user when it connected, and its namespaces
 * @gid: its effective group
 * @privileged: in the daemon's namespaces, and root, the daemon's own user, or a member of
 *	the configured group
 */
struct gpd_cred {
	pid_t pid;
	uint64_t start_time;
	struct gpd_owner owner;
	gid_t gid;
	bool privileged;
};

/* What a user has a budget of, see user.h. */
enum gpd_budget {
	GPD_BUDGET_CLIENTS,
	GPD_BUDGET_CONNECTIONS,
	GPD_BUDGET_QUEUES,
	GPD_BUDGET_ENTITIES,
	GPD_BUDGET_HOLDS,
	GPD_BUDGET_MONITORS,
	GPD_BUDGET_TRACERS,
	GPD_BUDGET_COUNT
};

/**
 * struct gpd_silence - a process that did not answer
 * @pid: process
 * @start_time: of the process
 * @at_ns: when it was left alone last
 * @nr: how often in a row, without a minute in between; 0 = never
 * @is_owed: it has not answered since
 */
struct gpd_silence {
	pid_t pid;
	uint64_t start_time;
	uint64_t at_ns;
	uint32_t nr;
	bool is_owed;
};

/**
 * struct gpd_user - an account
 * @link: in gpd.users
 * @d: daemon
 * @uid: account
 * @privileged: without a budget
 * @nr_refs: clients, connections and tracers
 * @event: loop of its sockets: the daemon's own, or one inside of it
 * @io: @event in the daemon's loop, NULL = it is the daemon's own
 * @clients: its clients
 * @conns: its control connections
 * @nr_used: what is used of the budgets
 * @logs: limit of lines in the log
 * @notes: limit of notes that concern others
 * @silent: the last processes that did not answer
 * @work_ns: processor time that is left
 * @filled_ns: when @work_ns was filled last
 * @is_resting: nothing is done for it until @rest
 * @rest: ends a rest
 */
struct gpd_user {
	LIST_ENTRY(gpd_user) link;
	struct gpd *d;
	uid_t uid;
	bool privileged;
	uint32_t nr_refs;
	sd_event *event;
	sd_event_source *io;
	LIST_HEAD(, gpd_client) clients;
	LIST_HEAD(, gpd_conn) conns;
	uint64_t nr_used[GPD_BUDGET_COUNT];
	struct gpd_bucket logs;
	struct gpd_bucket notes;
	struct gpd_silence silent[GPD_SILENT_MAX];
	int64_t work_ns;
	uint64_t filled_ns;
	bool is_resting;
	sd_event_source *rest;
};

/* What a user may say of a node that concerns others, see trust.h. */
enum gpd_claim {
	GPD_CLAIM_RESET,
	GPD_CLAIM_NO_PROGRESS,
	GPD_CLAIM_FAILED,
	GPD_CLAIM_MAPPED,
	GPD_CLAIM_COUNT
};

/**
 * struct gpd_said - what the last users said of a node
 * @uid: account
 * @at_ns: when, 0 = never
 */
struct gpd_said {
	uid_t uid;
	uint64_t at_ns;
};

/**
 * struct gpd_attrs - the attributes of a process
 * @core: what the core knows
 * @klass: name of the class
 * @group: name of the group, "" = none
 */
struct gpd_attrs {
	struct gp_attr core;
	char klass[WIRE_NAME_LEN];
	char group[WIRE_NAME_LEN];
};

/**
 * struct gpd_queue - a queue of a client
 * @link: in gpd_client.queues
 * @by_id: in gpd_client.queues_by_id
 * @client: whose it is
 * @member: of a compute queue on a node that is scheduled, else NULL
 * @told: what the client said
 * @busy: has work, as the client said last
 * @shown: what the core was told: false as well while it is held by hand
 * @core_id: of the core, GP_ID_NONE if it is not scheduled
 * @manual: held by hand, alone or with its member
 * @seen_ns: when the driver last showed it; 0 = it need not
 */
struct gpd_queue {
	LIST_ENTRY(gpd_queue) link;
	struct gp_tree_node by_id;
	struct gpd_client *client;
	struct gpd_member *member;
	struct wire_queue told;
	bool busy;
	bool shown;
	bool manual;
	uint64_t seen_ns;
	u64 core_id;
};

/**
 * struct gpd_member - the compute queues of one client on one node
 * @of_client: in gpd_client.members
 * @of_entity: in gpd_entity.members
 * @of_held: in gpd.held, if it is held
 * @of_switch: in gpd_switch.waiting, if an answer is awaited
 * @client: client
 * @node: node
 * @entity: entity
 * @nr_queues: compute queues
 * @held: the scheduler's HOLD was sent and no RELEASE since
 * @order_epoch: epoch of the newest HOLD or RELEASE
 * @owed_epoch: the same, 0 = it is answered
 * @order_ns: when it was sent
 * @wait_epoch: epoch of the order of the switch in flight, 0 = none awaited
 * @wait_index: its entity's place in that switch
 * @wait_release: that order is a RELEASE
 * @is_released: a RELEASE was sent, and nothing was heard since of what came of it
 * @nr_no_progress: resumes in a row after which nothing moved
 */
struct gpd_member {
	LIST_ENTRY(gpd_member) of_client;
	LIST_ENTRY(gpd_member) of_entity;
	LIST_ENTRY(gpd_member) of_held;
	LIST_ENTRY(gpd_member) of_switch;
	struct gpd_client *client;
	struct gpd_node *node;
	struct gpd_entity *entity;
	uint32_t nr_queues;
	bool held;
	uint64_t order_epoch;
	uint64_t owed_epoch;
	uint64_t order_ns;
	uint64_t wait_epoch;
	uint32_t wait_index;
	bool wait_release;
	bool is_released;
	uint32_t nr_no_progress;
};

/**
 * struct gpd_entity - what the core schedules
 * @link: in gpd_node.entities
 * @members: its members, never empty
 * @node: node
 * @id: of the core; its cookie is this struct
 * @since_ns: when its state changed last
 * @group: what all members have in common
 * @user: whose budget it takes from
 */
struct gpd_entity {
	LIST_ENTRY(gpd_entity) link;
	LIST_HEAD(, gpd_member) members;
	struct gpd_node *node;
	u64 id;
	uint64_t since_ns;
	struct gp_group group;
	struct gpd_user *user;
};

/**
 * struct gpd_switch - the switch that a node carries out
 * @waiting: members whose orders are not answered
 * @start_ns: when the first order was sent
 * @check_ns: when members that do not answer are looked at; U64_MAX = done already
 */
struct gpd_switch {
	LIST_HEAD(, gpd_member)
	waiting;
	uint64_t start_ns;
	uint64_t check_ns;
};

/**
 * struct gpd_heard - a client that carried out an order
 * @client: its number, 0 = none
 * @at_ns: when it last did
 */
struct gpd_heard {
	uint64_t client;
	uint64_t at_ns;
};

/**
 * struct gpd_node - a GPU
 * @d: daemon
 * @index: of the core
 * @gpu_id: as amdkfd names it; 1..N for simulated ones
 * @topology: number of its topology node, or its place among the simulated
 * @name: for people, "" = unknown
 * @simulated: no GPU, only simulated clients
 * @gfx_target: 0 = unknown
 * @nr_xcc: 0 = unknown
 * @nr_cu: 0 = unknown
 * @cwsr: 1 yes, 0 no, -1 unknown
 * @enabled: scheduled
 * @by_hand: its policy was changed at run time
 * @ops: what schedules it
 * @module_view: what was read of it then
 * @out_reason: why it was put out of scheduling by the daemon, "" = it was not
 * @entities: entities
 * @groups: those that others may join
 * @timer: for the core and for members that do not answer
 * @reset: tells of resets, NULL = nothing does
 * @act: what the core wants of it
 * @sw: the switch in flight
 * @heard: the last two clients that carried out an order, the newer one first
 * @nr_held: members held by the scheduler
 * @is_unmapped: the driver may have left all queues of the node unmapped
 * @unmapped_ns: when that was said
 * @unmapped_by: the account that said so, see gpd_trust_account()
 * @unmapped_by_two: another account said so too
 * @nudge_ns: when a process of another user may be nudged again
 * @waves_ns: when the driver may be asked for waves again
 * @said: claims of users that no other user has confirmed
 * @out_by: the account that alone had the node put out, GP_GROUP_NO_USER = it was not one alone
 * @nr_no_progress: resumes after which nothing moved
 * @decision: from reading a message to the first HOLD it caused
 * @fanout: from the first order of a switch to its last answer
 */
struct gpd_node {
	struct gpd *d;
	u32 index;
	uint32_t gpu_id;
	uint32_t topology;
	char name[64];
	bool simulated;
	uint32_t gfx_target;
	uint32_t nr_xcc;
	uint32_t nr_cu;
	int cwsr;
	bool enabled;
	bool by_hand;
	const struct gpd_node_ops *ops;
	struct gpd_module_node *module_view;
	char out_reason[GPD_NOTE_LEN];
	LIST_HEAD(, gpd_entity) entities;
	struct gp_groups groups;
	sd_event_source *timer;
	sd_event_source *reset;
	struct gp_act act;
	struct gpd_switch sw;
	struct gpd_heard heard[2];
	uint32_t nr_held;
	bool is_unmapped;
	uint64_t unmapped_ns;
	u64 unmapped_by;
	bool unmapped_by_two;
	uint64_t nudge_ns;
	uint64_t waves_ns;
	struct gpd_said said[GPD_CLAIM_COUNT];
	u64 out_by;
	uint64_t nr_no_progress;
	struct gp_hist decision;
	struct gp_hist fanout;
};

/**
 * struct gpd_mech_ops - a way to get and to lose a client
 * @name: for people
 * @late: an order was not answered in time; NULL = the core's deadline is enough
 * @stop: the client goes; frees what the mechanism added; NULL = nothing to do
 */
struct gpd_mech_ops {
	const char *name;
	void (*late)(struct gpd_client *c);
	void (*stop)(struct gpd_client *c);
};

enum gpd_client_state {
	GPD_CLIENT_NEW,		/* connected, has not said HELLO */
	GPD_CLIENT_KNOWN,
	GPD_CLIENT_DEAD,	/* waits to be reaped */
};

/**
 * struct gpd_client - one connection that can stop the queues of one process
 * @link: in gpd.clients
 * @of_user: in gpd_user.clients
 * @of_dead: in gpd.dead, if it is dead
 * @of_judged: in gpd.judged, until it is left alone
 * @by_pid: in gpd.clients_by_pid, of a client that has said HELLO
 * @user: whose budgets it takes from
 * @d: daemon
 * @io: its socket in the loop
 * @fd: its socket
 * @state: enum gpd_client_state
 * @number: the daemon's number for it
 * @ops: mechanism, NULL before HELLO
 * @mech_data: the mechanism's own
 * @cred: the other end
 * @pid: process whose queues it stops
 * @owner: owner of that process
 * @start_time: of the process, in clock ticks since boot; 0 = unknown
 * @comm: name of the program
 * @sees: WIRE_SEES_*
 * @is_blind: the driver had queues of its process that it never told, see list_other.h
 * @attrs: attributes
 * @by_hand: attributes were set over the control socket
 * @queues: queues
 * @queues_by_id: the same in the order of node and number
 * @nr_queues: how many
 * @members: members
 * @messages: limit of messages
 * @edges: limit of edges
 * @throttled: edges are kept back until the timer of the daemon passes them on
 * @nr_missed: orders in a row that were not answered in time
 * @mute: left alone as it does not answer
 * @refused: said that it cannot be stopped
 * @nr_failed: orders in a row that failed
 * @notes: newest last
 * @nr_notes: how many
 */
struct gpd_client {
	LIST_ENTRY(gpd_client) link;
	LIST_ENTRY(gpd_client) of_user;
	LIST_ENTRY(gpd_client) of_dead;
	LIST_ENTRY(gpd_client) of_judged;
	struct gp_tree_node by_pid;
	struct gpd_user *user;
	struct gpd *d;
	sd_event_source *io;
	int fd;
	enum gpd_client_state state;
	uint64_t number;
	const struct gpd_mech_ops *ops;
	void *mech_data;
	struct gpd_cred cred;
	pid_t pid;
	struct gpd_owner owner;
	uint64_t start_time;
	char comm[WIRE_NAME_LEN];
	uint32_t sees;
	bool is_blind;
	struct gpd_attrs attrs;
	bool by_hand;
	LIST_HEAD(, gpd_queue) queues;
	struct gp_tree queues_by_id;
	uint32_t nr_queues;
	LIST_HEAD(, gpd_member) members;
	struct gpd_bucket messages;
	struct gpd_bucket edges;
	bool throttled;
	uint32_t nr_missed;
	bool mute;
	bool refused;
	uint32_t nr_failed;
	char notes[GPD_NOTES_MAX][GPD_NOTE_LEN];
	uint32_t nr_notes;
};

/**
 * struct gpd_place - a place in the order of clients, see gpd_client_after()
 * @pid: process
 * @number: client
 */
struct gpd_place {
	pid_t pid;
	uint64_t number;
};

/**
 * struct gpd - the daemon
 * @event: loop
 * @ops: what schedules processes, but for simulated ones
 * @config: configuration in force
 * @options: command line, for reading the configuration again
 * @sched: scheduler
 * @sched_mem: its memory
 * @node: nodes
 * @nr_nodes: how many
 * @max_nodes: how many the core has room for
 * @look_ns: when the driver may be asked for new nodes again
 * @users: users
 * @nr_used: what users without privileges have of each budget
 * @nr_used_privileged: what the others have
 * @began_ns: processor time when it began what it does for a user
 * @own: namespaces of the daemon
 * @clients: clients
 * @clients_by_pid: those that have said HELLO; of one process the newest first
 * @nr_clients: how many, the dead included
 * @next_client: number of the next
 * @epoch: of the last order to anybody
 * @rx_ns: when the message was read that is being handled, 0 = none
 * @held: members held by the scheduler
 * @renew: renews leases; on only while something is held
 * @judged: clients that are to be left alone; not empty inside of gpd_silent.c only
 * @dead: clients that are to be freed
 * @reap: frees them; on only while there are some
 * @look: looks at clients; on only during a pass
 * @looked: up to which in this pass
 * @throttle: passes on edges that were kept back; on only while there are some
 * @client_listen: listening socket
 * @client_listen_io: in the loop
 * @control: control socket and its connections
 * @holds: holds by hand
 * @suspended: answers that a Suspend or Resume waits for, see gpd_suspend.c
 * @module: the scheduler in the kernel
 * @state: what survives a restart
 * @tracers: tracer processes
 * @dbg_auto: looks for processes to trace; on only if the configuration says so
 * @http: metrics over HTTP, NULL = off
 * @metrics: text for users that ask often, NULL = none has yet
 * @metrics_ns: when it was made
 * @start_ns: when it began
 * @last_exit: how the daemon before this one ended, "" = not known
 * @exit_reason: why the loop ends
 * @nr_dropped: clients that were dropped
 * @nr_refused: clients that were not let in
 * @nr_messages: messages of clients
 */
struct gpd {
	sd_event *event;
	const struct gpd_process_ops *ops;
	struct gpd_config *config;
	const struct gpd_options *options;
	struct gp_sched *sched;
	void *sched_mem;
	struct gpd_node node[GPD_NODES_MAX];
	uint32_t nr_nodes;
	uint32_t max_nodes;
	uint64_t look_ns;
	LIST_HEAD(, gpd_user) users;
	uint64_t nr_used[GPD_BUDGET_COUNT];
	uint64_t nr_used_privileged[GPD_BUDGET_COUNT];
	int64_t began_ns;
	struct gpd_owner own;
	LIST_HEAD(, gpd_client) clients;
	struct gp_tree clients_by_pid;
	uint32_t nr_clients;
	uint64_t next_client;
	uint64_t epoch;
	uint64_t rx_ns;
	LIST_HEAD(, gpd_member) held;
	sd_event_source *renew;
	LIST_HEAD(, gpd_client) judged;
	LIST_HEAD(, gpd_client) dead;
	sd_event_source *reap;
	sd_event_source *look;
	struct gpd_place looked;
	sd_event_source *throttle;
	int client_listen;
	sd_event_source *client_listen_io;
	struct gpd_control *control;
	struct gpd_holds *holds;
	struct gp_tree suspended;
	struct gpd_module *module;
	struct gpd_state *state;
	LIST_HEAD(, gpd_tracer) tracers;
	sd_event_source *dbg_auto;
	struct gpd_http *http;
	char *metrics;
	uint64_t metrics_ns;
	uint64_t start_ns;
	char last_exit[GPD_NOTE_LEN];
	char exit_reason[GPD_NOTE_LEN];
	uint64_t nr_dropped;
	uint64_t nr_refused;
	uint64_t nr_messages;
};

#endif
