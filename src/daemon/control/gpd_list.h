/* SPDX-License-Identifier: MIT */
/*
 * What the daemon knows, as JSON of the control interface. Each returns a new
 * reference, or NULL out of memory.
 */
#ifndef GPD_LIST_H
#define GPD_LIST_H

#include "daemon/gpreemptd.h"

#include <jansson.h>

/* The reply of GetInfo. */
json_t *gpd_list_info(struct gpd *d, const struct gpd_cred *cred);

/* Arrays of Node, Setting. */
json_t *gpd_list_nodes(struct gpd *d);
json_t *gpd_list_settings(struct gpd *d);

/* Reply with the Processes, with the Queues (of one process, or 0), piece by piece. */
void gpd_list_processes(struct gpd_conn *conn);
void gpd_list_queues(struct gpd_conn *conn, pid_t pid);

/* Array of NodeStatistics, of one node or 0. */
json_t *gpd_list_statistics(struct gpd *d, uint32_t gpu_id);

/**
 * struct gpd_totals - a process over all its nodes
 * @state: the one that matters most
 * @nr_queues: queues
 * @nr_busy: queues with work, also those held by hand
 * @nr_preempted: as of the core, here and below
 * @run_ns: same
 * @off_ns: same
 * @off_max_ns: same
 * @sched: held by the scheduler
 * @manual: held by hand
 */
struct gpd_totals {
	enum gp_entity_state state;
	uint32_t nr_queues;
	uint32_t nr_busy;
	uint64_t nr_preempted;
	uint64_t run_ns;
	uint64_t off_ns;
	uint64_t off_max_ns;
	bool sched;
	bool manual;
};

/* The state of that process in a word, what holds it, and which state matters more. */
const char *gpd_list_state_name(const struct gpd_totals *t);
json_t *gpd_list_held(bool sched, bool manual);
bool gpd_list_outweighs(enum gp_entity_state a, enum gp_entity_state b);

/* A Process, Attributes. */
json_t *gpd_list_process(struct gpd_client *c);
json_t *gpd_list_attributes(const struct gpd_attrs *attrs);

#endif
