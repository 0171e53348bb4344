// SPDX-License-Identifier: MIT
/*
 * What a client sees before it does anything: version, topology, device files.
 */
#include "gt/gt.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void version_is_what_the_header_says(void)
{
	struct kfd_ioctl_get_version_args args = {};
	int kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);

	GT_CHECK(kfd >= 0, "%s", strerror(errno));
	GT_CHECK(!ioctl(kfd, AMDKFD_IOC_GET_VERSION, &args), "%s", strerror(errno));
	GT_CHECK(args.major_version == KFD_IOCTL_MAJOR_VERSION, "%u", args.major_version);
	GT_CHECK(args.minor_version == KFD_IOCTL_MINOR_VERSION, "%u", args.minor_version);
}

static void no_gpu_means_no_node(void)
{
	GT_CHECK(!gt_count_gpus(), "%u GPUs without one", gt_count_gpus());
}

static void no_module_means_no_device(void)
{
	GT_CHECK(open("/dev/kfd", O_RDWR) < 0 && errno == ENOENT, "%s", strerror(errno));
}

static struct gt_gpu check_node(uint64_t gfx, uint64_t xccs, uint64_t cus)
{
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	GT_CHECK(gt_gpu_prop(&gpu, "gfx_target_version") == gfx, "%lu",
		 gt_gpu_prop(&gpu, "gfx_target_version"));
	GT_CHECK(gt_gpu_prop(&gpu, "num_xcc") == xccs, "%lu", gt_gpu_prop(&gpu, "num_xcc"));
	GT_CHECK(gt_gpu_prop(&gpu, "simd_count") == cus * 4, "%lu",
		 gt_gpu_prop(&gpu, "simd_count"));
	GT_CHECK(gt_gpu_prop(&gpu, "vendor_id") == 0x1002, "vendor");
	GT_CHECK(gt_gpu_prop(&gpu, "cwsr_size") > 0, "no save area");
	return gpu;
}

static void tiny_has_its_topology(void)
{
	check_node(90010, 1, 8);
}

static void mi210_has_its_topology(void)
{
	check_node(90010, 1, 104);
}

static void mi300x_has_its_topology(void)
{
	check_node(90402, 8, 304);
}

static void mi308x_has_its_topology(void)
{
	struct gt_gpu gpu = check_node(90402, 4, 80);

	/* As a real one shows it, but for the queues: its driver counts them per XCC. */
	GT_CHECK(gt_gpu_prop(&gpu, "num_cp_queues") == 30, "%lu",
		 gt_gpu_prop(&gpu, "num_cp_queues"));
	GT_CHECK(gt_gpu_prop(&gpu, "array_count") == 16, "%lu", gt_gpu_prop(&gpu, "array_count"));
	GT_CHECK(gt_gpu_prop(&gpu, "device_id") == 29858, "%lu", gt_gpu_prop(&gpu, "device_id"));
}

static void gpus_are_told_apart(void)
{
	struct gt_gpu a, b;

	GT_CHECK(gt_count_gpus() == 3, "%u GPUs of 3", gt_count_gpus());
	gt_gpu_open(&a, 0);
	gt_gpu_open(&b, 2);
	GT_CHECK(a.id != b.id, "both have gpu_id %u", a.id);
	GT_CHECK(gt_gpu_prop(&a, "drm_render_minor") != gt_gpu_prop(&b, "drm_render_minor"),
		 "both have one render node");
}

static void memory_is_mapped_and_freed(void)
{
	struct gt_gpu gpu;
	struct gt_mem mem;

	gt_gpu_open(&gpu, 0);
	GT_CHECK(!gt_mem_alloc(&gpu, 3 << 20, GT_VRAM, &mem), "VRAM");
	GT_CHECK(gt_stat(0, "vram_used") >= 3 << 20, "%lu", gt_stat(0, "vram_used"));
	memset(mem.addr, 0x5a, mem.bytes);
	GT_CHECK(!gt_mem_free(&gpu, &mem), "free");
	GT_CHECK(!gt_stat(0, "vram_used"), "%lu", gt_stat(0, "vram_used"));
}

static void vram_has_an_end(void)
{
	struct gt_gpu gpu;
	struct gt_mem mem;

	gt_gpu_open(&gpu, 0);
	GT_CHECK(gt_mem_alloc(&gpu, 65ull << 20, GT_VRAM, &mem) == -ENOMEM, "65 of 64 MiB");
	GT_CHECK(!gt_mem_alloc(&gpu, 60ull << 20, GT_VRAM, &mem), "60 of 64 MiB");
}

static void queue_lives_and_dies(void)
{
	struct gt_queue q;
	struct gt_gpu gpu;
	char path[128];

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/queues/%u/type", getpid(), q.id);
	GT_CHECK(!access(path, R_OK), "%s: %s", path, strerror(errno));
	GT_CHECK(!gt_stat_wait(0, "mapped", 1), "%lu mapped", gt_stat(0, "mapped"));
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
	GT_CHECK(access(path, R_OK), "%s is still there", path);
	GT_CHECK(!gt_stat(0, "mapped"), "%lu mapped", gt_stat(0, "mapped"));
}

static const struct gt_case cases[] = {
	{ "no_module_means_no_device", no_module_means_no_device, NULL, 0 },
	{ "no_gpu_means_no_node", no_gpu_means_no_node, "gpus=0", 0 },
	{ "version_is_what_the_header_says", version_is_what_the_header_says, "profile=tiny", 0 },
	{ "tiny_has_its_topology", tiny_has_its_topology, "profile=tiny", 0 },
	{ "memory_is_mapped_and_freed", memory_is_mapped_and_freed, "profile=tiny", 0 },
	{ "queue_lives_and_dies", queue_lives_and_dies, "profile=tiny", 0 },
	{ "vram_has_an_end", vram_has_an_end, "vram_mb=64", 0 },
	{ "mi210_has_its_topology", mi210_has_its_topology, "profile=mi210", 0 },
	{ "mi300x_has_its_topology", mi300x_has_its_topology, "profile=mi300x", 0 },
	{ "queue_lives_and_dies_on_8_xccs", queue_lives_and_dies, "profile=mi300x", 0 },
	{ "mi308x_has_its_topology", mi308x_has_its_topology, "profile=mi308x", 0 },
	{ "gpus_are_told_apart", gpus_are_told_apart, "profile=tiny gpus=3", 0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
