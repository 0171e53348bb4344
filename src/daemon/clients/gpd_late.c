// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"

/* A client without privileges may need this many times what clients of root need, and this. */
#define PATIENCE_TIMES 4
#define PATIENCE_MIN_NS ((uint64_t)200000)
/* Before it is known what an order takes, and at most: this part of the deadline. */
#define PATIENCE_PART 10
/* An answer changes what is known by this part. */
#define LEARN_PART 8

static uint64_t deadline_of(const struct gpd_node *n)
{
	u64 deadline_ns = 0;

	gp_sched_param_get(n->d->sched, n->index, "deadline_ns", &deadline_ns);
	return deadline_ns;
}

static uint64_t patience_of(const struct gpd_node *n)
{
	uint64_t most_ns = deadline_of(n) / PATIENCE_PART;
	uint64_t few_ns = n->answer_ns * PATIENCE_TIMES;

	if (!n->answer_ns)
		return most_ns;
	few_ns = max(few_ns, PATIENCE_MIN_NS);
	return min(most_ns, few_ns);
}

void gpd_late_begin(struct gpd_node *n)
{
	n->sw.silent_ns = deadline_of(n) / 4 * 3;
	n->sw.check_ns = n->sw.start_ns + n->sw.silent_ns;
	n->sw.patience_ns = U64_MAX;
}

/* An answer that is expected no more is found out when its time comes. */
static void await(struct gpd_member *m)
{
	struct gpd_node *n = m->node;

	TAILQ_INSERT_TAIL(&n->taken, m, of_taken);
	if (!gpd_timer_is_on(n->taken_timer))
		gpd_timer_set(n->taken_timer, TAILQ_FIRST(&n->taken)->taken_ns);
}

void gpd_late_take(struct gpd_member *m)
{
	if (!m->wait_epoch)
		return;
	if (!m->taken_epoch) {
		m->taken_epoch = m->order_epoch;
		m->taken_ns = m->order_ns + m->node->sw.silent_ns;
		await(m);
	}
	gpd_fanout_answered(m, GP_RESULT_OK);
}

void gpd_late_forget(struct gpd_member *m)
{
	if (m->taken_epoch)
		TAILQ_REMOVE(&m->node->taken, m, of_taken);
	m->taken_epoch = 0;
}

void gpd_late_ordered(struct gpd_member *m)
{
	struct gpd_switch *sw = &m->node->sw;

	if (m->client->user->privileged)
		return;
	if (gpd_user_is_slow(m->client->user))
		gpd_late_take(m);
	else if (sw->patience_ns == U64_MAX)
		sw->patience_ns = m->order_ns + patience_of(m->node);
}

/* What users say makes the patience with them shorter, never longer. */
void gpd_late_learn(struct gpd_member *m)
{
	struct gpd_node *n = m->node;
	bool is_root = m->client->user->privileged;
	uint64_t took_ns = max(gpd_now_ns() - m->order_ns, (uint64_t)1);

	if (!n->answer_ns && (is_root || took_ns < patience_of(n) / PATIENCE_TIMES))
		n->answer_ns = took_ns;
	else if (took_ns < n->answer_ns)
		n->answer_ns -= (n->answer_ns - took_ns) / LEARN_PART;
	else if (is_root)
		n->answer_ns += (took_ns - n->answer_ns) / LEARN_PART;
}

void gpd_late_look(struct gpd_node *n)
{
	struct gpd_member *m;
	struct gpd_member *next;

	n->sw.patience_ns = U64_MAX;
	for (m = LIST_FIRST(&n->sw.waiting); m; m = next) {
		next = LIST_NEXT(m, of_switch);
		if (m->client->user->privileged)
			continue;
		gpd_user_was_slow(m->client->user);
		gpd_late_take(m);
	}
}

bool gpd_late_done(struct gpd_member *m, const struct wire_done *done)
{
	if (!m->taken_epoch || done->epoch < m->taken_epoch || done->epoch > m->order_epoch)
		return false;
	gpd_late_forget(m);
	if (done->epoch == m->order_epoch)
		return true;
	/* One of several: those that are left are later orders. */
	m->taken_epoch = done->epoch + 1;
	m->taken_ns = gpd_now_ns() + m->node->sw.silent_ns;
	await(m);
	return true;
}
