// SPDX-License-Identifier: MIT
/*
 * kernels/live.s: preempted in the middle, once, it gives the same digests; with one
 * bit of its saved record flipped it never does. So AMD's handler, or a change to
 * it, cannot lose a bit without being noticed.
 *
 * test_live ARCH FILE
 */
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR_FLIPS 1500
#define FIRST_STEP 240
#define NR_STEPS 110
#define MAX_INSTS 4000
#define OUT_BYTES 256

static const struct launch live = { "live", { 64, 1 }, { 1, 1 }, 0 };

/* Bits that are written and that a user's code can see. */
static bool is_live(const struct isa_wave *w, u64 offset, u32 bit)
{
	u64 sgprs = w->nr_vgprs * 256ull, hw = sgprs + w->nr_sgprs * 4;
	u64 ttmps = hw + 64, lds = ttmps + 64;
	u32 k, at = (u32)(offset % 4) * 8 + bit;

	if (offset < sgprs)
		return true;
	if (offset < hw) {
		/* Two that hold nothing yet; XNACK_MASK has a copy that wins; no names. */
		k = (u32)(offset - sgprs) / 4;
		return k < 100 || k == 102 || k == 103 || k == 106 || k == 107;
	}
	if (offset < ttmps) {
		k = (u32)(offset - hw) / 4;
		if (k == 1)
			return at > 1;		/* PC is a multiple of 4 */
		if (k == 2)
			return at < 16;
		if (k == 5)			/* STATUS: what is computed or not restored */
			return !(1u << at & (6u | 1u << 5 | 1u << 9 | 1u << 10));
		return k < 10 && !(k == 6 && at == 10);
	}
	return offset >= lds && offset < lds + w->lds_bytes;
}

/* Runs it, saved and restored after some steps; flips a bit if offset is not ~0. */
static bool digests(struct rig *r, u32 steps, u64 offset, u32 bit, u8 *out)
{
	u8 *buffer = launch_buffer(r, 0);
	struct rig_group g;
	struct rig_saved s;
	bool ok;

	memset(buffer, 0x5a, OUT_BYTES);
	launch_group(r, &g, &live);
	ok = rig_advance(r, &g, steps) && rig_save(r, &g, &s);
	if (ok && offset != ~0ull)
		*((u8 *)rig_at(r, s.address[0]) + offset) ^= (u8)(1u << bit);
	rig_group_wipe(r, &g);
	ok = ok && rig_restore(r, &g, &s) && rig_advance(r, &g, MAX_INSTS) && rig_is_over(&g);
	memcpy(out, buffer, OUT_BYTES);
	rig_group_fini(&g);
	return ok;
}

int main(int argc, char **argv)
{
	u8 want[OUT_BYTES], got[OUT_BYTES];
	struct launch_stats stats;
	u32 n = 0, missed = 0;
	struct isa_wave shape;
	struct rig_group g;
	struct rig r;

	if (argc < 3)
		return 2;
	rig_init(&r, strcmp(argv[1], "gfx942") ? ISA_GFX90A : ISA_GFX942);
	if (!launch_load(&r, argv[2]) || !rig_load_handler(&r)) {
		printf("skipped: no code object, or no kernel source in the cache\n");
		return 77;
	}
	if (!launch_run(&r, &live, LAUNCH_ALONE, &stats))
		return 1;
	memcpy(want, launch_buffer(&r, 0), OUT_BYTES);
	launch_group(&r, &g, &live);
	shape = g.wave[0];
	rig_group_fini(&g);
	while (n < NR_FLIPS) {
		u32 steps = FIRST_STEP + (u32)(rig_random(&r) % NR_STEPS);
		u32 bytes = isa_record_bytes(shape.nr_vgprs, shape.nr_sgprs, shape.lds_bytes);
		u64 offset = rig_random(&r) % bytes, first = shape.nr_vgprs * 256ull;
		u32 bit = (u32)rig_random(&r) % 8;

		/* Every other one in what is not VGPRs: the most of a record is. */
		if (n % 2)
			offset = first + rig_random(&r) % (bytes - first);
		if (!is_live(&shape, offset, bit))
			continue;
		if (!digests(&r, steps, ~0ull, 0, got) || memcmp(got, want, OUT_BYTES)) {
			printf("another digest without a flipped bit, after %u steps\n", steps);
			return 1;
		}
		if (digests(&r, steps, offset, bit, got) && !memcmp(got, want, OUT_BYTES)) {
			printf("not noticed: byte %llu bit %u\n", (unsigned long long)offset, bit);
			missed++;
		}
		n++;
	}
	printf("%s: %u flipped bits, %u not noticed\n", argv[1], n, missed);
	rig_fini(&r);
	return missed != 0;
}
