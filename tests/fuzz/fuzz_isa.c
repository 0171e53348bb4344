// SPDX-License-Identifier: MIT
/*
 * Bytes as machine code, and as the state of the wave that executes it. Whatever
 * they say, the interpreter stays inside its memory, ends with its budget, and
 * leaves PC where nothing is half done. The same bytes are read as a control
 * stack.
 */
#include "isa/ctlstack.h"
#include "isa/isa.h"

#include <stdlib.h>
#include <string.h>

#define BASE 0x100000ull
#define NR_PAGES 8
#define LDS_BYTES 1024
#define BUDGET 300
#define NR_VGPRS 32
#define HEADER 24

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each page is a block of its own, so that a step beyond its end is seen. */
struct home {
	struct isa_env env;
	u8 *page[NR_PAGES];
	struct isa_code *code;
};

static int find_page(struct isa_env *env, u64 address, bool *can_write, u8 **at)
{
	struct home *h = container_of(env, struct home, env);
	u64 n = (address - BASE) / ISA_PAGE_BYTES;

	if (address < BASE || n >= NR_PAGES)
		return -EFAULT;
	if (n == NR_PAGES - 1)
		return -EAGAIN;
	*can_write = n != NR_PAGES - 2;
	*at = h->page[n];
	return 0;
}

static const struct isa_env_ops ops = { .page = find_page };

static void build(struct home *h, const uint8_t *data, size_t size)
{
	u32 k;

	memset(h, 0, sizeof(*h));
	h->env.ops = &ops;
	h->env.arch = data[0] & 1 ? ISA_GFX942 : ISA_GFX90A;
	h->env.shared_base = 0x10;
	h->env.private_base = 0x11;
	h->code = calloc(2, sizeof(*h->code));
	h->env.code = h->code;
	h->env.nr_code = 2;
	for (k = 0; k < NR_PAGES; k++)
		h->page[k] = calloc(1, ISA_PAGE_BYTES);
	memcpy(h->page[0], data, size < ISA_PAGE_BYTES ? size : ISA_PAGE_BYTES);
	memcpy(h->page[1], data, size < ISA_PAGE_BYTES ? size : ISA_PAGE_BYTES);
}

/* Registers: some are addresses of pages, some what the input says. */
static void make_wave(struct isa_wave *w, const uint8_t *data)
{
	u32 k, l;

	memset(w, 0, sizeof(*w));
	w->nr_vgprs = NR_VGPRS;
	w->acc_offset = 4 + 4 * (data[1] % 7);
	w->nr_sgprs = 16 + 16 * (data[1] >> 5 & 7);
	if (w->nr_sgprs > ISA_MAX_SGPRS)
		w->nr_sgprs = ISA_MAX_SGPRS;
	w->vgpr = calloc(NR_VGPRS, sizeof(*w->vgpr));
	w->lds = malloc(LDS_BYTES);
	memset(w->lds, 0x5a, LDS_BYTES);
	w->lds_bytes = LDS_BYTES;
	w->tba = BASE + ISA_PAGE_BYTES;
	w->pc = BASE + HEADER;
	memcpy(&w->exec, data + 4, 8);
	memcpy(&w->mode, data + 12, 4);
	memcpy(&w->m0, data + 16, 4);
	memcpy(&w->status, data + 20, 4);
	w->status &= ~ISA_STATUS_HALT;
	for (k = 0; k < ISA_MAX_SGPRS; k++)
		w->sgpr[k] = k % 2 ? data[k % HEADER] % 3 : (u32)BASE + k * 64;
	for (k = 0; k < NR_VGPRS; k++)
		for (l = 0; l < ISA_LANES; l++)
			w->vgpr[k][l] = k % 2 ? data[3] % 18 : (u32)BASE + k * 517 + l * 4;
}

/* To the end, or as long as it goes on; every stop must leave a PC. */
static void run(struct home *h, struct isa_wave *w)
{
	u32 n;

	for (n = 0; n < 8; n++) {
		u64 before = w->retired, pc = w->pc;
		enum isa_reason r = isa_run(w, &h->env, BUDGET);

		if (w->retired - before > BUDGET)
			abort();
		if (r == ISA_BARRIER)
			isa_barrier_pass(w);
		else if (r == ISA_MESSAGE)
			isa_save_answer(w, BASE + 2 * ISA_PAGE_BYTES, true);
		else if (r == ISA_ILLEGAL || r == ISA_FAULT || r == ISA_NEED_PAGE) {
			/* Again: the same, and nothing is done. */
			pc = w->pc;
			if (isa_run(w, &h->env, 1) != r || w->pc != pc)
				abort();
			break;
		} else if (r != ISA_BUDGET && r != ISA_SLEEP)
			break;
		w->trapsts |= n == 3 ? ISA_TRAPSTS_SAVECTX : 0;
	}
}

static void read_stack(const uint8_t *data, size_t size)
{
	struct isa_ctl_reader r;
	struct isa_ctl_wave w;
	u32 words[256], n = 0;

	size = size / 4 < 256 ? size / 4 : 256;
	memcpy(words, data, size * 4);
	isa_ctl_read_start(&r, data[0] & 1, words, (u32)size, 1u << 20);
	while (isa_ctl_read(&r, &w) > 0)
		if (++n > size || w.record + w.record_bytes > 1u << 20)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct isa_wave w;
	struct home h;
	u32 k;

	if (size < HEADER + 4)
		return 0;
	build(&h, data, size);
	make_wave(&w, data);
	run(&h, &w);
	read_stack(data, size);
	for (k = 0; k < NR_PAGES; k++)
		free(h.page[k]);
	free(h.code);
	free(w.vgpr);
	free(w.lds);
	return 0;
}
