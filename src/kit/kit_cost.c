// SPDX-License-Identifier: MIT
/*
 * What preemption costs: each figure as a distribution, by the clock of the processor, so with the
 * driver's part in it. "call" is the driver alone: UPDATE_QUEUE of a queue that is stopped and
 * stays so, with nothing to unmap. What is above it is the firmware's and the waves'.
 */
#include "kit/kit_ladder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_NS 10000000000ull
#define SETTLE_NS 200000

static struct kit_series *add(struct kit_report *r, const char *name, u32 waves, u64 bytes)
{
	struct kit_series *s = &r->series[r->nr_series];

	if (r->nr_series == KIT_SERIES)
		return NULL;
	r->nr_series++;
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->waves = waves;
	s->bytes = bytes;
	s->nr = 0;
	return s;
}

static void put(struct kit_series *s, u64 ns)
{
	if (s && s->nr < KIT_SAMPLES)
		s->ns[s->nr++] = ns;
}

/* Stops, does nothing, goes on; without waves. */
static int measure_idle(const struct kit_climb *c, struct kit_stage *s, struct kit_report *r)
{
	struct kit_series *call = add(r, "call", 0, 0);
	struct kit_series *stop = add(r, "stop", 0, 0);
	struct kit_series *go = add(r, "go", 0, 0);
	int err = 0;

	for (u32 i = 0; i < c->count && !err; i++) {
		u64 t[4];

		t[0] = kit_now_ns();
		err = kit_way_stop(&s->hand);
		t[1] = kit_now_ns();
		if (!err)
			err = kit_way_stop(&s->hand);
		t[2] = kit_now_ns();
		if (!err)
			err = kit_way_go(&s->hand);
		t[3] = kit_now_ns();
		put(stop, t[1] - t[0]);
		put(call, t[2] - t[1]);
		put(go, t[3] - t[2]);
	}
	return err;
}

/* A barrier packet: from the doorbell to the signal, or from when its queue is let go on. */
static int send_packet(struct kit_stage *s, struct gpu_signal *signal, bool is_stopped, u64 *ns)
{
	int err = is_stopped ? kit_way_stop(&s->hand) : 0;
	u64 begin;

	*signal = (struct gpu_signal){ .kind = 1, .value = 1 };
	if (is_stopped)
		kit_queue_barrier(&s->q, signal);
	begin = kit_now_ns();
	if (!is_stopped)
		kit_queue_barrier(&s->q, signal);
	else if (!err)
		err = kit_way_go(&s->hand);
	if (!err) {
		s->hand.step = "a packet";
		err = kit_signal_wait(signal, ANSWER_NS);
	}
	*ns = kit_now_ns() - begin;
	return err;
}

static int measure_packet(const struct kit_climb *c, struct kit_stage *s, struct kit_report *r)
{
	struct kit_series *packet = add(r, "packet", 0, 0), *first = add(r, "first", 0, 0);
	struct gpu_signal *signal;
	int err = kit_gpu_alloc(&s->gpu, KIT_PAGE, &signal);
	u64 ns;

	s->hand.step = "memory for a signal";

	for (u32 i = 0; i < c->count && !err; i++) {
		err = send_packet(s, signal, false, &ns);
		put(packet, ns);
		if (!err)
			err = send_packet(s, signal, true, &ns);
		put(first, ns);
	}
	return err;
}

/* A thread that waits is woken by another: what any detection needs beside a look. */
static int measure_wake(const struct kit_climb *c, struct kit_stage *s, struct kit_report *r)
{
	struct kit_series *wake = add(r, "wake", 0, 0);
	int to[2], from[2];
	u64 at = 0;
	pid_t child;

	s->hand.step = "a pipe";
	if (pipe(to) || pipe(from))
		return -errno;
	child = fork();
	if (!child) {
		close(to[1]);
		while (read(to[0], &at, sizeof(at)) == sizeof(at)) {
			at = kit_now_ns();
			if (write(from[1], &at, sizeof(at)) != sizeof(at))
				break;
		}
		_exit(0);
	}
	if (child < 0)
		return -errno;
	/* If the child dies, the pipe ends. */
	close(to[0]);
	close(from[1]);
	for (u32 i = 0; i < c->count; i++) {
		u64 begin = kit_now_ns();

		if (write(to[1], &begin, sizeof(begin)) != sizeof(begin) ||
		    read(from[0], &at, sizeof(at)) != sizeof(at))
			return -EPIPE;
		put(wake, at - begin);
		kit_sleep_ns(SETTLE_NS);
	}
	close(to[1]);
	return 0;
}

/* One occupancy: how long a stop takes, and how long until every wave goes on. */
static bool measure_fill(const struct kit_climb *c, struct kit_stage *s, enum kit_kernel kernel,
			 u32 percent, struct kit_report *r)
{
	u32 nr = kit_stage_groups(c, kernel, percent), *steps;
	u64 bytes = kit_stage_group_bytes(kernel) * nr;
	struct kit_series *save, *restore;
	struct kit_run run;
	int err = kit_run_create(&s->gpu, &s->code, kernel, nr, KIT_FLAG_SLEEP, &run);

	steps = calloc(max(run.nr_waves, 1u), sizeof(*steps));
	save = add(r, "save", run.nr_waves, bytes);
	restore = add(r, "restore", run.nr_waves, bytes);
	if (!steps)
		err = -ENOMEM;
	if (err || !kit_stage_start(s, &run, r))
		goto out;
	for (u32 i = 0; i < c->count && !err; i++) {
		u64 t[3];

		kit_sleep_ns(SETTLE_NS);
		t[0] = kit_now_ns();
		err = kit_way_stop(&s->hand);
		t[1] = kit_now_ns();
		kit_run_steps(&run, steps);
		put(save, t[1] - t[0]);
		t[1] = kit_now_ns();
		if (!err)
			err = kit_way_go(&s->hand);
		if (!err)
			err = kit_run_wait_steps(&run, steps, ANSWER_NS);
		t[2] = kit_now_ns();
		put(restore, t[2] - t[1]);
	}
	r->stops += c->count;
	r->waves = max(r->waves, (u64)run.nr_waves);
	if (!err)
		kit_stage_end(&run, r);
out:
	if (err)
		kit_stage_fail(&s->hand, err, r);
	free(steps);
	return !err && r->result != KIT_FAIL;
}

static u64 median(const struct kit_series *s)
{
	u64 sorted[KIT_SAMPLES];

	memcpy(sorted, s->ns, s->nr * sizeof(u64));
	for (u32 i = 1; i < s->nr; i++)
		for (u32 k = i; k && sorted[k - 1] > sorted[k]; k--) {
			u64 old = sorted[k];

			sorted[k] = sorted[k - 1];
			sorted[k - 1] = old;
		}
	return s->nr ? sorted[s->nr / 2] : 0;
}

static void say_costs(struct kit_report *r)
{
	const struct kit_series *last = &r->series[r->nr_series - 1];

	kit_say(r, KIT_OK, NULL,
		"%.0f us to stop an idle queue; %.0f us to stop %u waves with %.1f MiB, %.0f us "
		"until all go on", (double)median(&r->series[1]) / 1e3,
		(double)median(last - 1) / 1e3, last->waves, (double)last->bytes / (1 << 20),
		(double)median(last) / 1e3);
}

void kit_rung_cost(const struct kit_climb *c, struct kit_report *r)
{
	static const u32 parts[] = { 1, 12, 25, 50, 75, 100 };
	struct kit_stage s;
	int err;

	if (!kit_stage_open(&s, c, KIT_WAY_UPDATE, r))
		return;
	r->result = KIT_OK;
	err = kit_way_begin(&s.hand, &s.q);
	if (!err)
		err = measure_idle(c, &s, r);
	if (!err)
		err = measure_packet(c, &s, r);
	if (!err)
		err = measure_wake(c, &s, r);
	if (err) {
		kit_stage_fail(&s.hand, err, r);
		return;
	}
	for (u32 i = 0; i < ARRAY_SIZE(parts); i++)
		if (!kit_is_alone(c, 1, r) ||
		    !measure_fill(c, &s, KIT_GROUP, parts[i] * c->fill / 100, r))
			return;
	say_costs(r);
}
