// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_race.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/futex.h>

#define NR_EVENTS 64
#define MAX_DELAY_NS 250000
/* A little longer than doorbells stay mapped after a fault. */
#define MAX_IDLE_US 1300
#define ROUND_TRIES 4
#define DOORBELL_BYTES 8

uint64_t gt_racer_any(struct gt_racer *r, uint64_t below)
{
	/* xorshift64* */
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return (r->state * 0x2545f4914f6cdd1dull >> 16) % below;
}

void gt_racer_init(struct gt_racer *r, uint64_t seed, struct gt_place *place)
{
	memset(r, 0, sizeof(*r));
	r->state = seed;
	r->place = place;
	if (place)
		place->pid = getpid();
	r->dev = open("/dev/gpreempt", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	GT_CHECK(r->dev >= 0, "open: %s", strerror(errno));
	gt_gpu_open(&r->gpu, 0);
	gt_queue_create(&r->gpu, 7, &r->q);
	r->signal = gt_alloc(&r->gpu, 4096);
	/* Queues of a process get doorbells from the first on: the last belongs to no queue. */
	r->doorbell = (volatile uint64_t *)(r->gpu.doorbells + 8192 - DOORBELL_BYTES);
	GT_CHECK(r->doorbell != r->q.doorbell, "it is the queue's own");
}

static void set_detect(struct gt_racer *r, uint8_t detect)
{
	struct gpreempt_ioc_attr arg = { .size = sizeof(arg), .pidfd = -1, .detect = detect,
					 .valid = GPREEMPT_ATTR_F_DETECT };

	GT_CHECK(!ioctl(r->dev, GPREEMPT_IOC_SET_ATTR, &arg), "attributes: %s", strerror(errno));
}

void gt_racer_rearm(struct gt_racer *r)
{
	/* The first leaves the pages out and the flag cleared, the second sets it again. */
	set_detect(r, GPREEMPT_DETECT_POLL);
	set_detect(r, GPREEMPT_DETECT_DOORBELL);
}

static bool is_busy(int dev, int pid)
{
	struct gpreempt_ioc_queue queues[64];
	struct gpreempt_ioc_list arg = {
		.size = sizeof(arg), .queues = (uintptr_t)queues, .nr = 64,
		.entry_size = sizeof(queues[0]),
	};
	uint32_t i;

	GT_CHECK(!ioctl(dev, GPREEMPT_IOC_LIST, &arg), "list: %s", strerror(errno));
	for (i = 0; i < arg.nr && i < 64; i++)
		if (queues[i].pid == pid)
			return queues[i].flags & GPREEMPT_QUEUE_F_BUSY;
	return false;
}

static void place_set(struct gt_place *p, uint32_t busy)
{
	__atomic_store_n(&p->busy, busy, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &p->busy, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void tell_places(struct gt_place *places, unsigned int nr, int dev,
			const struct gpreempt_abi_event *e)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (e->kind == GPREEMPT_EVENT_LOST)
			place_set(&places[i], is_busy(dev, places[i].pid));
		else if (e->kind == GPREEMPT_EVENT_BUSY && e->pid == places[i].pid)
			place_set(&places[i], e->code);
	}
}

void gt_board_run(struct gt_place *places, unsigned int nr, volatile uint32_t *nr_running)
{
	int dev = open("/dev/gpreempt", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	struct pollfd p = { .fd = dev, .events = POLLIN };
	struct gpreempt_abi_event events[NR_EVENTS];
	unsigned int quiet_ms = 0;
	ssize_t i, n;

	GT_CHECK(dev >= 0, "open: %s", strerror(errno));
	/* Racers wait for an event no longer than this: they are dead. */
	while (*nr_running && quiet_ms < 3 * GT_RACE_MS) {
		n = read(dev, events, sizeof(events));
		for (i = 0; i < n / (ssize_t)sizeof(events[0]); i++)
			tell_places(places, nr, dev, &events[i]);
		if (n < 0)
			quiet_ms = poll(&p, 1, 100) ? 0 : quiet_ms + 100;
	}
	close(dev);
}

/* Return: 1 it is so, 0 not yet. */
static int read_events(struct gt_racer *r, bool busy)
{
	struct gpreempt_abi_event events[NR_EVENTS];
	ssize_t i, n = read(r->dev, events, sizeof(events));
	bool lost = false;

	GT_CHECK(n >= 0 || errno == EAGAIN, "read: %s", strerror(errno));
	for (i = 0; i < n / (ssize_t)sizeof(events[0]); i++) {
		const struct gpreempt_abi_event *e = &events[i];

		lost |= e->kind == GPREEMPT_EVENT_LOST;
		if (e->kind == GPREEMPT_EVENT_BUSY && e->pid == getpid() && e->code == busy)
			return 1;
	}
	return lost && is_busy(r->dev, getpid()) == busy;
}

static int wait_place(struct gt_racer *r, bool busy)
{
	uint64_t end = gt_deadline_ns(GT_RACE_MS);
	struct timespec second = { .tv_sec = 1 };

	while (__atomic_load_n(&r->place->busy, __ATOMIC_SEQ_CST) != busy) {
		if (gt_now_ns() > end)
			return is_busy(r->dev, getpid()) == busy ? 0 : -ETIMEDOUT;
		syscall(SYS_futex, &r->place->busy, FUTEX_WAIT, !busy, &second, NULL, 0);
	}
	return 0;
}

static int wait_busy(struct gt_racer *r, bool busy)
{
	uint64_t end = gt_deadline_ns(GT_RACE_MS);
	struct pollfd p = { .fd = r->dev, .events = POLLIN };

	if (r->place)
		return wait_place(r, busy);
	while (!read_events(r, busy)) {
		uint64_t now = gt_now_ns();

		/* The event may have come before one of another file that filled the ring. */
		if (now > end)
			return is_busy(r->dev, getpid()) == busy ? 0 : -ETIMEDOUT;
		poll(&p, 1, (int)((end - now) / 1000000 + 1));
	}
	return 0;
}

static void spin(uint64_t ns)
{
	uint64_t end = gt_now_ns() + ns;

	while (gt_now_ns() < end)
		;
}

int gt_racer_submit(struct gt_racer *r, uint64_t after_ns)
{
	uint64_t slot = *r->q.wptr % (r->q.ring_bytes / GPU_AQL_PACKET_BYTES);
	struct gpu_aql_dispatch *p = (void *)(r->q.ring + slot * GPU_AQL_PACKET_BYTES);

	/* Its header says that it is none: the CP would stop here. */
	p->completion_signal = (uintptr_t)r->signal;
	r->signal->value = 1;
	spin(after_ns);
	__atomic_store_n(r->q.wptr, *r->q.wptr + 1, __ATOMIC_SEQ_CST);
	*r->doorbell = *r->q.wptr;
	r->tries++;
	return wait_busy(r, true);
}

int gt_racer_complete(struct gt_racer *r)
{
	__atomic_store_n(r->q.rptr, *r->q.wptr, __ATOMIC_SEQ_CST);
	r->signal->value = 0;
	return wait_busy(r, false);
}

int gt_racer_round(struct gt_racer *r)
{
	int i, ret;

	gt_racer_rearm(r);
	/* The first against that arming, the others against those that follow idle. */
	for (i = 0; i < ROUND_TRIES; i++) {
		if (i)
			gt_sleep_us(gt_racer_any(r, MAX_IDLE_US));
		ret = gt_racer_submit(r, gt_racer_any(r, MAX_DELAY_NS));
		if (!ret)
			ret = gt_racer_complete(r);
		if (ret)
			return ret;
	}
	return 0;
}
