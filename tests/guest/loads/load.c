// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "loads/load.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gt/expect.h"
#include "gt/gt_debug.h"

#define WAIT_SLICE_MS 200
#define MAX_SAID 5

volatile int load_is_stopped;

static struct load_progress own_progress;

void load_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void stop(int signal)
{
	load_is_stopped = 1;
}

/* Not SA_RESTART: a sleep ends early. */
static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = stop };

	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
}

static struct load_progress *map_progress(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	void *p = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, sizeof(struct load_progress)))
		p = mmap(NULL, sizeof(struct load_progress), PROT_READ | PROT_WRITE, MAP_SHARED,
			 fd, 0);
	if (p == MAP_FAILED)
		load_die("%s: %s", path, strerror(errno));
	close(fd);
	return p;
}

static void open_on(struct load *l, uint32_t gpu, bool runtime, const char *progress)
{
	int r;

	memset(l, 0, sizeof(*l));
	catch_signals();
	l->progress = progress ? map_progress(progress) : &own_progress;
	gt_gpu_open(&l->gpu, gpu);
	r = runtime ? gt_debug_runtime_enable(&l->gpu) : 0;
	if (r)
		load_die("RUNTIME_ENABLE: %s", strerror(-r));
	gt_queue_create(&l->gpu, 7, &l->queue);
	l->event = gt_event_create(&l->gpu, KFD_IOC_EVENT_SIGNAL, &l->mailbox);
}

void load_open(struct load *l, bool runtime, const char *progress)
{
	open_on(l, 0, runtime, progress);
}

bool load_option(struct load_options *o, int letter)
{
	switch (letter) {
	case 'n':
		o->count = strtoull(optarg, NULL, 0);
		return true;
	case 'r':
		o->runtime = true;
		return true;
	case 'p':
		o->progress = optarg;
		return true;
	case 'g':
		o->gpu = (uint32_t)strtoul(optarg, NULL, 0);
		return true;
	default:
		return false;
	}
}

void load_open_as(struct load *l, const struct load_options *o)
{
	open_on(l, o->gpu, o->runtime, o->progress);
}

void load_say_started(void)
{
	printf("pid %d\nstarted 1\n", getpid());
	fflush(stdout);
}

uint32_t load_nr_cus(const struct load *l)
{
	return (uint32_t)(gt_gpu_prop(&l->gpu, "simd_count") /
			  gt_gpu_prop(&l->gpu, "simd_per_cu"));
}

void load_kernel_create(struct load *l, const struct gt_shape *shape, struct gt_kernel *k)
{
	gt_kernel_create(&l->gpu, shape, k);
	gt_kernel_signal_event(k, l->event, l->mailbox);
}

/* The event may be another kernel's: the signal decides. */
int load_kernel_wait(struct load *l, struct gt_kernel *k, unsigned int ms)
{
	uint64_t now = gt_now_ns(), end = now + ms * 1000000ull;
	struct load_progress *p = l->progress;

	while (k->signal->value) {
		if (now > end)
			return -ETIMEDOUT;
		gt_event_wait(&l->gpu, l->event, NULL, WAIT_SLICE_MS);
		now = gt_now_ns();
	}
	if (p->last_ns && now - p->last_ns > l->max_gap_ns)
		l->max_gap_ns = now - p->last_ns;
	p->last_ns = now;
	p->completed++;
	return 0;
}

bool load_kernel_is_exact(struct load *l, const struct gt_kernel *k, uint64_t expected)
{
	const char *wrong = gt_kernel_check(k);

	if (!wrong && gt_kernel_digest(k) == expected)
		return true;
	if (l->progress->wrong++ < MAX_SAID)
		fprintf(stderr, "kernel %lu: %s\n", l->progress->completed,
			wrong ? wrong : "the result is another one");
	return false;
}

uint64_t load_expected(const struct gt_shape *shape)
{
	struct expect_shape e = { shape->groups, shape->waves, shape->vgprs, shape->lds_bytes,
				  shape->steps, shape->seed };
	struct gt_kernel k = { .nr_groups = shape->groups, .waves = shape->waves };
	uint64_t *results = expect_results(&e), digest;

	if (!results)
		load_die("the engine failed");
	k.out = results;
	digest = gt_kernel_digest(&k);
	free(results);
	return digest;
}
