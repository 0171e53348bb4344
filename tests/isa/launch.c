// SPDX-License-Identifier: MIT
#include "launch.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROUNDS 20000000u

/* amdhsa kernel descriptor (LLVM, AMDGPUUsage). */
struct descriptor {
	u32 lds_bytes;
	u32 private_bytes;
	u32 kernarg_bytes;
	u32 reserved0;
	s64 entry;
	u8 reserved1[20];
	u32 rsrc3;
	u32 rsrc1;
	u32 rsrc2;
	u16 properties;
	u8 reserved2[6];
};

static u8 *image;

bool launch_load(struct rig *r, const char *path)
{
	FILE *f = fopen(path, "rb");
	Elf64_Ehdr *h;
	Elf64_Phdr *p;
	long n;
	int i;

	if (!f)
		return false;
	fseek(f, 0, SEEK_END);
	n = ftell(f);
	rewind(f);
	free(image);
	image = malloc((size_t)n);
	if (fread(image, 1, (size_t)n, f) != (size_t)n)
		n = 0;
	fclose(f);
	h = (Elf64_Ehdr *)image;
	if (!n || memcmp(h->e_ident, ELFMAG, SELFMAG))
		return false;
	p = (Elf64_Phdr *)(image + h->e_phoff);
	for (i = 0; i < h->e_phnum; i++)
		if (p[i].p_type == PT_LOAD)
			memcpy(rig_at(r, LAUNCH_CODE + p[i].p_vaddr), image + p[i].p_offset,
			       p[i].p_filesz);
	r->env.generation++;
	return true;
}

/* Address of the descriptor of a kernel, 0 if it has none. */
static u64 find(const char *name)
{
	Elf64_Ehdr *h = (Elf64_Ehdr *)image;
	Elf64_Shdr *s = (Elf64_Shdr *)(image + h->e_shoff);
	char want[128];
	int i;

	snprintf(want, sizeof(want), "%s.kd", name);
	for (i = 0; i < h->e_shnum; i++) {
		const char *strings = (char *)image + s[s[i].sh_link].sh_offset;
		Elf64_Sym *sym = (Elf64_Sym *)(image + s[i].sh_offset);
		u64 k;

		for (k = 0; s[i].sh_type == SHT_DYNSYM && k < s[i].sh_size / sizeof(*sym); k++)
			if (!strcmp(strings + sym[k].st_name, want))
				return LAUNCH_CODE + sym[k].st_value;
	}
	return 0;
}

u64 launch_descriptor(const char *name)
{
	u64 at = find(name);

	return at ? at - LAUNCH_CODE : 0;
}

bool launch_has(struct rig *r, const char *name)
{
	return find(name) != 0;
}

void *launch_buffer(struct rig *r, u32 k)
{
	return rig_at(r, LAUNCH_BUFFERS + k * LAUNCH_BUFFER_BYTES);
}

static void write_args(struct rig *r, const struct launch *l)
{
	u64 *args = rig_at(r, LAUNCH_ARGS);
	u32 k;

	memset(args, 0, 512);
	for (k = 0; k < 3; k++)
		args[k] = LAUNCH_BUFFERS + k * LAUNCH_BUFFER_BYTES;
	args[3] = l->n;
}

static void put64(u32 *to, u64 x)
{
	to[0] = (u32)x;
	to[1] = (u32)(x >> 32);
}

/* SGPRs in the order that the descriptor asks for. */
static void user_sgprs(struct isa_wave *w, const struct descriptor *d, u64 scratch, u32 x, u32 y)
{
	u32 n = 0;

	if (d->properties & 1) {
		put64(&w->sgpr[n], LAUNCH_SCRATCH | 1ull << 63);
		w->sgpr[n + 2] = ~0u;
		w->sgpr[n + 3] = 1u << 19 | 3u << 21 | 1u << 23;
		n += 4;
	}
	n += d->properties & 2 ? 2 : 0;
	n += d->properties & 4 ? 2 : 0;
	if (d->properties & 8) {
		put64(&w->sgpr[n], LAUNCH_ARGS);
		n += 2;
	}
	n += d->properties & 16 ? 2 : 0;
	if (d->properties & 32) {
		put64(&w->sgpr[n], LAUNCH_SCRATCH);
		n += 2;
	}
	n += d->properties & 64 ? 1 : 0;
	if (d->rsrc2 >> 7 & 1)
		w->sgpr[n++] = x;
	if (d->rsrc2 >> 8 & 1)
		w->sgpr[n++] = y;
	if (d->rsrc2 >> 9 & 1)
		w->sgpr[n++] = 0;
	if (d->rsrc2 & 1)
		w->sgpr[n] = (u32)(scratch - LAUNCH_SCRATCH);
}

static void start_wave(struct rig *r, struct isa_wave *w, const struct launch *l, u64 kd, u32 k,
		       const u32 *group)
{
	const struct descriptor *d = rig_at(r, kd);
	u64 scratch = LAUNCH_SCRATCH + k * LAUNCH_SCRATCH_WAVE;
	u32 lane, size = l->local[0] * l->local[1];

	memset(w->vgpr, 0x7f, w->nr_vgprs * sizeof(*w->vgpr));
	w->pc = kd + (u64)d->entry;
	w->mode = (d->rsrc1 >> 12 & 0xff) | (d->rsrc1 >> 21 & 1) << 8 | (d->rsrc1 >> 23 & 1) << 9;
	w->status = ISA_STATUS_VALID | ISA_STATUS_ALLOW_REPLAY;
	/* gfx942 finds its scratch memory in FLAT_SCRATCH. */
	put64(&w->sgpr[min(w->nr_sgprs, 108u) - 6], scratch);
	user_sgprs(w, d, scratch, group[0], group[1]);
	for (lane = 0; lane < ISA_LANES; lane++) {
		u32 item = k * ISA_LANES + lane;

		if (item >= size)
			continue;
		w->exec |= 1ull << lane;
		w->vgpr[0][lane] = item % l->local[0] | item / l->local[0] << 10;
	}
}

static void start_group(struct rig *r, struct rig_group *g, const struct launch *l, u64 kd,
			const u32 *group)
{
	const struct descriptor *d = rig_at(r, kd);
	u32 nr = (l->local[0] * l->local[1] + ISA_LANES - 1) / ISA_LANES, k;

	rig_group_init(r, g, nr, ((d->rsrc1 & 63) + 1) * 8,
		       min(((d->rsrc3 & 63) + 1) * 4, ((d->rsrc1 & 63) + 1) * 8),
		       ((d->rsrc1 >> 6 & 15) / 2 + 1) * 16, (d->lds_bytes + 511) & ~511u);
	for (k = 0; k < nr; k++)
		start_wave(r, &g->wave[k], l, kd, k, group);
}

void launch_group(struct rig *r, struct rig_group *g, const struct launch *l)
{
	const u32 first[2] = { 0, 0 };

	write_args(r, l);
	start_group(r, g, l, find(l->name), first);
}

static bool preempt(struct rig *r, struct rig_group *g, enum launch_preempt how,
		    struct launch_stats *stats)
{
	struct rig_saved s;
	bool ok = how == LAUNCH_HANDLER ? rig_save(r, g, &s) : rig_shortcut_save(r, g, &s);

	if (!ok)
		return false;
	rig_group_wipe(r, g);
	ok = how == LAUNCH_HANDLER ? rig_restore(r, g, &s) : rig_shortcut_restore(r, g, &s);
	stats->preemptions++;
	stats->handler_insts += s.insts;
	return ok;
}

static void complain(const struct launch *l, const struct rig_group *g)
{
	u32 k;

	for (k = 0; k < g->nr; k++)
		if (g->reason[k] > ISA_HALTED)
			printf("%s: wave %u: reason %d, pc %llx, word %08x, address %llx\n",
			       l->name, k,
			       g->reason[k], (unsigned long long)g->wave[k].pc - LAUNCH_CODE,
			       g->wave[k].stop_word, (unsigned long long)g->wave[k].stop_address);
}

static bool run_group(struct rig *r, const struct launch *l, u64 kd, const u32 *group,
		      enum launch_preempt how, struct launch_stats *stats)
{
	u32 slice = how == LAUNCH_ALONE ? 1000 : 1, round, k;
	struct rig_group g;
	bool ok = true;

	start_group(r, &g, l, kd, group);
	for (round = 0; ok && round < MAX_ROUNDS && !rig_is_over(&g); round++) {
		ok = rig_advance(r, &g, slice);
		if (ok && how != LAUNCH_ALONE && !rig_is_over(&g))
			ok = preempt(r, &g, how, stats);
	}
	if (!ok)
		complain(l, &g);
	ok = ok && rig_is_over(&g);
	for (k = 0; k < g.nr; k++)
		stats->insts += g.wave[k].retired;
	rig_group_fini(&g);
	return ok;
}

bool launch_run(struct rig *r, const struct launch *l, enum launch_preempt how,
		struct launch_stats *stats)
{
	u64 kd = find(l->name);
	u32 group[2];
	bool ok = kd != 0;

	memset(stats, 0, sizeof(*stats));
	write_args(r, l);
	for (group[1] = 0; ok && group[1] < l->groups[1]; group[1]++)
		for (group[0] = 0; ok && group[0] < l->groups[0]; group[0]++)
			ok = run_group(r, l, kd, group, how, stats);
	stats->insts -= stats->handler_insts;
	return ok;
}
