// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gt_debug.h"
#include "wave.h"

#define WAIT_SLICE_MS 200

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

void load_open(struct load *l, bool runtime, const char *progress)
{
	int r;

	memset(l, 0, sizeof(*l));
	catch_signals();
	l->progress = progress ? map_progress(progress) : &own_progress;
	gt_gpu_open(&l->gpu, 0);
	r = runtime ? gt_debug_runtime_enable(&l->gpu) : 0;
	if (r)
		load_die("RUNTIME_ENABLE: %s", strerror(-r));
	gt_queue_create(&l->gpu, 7, &l->queue);
	l->event = gt_event_create(&l->gpu, KFD_IOC_EVENT_SIGNAL, &l->mailbox);
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
	l->progress->wrong++;
	fprintf(stderr, "kernel %lu: %s\n", l->progress->completed,
		wrong ? wrong : "the result is another one");
	return false;
}

/* The engine alone, without a GPU around it: nothing is ever saved. */
static int write_result(struct gp_gpu_host *host, u32 pasid, u64 addr, const void *src, u32 len)
{
	memcpy((void *)(uintptr_t)addr, src, len);
	return 0;
}

static void *alloc_zeroed(struct gp_gpu_host *host, size_t bytes)
{
	return calloc(1, bytes);
}

static void give_back(struct gp_gpu_host *host, void *mem)
{
	free(mem);
}

static const struct gp_gpu_host_ops engine_ops = {
	.write = write_result,
	.alloc = alloc_zeroed,
	.free = give_back,
};

/* Of the engine's surroundings: never called here. */
int gp_saver_write(struct gp_saver *s, const void *src, u32 len)
{
	return -ENOSPC;
}

int gp_saver_read(struct gp_saver *s, void *dst, u32 len)
{
	return -EINVAL;
}

static void run_engine(struct gp_gpu *gpu, struct gp_dispatch *d, uint32_t groups)
{
	struct gp_cohort c = { .dispatch = d, .nr = groups };

	if (gp_state_wave_ops.launch(gpu, &c, 0, groups) || gp_state_wave_ops.finish(gpu, &c))
		load_die("the engine failed");
}

uint64_t load_expected(const struct gt_shape *shape)
{
	struct gp_profile profile = { .nr_xcc = 1 };
	struct gp_gpu_host host = { .ops = &engine_ops };
	struct gp_gpu *gpu = calloc(1, sizeof(*gpu));
	struct gp_slot *slot = calloc(1, sizeof(*slot));
	struct gp_dispatch *d = calloc(1, sizeof(*d));
	uint64_t *out = calloc((size_t)shape->groups * shape->waves, sizeof(*out));
	struct gt_kernel k = { .nr_groups = shape->groups, .waves = shape->waves, .out = out };
	uint64_t digest;

	if (!gpu || !slot || !d || !out)
		load_die("no memory");
	gpu->profile = &profile;
	gpu->host = &host;
	d->slot = slot;
	d->waves = shape->waves;
	d->vgprs = shape->vgprs;
	d->lds_bytes = shape->lds_bytes;
	d->wave_bytes = GP_WAVE_FIXED_BYTES + shape->vgprs * GP_LANES * 4;
	d->group_bytes = shape->waves * d->wave_bytes + shape->lds_bytes;
	d->steps = shape->steps;
	d->step_ns = shape->step_ns;
	d->arg.seed = shape->seed;
	d->arg.out = (uintptr_t)out;
	run_engine(gpu, d, shape->groups);
	digest = gt_kernel_digest(&k);
	free(out);
	free(d);
	free(slot);
	free(gpu);
	return digest;
}
