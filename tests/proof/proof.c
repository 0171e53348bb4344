// SPDX-License-Identifier: MIT
#include "proof.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

u64 proof_random(struct proof_rng *rng)
{
	u64 x = rng->state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	rng->state = x;
	return x * 0x2545f4914f6cdd1dull;
}

u32 proof_below(struct proof_rng *rng, u32 n)
{
	return (u32)((proof_random(rng) >> 32) * n >> 32);
}

void proof_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

void proof_fail(const char *format, ...)
{
	va_list args;

	printf("FAILED: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	exit(1);
}

void proof_add(struct proof_mix *m, struct world_queue *q, const struct world_kernel *k)
{
	u32 i = m->nr_dispatches++;

	if (i == PROOF_MAX_DISPATCHES)
		proof_fail("mix too large");
	m->queue_of[i] = q;
	m->nr_groups[i] = k->nr_groups;
	m->dispatch[i] = world_dispatch(q, k);
}

void proof_release(struct proof_mix *m, struct world_queue *q, u32 first)
{
	u32 i;

	for (i = first; i < m->nr_dispatches; i++) {
		if (m->dispatch[i].signal)
			continue;
		m->dispatch[i].signal = world_signal(&m->w, q->pasid, 1, 0);
		world_pm4_release(q, m->dispatch[i].signal + GPU_SIGNAL_VALUE_OFFSET, 0,
				  GPU_RELEASE_DATA_64, 0);
	}
}

void proof_start(struct proof_mix *m)
{
	u32 i;

	for (i = 0; i < m->w.nr_queues; i++)
		world_ring(&m->w.queue[i]);
	world_runlist_all(&m->w);
	world_hiq_ring(&m->w);
}

bool proof_is_done(struct proof_mix *m)
{
	u32 i;

	for (i = 0; i < m->nr_dispatches; i++)
		if (world_signal_value(&m->w, m->queue_of[i]->pasid, m->dispatch[i].signal))
			return false;
	return true;
}

static bool is_in_area(struct proof_mix *m, u32 pasid, u64 offset, u64 *end)
{
	u32 i;

	for (i = 0; i < m->w.nr_queues; i++) {
		const struct world_queue *q = &m->w.queue[i];
		u64 area = q->area - WORLD_PROC_BASE;

		*end = area + (u64)q->area_bytes * m->w.profile->nr_xcc;
		if (q->pasid == pasid && offset >= area && offset < *end)
			return true;
	}
	return false;
}

static const char *compare_process(struct proof_mix *a, struct proof_mix *b, u32 pasid)
{
	static char where[96];
	u64 bytes_a, bytes_b, at, end;
	const u8 *x = world_image(&a->w, pasid, &bytes_a);
	const u8 *y = world_image(&b->w, pasid, &bytes_b);

	if (bytes_a != bytes_b)
		return "size";
	for (at = 0; at < bytes_a; at += 64) {
		u64 len = bytes_a - at < 64 ? bytes_a - at : 64;

		if (is_in_area(a, pasid, at, &end)) {
			at = end / 64 * 64 - 64;
			continue;
		}
		if (!memcmp(x + at, y + at, len))
			continue;
		snprintf(where, sizeof(where), "pasid %#x, offset %#llx", pasid,
			 (unsigned long long)at);
		return where;
	}
	return NULL;
}

const char *proof_compare(struct proof_mix *a, struct proof_mix *b)
{
	u32 pasid;

	for (pasid = WORLD_FIRST_PASID; pasid < WORLD_FIRST_PASID + WORLD_MAX_PROCS; pasid++) {
		const char *where;

		if (!a->w.proc[pasid - WORLD_FIRST_PASID].used)
			continue;
		where = compare_process(a, b, pasid);
		if (where)
			return where;
	}
	return NULL;
}

const char *proof_check_tally(struct proof_mix *m)
{
	static char text[96];
	u32 i;

	for (i = 0; i < m->nr_dispatches; i++) {
		u64 nr = world_u64(&m->w, m->queue_of[i]->pasid, m->dispatch[i].tally);

		if (nr == m->nr_groups[i])
			continue;
		snprintf(text, sizeof(text), "dispatch %u: %llu of %u workgroups", i,
			 (unsigned long long)nr, m->nr_groups[i]);
		return text;
	}
	return NULL;
}
