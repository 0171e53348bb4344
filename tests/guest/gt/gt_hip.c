// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_hip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 20
#define FIRST_JOB_MS 300000

static const char *root_of(const char *suite)
{
	static char root[32];

	snprintf(root, sizeof(root), "/roots/%s", suite);
	return root;
}

/*
 * After a fault ROCr 6.4 lists its agents for a GPU core dump, in 4 GiB of memory that it touches
 * little of: n_entries is UINT32_MAX in libhsakmt's hsaKmtDbgGetDeviceData(). A machine with less
 * refuses that, unless it promises more than it has. ROCr then ends with the debug session open
 * that it has opened of itself, and never ends: docs/upstream-bugs.md.
 */
static void promise_memory(void)
{
	GT_CHECK(!gt_write_file("/proc/sys/vm/overcommit_memory", "1"), "%s", strerror(errno));
}

void gt_hip_enter(const char *suite)
{
	promise_memory();
	gt_root_enter(root_of(suite));
}

void gt_hip_leave(const char *suite)
{
	gt_root_leave(root_of(suite));
}

void gt_hip_run(struct gt_program *p, const char *suite, enum gt_how how, const char *klass,
		const char *const argv[])
{
	const char *words[MAX_WORDS] = { "gpreempt", "run", "-c", klass, "--" };
	size_t nr = how == GT_SHIM || how == GT_KERNEL ? 5 : 0;

	words[nr++] = "chroot";
	words[nr++] = root_of(suite);
	while (*argv && nr < MAX_WORDS - 1)
		words[nr++] = *argv++;
	words[nr] = NULL;
	setenv("LD_LIBRARY_PATH", "/usr/lib/x86_64-linux-gnu", 1);
	gt_program_start(p, 0, words);
	unsetenv("LD_LIBRARY_PATH");
}

void gt_hip_start(struct gt_program *p, const char *suite, enum gt_how how, const char *klass,
		  const char *const argv[])
{
	const char *words[MAX_WORDS];
	char path[64];
	size_t nr = 0;

	snprintf(path, sizeof(path), "/programs/%s/hip_jobs", suite);
	words[nr++] = path;
	while (*argv && nr < MAX_WORDS - 1)
		words[nr++] = *argv++;
	words[nr] = NULL;
	gt_hip_run(p, suite, how, klass, words);
	if (how != GT_DBG)
		return;
	if (gt_program_says(p, "completed", FIRST_JOB_MS)) {
		gt_program_show(p);
		gt_fail("it does not come to its first job");
	}
	gt_daemon_attach(p->pid, klass);
}

int gt_hip_wait(struct gt_program *p, unsigned int ms)
{
	int r = gt_program_wait(p, ms);

	if (!r && !gt_file_has(p->output, "exact 1"))
		r = -EINVAL;
	if (r)
		gt_program_show(p);
	return r;
}
