// SPDX-License-Identifier: MIT
#include "driver/mqds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_PER_LINE 8
#define COMPUTE_BYTES 2048
#define SDMA_BYTES 512

/*
 * Byte offsets in struct v9_mqd and struct v9_sdma_mqd (include/v9_structs.h of the
 * driver). The images of other generations differ; only gfx9 is asked for here.
 */
#define CP_PRIO 0x218
#define CP_BASE 0x220
#define CP_RPTR_ADDR 0x22c
#define CP_WPTR_ADDR 0x234
#define CP_CONTROL 0x244
#define SDMA_CNTL 0x00
#define SDMA_BASE 0x04
#define SDMA_RPTR_ADDR_HI 0x20
#define SDMA_RPTR_ADDR_LO 0x24

#define CP_PRIO_MASK 0xfu
#define CP_CONTROL_SIZE(x) ((x) & 0x3f)		/* ring dwords = 2 << n */
#define CP_CONTROL_SLOT_BASED(x) ((x) >> 25 & 3)	/* 2 = AQL */
#define SDMA_CNTL_SIZE(x) ((x) >> 1 & 0x3f)	/* ring dwords = 1 << n */

/* Where we are in the file. */
struct reader {
	struct drv_mqd *out; /* queues so far */
	size_t nr; /* how many */
	size_t room; /* how many fit */
	uint32_t pid; /* of the last "Process" */
	struct drv_mqd cur; /* the queue whose lines come; cur.pid is 0 if none */
	uint32_t words[COMPUTE_BYTES / 4]; /* its first image */
	uint32_t next; /* byte offset that must come next */
	uint32_t bytes; /* of an image of its kind */
};

static uint32_t word(const struct reader *r, uint32_t offset)
{
	return r->words[offset / 4];
}

static uint64_t pair(const struct reader *r, uint32_t lo, uint32_t hi)
{
	return word(r, lo) | (uint64_t)word(r, hi) << 32;
}

static void decode_compute(struct reader *r)
{
	struct drv_mqd *q = &r->cur;
	uint32_t control = word(r, CP_CONTROL);

	q->prio = word(r, CP_PRIO) & CP_PRIO_MASK;
	q->ring_addr = pair(r, CP_BASE, CP_BASE + 4) << 8;
	q->ring_bytes = 8ull << CP_CONTROL_SIZE(control);
	q->rptr_addr = pair(r, CP_RPTR_ADDR, CP_RPTR_ADDR + 4);
	q->wptr_addr = pair(r, CP_WPTR_ADDR, CP_WPTR_ADDR + 4);
	q->is_aql = CP_CONTROL_SLOT_BASED(control) == 2;
}

static void decode_sdma(struct reader *r)
{
	struct drv_mqd *q = &r->cur;

	q->ring_addr = pair(r, SDMA_BASE, SDMA_BASE + 4) << 8;
	q->ring_bytes = 4ull << SDMA_CNTL_SIZE(word(r, SDMA_CNTL));
	q->rptr_addr = pair(r, SDMA_RPTR_ADDR_LO, SDMA_RPTR_ADDR_HI);
}

/* The queue that was read, if it is whole, goes to the others. */
static int end_queue(struct reader *r)
{
	struct drv_mqd *bigger;

	if (!r->cur.nr_xcc) {
		r->cur.pid = 0;
		return 0;
	}
	if (r->nr == r->room) {
		r->room = r->room ? 2 * r->room : 16;
		bigger = realloc(r->out, r->room * sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		r->out = bigger;
	}
	if (r->cur.is_compute)
		decode_compute(r);
	else
		decode_sdma(r);
	r->out[r->nr++] = r->cur;
	r->cur = (struct drv_mqd){};
	return 0;
}

static int begin_queue(struct reader *r, uint32_t gpu_id, bool is_compute)
{
	int e = end_queue(r);

	r->cur = (struct drv_mqd){ .pid = r->pid, .gpu_id = gpu_id, .is_compute = is_compute };
	r->bytes = is_compute ? COMPUTE_BYTES : SDMA_BYTES;
	r->next = 0;
	return e;
}

/* Eight words; the first image is kept, the others are counted. */
static bool take_words(struct reader *r, const char *line)
{
	uint32_t offset, w[WORDS_PER_LINE];

	if (sscanf(line, " %x: %x %x %x %x %x %x %x %x", &offset, &w[0], &w[1], &w[2], &w[3],
		   &w[4], &w[5], &w[6], &w[7]) != WORDS_PER_LINE + 1)
		return false;
	if (!r->cur.pid || offset != r->next)
		return false;
	if (!r->cur.nr_xcc)
		memcpy(&r->words[offset / 4], w, sizeof(w));
	r->next = (offset + (uint32_t)sizeof(w)) % r->bytes;
	if (!r->next)
		r->cur.nr_xcc++;
	return true;
}

static int take_line(struct reader *r, const char *line)
{
	uint32_t id;
	int e;

	if (sscanf(line, "Process %u PASID", &id) == 1) {
		e = end_queue(r);
		r->pid = id;
		r->cur.pid = 0;
		return e;
	}
	if (sscanf(line, " Compute queue on device %x", &id) == 1)
		return begin_queue(r, id, true);
	if (sscanf(line, " SDMA queue on device %x", &id) == 1)
		return begin_queue(r, id, false);
	return take_words(r, line) ? 0 : end_queue(r);
}

int drv_mqds_read(FILE *f, struct drv_mqd **out, size_t *nr)
{
	struct reader r = {};
	char line[256];
	int e = 0;

	while (!e && fgets(line, sizeof(line), f))
		e = take_line(&r, line);
	if (!e && ferror(f))
		e = -EIO;
	if (!e)
		e = end_queue(&r);
	if (e) {
		free(r.out);
		return e;
	}
	*out = r.out;
	*nr = r.nr;
	return 0;
}
