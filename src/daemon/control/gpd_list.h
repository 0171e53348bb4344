/* SPDX-License-Identifier: MIT */
/*
 * What the daemon knows, as JSON of the control interface. Each returns a new
 * reference, or NULL out of memory.
 */
#ifndef GPD_LIST_H
#define GPD_LIST_H

#include "daemon/gpreemptd.h"

#include <jansson.h>

/* An integer that is null if it is not known, a text that is null if it is empty. */
static inline json_t *gpd_list_known(bool is_known, uint64_t value)
{
	return is_known ? json_integer((json_int_t)value) : json_null();
}

static inline json_t *gpd_list_text(const char *text)
{
	return text[0] ? json_string(text) : json_null();
}

/* The reply of GetInfo. */
json_t *gpd_list_info(struct gpd *d, const struct gpd_cred *cred);

/* Arrays of Node, Setting. */
json_t *gpd_list_nodes(struct gpd *d);
json_t *gpd_list_settings(struct gpd *d);

/* Array of NodeStatistics, of one node or 0. */
json_t *gpd_list_statistics(struct gpd *d, uint32_t gpu_id);

/*
 * Reply with the Processes, with the Queues (of one process, or 0), piece by piece; also with
 * those of the driver that are not under control.
 */
void gpd_list_processes(struct gpd_conn *conn);
void gpd_list_queues(struct gpd_conn *conn, pid_t pid);

struct gpreempt_queue;

/* A Queue whose values came from @source; @by: what says its state and holds, NULL = unknown. */
json_t *gpd_list_queue(const struct gpreempt_queue *q, const char *mechanism, const char *state,
		       const char *source, const char *by);

/* A process over all its nodes. */
struct gpd_totals {
	enum gp_entity_state state; /* the one that matters most */
	uint32_t nr_queues;
	uint32_t nr_busy;      /* queues with work, also those held by hand */
	uint64_t nr_preempted; /* as of the core, here and below */
	uint64_t run_ns;
	uint64_t off_ns;
	uint64_t off_max_ns;
	bool sched;  /* held by the scheduler */
	bool manual; /* held by hand */
};

/* The state of that process in a word, what holds it, and which state matters more. */
const char *gpd_list_state_name(const struct gpd_totals *t);
json_t *gpd_list_held(bool sched, bool manual);
bool gpd_list_outweighs(enum gp_entity_state a, enum gp_entity_state b);

/* A Process, Attributes. is_blind: the driver has queues of it that the client never told. */
json_t *gpd_list_process(struct gpd_client *c, bool is_blind);
json_t *gpd_list_attributes(const struct gpd_attrs *attrs);

#endif
