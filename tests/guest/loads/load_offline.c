// SPDX-License-Identifier: MIT
/*
 * Training, as far as a GPU can tell: kernels that take every compute unit, one behind
 * the other, without end. Knows nothing of gpreempt.
 *
 * On SIGTERM, or after --count kernels, waits for those under way and prints "KEY
 * VALUE" lines. Exit code 0 if every result was exact.
 */
#define _GNU_SOURCE
#include "loads/load.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR_IN_FLIGHT 2
#define STEPS 20
#define LDS_BYTES (36 << 10)	/* load_online needs half of a CU's: they do not fit together */
#define WAIT_MS 120000

struct options {
	struct load_options all;
	uint64_t kernel_ms;
	uint32_t lds_bytes;
	bool endless;
};

static const struct option option_list[] = {
	LOAD_OPTIONS_LIST,
	{ "kernel-ms", required_argument, NULL, 'k' },
	{ "lds-bytes", required_argument, NULL, 'l' },
	{ "endless", no_argument, NULL, 'e' },
	{ NULL, 0, NULL, 0 },
};

static struct options parse(int argc, char **argv)
{
	struct options o = { .all = LOAD_OPTIONS_DEFAULT, .kernel_ms = 200,
			     .lds_bytes = LDS_BYTES };
	int c;

	while ((c = getopt_long(argc, argv, "", option_list, NULL)) != -1)
		switch (c) {
		case 'k':
			o.kernel_ms = strtoull(optarg, NULL, 0);
			break;
		case 'l':
			o.lds_bytes = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'e':
			o.endless = true;
			break;
		default:
			if (!load_option(&o.all, c))
				load_die("usage: %s " LOAD_OPTIONS_USAGE " [--kernel-ms MS] "
					 "[--lds-bytes N] [--endless]", argv[0]);
		}
	return o;
}

static bool is_more_wanted(const struct load *l, const struct options *o)
{
	return !load_is_stopped && l->progress->launched < o->all.count;
}

static void launch(struct load *l, struct gt_kernel *k)
{
	gt_kernel_launch(k, &l->queue);
	l->progress->launched++;
}

/* Return: kernels that were not exact. */
static uint64_t run(struct load *l, const struct options *o, const struct gt_shape *shape)
{
	uint64_t expected = load_expected(shape);
	struct gt_kernel k[NR_IN_FLIGHT];
	uint64_t next = 0, i;

	for (i = 0; i < NR_IN_FLIGHT; i++) {
		load_kernel_create(l, shape, &k[i]);
		if (is_more_wanted(l, o))
			launch(l, &k[i]);
	}
	while (next < l->progress->launched) {
		struct gt_kernel *oldest = &k[next % NR_IN_FLIGHT];

		if (load_kernel_wait(l, oldest, WAIT_MS))
			load_die("kernel %lu does not end", next);
		load_kernel_is_exact(l, oldest, expected);
		if (is_more_wanted(l, o))
			launch(l, oldest);
		next++;
	}
	return l->progress->wrong;
}

/* A kernel that never ends has no result; it goes with its queue. */
static void run_endless(struct load *l, struct gt_shape *shape)
{
	struct gt_kernel k;
	int r;

	shape->steps = 0;
	load_kernel_create(l, shape, &k);
	launch(l, &k);
	while (!load_is_stopped)
		gt_sleep_us(100000);
	r = gt_queue_destroy(&l->queue);
	if (r)
		load_die("DESTROY_QUEUE: %s", strerror(-r));
	if (!k.signal->value)
		load_die("the endless kernel ended");
}

int main(int argc, char **argv)
{
	struct options o = parse(argc, argv);
	struct gt_shape shape = { .waves = 1, .vgprs = 8, .steps = STEPS, .seed = 42 };
	uint64_t start_ns, took_ms;
	struct load l;

	load_open_as(&l, &o.all);
	shape.groups = load_nr_cus(&l);
	shape.lds_bytes = o.lds_bytes;
	shape.step_ns = o.kernel_ms * 1000000 / STEPS;
	load_say_started();
	start_ns = gt_now_ns();
	if (o.endless)
		run_endless(&l, &shape);
	else
		run(&l, &o, &shape);
	took_ms = (gt_now_ns() - start_ns) / 1000000;
	printf("kernels %lu\ntook_ms %lu\nbusy_permille %lu\nmax_gap_ms %lu\nexact %d\n",
	       l.progress->completed, took_ms,
	       l.progress->completed * o.kernel_ms * 1000 / (took_ms ? took_ms : 1),
	       l.max_gap_ns / 1000000, !l.progress->wrong);
	return l.progress->wrong ? 1 : 0;
}
