// SPDX-License-Identifier: MIT
/*
 * The module comes and goes, with work in between; and what amdkfd shows of itself
 * in debugfs while there is some.
 */
#define _GNU_SOURCE
#include "gt/gt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_ROUNDS 20
#define MQD_LINES 64	/* 2048 bytes, 32 in a line: kfd_mqd_manager_v9.c, debugfs_show_mqd */
#define HQD_REGS 56

static const struct gt_shape quick = {
	.groups = 8, .waves = 1, .vgprs = 8, .steps = 20, .step_ns = 5000, .seed = 3,
};
static const struct gt_shape endless = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 0, .step_ns = 100000, .seed = 1,
};

static void work(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	int i;

	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	gt_kernel_create(&gpu, &quick, &k);
	for (i = 0; i < 3; i++) {
		gt_kernel_launch(&k, &q);
		GT_CHECK(!gt_kernel_wait(&k, 5000), "no end");
		GT_CHECK(!gt_kernel_check(&k), "%s", gt_kernel_check(&k));
	}
	/* Half of them leave their queue behind. */
	if (getpid() & 1)
		GT_CHECK(!gt_queue_destroy(&q), "destroy");
	_exit(0);
}

static void module_comes_and_goes(void)
{
	int round, status, r;
	pid_t pid;

	for (round = 0; round < NR_ROUNDS; round++) {
		r = gt_module_load("profile=tiny");
		GT_CHECK(!r, "round %d: load: %s", round, strerror(-r));
		pid = fork();
		if (!pid)
			work();
		GT_CHECK(waitpid(pid, &status, 0) == pid, "wait");
		GT_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "round %d: work", round);
		r = gt_module_unload();
		GT_CHECK(!r, "round %d: unload: %s", round, strerror(-r));
	}
}

/* Control: a module in use does not go. */
static void used_module_stays(void)
{
	struct gt_gpu gpu;

	gt_gpu_open(&gpu, 0);
	GT_CHECK(gt_module_unload() == -EBUSY, "it went");
}

/* /dev/kfd is closed, so the module may go; amdkfd still knows the process. */
static void module_goes_before_its_process(void)
{
	int r, fd, fds[2];
	pid_t pid;
	char c;

	GT_CHECK(!gt_module_load("profile=tiny"), "load");
	GT_CHECK(!pipe(fds), "pipe");
	pid = fork();
	if (!pid) {
		fd = open("/dev/kfd", O_RDWR);
		if (fd < 0 || close(fd) || write(fds[1], "", 1) != 1)
			_exit(3);
		pause();
	}
	GT_CHECK(read(fds[0], &c, 1) == 1, "child");
	/* Control: amdkfd knows it. */
	GT_CHECK(gt_count_processes() == 1, "%u processes", gt_count_processes());
	r = gt_module_unload();
	GT_CHECK(!r, "unload: %s", strerror(-r));
	kill(pid, SIGKILL);
	GT_CHECK(waitpid(pid, NULL, 0) == pid, "wait");
	GT_CHECK(!gt_module_load("profile=tiny") && !gt_module_unload(), "once more");
}

/* The firmware does not answer when the module goes: no reset may come after it. */
static void module_goes_with_a_hung_gpu(void)
{
	int r;

	GT_CHECK(!gt_module_load("profile=tiny queue_preemption_timeout_ms=300"), "load");
	gt_fault(0, "hang 1");
	r = gt_module_unload();
	GT_CHECK(!r, "unload: %s", strerror(-r));
	GT_CHECK(!gt_module_load("profile=tiny") && !gt_module_unload(), "once more");
}

static void bad_profile_is_refused(void)
{
	GT_CHECK(gt_module_load("profile=mi9000") == -EINVAL, "loaded");
}

static void start_work(struct gt_gpu *gpu, struct gt_queue *q, struct gt_kernel *k)
{
	gt_gpu_open(gpu, 0);
	gt_queue_create(gpu, 7, q);
	gt_kernel_create(gpu, &endless, k);
	gt_kernel_launch(k, q);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "%lu waves", gt_stat(0, "waves"));
}

/* Words of a hex dump line "    OFFSET: w w w ..." */
static int parse_words(const char *line, uint32_t *offset, uint32_t *words)
{
	char *at;
	int n = 0;

	*offset = strtoul(line, &at, 16);
	if (*at != ':')
		return 0;
	for (at++; n < 8; n++) {
		char *end;

		words[n] = strtoul(at, &end, 16);
		if (end == at)
			break;
		at = end;
	}
	return n;
}

static void mqds_has_the_documented_format(void)
{
	char line[256], process[64], device[64];
	uint32_t mqd[512] = {}, offset, words[8];
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	int lines = 0, heads = 0, n;
	FILE *f;

	start_work(&gpu, &q, &k);
	snprintf(process, sizeof(process), "Process %d PASID 0x", getpid());
	snprintf(device, sizeof(device), "  Compute queue on device %x", gpu.id);
	f = fopen("/sys/kernel/debug/kfd/mqds", "re");
	GT_CHECK(f, "%s", strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		heads += !strncmp(line, process, strlen(process));
		heads += !strncmp(line, device, strlen(device));
		n = parse_words(line, &offset, words);
		if (n != 8 || offset >= sizeof(mqd))
			continue;
		memcpy((uint8_t *)mqd + offset, words, sizeof(words));
		lines++;
	}
	fclose(f);
	GT_CHECK(heads == 2 && lines == MQD_LINES, "%d heads, %d lines", heads, lines);
	GT_CHECK(((uint64_t)mqd[0x224 / 4] << 40 | (uint64_t)mqd[0x220 / 4] << 8) ==
		 (uintptr_t)q.ring, "ring base");
	GT_CHECK(mqd[0x218 / 4] == 7, "queue priority %u", mqd[0x218 / 4]);
	GT_CHECK(mqd[0x214 / 4] == 1, "pipe priority %u", mqd[0x214 / 4]);
}

static void hqds_and_rls_have_the_documented_format(void)
{
	uint32_t offset, words[8];
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	char line[256];
	int n, regs = 0, slots = 0, active = 0;
	FILE *f;

	start_work(&gpu, &q, &k);
	f = fopen("/sys/kernel/debug/kfd/hqds", "re");
	GT_CHECK(f, "%s", strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		slots += !!strstr(line, "CP Pipe");
		n = parse_words(line, &offset, words);
		regs += n;
		/* CP_HQD_ACTIVE, the third register of a slot */
		active += n > 2 && offset == 0x1245 << 2 && words[2];
	}
	fclose(f);
	GT_CHECK(slots == 8, "%d slots", slots);
	GT_CHECK(regs >= slots * HQD_REGS, "%d registers", regs);
	GT_CHECK(active == 1, "%d slots active", active);
	GT_CHECK(gt_file_has("/sys/kernel/debug/kfd/rls", "Node "), "rls");
	GT_CHECK(!gt_file_has("/sys/kernel/debug/kfd/rls", "No active runlist"), "runlist");
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
}

static void cu_occupancy_follows_the_waves(void)
{
	struct gt_kernel k;
	struct gt_queue q;
	struct gt_gpu gpu;
	char path[128];
	FILE *f;
	int cus = -1;

	start_work(&gpu, &q, &k);
	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/stats_%u/cu_occupancy", getpid(),
		 gpu.id);
	f = fopen(path, "re");
	GT_CHECK(f && fscanf(f, "%d", &cus) == 1, "%s: %s", path, strerror(errno));
	fclose(f);
	/* 4 waves of 32 that fit a CU, rounded up. */
	GT_CHECK(cus == 1, "%d CUs", cus);
	GT_CHECK(!gt_queue_update(&q, 0), "preempt");
	f = fopen(path, "re");
	GT_CHECK(f && fscanf(f, "%d", &cus) == 1, "%s: %s", path, strerror(errno));
	GT_CHECK(!cus, "%d CUs without a wave", cus);
}

static const struct gt_case cases[] = {
	{ "bad_profile_is_refused", bad_profile_is_refused, NULL, 0 },
	{ "module_comes_and_goes", module_comes_and_goes, NULL, 120 },
	{ "module_goes_before_its_process", module_goes_before_its_process, NULL, 0 },
	{ "module_goes_with_a_hung_gpu", module_goes_with_a_hung_gpu, NULL, 0 },
	{ "used_module_stays", used_module_stays, "profile=tiny", 0 },
	{ "mqds_has_the_documented_format", mqds_has_the_documented_format, "profile=tiny", 0 },
	{ "hqds_and_rls_have_the_documented_format", hqds_and_rls_have_the_documented_format,
	  "profile=tiny", 0 },
	{ "cu_occupancy_follows_the_waves", cu_occupancy_follows_the_waves, "profile=tiny", 0 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
