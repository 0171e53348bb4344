// SPDX-License-Identifier: MIT
#include "daemon/gpd_engine.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"

/* Deadlines in a row after which a client is left alone. */
#define MISSED_MAX 2
/* How often in a row a process is taken in again at once when it answers. */
#define SILENT_MAX 3
#define SILENT_NS (60 * GPD_NS_PER_SEC)

/* A client that carried out an order in this time shows that the GPU does. */
#define HEARD_NS (60 * GPD_NS_PER_SEC)

static bool is_recent(const struct gpd_silence *s)
{
	return s->nr && gpd_now_ns() - s->at_ns < SILENT_NS;
}

/* What is known of a process; it may have connected anew. */
static struct gpd_silence *silence_of(const struct gpd_client *c)
{
	struct gpd_silence *s;

	for (s = c->user->silent; s < c->user->silent + GPD_SILENT_MAX; s++)
		if (s->nr && s->pid == c->pid && s->start_time == c->start_time)
			return s;
	return NULL;
}

static struct gpd_silence *oldest(struct gpd_user *u)
{
	struct gpd_silence *s = u->silent;
	int i;

	for (i = 1; i < GPD_SILENT_MAX; i++)
		if (u->silent[i].at_ns < s->at_ns)
			s = &u->silent[i];
	return s;
}

/* It is silent again and again, or many processes of its user are. */
static bool is_habit(const struct gpd_client *c)
{
	const struct gpd_silence *s = silence_of(c);

	return (s && s->nr >= SILENT_MAX && is_recent(s)) ||
	       (!c->user->privileged && is_recent(oldest(c->user)));
}

static void remember(const struct gpd_client *c)
{
	struct gpd_silence *s = silence_of(c);
	uint32_t nr = s && is_recent(s) ? s->nr : 0;

	if (!s)
		s = oldest(c->user);
	*s = (struct gpd_silence){
		.pid = c->pid,
		.start_time = c->start_time,
		.at_ns = gpd_now_ns(),
		.nr = nr + 1,
		.is_owed = true,
	};
}

void gpd_silent_forget(struct gpd_client *c)
{
	if (c->barred)
		TAILQ_REMOVE(&c->d->barred, c, of_barred);
	c->barred = false;
}

static void set_mute(struct gpd_client *c, bool mute)
{
	if (c->state != GPD_CLIENT_KNOWN || mute == c->mute)
		return;
	gpd_silent_forget(c);
	c->mute = mute;
	if (mute)
		remember(c);
	gpd_client_note(c, mute ? "left alone until it answers" : "answers again");
	gpd_engine_attrs(c);
}

/* Not at once: its members would move while those of the node are looked at. */
static void miss(struct gpd_client *c, uint32_t nr)
{
	bool is_judged = c->nr_missed >= MISSED_MAX;

	c->nr_missed += nr;
	if (!is_judged && c->nr_missed >= MISSED_MAX)
		LIST_INSERT_HEAD(&c->d->judged, c, of_judged);
}

static void judge(struct gpd *d)
{
	struct gpd_client *c;

	while ((c = LIST_FIRST(&d->judged))) {
		LIST_REMOVE(c, of_judged);
		set_mute(c, true);
	}
}

/* It answers: no edge of it need come again, and yet it is not left alone for good. */
static void bar(struct gpd_client *c)
{
	struct gpd *d = c->d;

	if (c->barred || c->state != GPD_CLIENT_KNOWN)
		return;
	c->barred = true;
	c->barred_ns = gpd_now_ns() + SILENT_NS;
	TAILQ_INSERT_TAIL(&d->barred, c, of_barred);
	if (!gpd_timer_is_on(d->unbar))
		gpd_timer_set(d->unbar, TAILQ_FIRST(&d->barred)->barred_ns);
}

int gpd_silent_unbar(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd *d = data;
	struct gpd_client *c = TAILQ_FIRST(&d->barred);

	if (c && gpd_now_ns() >= c->barred_ns) {
		gpd_silent_forget(c);
		gpd_user_begin(c->user);
		if (c->mute && !c->nr_missed && is_habit(c))
			bar(c);
		else if (c->mute && !c->nr_missed)
			set_mute(c, false);
		gpd_user_end(c->user);
	}
	c = TAILQ_FIRST(&d->barred);
	if (c)
		gpd_timer_set(s, c->barred_ns);
	return 0;
}

void gpd_silent_hello(struct gpd_client *c)
{
	const struct gpd_silence *s = silence_of(c);

	if (!(s && s->is_owed) && !is_habit(c))
		return;
	c->mute = true;
	c->nr_missed = MISSED_MAX;
	gpd_client_note(c, "left alone until it answers: it did not before");
}

void gpd_silent_busy(struct gpd_queue *q)
{
	struct gpd_client *c = q->client;

	if (!c->mute || !q->member)
		return;
	/* What holds nothing has nothing to release, but answers. */
	if (c->nr_missed && !q->member->order_epoch)
		gpd_member_order(q->member, true);
	else if (!c->nr_missed && !is_habit(c))
		set_mute(c, false);
}

/* A client carried out an order: one that does not is to blame itself. */
static void heard(struct gpd_node *n, const struct gpd_client *c)
{
	struct gpd_heard *h = n->heard;

	if (h[0].client != c->number)
		h[1] = h[0];
	h[0].client = c->number;
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

/* A member that owes an answer: is it its own fault, and not that of the GPU? */
static bool is_to_blame(struct gpd_member *m)
{
	struct gpd_client *c = m->client;

	if (is_stopped(c))
		gpd_client_note(c, "is stopped and does not answer");
	else if (others_answer(m))
		gpd_client_note(c, "does not answer, and others do");
	else if (!gpd_trust_claim(m->node, GPD_CLAIM_FAILED, c))
		gpd_client_note(c, "does not answer, and no other user has trouble");
	else
		return false;
	return true;
}

static void look_at(struct gpd_member *m)
{
	struct gpd_client *c = m->client;

	if (c->ops->late) {
		c->ops->late(c);
		return;
	}
	if (!is_to_blame(m))
		return;
	miss(c, MISSED_MAX);
	if (!m->wait_release)
		gpd_fanout_failed(m);
	gpd_fanout_answered(m, gpd_trust_result(m, GP_RESULT_BUSY));
}

static bool is_same(const struct gpd_node *n, uint64_t seq)
{
	return n->act.is_switching && n->act.sw.seq == seq;
}

/*
 * The daemon itself may be late: answers that are there already count. An answer takes none but
 * its own member out of the list, unless it is the last.
 */
static void hear_all(struct gpd_node *n, uint64_t seq)
{
	struct gpd_member *m;
	struct gpd_member *next;

	for (m = LIST_FIRST(&n->sw.waiting); m && is_same(n, seq); m = next) {
		next = LIST_NEXT(m, of_switch);
		gpd_client_poll(m->client);
	}
}

static void look_at_silent(struct gpd_node *n)
{
	uint64_t seq = n->act.sw.seq;
	struct gpd_member *m;
	struct gpd_member *next;

	hear_all(n, seq);
	if (!is_same(n, seq))
		return;
	n->sw.check_ns = U64_MAX;
	for (m = LIST_FIRST(&n->sw.waiting); m; m = next) {
		next = LIST_NEXT(m, of_switch);
		look_at(m);
	}
}

static void look_at_slow(struct gpd_node *n)
{
	uint64_t seq = n->act.sw.seq;

	hear_all(n, seq);
	if (is_same(n, seq))
		gpd_late_look(n);
}

/* Where the GPU is to blame, a client of root shows it. */
static void give_up(struct gpd_member *m)
{
	gpd_late_forget(m);
	if (m->client->ops->late) {
		m->client->ops->late(m->client);
		return;
	}
	is_to_blame(m);
	miss(m->client, MISSED_MAX);
	judge(m->node->d);
	/* The core has it as stopped. */
	gpd_engine_again(m);
}

/* In the time of its user. */
static void look_at_taken(struct gpd_node *n, struct gpd_member *m)
{
	struct gpd_user *user = gpd_user_ref(m->client->user);
	uint64_t epoch = m->taken_epoch;

	gpd_user_begin(user);
	/* The daemon itself may be late. */
	gpd_client_poll(m->client);
	if (m == TAILQ_FIRST(&n->taken) && m->taken_epoch == epoch)
		give_up(m);
	gpd_user_end(user);
	gpd_user_put(user);
}

/* Answers that no switch waits for, one a turn: a user may owe as many as it has clients. */
int gpd_silent_taken(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd_node *n = data;
	struct gpd_member *m = TAILQ_FIRST(&n->taken);

	if (m && gpd_now_ns() >= m->taken_ns) {
		look_at_taken(n, m);
		gpd_fanout_settle(n);
	}
	m = TAILQ_FIRST(&n->taken);
	if (m)
		gpd_timer_set(s, m->taken_ns);
	return 0;
}

/* The core is about to see that its deadline is over. */
static void count_missed(struct gpd_node *n)
{
	struct gpd_member *m;

	LIST_FOREACH(m, &n->sw.waiting, of_switch)
	{
		miss(m->client, 1);
		gpd_client_note(m->client, "did not answer in time");
	}
}

/* Orders in a row that a client without privileges may fail. */
#define ERRORS_MAX 3
#define BUSY_MAX 16

/* A client that fails again and again is left alone: it cannot be stopped. */
static void count_failure(struct gpd_client *c, const struct wire_done *done)
{
	uint32_t max = done->result == WIRE_ERROR ? ERRORS_MAX : BUSY_MAX;

	c->nr_failed = done->result == WIRE_OK ? 0 : c->nr_failed + 1;
	if (c->nr_failed < max || c->refused || c->user->privileged)
		return;
	gpd_client_note(c, "left alone: its orders fail");
	c->refused = true;
	gpd_engine_attrs(c);
}

void gpd_silent_done(struct gpd_member *m, const struct wire_done *done, bool is_awaited)
{
	struct gpd_client *c = m->client;
	struct gpd_silence *s = silence_of(c);

	c->nr_missed = 0;
	if (s)
		s->is_owed = false;
	if (c->mute && is_habit(c))
		bar(c);
	else if (c->mute)
		set_mute(c, false);
	if (!is_awaited)
		return;
	if (done->result == WIRE_OK)
		heard(m->node, c);
	count_failure(c, done);
}

int gpd_silent_timer(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd_node *n = data;
	uint64_t now_ns = gpd_now_ns();

	if (n->act.is_switching && now_ns >= n->sw.patience_ns)
		look_at_slow(n);
	if (n->act.is_switching && now_ns >= n->sw.check_ns)
		look_at_silent(n);
	gpd_fanout_settle(n);
	if (n->act.is_switching && n->sw.check_ns == U64_MAX && now_ns >= n->act.timer_ns)
		count_missed(n);
	gp_act_timer(&n->act);
	gpd_fanout_settle(n);
	judge(n->d);
	return 0;
}
