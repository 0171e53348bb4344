// SPDX-License-Identifier: MIT
#include "isa_rig.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROUNDS 1000000
#define SLICE 64

static int find_page(struct isa_env *env, u64 address, bool *can_write, u8 **at)
{
	struct rig *r = container_of(env, struct rig, env);

	r->nr_pages++;
	if (address < RIG_BASE || address >= RIG_BASE + RIG_BYTES)
		return -EFAULT;
	*at = r->mem + (address - RIG_BASE);
	*can_write = true;
	return 0;
}

static const struct isa_env_ops ops = { .page = find_page };

void rig_init(struct rig *r, enum isa_arch arch)
{
	memset(r, 0, sizeof(*r));
	r->mem = calloc(1, RIG_BYTES);
	r->code = calloc(RIG_NR_CODE, sizeof(*r->code));
	r->env.ops = &ops;
	r->env.arch = arch;
	r->env.code = r->code;
	r->env.nr_code = RIG_NR_CODE;
	r->env.shared_base = 0x10000;
	r->env.private_base = 0x20000;
	r->random = 88172645463325252ull;
}

void rig_fini(struct rig *r)
{
	free(r->mem);
	free(r->code);
}

u64 rig_random(struct rig *r)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return r->random * 0x2545f4914f6cdd1dull;
}

void *rig_at(struct rig *r, u64 address)
{
	return r->mem + (address - RIG_BASE);
}

/* The newest source in the cache, whole; NULL: none. */
static char *handler_source(void)
{
	const char *cache = getenv("GPREEMPT_CACHE"), *home = getenv("HOME");
	const char *xdg = getenv("XDG_CACHE_HOME");
	char pattern[4096], *text = NULL;
	glob_t found;
	FILE *f;
	long n;

	if (cache)
		snprintf(pattern, sizeof(pattern), "%s/linux-*/amd/amdkfd/cwsr_trap_handler.h",
			 cache);
	else
		snprintf(pattern, sizeof(pattern),
			 "%s%s/gpreempt/linux-*/amd/amdkfd/cwsr_trap_handler.h",
			 xdg ? xdg : home ? home
					  : "",
			 xdg ? "" : "/.cache");
	if (glob(pattern, 0, NULL, &found))
		return NULL;
	f = fopen(found.gl_pathv[found.gl_pathc - 1], "r");
	globfree(&found);
	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	n = ftell(f);
	rewind(f);
	text = calloc(1, (size_t)n + 1);
	if (fread(text, 1, (size_t)n, f) != (size_t)n)
		text[0] = 0;
	fclose(f);
	return text;
}

bool rig_load_handler(struct rig *r)
{
	static const char *const names[] = {
		[ISA_GFX90A] = "cwsr_trap_aldebaran_hex[]",
		[ISA_GFX942] = "cwsr_trap_gfx9_4_3_hex[]",
	};
	const char *name = names[r->env.arch];
	char *text = handler_source(), *at, *end;
	u32 *to = rig_at(r, RIG_TBA);

	at = text ? strstr(text, name) : NULL;
	end = at ? strstr(at, "};") : NULL;
	r->nr_handler = 0;
	while (end && (at = strstr(at, "0x")) && at < end && r->nr_handler < ISA_PAGE_DWORDS)
		to[r->nr_handler++] = (u32)strtoul(at, &at, 16);
	free(text);
	return r->nr_handler > 0;
}

void rig_group_init(struct rig *r, struct rig_group *g, u32 nr, u32 nr_vgprs, u32 acc_offset,
		    u32 nr_sgprs, u32 lds_bytes)
{
	u32 i;

	memset(g, 0, sizeof(*g));
	g->nr = nr;
	g->lds = calloc(1, lds_bytes ? lds_bytes : 1);
	for (i = 0; i < nr; i++) {
		struct isa_wave *w = &g->wave[i];

		w->vgpr = calloc(nr_vgprs, sizeof(*w->vgpr));
		w->nr_vgprs = nr_vgprs;
		w->acc_offset = acc_offset;
		w->nr_sgprs = nr_sgprs;
		w->lds = g->lds;
		w->lds_bytes = lds_bytes;
		w->tba = RIG_TBA;
		w->tma = RIG_TMA;
	}
}

void rig_group_fini(struct rig_group *g)
{
	u32 i;

	for (i = 0; i < g->nr; i++)
		free(g->wave[i].vgpr);
	free(g->lds);
}

static void noise(struct rig *r, void *to, size_t bytes)
{
	u8 *p = to;
	size_t k;

	for (k = 0; k + 8 <= bytes; k += 8) {
		u64 x = rig_random(r);

		memcpy(p + k, &x, 8);
	}
	for (; k < bytes; k++)
		p[k] = (u8)rig_random(r);
}

static void wipe(struct rig *r, struct isa_wave *w)
{
	noise(r, w->vgpr, w->nr_vgprs * sizeof(*w->vgpr));
	noise(r, w->sgpr, sizeof(w->sgpr));
	noise(r, w->ttmp, sizeof(w->ttmp));
	w->m0 = (u32)rig_random(r);
	w->exec = rig_random(r);
	w->pc = 0;
	w->status = w->trapsts = w->mode = w->ib_sts = 0;
}

void rig_group_wipe(struct rig *r, struct rig_group *g)
{
	u32 i;

	for (i = 0; i < g->nr; i++)
		if (g->reason[i] != ISA_ENDED)
			wipe(r, &g->wave[i]);
	noise(r, g->lds, g->wave[0].lds_bytes);
}

/* All waves that are left wait: they go on together. */
static void barrier(struct rig_group *g)
{
	u32 i, waiting = 0, left = 0;

	for (i = 0; i < g->nr; i++) {
		left += g->reason[i] != ISA_ENDED && g->reason[i] != ISA_SAVED;
		waiting += g->reason[i] == ISA_BARRIER;
	}
	for (i = 0; i < g->nr && waiting == left; i++)
		if (g->reason[i] == ISA_BARRIER) {
			isa_barrier_pass(&g->wave[i]);
			g->reason[i] = ISA_BUDGET;
		}
}

static bool can_go(enum isa_reason why)
{
	return why == ISA_BUDGET || why == ISA_SLEEP || why == ISA_MESSAGE;
}

bool rig_advance(struct rig *r, struct rig_group *g, u32 n)
{
	u32 i;

	for (i = 0; i < g->nr; i++) {
		if (!can_go(g->reason[i]))
			continue;
		g->reason[i] = isa_run(&g->wave[i], &r->env, n);
		if (!can_go(g->reason[i]) && g->reason[i] != ISA_BARRIER &&
		    g->reason[i] != ISA_ENDED && g->reason[i] != ISA_SAVED)
			return false;
	}
	barrier(g);
	return true;
}

bool rig_is_over(const struct rig_group *g)
{
	u32 i;

	for (i = 0; i < g->nr; i++)
		if (g->reason[i] != ISA_ENDED)
			return false;
	return true;
}

/* Last wave lowest; the first that lives gets the highest record and the LDS. */
static void place(struct rig_group *g, struct rig_saved *s)
{
	u32 k;

	memset(s, 0, sizeof(*s));
	s->end = RIG_SAVE;
	for (k = 0; k < g->nr; k++)
		if (g->reason[k] != ISA_ENDED)
			s->live[s->nr++] = k;
	for (k = s->nr; k-- > 0;) {
		struct isa_wave *w = &g->wave[s->live[k]];

		s->address[k] = s->end;
		s->end += isa_record_bytes(w->nr_vgprs, w->nr_sgprs, k ? 0 : w->lds_bytes);
	}
}

static u64 retired(const struct rig_group *g)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < g->nr; i++)
		n += g->wave[i].retired;
	return n;
}

/* One slice of one wave of a group that is being saved. */
static bool save_slice(struct rig *r, struct rig_group *g, struct rig_saved *s, u32 k)
{
	struct isa_wave *w = &g->wave[s->live[k]];
	enum isa_reason *why = &g->reason[s->live[k]];

	if (!can_go(*why))
		return true;
	*why = isa_run(w, &r->env, SLICE);
	if (*why == ISA_MESSAGE && w->stop_word == ISA_MSG_SAVEWAVE) {
		isa_save_answer(w, s->address[k], k == 0);
		*why = ISA_BUDGET;
	}
	return can_go(*why) || *why == ISA_BARRIER || *why == ISA_SAVED;
}

bool rig_save(struct rig *r, struct rig_group *g, struct rig_saved *s)
{
	u64 before = retired(g);
	u32 k, round, saved;

	place(g, s);
	for (k = 0; k < s->nr; k++) {
		/* A wave at a barrier stops in front of it. */
		g->reason[s->live[k]] = ISA_BUDGET;
		g->wave[s->live[k]].trapsts |= ISA_TRAPSTS_SAVECTX;
	}
	for (round = 0; round < MAX_ROUNDS; round++) {
		for (k = saved = 0; k < s->nr; k++) {
			if (!save_slice(r, g, s, k))
				return false;
			saved += g->reason[s->live[k]] == ISA_SAVED;
		}
		if (saved == s->nr)
			break;
		barrier(g);
	}
	s->insts = retired(g) - before;
	return round < MAX_ROUNDS;
}

bool rig_restore(struct rig *r, struct rig_group *g, struct rig_saved *s)
{
	u64 before = retired(g);
	u32 k, round, left;

	for (k = 0; k < s->nr; k++) {
		isa_restore_start(&g->wave[s->live[k]], s->address[k], k == 0);
		g->reason[s->live[k]] = ISA_BUDGET;
	}
	for (round = 0; round < MAX_ROUNDS; round++) {
		for (k = left = 0; k < s->nr; k++) {
			struct isa_wave *w = &g->wave[s->live[k]];
			enum isa_reason *why = &g->reason[s->live[k]];
			u32 n;

			/* One by one: the first instruction of the kernel is not wanted. */
			for (n = 0; n < SLICE && can_go(*why) && w->status & ISA_STATUS_PRIV; n++)
				*why = isa_run(w, &r->env, 1);
			if (!can_go(*why) && *why != ISA_BARRIER)
				return false;
			left += w->status & ISA_STATUS_PRIV ? 1 : 0;
		}
		if (!left)
			break;
		barrier(g);
	}
	s->insts += retired(g) - before;
	return round < MAX_ROUNDS;
}

/**
 * struct io - a record in the memory of a rig
 * @io: what is asked
 * @at: its first byte
 */
struct io {
	struct isa_record_io io;
	u8 *at;
};

static int io_write(struct isa_record_io *io, u64 offset, const void *from, u32 bytes)
{
	memcpy(container_of(io, struct io, io)->at + offset, from, bytes);
	return 0;
}

static int io_read(struct isa_record_io *io, u64 offset, void *to, u32 bytes)
{
	memcpy(to, container_of(io, struct io, io)->at + offset, bytes);
	return 0;
}

bool rig_shortcut_save(struct rig *r, struct rig_group *g, struct rig_saved *s)
{
	u32 k;

	place(g, s);
	for (k = 0; k < s->nr; k++) {
		struct io io = { { io_write, io_read }, rig_at(r, s->address[k]) };

		g->reason[s->live[k]] = ISA_SAVED;
		if (isa_record_save(&g->wave[s->live[k]], r->env.arch, k == 0, &io.io))
			return false;
	}
	return true;
}

bool rig_shortcut_restore(struct rig *r, struct rig_group *g, struct rig_saved *s)
{
	u32 k;

	for (k = 0; k < s->nr; k++) {
		struct io io = { { io_write, io_read }, rig_at(r, s->address[k]) };

		g->reason[s->live[k]] = ISA_BUDGET;
		if (isa_record_restore(&g->wave[s->live[k]], r->env.arch, k == 0, &io.io))
			return false;
	}
	return true;
}
