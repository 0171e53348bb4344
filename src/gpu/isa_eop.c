// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What AMD's control stack does not hold of a queue, dispatches in flight: they go to the
 * end-of-pipe buffer that the client gives to every queue and that only the packet
 * processor uses. The client can write it: it is not trusted.
 */
#include "gpu/aql_queue.h"
#include "gpu/dispatch.h"
#include "gpu/wave.h"
#include "gpu/wave_isa.h"

struct eop_head {
	u32 magic;
	u32 nr;
};

/* A dispatch in flight; what its kernel needs is read again from the descriptor. */
struct eop_dispatch {
	u64 packet;
	struct gpu_aql_dispatch aql;
	u32 next[GPU_MAX_XCC];
	u32 done[GPU_MAX_XCC];
};

_Static_assert(sizeof(struct eop_head) + GPU_MAX_DISPATCHES * sizeof(struct eop_dispatch) <= 4096,
	       "the buffer that ROCr gives");

int gpu_isa_write_dispatches(struct gpu *gpu, struct gpu_slot *slot)
{
	struct eop_head head = { .magic = gpu_isa_wave_ops.magic, .nr = slot->nr_dispatches };
	u64 addr = slot->eop + sizeof(head);
	u32 i, x;
	int err;

	if (!slot->eop || slot->eop_bytes < sizeof(head) + head.nr * sizeof(struct eop_dispatch))
		return -ENOSPC;
	err = gpu_host_write(gpu, slot->pasid, slot->eop, &head, sizeof(head));
	for (i = 0; i < slot->nr_dispatches && !err; i++, addr += sizeof(struct eop_dispatch)) {
		const struct gpu_dispatch *d = &slot->dispatch[slot->order[i]];
		struct eop_dispatch r = { .packet = d->packet, .aql = d->kernel.packet };

		for (x = 0; x < gpu->profile->nr_xcc; x++) {
			r.next[x] = d->share[x].next;
			r.done[x] = d->share[x].done;
		}
		err = gpu_host_write(gpu, slot->pasid, addr, &r, sizeof(r));
	}
	return err;
}

static int restore_dispatch(struct gpu *gpu, struct gpu_slot *slot, const struct eop_dispatch *r)
{
	struct gpu_dispatch *d = gpu_dispatch_get(slot);
	u32 x;
	int err;

	if (!d || r->packet >= slot->rptr)
		return -EINVAL;
	d->packet = r->packet;
	err = gpu_aql_fill(gpu, d, &r->aql);
	if (err)
		return err;
	if (d->engine != &gpu_isa_wave_ops)
		return -EINVAL;
	for (x = 0; x < gpu->profile->nr_xcc; x++) {
		struct gpu_share *share = &d->share[x];

		if (r->next[x] > share->nr || r->done[x] > r->next[x])
			return -EINVAL;
		share->next = r->next[x];
		share->done = r->done[x];
		d->nr_left -= share->done;
		d->has_begun |= share->next != share->done;
	}
	return d->nr_left ? 0 : -EINVAL;
}

int gpu_isa_read_dispatches(struct gpu *gpu, struct gpu_slot *slot)
{
	struct eop_head head;
	u32 i;

	if (!slot->eop || gpu_host_read(gpu, slot->pasid, slot->eop, &head, sizeof(head)))
		return -EFAULT;
	if (head.magic != gpu_isa_wave_ops.magic || !head.nr || head.nr > GPU_MAX_DISPATCHES)
		return -EINVAL;
	for (i = 0; i < head.nr; i++) {
		u64 addr = slot->eop + sizeof(head) + i * sizeof(struct eop_dispatch);
		struct eop_dispatch r;
		int err = gpu_host_read(gpu, slot->pasid, addr, &r, sizeof(r));

		if (!err)
			err = restore_dispatch(gpu, slot, &r);
		if (err)
			return err;
	}
	return 0;
}
