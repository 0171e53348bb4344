// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The thread the simulated GPU lives in. A round looks at the doorbells of the
 * mapped queues, lets the model catch up with the clock, and sets a timer for the
 * model's next event.
 *
 * A doorbell is memory: a store tells nothing. For the HIQ amdkfd's own store
 * starts a round (kfdsim_kick.c). For user queues the thread looks while a user queue
 * has a slot and a doorbell has rung lately; then the next store faults (kfdsim_arm.c)
 * and starts a round.
 */
#include "kfdsim.h"

#define QUIET_NS (50 * NSEC_PER_MSEC)	/* a fault costs as much as several looks */

/*
 * Before the next look this thread pauses for so many times what the last one cost. It comes
 * before all others, so where a round takes longer than poll_us no other thread would get on, not
 * even the one that ends the looking. No longer than this, as a round may have saved megabytes.
 */
#define PAUSE_ROUNDS 3
#define PAUSE_MAX_NS NSEC_PER_MSEC

/*
 * The model's clock. It runs with the kernel's, but makes no step of more than this past
 * the model's next event: what happens in it must be simulated in one round, under the
 * lock. A client that has more done than can be simulated in that time, say a million
 * packets, slows the simulated GPU down, not the machine.
 */
#define MAX_STEP_NS (200 * NSEC_PER_USEC)

/* Context: caller holds cp.lock. */
u64 kfdsim_cp_now(struct kfdsim_cp *cp)
{
	u64 lived = gpu_now_ns(cp->gpu);
	u64 event = max(gpu_next_ns(cp->gpu), lived);
	u64 now = ktime_get_ns();

	if (event < now)
		now = min(now, event + MAX_STEP_NS);
	return max(now, lived);
}

static struct kfdsim_device *to_kdev(struct kfdsim_cp *cp)
{
	return container_of(cp, struct kfdsim_device, cp);
}

/* The model says which queues have a slot. */
void kfdsim_cp_on_trace(struct kfdsim_cp *cp, const struct gpu_trace *t)
{
	u32 i;

	if (t->kind == GPU_TRACE_MAP) {
		if (cp->nr_mapped < ARRAY_SIZE(cp->mapped))
			cp->mapped[cp->nr_mapped++] = t->doorbell;
	} else if (t->kind == GPU_TRACE_UNMAP) {
		for (i = 0; i < cp->nr_mapped; i++)
			if (cp->mapped[i] == t->doorbell)
				break;
		if (i < cp->nr_mapped)
			cp->mapped[i] = cp->mapped[--cp->nr_mapped];
	}
}

static void ring(struct kfdsim_cp *cp, u32 doorbell, u64 now)
{
	u64 value = kfdsim_doorbell_take(to_kdev(cp), doorbell);

	if (value == KFDSIM_DOORBELL_NONE)
		return;
	cp->nr_rings++;
	/* The HIQ's store comes with a kick: no look for the next one is needed. */
	if (doorbell != cp->hiq_doorbell)
		cp->rung_ns = now;
	gpu_doorbell(cp->gpu, doorbell, value, now);
}

static void look_at_doorbells(struct kfdsim_cp *cp, u64 now)
{
	u32 doorbells[KFDSIM_MAX_MAPPED];
	u32 nr = cp->nr_mapped;
	u32 i;

	if (cp->hiq_doorbell)
		ring(cp, cp->hiq_doorbell, now);
	/* A doorbell may change what is mapped. */
	memcpy(doorbells, cp->mapped, nr * sizeof(*doorbells));
	for (i = 0; i < nr; i++)
		ring(cp, doorbells[i], now);
}

/* What this thread has run since the last round, with waking up and going to sleep. */
static u64 take_cost(struct kfdsim_cp *cp)
{
	u64 ran_ns = current->se.sum_exec_runtime;
	u64 cost_ns = ran_ns - cp->ran_ns;

	cp->ran_ns = ran_ns;
	return cost_ns;
}

static u64 next_look(struct kfdsim_cp *cp, u64 now, u64 cost_ns)
{
	struct kfdsim_arm *arm = &to_kdev(cp)->arm;
	u64 nr_faults = atomic64_read(&arm->nr_faults);
	u64 pause_ns = min_t(u64, PAUSE_ROUNDS * cost_ns, PAUSE_MAX_NS);

	/* A fault comes from a thread about to ring. */
	if (cp->faults_seen != nr_faults)
		cp->rung_ns = now;
	cp->faults_seen = nr_faults;
	if (!cp->nr_mapped || !READ_ONCE(arm->is_watching))
		return U64_MAX;
	if (kfdsim_arms && now - cp->rung_ns > QUIET_NS)
		kfdsim_arm_start(to_kdev(cp));
	return ktime_get_ns() + max_t(u64, kfdsim_poll_us * NSEC_PER_USEC, pause_ns);
}

/*
 * Machine code takes longer than on a GPU: the model is behind most of the time, and would be
 * called at once. All others get half as long as it took, so that a kernel without an end takes
 * no processor for itself.
 */
static u64 next_slice(u64 next, u64 cost_ns)
{
	return max(next, ktime_get_ns() + cost_ns / 2);
}

static void live_on(struct kthread_work *work)
{
	struct kfdsim_cp *cp = container_of(work, struct kfdsim_cp, work);
	u64 now, next, nr_instructions, cost_ns;

	mutex_lock(&cp->lock);
	nr_instructions = gpu_stats(cp->gpu)->nr_instructions;
	now = kfdsim_cp_now(cp);
	look_at_doorbells(cp, now);
	next = gpu_advance(cp->gpu, now);
	cost_ns = take_cost(cp);
	if (gpu_stats(cp->gpu)->nr_instructions != nr_instructions && next != U64_MAX)
		next = next_slice(next, cost_ns);
	next = min(next, next_look(cp, now, cost_ns));
	cp->nr_rounds++;
	if (cp->is_stopped)
		next = U64_MAX;
	mutex_unlock(&cp->lock);
	kfdsim_um_round();
	if (next != U64_MAX)
		hrtimer_start(&cp->timer, ns_to_ktime(next), HRTIMER_MODE_ABS);
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct kfdsim_cp *cp = container_of(timer, struct kfdsim_cp, timer);

	kthread_queue_work(cp->worker, &cp->work);
	return HRTIMER_NORESTART;
}

/* Context: any. */
void kfdsim_cp_kick(struct kfdsim_device *kdev)
{
	kthread_queue_work(kdev->cp.worker, &kdev->cp.work);
}

int kfdsim_cp_start(struct kfdsim_device *kdev)
{
	struct kfdsim_cp *cp = &kdev->cp;

	cp->worker = kthread_create_worker(0, "kfdsim-cp%u", kdev->index);
	if (IS_ERR(cp->worker))
		return PTR_ERR(cp->worker);
	/* Hardware does not wait for its turn behind the processes that use it. */
	set_user_nice(cp->worker->task, MIN_NICE);
	kthread_init_work(&cp->work, live_on);
	hrtimer_init(&cp->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	cp->timer.function = on_timer;
	kfdsim_arm_init(kdev);
	kfdsim_kick_add(kdev);
	return 0;
}

void kfdsim_cp_stop(struct kfdsim_device *kdev)
{
	struct kfdsim_cp *cp = &kdev->cp;

	kfdsim_kick_remove(kdev);
	kfdsim_arm_fini(kdev);
	/* The timer queues work and work starts the timer: only a last round may, still. */
	mutex_lock(&cp->lock);
	cp->is_stopped = true;
	mutex_unlock(&cp->lock);
	kthread_flush_worker(cp->worker);
	hrtimer_cancel(&cp->timer);
	kthread_destroy_worker(cp->worker);
}
