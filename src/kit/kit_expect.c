// SPDX-License-Identifier: MIT
/* What the kernels of kernels.s leave, said a second time. */
#include "kit/kit_kernel.h"

#include <stdio.h>

#define PRIME 0x9e3779b1u
#define ROW 0x85ebca6bu
#define NR_SGPRS 76
#define FIRST_SGPR 24
#define FIRST_VGPR 4
#define DENORM_MODE 3

/* Behind the SGPRs. */
enum special {
	VCC_LO,
	VCC_HI,
	M0,
	FLAT_SCRATCH_LO,
	FLAT_SCRATCH_HI,
	EXEC_LO,
	EXEC_HI,
	MODE,
	NR_SPECIALS
};

const struct kit_shape kit_shapes[KIT_KERNELS] = {
	[KIT_LIVE] = { "kit_live", 1, 64, 64, 16, 16 },
	[KIT_GROUP] = { "kit_group", 4, 256, 256, 64, 1 },
	[KIT_LIGHT] = { "kit_light", 1, 64, 0, 0, 32 },
};

static u32 lane_rows(const struct kit_shape *s)
{
	return s->nr_lds + s->nr_accs + s->nr_vgprs - FIRST_VGPR;
}

u32 kit_rows(const struct kit_shape *s)
{
	return lane_rows(s) + NR_SGPRS + NR_SPECIALS;
}

u32 kit_row_value(const struct kit_shape *s, u32 row, u32 wave, u32 lane)
{
	u32 special = row - lane_rows(s) - NR_SGPRS;
	u32 of_row = ROW * (row + 1);

	if (row < lane_rows(s))
		return of_row ^ (lane + 1) * PRIME;
	if (row < lane_rows(s) + NR_SGPRS || special < EXEC_LO)
		return of_row ^ (wave + 1) * PRIME;
	return special == MODE ? DENORM_MODE : ~0u;
}

void kit_row_name(const struct kit_shape *s, u32 row, char *out, size_t size)
{
	static const char *const names[NR_SPECIALS] = {
		"VCC_LO", "VCC_HI", "M0", "FLAT_SCRATCH_LO", "FLAT_SCRATCH_HI", "EXEC_LO",
		"EXEC_HI", "MODE",
	};
	u32 accs = s->nr_lds, vgprs = accs + s->nr_accs, sgprs = lane_rows(s);

	if (row < accs)
		snprintf(out, size, "LDS at %u of its wave", row * KIT_LANES * 4);
	else if (row < vgprs)
		snprintf(out, size, "ACC VGPR a%u", row - accs);
	else if (row < sgprs)
		snprintf(out, size, "VGPR v%u", row - vgprs + FIRST_VGPR);
	else if (row < sgprs + NR_SGPRS)
		snprintf(out, size, "SGPR s%u", row - sgprs + FIRST_SGPR);
	else
		snprintf(out, size, "%s", names[(row - sgprs - NR_SGPRS) % NR_SPECIALS]);
}

/*
 * A step multiplies by PRIME and adds its number: n of them multiply by PRIME^n and add a sum.
 * By halves, so that long runs cost no more than short ones.
 */
static u32 walk(u32 digest, u32 steps)
{
	/* One step from step k on is x * mul + add * 1 + k * by_k; 2^i of them likewise. */
	u32 mul = PRIME, add = 0, by_k = 1, at = 0;

	for (u32 bit = 0; bit < 32 && steps >> bit; bit++) {
		u32 length = 1u << bit;

		if (steps >> bit & 1) {
			digest = digest * mul + add + at * by_k;
			at += length;
		}
		/* Twice: the second half begins @length later. */
		add = add * mul + add + length * by_k;
		by_k = by_k * mul + by_k;
		mul *= mul;
	}
	return digest;
}

u32 kit_digest(const struct kit_shape *s, u32 wave, u32 lane, u32 steps)
{
	u32 digest = walk((lane + 1) * PRIME, steps), nr = kit_rows(s);

	for (u32 row = 0; row < nr; row++)
		digest = digest * PRIME ^ kit_row_value(s, row, wave, lane);
	return digest;
}
