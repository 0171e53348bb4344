// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/heap.h"

#define ARITY 4U

void gp_heap_pool_init(struct gp_heap_pool *p, u32 nr_items, u32 nr_chunks)
{
	u32 i;

	for (i = 0; i < nr_items; i++)
		p->pos[i] = GP_HEAP_NONE;
	/* A stack: the chunk with the lowest number is handed out first. */
	for (i = 0; i < nr_chunks; i++)
		p->free[i] = (u16)(nr_chunks - 1 - i);
	p->nr_free = nr_chunks;
}

static void put(struct gp_heap_pool *p, const struct gp_heap *h, u32 i,
		const struct gp_heap_entry *e)
{
	*gp_heap_at(p, h, i) = *e;
	p->pos[e->item] = i;
}

/* Makes room for one more entry. The pool is sized so that it cannot run dry. */
static bool grow(struct gp_heap_pool *p, struct gp_heap *h)
{
	u32 slot = h->nr + GP_HEAP_SHIFT;

	if (h->nr == 0 || (slot & (GP_HEAP_CHUNK - 1)) == 0) {
		if (GP_WARN_ON(p->nr_free == 0))
			return false;
		h->chunk[slot >> GP_HEAP_CHUNK_BITS] = p->free[--p->nr_free];
	}
	h->nr++;
	return true;
}

static void shrink(struct gp_heap_pool *p, struct gp_heap *h)
{
	u32 slot = --h->nr + GP_HEAP_SHIFT;

	if (h->nr == 0 || (slot & (GP_HEAP_CHUNK - 1)) == 0)
		p->free[p->nr_free++] = h->chunk[slot >> GP_HEAP_CHUNK_BITS];
}

/* Moves the hole at @i up to where @e belongs and fills it. At most log4(n) steps. */
static void sift_up(struct gp_heap_pool *p, const struct gp_heap *h, u32 i,
		    const struct gp_heap_entry *e)
{
	while (i > 0) {
		u32 up = (i - 1) / ARITY;
		const struct gp_heap_entry *parent = gp_heap_at(p, h, up);

		if (!gp_heap_is_before(e, parent))
			break;
		put(p, h, i, parent);
		i = up;
	}
	put(p, h, i, e);
}

/* Children of one entry are in one chunk: see GP_HEAP_SHIFT. */
static u32 best_child(const struct gp_heap_pool *p, const struct gp_heap *h, u32 first)
{
	const struct gp_heap_entry *c = gp_heap_at(p, h, first);
	u32 nr = min(h->nr - first, ARITY);
	u32 best = 0;
	u32 i;

	for (i = 1; i < nr; i++)
		if (gp_heap_is_before(&c[i], &c[best]))
			best = i;
	return first + best;
}

static void sift_down(struct gp_heap_pool *p, const struct gp_heap *h, u32 i,
		      const struct gp_heap_entry *e)
{
	u32 first;

	while ((first = i * ARITY + 1) < h->nr) {
		u32 down = best_child(p, h, first);
		const struct gp_heap_entry *child = gp_heap_at(p, h, down);

		if (!gp_heap_is_before(child, e))
			break;
		put(p, h, i, child);
		i = down;
	}
	put(p, h, i, e);
}

static void place(struct gp_heap_pool *p, const struct gp_heap *h, u32 i,
		  const struct gp_heap_entry *e)
{
	if (i > 0 && gp_heap_is_before(e, gp_heap_at(p, h, (i - 1) / ARITY)))
		sift_up(p, h, i, e);
	else
		sift_down(p, h, i, e);
}

void gp_heap_insert(struct gp_heap_pool *p, struct gp_heap *h, const struct gp_heap_entry *e)
{
	if (GP_WARN_ON(p->pos[e->item] != GP_HEAP_NONE) || !grow(p, h))
		return;
	sift_up(p, h, h->nr - 1, e);
}

void gp_heap_remove(struct gp_heap_pool *p, struct gp_heap *h, u32 item)
{
	u32 i = p->pos[item];
	struct gp_heap_entry last;

	if (GP_WARN_ON(i >= h->nr))
		return;
	last = *gp_heap_at(p, h, h->nr - 1);
	shrink(p, h);
	p->pos[item] = GP_HEAP_NONE;
	if (i < h->nr)
		place(p, h, i, &last);
}

void gp_heap_update(struct gp_heap_pool *p, struct gp_heap *h, const struct gp_heap_entry *e)
{
	u32 i = p->pos[e->item];

	if (GP_WARN_ON(i >= h->nr))
		return;
	if (gp_heap_at(p, h, i)->key != e->key)
		place(p, h, i, e);
}

/*
 * Places that may come next, at most ARITY - 1 more for each one taken: the
 * wanted entries can only be children of entries already given.
 */
struct frontier {
	u32 nr;
	u32 at[GP_HEAP_FIRST_MAX * (ARITY - 1) + 1];
};

static u32 take_best(const struct gp_heap_pool *p, const struct gp_heap *h, struct frontier *f)
{
	u32 best = 0;
	u32 at;
	u32 i;

	for (i = 1; i < f->nr; i++)
		if (gp_heap_is_before(gp_heap_at(p, h, f->at[i]), gp_heap_at(p, h, f->at[best])))
			best = i;
	at = f->at[best];
	f->at[best] = f->at[--f->nr];
	return at;
}

u32 gp_heap_first(const struct gp_heap_pool *p, const struct gp_heap *h, u32 nr,
		  struct gp_heap_entry *out)
{
	struct frontier f;
	u32 got = 0;

	f.nr = h->nr ? 1 : 0;
	f.at[0] = 0;
	nr = min(nr, GP_HEAP_FIRST_MAX);
	while (got < nr && f.nr) {
		u32 at = take_best(p, h, &f);
		u32 child = at * ARITY + 1;
		u32 end = min(child + ARITY, h->nr);

		out[got++] = *gp_heap_at(p, h, at);
		for (; child < end; child++)
			f.at[f.nr++] = child;
	}
	return got;
}
