// SPDX-License-Identifier: MIT
/*
 * A kernel that never ends, in a process that holds itself by libgpreempt: --cycles N times,
 * with the time that each call took, then --depth N times at once. Each SIGUSR1 undoes one
 * of these.
 */
#define _GNU_SOURCE
#include "loads/load.h"

#include <dlfcn.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define CYCLES_MAX 256
#define PAUSE_US 3000

static int (*self_hold)(unsigned int flags);
static int (*self_release)(void);

static const struct option option_list[] = {
	LOAD_OPTIONS_LIST,
	{ "flags", required_argument, NULL, 'f' },
	{ "cycles", required_argument, NULL, 'c' },
	{ "depth", required_argument, NULL, 'd' },
	{ NULL, 0, NULL, 0 },
};

struct options {
	struct load_options all;
	unsigned int flags, cycles, depth;
};

static struct options parse(int argc, char **argv)
{
	struct options o = { .all = LOAD_OPTIONS_DEFAULT };
	int c;

	while ((c = getopt_long(argc, argv, "", option_list, NULL)) != -1) {
		unsigned int value = optarg ? (unsigned int)strtoul(optarg, NULL, 0) : 0;

		if (c == 'f')
			o.flags = value;
		else if (c == 'c')
			o.cycles = value < CYCLES_MAX ? value : CYCLES_MAX;
		else if (c == 'd')
			o.depth = value;
		else if (!load_option(&o.all, c))
			load_die("usage: %s " LOAD_OPTIONS_USAGE " [--flags N] [--cycles N] "
				 "[--depth N]", argv[0]);
	}
	return o;
}

static void open_library(void)
{
	void *lib = dlopen("libgpreempt.so.0", RTLD_NOW);

	if (!lib)
		load_die("%s", dlerror());
	self_hold = (int (*)(unsigned int))dlsym(lib, "gpreempt_self_hold");
	self_release = (int (*)(void))dlsym(lib, "gpreempt_self_release");
	if (!self_hold || !self_release)
		load_die("%s", dlerror());
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void print_times(const char *what, uint64_t *ns, unsigned int nr)
{
	printf("%s_first %lu\n", what, ns[0]);
	qsort(ns, nr, sizeof(*ns), compare);
	printf("%s_p50 %lu\n%s_max %lu\n", what, ns[nr / 2], what, ns[nr - 1]);
}

static void cycle(const struct options *o)
{
	uint64_t hold_ns[CYCLES_MAX], release_ns[CYCLES_MAX], t[4];

	for (unsigned int i = 0; i < o->cycles; i++) {
		gt_sleep_us(PAUSE_US);
		t[0] = gt_now_ns();
		if (self_hold(o->flags) != 1)
			load_die("hold %u fails", i);
		t[1] = gt_now_ns();
		gt_sleep_us(PAUSE_US);
		t[2] = gt_now_ns();
		if (self_release())
			load_die("release %u fails", i);
		t[3] = gt_now_ns();
		hold_ns[i] = t[1] - t[0];
		release_ns[i] = t[3] - t[2];
	}
	if (o->cycles) {
		print_times("hold", hold_ns, o->cycles);
		print_times("release", release_ns, o->cycles);
	}
}

/* Until it is killed. */
static void obey(const struct options *o, const sigset_t *asked)
{
	int left = 0;

	for (unsigned int i = 0; i < o->depth; i++)
		left = self_hold(o->flags);
	printf("depth %d\n", left);
	for (;;) {
		fflush(stdout);
		sigwaitinfo(asked, NULL);
		printf("left %d\n", self_release());
	}
}

int main(int argc, char **argv)
{
	struct options o = parse(argc, argv);
	struct gt_shape shape = { .waves = 1, .vgprs = 8, .seed = 42, .lds_bytes = 36 << 10,
				  .step_ns = 10000000 };
	struct gt_kernel k;
	sigset_t asked;
	struct load l;

	sigemptyset(&asked);
	sigaddset(&asked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &asked, NULL);
	open_library();
	load_open_as(&l, &o.all);
	shape.groups = load_nr_cus(&l);
	load_kernel_create(&l, &shape, &k);
	gt_kernel_launch(&k, &l.queue);
	load_say_started();
	/* The daemon is told of the queue. */
	gt_sleep_us(100000);
	cycle(&o);
	obey(&o, &asked);
}
