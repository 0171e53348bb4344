// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The monitor of a node: sleeps until something is to be done, does it, and knows
 * until when it may sleep again. An ordinary thread: amdkfd waits for the fence of
 * a switch in a loop, and a real-time thread would keep the processor from all others.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "gpk.h"
#include "kfd_gpreempt.h"
#include "gpk_snapshot.h"

#define CREATE_TRACE_POINTS
#include "gpreempt_trace.h"

/* While something is preempted, amdkfd wants to hear of us. */
#define KEEPALIVE_NS (KFD_GPREEMPT_WATCHDOG_MS * NSEC_PER_MSEC / 4)
/* Before the monitor looks at doorbells and timers again. */
#define COMMANDS_A_ROUND 8
/* Switches by hand of all users take no more than one part in this of the time. */
#define HAND_FACTOR 32

void gpk_kick(struct gpk_node *n, u32 why)
{
	atomic_or(why, &n->kick);
	wake_up(&n->wait);
}

/* Something that a caller waits for. */
struct command {
	struct list_head link; /* in its lane, if it is the first of its kind; else in its @same */
	struct list_head same; /* later ones of the same user that are paced or not, as it is */
	kuid_t uid;	       /* user */
	int (*run)(struct gpk_node *n, void *data);
	void *data;
	struct completion done;
	int ret;
	bool is_paced;	 /* see HAND_FACTOR */
	bool is_waiting; /* in a lane; commands_lock */
};

/* Administrators have the first. */
static u32 lane_of_caller(void)
{
	if (gpk_is_governor())
		return 0;
	return 1 + __kuid_val(current_uid()) % (GPK_LANES - 1);
}

/* Users take turns in a lane: calls of one delay those of another by one call at most. */
static void put_in(struct gpk_node *n, struct command *cmd, u32 lane)
{
	struct command *first;

	INIT_LIST_HEAD(&cmd->same);
	cmd->uid = current_uid();
	spin_lock(&n->commands_lock);
	cmd->is_waiting = true;
	list_for_each_entry(first, &n->commands[lane], link)
		if (uid_eq(first->uid, cmd->uid) && first->is_paced == cmd->is_paced) {
			list_add_tail(&cmd->link, &first->same);
			goto out;
		}
	list_add_tail(&cmd->link, &n->commands[lane]);
out:
	spin_unlock(&n->commands_lock);
}

/* The next of its kind has its turn after all others of the lane; commands_lock is held. */
static void take_out(struct gpk_node *n, struct command *cmd, u32 lane)
{
	struct command *next = list_first_entry_or_null(&cmd->same, struct command, link);

	list_del(&cmd->link);
	cmd->is_waiting = false;
	if (!next)
		return;
	list_del(&next->link);
	list_splice(&cmd->same, &next->same);
	list_add_tail(&next->link, &n->commands[lane]);
}

/* The caller was killed. False if it is too late: the monitor has begun. */
static bool give_up(struct gpk_node *n, struct command *cmd, u32 lane)
{
	bool is_waiting;

	spin_lock(&n->commands_lock);
	is_waiting = cmd->is_waiting;
	if (is_waiting)
		take_out(n, cmd, lane);
	spin_unlock(&n->commands_lock);
	return is_waiting;
}

/* What is paced may wait for long, so that it ends with its caller; all else is done. */
static int wait_for(struct gpk_node *n, struct command *cmd, u32 lane)
{
	init_completion(&cmd->done);
	put_in(n, cmd, lane);
	gpk_kick(n, GPK_KICK_COMMAND);
	if (!cmd->is_paced) {
		wait_for_completion(&cmd->done);
	} else if (wait_for_completion_killable(&cmd->done)) {
		if (give_up(n, cmd, lane))
			return -EINTR;
		wait_for_completion(&cmd->done);
	}
	return cmd->ret;
}

int gpk_command(struct gpk_node *n, int (*run)(struct gpk_node *n, void *data), void *data)
{
	struct command cmd = { .run = run, .data = data };

	return wait_for(n, &cmd, lane_of_caller());
}

int gpk_command_by_hand(struct gpk_node *n, int (*run)(struct gpk_node *n, void *data), void *data)
{
	u32 lane = lane_of_caller();
	struct command cmd = { .run = run, .data = data, .is_paced = lane };

	return wait_for(n, &cmd, lane);
}

/* The first of a lane whose time has come; notes when it comes for the others. */
static struct command *first_due(struct gpk_node *n, u32 lane)
{
	struct command *cmd;

	list_for_each_entry(cmd, &n->commands[lane], link) {
		if (!cmd->is_paced || ktime_get_ns() >= n->hand_pause_ns || kthread_should_stop())
			return cmd;
		n->put_off_ns = n->hand_pause_ns;
	}
	return NULL;
}

/* The next command, lane by lane; NULL if there is none. */
static struct command *next_command(struct gpk_node *n)
{
	struct command *cmd = NULL;
	u32 i;

	spin_lock(&n->commands_lock);
	for (i = 0; i < GPK_LANES && !cmd; i++) {
		cmd = first_due(n, n->lane);
		if (cmd)
			take_out(n, cmd, n->lane);
		n->lane = (n->lane + 1) % GPK_LANES;
	}
	spin_unlock(&n->commands_lock);
	return cmd;
}

static void run_command(struct gpk_node *n, struct command *cmd)
{
	u64 start = ktime_get_ns(), end;

	cmd->ret = cmd->run(n, cmd->data);
	end = ktime_get_ns();
	if (cmd->is_paced)
		n->hand_pause_ns = end + HAND_FACTOR * (end - start);
}

/* Up to @max of them; between two rounds the monitor does everything else. */
static void run_commands(struct gpk_node *n, u32 max)
{
	struct command *cmd;
	u32 i;

	n->put_off_ns = U64_MAX;
	for (i = 0; i < max; i++) {
		cmd = next_command(n);
		if (!cmd)
			return;
		run_command(n, cmd);
		/* With its completion a command is gone. */
		complete(&cmd->done);
		cond_resched();
	}
	gpk_kick(n, GPK_KICK_COMMAND);
}

static void tell_state(struct gpk_node *n, struct gpk_entity *e, const struct gp_trace *t)
{
	if (e)
		e->since_ns = t->now_ns;
	trace_gpreempt_state(n->gpu_id, e ? pid_nr(e->pid) : 0, t->arg[0], t->arg[1]);
	gpk_event(n, e ? e->pid : NULL, GPREEMPT_EVENT_STATE, t->arg[1], t->arg[0]);
}

/* What the scheduler does, as it does it. */
static void on_trace(void *data, const struct gp_trace *t)
{
	struct gpk_node *n = data;
	struct gpk_entity *e;

	trace_gpreempt_core(n->gpu_id, t);
	spin_lock(&n->lock);
	n->timeline[n->nr_timeline++ % GPK_TIMELINE] = *t;
	spin_unlock(&n->lock);
	if (t->kind != GP_TRACE_STATE)
		return;
	if (!gpk_entity_of(n, t->id))
		tell_state(n, NULL, t);
	gpk_for_each_member(e, n, t->id)
		tell_state(n, e, t);
}

static u64 act_now_ns(struct gp_act *a)
{
	return ktime_get_ns();
}

/* amdkfd is over with a switch when it returns. */
static bool act_begin(struct gp_act *a)
{
	struct gpk_node *n = container_of(a, struct gpk_node, act);
	u64 start = ktime_get_ns();

	gpk_switch_do(n);
	gpk_event(n, NULL, GPREEMPT_EVENT_SWITCH, a->sw.nr_preempt + a->sw.nr_resume,
		  ktime_get_ns() - start);
	return true;
}

/* To arm or not to arm is found out by a look, which comes next. */
static void act_watch(struct gp_act *a, u64 id, bool arm)
{
	struct gpk_node *n = container_of(a, struct gpk_node, act);
	struct gpk_entity *e;

	gpk_for_each_member(e, n, id)
		gpk_look_soon(n, e);
}

static void act_report(struct gp_act *a, enum gp_report report, u64 id)
{
	struct gpk_node *n = container_of(a, struct gpk_node, act);
	struct gpk_entity *e = id == GP_ID_NONE ? NULL : gpk_entity_of(n, id);

	gpk_event(n, e ? e->pid : NULL, GPREEMPT_EVENT_REPORT, report, 0);
	if (report == GP_REPORT_BREAKER_OPEN)
		gpk_dump(n, gp_report_name(report));
}

static const struct gp_act_ops act_ops = {
	.now_ns = act_now_ns,
	.begin = act_begin,
	.watch = act_watch,
	.report = act_report,
};

static void node_event(struct gpk_node *n, u32 kick)
{
	u64 now = ktime_get_ns();

	if (kick & GPK_KICK_WATCHDOG)
		gpk_dump(n, "amdkfd heard nothing of the scheduler and resumed everything");
	if (kick & (GPK_KICK_RESET | GPK_KICK_WATCHDOG)) {
		gp_sched_node_lost(n->sched, 0, now, &n->act.acts);
		gp_act_run(&n->act);
		gpk_hold_forget(n);
		gpk_forget_all(n);
	}
	if (kick & (GPK_KICK_BACK | GPK_KICK_WATCHDOG)) {
		gp_sched_node_back(n->sched, 0, now, &n->act.acts);
		gp_act_run(&n->act);
	}
	if (kick & (GPK_KICK_CHANGED | GPK_KICK_BACK | GPK_KICK_WATCHDOG) || now >= n->resync_ns)
		gpk_resync(n);
}

static bool is_anything_out(const struct gpk_node *n)
{
	return gp_sched_node_stats(n->sched, 0)->nr_out || gp_holds_nr(&n->holds);
}

/* Whatever else keeps the monitor busy or wakes it. */
static void keep_alive(struct gpk_node *n)
{
	u64 now = ktime_get_ns();
	u32 nr = 0;

	if (!is_anything_out(n) || now - n->heard_ns < KEEPALIVE_NS)
		return;
	kfd_gpreempt_query(n->gpu_id, 0, NULL, &nr);
	n->heard_ns = now;
}

static u64 next_wake(const struct gpk_node *n)
{
	u64 next = min(n->act.timer_ns, min(gpk_detect_next(n), gp_holds_next_ns(&n->holds)));

	next = min(next, min(n->resync_ns, gpk_snapshot_next(n)));
	next = min(next, min(n->put_off_ns, n->apply_ns));
	next = min(next, gpk_freeze_next(n));
	return is_anything_out(n) ? min(next, n->heard_ns + KEEPALIVE_NS) : next;
}

/* True if a timer ended the sleep. */
static bool sleep_until(struct gpk_node *n, u64 until_ns)
{
	u64 now = ktime_get_ns();

	if (until_ns == U64_MAX) {
		wait_event_interruptible(n->wait, atomic_read(&n->kick) || kthread_should_stop());
		return false;
	}
	if (until_ns <= now) {
		cond_resched();
		return false;
	}
	return wait_event_interruptible_hrtimeout(n->wait,
						  atomic_read(&n->kick) || kthread_should_stop(),
						  ns_to_ktime(until_ns - now)) == -ETIME;
}

static int monitor(void *data)
{
	struct gpk_node *n = data;

	while (!kthread_should_stop()) {
		u32 kick;

		/* Pairs with is_fresh(): before the kick is taken. */
		WRITE_ONCE(n->round, n->round + 1);
		kick = atomic_xchg(&n->kick, 0);
		n->nr_wakeups++;
		node_event(n, kick);
		run_commands(n, COMMANDS_A_ROUND);
		gpk_attr_run(n);
		gpk_detect_run(n);
		gpk_freeze_run(n);
		gpk_hold_run(n);
		gp_act_timer(&n->act);
		gpk_group_run(n);
		keep_alive(n);
		gpk_snapshot_run(n);
		WRITE_ONCE(n->is_any_out, gp_sched_nr_kept_off(n->sched, 0));
		n->nr_timer_wakeups += sleep_until(n, next_wake(n));
	}
	run_commands(n, U32_MAX);
	return 0;
}

static int sched_create(struct gpk_node *n)
{
	struct gp_sched_config config = {
		.nr_nodes = 1,
		.max_entities = GPK_ENTITIES_MAX,
		.max_queues = GPK_QUEUES_MAX,
		.max_shares = GPK_CGROUPS_MAX,
		.trace = on_trace,
		.trace_data = n,
	};
	size_t size = gp_sched_size(&config);
	int ret;

	n->sched_mem = kvzalloc(size, GFP_KERNEL);
	n->timeline = kvcalloc(GPK_TIMELINE, sizeof(*n->timeline), GFP_KERNEL);
	n->batch = gpk_batch_alloc();
	if (!n->sched_mem || !n->timeline || !n->batch)
		return -ENOMEM;
	ret = gp_sched_init(n->sched_mem, size, &config, &n->sched);
	if (ret)
		return ret;
	gp_act_init(&n->act, n->sched, 0, &act_ops);
	/* There are no entities yet, so that nothing follows from it. */
	gp_sched_set_room(n->sched, 0, n->max_processes, n->max_queues, ktime_get_ns(),
			  &n->act.acts);
	return gp_sched_set_policy(n->sched, 0, gpk_policy, ktime_get_ns(), &n->act.acts);
}

static void node_free(struct gpk_node *n)
{
	/* There are no readers any more. */
	gpk_snapshot_free(rcu_dereference_protected(n->snapshot, true));
	gpk_dump_fini(n);
	xa_destroy(&n->by_generation);
	gpk_freeze_fini(n);
	gpk_cgroup_fini(n);
	kvfree(n->answer);
	kvfree(n->timeline);
	kvfree(n->sched_mem);
	kvfree(n->batch);
}

int gpk_node_start(struct gpk_node *n, u32 gpu_id)
{
	int ret;
	u32 i;

	n->gpu_id = gpu_id;
	n->resync_ns = U64_MAX;
	n->apply_ns = U64_MAX;
	n->put_off_ns = U64_MAX;
	init_waitqueue_head(&n->wait);
	init_waitqueue_head(&n->looks);
	spin_lock_init(&n->lock);
	spin_lock_init(&n->commands_lock);
	gpk_dump_init(n);
	for (i = 0; i < GPK_LANES; i++)
		INIT_LIST_HEAD(&n->commands[i]);
	INIT_LIST_HEAD(&n->entities);
	INIT_LIST_HEAD(&n->apart);
	INIT_LIST_HEAD(&n->shares);
	gpk_hold_init(n);
	gpk_detect_init(n);
	xa_init(&n->by_generation);
	hash_init(n->by_pid);
	hash_init(n->by_core);
	hash_init(n->by_group);
	hash_init(n->queues);
	ret = gpk_answer_init(n);
	if (!ret)
		ret = gpk_freeze_init(n);
	if (!ret)
		ret = gpk_cgroup_init(n);
	if (!ret)
		ret = sched_create(n);
	if (ret)
		goto err;
	n->thread = kthread_run(monitor, n, "gpreempt/%u", gpu_id);
	if (IS_ERR(n->thread)) {
		ret = PTR_ERR(n->thread);
		goto err;
	}
	return 0;
err:
	node_free(n);
	return ret;
}

void gpk_node_stop(struct gpk_node *n)
{
	kthread_stop(n->thread);
	gpk_hold_drop_owner(n, NULL);
	gpk_forget_all(n);
	node_free(n);
}
