// SPDX-License-Identifier: MIT
/* Control stacks: written and read back, and read when another wrote them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa_rig.h"

#include <cmocka.h>

#define MAX_WAVES 64
#define NR_WORDS (3 * MAX_WAVES + 4)

/* What a whole stack says: every wave, or the error. */
static int read_all(u32 arch, const u32 *words, u32 nr, u64 bytes, struct isa_ctl_wave *out,
		    u32 *nr_out)
{
	struct isa_ctl_reader r;
	int got;

	*nr_out = 0;
	isa_ctl_read_start(&r, arch, words, nr, bytes);
	for (;;) {
		struct isa_ctl_wave w;

		got = isa_ctl_read(&r, &w);
		if (got <= 0)
			return got;
		assert_true(*nr_out < nr);
		if (*nr_out < MAX_WAVES)
			out[*nr_out] = w;
		(*nr_out)++;
	}
}

static struct isa_ctl_wave random_allocation(struct rig *r)
{
	struct isa_ctl_wave a;

	memset(&a, 0, sizeof(a));
	a.nr_vgprs = 8 * (1 + (u32)(rig_random(r) % 64));
	a.nr_sgprs = 16 * (1 + (u32)(rig_random(r) % 7));
	a.lds_bytes = 512 * (u32)(rig_random(r) % 129);

	a.acc_offset = 4 * (1 + (u32)(rig_random(r) % (min(a.nr_vgprs, 256u) / 4)));
	if (a.nr_vgprs - a.acc_offset > 256)
		a.acc_offset = a.nr_vgprs - 256;
	return a;
}

/* Groups of one to four waves, as a save grants them: last wave first. */
static u32 write_random(struct rig *r, u32 arch, struct isa_ctl_writer *w,
			struct isa_ctl_wave *waves)
{
	u32 n = 0, groups = 1 + (u32)(rig_random(r) % 8);
	struct isa_ctl_wave a = random_allocation(r);

	while (groups--) {
		u32 size = 1 + (u32)(rig_random(r) % 4), k;

		if (rig_random(r) % 2)
			a = random_allocation(r);
		for (k = size; k-- > 0; n++) {
			waves[n] = a;
			waves[n].is_first = k == 0;
			waves[n].is_last = k == size - 1;
			waves[n].scratch_slot = (u32)rig_random(r) & 0x1ff;
			waves[n].tag = (u32)rig_random(r) & 7;
			waves[n].has_scratch = rig_random(r) & 1;
			waves[n].se = (u32)rig_random(r) & (arch == ISA_GFX942 ? 3 : 7);
			assert_int_equal(isa_ctl_write(w, arch, &waves[n]), 0);
		}
	}
	assert_int_equal(isa_ctl_write_end(w), 0);
	return n;
}

static void what_is_written_is_read(void **state)
{
	struct isa_ctl_wave in[MAX_WAVES], out[MAX_WAVES];
	u32 words[NR_WORDS], round, n, m, k;
	struct isa_ctl_writer w;
	struct rig r = { .random = 1 };

	for (round = 0; round < 2000; round++) {
		u32 arch = round & 1;

		isa_ctl_write_start(&w, words, NR_WORDS);
		n = write_random(&r, arch, &w, in);
		assert_int_equal(read_all(arch, words + w.top, NR_WORDS - w.top, w.record, out,
					  &m), 0);
		assert_int_equal(n, m);
		for (k = 0; k < n; k++)
			assert_memory_equal(&out[k], &in[n - 1 - k], sizeof(in[0]));
	}
}

static void a_byte_more_or_less_is_refused(void **state)
{
	struct isa_ctl_wave in[MAX_WAVES], out[MAX_WAVES];
	u32 words[NR_WORDS], m, nr;
	struct isa_ctl_writer w;
	struct rig r = { .random = 2 };

	isa_ctl_write_start(&w, words, NR_WORDS);
	write_random(&r, 0, &w, in);
	nr = NR_WORDS - w.top;
	assert_int_equal(read_all(0, words + w.top, nr, w.record, out, &m), 0);
	assert_int_equal(read_all(0, words + w.top, nr, w.record + 1, out, &m), -EINVAL);
	assert_int_equal(read_all(0, words + w.top, nr, w.record - 1, out, &m), -EINVAL);
	assert_int_equal(read_all(0, words + w.top, nr - 1, w.record, out, &m), -EINVAL);
	assert_int_equal(read_all(0, words + w.top, 1, w.record, out, &m), -EINVAL);
	assert_int_equal(read_all(0, words + w.top, 0, 0, out, &m), 0);
}

static void a_full_stack_says_so(void **state)
{
	struct isa_ctl_wave wave = { .nr_vgprs = 8, .acc_offset = 8, .nr_sgprs = 16 };
	struct isa_ctl_writer w;
	u32 words[4];

	wave.is_first = wave.is_last = true;
	isa_ctl_write_start(&w, words, 4);
	assert_int_equal(isa_ctl_write(&w, 0, &wave), 0);
	assert_int_equal(isa_ctl_write_end(&w), 0);
	isa_ctl_write_start(&w, words, 3);
	assert_int_equal(isa_ctl_write(&w, 0, &wave), 0);
	assert_int_equal(isa_ctl_write_end(&w), -ENOSPC);
	wave.nr_vgprs = 520;
	assert_int_equal(isa_ctl_write(&w, 0, &wave), -EINVAL);
}

/* Whatever the words are: an end, records inside the area, sane allocations. */
static void hostile_words_do_no_harm(void **state)
{
	struct isa_ctl_wave in[MAX_WAVES], out[MAX_WAVES];
	u32 words[NR_WORDS], round, m, k, refused = 0;
	struct isa_ctl_writer w;
	struct rig r = { .random = 3 };

	for (round = 0; round < 20000; round++) {
		u64 bytes = rig_random(&r) % (1u << 22);
		u32 nr = NR_WORDS, at = 0;

		for (k = 0; k < NR_WORDS; k++)
			words[k] = (u32)rig_random(&r);
		if (round % 2) {
			isa_ctl_write_start(&w, words, NR_WORDS);
			write_random(&r, 0, &w, in);
			at = w.top;
			nr = NR_WORDS - at;
			bytes = w.record;
			words[at + rig_random(&r) % nr] ^= 1u << rig_random(&r) % 32;
		}
		if (read_all(round / 2 & 1, words + at, nr, bytes, out, &m)) {
			refused++;
			continue;
		}
		for (k = 0; k < min(m, (u32)MAX_WAVES); k++) {
			assert_true(out[k].record + out[k].record_bytes <= bytes);
			assert_true(out[k].nr_vgprs <= 512 && out[k].lds_bytes <= 65536);
		}
	}
	assert_true(refused > 10000);
}

/* A saved group as it is described, and a group of nothing but that description. */
static void rebuild(struct rig *r, struct rig_group *g, struct rig_saved *s,
		    const u32 *words, u32 nr)
{
	struct isa_ctl_wave w[MAX_WAVES];
	u32 n, k;

	assert_int_equal(read_all(r->env.arch, words, nr, s->end - RIG_SAVE, w, &n), 0);
	rig_group_init(r, g, n, w[0].nr_vgprs, w[0].acc_offset, w[0].nr_sgprs, w[0].lds_bytes);
	rig_group_wipe(r, g);
	s->nr = n;
	for (k = 0; k < n; k++) {
		s->live[k] = k;
		s->address[k] = RIG_SAVE + w[k].record;
	}
	assert_true(rig_restore(r, g, s));
}

static void describe(struct rig *r, const struct rig_group *g, struct isa_ctl_writer *w)
{
	u32 k;

	for (k = g->nr; k-- > 0;) {
		const struct isa_wave *v = &g->wave[k];
		struct isa_ctl_wave c = { .nr_vgprs = v->nr_vgprs, .nr_sgprs = v->nr_sgprs };

		c.acc_offset = v->acc_offset;
		c.lds_bytes = v->lds_bytes;
		c.is_first = k == 0;
		c.is_last = k == g->nr - 1;
		assert_int_equal(isa_ctl_write(w, r->env.arch, &c), 0);
	}
	assert_int_equal(isa_ctl_write_end(w), 0);
}

/* Saved by AMD's handler, rebuilt from the control stack and the area alone. */
static void groups_are_rebuilt_from_words_and_bytes(void **state)
{
	u32 words[NR_WORDS], round, k;
	struct isa_ctl_writer w;
	struct rig_group g, h, twin;
	struct rig_saved s;
	struct rig r;
	u64 seed;

	rig_init(&r, ISA_GFX90A);
	if (!rig_load_handler(&r)) {
		rig_fini(&r);
		skip();
	}
	for (round = 0; round < 100; round++) {
		struct isa_ctl_wave a = random_allocation(&r);

		a.acc_offset = max(a.acc_offset, 8u);
		rig_group_init(&r, &g, 1 + round % 4, a.nr_vgprs, a.acc_offset, a.nr_sgprs,
			       a.lds_bytes);
		/* The handler uses registers that it has saved: a twin stays as it was. */
		seed = r.random;
		rig_group_wipe(&r, &g);
		rig_group_init(&r, &twin, g.nr, a.nr_vgprs, a.acc_offset, a.nr_sgprs, a.lds_bytes);
		r.random = seed;
		rig_group_wipe(&r, &twin);
		isa_ctl_write_start(&w, words, NR_WORDS);
		describe(&r, &g, &w);
		assert_true(rig_save(&r, &g, &s));
		assert_int_equal(w.record, s.end - RIG_SAVE);
		rebuild(&r, &h, &s, words + w.top, NR_WORDS - w.top);
		assert_int_equal(g.nr, h.nr);
		assert_int_equal(memcmp(twin.lds, h.lds, a.lds_bytes), 0);
		for (k = 0; k < g.nr; k++) {
			assert_memory_equal(twin.wave[k].vgpr, h.wave[k].vgpr, a.nr_vgprs * 256ul);
			assert_memory_equal(twin.wave[k].sgpr, h.wave[k].sgpr, a.nr_sgprs * 4ul);
		}
		rig_group_fini(&g);
		rig_group_fini(&h);
		rig_group_fini(&twin);
	}
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(a_byte_more_or_less_is_refused),
		cmocka_unit_test(a_full_stack_says_so),
		cmocka_unit_test(hostile_words_do_no_harm),
		cmocka_unit_test(groups_are_rebuilt_from_words_and_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
