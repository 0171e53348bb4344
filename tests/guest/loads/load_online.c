// SPDX-License-Identifier: MIT
/*
 * Inference, as far as a GPU can tell: a short kernel every few milliseconds. Knows
 * nothing of gpreempt. Measures from before the doorbell to after the signal.
 *
 * A request that comes late does not delay the time at which the next is due: they
 * come from outside. On SIGTERM, or after --count requests, prints "KEY VALUE"
 * lines. Exit code 0 if every result was exact.
 */
#define _GNU_SOURCE
#include "loads/load.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEPS 5
#define STEP_NS 100000
#define LDS_BYTES (32 << 10)	/* half of a CU's */
#define NR_WARM_UP 5		/* requests that are not measured: programs start */
#define WAIT_MS 60000
#define MAX_REQUESTS 65536

struct options {
	struct load_options all;
	uint64_t period_ms;
};

static const struct option option_list[] = {
	LOAD_OPTIONS_LIST,
	{ "period-ms", required_argument, NULL, 't' },
	{ NULL, 0, NULL, 0 },
};

static uint64_t latencies_us[MAX_REQUESTS];
static uint64_t nr_latencies;

static struct options parse(int argc, char **argv)
{
	struct options o = { .all = LOAD_OPTIONS_DEFAULT, .period_ms = 20 };
	int c;

	while ((c = getopt_long(argc, argv, "", option_list, NULL)) != -1)
		if (c == 't')
			o.period_ms = strtoull(optarg, NULL, 0);
		else if (!load_option(&o.all, c))
			load_die("usage: %s " LOAD_OPTIONS_USAGE " [--period-ms MS]", argv[0]);
	return o;
}

static void request(struct load *l, struct gt_kernel *k, uint64_t expected)
{
	uint64_t start_ns = gt_now_ns();

	gt_kernel_launch(k, &l->queue);
	l->progress->launched++;
	if (load_kernel_wait(l, k, WAIT_MS))
		load_die("request %lu does not end", l->progress->launched);
	if (l->progress->launched > NR_WARM_UP)
		latencies_us[nr_latencies++ % MAX_REQUESTS] = (gt_now_ns() - start_ns) / 1000;
	load_kernel_is_exact(l, k, expected);
}

/* Sleeps until @due_ns; if that is over already, the period begins again now. */
static uint64_t next_due(uint64_t due_ns, uint64_t period_ns)
{
	uint64_t now = gt_now_ns();

	if (now < due_ns) {
		gt_sleep_us((due_ns - now) / 1000);
		return due_ns + period_ns;
	}
	return now + period_ns;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t percentile(uint64_t nr, uint64_t percent)
{
	return latencies_us[(nr * percent + 99) / 100 - 1];
}

static void report(const struct load *l)
{
	uint64_t nr = nr_latencies < MAX_REQUESTS ? nr_latencies : MAX_REQUESTS;

	qsort(latencies_us, nr, sizeof(latencies_us[0]), compare);
	printf("requests %lu\n", l->progress->launched);
	if (nr)
		printf("p50_us %lu\np90_us %lu\np99_us %lu\nmax_us %lu\n", percentile(nr, 50),
		       percentile(nr, 90), percentile(nr, 99), latencies_us[nr - 1]);
	printf("exact %d\n", !l->progress->wrong);
}

int main(int argc, char **argv)
{
	struct gt_shape shape = { .groups = 1, .waves = 1, .vgprs = 8, .lds_bytes = LDS_BYTES,
				  .steps = STEPS, .step_ns = STEP_NS, .seed = 7 };
	struct options o = parse(argc, argv);
	uint64_t expected = load_expected(&shape);
	struct gt_kernel k;
	struct load l;
	uint64_t due;

	load_open_as(&l, &o.all);
	load_kernel_create(&l, &shape, &k);
	load_say_started();
	o.all.count += o.all.count < UINT64_MAX ? NR_WARM_UP : 0;
	due = gt_now_ns() + o.period_ms * 1000000;
	while (!load_is_stopped && l.progress->launched < o.all.count) {
		request(&l, &k, expected);
		due = next_due(due, o.period_ms * 1000000);
	}
	report(&l);
	return l.progress->wrong ? 1 : 0;
}
