// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "gpu/wave_isa.h"

#include "gpu/dispatch.h"
#include "gpu/gpu_slot.h"
#include "gpu/wave.h"

#define MSG_INTERRUPT 1u
#define MSG_GET_DOORBELL 10u
#define INTERRUPT_MASK 0xffffffu /* of M0 */
#define SLEEP_CLOCKS 64

bool gpu_slot_is_isa(const struct gpu_slot *slot)
{
	return slot->nr_dispatches && slot->dispatch[slot->order[0]].engine == &gpu_isa_wave_ops;
}

bool gpu_isa_is_live(const struct gpu_isa_wave *w)
{
	return w->why != ISA_ENDED && w->why != ISA_SAVED;
}

/* Memory for waves, and a place in scratch memory for each. */
static bool isa_has_room(struct gpu *gpu, struct gpu_dispatch *d, u32 xcc)
{
	u64 bytes = gpu->isa->bytes + gpu_isa_group_bytes(d, d->waves);

	if (gpu->max_wave_bytes && gpu->isa->bytes && bytes > gpu->max_wave_bytes)
		return false;
	/* Groups that come back have theirs. */
	return !d->kernel.private_bytes || d->share[xcc].pending ||
	       gpu_spi_has_scratch(d->slot, xcc, d->waves);
}

static u32 se_of(const struct gpu *gpu, const struct gpu_cohort *c)
{
	u32 nr = gpu_isa_arch(gpu) == ISA_GFX942 ? 4 : 8;

	return gpu_profile_se_of(gpu->profile, c->lo) % nr;
}

static int isa_launch(struct gpu *gpu, struct gpu_cohort *c, u32 first, u32 nr)
{
	struct gpu_dispatch *d = c->dispatch;
	u32 id = first * gpu->profile->nr_xcc + c->xcc;
	struct gpu_isa_group *g = gpu_isa_group_alloc(gpu, c, gpu_spi_count_waves(d, id));
	int err;

	if (!g)
		return -ENOMEM;
	g->id = id;
	g->se = se_of(gpu, c);
	g->phase = GPU_ISA_RUNNING;
	err = gpu_isa_group_fill(gpu, g);
	if (!err && d->kernel.private_bytes)
		err = gpu_spi_take_scratch(d->slot, c->xcc, g);
	if (!err)
		gpu_spi_start(gpu, g);
	return err;
}

static int isa_finish(struct gpu *gpu, struct gpu_cohort *c)
{
	gpu_isa_group_free(gpu, c);
	return 0;
}

static bool can_go(const struct gpu_isa_group *g, const struct gpu_isa_wave *w)
{
	if (w->has_asked && g->phase < GPU_ISA_GRANTED)
		return false;
	return w->why == ISA_BUDGET || w->why == ISA_SLEEP || w->why == ISA_MESSAGE ||
	       w->why == ISA_NEED_PAGE;
}

static u32 count_live(const struct gpu_isa_group *g)
{
	u32 nr = 0, i;

	for (i = 0; i < g->nr; i++)
		nr += gpu_isa_is_live(g->wave[i]);
	return nr;
}

/* All waves that are left are there: they go on together. */
static void pass_barrier(struct gpu *gpu, struct gpu_isa_group *g)
{
	u32 waiting = 0, i;

	for (i = 0; i < g->nr; i++)
		waiting += g->wave[i]->why == ISA_BARRIER;
	if (!waiting || waiting != count_live(g))
		return;
	for (i = 0; i < g->nr; i++) {
		if (g->wave[i]->why != ISA_BARRIER)
			continue;
		isa_barrier_pass(&g->wave[i]->isa);
		gpu->stats.nr_instructions++;
		g->wave[i]->why = ISA_BUDGET;
	}
}

/* The handler's TMA begins with the address of a second handler, or 0. */
static bool has_second_handler(struct gpu *gpu, u32 pasid, const struct isa_wave *w)
{
	u64 second = 0;

	return w->tba && w->tma && !gpu_host_read(gpu, pasid, w->tma, &second, sizeof(second)) &&
	       second;
}

/*
 * Something is wrong with a wave. Outside of its handler, and if there is a second
 * one that takes care, an illegal instruction is that one's business. During a save
 * the context is lost; else the queue has failed.
 */
static void except(struct gpu *gpu, struct gpu_isa_group *g, struct gpu_isa_wave *w)
{
	struct gpu_slot *slot = g->cohort->dispatch->slot;
	bool is_fault = w->why == ISA_FAULT;

	if (g->phase >= GPU_ISA_ASKED || (g->is_ordered && w->isa.status & ISA_STATUS_PRIV)) {
		slot->save_err = is_fault ? -EFAULT : -EINVAL;
		g->is_lost = true;
		w->why = ISA_SAVED;
		return;
	}
	if (!is_fault && !(w->isa.status & ISA_STATUS_PRIV) &&
	    has_second_handler(gpu, slot->pasid, &w->isa)) {
		w->isa.trapsts |= ISA_TRAPSTS_ILLEGAL;
		isa_trap(&w->isa, 0);
		w->why = ISA_BUDGET;
		return;
	}
	slot->error_code = is_fault ? GPU_ERROR_MEMORY : GPU_ERROR_ILLEGAL;
	slot->error_address = is_fault ? w->isa.stop_address : w->isa.pc;
	gpu_slot_fail(gpu, slot, is_fault ? GPU_IRQ_MEM_FAULT : GPU_IRQ_BAD_OPCODE);
}

static void take_message(struct gpu *gpu, struct gpu_isa_group *g, struct gpu_isa_wave *w)
{
	struct gpu_slot *slot = g->cohort->dispatch->slot;

	switch (w->isa.stop_word & ISA_MSG_MASK) {
	case ISA_MSG_SAVEWAVE:
		w->has_asked = w->isa.status & ISA_STATUS_PRIV;
		break;
	case MSG_INTERRUPT:
		gpu_irq(gpu, GPU_IRQ_WAVE, slot, w->isa.m0 & INTERRUPT_MASK);
		break;
	case MSG_GET_DOORBELL:
		w->isa.exec = slot->doorbell / 2 & 0x3ff;
		break;
	}
}

/* One slice of a wave. Return: clocks it took. */
static u64 run_wave(struct gpu *gpu, struct gpu_isa_group *g, struct gpu_isa_wave *w)
{
	const struct gpu_profile *p = gpu->profile;
	u64 retired = w->isa.retired, memory = w->isa.retired_memory, clocks;

	if (gpu->faults.is_dead) {
		w->why = ISA_ENDED;
		return 0;
	}
	w->why = isa_run(&w->isa, &gpu->isa->env, gpu->slice);
	retired = w->isa.retired - retired;
	memory = w->isa.retired_memory - memory;
	gpu->stats.nr_instructions += retired;
	clocks = retired * p->inst_clocks + memory * p->memory_clocks;
	if (w->why == ISA_MESSAGE)
		take_message(gpu, g, w);
	else if (w->why == ISA_SLEEP)
		clocks += w->isa.stop_word * SLEEP_CLOCKS;
	else if (w->why == ISA_ILLEGAL || w->why == ISA_FAULT)
		except(gpu, g, w);
	return clocks;
}

/* Waves of a CU share its SIMDs. */
static u64 clocks_to_ns(const struct gpu *gpu, const struct gpu_cohort *c, u64 clocks)
{
	const struct gpu_profile *p = gpu->profile;
	u32 waves = p->simd_per_cu * p->waves_per_simd - gpu->xcc[c->xcc].waves[c->lo];
	u32 turns = (waves + p->simd_per_cu - 1) / p->simd_per_cu;
	u64 ns = clocks * turns * 1000000 / p->clock_khz;

	return ns ? ns : 1;
}

/* Every wave that can, for a slice. Return: how long that took, 0 = none could. */
static u64 run_waves(struct gpu *gpu, struct gpu_isa_group *g)
{
	struct gpu_slot *slot = g->cohort->dispatch->slot;
	u64 most = 0, ns = 0;
	u32 i, nr = 0;

	gpu_isa_enter(gpu, slot);
	for (i = 0; i < g->nr && !slot->has_failed; i++) {
		if (!can_go(g, g->wave[i]))
			continue;
		nr++;
		most = max(most, run_wave(gpu, g, g->wave[i]));
		if (g->wave[i]->why == ISA_NEED_PAGE)
			ns = GPU_ISA_RETRY_NS;
	}
	pass_barrier(gpu, g);
	most = clocks_to_ns(gpu, g->cohort, most);
	return nr ? max(ns, most) : 0;
}

static bool is_in_handler(const struct gpu_isa_group *g)
{
	u32 i;

	for (i = 0; i < g->nr; i++)
		if (gpu_isa_is_live(g->wave[i]) && g->wave[i]->isa.status & ISA_STATUS_PRIV)
			return true;
	return false;
}

/* Its waves go on where they were. */
static void note_restored(struct gpu *gpu, struct gpu_isa_group *g)
{
	struct gpu_slot *slot = g->cohort->dispatch->slot;

	g->is_restoring = false;
	if (!--slot->nr_restoring)
		gpu_trace(gpu, GPU_TRACE_RESTORE_END, slot, gpu_slot_saved_total(gpu, slot), 0);
}

/* Nothing of it runs any more until it is told where its records go. */
static bool has_asked(const struct gpu *gpu, const struct gpu_isa_group *g)
{
	u32 i;

	if (gpu->handler == GPU_HANDLER_SHORTCUT)
		return !is_in_handler(g);
	for (i = 0; i < g->nr; i++)
		if (gpu_isa_is_live(g->wave[i]) && !g->wave[i]->has_asked)
			return false;
	return true;
}

static void note_asked(struct gpu *gpu, struct gpu_isa_group *g)
{
	struct gpu_slot *slot = g->cohort->dispatch->slot;
	u32 xcc = g->cohort->xcc;

	g->phase = GPU_ISA_ASKED;
	slot->nr_unasked[xcc]--;
	if (!slot->nr_unasked[xcc])
		gpu_isa_grant(gpu, slot, xcc);
}

void gpu_isa_note_saved(struct gpu *gpu, struct gpu_isa_group *g)
{
	struct gpu_slot *slot = g->cohort->dispatch->slot;

	g->phase = GPU_ISA_SAVED;
	slot->nr_saving--;
	if (!slot->nr_saving)
		gpu->is_firmware_kicked = true;
}

/* It came to its end, perhaps while it was to be saved. */
static void end_group(struct gpu *gpu, struct gpu_isa_group *g)
{
	struct gpu_slot *slot = g->cohort->dispatch->slot;
	u32 xcc = g->cohort->xcc;
	bool is_ordered = g->is_ordered;

	if (is_ordered)
		gpu_isa_note_saved(gpu, g);
	gpu_cohort_end(gpu, g->cohort);
	if (!is_ordered || slot->has_failed)
		return;
	slot->nr_unasked[xcc]--;
	if (!slot->nr_unasked[xcc] && slot->nr_saving)
		gpu_isa_grant(gpu, slot, xcc);
}

/* What the last slice has led to. Return: there is nothing more to run now. */
static bool take_stock(struct gpu *gpu, struct gpu_isa_group *g)
{
	if (g->phase == GPU_ISA_RUNNING && !count_live(g) && !g->is_lost) {
		end_group(gpu, g);
		return true;
	}
	if (!g->is_ordered)
		return false;
	if (g->phase == GPU_ISA_RUNNING && has_asked(gpu, g)) {
		note_asked(gpu, g);
		return true;
	}
	if (g->phase == GPU_ISA_GRANTED && !count_live(g)) {
		gpu_isa_note_saved(gpu, g);
		return true;
	}
	return g->phase == GPU_ISA_ASKED || g->phase == GPU_ISA_SAVED;
}

static void isa_run_cohort(struct gpu *gpu, struct gpu_cohort *c)
{
	struct gpu_isa_group *g = c->isa;
	struct gpu_slot *slot = c->dispatch->slot;
	u64 ns;

	if (slot->has_failed || !g)
		return;
	if (g->phase == GPU_ISA_WAITING) {
		int err;

		g->se = se_of(gpu, c);
		err = gpu_isa_load(gpu, g);
		if (err) {
			gpu_slot_fail(gpu, slot, gpu_irq_of(err));
			return;
		}
	}
	if (take_stock(gpu, g))
		return;
	ns = run_waves(gpu, g);
	if (g->is_restoring && !is_in_handler(g))
		note_restored(gpu, g);
	if (ns && !slot->has_failed)
		gpu_heap_add(&gpu->heap, &c->event, gpu->now_ns + ns);
}

void gpu_isa_order(struct gpu *gpu, struct gpu_isa_group *g)
{
	u32 i;

	g->is_ordered = true;
	for (i = 0; i < g->nr && g->phase == GPU_ISA_RUNNING; i++) {
		struct gpu_isa_wave *w = g->wave[i];

		if (!gpu_isa_is_live(w))
			continue;
		if (gpu->handler == GPU_HANDLER_RUN)
			w->isa.trapsts |= ISA_TRAPSTS_SAVECTX;
		/* A wave at a barrier comes back to it; one that is halted is saved, too. */
		w->why = ISA_BUDGET;
	}
}

/* A slice that is under way comes to its end first. */
static bool isa_stop(struct gpu *gpu, struct gpu_cohort *c)
{
	struct gpu_slot *slot = c->dispatch->slot;

	if (slot->how != GPU_DEQUEUE_SAVE || !c->isa)
		return false;
	slot->nr_saving++;
	slot->nr_unasked[c->xcc]++;
	gpu_isa_order(gpu, c->isa);
	if (!gpu_event_is_scheduled(&c->event))
		gpu_heap_add(&gpu->heap, &c->event, gpu->now_ns);
	return true;
}

const struct gpu_wave_ops gpu_isa_wave_ops = {
	.name = "isa",
	.magic = 0x49575047, /* "GPWI" */
	.launch = isa_launch,
	.finish = isa_finish,
	.drop = gpu_isa_group_free,
	.has_room = isa_has_room,
	.run = isa_run_cohort,
	.stop = isa_stop,
};
