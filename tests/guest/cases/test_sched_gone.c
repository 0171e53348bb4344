// SPDX-License-Identifier: MIT
/*
 * A GPU is taken out of the machine and put back while calls for it are on their way: they
 * are refused or carried out, and afterwards it is scheduled as before.
 *
 * amdkfd itself cannot let go of a GPU that processes have open: there are none meanwhile.
 *
 * Variant: hooks
 * Clock: host, calls are to meet a removal, which needs two processors
 */
#define _GNU_SOURCE
#include "gt/gt_gpk.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PARAMS "profile=tiny poll_us=100 gpus=2"
#define ROUNDS 8
#define CALLERS 3
#define MS 20000

/**
 * struct caller - a thread that makes calls for a node
 * @gpu_id: node
 * @stop: told to end
 * @calls: how many it made
 * @wrong: -errno that none should give
 */
struct caller {
	pthread_t thread;
	uint32_t gpu_id;
	volatile bool stop;
	unsigned long calls;
	int wrong;
};

/* Of a process without queues: there is nothing to preempt, but amdkfd is asked. */
static int preempt(int dev, uint32_t gpu_id, int pidfd)
{
	struct gpreempt_ioc_ref ref = {
		.pidfd = pidfd, .queue_id = GPREEMPT_ABI_QUEUE_ALL, .gpu_id = gpu_id,
	};
	struct gpreempt_ioc_switch arg = {
		.size = sizeof(arg), .gpu_id = gpu_id, .refs = (uintptr_t)&ref, .nr_out = 1,
		.lease_ms = 1000, .ref_size = sizeof(ref),
	};
	int r = ioctl(dev, GPREEMPT_IOC_SWITCH, &arg) ? -errno : 0;

	return r ? r : ref.result;
}

static int list(int dev)
{
	struct gpreempt_ioc_queue queues[4];
	struct gpreempt_ioc_list arg = {
		.size = sizeof(arg), .queues = (uintptr_t)queues, .nr = 4,
		.entry_size = sizeof(queues[0]),
	};

	return ioctl(dev, GPREEMPT_IOC_LIST, &arg) ? -errno : 0;
}

static void *call(void *arg)
{
	int pidfd = syscall(SYS_pidfd_open, getpid(), 0);
	int r, dev = open("/dev/gpreempt", O_RDWR | O_CLOEXEC);
	struct caller *c = arg;

	while (!c->stop && !c->wrong) {
		r = c->calls % 2 ? preempt(dev, c->gpu_id, pidfd) : list(dev);
		c->calls++;
		if (r && r != -ESRCH && r != -ENODEV)
			c->wrong = r;
	}
	close(pidfd);
	close(dev);
	return NULL;
}

static void wait_gpus(unsigned int nr)
{
	uint64_t end = gt_deadline_ns(MS);

	while (gt_count_gpus() != nr) {
		GT_CHECK(gt_now_ns() < end, "%u GPUs", gt_count_gpus());
		gt_sleep_us(2000);
	}
}

/* The PCI function of the second GPU. */
static void second_gpu(char *path, size_t bytes)
{
	glob_t found;

	GT_CHECK(!glob("/sys/bus/pci/drivers/kfdsim/*:01.0", 0, NULL, &found) &&
		 found.gl_pathc == 1, "no second GPU");
	snprintf(path, bytes, "%s/remove", found.gl_pathv[0]);
	globfree(&found);
}

static void take_out_and_put_back(void)
{
	char path[128];
	int r;

	second_gpu(path, sizeof(path));
	r = gt_write_file(path, "1");
	GT_CHECK(!r, "%s: %s", path, strerror(-r));
	GT_CHECK(gt_count_gpus() == 1, "%u GPUs", gt_count_gpus());
	r = gt_write_file("/sys/bus/pci/rescan", "1");
	GT_CHECK(!r, "rescan: %s", strerror(-r));
	wait_gpus(2);
}

/* As any other: it is known to the scheduler, leaves the GPU and comes back. */
static void check_scheduled(uint32_t gpu_id)
{
	static const struct gt_shape brief = {
		.groups = 8, .waves = 2, .vgprs = 32, .steps = 20, .step_ns = 10000, .seed = 4,
	};
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 1);
	GT_CHECK(gpu.id == gpu_id, "it is another one: %x, not %x", gpu.id, gpu_id);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &brief, &k);
	r = gt_gpk_hold(gpu_id, getpid(), GPREEMPT_ABI_QUEUE_ALL, MS);
	GT_CHECK(!r, "preempt: %s", strerror(-r));
	GT_CHECK(gt_gpk_flags(getpid(), q.id) & GPREEMPT_QUEUE_F_PREEMPTED, "not preempted");
	gt_kernel_launch(&k, &q);
	GT_CHECK(gt_kernel_wait(&k, 100) == -ETIMEDOUT, "it ran while preempted");
	r = gt_gpk_release(gpu_id, getpid(), GPREEMPT_ABI_QUEUE_ALL);
	GT_CHECK(!r, "resume: %s", strerror(-r));
	GT_CHECK(!gt_kernel_wait(&k, MS) && !gt_kernel_check(&k), "it did not run");
}

static void a_gpu_goes_and_comes_back(void)
{
	struct gpreempt_ioc_caps caps = { .size = sizeof(caps) };
	struct caller c[CALLERS] = {};
	unsigned long calls = 0;
	unsigned int i;

	gt_gpk_load("");
	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_CAPS, &caps) && caps.nr_nodes == 2, "caps");
	for (i = 0; i < CALLERS; i++) {
		c[i].gpu_id = caps.gpu_ids[1];
		GT_CHECK(!pthread_create(&c[i].thread, NULL, call, &c[i]), "thread");
	}
	for (i = 0; i < ROUNDS; i++)
		take_out_and_put_back();
	for (i = 0; i < CALLERS; i++)
		c[i].stop = true;
	for (i = 0; i < CALLERS; i++) {
		pthread_join(c[i].thread, NULL);
		GT_CHECK(!c[i].wrong, "a call: %s", strerror(-c[i].wrong));
		calls += c[i].calls;
	}
	GT_CHECK(calls > ROUNDS * CALLERS, "%lu calls", calls);
	gt_note("%u times, %lu calls meanwhile", ROUNDS, calls);
	check_scheduled(caps.gpu_ids[1]);
	gt_gpk_unload();
}

/* The module comes when one of two is out: it schedules the other, and both later. */
static void loaded_while_one_is_out(void)
{
	struct gpreempt_ioc_caps caps = { .size = sizeof(caps) };
	char path[128];
	int r;

	second_gpu(path, sizeof(path));
	r = gt_write_file(path, "1");
	GT_CHECK(!r, "%s: %s", path, strerror(-r));
	gt_gpk_load("");
	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_CAPS, &caps) && caps.nr_nodes == 1, "caps");
	r = gt_write_file("/sys/bus/pci/rescan", "1");
	GT_CHECK(!r, "rescan: %s", strerror(-r));
	wait_gpus(2);
	gt_gpk_unload();
	gt_gpk_load("");
	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_CAPS, &caps) && caps.nr_nodes == 2, "caps");
	check_scheduled(caps.gpu_ids[1]);
	gt_gpk_unload();
}

static const struct gt_case cases[] = {
	{ "a_gpu_goes_and_comes_back", a_gpu_goes_and_comes_back, PARAMS, 90 },
	{ "loaded_while_one_is_out", loaded_while_one_is_out, PARAMS, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
