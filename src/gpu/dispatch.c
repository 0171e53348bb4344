// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/dispatch.h"

#include "gpu/aql_queue.h"
#include "gpu/contention.h"
#include "gpu/cu.h"
#include "gpu/wave.h"
#include "gpu/wave_isa.h"

#define VGPR_GRANULE 8	/* gfx90a and gfx942, rsrc1.granulated_workitem_vgpr_count */
#define LDS_GRANULE 512	/* gfx9 allocates LDS in 128 dwords */

struct gpu_dispatch *gpu_dispatch_get(struct gpu_slot *slot)
{
	u32 i;

	for (i = 0; i < GPU_MAX_DISPATCHES; i++) {
		struct gpu_dispatch *d = &slot->dispatch[i];

		if (d->is_used)
			continue;
		memset(d, 0, sizeof(*d));
		d->slot = slot;
		d->is_used = true;
		slot->order[slot->nr_dispatches++] = (u8)i;
		return d;
	}
	return NULL;
}

void gpu_dispatch_put(struct gpu_dispatch *d)
{
	struct gpu_slot *slot = d->slot;
	u32 i;

	for (i = 0; i < slot->nr_dispatches; i++)
		if (&slot->dispatch[slot->order[i]] == d)
			break;
	if (GP_WARN_ON(i == slot->nr_dispatches))
		return;
	slot->nr_dispatches--;
	memmove(&slot->order[i], &slot->order[i + 1], slot->nr_dispatches - i);
	d->is_used = false;
}

/* Sets how long a workgroup runs; says whether the program is legal. */
static bool check_program(struct gpu_dispatch *d)
{
	if (d->step_ns < GPU_PROGRAM_MIN_STEP_NS || d->step_ns > GPU_PROGRAM_MAX_NS ||
	    d->flags & ~GPU_PROGRAM_ENDLESS)
		return false;
	if (d->flags & GPU_PROGRAM_ENDLESS) {
		d->run_ns = U64_MAX;
		return true;
	}
	if (!d->steps || d->steps > GPU_PROGRAM_MAX_NS / d->step_ns)
		return false;
	d->run_ns = d->steps * d->step_ns;
	return true;
}

/* What is wrong with it, 0 = nothing. */
static u32 find_error(const struct gpu_profile *p, struct gpu_dispatch *d)
{
	if (!d->nr_groups)
		return GPU_ERROR_DIMENSIONS;
	if (!d->waves || d->waves > GPU_MAX_WAVES_PER_GROUP)
		return GPU_ERROR_GROUP_SIZE;
	if (d->lds_bytes > p->lds_bytes_per_cu)
		return GPU_ERROR_GROUP_SEGMENT;
	if (d->engine->run)
		d->run_ns = U64_MAX;
	else if (!check_program(d))
		return GPU_ERROR_ILLEGAL;
	return 0;
}

int gpu_dispatch_check(struct gpu *gpu, struct gpu_dispatch *d)
{
	const struct gpu_profile *p = gpu->profile;
	u32 x;

	if (!d->engine)
		d->engine = gpu->waves;
	d->slot->error_code = find_error(p, d);
	if (d->slot->error_code)
		return -EINVAL;
	d->lds_bytes = (d->lds_bytes + LDS_GRANULE - 1) / LDS_GRANULE * LDS_GRANULE;
	d->vgpr_charge = d->waves * gpu_cu_vgpr_charge(p, d->vgprs);
	if (!gpu_cu_could_take(p, d)) {
		d->slot->error_code = GPU_ERROR_REGISTERS;
		return -EINVAL;
	}
	if (!d->engine->run)
		d->wave_bytes = d->vgprs * GPU_LANES * (u32)sizeof(u32) + GPU_WAVE_FIXED_BYTES;
	d->group_bytes = d->waves * d->wave_bytes + d->lds_bytes;
	d->cu_ppm = gpu_contention_cu_ppm(p, d);
	d->pace_ppm = GPU_PPM_ONE;
	d->nr_left = d->nr_groups;
	for (x = 0; x < p->nr_xcc; x++)
		d->share[x].nr = d->nr_groups / p->nr_xcc + (x < d->nr_groups % p->nr_xcc);
	return 0;
}

int gpu_dispatch_read(struct gpu *gpu, struct gpu_dispatch *d, u64 program, u64 kernarg)
{
	u32 pasid = d->slot->pasid;
	struct gpu_program p;
	int err;

	err = gpu_host_read(gpu, pasid, program, &p, sizeof(p));
	if (err)
		return err;
	if (p.magic != GPU_PROGRAM_MAGIC) {
		d->slot->error_code = GPU_ERROR_ILLEGAL;
		return -EINVAL;
	}
	if (kernarg) {
		err = gpu_host_read(gpu, pasid, kernarg, &d->arg, sizeof(d->arg));
		if (err)
			return err;
	}
	d->steps = p.steps;
	d->step_ns = p.step_ns;
	d->flags = p.flags;
	return 0;
}

u32 gpu_dispatch_vgprs(u32 rsrc1)
{
	return ((rsrc1 & 0x3f) + 1) * VGPR_GRANULE;
}

static bool share_has_work(const struct gpu_share *share)
{
	return share->pending || share->next < share->nr;
}

void gpu_dispatch_offer(struct gpu *gpu, struct gpu_dispatch *d)
{
	u32 x;

	for (x = 0; x < gpu->profile->nr_xcc; x++) {
		if (!share_has_work(&d->share[x]))
			continue;
		gpu->xcc[x].ready |= GPU_BIT(d->slot->index);
		gpu->fill |= GPU_BIT(x);
	}
}

static void note_launch(struct gpu *gpu, struct gpu_dispatch *d, u32 nr, bool is_new)
{
	u32 waves = nr * d->waves;

	gpu->has_run = true;
	d->slot->nr_resident += waves;
	if (is_new)
		d->slot->nr_waves += waves;
	if (d->has_begun)
		return;
	d->has_begun = true;
	gpu_trace(gpu, GPU_TRACE_DISPATCH_BEGIN, d->slot, d->packet, 0);
}

/* One event for all cohorts of a dispatch that end together: the XCCs' are alike. */
void gpu_cohort_schedule(struct gpu *gpu, struct gpu_cohort *c)
{
	struct gpu_dispatch *d = c->dispatch;
	u64 end_ns;

	if (d->engine->run)
		gpu_heap_add(&gpu->heap, &c->event, gpu->now_ns);
	if (d->run_ns == U64_MAX)
		return;
	end_ns = gpu->now_ns + gpu_paced_ns(d, d->run_ns - c->ran_ns);
	if (d->leader && d->leader->event.at_ns == end_ns) {
		c->twin = d->leader->twin;
		d->leader->twin = c;
		return;
	}
	d->leader = c;
	gpu_heap_add(&gpu->heap, &c->event, end_ns);
}

static void start_cohort(struct gpu *gpu, struct gpu_share *share, struct gpu_cohort *c)
{
	c->start_ns = gpu->now_ns;
	c->is_frozen = false;
	c->next = NULL;
	c->prev = share->resident_end;
	if (share->resident_end)
		share->resident_end->next = c;
	else
		share->resident = c;
	share->resident_end = c;
	gpu_cohort_schedule(gpu, c);
}

/* Take the workgroups that found no room out of @c and let them wait on. */
static int split_pending(struct gpu *gpu, struct gpu_share *share, struct gpu_cohort *c, u32 nr)
{
	struct gpu_cohort *rest = gpu_cohort_get(gpu, c->dispatch, c->xcc);

	if (!rest)
		return -ENOMEM;
	rest->nr = c->nr - nr;
	rest->ran_ns = c->ran_ns;
	c->dispatch->engine->move(c, rest, rest->nr);
	c->nr = nr;
	rest->next = share->pending;
	if (share->pending)
		share->pending->prev = rest;
	else
		share->pending_end = rest;
	share->pending = rest;
	return 0;
}

static u32 launch_pending(struct gpu *gpu, struct gpu_dispatch *d, u32 x, bool is_one_round)
{
	struct gpu_share *share = &d->share[x];
	struct gpu_cohort *c = share->pending;
	u32 nr = gpu_cu_place(gpu, c, c->nr, is_one_round);

	if (!nr)
		return 0;
	share->pending = c->next;
	if (c->next)
		c->next->prev = NULL;
	else
		share->pending_end = NULL;
	start_cohort(gpu, share, c);
	if (nr < c->nr && split_pending(gpu, share, c, nr)) {
		gpu_slot_fail(gpu, d->slot, GPU_IRQ_NO_MEMORY);
		return 0;
	}
	note_launch(gpu, d, nr, false);
	return nr;
}

/* The youngest cohort, if it began at this very moment, else a new one. */
static struct gpu_cohort *cohort_for_launch(struct gpu *gpu, struct gpu_dispatch *d, u32 x)
{
	struct gpu_cohort *c = d->share[x].resident_end;

	if (c && !d->engine->run && c->start_ns == gpu->now_ns && !c->ran_ns && !c->is_frozen)
		return c;
	return gpu_cohort_get(gpu, d, x);
}

static u32 launch_new(struct gpu *gpu, struct gpu_dispatch *d, u32 x, bool is_one_round)
{
	struct gpu_share *share = &d->share[x];
	struct gpu_cohort *c = cohort_for_launch(gpu, d, x);
	bool is_new = c && !c->nr;
	u32 nr;

	if (!c)
		goto err_fail;
	nr = gpu_cu_place(gpu, c, d->engine->run ? 1 : share->nr - share->next, is_one_round);
	if (!nr) {
		if (is_new)
			gpu_cohort_put(gpu, c);
		return 0;
	}
	c->nr += nr;
	if (is_new)
		start_cohort(gpu, share, c);
	note_launch(gpu, d, nr, true);
	if (d->engine->launch(gpu, c, share->next, nr))
		goto err_fail;
	share->next += nr;
	return nr;

err_fail:
	gpu_slot_fail(gpu, d->slot, GPU_IRQ_NO_MEMORY);
	return 0;
}

/* The oldest dispatch of a queue that has something to launch on an XCC. */
static struct gpu_dispatch *first_with_work(struct gpu_slot *slot, u32 x)
{
	u32 i;

	for (i = 0; i < slot->nr_dispatches; i++) {
		struct gpu_dispatch *d = &slot->dispatch[slot->order[i]];

		if (share_has_work(&d->share[x]))
			return d;
	}
	return NULL;
}

/* Where a workgroup of @b finds no room, one of @a finds none. */
static bool needs_as_much(const struct gpu_dispatch *a, const struct gpu_dispatch *b)
{
	return a->waves >= b->waves && a->vgpr_charge >= b->vgpr_charge &&
	       a->lds_bytes >= b->lds_bytes;
}

/*
 * One queue's turn on an XCC: up to one workgroup for each CU, or all that fits if
 * there is no other. @full is what found no room since the round began, or NULL.
 * Return: it wants another turn.
 */
static bool serve(struct gpu *gpu, struct gpu_slot *slot, u32 x, bool is_alone,
		  const struct gpu_dispatch **full)
{
	struct gpu_dispatch *d = first_with_work(slot, x);
	u32 nr;

	if (!d) {
		gpu->xcc[x].ready &= ~GPU_BIT(slot->index);
		return false;
	}
	if (*full && needs_as_much(d, *full))
		return false;
	if (d->engine->has_room && !d->engine->has_room(gpu, d, x))
		return false;
	if (d->share[x].pending)
		nr = launch_pending(gpu, d, x, !is_alone);
	else
		nr = launch_new(gpu, d, x, !is_alone);
	if (slot->has_failed)
		return false;
	/* One that may go everywhere else may still find room where this one may not. */
	if (!nr && !slot->has_cu_mask)
		*full = d;
	return nr != 0;
}

/* Lower levels may not launch where these queues wait for room. Return: there are such places. */
static bool keep_cus(struct gpu *gpu, u32 x, u32 waiting)
{
	struct gpu_xcc *xcc = &gpu->xcc[x];
	u32 i;

	xcc->has_kept |= waiting != 0;
	for (; waiting; waiting &= waiting - 1) {
		const struct gpu_slot *slot = &gpu->slot[gpu_next_bit(waiting, 0)];

		if (!slot->has_cu_mask)
			return false;
		for (i = 0; i < ARRAY_SIZE(xcc->kept.bits); i++)
			xcc->kept.bits[i] |= slot->cus[x].bits[i];
	}
	return true;
}

/*
 * Ends: a turn launches at least one workgroup or takes the queue out of the
 * round, and CUs fill up. A level waits as long as a higher one has work that
 * finds no room: otherwise small workgroups could keep a large one out for ever.
 */
void gpu_dispatch_fill(struct gpu *gpu, u32 x)
{
	struct gpu_xcc *xcc = &gpu->xcc[x];
	const struct gpu_dispatch *full = NULL;
	u32 level = GPU_NR_LEVELS;

	xcc->has_kept = false;
	memset(&xcc->kept, 0, sizeof(xcc->kept));
	while (level--) {
		u32 round = xcc->ready & gpu->active & gpu->level[level];

		while (round) {
			u32 i = gpu_next_bit(round, xcc->last_slot[level] + 1);
			bool is_alone = !(round & (round - 1));

			xcc->last_slot[level] = i;
			if (!serve(gpu, &gpu->slot[i], x, is_alone, &full))
				round &= ~GPU_BIT(i);
		}
		if (!keep_cus(gpu, x, xcc->ready & gpu->active & gpu->level[level]))
			break;
	}
}

int gpu_signal_raise(struct gpu *gpu, struct gpu_slot *slot, u64 signal)
{
	struct {
		u64 mailbox;
		u32 id;
		u32 reserved;
	} event;
	u64 id;
	int err;

	gpu->is_signalled = true;
	err = gpu_host_read(gpu, slot->pasid, signal + offsetof(struct gpu_signal, event_mailbox),
			    &event, sizeof(event));
	if (err || !event.mailbox)
		return err;
	id = event.id;
	err = gpu_host_write(gpu, slot->pasid, event.mailbox, &id, sizeof(id));
	if (err)
		return err;
	gpu_irq(gpu, GPU_IRQ_EOP, slot, event.id);
	return 0;
}

int gpu_signal_complete(struct gpu *gpu, struct gpu_slot *slot, u64 signal)
{
	int err;

	if (!signal)
		return 0;
	err = gpu_host_add64(gpu, slot->pasid, signal + GPU_SIGNAL_VALUE_OFFSET, -1);
	return err ? err : gpu_signal_raise(gpu, slot, signal);
}

static int complete_dispatch(struct gpu *gpu, struct gpu_dispatch *d)
{
	bool is_isa = d->engine == &gpu_isa_wave_ops;
	struct gpu_slot *slot = d->slot;
	u64 signal = d->signal;
	int err = 0;

	gpu_trace(gpu, GPU_TRACE_DISPATCH_END, slot, d->packet, 0);
	gpu->stats.nr_packets++;
	gpu->stats.nr_dispatches++;
	gpu_dispatch_put(d);
	gpu->kick |= GPU_BIT(slot->index);
	if (is_isa)
		err = gpu_aql_report(gpu, slot);
	return err ? err : gpu_signal_complete(gpu, slot, signal);
}

static int write_tally(struct gpu *gpu, const struct gpu_cohort *c)
{
	const struct gpu_dispatch *d = c->dispatch;
	u32 pasid = d->slot->pasid;
	int err;

	if (!d->arg.tally)
		return 0;
	err = gpu_host_add64(gpu, pasid, d->arg.tally, c->nr);
	if (!err)
		err = gpu_host_add64(gpu, pasid, d->arg.tally + 8, (s64)(c->nr * c->ran_ns));
	return err;
}

static void take_out(struct gpu_share *share, struct gpu_cohort *c)
{
	if (c->prev)
		c->prev->next = c->next;
	else
		share->resident = c->next;
	if (c->next)
		c->next->prev = c->prev;
	else
		share->resident_end = c->prev;
}

static void account_end(struct gpu *gpu, const struct gpu_cohort *c)
{
	struct gpu_dispatch *d = c->dispatch;
	u32 waves = c->nr * d->waves;

	d->share[c->xcc].done += c->nr;
	d->nr_left -= c->nr;
	d->slot->nr_waves -= waves;
	d->slot->nr_resident -= waves;
	gpu->stats.nr_workgroups += c->nr;
}

static void end_one(struct gpu *gpu, struct gpu_cohort *c)
{
	struct gpu_dispatch *d = c->dispatch;
	struct gpu_slot *slot = d->slot;
	int err;

	/* A queue that has failed dies as a whole when things settle. */
	if (slot->has_failed)
		return;
	c->ran_ns = d->run_ns == U64_MAX ? c->ran_ns + (gpu->now_ns - c->start_ns) : d->run_ns;
	gpu_cu_release(gpu, c);
	err = d->engine->finish(gpu, c);
	if (!err)
		err = write_tally(gpu, c);
	take_out(&d->share[c->xcc], c);
	account_end(gpu, c);
	gpu_cohort_put(gpu, c);
	if (!err && !d->nr_left)
		err = complete_dispatch(gpu, d);
	if (err)
		gpu_slot_fail(gpu, slot, GPU_IRQ_MEM_FAULT);
	if (slot->state == GPU_SLOT_QUIET)
		gpu->is_firmware_kicked = true;
}

void gpu_cohort_end(struct gpu *gpu, struct gpu_cohort *c)
{
	if (c->dispatch->leader == c)
		c->dispatch->leader = NULL;
	while (c) {
		struct gpu_cohort *twin = c->twin;

		c->twin = NULL;
		end_one(gpu, c);
		c = twin;
	}
}

void gpu_cohort_event(struct gpu *gpu, struct gpu_cohort *c)
{
	if (c->dispatch->engine->run)
		c->dispatch->engine->run(gpu, c);
	else
		gpu_cohort_end(gpu, c);
}

void gpu_slot_fail(struct gpu *gpu, struct gpu_slot *slot, enum gpu_irq_source source)
{
	if (slot->has_failed)
		return;
	slot->has_failed = true;
	gpu->stats.nr_faults++;
	gpu->failed |= GPU_BIT(slot->index);
	gpu->active &= ~GPU_BIT(slot->index);
	gpu_irq(gpu, source, slot, 0);
}
