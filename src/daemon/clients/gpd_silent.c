// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_silent.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_engine.h"
#include "daemon/clients/gpd_fanout.h"
#include "daemon/clients/gpd_member.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_util.h"

/* Deadlines in a row after which a client is left alone. */
#define MISSED_MAX 2

/* A client that carried out an order in this time shows that the GPU does. */
#define HEARD_NS (60 * GPD_NS_PER_SEC)

void gpd_silent_heard(struct gpd_member *m)
{
	struct gpd_heard *h = m->node->heard;

	if (h[0].client != m->client->number)
		h[1] = h[0];
	h[0].client = m->client->number;
	h[0].at_ns = gpd_now_ns();
}

/* Two are known, so that one is not the member itself. */
static bool others_answer(const struct gpd_member *m)
{
	const struct gpd_heard *h = m->node->heard;

	if (h->client == m->client->number)
		h++;
	return h->client && gpd_now_ns() - h->at_ns < HEARD_NS;
}

static bool is_stopped(const struct gpd_client *c)
{
	struct gpd_proc proc;

	return !gpd_proc_read(c->pid, &proc) && (proc.state == 'T' || proc.state == 't');
}

/* A member that owes an answer: is it its own fault? */
static void look_at(struct gpd_member *m)
{
	struct gpd_client *c = m->client;

	if (c->ops->late) {
		c->ops->late(c);
		return;
	}
	if (is_stopped(c))
		gpd_client_note(c, "is stopped and does not answer");
	else if (others_answer(m))
		gpd_client_note(c, "does not answer, and others do");
	else if (!gpd_trust_claim(m->node, GPD_CLAIM_FAILED, c))
		gpd_client_note(c, "does not answer, and no other user has trouble");
	else
		return;
	c->nr_missed = MISSED_MAX;
	if (!m->wait_release)
		gpd_member_let_go_all(m->entity);
	gpd_fanout_answered(m, gpd_trust_result(m, GP_RESULT_BUSY));
}

/* The daemon itself may be late: answers that are there already count. */
static void hear_all(struct gpd_node *n)
{
	struct gpd_client *c;
	struct gpd_member *m;

	LIST_FOREACH(c, &n->d->clients, link) {
		m = gpd_engine_member(c, n);
		if (m && m->wait_epoch)
			gpd_client_poll(c);
	}
}

static void look_at_silent(struct gpd_node *n)
{
	uint64_t seq = n->sw.seq;
	struct gpd_entity *e;
	struct gpd_member *m;

	hear_all(n);
	if (n->sw.seq != seq)
		return;
	n->sw.check_ns = U64_MAX;
	LIST_FOREACH(e, &n->entities, link)
		LIST_FOREACH(m, &e->members, of_entity)
			if (m->wait_epoch)
				look_at(m);
}

/* The core is about to see that its deadline is over. */
static void count_missed(struct gpd_node *n)
{
	struct gpd_entity *e;
	struct gpd_member *m;

	LIST_FOREACH(e, &n->entities, link)
		LIST_FOREACH(m, &e->members, of_entity)
			if (m->wait_epoch) {
				m->client->nr_missed++;
				gpd_client_note(m->client, "did not answer in time");
			}
}

void gpd_silent_mute(struct gpd *d)
{
	struct gpd_client *c;

	LIST_FOREACH(c, &d->clients, link) {
		bool mute = c->nr_missed >= MISSED_MAX;

		if (c->state != GPD_CLIENT_KNOWN || mute == c->mute)
			continue;
		c->mute = mute;
		gpd_client_note(c, mute ? "left alone until it answers" : "answers again");
		gpd_engine_attrs(c);
	}
}

void gpd_silent_timer(struct gpd_node *n)
{
	struct gpd *d = n->d;
	uint64_t now_ns = gpd_now_ns();
	uint64_t seq;

	if (n->sw.seq && now_ns >= n->sw.check_ns)
		look_at_silent(n);
	gpd_fanout_settle(n);
	if (now_ns >= n->core_timer_ns) {
		seq = n->sw.seq;
		n->core_timer_ns = U64_MAX;
		if (seq && n->sw.check_ns == U64_MAX)
			count_missed(n);
		gp_sched_timer(d->sched, n->index, now_ns, &d->out);
		gpd_fanout_settle(n);
	}
	gpd_silent_mute(d);
}
