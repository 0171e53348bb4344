// SPDX-License-Identifier: MIT
/*
 * gpreempt-bench: runs all benches and compares them with their bounds. Exit
 * code 1 if any is missed, 2 on bad options.
 */
#include "bench.h"
#include "bench_core.h"
#include "bench_daemon.h"
#include "bench_gpu.h"
#include "bench_isa.h"
#include "bench_shim.h"
#include "bench_sim.h"
#include "bench_waves.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	int (*run)(struct bench *b);
} benches[] = {
	{ "core", bench_core },
	{ "sim.dispatches", bench_dispatches },
	{ "sim.tenants", bench_tenants },
	{ "sim.cycles", bench_gpu },
	{ "gpu.dispatches", bench_gpu_dispatches },
	{ "isa.waves", bench_waves },
	{ "isa.float", bench_isa_float },
	{ "shim.doorbell", bench_shim },
	{ "detect", bench_detect },
	{ "tail", bench_tail },
	{ "daemon", bench_daemon },
};

#define NR_BENCHES (sizeof(benches) / sizeof(benches[0]))

static void usage(FILE *to)
{
	size_t i;

	fprintf(to, "usage: gpreempt-bench [--json] [--only NAME]\n\nbenches:");
	for (i = 0; i < NR_BENCHES; i++)
		fprintf(to, " %s", benches[i].name);
	fprintf(to, "\n");
}

static void parse(struct bench *b, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "only", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'j':
			b->json = true;
			break;
		case 'o':
			b->only = optarg;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			exit(2);
		}
	}
	if (optind != argc) {
		fprintf(stderr, "gpreempt-bench: %s: unexpected argument\n", argv[optind]);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct bench b = { .out = stdout, .json = !isatty(STDOUT_FILENO) };
	size_t i;

	parse(&b, argc, argv);
	for (i = 0; i < NR_BENCHES; i++) {
		int err;

		if (!bench_wants(&b, benches[i].name))
			continue;
		err = benches[i].run(&b);
		if (err) {
			fprintf(stderr, "gpreempt-bench: %s: %s\n", benches[i].name,
				strerror(-err));
			return 1;
		}
	}
	if (!b.nr_results) {
		fprintf(stderr, "gpreempt-bench: %s: no such bench\n", b.only ? b.only : "");
		return 2;
	}
	return b.nr_missed ? 1 : 0;
}
