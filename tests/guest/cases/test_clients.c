// SPDX-License-Identifier: MIT
/*
 * Clients that know nothing of this project: Debian's rocminfo, and programs on
 * Debian's ROCr, of Debian 12 (ROCr 5.2) and of Debian 13 (6.1), each in a root
 * folder of its own.
 *
 * Needs: clients kernels
 * Clock: host, ROCr 5.2 wants the cache folders of a processor in sysfs
 */
#define _GNU_SOURCE
#include "gt/gt_root.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT "/tmp/client.out"
#define HOST GT_ROOT_ROCR_5
#define TRIXIE GT_ROOT_ROCR_6

static void exec_in(const char *root, const char *path, const char *argument)
{
	int fd = open(OUTPUT, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	dup2(fd, 1);
	dup2(fd, 2);
	if (chroot(root) || chdir("/"))
		_exit(126);
	setenv("PATH", "/usr/bin:/bin", 1);
	setenv("LD_LIBRARY_PATH", "/usr/lib/x86_64-linux-gnu", 1);
	execl(path, path, argument, NULL);
	_exit(127);
}

/* Return: exit code; what it printed is in OUTPUT. @argument: or NULL */
static int run_client(const char *root, const char *path, const char *argument)
{
	int status;
	pid_t pid;

	gt_root_enter(root);
	pid = fork();
	if (!pid)
		exec_in(root, path, argument);
	waitpid(pid, &status, 0);
	gt_root_leave(root);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void show_output(void)
{
	char line[256];
	FILE *f = fopen(OUTPUT, "re");

	while (f && fgets(line, sizeof(line), f))
		printf("%s", line);
	if (f)
		fclose(f);
	fflush(stdout);
}

static void rocminfo_lists(const char *root, const char *gpu)
{
	int r = run_client(root, "/usr/bin/rocminfo", NULL);

	if (r)
		show_output();
	GT_CHECK(!r, "exit code %d", r);
	GT_CHECK(gt_file_has(OUTPUT, gpu), "no %s in the output", gpu);
}

static void rocminfo_5_lists_the_gpu(void)
{
	rocminfo_lists(HOST, "gfx90a");
	GT_CHECK(gt_file_has(OUTPUT, "Compute Unit:            8"), "not 8 CUs");
}

static void rocminfo_6_lists_the_gpu(void)
{
	rocminfo_lists(TRIXIE, "gfx90a");
}

/* MI300X: newer than ROCr 5.2 knows. */
static void rocminfo_6_lists_8_xccs(void)
{
	rocminfo_lists(TRIXIE, "gfx942");
	GT_CHECK(gt_file_has(OUTPUT, "Compute Unit:            304"), "not 304 CUs");
}

/* Control: without a GPU there is none to list. */
static void rocminfo_lists_no_gpu(void)
{
	run_client(HOST, "/usr/bin/rocminfo", NULL);
	GT_CHECK(!gt_file_has(OUTPUT, "gfx90a"), "a GPU where there is none");
}

static void run_barriers(const char *root)
{
	uint64_t packets = gt_stat(0, "packets");
	int r = run_client(root, "/usr/bin/client_queue", NULL);

	show_output();
	GT_CHECK(!r, "exit code %d", r);
	GT_CHECK(gt_stat(0, "packets") >= packets + 20, "%lu packets",
		 gt_stat(0, "packets") - packets);
}

static void rocr_5_program_runs_barriers(void)
{
	run_barriers(HOST);
}

static void rocr_6_program_runs_barriers(void)
{
	run_barriers(TRIXIE);
}

static void copy(const char *root)
{
	int r = run_client(root, "/usr/bin/client_copy", NULL);

	show_output();
	GT_CHECK(!r, "exit code %d", r);
}

static void rocr_5_program_copies(void)
{
	copy(HOST);
}

static void rocr_6_program_copies(void)
{
	copy(TRIXIE);
}

static void compute(const char *root)
{
	int r = run_client(root, "/usr/bin/client_kernel", NULL);

	show_output();
	GT_CHECK(!r, "exit code %d", r);
	GT_CHECK(gt_file_has(OUTPUT, "exact 1"), "no result");
}

static void rocr_5_program_computes(void)
{
	compute(HOST);
}

static void rocr_6_program_computes(void)
{
	compute(TRIXIE);
}

/* Machine code that ROCr itself loads. Control: a GPU that executes nothing. */
static void execute(const char *root, const char *file)
{
	int r;

	if (access(file, R_OK))
		gt_skip("the guest has no %s", file);
	r = run_client(root, "/usr/bin/client_code", file);
	show_output();
	GT_CHECK(!r, "exit code %d", r);
	GT_CHECK(gt_file_has(OUTPUT, "exact 1"), "no result");
	gt_fault(0, "dead 1");
	r = run_client(root, "/usr/bin/client_code", file);
	gt_fault(0, "dead 0");
	show_output();
	/* Under ROCr 5 the program says so; ROCr 6 aborts by itself. */
	GT_CHECK(r && !gt_file_has(OUTPUT, "exact 1"), "not noticed: exit code %d", r);
}

static void rocr_5_program_executes(void)
{
	execute(HOST, "/kernels/kernels_gfx90a.co");
}

static void rocr_6_program_executes(void)
{
	execute(TRIXIE, "/kernels/kernels_gfx90a.co");
}

static void rocr_6_program_executes_on_8_xccs(void)
{
	execute(TRIXIE, "/kernels/kernels_gfx942.co");
}

static const struct gt_case cases[] = {
	{ "rocminfo_lists_no_gpu", rocminfo_lists_no_gpu, "gpus=0", 60 },
	{ "rocminfo_5_lists_the_gpu", rocminfo_5_lists_the_gpu, "profile=tiny", 60 },
	{ "rocr_5_program_runs_barriers", rocr_5_program_runs_barriers, "profile=tiny", 60 },
	{ "rocr_5_program_copies", rocr_5_program_copies, "profile=tiny", 60 },
	{ "rocr_5_program_computes", rocr_5_program_computes, "profile=tiny", 60 },
	{ "rocminfo_6_lists_the_gpu", rocminfo_6_lists_the_gpu, "profile=tiny", 60 },
	{ "rocr_6_program_runs_barriers", rocr_6_program_runs_barriers, "profile=tiny", 60 },
	{ "rocr_6_program_copies", rocr_6_program_copies, "profile=tiny", 60 },
	{ "rocr_6_program_computes", rocr_6_program_computes, "profile=tiny", 60 },
	{ "rocr_5_program_executes", rocr_5_program_executes, "profile=tiny", 120 },
	{ "rocr_6_program_executes", rocr_6_program_executes, "profile=tiny", 120 },
	{ "rocminfo_6_lists_8_xccs", rocminfo_6_lists_8_xccs, "profile=mi300x", 60 },
	{ "rocr_6_program_executes_on_8_xccs", rocr_6_program_executes_on_8_xccs,
	  "profile=mi300x", 180 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
