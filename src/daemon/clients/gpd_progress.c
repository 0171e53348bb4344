// SPDX-License-Identifier: MIT
#include "daemon/gpd_engine.h"
#include "daemon/clients/gpd_client.h"
#include "driver/discover.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"

#include <inttypes.h>
#include <stdio.h>

/* Processes of another user that are nudged: one in this time. */
#define NUDGE_NS GPD_NS_PER_SEC
/* After this the driver has mapped all again for another reason, or the word was not true. */
#define UNMAPPED_NS (60 * GPD_NS_PER_SEC)
/* How often the driver is asked for waves of a process of another user. */
#define WAVES_NS (100 * GPD_NS_PER_MS)

/* Whether a process has waves on a node, as the driver sees it; -1 = not known. */
static int has_waves(const struct gpd_client *c, uint32_t gpu_id)
{
	uint64_t nr;

	if (drv_discover_occupancy(NULL, (uint32_t)c->pid, gpu_id, &nr))
		return -1;
	return nr > 0;
}

/* Twice nothing moved. Others are affected if one of them says the same. */
static void stands_still(struct gpd_member *m)
{
	struct gpd_client *c = m->client;
	struct gpd_node *n = m->node;
	bool by_two = gpd_trust_claim(n, GPD_CLAIM_NO_PROGRESS, c);
	char reason[GPD_NOTE_LEN];

	m->nr_no_progress = 0;
	if (!n->enabled || (!by_two && !gpd_trust_is_alone(n, c)))
		return;
	snprintf(reason, sizeof(reason), "process %d made no progress after it was continued twice",
		 (int)c->pid);
	gpd_engine_put_out(n, reason);
	n->out_by = by_two ? GP_GROUP_NO_USER : c->owner.account;
}

void gpd_progress_note(struct gpd_client *c, uint32_t gpu_id, bool moved)
{
	struct gpd_node *n = gpd_nodes_find(c->d, gpu_id);
	struct gpd_member *m = n ? gpd_member_find(c, n) : NULL;
	int waves;

	/* Once for each release. */
	if (!m || m->held || !m->is_released)
		return;
	m->is_released = false;
	if (moved) {
		m->nr_no_progress = 0;
		return;
	}
	if (!gpd_user_may_note(c->user))
		return;
	/* A kernel may run for longer than the pointers are watched. */
	waves = n->simulated ? 0 : has_waves(c, gpu_id);
	if (waves > 0) {
		m->nr_no_progress = 0;
		return;
	}
	n->nr_no_progress++;
	gpd_client_note(c, "node %" PRIu32 ": no progress after it was continued%s", gpu_id,
			waves < 0 ? " (waves not known)" : "");
	if (waves < 0)
		return;
	if (!m->nr_no_progress++)
		gpd_engine_nudge(m);
	else
		stands_still(m);
}

void gpd_progress_join(struct gpd_node *n, const struct gpd_client *c)
{
	if (n->out_by == GP_GROUP_NO_USER || n->out_by == c->owner.account)
		return;
	gpd_log(LOG_INFO, "node %" PRIu32 ": scheduled again, another user has come", n->gpu_id);
	gpd_engine_set_enabled(n, true);
}

/* A process of another user: if the driver sees nothing of it run, or two users said so. */
static bool may_nudge_other(struct gpd_member *m)
{
	struct gpd_node *n = m->node;
	uint64_t now_ns = gpd_now_ns();

	if (now_ns < n->nudge_ns)
		return false;
	if (!n->unmapped_by_two) {
		if (n->simulated || now_ns < n->waves_ns)
			return false;
		n->waves_ns = now_ns + WAVES_NS;
		if (has_waves(m->client, n->gpu_id))
			return false;
	}
	n->nudge_ns = now_ns + NUDGE_NS;
	return true;
}

static bool has_work(const struct gpd_member *m)
{
	const struct gpd_queue *q;

	LIST_FOREACH(q, &m->client->queues, link)
		if (q->member == m && q->shown)
			return true;
	return false;
}

/* One that is held and released maps all. Its own user's first; of others one with work. */
static void nudge_one(struct gpd_client *c, struct gpd_node *n)
{
	struct gpd_client *other;
	struct gpd_entity *e;
	struct gpd_member *m;

	LIST_FOREACH(other, &c->user->clients, of_user) {
		m = other == c ? NULL : gpd_member_find(other, n);
		if (m && !other->refused) {
			gpd_engine_nudge(m);
			return;
		}
	}
	LIST_FOREACH(e, &n->entities, link)
		LIST_FOREACH(m, &e->members, of_entity)
			if (m->client != c && !m->client->refused && has_work(m)) {
				if (may_nudge_other(m))
					gpd_engine_nudge(m);
				return;
			}
}

void gpd_progress_reset(struct gpd_client *c, uint32_t gpu_id)
{
	struct gpd_node *n = gpd_nodes_find(c->d, gpu_id);

	if (!n || c->refused || !gpd_member_find(c, n))
		return;
	gpd_client_note(c, "cannot be stopped: a queue of it on node %" PRIu32 " was reset",
			n->gpu_id);
	c->refused = true;
	gpd_engine_attrs(c);
	if (!gpd_user_may_note(c->user))
		return;
	n->unmapped_by_two = gpd_trust_claim(n, GPD_CLAIM_RESET, c);
	n->unmapped_by = c->owner.account;
	n->unmapped_ns = gpd_now_ns();
	n->is_unmapped = true;
	nudge_one(c, n);
}

void gpd_progress_done(struct gpd_member *m, const struct wire_done *done)
{
	struct gpd_node *n = m->node;
	struct gpd_client *c = m->client;

	if (!n->is_unmapped || c->refused || !done->nr_cycles || done->error)
		return;
	/* What was done for another user is believed as what it says is. */
	if (c->owner.account == n->unmapped_by ||
	    gpd_trust_claim(n, GPD_CLAIM_MAPPED, c))
		n->is_unmapped = false;
}

void gpd_progress_busy(struct gpd_queue *q)
{
	struct gpd_node *n = q->member ? q->member->node : NULL;

	if (!n || !n->is_unmapped || !q->busy || q->client->refused)
		return;
	if (gpd_now_ns() - n->unmapped_ns > UNMAPPED_NS)
		n->is_unmapped = false;
	else if (q->client->owner.account == n->unmapped_by ||
		 may_nudge_other(q->member))
		gpd_engine_nudge(q->member);
}
