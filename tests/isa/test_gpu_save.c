// SPDX-License-Identifier: MIT
/*
 * What may go wrong with machine code on the simulated GPU: a flipped byte in a save
 * area is seen, hostile bytes there break nothing, a handler that never ends is a
 * preemption that times out, and each exception has its code.
 *
 * test_gpu_save PROFILE ARCH KERNELS LIVE
 */
#include "gpu_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASID WORLD_FIRST_PASID
#define MS 1000000ull
#define OUT_BYTES 256
#define S_BRANCH_SELF 0xbf82ffffu
#define S_ENDPGM 0xbf810000u
#define S_SENDMSG_INTERRUPT 0xbf900001u

#define CHECK(x)                                                       \
	do {                                                           \
		if (!(x)) {                                            \
			printf("%s:%d: %s\n", __func__, __LINE__, #x); \
			return false;                                  \
		}                                                      \
	} while (0)

/* What all cases share. */
struct test {
	struct rig kernels;
	struct rig live;
	const char *profile;
	const char *path[2];
};

static const struct launch live = { "live", { 64, 1 }, { 1, 1 }, 0 };
static const struct launch one = { "none", { 64, 1 }, { 1, 1 }, 0 };

static u64 next_random(u64 *random)
{
	*random = *random * 6364136223846793005ull + 1442695040888963407ull;
	return *random >> 24;
}

/* Until something of the last dispatch has run. */
static void run_a_slice(struct machine *m)
{
	u64 before = gpu_stats(m->w.gpu)->nr_instructions;

	while (gpu_stats(m->w.gpu)->nr_instructions == before && m->w.next_ns != U64_MAX) {
		m->w.now_ns = max(m->w.now_ns, m->w.next_ns);
		m->w.next_ns = gpu_advance(m->w.gpu, m->w.now_ns);
	}
}

static void run_events(struct machine *m, u32 nr)
{
	while (nr-- && m->w.next_ns != U64_MAX) {
		m->w.now_ns = max(m->w.now_ns, m->w.next_ns);
		m->w.next_ns = gpu_advance(m->w.gpu, m->w.now_ns);
	}
}

/* The digests of live.s, saved after some steps; @byte: corrupted there, ~0 = not. */
static bool digests(struct test *t, u32 steps, u64 byte, u8 *out)
{
	struct machine_options o = { .profile = t->profile, .slice = steps };
	struct machine *m = malloc(sizeof(*m));
	bool ok;

	launch_load(&t->live, t->path[1]);
	machine_init(m, &t->live, &o);
	machine_map(m);
	machine_dispatch(m, &live);
	world_ring(m->q);
	run_a_slice(m);
	if (byte != ~0ull)
		gpu_inject(m->w.gpu, GPU_FAULT_CORRUPT, byte);
	ok = world_preempt(&m->w) && gpu_stats(m->w.gpu)->nr_saves == 1;
	machine_map(m);
	ok = ok && machine_finish(m) && !m->w.nr_irqs[GPU_IRQ_MEM_FAULT];
	memcpy(out, machine_at(m, m->buffer[0], OUT_BYTES), OUT_BYTES);
	machine_fini(m);
	free(m);
	return ok;
}

/* The first 64 rows of its record are VGPRs, all of them live. */
static bool a_flipped_byte_is_seen(struct test *t)
{
	u8 want[OUT_BYTES], got[OUT_BYTES];
	u64 random = 7;
	u32 k;

	CHECK(digests(t, 250, ~0ull, want));
	for (k = 0; k < 60; k++) {
		u32 steps = 240 + (u32)(next_random(&random) % 110);

		CHECK(digests(t, steps, ~0ull, got));
		CHECK(!memcmp(got, want, OUT_BYTES));
		CHECK(!digests(t, steps, next_random(&random) % (64 * 256), got) ||
		      memcmp(got, want, OUT_BYTES));
	}
	return true;
}

/* Three kernels in flight, each with buffers of its own. */
static void dispatch_three(struct machine *m, struct test *t, u64 (*buffers)[3], u64 *signals)
{
	static const struct launch three[] = {
		{ "philox", { 64, 1 }, { 96, 1 }, 99 },
		{ "reduce", { 256, 1 }, { 40, 1 }, 900 },
		{ "collatz", { 64, 1 }, { 60, 1 }, 200 },
	};
	u32 k, i;

	for (k = 0; k < ARRAY_SIZE(three); k++) {
		for (i = 0; i < 3; i++)
			m->buffer[i] = world_alloc(&m->w, PASID, LAUNCH_BUFFER_BYTES, 4096);
		machine_fill(m, &t->kernels, 99 + k);
		machine_dispatch(m, &three[k]);
		memcpy(buffers[k], m->buffer, sizeof(m->buffer));
		signals[k] = m->signal;
	}
	world_ring(m->q);
}

static bool is_all_done(struct machine *m, const u64 *signals)
{
	u32 k;

	for (k = 0; k < 3; k++)
		if (world_signal_value(&m->w, PASID, signals[k]))
			return false;
	return true;
}

/* Another GPU, which knows nothing of the first and has less memory for waves. */
static bool replace_gpu(struct machine *m, u64 max_wave_bytes, u32 slice)
{
	struct gpu_config config = {
		.profile = m->w.profile,
		.engine = "state",
		.max_wave_bytes = max_wave_bytes,
		.slice = slice,
	};

	gpu_destroy(m->w.gpu);
	world_set_u32(&m->w, GPU_PASID_GART, m->w.hiq_mqd + GPU_MQD_PQ_RPTR,
		      (u32)(m->w.hiq_wptr % m->w.hiq_dwords));
	return !gpu_create(&config, &m->w.host, &m->w.gpu) &&
	       !gpu_hiq_load(m->w.gpu, m->w.hiq_mqd, m->w.now_ns);
}

/* On GPUs that follow each other. Return: saves, 0 = not all came to its end. */
static u64 run_on_many(struct machine *m, const u64 *signals, u64 *random)
{
	u64 nr_saves = 0;

	machine_map(m);
	while (!is_all_done(m, signals) && nr_saves < 1000) {
		run_events(m, (u32)(next_random(random) % 1000));
		if (!world_preempt(&m->w))
			return 0;
		nr_saves += gpu_stats(m->w.gpu)->nr_saves;
		/* Often more groups than there is room for: they wait in the save area. */
		if (!replace_gpu(m, next_random(random) % 3 ? 200 << 10 : 0, 3))
			return 0;
		machine_map(m);
	}
	return is_all_done(m, signals) ? nr_saves : 0;
}

static bool several_dispatches_survive(struct test *t)
{
	struct machine_options o = { .profile = t->profile, .slice = 3 };
	u64 buffers[3][3], again[3][3], signals[3], random = 5, total = 0;
	struct machine *m = calloc(1, sizeof(*m)), *n = calloc(1, sizeof(*n));
	u32 round, k;

	launch_load(&t->kernels, t->path[0]);
	machine_init(m, &t->kernels, &o);
	dispatch_three(m, t, buffers, signals);
	machine_map(m);
	while (!is_all_done(m, signals))
		world_run_for(&m->w, 1000);
	for (round = 0; round < 12; round++) {
		u64 nr_saves;

		machine_init(n, &t->kernels, &o);
		dispatch_three(n, t, again, signals);
		nr_saves = run_on_many(n, signals, &random);
		CHECK(nr_saves);
		total += nr_saves;
		for (k = 0; k < 9; k++)
			CHECK(!memcmp(machine_at(m, buffers[k / 3][k % 3], LAUNCH_BUFFER_BYTES),
				      machine_at(n, again[k / 3][k % 3], LAUNCH_BUFFER_BYTES),
				      LAUNCH_BUFFER_BYTES));
		machine_fini(n);
	}
	printf("three dispatches: %llu saves\n", (unsigned long long)total);
	machine_fini(m);
	free(m);
	free(n);
	return true;
}

/* Saved at the same moment, once by the handler, once without. */
static bool handler_and_shortcut_write_the_same(struct test *t)
{
	static const struct launch l = { "reduce", { 256, 1 }, { 24, 1 }, 900 };
	struct machine_options o = { .profile = t->profile, .slice = 50 };
	struct machine *m[2];
	u64 bytes, ctl;
	u32 k;

	launch_load(&t->kernels, t->path[0]);
	for (k = 0; k < 2; k++) {
		m[k] = malloc(sizeof(*m[k]));
		o.handler = k ? GPU_HANDLER_SHORTCUT : GPU_HANDLER_RUN;
		machine_init(m[k], &t->kernels, &o);
		machine_fill(m[k], &t->kernels, 3);
		machine_map(m[k]);
		machine_dispatch(m[k], &l);
		world_ring(m[k]->q);
		run_a_slice(m[k]);
		CHECK(world_preempt(&m[k]->w));
		CHECK(gpu_stats(m[k]->w.gpu)->nr_saves == 1);
	}
	bytes = (u64)m[0]->q->area_bytes * m[0]->w.profile->nr_xcc;
	CHECK(!memcmp(machine_at(m[0], m[0]->q->area, bytes),
		      machine_at(m[1], m[1]->q->area, bytes), bytes));
	ctl = m[0]->q->stride * m[0]->w.profile->nr_xcc;
	CHECK(!memcmp(world_at(&m[0]->w, GPU_PASID_GART, m[0]->q->mqd, ctl),
		      world_at(&m[1]->w, GPU_PASID_GART, m[1]->q->mqd, ctl), ctl));
	for (k = 0; k < 2; k++) {
		machine_fini(m[k]);
		free(m[k]);
	}
	return true;
}

static struct machine *start(struct test *t, const u32 *words, u32 nr, u64 *code)
{
	struct machine_options o = { .profile = t->profile };
	struct machine *m = malloc(sizeof(*m));

	launch_load(&t->kernels, t->path[0]);
	machine_init(m, &t->kernels, &o);
	machine_map(m);
	*code = machine_assemble(m, words, nr);
	machine_dispatch_at(m, &one, *code);
	return m;
}

static void end(struct machine *m)
{
	machine_fini(m);
	free(m);
}

static bool an_endless_kernel_gives_way(struct test *t)
{
	static const u32 words[] = { S_BRANCH_SELF };
	u64 code;
	struct machine *m = start(t, words, ARRAY_SIZE(words), &code);
	u32 k;

	world_ring(m->q);
	for (k = 0; k < 20; k++) {
		world_run_for(&m->w, 100000);
		CHECK(gpu_waves(m->w.gpu, m->q->doorbell) == 1);
		CHECK(world_preempt(&m->w));
		CHECK(!gpu_waves(m->w.gpu, 0));
		machine_map(m);
	}
	CHECK(gpu_stats(m->w.gpu)->nr_saves == 20);
	end(m);
	return true;
}

static bool a_handler_that_never_ends_is_a_timeout(struct test *t)
{
	static const u32 words[] = { S_BRANCH_SELF }, stuck = S_BRANCH_SELF;
	u64 code;
	struct machine *m = start(t, words, ARRAY_SIZE(words), &code);
	int slot;

	memcpy(machine_at(m, m->w.tba, 4), &stuck, 4);
	world_ring(m->q);
	world_run_for(&m->w, 100000);
	world_unmap(&m->w, GPU_UNMAP_ALL_NON_STATIC, GPU_UNMAP_PREEMPT, NULL, 0);
	world_fence(&m->w);
	world_hiq_ring(&m->w);
	CHECK(!world_run_fence(&m->w, 20 * MS));
	slot = gpu_slot_of(m->w.gpu, m->q->doorbell);
	CHECK(slot >= 0);
	/* What the driver does then. */
	CHECK(!gpu_hqd_dequeue(m->w.gpu, (u32)slot, GPU_DEQUEUE_RESET, m->w.now_ns));
	CHECK(world_run_fence(&m->w, 20 * MS));
	world_run_for(&m->w, MS);
	CHECK(gpu_slot_of(m->w.gpu, m->q->doorbell) < 0);
	end(m);
	return true;
}

static bool without_a_handler_a_queue_drains(struct test *t)
{
	static const u32 words[] = { S_ENDPGM };
	u64 code;
	struct machine *m = start(t, words, ARRAY_SIZE(words), &code);

	m->w.tba = 0;
	CHECK(world_preempt(&m->w));
	machine_map(m);
	world_ring(m->q);
	run_a_slice(m);
	CHECK(world_preempt(&m->w));
	CHECK(machine_is_done(m) && !gpu_stats(m->w.gpu)->nr_saves);
	end(m);
	return true;
}

static bool an_illegal_instruction_names_itself(struct test *t)
{
	static const u32 words[] = { 0xbf800000u, 0xffffffffu };
	u64 code;
	struct machine *m = start(t, words, ARRAY_SIZE(words), &code);

	world_ring(m->q);
	world_run_for(&m->w, MS);
	CHECK(m->w.nr_irqs[GPU_IRQ_BAD_OPCODE] == 1);
	CHECK(m->w.last_irq.code == GPU_ERROR_ILLEGAL);
	CHECK(m->w.last_irq.address == code + 256 + 4);
	CHECK(!machine_is_done(m) && !gpu_waves(m->w.gpu, 0));
	end(m);
	return true;
}

/* s_mov_b64 s[0:1], 0; s_load_dword s2, s[0:1], 0x0 */
static bool a_memory_fault_names_its_page(struct test *t)
{
	static const u32 words[] = { 0xbe800180u, 0xc0020080u, 0, S_ENDPGM };
	u64 code;
	struct machine *m = start(t, words, ARRAY_SIZE(words), &code);

	world_ring(m->q);
	world_run_for(&m->w, MS);
	CHECK(m->w.nr_irqs[GPU_IRQ_MEM_FAULT] == 1);
	CHECK(m->w.last_irq.code == GPU_ERROR_MEMORY);
	CHECK(m->w.last_irq.address == 0);
	CHECK(!machine_is_done(m));
	end(m);
	return true;
}

/* AMD's runtime gives scratch memory when the first kernel wants some. */
static bool scratch_memory_is_asked_for(struct test *t)
{
	static const struct launch l = { "private_array", { 64, 1 }, { 20, 1 }, 12 };
	struct machine_options o = { .profile = t->profile, .has_no_scratch = true };
	struct machine *m = malloc(sizeof(*m));
	u64 signal;

	launch_load(&t->kernels, t->path[0]);
	machine_init(m, &t->kernels, &o);
	signal = world_signal(&m->w, PASID, 0, 17);
	world_set_u64(&m->w, PASID, m->q->rptr_addr + 64, signal);
	machine_map(m);
	machine_dispatch(m, &l);
	world_ring(m->q);
	world_run_for(&m->w, MS);
	CHECK(world_signal_value(&m->w, PASID, signal) == GPU_INACTIVE_SCRATCH);
	CHECK(m->w.nr_irqs[GPU_IRQ_EOP] == 1 && m->w.last_irq.context == 17);
	/* A queue that comes back asks again. */
	CHECK(world_preempt(&m->w));
	machine_map(m);
	world_run_for(&m->w, MS);
	CHECK(!machine_is_done(m) && m->w.nr_irqs[GPU_IRQ_EOP] == 2);
	machine_give_scratch(m);
	world_set_u64(&m->w, PASID, signal + GPU_SIGNAL_VALUE_OFFSET, 0);
	CHECK(machine_finish(m));
	end(m);
	return true;
}

/* AMD's handler leaves exceptions to the one that TMA names: it tells the driver. */
static bool a_second_handler_gets_exceptions(struct test *t)
{
	static const u32 words[] = { 0xffffffffu };
	/* s_mov_b32 m0, 0x1002 */
	static const u32 second[] = { 0xbefc00ffu, 0x1002, S_SENDMSG_INTERRUPT, S_ENDPGM };
	u64 code, handler;
	struct machine *m = start(t, words, ARRAY_SIZE(words), &code);

	handler = machine_assemble(m, second, ARRAY_SIZE(second)) + 256;
	world_set_u64(&m->w, PASID, m->w.tma, handler);
	world_ring(m->q);
	world_run_for(&m->w, MS);
	CHECK(m->w.nr_irqs[GPU_IRQ_WAVE] == 1);
	CHECK(!m->w.nr_irqs[GPU_IRQ_BAD_OPCODE]);
	CHECK(machine_is_done(m));
	end(m);
	return true;
}

/*
 * As much as there is to do, a call does no more than it may: of all waves at once, of which a
 * workgroup's may be one slice beyond.
 */
static bool a_call_is_bounded(struct test *t)
{
	static const struct launch l = { "churn_shared", { 128, 1 }, { 200, 1 }, 20 };
	struct machine_options o = { .profile = t->profile, .slice = 50, .max_instructions = 1000 };
	struct machine *m = malloc(sizeof(*m));
	u64 done = 0, calls = 0;

	launch_load(&t->kernels, t->path[0]);
	machine_init(m, &t->kernels, &o);
	machine_fill(m, &t->kernels, 3);
	machine_map(m);
	machine_dispatch(m, &l);
	world_ring(m->q);
	while (!machine_is_done(m) && calls++ < 100000) {
		gpu_advance(m->w.gpu, m->w.now_ns + 1000 * MS);
		CHECK(gpu_stats(m->w.gpu)->nr_instructions - done < 1000 + 2 * 50);
		done = gpu_stats(m->w.gpu)->nr_instructions;
		/* It has not lived through what it has not done. */
		CHECK(machine_is_done(m) || gpu_now_ns(m->w.gpu) < m->w.now_ns + 1000 * MS);
	}
	CHECK(machine_is_done(m) && calls > 100);
	end(m);
	return true;
}

/* The control of tests elsewhere: every kernel ends, none is executed. */
static bool a_dead_gpu_executes_nothing(struct test *t)
{
	static const struct launch l = { "add_ints", { 64, 1 }, { 2, 1 }, 100 };
	struct machine_options o = { .profile = t->profile };
	struct machine *m = malloc(sizeof(*m));

	launch_load(&t->kernels, t->path[0]);
	machine_init(m, &t->kernels, &o);
	machine_fill(m, &t->kernels, 3);
	machine_map(m);
	gpu_inject(m->w.gpu, GPU_FAULT_DEAD, 1);
	machine_dispatch(m, &l);
	world_ring(m->q);
	CHECK(machine_finish(m));
	CHECK(!gpu_stats(m->w.gpu)->nr_instructions);
	CHECK(!*(u32 *)machine_at(m, m->buffer[2], 4));
	gpu_inject(m->w.gpu, GPU_FAULT_DEAD, 0);
	machine_dispatch(m, &l);
	world_ring(m->q);
	CHECK(machine_finish(m));
	CHECK(*(u32 *)machine_at(m, m->buffer[2], 4));
	end(m);
	return true;
}

/* Flip some bytes of what the client can write. */
static void damage(struct machine *m, u64 *random)
{
	u32 x = (u32)(next_random(random) % m->w.profile->nr_xcc), k;
	u64 mqd = m->q->mqd + x * m->q->stride;
	u32 size = world_u32(&m->w, GPU_PASID_GART, mqd + GPU_MQD_CTL_STACK_SIZE);
	u32 offset = world_u32(&m->w, GPU_PASID_GART, mqd + GPU_MQD_CTL_STACK_OFFSET);

	for (k = 0; k < 2; k++) {
		u8 bit = (u8)(1u << next_random(random) % 8);
		u64 at = next_random(random);

		switch (next_random(random) % 4) {
		case 0:
			*(u8 *)machine_at(m, m->q->eop + at % 700, 1) ^= bit;
			break;
		case 1:
			if (offset < size)
				*(u8 *)world_at(&m->w, GPU_PASID_GART,
						mqd + GPU_MQD_CTL_STACK + offset +
							at % (size - offset),
						1) ^= bit;
			break;
		case 2:
			*(u8 *)world_at(&m->w, GPU_PASID_GART,
					mqd + GPU_MQD_CTL_STACK_OFFSET + at % 12, 1) ^= bit;
			break;
		default:
			at = m->q->area + x * (u64)m->q->area_bytes + size + at % 65536;
			*(u8 *)machine_at(m, at, 1) ^= bit;
			break;
		}
	}
}

static bool hostile_bytes_break_nothing(struct test *t)
{
	struct machine_options o = { .profile = t->profile, .slice = 30 };
	u32 round, refused = 0;
	u64 random = 11;

	launch_load(&t->kernels, t->path[0]);
	for (round = 0; round < 150; round++) {
		struct machine *m = calloc(1, sizeof(*m));
		u64 buffers[3][3], signals[3];
		u32 k;

		machine_init(m, &t->kernels, &o);
		dispatch_three(m, t, buffers, signals);
		machine_map(m);
		world_run_for(&m->w, next_random(&random) % 60000);
		CHECK(world_preempt(&m->w));
		damage(m, &random);
		for (k = 0; k < 4; k++) {
			machine_map(m);
			world_run_for(&m->w, next_random(&random) % 40000);
			/* Waves that were changed may never come to the end of a handler. */
			world_unmap(&m->w, GPU_UNMAP_ALL_NON_STATIC, GPU_UNMAP_PREEMPT, NULL, 0);
			world_fence(&m->w);
			world_hiq_ring(&m->w);
			if (!world_run_fence(&m->w, MS))
				break;
		}
		refused += m->w.nr_irqs[GPU_IRQ_BAD_OPCODE] || m->w.nr_irqs[GPU_IRQ_MEM_FAULT];
		machine_fini(m);
		free(m);
	}
	printf("damaged: %u of %u refused\n", refused, round);
	CHECK(refused > 10);
	return true;
}

static const struct {
	const char *name;
	bool (*run)(struct test *t);
} cases[] = {
#define CASE(x)       \
	{             \
#x, x \
	}
	CASE(a_flipped_byte_is_seen),
	CASE(several_dispatches_survive),
	CASE(handler_and_shortcut_write_the_same),
	CASE(an_endless_kernel_gives_way),
	CASE(a_handler_that_never_ends_is_a_timeout),
	CASE(without_a_handler_a_queue_drains),
	CASE(an_illegal_instruction_names_itself),
	CASE(a_memory_fault_names_its_page),
	CASE(scratch_memory_is_asked_for),
	CASE(a_second_handler_gets_exceptions),
	CASE(hostile_bytes_break_nothing),
	CASE(a_call_is_bounded),
	CASE(a_dead_gpu_executes_nothing),
};

int main(int argc, char **argv)
{
	enum isa_arch arch;
	struct test t;
	u32 k, bad = 0;

	if (argc < 5)
		return 2;
	memset(&t, 0, sizeof(t));
	t.profile = argv[1];
	t.path[0] = argv[3];
	t.path[1] = argv[4];
	arch = strcmp(argv[2], "gfx942") ? ISA_GFX90A : ISA_GFX942;
	rig_init(&t.kernels, arch);
	rig_init(&t.live, arch);
	if (!launch_load(&t.kernels, argv[3]) || !launch_load(&t.live, argv[4]) ||
	    !rig_load_handler(&t.kernels) || !rig_load_handler(&t.live)) {
		printf("skipped: no code object, or no kernel source in the cache\n");
		return 77;
	}
	for (k = 0; k < ARRAY_SIZE(cases); k++) {
		bool ok = (argc > 5 && strcmp(argv[5], cases[k].name)) || cases[k].run(&t);

		if (!ok)
			printf("FAILED: %s\n", cases[k].name);
		bad += !ok;
	}
	rig_fini(&t.kernels);
	rig_fini(&t.live);
	return bad != 0;
}
