// SPDX-License-Identifier: MIT
/*
 * Kernels that a compiler made, run on the interpreter: the result is that of
 * the processor's build of the same source, and it is the same bit for bit if
 * the kernel is preempted after every instruction of every wave.
 *
 * test_kernels ARCH FILE [NAME]: code object for gfx90a or gfx942.
 */
#include "cpu.h"
#include "kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum input { INTS, FLOATS, DOUBLES, HALVES, MIXED };
enum result { BITS, NEAR, NEAR64, NEAR16 };

#define X(name, ...) cpu_kernel name;
KERNELS(X)
#undef X

static const struct {
	struct launch launch;
	enum input input;
	enum result result;
	cpu_kernel *cpu;
} kernels[] = {
#define X(name, lx, ly, gx, gy, n, in, out) \
	{ { #name, { lx, ly }, { gx, gy }, n }, in, out, name },
	KERNELS(X)
#undef X
};

static float random_float(struct rig *r)
{
	return (float)((double)(rig_random(r) >> 40) / (1 << 24) * 4 - 2);
}

static void fill(struct rig *r, void *to, enum input input)
{
	u32 k;

	for (k = 0; k < LAUNCH_BUFFER_BYTES / 4; k++) {
		double d = random_float(r);
		float f = (float)d;
		_Float16 h = (_Float16)f;
		u32 x = (u32)rig_random(r);

		if (input == DOUBLES) {
			if (k % 2 == 0)
				memcpy((u32 *)to + k, &d, 8);
			continue;
		}
		if (input == HALVES) {
			memcpy((u16 *)to + 2 * k, &h, 2);
			memcpy((u16 *)to + 2 * k + 1, &h, 2);
			continue;
		}
		memcpy((u32 *)to + k, input == FLOATS ? (void *)&f : &x, 4);
	}
}

/* The buffers before a kernel; the same for the same kernel, always. */
static void prepare(struct rig *r, u32 k, void *buffer[3])
{
	enum input in = kernels[k].input;

	r->random = 1234567 + k;
	fill(r, buffer[0], in == MIXED ? INTS : in);
	fill(r, buffer[1], in == MIXED ? FLOATS : in);
	memset(buffer[2], 0, LAUNCH_BUFFER_BYTES);
}

static bool is_near(double x, double y, double bound)
{
	return x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= bound * (fabs(y) + 1);
}

static u32 count_far(const void *got, const void *want, enum result how)
{
	u32 bad = 0, k;

	if (how == BITS)
		return memcmp(got, want, LAUNCH_BUFFER_BYTES) != 0;
	for (k = 0; k < LAUNCH_BUFFER_BYTES / 8; k++) {
		if (how == NEAR64)
			bad += !is_near(((double *)got)[k], ((double *)want)[k], 1e-12);
		else if (how == NEAR16)
			bad += !is_near((double)((_Float16 *)got)[k], (double)((_Float16 *)want)[k],
					3e-3);
		else
			bad += !is_near(((float *)got)[k], ((float *)want)[k], 2e-6);
	}
	return bad;
}

static void *buffers(struct rig *r, void *buffer[3])
{
	u32 k;

	for (k = 0; k < 3; k++)
		buffer[k] = launch_buffer(r, k);
	return buffer[2];
}

static void show_first(const u32 *got, const u32 *want)
{
	u32 k;

	for (k = 0; k < LAUNCH_BUFFER_BYTES / 4; k++)
		if (got[k] != want[k]) {
			printf("    first difference: dword %u is %08x, not %08x\n", k, got[k],
			       want[k]);
			return;
		}
}

/* Alone, against the processor; then disturbed, against alone. */
static bool check(struct rig *r, u32 k, struct launch_stats *total)
{
	void *mine[3], *cpu[3], *out = buffers(r, mine), *alone = malloc(LAUNCH_BUFFER_BYTES);
	const struct launch *l = &kernels[k].launch;
	struct launch_stats one, two;
	bool ok = true;
	u32 n;

	for (n = 0; n < 3; n++)
		cpu[n] = malloc(LAUNCH_BUFFER_BYTES);
	prepare(r, k, cpu);
	cpu_run(kernels[k].cpu, l, cpu);
	prepare(r, k, mine);
	if (!launch_run(r, l, LAUNCH_ALONE, &one)) {
		printf("%s: did not end\n", l->name);
		ok = false;
	} else if (count_far(out, cpu[2], kernels[k].result)) {
		printf("%s: not what the processor says\n", l->name);
		show_first(out, cpu[2]);
		ok = false;
	}
	memcpy(alone, out, LAUNCH_BUFFER_BYTES);
	prepare(r, k, mine);
	memset(&two, 0, sizeof(two));
	if (ok && (!launch_run(r, l, LAUNCH_HANDLER, &two) ||
		   memcmp(alone, out, LAUNCH_BUFFER_BYTES))) {
		printf("%s: another result when preempted everywhere\n", l->name);
		show_first(out, alone);
		ok = false;
	}
	total->insts += one.insts;
	total->preemptions += two.preemptions;
	total->handler_insts += two.handler_insts;
	for (n = 0; n < 3; n++)
		free(cpu[n]);
	free(alone);
	return ok;
}

int main(int argc, char **argv)
{
	struct launch_stats total = { 0, 0, 0 };
	u32 k, bad = 0, done = 0;
	struct rig r;

	if (argc < 3)
		return 2;
	rig_init(&r, strcmp(argv[1], "gfx942") ? ISA_GFX90A : ISA_GFX942);
	if (!launch_load(&r, argv[2])) {
		printf("skipped: no code object (no compiler for the GPU when this was built)\n");
		return 77;
	}
	if (!rig_load_handler(&r)) {
		printf("skipped: no kernel source in the cache (vehicle/fetch brings it)\n");
		return 77;
	}
	for (k = 0; k < ARRAY_SIZE(kernels); k++) {
		if ((argc > 3 && strcmp(argv[3], kernels[k].launch.name)) ||
		    !launch_has(&r, kernels[k].launch.name))
			continue;
		bad += !check(&r, k, &total);
		done++;
	}
	printf("%s: %u kernels, %u wrong; %llu instructions, %llu preemptions, "
	       "%llu instructions of the handler\n",
	       argv[1], done, bad, (unsigned long long)total.insts,
	       (unsigned long long)total.preemptions, (unsigned long long)total.handler_insts);
	rig_fini(&r);
	return bad || !done;
}
