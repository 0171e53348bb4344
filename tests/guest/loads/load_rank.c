// SPDX-License-Identifier: MIT
/*
 * A rank of a job on several GPUs: computes for --kernel-us on its GPU, then meets the other
 * --ranks - 1 as collectives do: small kernels keep the GPU busy until all have come, which
 * --barrier FILE counts. Its progress: kernels completed; those launched are times that it met.
 *
 * On SIGTERM it ends, and so do the others.
 */
#define _GNU_SOURCE
#include "loads/load.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STEPS 20
#define SPIN_US 50
#define NR_SPINS 2
#define LDS_BYTES (36 << 10)
#define WAIT_MS 120000

struct options {
	struct load_options all;
	uint64_t kernel_us;
	uint64_t nr_ranks;
	const char *barrier;
};

static const struct option option_list[] = {
	LOAD_OPTIONS_LIST,
	{ "kernel-us", required_argument, NULL, 'k' },
	{ "ranks", required_argument, NULL, 'm' },
	{ "barrier", required_argument, NULL, 'b' },
	{ NULL, 0, NULL, 0 },
};

/* In a file that all ranks map. */
struct barrier {
	uint64_t nr_come;
	uint64_t is_over;
};

static struct options parse(int argc, char **argv)
{
	struct options o = { .all = LOAD_OPTIONS_DEFAULT, .kernel_us = 1000, .nr_ranks = 1 };
	int c;

	while ((c = getopt_long(argc, argv, "", option_list, NULL)) != -1)
		switch (c) {
		case 'k':
			o.kernel_us = strtoull(optarg, NULL, 0);
			break;
		case 'm':
			o.nr_ranks = strtoull(optarg, NULL, 0);
			break;
		case 'b':
			o.barrier = optarg;
			break;
		default:
			if (!load_option(&o.all, c))
				load_die("usage: %s " LOAD_OPTIONS_USAGE " [--kernel-us US] "
					 "[--ranks N] --barrier FILE", argv[0]);
		}
	if (!o.barrier)
		load_die("no --barrier");
	return o;
}

static struct barrier *map_barrier(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *b;

	if (fd < 0)
		load_die("%s", path);
	b = mmap(NULL, sizeof(struct barrier), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (b == MAP_FAILED)
		load_die("%s", path);
	close(fd);
	return b;
}

static bool is_over(const struct barrier *b)
{
	return load_is_stopped || __atomic_load_n(&b->is_over, __ATOMIC_ACQUIRE);
}

static void wait_for(struct load *l, struct gt_kernel *k)
{
	if (load_kernel_wait(l, k, WAIT_MS))
		load_die("kernel %lu does not end", l->progress->completed);
}

/* The GPU is busy until all have come @nr times. */
static void meet(struct load *l, struct barrier *b, struct gt_kernel *spin, uint64_t nr)
{
	uint64_t launched = 0, ended = 0;

	__atomic_add_fetch(&b->nr_come, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&b->nr_come, __ATOMIC_ACQUIRE) < nr && !is_over(b)) {
		for (; launched - ended < NR_SPINS; launched++)
			gt_kernel_launch(&spin[launched % NR_SPINS], &l->queue);
		wait_for(l, &spin[ended++ % NR_SPINS]);
	}
	for (; ended < launched; ended++)
		wait_for(l, &spin[ended % NR_SPINS]);
}

static void run(struct load *l, const struct options *o, struct gt_shape *shape)
{
	struct barrier *b = map_barrier(o->barrier);
	struct gt_kernel k, spin[NR_SPINS];
	uint64_t expected, nr = 0;
	int i;

	shape->step_ns = o->kernel_us * 1000 / STEPS;
	expected = load_expected(shape);
	load_kernel_create(l, shape, &k);
	shape->step_ns = SPIN_US * 1000 / STEPS;
	for (i = 0; i < NR_SPINS; i++)
		load_kernel_create(l, shape, &spin[i]);
	while (!is_over(b) && nr < o->all.count) {
		gt_kernel_launch(&k, &l->queue);
		wait_for(l, &k);
		load_kernel_is_exact(l, &k, expected);
		meet(l, b, spin, ++nr * o->nr_ranks);
		l->progress->launched = nr;
	}
	__atomic_store_n(&b->is_over, 1, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
	struct options o = parse(argc, argv);
	struct gt_shape shape = { .waves = 1, .vgprs = 8, .steps = STEPS, .seed = 42,
				  .lds_bytes = LDS_BYTES };
	struct load l;

	load_open_as(&l, &o.all);
	shape.groups = load_nr_cus(&l);
	load_say_started();
	run(&l, &o, &shape);
	printf("met %lu\nkernels %lu\nexact %d\n", l.progress->launched, l.progress->completed,
	       !l.progress->wrong);
	return l.progress->wrong ? 1 : 0;
}
