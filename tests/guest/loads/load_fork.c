// SPDX-License-Identifier: MIT
/*
 * A client that forks, and whose child uses the GPU too, without another program. The
 * child cannot use what its parent has of the driver: it opens everything anew. Knows
 * nothing of gpreempt.
 *
 *   load_fork KERNEL_MS KERNELS
 *
 * Both say "parent N" and "child N" as kernels end, and the exit code is 0 if every
 * result of both was exact.
 */
#define _GNU_SOURCE
#include "loads/load.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS 20
#define WAIT_MS 60000

static void run(struct load *l, const struct gt_shape *shape, uint64_t nr, const char *who)
{
	uint64_t expected = load_expected(shape), i;
	struct gt_kernel k;

	load_kernel_create(l, shape, &k);
	for (i = 0; i < nr; i++) {
		gt_kernel_launch(&k, &l->queue);
		if (load_kernel_wait(l, &k, WAIT_MS))
			load_die("%s: a kernel does not end", who);
		load_kernel_is_exact(l, &k, expected);
		printf("%s %lu\n", who, i + 1);
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	struct gt_shape shape = { .groups = 2, .waves = 1, .vgprs = 8, .steps = STEPS, .seed = 5 };
	struct load l, own;
	int status = 0;
	uint64_t nr;
	pid_t child;

	if (argc != 3)
		load_die("usage: %s KERNEL_MS KERNELS", argv[0]);
	shape.step_ns = strtoull(argv[1], NULL, 0) * 1000000 / STEPS;
	nr = strtoull(argv[2], NULL, 0);
	load_open(&l, false, NULL);
	run(&l, &shape, 1, "parent");
	child = fork();
	if (!child) {
		load_open(&own, false, NULL);
		printf("child_pid %d\n", getpid());
		run(&own, &shape, nr, "child");
		_exit(own.progress->wrong ? 1 : 0);
	}
	run(&l, &shape, nr, "parent");
	if (waitpid(child, &status, 0) != child || status)
		load_die("the child ended with %x", status);
	printf("exact %d\n", !l.progress->wrong);
	return l.progress->wrong ? 1 : 0;
}
