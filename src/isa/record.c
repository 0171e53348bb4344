// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "isa/record.h"

#include "isa/exec.h"

#define HWREG_DWORDS 16
#define TTMP_DWORDS 16
#define NR_WRITTEN_HWREGS 10

/* Trap temporaries that are saved: 4 to 11, and 13. */
#define FIRST_TTMP 4
#define NR_TTMPS 8
#define LONE_TTMP 13

/* IB_STS [20:15] travels in the top bits of a trap temporary. */
#define IB_STS_SHIFT 15
#define IB_STS_MASK 0x3fu
#define IB_STS_TTMP_SHIFT 26

u32 isa_record_bytes(u32 nr_vgprs, u32 nr_sgprs, u32 lds_bytes)
{
	return nr_vgprs * 4 * ISA_LANES + (nr_sgprs + TTMP_DWORDS) * 4 + HWREG_DWORDS * 4 +
	       TTMP_DWORDS * 4 + lds_bytes;
}

static u32 ib_sts_ttmp(u32 arch)
{
	return arch == ISA_GFX942 ? 13 : 11;
}

/* Offsets of the parts of a record. */
struct layout {
	u64 sgprs;
	u64 hwregs;
	u64 ttmps;
	u64 lds;
};

static struct layout layout_of(const struct isa_wave *w)
{
	struct layout l = { .sgprs = (u64)w->nr_vgprs * 4 * ISA_LANES };

	l.hwregs = l.sgprs + w->nr_sgprs * 4;
	l.ttmps = l.hwregs + HWREG_DWORDS * 4;
	l.lds = l.ttmps + TTMP_DWORDS * 4;
	return l;
}

static void hwregs_of(struct isa_wave *w, u32 *h)
{
	/* STATUS as the handler reads it, from inside. */
	w->status |= ISA_STATUS_PRIV;
	h[0] = w->m0;
	h[1] = (u32)w->pc;
	h[2] = (u32)(w->pc >> 32) & 0xffff;
	h[3] = (u32)w->exec;
	h[4] = (u32)(w->exec >> 32);
	h[5] = isa_hwreg_read(w, 2 | 31 << 11);
	h[6] = w->trapsts;
	h[7] = isa_read_reg(w, ISA_R_XNACK_MASK);
	h[8] = isa_read_reg(w, ISA_R_XNACK_MASK + 1);
	h[9] = w->mode;
	w->status &= ~ISA_STATUS_PRIV;
}

int isa_record_save(struct isa_wave *wave, u32 arch, bool is_first, struct isa_record_io *io)
{
	struct layout l = layout_of(wave);
	u32 h[NR_WRITTEN_HWREGS], *sts = &wave->ttmp[ib_sts_ttmp(arch)];
	int err;

	wave->trapsts &= ~ISA_TRAPSTS_SAVECTX;
	*sts = (*sts & ~(IB_STS_MASK << IB_STS_TTMP_SHIFT)) |
	       (wave->ib_sts >> IB_STS_SHIFT & IB_STS_MASK) << IB_STS_TTMP_SHIFT;
	hwregs_of(wave, h);
	err = io->write(io, 0, wave->vgpr, wave->nr_vgprs * 4 * ISA_LANES);
	if (!err)
		err = io->write(io, l.sgprs, wave->sgpr, wave->nr_sgprs * 4);
	if (!err)
		err = io->write(io, l.hwregs, h, sizeof(h));
	if (!err)
		err = io->write(io, l.ttmps + FIRST_TTMP * 4, &wave->ttmp[FIRST_TTMP],
				NR_TTMPS * 4);
	if (!err)
		err = io->write(io, l.ttmps + LONE_TTMP * 4, &wave->ttmp[LONE_TTMP], 4);
	if (!err && is_first && wave->lds_bytes)
		err = io->write(io, l.lds, wave->lds, wave->lds_bytes);
	return err;
}

static void from_hwregs(struct isa_wave *w, const u32 *h)
{
	u32 fixed = ISA_STATUS_SPI_PRIO | ISA_STATUS_PRIV | ISA_STATUS_EXECZ | ISA_STATUS_VCCZ;

	w->m0 = h[0];
	w->pc = h[1] | (u64)(h[2] & 0xffff) << 32;
	w->exec = h[3] | (u64)h[4] << 32;
	w->status = (w->status & ISA_STATUS_SPI_PRIO) | (h[5] & ~fixed);
	/* A request that came meanwhile stays. */
	w->trapsts = (w->trapsts & ISA_TRAPSTS_SAVECTX) | (h[6] & ~ISA_TRAPSTS_SAVECTX);
	isa_write_reg(w, ISA_R_XNACK_MASK, h[7]);
	isa_write_reg(w, ISA_R_XNACK_MASK + 1, h[8]);
	w->mode = h[9];
}

int isa_record_restore(struct isa_wave *wave, u32 arch, bool is_first, struct isa_record_io *io)
{
	struct layout l = layout_of(wave);
	u32 h[NR_WRITTEN_HWREGS];
	int err;

	err = io->read(io, 0, wave->vgpr, wave->nr_vgprs * 4 * ISA_LANES);
	if (!err)
		err = io->read(io, l.sgprs, wave->sgpr, wave->nr_sgprs * 4);
	if (!err)
		err = io->read(io, l.hwregs, h, sizeof(h));
	if (!err)
		err = io->read(io, l.ttmps + FIRST_TTMP * 4, &wave->ttmp[FIRST_TTMP], NR_TTMPS * 4);
	if (!err)
		err = io->read(io, l.ttmps + LONE_TTMP * 4, &wave->ttmp[LONE_TTMP], 4);
	if (!err && is_first && wave->lds_bytes)
		err = io->read(io, l.lds, wave->lds, wave->lds_bytes);
	if (err)
		return err;
	from_hwregs(wave, h);
	wave->ib_sts = (wave->ttmp[ib_sts_ttmp(arch)] >> IB_STS_TTMP_SHIFT & IB_STS_MASK)
		       << IB_STS_SHIFT;
	return 0;
}
