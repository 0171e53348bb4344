// SPDX-License-Identifier: MIT
/*
 * The kernels of gpreempt selftest, executed: they leave what kit_expect.c says, alone and saved
 * by AMD's handler in the middle; a flipped bit of what was saved never passes.
 *
 * test_kit ARCH
 */
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kit/kit_kernel.h"

#define NR_FLIPS 600
#define STEPS 3
#define MANY_STEPS 100
#define MAX_INSTS 200000
#define DUMP (LAUNCH_BUFFERS + (1u << 20))
/* The handler has to leave a wave of 512 registers in this. */
#define MAX_ROUNDS 100000

/* The object of the program, where launch_load() can read it. */
static bool load(struct rig *r, const char *arch)
{
	const struct kit_object *object = kit_object_find(arch);
	char path[] = "/tmp/test_kit.XXXXXX";
	int fd = object ? mkstemp(path) : -1;
	bool is_loaded;

	if (fd < 0)
		return false;
	is_loaded = write(fd, object->bytes, object->nr_bytes) == (ssize_t)object->nr_bytes &&
		    launch_load(r, path);
	close(fd);
	unlink(path);
	return is_loaded;
}

/* The first group of a kernel, ready to run. */
static void start(struct rig *r, const struct kit_shape *s, struct rig_group *g,
		  struct kit_run *run)
{
	const struct launch launch = { s->name, { s->waves * KIT_LANES, 1 }, { 1, 1 }, 0 };
	u64 bytes = (u64)s->waves * kit_rows(s) * KIT_LANES * 4;

	launch_group(r, g, &launch);
	*(struct kit_args *)rig_at(r, LAUNCH_ARGS) = (struct kit_args){
		.digests = LAUNCH_BUFFERS,
		.steps = LAUNCH_BUFFERS + LAUNCH_BUFFER_BYTES,
		.dump = DUMP,
		.end = LAUNCH_ARGS + 1024,
		.max_steps = STEPS,
		.flags = KIT_FLAG_DUMP,
	};
	memset(rig_at(r, LAUNCH_BUFFERS), 0x5a, 4096);
	memset(rig_at(r, DUMP), 0x5a, bytes);
	memset(rig_at(r, LAUNCH_ARGS + 1024), 0, 4);
	*run = (struct kit_run){
		.shape = s,
		.nr_waves = s->waves,
		.digests = launch_buffer(r, 0),
		.steps = launch_buffer(r, 1),
		.dump = rig_at(r, DUMP),
	};
}

static bool interrupt(struct rig *r, struct rig_group *g, u64 flip_at, u32 bit)
{
	struct rig_saved s;
	bool is_good = rig_save(r, g, &s);

	if (is_good && flip_at != ~0ull)
		*((u8 *)rig_at(r, s.address[0]) + flip_at) ^= (u8)(1u << bit);
	rig_group_wipe(r, g);
	return is_good && rig_restore(r, g, &s);
}

/* Runs a kernel to its end; saved and restored after every @every instructions, 0 = never. */
static bool passes(struct rig *r, const struct kit_shape *s, u32 every, u32 *nr)
{
	char why[KIT_TEXT] = "it does not end";
	struct rig_group g;
	struct kit_run run;
	bool is_good = true;

	start(r, s, &g, &run);
	for (*nr = 0; is_good && !rig_is_over(&g) && *nr < MAX_INSTS; ++*nr) {
		is_good = rig_advance(r, &g, every ? every : 1000);
		if (is_good && every && !rig_is_over(&g))
			is_good = interrupt(r, &g, ~0ull, 0);
	}
	is_good = is_good && rig_is_over(&g) && kit_run_check(&run, why);
	rig_group_fini(&g);
	if (!is_good)
		printf("%s, every %u: %s\n", s->name, every, why);
	return is_good;
}

/* Offset in the record of a bit that the kernel has to notice. */
static u64 choose(struct rig *r, const struct isa_wave *w, u32 *bit)
{
	u64 sgprs = w->nr_vgprs * 256ull, hw = sgprs + w->nr_sgprs * 4, lds = hw + 128;
	u32 k = (u32)(rig_random(r) % 6);

	*bit = (u32)rig_random(r) % 8;
	switch (k) {
	case 0: /* the digest */
		return 256 + rig_random(r) % 256;
	case 1: /* VGPRs and ACC VGPRs */
	case 2:
		return 1024 + rig_random(r) % (sgprs - 1024);
	case 3:
		return sgprs + 24 * 4 + rig_random(r) % (76 * 4);
	case 4: /* M0, EXEC */
		k = (u32)(rig_random(r) % 3);
		return hw + (k ? 8 + k * 4 : 0) + rig_random(r) % 4;
	default:
		return lds + rig_random(r) % w->lds_bytes;
	}
}

static u32 count_missed(struct rig *r, const struct kit_shape *s)
{
	u32 missed = 0, bit;

	for (u32 i = 0; i < NR_FLIPS; i++) {
		char why[KIT_TEXT] = "no end";
		struct rig_group g;
		struct kit_run run;
		u64 at;
		bool is_over;

		start(r, s, &g, &run);
		/* In the walk, where everything is live. */
		((struct kit_args *)rig_at(r, LAUNCH_ARGS))->max_steps = MANY_STEPS;
		rig_advance(r, &g, 400 + (u32)(rig_random(r) % 20));
		at = choose(r, &g.wave[0], &bit);
		is_over = interrupt(r, &g, at, bit) && rig_advance(r, &g, MAX_INSTS) &&
			  rig_is_over(&g);
		if (is_over && kit_run_check(&run, why)) {
			printf("not noticed: byte %llu bit %u\n", (unsigned long long)at, bit);
			missed++;
		}
		rig_group_fini(&g);
	}
	return missed;
}

int main(int argc, char **argv)
{
	u32 nr, missed, bad = 0;
	struct rig r;

	if (argc < 2)
		return 2;
	rig_init(&r, strcmp(argv[1], "gfx942") ? ISA_GFX90A : ISA_GFX942);
	if (!load(&r, argv[1]) || !rig_load_handler(&r)) {
		printf("skipped: no code object, or no kernel source in the cache\n");
		return 77;
	}
	r.max_rounds = MAX_ROUNDS;
	for (u32 k = 0; k < KIT_KERNELS; k++) {
		const struct kit_shape *s = &kit_shapes[k];

		bad += !passes(&r, s, 0, &nr);
		bad += !passes(&r, s, s->waves > 1 ? 37 : 1, &nr);
		printf("%s: %u rows, %u times in the middle\n", s->name, kit_rows(s), nr);
	}
	missed = count_missed(&r, &kit_shapes[KIT_LIVE]);
	printf("%s: %u flipped bits, %u not noticed\n", argv[1], NR_FLIPS, missed);
	rig_fini(&r);
	return bad || missed;
}
