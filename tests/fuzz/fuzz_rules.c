// SPDX-License-Identifier: MIT
/*
 * The rules against simple worlds that know the truth. The first byte chooses the rule;
 * the others are what happens.
 *
 *   holds   a plain list, looked through for every question
 *   groups  the same; rights are an order with a few laws
 *   idle    a queue with packets that run, wait, end and are stopped
 *   ending  the longest time to the end and the shortest gap that were seen
 *   elastic the laws of what is left: in steps, never more for more need, within the slack
 *   text    strtold() and what was written is read back
 *   cgroups fnmatch() for patterns; what others say never gives more
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/cgroup.h"
#include "rules/elastic.h"
#include "rules/ending.h"
#include "rules/group.h"
#include "rules/hold.h"
#include "rules/idle.h"
#include "rules/pressure.h"
#include "rules/right.h"
#include "rules/text.h"

#define MUST(cond)                                                          \
	do {                                                                \
		if (!(cond)) {                                              \
			fprintf(stderr, "line %d: %s\n", __LINE__, #cond); \
			abort();                                            \
		}                                                           \
	} while (0)

struct input {
	const u8 *data;
	size_t size;
};

static u8 take(struct input *in)
{
	if (!in->size)
		return 0;
	in->size--;
	return *in->data++;
}

/* Holds. */

#define HOLDS 64U
#define BUDGET 7U

struct hold_world {
	struct gp_holds set;
	struct gp_hold hold[HOLDS];
	bool is_in[HOLDS];
	u64 now_ns;
};

#define each_hold(w, i) for ((i) = 0; (i) < HOLDS; (i)++) if ((w)->is_in[i])

static struct gp_hold_target target_of(u8 b)
{
	static const u64 queues[] = { 0, 1, GP_HOLD_ALL, GP_HOLD_ALL - 1 };

	return (struct gp_hold_target){ b & 3, b >> 2 & 1, queues[b >> 3 & 3] };
}

static u64 owner_of(u8 b)
{
	static const u64 owners[] = { 0, 1, 2, U64_MAX };

	return owners[b & 3];
}

static bool is_same(const struct gp_hold_target *a, const struct gp_hold_target *b)
{
	return a->process == b->process && a->node == b->node && a->queue == b->queue;
}

static void hold_drop(struct hold_world *w, struct gp_hold *h)
{
	MUST(w->is_in[h - w->hold]);
	gp_holds_drop(&w->set, h);
	w->is_in[h - w->hold] = false;
}

static void hold_add(struct hold_world *w, u32 at, u8 what, u8 who)
{
	struct gp_hold *h = &w->hold[at];
	u32 i, nr_user = 0;
	bool is_there = false;
	int ret;

	if (w->is_in[at]) {
		gp_holds_renew(&w->set, h, who & 0x80 ? GP_HOLD_FOREVER : w->now_ns + who);
		return;
	}
	*h = (struct gp_hold){ .target = target_of(what), .owner = owner_of(who),
			       .user = who >> 2 & 1, .until_ns = w->now_ns + what };
	each_hold(w, i) {
		nr_user += w->hold[i].user == h->user;
		is_there |= w->hold[i].owner == h->owner &&
			    is_same(&w->hold[i].target, &h->target);
	}
	ret = gp_holds_add(&w->set, h);
	MUST(ret == (is_there ? -EEXIST : nr_user >= BUDGET ? -ENOSPC : 0));
	w->is_in[at] = !ret;
}

static void hold_ask(const struct hold_world *w, u8 what, u8 who)
{
	struct gp_hold_target t = target_of(what), all = t;
	u32 i, nr_on = 0, nr_all = 0, nr_user = 0, nr_of = 0, nr_process = 0, nr = 0;
	u64 next_ns = U64_MAX;
	struct gp_hold *h;

	all.queue = GP_HOLD_ALL;
	each_hold(w, i) {
		h = (struct gp_hold *)&w->hold[i];
		nr++;
		nr_on += is_same(&h->target, &t);
		nr_all += is_same(&h->target, &all);
		nr_user += h->user == (who >> 2 & 1);
		nr_of += h->owner == owner_of(who);
		nr_process += h->target.process == t.process && h->target.node == t.node;
		next_ns = min(next_ns, h->until_ns);
	}
	MUST(gp_holds_nr(&w->set) == nr);
	MUST(gp_holds_nr_on(&w->set, &t) == nr_on);
	MUST(gp_holds_covers(&w->set, &t) == (nr_on || nr_all));
	MUST(gp_holds_nr_of_user(&w->set, who >> 2 & 1) == nr_user);
	MUST(gp_holds_next_ns(&w->set) == next_ns);
	for (h = gp_holds_first_of(&w->set, owner_of(who)); h; h = gp_holds_next_of(h))
		nr_of--;
	for (h = gp_holds_first_on(&w->set, t.process, t.node); h; h = gp_holds_next_on(h))
		nr_process--;
	for (h = gp_holds_first(&w->set); h; h = gp_holds_next(h))
		nr--;
	MUST(!nr_of && !nr_process && !nr);
}

static void fuzz_holds(struct input *in)
{
	struct hold_world w = { .now_ns = 1 };
	struct gp_hold *h;

	gp_holds_init(&w.set, BUDGET);
	while (in->size) {
		u8 op = take(in), what = take(in), who = take(in);

		switch (op & 3) {
		case 0:
		case 1:
			hold_add(&w, op >> 2, what, who);
			break;
		case 2:
			if (w.is_in[op >> 2])
				hold_drop(&w, &w.hold[op >> 2]);
			while ((what & 7) == 7 && (h = gp_holds_first_of(&w.set, owner_of(who))))
				hold_drop(&w, h);
			break;
		default:
			w.now_ns += what;
			while ((h = gp_holds_expired(&w.set, w.now_ns))) {
				MUST(h->until_ns <= w.now_ns);
				hold_drop(&w, h);
			}
			MUST(gp_holds_next_ns(&w.set) > w.now_ns);
			break;
		}
		hold_ask(&w, what, who);
	}
}

/* Rights and groups. */

#define GROUPS 16U

static void take_attr(struct input *in, struct gp_attr *a)
{
	u8 b = take(in), c = take(in);

	*a = (struct gp_attr){
		.prio = b & 3, .weight = 1 + (b >> 2 & 3), .slice_ns = b >> 4 & 3,
		.deadline_ns = b >> 6, .latency_critical = c & 1, .no_preempt = c >> 1 & 1,
	};
}

static void check_rights(const struct gp_attr *a, const struct gp_attr *b, const struct gp_attr *c)
{
	u32 excess = gp_right_excess(a, b);
	struct gp_attr cut = *a;

	MUST(!gp_right_excess(a, a));
	MUST(excess || gp_right_excess(b, a) || !gp_attr_differs(a, b));
	if (!excess && !gp_right_excess(b, c))
		MUST(!gp_right_excess(a, c));
	gp_attr_copy(&cut, b, excess);
	MUST(!gp_right_excess(&cut, b));
	MUST(gp_attr_differs(&cut, a) == (excess & gp_attr_differs(a, b)));
}

static void fuzz_groups(struct input *in)
{
	struct gp_group group[GROUPS] = {};
	bool is_in[GROUPS] = {};
	struct gp_groups set;
	u32 i;

	gp_groups_init(&set);
	while (in->size) {
		struct gp_group_key key = { 0 };
		struct gp_attr other;
		struct gp_group *found;
		u32 nr = 0;
		u8 b = take(in);

		key.user = b & 0x40 ? GP_GROUP_NO_USER : b & 1;
		key.group = b >> 1 & 1;
		key.is_alone = b >> 7;
		take_attr(in, &key.attr);
		take_attr(in, &other);
		check_rights(&key.attr, &other, &group[b >> 2 & 15].key.attr);
		found = gp_groups_find(&set, &key);
		for (i = 0; i < GROUPS; i++)
			nr += is_in[i] && gp_group_is_one(&group[i].key, &key);
		MUST(nr == !!found && (!found || is_in[found - group]));
		i = b >> 2 & 15;
		if (is_in[i]) {
			gp_groups_remove(&set, &group[i]);
			is_in[i] = false;
		} else {
			group[i].key = key;
			is_in[i] = !gp_groups_add(&set, &group[i]);
			MUST(is_in[i] == !found);
		}
	}
}

/* A queue. */

#define PACKETS 32U
#define MS 1000000ull

struct idle_world {
	struct gp_idle q;
	struct gp_idle_pace pace;
	bool has_signal[PACKETS];
	bool has_ended[PACKETS];
	bool is_running[PACKETS];
	u64 nr, nr_fetched;
	u64 now_ns, moved_ns, sign_ns, ended_ns;
	bool is_crowded, is_stopped, is_blocked, is_busy, sees_room;
};

/* What the packets since the mark say, as gp_aql_end() reads them. */
static enum gp_aql_end end_of(struct idle_world *w)
{
	struct gp_aql_mark *mark = gp_idle_mark(&w->q);
	enum gp_aql_end one = GP_AQL_ENDED, worst = GP_AQL_ENDED;
	u64 i;

	for (i = mark->from; i < w->nr; i++) {
		if (w->has_signal[i] && !w->has_ended[i])
			return GP_AQL_RUNNING;
		one = w->has_signal[i] ? GP_AQL_ENDED : GP_AQL_UNKNOWN;
		worst = min(worst, one);
		if (worst == GP_AQL_ENDED)
			mark->from = i + 1;
	}
	if (worst == GP_AQL_ENDED)
		return GP_AQL_ENDED;
	return one == GP_AQL_ENDED ? GP_AQL_LAST_ENDED : GP_AQL_UNKNOWN;
}

static enum gp_idle_waves waves_of(const struct idle_world *w)
{
	u64 i;

	for (i = 0; i < w->nr; i++)
		if (w->is_running[i] && !w->is_stopped)
			return GP_IDLE_WAVES_SOME;
	if (!w->sees_room)
		return GP_IDLE_WAVES_NONE;
	return w->is_crowded ? GP_IDLE_WAVES_CROWDED : GP_IDLE_WAVES_NONE_BUT_ROOM;
}

static void check_idle(const struct idle_world *w, const struct gp_idle_seen *s, bool was_busy)
{
	u64 quiet_ns = w->now_ns - w->sign_ns;

	MUST(w->q.look_ns > w->now_ns);
	if (w->is_busy || w->is_blocked)
		return;
	MUST(s->rptr == s->wptr);
	MUST(s->waves != GP_IDLE_WAVES_SOME);
	if (!was_busy)
		return;
	MUST(!w->is_stopped);
	MUST(w->now_ns - w->moved_ns >= w->pace.quiet_ns);
	if (s->end == GP_AQL_RUNNING)
		MUST(quiet_ns >= GP_IDLE_ANY_NS);
	if (s->end == GP_AQL_UNKNOWN && !s->ended_ns)
		MUST(quiet_ns >= GP_IDLE_EMPTY_NS && s->waves != GP_IDLE_WAVES_CROWDED);
	if (s->end == GP_AQL_LAST_ENDED)
		MUST(quiet_ns >= GP_IDLE_LAST_NS);
}

static void idle_look(struct idle_world *w)
{
	struct gp_idle_seen s = {
		.now_ns = w->now_ns, .rptr = w->nr_fetched, .wptr = w->nr, .wrap = U64_MAX,
		.ended_ns = w->ended_ns, .is_stopped = w->is_stopped, .is_blocked = w->is_blocked,
	};
	bool was_busy = w->q.has_work, has_moved = s.rptr != w->q.rptr || s.wptr != w->q.wptr;
	enum gp_idle_answer answer;
	u32 nr_asked = 0;

	while ((answer = gp_idle_look(&w->q, &w->pace, &s)) > GP_IDLE_BUSY) {
		MUST(++nr_asked <= 2);
		if (answer == GP_IDLE_ASK_END) {
			MUST(s.end == GP_AQL_NOT_ASKED);
			s.end = end_of(w);
		} else {
			MUST(s.waves == GP_IDLE_WAVES_NOT_ASKED);
			s.waves = waves_of(w);
		}
	}
	if (has_moved || s.rptr != s.wptr)
		w->sign_ns = w->moved_ns = w->now_ns;
	if (s.waves == GP_IDLE_WAVES_SOME)
		w->sign_ns = w->now_ns;
	w->is_busy = answer == GP_IDLE_BUSY;
	check_idle(w, &s, was_busy);
}

static void idle_step(struct idle_world *w, u8 op, u8 arg)
{
	u64 i = w->nr ? arg % w->nr : 0;

	switch (op & 7) {
	case 0:
		if (w->nr < PACKETS)
			w->has_signal[w->nr++] = arg & 1;
		break;
	case 1:
		w->nr_fetched = min(w->nr_fetched + 1 + arg % 4, w->nr);
		break;
	case 2:
		w->is_running[i] = i < w->nr_fetched && !w->has_ended[i] && !w->is_stopped;
		break;
	case 3:
		w->has_ended[i] = i < w->nr_fetched && !w->is_stopped;
		w->is_running[i] &= !w->has_ended[i];
		if (arg & 0x80)
			w->ended_ns = w->now_ns;
		break;
	case 4:
		w->is_stopped = !w->is_stopped;
		if (!w->is_stopped)
			gp_idle_restart(&w->q, &w->pace, w->now_ns);
		w->sign_ns = w->moved_ns = w->now_ns;
		break;
	case 5:
		w->is_crowded = arg & 1;
		w->is_blocked = (arg & 0x0e) == 0x0e;
		break;
	default:
		w->now_ns += (op & 8 ? 10000ull : 1000000ull) * arg;
		break;
	}
}

/* Whatever happened: once everything has ended and there is room, it is known in time. */
static void idle_settle(struct idle_world *w)
{
	u64 until_ns;
	u32 i;

	w->is_crowded = w->is_blocked = false;
	if (w->is_stopped)
		idle_step(w, 4, 0);
	w->nr_fetched = w->nr;
	for (i = 0; i < w->nr; i++) {
		w->has_ended[i] = true;
		w->is_running[i] = false;
	}
	idle_look(w);
	until_ns = w->now_ns + GP_IDLE_ANY_NS + 100 * MS;
	while (w->is_busy && w->now_ns < until_ns) {
		w->now_ns = min(w->q.look_ns, until_ns);
		idle_look(w);
	}
	MUST(!w->is_busy);
}

static void fuzz_idle(struct input *in)
{
	struct idle_world w = { .now_ns = 1000 * MS, .sign_ns = 1000 * MS, .moved_ns = 1000 * MS };
	u8 b = take(in);

	w.sees_room = b & 1;
	w.pace.quiet_ns = (b >> 1 & 3) * 200000ull;
	w.pace.busy_ns = 1 + (b >> 3 & 3) * 500000ull;
	w.pace.busy_max_ns = 5 * MS;
	w.pace.poll_ns = (b >> 5 & 1) * MS;
	w.pace.poll_max_ns = 16 * MS;
	gp_idle_init(&w.q, b >> 6 & 1, w.now_ns);
	while (in->size) {
		u8 op = take(in);

		idle_step(&w, op, take(in));
		if (op & 0x80)
			w.now_ns = max(w.now_ns, w.q.look_ns == U64_MAX ? 0 : w.q.look_ns);
		if (op & 0x10)
			idle_look(&w);
	}
	idle_settle(&w);
}

/* A byte of its own: the inputs of the other parts keep their meaning. */
#define ENDING 0x40
#define ELASTIC 0xf1

/* Ends. Times are any; what is foreseen is never later than the longest that was seen. */

static u64 any_time(struct input *in, u64 now_ns)
{
	u8 b = take(in);

	if (b == 0xff)
		return U64_MAX - take(in);
	if (b == 0xfe)
		return take(in);
	return now_ns + (u64)b * b * 100;
}

static void check_ending(const struct gp_ending *e, u64 longest_ns, u64 now_ns, u64 lead_ns)
{
	u64 nr, at_ns;

	for (nr = 0; nr <= GP_ENDING_PACKETS + 1; nr++) {
		at_ns = gp_ending_at_ns(e, nr, now_ns, lead_ns);
		MUST(at_ns >= now_ns);
		if (at_ns == U64_MAX)
			continue;
		MUST(nr && nr <= GP_ENDING_PACKETS && e->gap_ns >= 2 * lead_ns);
		MUST(at_ns - now_ns <= longest_ns);
	}
}

static void fuzz_ending(struct input *in)
{
	struct gp_ending e = {};
	u64 now_ns = 0, first_ns = 0, longest_ns = 0, index = 0;

	while (in->size) {
		u8 op = take(in);

		now_ns = any_time(in, now_ns);
		if (op % 4 == 0)
			gp_ending_busy(&e, now_ns);
		if (op % 4 == 1) {
			first_ns = e.nr ? min(first_ns, now_ns) : now_ns;
			gp_ending_began(&e, index++, now_ns);
			index += op > 0xf0 ? take(in) : 0;
		}
		if (op % 4 == 2) {
			longest_ns = max(longest_ns, now_ns > first_ns ? now_ns - first_ns : 1);
			gp_ending_quiet(&e, now_ns);
		}
		check_ending(&e, longest_ns, now_ns, (u64)op * 1000);
	}
}

/* Elastic. */

static u32 take_ppm(struct input *in)
{
	u32 a = take(in);

	return a * a * 154;
}

/* What @cus of another cost a kernel at most: all of that is crowding or memory. */
static void check_slack(const struct gp_elastic_gpu *gpu, u32 need, u32 cus)
{
	double others = (double)cus / gpu->nr_cus, left = gpu->nr_cus - cus;
	double crowded = need / left - (double)need / gpu->nr_cus;

	MUST(others * gpu->memory_ppm + crowded * gpu->issue_ppm <= gpu->slack_ppm + 20.0);
}

static void check_elastic(const struct gp_elastic_attr *attr, const struct gp_elastic_gpu *gpu,
			  u32 need, u32 reserved)
{
	u32 most = gp_elastic_most(attr, gpu, reserved);
	u32 cus = gp_elastic_shrink(attr, gpu, need, reserved);

	MUST(most >= gpu->nr_xcc && most <= gpu->nr_cus && cus <= most);
	MUST(!(most % gpu->nr_xcc) && !(cus % gpu->nr_xcc));
	MUST(attr->mode != GP_ELASTIC_OFF || !cus);
	MUST(gp_elastic_shrink(attr, gpu, need + 1, reserved) <= cus);
	if (!cus || need <= reserved)
		return;
	MUST(cus >= attr->floor && (attr->floor || attr->mode != GP_ELASTIC_AUTO ||
				    cus >= gpu->nr_cus / 4) && cus + need <= gpu->nr_cus);
	if (attr->mode == GP_ELASTIC_AUTO)
		check_slack(gpu, need, cus);
}

static void fuzz_elastic(struct input *in)
{
	struct gp_elastic_fill fill = {};
	u32 most = 0;

	while (in->size > 8) {
		u32 nr_xcc = 1 + take(in) % 8, cus = 1 + take(in) * 4;
		struct gp_elastic_gpu gpu = {
			.nr_xcc = nr_xcc,
			.nr_cus = nr_xcc * (1 + take(in) % 128),
			.issue_ppm = take_ppm(in),
			.memory_ppm = take_ppm(in),
			.slack_ppm = take_ppm(in),
		};
		struct gp_elastic_attr attr = {
			.mode = take(in) % GP_ELASTIC_COUNT,
			.floor = take(in),
			.ceiling = take(in),
		};

		most = max(most, cus);
		gp_elastic_learn(&fill, cus);
		MUST(gp_elastic_need(&fill, &gpu) <= gpu.nr_cus);
		MUST(gp_elastic_need(&fill, &gpu) <= most);
		MUST(gp_elastic_need(&fill, &gpu) >= min(cus, gpu.nr_cus));
		check_elastic(&attr, &gpu, gp_elastic_need(&fill, &gpu), take(in));
	}
}

/* Text. */

static void fuzz_text(struct input *in)
{
	char text[64] = {}, again[GP_TEXT_NUMBER_MAX], *end;
	u64 v = 0, back = 0, unit = take(in) & 1 ? GP_TEXT_S : 0;
	long double want;

	memcpy(text, in->data, min(in->size, sizeof(text) - 1));
	if (!gp_text_read_u64(text, 0, U64_MAX, &v)) {
		MUST(v == strtoull(text, &end, 10) && !*end);
		gp_text_u64(v, again);
		MUST(!gp_text_read_u64(again, v, v, &back) && back == v);
	}
	if (!gp_text_read_time(text, unit, &v)) {
		MUST(text[0] >= '0' && text[0] <= '9');
		want = strtold(text, &end) * (long double)(unit ? unit : 1);
		if (!*end)
			MUST((long double)v - want < 2 && want - (long double)v < 2);
		gp_text_time(v, again);
		MUST(!gp_text_read_time(again, 0, &back) && back == v);
		MUST(!gp_text_read_value("a_ns", again, v, v, &back));
	}
	gp_text_read_decimal(text, 1000000, "%", &v);
	gp_text_read_param(text, "1ms", &v, NULL);
	gp_text_unit(text);
}

/* Cgroups. */

static void take_line(struct input *in, char *out, size_t size)
{
	size_t len = 0;
	u8 b;

	while ((b = take(in)) && b != '\n')
		if (len + 1 < size)
			out[len++] = (char)b;
	out[len] = '\0';
}

static void check_said(const struct gp_cgroup_attr *a)
{
	char text[GP_CGROUP_TEXT_MAX];
	struct gp_cgroup_attr back;
	struct gp_share_attr share;
	struct gp_attr attr;
	u32 i;

	gp_cgroup_default(&back);
	for (i = 0; i < GP_CGROUP_COUNT; i++)
		MUST(!gp_cgroup_read(gp_cgroup_name(i), gp_cgroup_text(a, i, text), &back));
	MUST(back.weight == a->weight && back.quota_ns == a->quota_ns &&
	     back.period_ns == a->period_ns && back.latency_ns == a->latency_ns &&
	     back.idle == a->idle);
	gp_cgroup_share(a, &share);
	MUST(gp_share_attr_is_valid(&share));
	gp_attr_default(&attr);
	gp_cgroup_apply(a, &attr);
	MUST(gp_attr_is_valid(&attr) && attr.prio <= GP_PRIO_DEFAULT);
}

static long double part_of(const struct gp_cgroup_attr *a)
{
	return a->quota_ns ? (long double)a->quota_ns / (long double)a->period_ns : 1e9L;
}

static void check_lowered(const struct gp_cgroup_attr *a, const struct gp_cgroup_attr *before)
{
	MUST(a->weight <= before->weight && a->idle >= before->idle &&
	     part_of(a) <= part_of(before) && a->latency_ns == before->latency_ns);
}

static void fuzz_cgroups(struct input *in)
{
	char name[16], text[64], pattern[64];
	struct gp_cgroup_attr a, wish, before;
	struct gp_pressure p = { 0 };
	u64 now_ns = 1, total_ns = 0;
	u32 i;

	take_line(in, pattern, sizeof(pattern));
	take_line(in, text, sizeof(text));
	/* To fnmatch() these mean more. */
	if (!strpbrk(pattern, "[]\\") && gp_cgroup_is_path(text))
		MUST(gp_cgroup_matches(pattern, text) == !fnmatch(pattern, text, FNM_PATHNAME));
	gp_cgroup_default(&a);
	while (in->size) {
		take_line(in, name, sizeof(name));
		take_line(in, text, sizeof(text));
		gp_cgroup_default(&wish);
		gp_cgroup_read(name, text, &wish);
		check_said(&wish);
		before = a;
		gp_cgroup_merge(&a, &wish, in->size & 1);
		check_said(&a);
		if (!(in->size & 1))
			check_lowered(&a, &before);
		now_ns += (u64)take(in) << (take(in) & 31);
		total_ns += (u64)take(in) << (take(in) & 31);
		gp_pressure_tell(&p, total_ns, now_ns);
		for (i = 0; i < GP_PRESSURE_COUNT; i++)
			MUST(p.avg_ppm[i] <= GP_PRESSURE_ONE_PPM);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static void (*const parts[])(struct input *in) = {
		fuzz_holds,   fuzz_groups, fuzz_idle, fuzz_text,
		fuzz_cgroups, fuzz_groups, fuzz_idle, fuzz_text,
	};
	struct input in = { data, size };
	u8 which = take(&in);

	if (which == ENDING)
		fuzz_ending(&in);
	else if (which == ELASTIC)
		fuzz_elastic(&in);
	else if (size)
		parts[which % ARRAY_SIZE(parts)](&in);
	return 0;
}
