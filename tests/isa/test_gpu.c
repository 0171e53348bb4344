// SPDX-License-Identifier: MIT
/*
 * Compiled kernels on the simulated GPU: dispatched through an AQL queue, unmapped and
 * mapped at random times, saved and restored by AMD's handler. What they leave in
 * memory is what they leave undisturbed, and what they leave without a GPU.
 *
 * test_gpu PROFILE ARCH FILE [NAME]
 */
#include "gpu_machine.h"
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct launch kernels[] = {
#define X(name, lx, ly, gx, gy, n, in, out) { #name, { lx, ly }, { gx, gy }, n },
	KERNELS(X)
#undef X
	/* More workgroups than XCCs. */
	{ "collatz", { 64, 1 }, { 40, 1 }, 200 },
	{ "philox", { 64, 1 }, { 96, 1 }, 99 },
	{ "reduce", { 256, 1 }, { 24, 1 }, 900 },
	{ "private_array", { 64, 1 }, { 20, 1 }, 12 },
};

#define NR_ROUNDS 16

/* What all runs have in common. */
struct test {
	struct rig r;
	u8 *memory; /* of another rig */
	const char *profile;
	u64 saves;
	u64 instructions;
	u64 ns;	   /* of the undisturbed run */
	u64 begun; /* restores before the queue was mapped again */
	u64 ended;
};

static bool is_same(struct machine *m, struct rig *r, const char *name, const char *what)
{
	u32 k;

	for (k = 0; k < 3; k++)
		if (memcmp(machine_at(m, m->buffer[k], LAUNCH_BUFFER_BYTES), launch_buffer(r, k),
			   LAUNCH_BUFFER_BYTES)) {
			printf("%s: buffer %u differs %s\n", name, k, what);
			return false;
		}
	return true;
}

/* Undisturbed: leaves in the rig's buffers what is right. */
static bool run_alone(struct test *t, struct machine *m, const struct launch *l, u64 seed)
{
	struct launch_stats stats;
	u64 start;
	bool ok;

	machine_fill(m, &t->r, seed);
	if (!launch_run(&t->r, l, LAUNCH_ALONE, &stats)) {
		printf("%s: does not run without a GPU\n", l->name);
		return false;
	}
	machine_map(m);
	start = m->w.now_ns;
	machine_dispatch(m, l);
	world_ring(m->q);
	ok = machine_finish(m);
	t->ns = m->w.now_ns - start;
	if (!ok || gpu_stats(m->w.gpu)->nr_instructions != stats.insts) {
		printf("%s: %llu instructions, not %llu; irq %u code %u\n", l->name,
		       (unsigned long long)gpu_stats(m->w.gpu)->nr_instructions,
		       (unsigned long long)stats.insts, m->w.last_irq.source,
		       m->w.last_irq.code);
		return false;
	}
	return is_same(m, &t->r, l->name, "on the GPU");
}

/* Mostly until the waves are back from their last save, and a bit; else in the middle of that. */
static void wait_a_bit(struct test *t, struct machine *m, u64 random)
{
	u64 end = m->w.now_ns + (random >> 40) % 5000;

	if (random >> 60) {
		while (m->w.nr_traces[GPU_TRACE_RESTORE_BEGIN] != t->begun &&
		       m->w.nr_traces[GPU_TRACE_RESTORE_END] == t->ended &&
		       m->w.next_ns != U64_MAX && !machine_is_done(m)) {
			m->w.now_ns = max(m->w.now_ns, m->w.next_ns);
			m->w.next_ns = gpu_advance(m->w.gpu, m->w.now_ns);
		}
		end = m->w.now_ns + (random >> 30) % (t->ns / 12 + 2);
	}
	world_run_for(&m->w, end - m->w.now_ns);
}

static void map_again(struct test *t, struct machine *m)
{
	t->begun = m->w.nr_traces[GPU_TRACE_RESTORE_BEGIN];
	t->ended = m->w.nr_traces[GPU_TRACE_RESTORE_END];
	/* Nothing but what is in memory may help. */
	m->w.generation++;
	machine_map(m);
}

static bool run_disturbed(struct test *t, struct machine *m, const struct launch *l, u64 random)
{
	map_again(t, m);
	machine_dispatch(m, l);
	world_ring(m->q);
	while (!machine_is_done(m)) {
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		wait_a_bit(t, m, random);
		if (!world_preempt(&m->w) || m->w.nr_irqs[GPU_IRQ_MEM_FAULT] ||
		    m->w.nr_irqs[GPU_IRQ_BAD_OPCODE] || gpu_stats(m->w.gpu)->nr_saves > 20000) {
			printf("%s: preempted %llu times, then: irq %u code %u\n", l->name,
			       (unsigned long long)gpu_stats(m->w.gpu)->nr_saves,
			       m->w.last_irq.source, m->w.last_irq.code);
			return false;
		}
		map_again(t, m);
	}
	t->saves += gpu_stats(m->w.gpu)->nr_saves;
	t->instructions += gpu_stats(m->w.gpu)->nr_instructions;
	return is_same(m, &t->r, l->name, "after preemptions");
}

static bool check(struct test *t, const struct launch *l, u64 seed)
{
	struct machine_options o = { .profile = t->profile };
	struct machine *m = malloc(sizeof(*m));
	bool ok;
	u32 k;

	machine_init(m, &t->r, &o);
	ok = run_alone(t, m, l, seed);
	machine_fini(m);
	for (k = 0; k < NR_ROUNDS && ok; k++) {
		/* The rig's buffers hold the results: only the machine's are filled. */
		struct rig scratch = t->r;

		o.slice = (u32)((seed + k) % 13) + 1;
		o.max_instructions = k % 3 ? 0 : 40;
		o.handler = k % 4 ? GPU_HANDLER_RUN : GPU_HANDLER_SHORTCUT;
		machine_init(m, &t->r, &o);
		scratch.mem = t->memory;
		machine_fill(m, &scratch, seed);
		ok = run_disturbed(t, m, l, seed * NR_ROUNDS + k);
		machine_fini(m);
	}
	free(m);
	return ok;
}

int main(int argc, char **argv)
{
	struct test t = { .profile = argc > 3 ? argv[1] : "" };
	u32 k, bad = 0, done = 0;

	if (argc < 4)
		return 2;
	t.memory = malloc(RIG_BYTES);
	rig_init(&t.r, strcmp(argv[2], "gfx942") ? ISA_GFX90A : ISA_GFX942);
	if (!launch_load(&t.r, argv[3]) || !rig_load_handler(&t.r)) {
		printf("skipped: no code object, or no kernel source in the cache\n");
		return 77;
	}
	for (k = 0; k < ARRAY_SIZE(kernels); k++) {
		if ((argc > 4 && strcmp(argv[4], kernels[k].name)) ||
		    !launch_has(&t.r, kernels[k].name))
			continue;
		bad += !check(&t, &kernels[k], 1234567 + k);
		done++;
	}
	printf("%s: %u kernels, %u wrong; %llu preemptions, %llu instructions\n", t.profile, done,
	       bad, (unsigned long long)t.saves, (unsigned long long)t.instructions);
	free(t.memory);
	rig_fini(&t.r);
	return bad || !done || !t.saves;
}
