/* SPDX-License-Identifier: MIT */
/*
 * DOC: The ladder of the first run on a GPU
 *
 * Rungs from harmless to demanding. Each is done by a process of its own, which is ended at its
 * deadline, so that amdkfd takes back whatever it had; the first that fails is the last. A rung
 * reports by memory that it shares with the one that started it.
 */
#ifndef GP_KIT_LADDER_H
#define GP_KIT_LADDER_H

#include "kit/kit_kernel.h"
#include "kit/kit_way.h"

enum kit_result {
	KIT_OK,
	KIT_SKIP, /* this machine lacks it, which is no fault */
	KIT_FAIL,
	KIT_RESULTS
};

extern const char *const kit_result_names[KIT_RESULTS];

/* A measured distribution. */
#define KIT_SAMPLES 512
#define KIT_SERIES 48

struct kit_series {
	char name[32];
	u64 bytes;	/* that are saved, 0 = none */
	u32 waves;	/* that run */
	u32 nr;	/* samples */
	u64 ns[KIT_SAMPLES];	/* sorted when the rung is over */
};

/* What a rung says. */
struct kit_report {
	enum kit_result result;
	char text[KIT_TEXT];
	char remedy[KIT_TEXT];
	u64 ns;	/* it took */
	u64 stops;	/* preemptions with work */
	u64 waves;	/* most that were stopped at a time */
	bool is_refused;	/* for the sake of others: it says nothing of the GPU */
	u32 nr_series;
	struct kit_series series[KIT_SERIES];
};

/* What all rungs are told. */
struct kit_climb {
	const char *root;	/* prefix of sysfs, NULL = none */
	const struct drv_node *nodes;	/* all there are */
	size_t nr_nodes;
	const struct drv_node *node;
	bool is_shared; /* others may use the GPU meanwhile */
	u32 fill;	/* percent of the GPU that is filled at most */
	u32 count;	/* how often what is measured is repeated */
	u32 ways;	/* bits of enum kit_way_id that have been climbed */
};

/**
 * struct kit_rung - a rung
 * @name: word
 * @doc: what it does, for people
 * @seconds: deadline
 * @run: does it; what it does not say is KIT_OK
 * @ways: bits of enum kit_way_id that can be used after it
 * @is_alone: only while no other process has a queue on the device, unless they may
 */
struct kit_rung {
	const char *name;
	const char *doc;
	u32 seconds;
	void (*run)(const struct kit_climb *c, struct kit_report *r);
	u32 ways;
	bool is_alone;
};

/* The rungs that need no more than this library, in their order; ends with a name NULL. */
extern const struct kit_rung kit_rungs[];

/* Says how a rung ended. @format: as printf; @remedy: NULL = nothing to do. */
void kit_say(struct kit_report *r, enum kit_result result, const char *remedy,
	     const char *format, ...) __attribute__((format(printf, 4, 5)));

/**
 * kit_climb_rung() - do a rung
 * @c: what it is told; gets the ways
 * @rung: rung
 * @r: output
 */
void kit_climb_rung(struct kit_climb *c, const struct kit_rung *rung, struct kit_report *r);

/**
 * kit_is_alone() - may something be stopped now?
 * @c: what all rungs are told
 * @nr_own: queues that the caller has on the GPU
 * @r: says why not
 *
 * Not while another process has a queue on the device, of which a reset takes all partitions,
 * unless it may.
 */
bool kit_is_alone(const struct kit_climb *c, u32 nr_own, struct kit_report *r);

/* kit_cost.c: the last rung. */
void kit_rung_cost(const struct kit_climb *c, struct kit_report *r);

/* kit_stage.c: what most rungs begin with. */
struct kit_stage {
	struct kit_gpu gpu;
	struct kit_queue q;
	struct kit_code code;
	struct kit_hand hand;
};

/* The kernels for this GPU, or NULL: said why. */
const struct kit_object *kit_stage_object(const struct kit_climb *c, struct kit_report *r);

/* False: said why. */
bool kit_stage_open(struct kit_stage *s, const struct kit_climb *c, enum kit_way_id way,
		    struct kit_report *r);

/* Workgroups of a kernel that fill so many percent of the GPU; one an XCC at least. */
u32 kit_stage_groups(const struct kit_climb *c, enum kit_kernel kernel, u32 percent);

/* Saved bytes of a workgroup, as AMD's handler lays them out. */
u64 kit_stage_group_bytes(enum kit_kernel kernel);

/* Starts a kernel and waits for the first step of each wave. False: said why. */
bool kit_stage_start(struct kit_stage *s, struct kit_run *run, struct kit_report *r);

/* Ends it, waits, and compares. False: said why. */
bool kit_stage_end(struct kit_run *run, struct kit_report *r);

/* @err of kit_way_*(), in words with a remedy. */
void kit_stage_fail(const struct kit_hand *h, int err, struct kit_report *r);

#endif
