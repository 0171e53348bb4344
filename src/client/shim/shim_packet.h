/* SPDX-License-Identifier: MIT */
/*
 * The packets of an AQL queue of this process, for rules/aql_end.h.
 */
#ifndef GP_SHIM_PACKET_H
#define GP_SHIM_PACKET_H

#include "client/shim/shim.h"

/**
 * shim_packet_end() - have the packets ended?
 * @sys: the world, to read them
 * @ring: where they are
 * @mark: how far they were followed; moved over those that have ended
 * @wptr: write index; the read index is the same
 *
 * Context: no lock, as memory of the application is read.
 *
 * Return: what is known.
 */
enum gp_aql_end shim_packet_end(const struct shim_sys *sys, const struct shim_props *ring,
				struct gp_aql_mark *mark, uint64_t wptr);

#endif
