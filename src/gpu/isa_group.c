// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A workgroup of machine code in the model's memory, and the records of its waves in
 * that of the process.
 */
#include "gpu/wave_isa.h"

struct gpu_isa_group *gpu_isa_group_alloc(struct gpu *gpu, struct gpu_cohort *c, u32 nr)
{
	struct gpu_isa_group *g = gpu->host->ops->alloc(gpu->host, sizeof(*g));

	if (!g)
		return NULL;
	g->cohort = c;
	g->nr = nr;
	c->isa = g;
	return g;
}

static u64 wave_bytes(const struct gpu_dispatch *d)
{
	return sizeof(struct gpu_isa_wave) + d->vgprs * sizeof(isa_row_of_lanes);
}

u64 gpu_isa_group_bytes(const struct gpu_dispatch *d, u32 nr)
{
	return nr * wave_bytes(d) + d->lds_bytes;
}

static void fill_wave(struct gpu *gpu, const struct gpu_isa_group *g, u32 index)
{
	struct gpu_isa_wave *w = g->wave[index];
	const struct gpu_dispatch *d = g->cohort->dispatch;
	const struct gpu_vmid *vmid = &gpu->vmid[d->slot->vmid % GPU_NR_VMIDS];

	w->isa.vgpr = w->vgpr;
	w->isa.lds = g->lds;
	w->isa.nr_vgprs = d->vgprs;
	w->isa.acc_offset = d->kernel.acc_offset;
	w->isa.nr_sgprs = d->kernel.nr_sgprs;
	w->isa.lds_bytes = d->lds_bytes;
	w->isa.tba = vmid->tba;
	w->isa.tma = vmid->tma;
	w->isa.hw_id = gpu_spi_hw_id(gpu, g, index);
}

int gpu_isa_group_fill(struct gpu *gpu, struct gpu_isa_group *g)
{
	const struct gpu_dispatch *d = g->cohort->dispatch;
	struct gpu_host *host = gpu->host;
	u32 i;

	g->bytes = gpu_isa_group_bytes(d, g->nr);
	gpu->isa->bytes += g->bytes;
	if (d->lds_bytes) {
		g->lds = host->ops->alloc(host, d->lds_bytes);
		if (!g->lds)
			return -ENOMEM;
	}
	for (i = 0; i < g->nr; i++) {
		g->wave[i] = host->ops->alloc(host, wave_bytes(d));
		if (!g->wave[i])
			return -ENOMEM;
		fill_wave(gpu, g, i);
	}
	return 0;
}

void gpu_isa_group_free(struct gpu *gpu, struct gpu_cohort *c)
{
	struct gpu_isa_group *g = c->isa;
	struct gpu_host *host = gpu->host;
	u32 i;

	if (!g)
		return;
	c->isa = NULL;
	gpu_isa_unlist(g);
	gpu_spi_free_scratch(c->dispatch->slot, c->xcc, g);
	gpu->isa->bytes -= g->bytes;
	for (i = 0; i < g->nr; i++)
		if (g->wave[i])
			host->ops->free(host, g->wave[i]);
	if (g->lds)
		host->ops->free(host, g->lds);
	host->ops->free(host, g);
}

/* A record in the memory of a process. */
struct record_io {
	struct isa_record_io io;
	struct gpu *gpu;
	u32 pasid;
	u64 addr;
};

static int write_record(struct isa_record_io *io, u64 offset, const void *from, u32 bytes)
{
	struct record_io *r = container_of(io, struct record_io, io);

	return gpu_host_write(r->gpu, r->pasid, r->addr + offset, from, bytes);
}

static int read_record(struct isa_record_io *io, u64 offset, void *to, u32 bytes)
{
	struct record_io *r = container_of(io, struct record_io, io);

	return gpu_host_read(r->gpu, r->pasid, r->addr + offset, to, bytes);
}

static struct record_io record_io(struct gpu *gpu, const struct gpu_isa_group *g, u32 wave)
{
	struct record_io r = {
		.io = { .write = write_record, .read = read_record },
		.gpu = gpu,
		.pasid = g->cohort->dispatch->slot->pasid,
		.addr = g->record[wave],
	};

	return r;
}

int gpu_isa_write_record(struct gpu *gpu, const struct gpu_isa_group *g, u32 wave, bool is_first)
{
	struct record_io r = record_io(gpu, g, wave);

	return isa_record_save(&g->wave[wave]->isa, gpu->isa->env.arch, is_first, &r.io);
}

int gpu_isa_read_record(struct gpu *gpu, const struct gpu_isa_group *g, u32 wave, bool is_first)
{
	struct record_io r = record_io(gpu, g, wave);

	return isa_record_restore(&g->wave[wave]->isa, gpu->isa->env.arch, is_first, &r.io);
}
