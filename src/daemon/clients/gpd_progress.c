// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_progress.h"
#include "daemon/clients/gpd_client.h"
#include "driver/discover.h"
#include "daemon/gpd_engine.h"
#include "daemon/clients/gpd_mech.h"
#include "daemon/gpd_nodes.h"
#include "daemon/gpd_util.h"

#include <inttypes.h>
#include <stdio.h>

/* Compute units a process fills now; -1 = not known. */
static int occupancy(const struct gpd_client *c, uint32_t gpu_id)
{
	uint64_t nr;

	if (gp_discover_occupancy(NULL, (uint32_t)c->pid, gpu_id, &nr))
		return -1;
	return nr > 0;
}

void gpd_progress_note(struct gpd_client *c, uint32_t gpu_id, bool moved)
{
	struct gpd_node *n = gpd_nodes_find(c->d, gpu_id);
	struct gpd_member *m = n ? gpd_engine_member(c, n) : NULL;
	char reason[GPD_NOTE_LEN];
	int waves;

	/* Once for each release: nobody can talk a node out of scheduling. */
	if (!m || m->held || !m->is_released)
		return;
	m->is_released = false;
	if (moved) {
		m->nr_no_progress = 0;
		return;
	}
	/* A kernel may run for longer than anybody watches its pointers. */
	waves = n->simulated ? 0 : occupancy(c, gpu_id);
	if (waves > 0) {
		m->nr_no_progress = 0;
		return;
	}
	n->nr_no_progress++;
	gpd_client_note(c, "node %" PRIu32 ": no progress after it was continued%s", gpu_id,
			waves < 0 ? " (waves not known)" : "");
	if (waves < 0)
		return;
	if (!m->nr_no_progress++) {
		gpd_engine_nudge(m);
		return;
	}
	snprintf(reason, sizeof(reason), "process %d made no progress after it was continued twice",
		 (int)c->pid);
	m->nr_no_progress = 0;
	if (n->enabled)
		gpd_engine_put_out(n, reason);
}

void gpd_progress_reset(struct gpd_client *c, uint32_t gpu_id)
{
	struct gpd_node *n = gpd_nodes_find(c->d, gpu_id);
	struct gpd_client *other;
	struct gpd_member *m;

	if (!n || c->refused || !gpd_engine_member(c, n))
		return;
	gpd_client_note(c, "cannot be stopped: a queue of it on node %" PRIu32 " was reset",
			n->gpu_id);
	c->refused = true;
	gpd_engine_attrs(c);
	n->is_unmapped = true;
	LIST_FOREACH(other, &c->d->clients, link) {
		m = gpd_engine_member(other, n);
		if (m && other != c)
			gpd_engine_nudge(m);
	}
}

void gpd_progress_done(struct gpd_client *c, const struct gp_wire_done *done)
{
	struct gpd_node *n = gpd_nodes_find(c->d, done->gpu_id);

	if (n && gpd_engine_member(c, n) && !c->refused && done->nr_cycles && !done->error)
		n->is_unmapped = false;
}

void gpd_progress_busy(struct gpd_queue *q)
{
	if (q->busy && q->member && q->member->node->is_unmapped && !q->client->refused)
		gpd_engine_nudge(q->member);
}
