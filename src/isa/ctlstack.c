// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/ctlstack.h"

#include "isa/isa.h"
#include "isa/record.h"

#define STATE (1u << 31)
#define EVENT (1u << 30)
#define LDS_UNIT 512u
#define MAX_LDS_BYTES 65536u
#define MAX_SLOT 0x1ffu
#define SCRATCH (1u << 15)
#define LAST (1u << 16)
#define FIRST (1u << 17)
#define TAG_SHIFT 18
#define MAX_TAG 7u

u32 isa_ctl_record_bytes(const struct isa_ctl_wave *wave)
{
	return isa_record_bytes(wave->nr_vgprs, wave->nr_sgprs,
				wave->is_first ? wave->lds_bytes : 0);
}

bool isa_ctl_is_allocation(const struct isa_ctl_wave *a)
{
	return a->nr_vgprs >= 8 && a->nr_vgprs <= 512 && a->nr_vgprs % 8 == 0 &&
	       a->acc_offset >= 4 && a->acc_offset <= 256 && a->acc_offset % 4 == 0 &&
	       a->acc_offset <= a->nr_vgprs && a->nr_vgprs - a->acc_offset <= 256 &&
	       a->nr_sgprs >= 16 && a->nr_sgprs <= ISA_MAX_SGPRS && a->nr_sgprs % 16 == 0 &&
	       a->lds_bytes <= MAX_LDS_BYTES && a->lds_bytes % LDS_UNIT == 0;
}

/* The SGPR field counts the sixteen trap temporaries as well. */
static u32 state_word(const struct isa_ctl_wave *a)
{
	return STATE | (a->nr_vgprs / 8 - 1) | a->nr_sgprs / 16 << 6 |
	       a->lds_bytes / LDS_UNIT << 9 |
	       (a->acc_offset / 4 - 1) << 24;
}

static void from_state(u32 word, struct isa_ctl_wave *a)
{
	a->nr_vgprs = ((word & 0x3f) + 1) * 8;
	a->nr_sgprs = (word >> 6 & 7) * 16;
	a->lds_bytes = (word >> 9 & 0xff) * LDS_UNIT;
	a->acc_offset = ((word >> 24 & 0x3f) + 1) * 4;
}

static u32 max_se(u32 arch)
{
	return arch == ISA_GFX942 ? 3 : 7;
}

static int push(struct isa_ctl_writer *w, u32 word)
{
	if (!w->top)
		return -ENOSPC;
	w->words[--w->top] = word;
	return 0;
}

void isa_ctl_write_start(struct isa_ctl_writer *w, u32 *words, u32 nr_words)
{
	*w = (struct isa_ctl_writer){ .words = words, .nr_words = nr_words, .top = nr_words };
}

int isa_ctl_write(struct isa_ctl_writer *w, u32 arch, struct isa_ctl_wave *wave)
{
	u32 state = state_word(wave);
	int err = 0;

	if (!isa_ctl_is_allocation(wave) || wave->scratch_slot > MAX_SLOT ||
	    wave->se > max_se(arch) || wave->tag > MAX_TAG)
		return -EINVAL;
	if (w->state && w->state != state)
		err = push(w, w->state);
	if (!err)
		err = push(w, wave->scratch_slot | wave->se << 9 | wave->tag << TAG_SHIFT |
				      (wave->has_scratch ? SCRATCH : 0) |
				      (wave->is_last ? LAST : 0) | (wave->is_first ? FIRST : 0));
	if (err)
		return err;
	w->state = state;
	wave->record = w->record;
	wave->record_bytes = isa_ctl_record_bytes(wave);
	w->record += wave->record_bytes;
	return 0;
}

int isa_ctl_write_end(struct isa_ctl_writer *w)
{
	int err = w->state ? push(w, w->state) : 0;
	u32 k;

	for (k = 0; k < ISA_CTL_HEAD_WORDS && !err; k++)
		err = push(w, 0);
	return err;
}

void isa_ctl_read_start(struct isa_ctl_reader *r, u32 arch, const u32 *words, u32 nr_words,
			u64 bytes)
{
	memset(r, 0, sizeof(*r));
	r->words = words;
	r->nr_words = nr_words;
	r->arch = arch;
	r->record = bytes;
	r->next = ISA_CTL_HEAD_WORDS;
}

/* Reads state words and events until a wave word, or the end. */
static int next_word(struct isa_ctl_reader *r, u32 *word)
{
	while (r->next < r->nr_words) {
		*word = r->words[r->next++];
		if (*word & STATE) {
			if (r->in_group && *word != r->state)
				return -EINVAL;
			r->state = *word;
		} else if (!(*word & EVENT)) {
			return r->state ? 1 : -EINVAL;
		}
	}
	return r->record || r->in_group ? -EINVAL : 0;
}

int isa_ctl_read(struct isa_ctl_reader *r, struct isa_ctl_wave *wave)
{
	u32 word;
	int got;

	if (r->nr_words && r->nr_words < ISA_CTL_HEAD_WORDS)
		return -EINVAL;
	got = next_word(r, &word);
	if (got <= 0)
		return got;
	memset(wave, 0, sizeof(*wave));
	from_state(r->state, wave);
	wave->scratch_slot = word & MAX_SLOT;
	wave->se = word >> 9 & max_se(r->arch);
	wave->tag = word >> TAG_SHIFT & MAX_TAG;
	wave->has_scratch = word & SCRATCH;
	wave->is_last = word & LAST;
	wave->is_first = word & FIRST;
	if (!isa_ctl_is_allocation(wave) || wave->is_first == r->in_group)
		return -EINVAL;
	wave->record_bytes = isa_ctl_record_bytes(wave);
	if (wave->record_bytes > r->record)
		return -EINVAL;
	r->record -= wave->record_bytes;
	wave->record = r->record;
	r->in_group = !wave->is_last;
	return 1;
}
