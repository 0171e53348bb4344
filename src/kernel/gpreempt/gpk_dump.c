// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Dumps: the state of a node, its processes, its queues and the last records of its
 * scheduler, as text. One is made when preemption is suspended and when amdkfd has
 * resumed everything by itself; it is kept for debugfs, and goes to the log. A dump has
 * a limit, and so has the number of dumps in a time.
 */
#include <linux/mm.h>
#include <linux/seq_buf.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "gpk.h"
#include "gpk_snapshot.h"

#define DUMP_BYTES (16 * 1024)
#define DUMP_GAP_NS (10 * NSEC_PER_SEC)
/* Most of each that a dump shows; of the records the last ones. */
#define DUMP_PROCESSES 64
#define DUMP_QUEUES 8
#define DUMP_RECORDS 32

static void put_node(struct seq_buf *b, const struct gpk_snapshot *s)
{
	const struct gpreempt_ioc_stats *t = &s->stats;

	seq_buf_printf(b, "node %u policy %s %s breaker %s", t->gpu_id, s->policy,
		       s->enabled ? "on" : "off", gp_breaker_state_name(t->breaker));
	if (t->breaker != GP_BREAKER_CLOSED)
		seq_buf_printf(b, " (%s)", gp_report_name(t->breaker_reason));
	seq_buf_printf(b, "\n  processes %u out %u switches %llu preemptions %llu resumes %llu",
		       t->nr_entities, t->nr_out, t->nr_switches, t->nr_preemptions,
		       t->nr_resumes);
	seq_buf_printf(b, " failed %llu late %llu starved %llu limited %llu\n", t->nr_failed,
		       t->nr_deadline, t->nr_starvation, t->nr_rate_limited);
	seq_buf_printf(b, "  switch p50 %llu p99 %llu ns, longest time off %llu ns\n",
		       t->switch_p50_ns, t->switch_p99_ns, t->off_max_ns);
}

static void put_queue(struct seq_buf *b, const struct gpreempt_ioc_queue *q)
{
	seq_buf_printf(b, "    queue %u%s%s%s%s%s%s%s", q->queue_id,
		       q->flags & GPREEMPT_QUEUE_F_ACTIVE ? " active" : "",
		       q->flags & GPREEMPT_QUEUE_F_PREEMPTED ? " preempted" : "",
		       q->flags & GPREEMPT_QUEUE_F_EVICTED ? " evicted" : "",
		       q->flags & GPREEMPT_QUEUE_F_SUSPENDED ? " suspended" : "",
		       q->flags & GPREEMPT_QUEUE_F_BUSY ? " busy" : "",
		       q->flags & GPREEMPT_QUEUE_F_MANUAL ? " by-hand" : "",
		       q->flags & GPREEMPT_QUEUE_F_AQL ? " aql" : "");
	if (q->pending == U64_MAX)
		seq_buf_puts(b, " pending unknown\n");
	else
		seq_buf_printf(b, " pending %llu\n", q->pending);
}

static void put_process(struct seq_buf *b, const struct gpk_snapshot *s,
			const struct gpk_seen *seen)
{
	u64 now = s->time_ns;
	u32 i;

	seq_buf_printf(b, "  process %d id %llx %s for %llu us prio %u weight %u%s%s%s",
		       pid_nr(seen->pid), seen->info.id, gp_entity_state_name(seen->info.state),
		       seen->since_ns ? (now - min(now, seen->since_ns)) / NSEC_PER_USEC : 0,
		       seen->info.attr.prio, seen->info.attr.weight,
		       seen->info.attr.no_preempt ? " no_preempt" : "",
		       seen->sched_out ? " out" : "", seen->nr_manual ? " by-hand" : "");
	seq_buf_printf(b, " preempted %llu resumed %llu\n", seen->info.nr_preempted,
		       seen->info.nr_resumed);
	for (i = 0; i < min(seen->nr, DUMP_QUEUES); i++)
		put_queue(b, &s->queues[seen->first + i]);
	if (seen->nr > DUMP_QUEUES)
		seq_buf_printf(b, "    and %u queues more\n", seen->nr - DUMP_QUEUES);
}

/* The last ones, oldest first. */
static void put_records(struct seq_buf *b, struct gpk_node *n)
{
	u64 i, first;

	spin_lock(&n->lock);
	first = n->nr_timeline - min_t(u64, n->nr_timeline, DUMP_RECORDS);
	seq_buf_puts(b, "last records\n");
	for (i = first; i < n->nr_timeline; i++) {
		const struct gp_trace *t = &n->timeline[i % GPK_TIMELINE];

		seq_buf_printf(b, "  %llu %s id %llx %llu %llu %llu %llu\n", t->now_ns,
			       gp_trace_kind_name(t->kind), t->id, t->arg[0], t->arg[1], t->arg[2],
			       t->arg[3]);
	}
	spin_unlock(&n->lock);
}

static void put_all(struct seq_buf *b, struct gpk_node *n, const struct gpk_snapshot *s)
{
	u32 i;

	put_node(b, s);
	/* Before the processes: their number has no limit that is of use here. */
	put_records(b, n);
	for (i = 0; i < min(s->nr_seen, DUMP_PROCESSES); i++)
		put_process(b, s, &s->seen[i]);
	if (s->nr_seen > DUMP_PROCESSES)
		seq_buf_printf(b, "  and %u processes more\n", s->nr_seen - DUMP_PROCESSES);
	if (seq_buf_has_overflowed(b))
		b->buffer[b->size - 1] = 0;
}

/* A line each: the log cuts longer messages. */
static void to_log(const struct gpk_node *n, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n")))
		if (*line)
			pr_notice("gpreempt/%u: %s\n", n->gpu_id, line);
}

/* In a worker: a console may take a second for it. */
static void print(struct work_struct *work)
{
	struct gpk_node *n = container_of(work, struct gpk_node, dump_work);
	char *text = kvzalloc(DUMP_BYTES, GFP_KERNEL);

	if (!text)
		return;
	mutex_lock(&n->dump_mutex);
	memcpy(text, n->dump, DUMP_BYTES);
	mutex_unlock(&n->dump_mutex);
	to_log(n, text);
	kvfree(text);
}

void gpk_dump_init(struct gpk_node *n)
{
	mutex_init(&n->dump_mutex);
	INIT_WORK(&n->dump_work, print);
}

void gpk_dump(struct gpk_node *n, const char *why)
{
	u64 now = ktime_get_ns();
	struct gpk_snapshot *s;
	struct seq_buf b;
	char *text;

	if (n->dump_ns && now - n->dump_ns < DUMP_GAP_NS) {
		n->dumps_left_out++;
		return;
	}
	s = gpk_snapshot_make(n);
	text = kvzalloc(DUMP_BYTES, GFP_KERNEL);
	if (s && text) {
		n->dump_ns = now;
		seq_buf_init(&b, text, DUMP_BYTES - 1);
		seq_buf_printf(&b, "dump at %llu: %s; %u left out before\n", now, why,
			       n->dumps_left_out);
		n->dumps_left_out = 0;
		put_all(&b, n, s);
		mutex_lock(&n->dump_mutex);
		swap(n->dump, text);
		mutex_unlock(&n->dump_mutex);
		queue_work(system_unbound_wq, &n->dump_work);
	}
	kvfree(text);
	gpk_snapshot_free(s);
}

int gpk_dump_show(struct seq_file *m, void *unused)
{
	struct gpk_node *n = m->private;
	char *text;
	struct seq_buf b;
	int ret = gpk_look(n);

	if (ret)
		return ret;
	text = kvzalloc(DUMP_BYTES, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	seq_buf_init(&b, text, DUMP_BYTES - 1);
	rcu_read_lock();
	put_all(&b, n, rcu_dereference(n->snapshot));
	rcu_read_unlock();
	seq_puts(m, text);
	kvfree(text);
	return 0;
}

int gpk_last_dump_show(struct seq_file *m, void *unused)
{
	struct gpk_node *n = m->private;

	mutex_lock(&n->dump_mutex);
	if (n->dump)
		seq_puts(m, n->dump);
	mutex_unlock(&n->dump_mutex);
	return 0;
}

void gpk_dump_fini(struct gpk_node *n)
{
	cancel_work_sync(&n->dump_work);
	kvfree(n->dump);
}
