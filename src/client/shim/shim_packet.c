// SPDX-License-Identifier: MIT
#include "client/shim/shim_packet.h"

#include <errno.h>
#include <string.h>

/* Packets that are read with one call. */
#define WINDOW_BYTES 2048

/**
 * struct window - packets that were read at once
 * @sys: the world
 * @ring: address of the ring, and where it ends
 * @end: see @ring
 * @addr: where the bytes are from
 * @nr: how many
 * @bytes: of the ring
 */
struct window {
	const struct shim_sys *sys;
	uint64_t ring;
	uint64_t end;
	uint64_t addr;
	size_t nr;
	uint8_t bytes[WINDOW_BYTES];
};

static int read_one(const struct shim_sys *sys, uint64_t addr, void *to, size_t bytes)
{
	struct shim_piece piece = { addr, to, bytes, 0 };

	sys->read_memory(&piece, 1);
	return piece.error;
}

/* Packets are asked for in the order of the ring: those behind the first come with it. */
static int read_packet(void *data, uint64_t addr, void *to, size_t bytes)
{
	struct window *w = data;
	uint64_t left = w->end - addr;

	if (addr < w->ring || addr >= w->end || bytes > left)
		return read_one(w->sys, addr, to, bytes);
	if (addr < w->addr || addr + bytes > w->addr + w->nr) {
		w->addr = addr;
		w->nr = left < sizeof(w->bytes) ? left : sizeof(w->bytes);
		if (read_one(w->sys, addr, w->bytes, w->nr)) {
			w->nr = 0;
			return -EFAULT;
		}
	}
	memcpy(to, w->bytes + (addr - w->addr), bytes);
	return 0;
}

enum gp_aql_end shim_packet_end(const struct shim_sys *sys, const struct shim_props *ring,
				struct gp_aql_mark *mark, uint64_t wptr)
{
	struct window w = { .sys = sys, .ring = ring->ring_addr,
			    .end = ring->ring_addr + ring->ring_bytes };
	struct gp_aql_ring r = { read_packet, &w, ring->ring_addr, ring->ring_bytes };

	return gp_aql_end(&r, mark, wptr);
}
