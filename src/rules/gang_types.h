/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The structs behind rules/gang.h, private to it. Everything lives in the block of memory
 * that was given to gp_gangs_init().
 */
#ifndef GP_RULES_GANG_TYPES_H
#define GP_RULES_GANG_TYPES_H

#include "core/sched_gang.h"
#include "rules/gang.h"

#define GP_GANG_NONE 0xffffffffU
/* Cookie of the work in no gang, in the scheduler of a set. */
#define GP_GANG_LOCAL U64_MAX

/* Lists of gangs, in the order of gp_gang.since_ns. */
enum gp_gang_list {
	GP_GANG_LISTS_NONE,
	GP_GANG_AWAY,	 /* a rank is away, and the gang has not made room yet */
	GP_GANG_PAUSES,	 /* it has made room, and tries again after a while */
	GP_GANG_LISTS
};

/* An entity of a gang. */
struct gp_rank {
	struct gp_tree_node by_id; /* in gp_gangs.ranks */
	u64 id;			   /* its entity */
	u32 node;		   /* its node */
	u32 gang;		   /* its gang, or the next free rank */
	u32 next;		   /* next rank of the gang */
	u8 gate;		   /* enum gp_gate, as its node was told */
	bool has_work;		   /* as its node told */
	bool is_out;		   /* the same */
	bool is_settled;	   /* the same */
	bool keeps;		   /* of a stalled gang: its gate stays open */
};

/* A gang. */
struct gp_gang {
	struct gp_group group; /* key */
	u64 id;		       /* in the scheduler of its set */
	u64 queue;	       /* its queue there */
	u32 first;	       /* first rank */
	u32 set;	       /* its set of nodes */
	u64 nodes;	       /* bit mask of the nodes with a rank */
	u32 nr_ranks;	       /* ranks */
	u32 nr_work;	       /* of these, with work */
	u32 nr_away;	       /* of these, off the GPU though the gate is open */
	u32 nr_unsettled;      /* ranks that are not where their gates want them */
	bool live;	       /* slot in use */
	bool is_dirty;	       /* in gp_gangs.dirty: gates are to be told */
	bool is_busy;	       /* the scheduler of its set knows it as one with work */
	bool is_stalled;       /* made room as a rank is kept off */
	u8 list;	       /* enum gp_gang_list */
	u64 since_ns;	       /* in that list since then */
	u32 next_dirty;	       /* next in gp_gangs.dirty, or next free gang */
	u32 next;	       /* in @list */
	u32 prev;
};

/* Nodes that gangs connect; its number is that of the lowest. */
struct gp_gang_set {
	u32 nr_gangs;	     /* gangs; 0 = it is none */
	u64 nodes;	     /* bit mask */
	u32 config_seq;	     /* of the lowest node, as it was taken over last */
	bool has_config;     /* it was */
	bool is_switching;   /* @sw is not carried out yet */
	struct gp_switch sw; /* what the scheduler of the set wants */
	u64 patience_ns;     /* how long nodes may take to carry it out */
	u64 stall_ns;	     /* how long ranks stay while another one is away */
	u64 deadline_ns;     /* when that counts as carried out whatever the nodes say */
	u64 timer_ns;	     /* when it wants to be asked */
	u64 local;	     /* entity of the work in no gang, GP_ID_NONE = none */
	u64 local_queue;     /* its queue */
	bool local_busy;     /* it has work */
};

struct gp_gangs {
	struct gp_gangs_config config;
	struct gp_sched *up;		/* the scheduler of sets; a node of it is a set */
	struct gp_actions acts;		/* its output */
	struct gp_gangs_stats stats;
	struct gp_groups groups;	/* gangs by key */
	struct gp_tree ranks;		/* ranks by node and id */
	struct gp_gang *gang;
	struct gp_rank *rank;
	u32 free_gang;
	u32 free_rank;
	u32 dirty;			/* gangs whose gates are to be told */
	struct {
		u32 first;
		u32 last;
	} list[GP_GANG_LISTS];
	u64 now_ns;
	u64 noisy;			/* bit mask of nodes where a rank came */
	u32 set_of[GP_GANG_NODES_MAX];	/* for each node */
	u64 weight[GP_GANG_NODES_MAX];	/* of each node: work in no gang */
	struct gp_gang_set set[GP_GANG_NODES_MAX];
};

/* gang_run.c */

/* Carry out what an event of the scheduler of a set has caused. */
void gp_gang_act(struct gp_gangs *g, u32 set);

/* The gates of a gang may have to be others. */
void gp_gang_mark(struct gp_gangs *g, struct gp_gang *gang);

/* Take over policy and parameters of the lowest node of a set. */
void gp_gang_configure(struct gp_gangs *g, u32 set, struct gp_act *a);

/* Tell the scheduler of a set whether a gang has work that can be done. */
void gp_gang_tell(struct gp_gangs *g, struct gp_gang *gang);

/* Tell it what work in no gang there is. */
void gp_gang_tell_local(struct gp_gangs *g, u32 set);

/* What a rank counts for in its gang: before (-1) and after (+1) it changes. */
void gp_gang_count(struct gp_gang *gang, const struct gp_rank *r, int sign);

/* Look whether a rank of the gang is away. */
void gp_gang_look(struct gp_gangs *g, struct gp_gang *gang);

/* Put a gang at the end of a list, and take it out of the other. */
void gp_gang_enlist(struct gp_gangs *g, struct gp_gang *gang, enum gp_gang_list list);

static inline u32 gp_gang_index(const struct gp_gangs *g, const struct gp_gang *gang)
{
	return (u32)(gang - g->gang);
}

/* The rank that an entity is, NULL if it is none. */
struct gp_rank *gp_rank_find(const struct gp_gangs *g, u32 node, u64 id);

#endif
