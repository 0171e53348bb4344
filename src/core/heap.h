/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Priority heaps of small integers ("items": slot numbers of entities).
 *
 * A pool serves many heaps. An item is in at most one heap of a pool, so a pool
 * needs room for every item once, however many heaps there are: heaps grow by
 * chunks taken from the pool and give them back. The pool also holds the place
 * of each item, which makes removal and re-keying O(log n).
 *
 * Heaps are 4-ary, and the four children of an entry share one cache line: the
 * root is in slot 3 of its first chunk, entries are 16 bytes, chunks are
 * aligned to 64 bytes.
 *
 * The caller owns the memory and serialises.
 */
#ifndef GP_CORE_HEAP_H
#define GP_CORE_HEAP_H

#include "gp_port.h"

#define GP_HEAP_CHUNK_BITS 4
#define GP_HEAP_CHUNK (1U << GP_HEAP_CHUNK_BITS)
/* Slots before the root; see above. */
#define GP_HEAP_SHIFT 3U
#define GP_HEAP_NONE 0xffffffffU
/* Most entries gp_heap_first() gives. */
#define GP_HEAP_FIRST_MAX 8U

/* One entry; smaller (@key, @tie) is nearer to the top. */
struct gp_heap_entry {
	u64 key;  /* sort key */
	u32 tie;  /* decides between equal keys */
	u32 item; /* the item of the entry */
};

/* Memory shared by heaps. */
struct gp_heap_pool {
	struct gp_heap_entry *entry; /* the chunks, one after the other */
	u32 *pos;		     /* place of each item in its heap, or GP_HEAP_NONE */
	u16 *free;		     /* stack of free chunk numbers */
	u32 nr_free;		     /* how many of @free are valid */
};

/* One heap. */
struct gp_heap {
	u16 *chunk; /* numbers of its chunks; room for every item of the pool */
	u32 nr;	    /* entries */
};

/**
 * gp_heap_is_before() - order of entries
 * @a: one entry
 * @b: another
 *
 * Return: true if @a is strictly nearer to the top.
 */
static inline bool gp_heap_is_before(const struct gp_heap_entry *a, const struct gp_heap_entry *b)
{
	return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

/**
 * gp_heap_at() - an entry by its place
 * @p: pool
 * @h: heap
 * @i: place, 0 = top
 *
 * @i must be less than the number of entries.
 * Return: the entry.
 */
static inline struct gp_heap_entry *gp_heap_at(const struct gp_heap_pool *p,
					       const struct gp_heap *h, u32 i)
{
	u32 slot = i + GP_HEAP_SHIFT;
	u32 chunk = h->chunk[slot >> GP_HEAP_CHUNK_BITS];

	return &p->entry[(chunk << GP_HEAP_CHUNK_BITS) | (slot & (GP_HEAP_CHUNK - 1))];
}

/**
 * gp_heap_top() - the first entry
 * @p: pool
 * @h: heap
 *
 * Return: the entry, NULL if the heap is empty.
 */
static inline const struct gp_heap_entry *gp_heap_top(const struct gp_heap_pool *p,
						      const struct gp_heap *h)
{
	return h->nr ? gp_heap_at(p, h, 0) : NULL;
}

/**
 * gp_heap_pool_init() - make a pool with all chunks free and all items nowhere
 * @p: pool whose pointers are set
 * @nr_items: size of gp_heap_pool.pos
 * @nr_chunks: chunks in gp_heap_pool.entry
 */
void gp_heap_pool_init(struct gp_heap_pool *p, u32 nr_items, u32 nr_chunks);

/**
 * gp_heap_insert() - put an item in
 * @p: pool
 * @h: heap
 * @e: entry, copied; its item must be in no heap of the pool
 *
 * O(log n), O(1) for random keys on average.
 */
void gp_heap_insert(struct gp_heap_pool *p, struct gp_heap *h, const struct gp_heap_entry *e);

/**
 * gp_heap_remove() - take an item out
 * @p: pool
 * @h: the heap it is in
 * @item: which
 */
void gp_heap_remove(struct gp_heap_pool *p, struct gp_heap *h, u32 item);

/**
 * gp_heap_update() - give an item another key
 * @p: pool
 * @h: the heap it is in
 * @e: its new entry; the tie must be as before
 */
void gp_heap_update(struct gp_heap_pool *p, struct gp_heap *h, const struct gp_heap_entry *e);

/**
 * gp_heap_first() - the first few entries in order, without changing the heap
 * @p: pool
 * @h: heap
 * @nr: how many are wanted, at most GP_HEAP_FIRST_MAX
 * @out: output
 *
 * O(nr^2), independent of the heap's size.
 * Return: how many there are.
 */
u32 gp_heap_first(const struct gp_heap_pool *p, const struct gp_heap *h, u32 nr,
		  struct gp_heap_entry *out);

#endif
