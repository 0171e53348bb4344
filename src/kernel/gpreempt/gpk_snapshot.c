// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Snapshots of a node: see gpk_snapshot.h.
 *
 * A caller that finds the monitor asleep since the last snapshot takes that one. Others
 * draw a number, and wait for a snapshot that was begun afterwards. From one snapshot to
 * the next the monitor pauses for a time that grows with the cost of the last one, so
 * that callers cannot keep it from its work. Callers wake each other: a thousand of them
 * cost the monitor a single wake-up.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "gpk.h"
#include "kfd_gpreempt.h"
#include "gpk_snapshot.h"

#define PAUSE_NS NSEC_PER_MSEC
/* Of the monitor's time snapshots take no more than one part in this. */
#define PAUSE_FACTOR 16

static u32 abi_flags(const struct gpk_node *n, const struct gpk_entity *e,
		     const struct gpk_queue *q)
{
	static const u32 names[][2] = {
		{ KFD_GPREEMPT_AQL, GPREEMPT_QUEUE_F_AQL },
		{ KFD_GPREEMPT_ACTIVE, GPREEMPT_QUEUE_F_ACTIVE },
		{ KFD_GPREEMPT_PREEMPTED, GPREEMPT_QUEUE_F_PREEMPTED },
		{ KFD_GPREEMPT_EVICTED, GPREEMPT_QUEUE_F_EVICTED },
		{ KFD_GPREEMPT_SUSPENDED, GPREEMPT_QUEUE_F_SUSPENDED },
	};
	bool by_hand = e->nr_manual || gpk_hold_count(n, e->generation, q->generation);
	u32 i, flags = (q->busy ? GPREEMPT_QUEUE_F_BUSY : 0) |
		       (by_hand ? GPREEMPT_QUEUE_F_MANUAL : 0) |
		       (e->sched_out ? GPREEMPT_QUEUE_F_SCHED : 0);

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (q->flags & names[i][0])
			flags |= names[i][1];
	return flags;
}

static void copy_queue(struct gpreempt_ioc_queue *out, struct gpk_node *n,
		       const struct gpk_entity *e, const struct gpk_queue *q,
		       const struct gp_entity_info *info)
{
	*out = (struct gpreempt_ioc_queue){
		.gpu_id = n->gpu_id,
		.queue_id = q->queue_id,
		.flags = abi_flags(n, e, q),
		.state = info->state,
		.prio = info->attr.prio,
		.pending = q->pending,
		.ring_bytes = q->ring_bytes,
		.rptr_addr = q->rptr,
		.wptr_addr = q->wptr,
		.nr_preempted = info->nr_preempted,
	};
}

static void copy_entity(struct gpk_snapshot *s, struct gpk_node *n, struct gpk_entity *e)
{
	struct gpk_seen *seen = &s->seen[s->nr_seen];
	const struct gpk_queue *q;

	if (gp_sched_entity_info(n->sched, e->core, &seen->info))
		return;
	s->nr_seen++;
	seen->pid = get_pid(e->pid);
	seen->since_ns = e->since_ns;
	seen->nr_manual = e->nr_manual;
	seen->sched_out = e->sched_out;
	seen->first = s->nr_queues;
	list_for_each_entry(q, &e->queues, link)
		copy_queue(&s->queues[s->nr_queues++], n, e, q, &seen->info);
	seen->nr = s->nr_queues - seen->first;
}

static void copy_stats(struct gpreempt_ioc_stats *to, const struct gpk_node *n)
{
	const struct gp_node_stats *s = gp_sched_node_stats(n->sched, 0);

	*to = (struct gpreempt_ioc_stats){
		.gpu_id = n->gpu_id,
		.breaker = s->breaker,
		.breaker_reason = s->breaker_reason,
		.nr_events = s->nr_events,
		.nr_switches = s->nr_switches,
		.nr_preemptions = s->nr_preemptions,
		.nr_resumes = s->nr_resumes,
		.nr_failed = s->nr_failed,
		.nr_deadline = s->nr_deadline,
		.nr_starvation = s->nr_starvation,
		.nr_wakeups = n->nr_wakeups,
		.nr_timer_wakeups = n->nr_timer_wakeups,
		.nr_faults = atomic64_read(&n->nr_faults),
		.cost_ns = s->cost_ns,
		.off_max_ns = s->off_max_ns,
		.switch_p50_ns = gp_hist_percentile(&s->switch_ns, 500000),
		.switch_p99_ns = gp_hist_percentile(&s->switch_ns, 990000),
		.detect_p50_ns = gp_hist_percentile(&n->detect_ns, 500000),
		.detect_p99_ns = gp_hist_percentile(&n->detect_ns, 990000),
		.nr_entities = s->nr_entities,
		.nr_out = s->nr_out,
		.nr_rate_limited = s->nr_rate_limited,
		.nr_left_to_finish = s->nr_left_to_finish,
	};
}

static u32 count_queues(const struct gpk_node *n)
{
	const struct gpk_entity *e;
	u32 nr = 0;

	list_for_each_entry(e, &n->entities, link)
		nr += list_count_nodes((struct list_head *)&e->queues);
	return nr;
}

struct gpk_snapshot *gpk_snapshot_make(struct gpk_node *n)
{
	u32 nr_queues = count_queues(n);
	struct gpk_snapshot *s;
	struct gpk_entity *e;

	s = kvzalloc(struct_size(s, seen, n->nr_entities) + nr_queues * sizeof(*s->queues),
		     GFP_KERNEL);
	if (!s)
		return NULL;
	s->queues = (void *)&s->seen[n->nr_entities];
	s->round = n->round;
	s->time_ns = ktime_get_ns();
	s->enabled = !n->disabled;
	strscpy(s->policy, gp_sched_node_policy(n->sched, 0), sizeof(s->policy));
	copy_stats(&s->stats, n);
	list_for_each_entry(e, &n->entities, link)
		copy_entity(s, n, e);
	return s;
}

void gpk_snapshot_free(struct gpk_snapshot *s)
{
	u32 i;

	for (i = 0; s && i < s->nr_seen; i++)
		put_pid(s->seen[i].pid);
	kvfree(s);
}

static void free_rcu(struct rcu_head *rcu)
{
	gpk_snapshot_free(container_of(rcu, struct gpk_snapshot, rcu));
}

/* Only the monitor replaces it. */
static void publish(struct gpk_node *n, struct gpk_snapshot *s)
{
	struct gpk_snapshot *old = rcu_replace_pointer(n->snapshot, s, true);

	if (old)
		call_rcu(&old->rcu, free_rcu);
}

static bool is_wanted(const struct gpk_node *n)
{
	return atomic64_read(&n->looks_wanted) != n->looks_done;
}

void gpk_snapshot_run(struct gpk_node *n)
{
	u64 wanted, now = ktime_get_ns();
	struct gpk_snapshot *s;

	if (!is_wanted(n) || now < n->look_pause_ns)
		return;
	/* Numbers drawn later want a later one. */
	wanted = atomic64_read(&n->looks_wanted);
	gpk_catch_up(n);
	/* A switch has changed the flags of queues. */
	if (n->moved)
		gpk_resync(n);
	s = gpk_snapshot_make(n);
	if (s)
		publish(n, s);
	n->look_failed = !s;
	/* Pairs with the acquire in is_served(): a caller that is served sees the snapshot. */
	smp_store_release(&n->looks_done, wanted);
	/* Pairs with the increment in gpk_look(): a number that is not seen by is_wanted(). */
	smp_mb();
	wake_up(&n->looks);
	n->look_pause_ns = ktime_get_ns();
	n->look_pause_ns += max(PAUSE_NS, PAUSE_FACTOR * (n->look_pause_ns - now));
}

u64 gpk_snapshot_next(const struct gpk_node *n)
{
	return is_wanted(n) ? n->look_pause_ns : U64_MAX;
}

/* Whether the monitor has slept since it made the snapshot, and need not wake up. */
static bool is_fresh(struct gpk_node *n)
{
	const struct gpk_snapshot *s;
	bool fresh;

	if (atomic_read(&n->kick))
		return false;
	/* Pairs with the exchange in monitor(): a kick that was taken began another round. */
	smp_rmb();
	rcu_read_lock();
	s = rcu_dereference(n->snapshot);
	fresh = s && s->round == READ_ONCE(n->round);
	rcu_read_unlock();
	return fresh;
}

static bool is_served(struct gpk_node *n, u64 number)
{
	/* Pairs with the release in gpk_snapshot_run(). */
	return smp_load_acquire(&n->looks_done) >= number;
}

int gpk_look(struct gpk_node *n)
{
	u64 number;
	int ret;

	if (is_fresh(n))
		return 0;
	number = atomic64_inc_return(&n->looks_wanted);
	/* If one waits already, the monitor knows, or will before it sleeps. */
	if (is_served(n, number - 1))
		gpk_kick(n, GPK_KICK_LOOK);
	ret = wait_event_killable_exclusive(n->looks, is_served(n, number));
	/* One wake-up becomes two: all are awake after a few steps. */
	wake_up_nr(&n->looks, 2);
	if (ret)
		return ret;
	return READ_ONCE(n->look_failed) ? -ENOMEM : 0;
}

int gpk_look_stats(struct gpk_node *n, struct gpreempt_ioc_stats *stats)
{
	int ret = gpk_look(n);

	if (ret)
		return ret;
	rcu_read_lock();
	*stats = rcu_dereference(n->snapshot)->stats;
	rcu_read_unlock();
	return 0;
}
