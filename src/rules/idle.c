// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "rules/idle.h"

/* Nothing that was seen before says anything of the work there is now. */
static void begin(struct gp_idle *q, const struct gp_idle_pace *pace, u64 now_ns)
{
	q->moved_ns = now_ns;
	q->asked_ns = 0;
	q->nr_empty = 0;
	q->pace_ns = pace->busy_ns;
}

static void slower(struct gp_idle *q, const struct gp_idle_pace *pace, u64 now_ns)
{
	q->look_ns = now_ns + q->pace_ns;
	q->pace_ns = min(2 * q->pace_ns, max(pace->busy_max_ns, pace->busy_ns));
}

static u64 next_poll(const struct gp_idle *q, const struct gp_idle_pace *pace, u64 now_ns)
{
	u64 step = (now_ns - q->moved_ns) / GP_IDLE_POLL_PART;

	if (!pace->poll_ns)
		return U64_MAX;
	return now_ns + max(pace->poll_ns, min(step, pace->poll_max_ns));
}

void gp_idle_init(struct gp_idle *q, bool has_work, u64 now_ns)
{
	*q = (struct gp_idle){ .has_work = has_work, .moved_ns = now_ns, .look_ns = now_ns };
}

void gp_idle_work(struct gp_idle *q, const struct gp_idle_pace *pace, u64 now_ns)
{
	q->has_work = true;
	q->has_run = false;
	q->doubt_ns = 0;
	q->doubt_step_ns = 0;
	begin(q, pace, now_ns);
	q->look_ns = now_ns + (pace->quiet_ns ? pace->quiet_ns : pace->busy_ns);
}

void gp_idle_restart(struct gp_idle *q, const struct gp_idle_pace *pace, u64 now_ns)
{
	if (!q->has_work)
		return;
	q->has_run = false;
	begin(q, pace, now_ns);
	q->look_ns = now_ns + max(pace->quiet_ns, pace->busy_ns);
}

static bool do_differ(const struct gp_idle_seen *s)
{
	return (s->rptr ^ s->wptr) & s->wrap;
}

static void note_indices(struct gp_idle *q, const struct gp_idle_pace *pace,
			 const struct gp_idle_seen *s)
{
	bool has_moved = s->rptr != q->rptr || s->wptr != q->wptr;
	u64 pace_ns = q->pace_ns;

	q->rptr = s->rptr;
	q->wptr = s->wptr;
	if (has_moved) {
		gp_idle_work(q, pace, s->now_ns);
	} else if (do_differ(s)) {
		q->has_work = true;
		begin(q, pace, s->now_ns);
		/* Work that does not move is not looked at more often for it. */
		q->pace_ns = max(pace_ns, pace->busy_ns);
	}
}

static void note_waves(struct gp_idle *q)
{
	q->has_work = true;
	q->has_run = true;
	q->nr_empty = 0;
}

/* It was taken for idle against the word of its packets, and there is time to ask them. */
static enum gp_idle_answer look_at_doubt(struct gp_idle *q, const struct gp_idle_pace *pace,
					 const struct gp_idle_seen *s)
{
	u64 step_ns = q->doubt_step_ns;

	if (s->end == GP_AQL_NOT_ASKED)
		return GP_IDLE_ASK_END;
	q->doubt_ns = 0;
	q->doubt_step_ns = 0;
	if (s->end != GP_AQL_RUNNING)
		return GP_IDLE_IDLE;
	q->mark = q->doubt_mark;
	gp_idle_work(q, pace, s->now_ns);
	q->doubt_step_ns = step_ns;
	return GP_IDLE_BUSY;
}

static enum gp_idle_answer look_at_idle(struct gp_idle *q, const struct gp_idle_pace *pace,
					const struct gp_idle_seen *s)
{
	enum gp_idle_answer answer = GP_IDLE_IDLE;

	if (q->doubt_ns && s->now_ns >= q->doubt_ns && !s->is_unread)
		answer = look_at_doubt(q, pace, s);
	if (answer != GP_IDLE_IDLE)
		return answer;
	q->look_ns = next_poll(q, pace, s->now_ns);
	if (q->doubt_ns)
		q->look_ns = min(q->look_ns, max(q->doubt_ns, s->now_ns + 1));
	return GP_IDLE_IDLE;
}

static enum gp_idle_answer become_idle(struct gp_idle *q, const struct gp_idle_pace *pace,
				       const struct gp_idle_seen *s)
{
	u64 step_ns = q->doubt_step_ns ? 2 * q->doubt_step_ns : GP_IDLE_ANY_NS;

	q->has_work = false;
	q->has_run = false;
	begin(q, pace, s->now_ns);
	q->doubt_step_ns = 0;
	if (s->end == GP_AQL_RUNNING) {
		q->doubt_step_ns = min(step_ns, GP_IDLE_DOUBT_MAX_NS);
		q->doubt_ns = s->now_ns + q->doubt_step_ns;
		q->doubt_mark = q->mark;
	}
	gp_aql_mark_idle(&q->mark, q->wptr);
	return look_at_idle(q, pace, s);
}

/* Looks and time without a wave that are enough, by what else is known. */
static bool is_enough(const struct gp_idle *q, const struct gp_idle_seen *s)
{
	u64 time_ns = s->now_ns - q->empty_ns;

	if (s->end == GP_AQL_LAST_ENDED)
		return q->nr_empty >= GP_IDLE_LOOKS_ENDED && time_ns >= GP_IDLE_LAST_NS;
	if (s->end != GP_AQL_RUNNING && s->ended_ns > q->moved_ns &&
	    q->nr_empty >= GP_IDLE_LOOKS_ENDED)
		return true;
	if (q->nr_empty < GP_IDLE_LOOKS)
		return false;
	if (s->end != GP_AQL_RUNNING && (q->has_run || s->waves == GP_IDLE_WAVES_NONE_BUT_ROOM))
		return time_ns >= GP_IDLE_EMPTY_NS;
	return time_ns >= GP_IDLE_ANY_NS;
}

/* No wave was seen. */
static enum gp_idle_answer count_empty(struct gp_idle *q, const struct gp_idle_pace *pace,
				       const struct gp_idle_seen *s)
{
	/* In a crowd it may wait for room, unless its newest packet had that already. */
	if (s->waves == GP_IDLE_WAVES_CROWDED && s->end != GP_AQL_LAST_ENDED) {
		q->nr_empty = 0;
		return GP_IDLE_BUSY;
	}
	if (!q->nr_empty) {
		q->empty_ns = s->now_ns;
		q->pace_ns = pace->busy_ns;
	}
	q->nr_empty = min(q->nr_empty + 1, GP_IDLE_LOOKS);
	return is_enough(q, s) ? GP_IDLE_IDLE : GP_IDLE_BUSY;
}

static enum gp_idle_answer look_at_waves(struct gp_idle *q, const struct gp_idle_pace *pace,
					 const struct gp_idle_seen *s)
{
	if (s->waves == GP_IDLE_WAVES_NOT_ASKED) {
		/* Woken early for something else. */
		if (q->asked_ns && s->now_ns < q->look_ns && s->ended_ns <= q->asked_ns)
			return GP_IDLE_BUSY;
		return GP_IDLE_ASK_WAVES;
	}
	q->asked_ns = s->now_ns;
	/* Nothing at all can be seen of it. */
	if (s->is_unread && s->waves == GP_IDLE_WAVES_UNKNOWN)
		q->nr_empty = 0;
	else if (s->waves != GP_IDLE_WAVES_SOME && count_empty(q, pace, s) == GP_IDLE_IDLE)
		return become_idle(q, pace, s);
	slower(q, pace, s->now_ns);
	return GP_IDLE_BUSY;
}

static enum gp_idle_answer look_at_work(struct gp_idle *q, const struct gp_idle_pace *pace,
					const struct gp_idle_seen *s)
{
	if (s->is_unread)
		return look_at_waves(q, pace, s);
	if (do_differ(s)) {
		slower(q, pace, s->now_ns);
		return GP_IDLE_BUSY;
	}
	if (s->now_ns - q->moved_ns < pace->quiet_ns) {
		q->look_ns = q->moved_ns + pace->quiet_ns;
		return GP_IDLE_BUSY;
	}
	if (s->end == GP_AQL_NOT_ASKED)
		return GP_IDLE_ASK_END;
	if (s->end == GP_AQL_ENDED && s->waves != GP_IDLE_WAVES_SOME)
		return become_idle(q, pace, s);
	return look_at_waves(q, pace, s);
}

enum gp_idle_answer gp_idle_look(struct gp_idle *q, const struct gp_idle_pace *pace,
				 const struct gp_idle_seen *s)
{
	if (!s->is_unread)
		note_indices(q, pace, s);
	if (s->waves == GP_IDLE_WAVES_SOME && !s->is_stopped)
		note_waves(q);
	if (s->is_blocked) {
		q->look_ns = q->has_work ? s->now_ns + GP_IDLE_BLOCKED_NS :
					   next_poll(q, pace, s->now_ns);
		return GP_IDLE_IDLE;
	}
	if (!q->has_work)
		return look_at_idle(q, pace, s);
	if (s->is_stopped) {
		q->nr_empty = 0;
		q->look_ns = U64_MAX;
		return GP_IDLE_BUSY;
	}
	return look_at_work(q, pace, s);
}
