// SPDX-License-Identifier: MIT
/*
 * Clients that know nothing of this project: Debian's rocminfo and a program on
 * Debian's ROCr, in a root folder of their own.
 */
#define _GNU_SOURCE
#include "gt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLIENTS "/clients"
#define OUTPUT "/tmp/client.out"

static void load_name(void)
{
	int fd = open("/lib/modules/amdgpu.ko", O_RDONLY | O_CLOEXEC);

	GT_CHECK(fd >= 0, "amdgpu.ko");
	GT_CHECK(!syscall(SYS_finit_module, fd, "", 0) || errno == EEXIST, "%s", strerror(errno));
	close(fd);
}

static void mount_roots(void)
{
	static const char *const folders[] = { "proc", "sys", "dev", "tmp" };
	char from[32], to[32];
	size_t i;

	if (access(CLIENTS "/usr/bin/rocminfo", X_OK))
		gt_skip("the guest has no clients");
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(from, sizeof(from), "/%s", folders[i]);
		snprintf(to, sizeof(to), CLIENTS "/%s", folders[i]);
		GT_CHECK(!mount(from, to, NULL, MS_BIND, NULL), "%s: %s", to, strerror(errno));
	}
}

static void unmount_roots(void)
{
	static const char *const folders[] = { "proc", "sys", "dev", "tmp" };
	char path[32];
	size_t i;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), CLIENTS "/%s", folders[i]);
		umount2(path, MNT_DETACH);
	}
}

/* Return: exit code; what it printed is in OUTPUT. */
static int run_client(const char *path)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		int fd = open(OUTPUT, O_WRONLY | O_CREAT | O_TRUNC, 0644);

		dup2(fd, 1);
		dup2(fd, 2);
		if (chroot(CLIENTS) || chdir("/"))
			_exit(126);
		setenv("PATH", "/usr/bin:/bin", 1);
		setenv("LD_LIBRARY_PATH", "/usr/lib/x86_64-linux-gnu:/lib/x86_64-linux-gnu", 1);
		execl(path, path, NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
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

static void rocminfo_lists_the_gpu(void)
{
	int r;

	load_name();
	mount_roots();
	r = run_client("/usr/bin/rocminfo");
	unmount_roots();
	if (r)
		show_output();
	GT_CHECK(!r, "exit code %d", r);
	GT_CHECK(gt_file_has(OUTPUT, "gfx90a"), "no gfx90a in the output");
	GT_CHECK(gt_file_has(OUTPUT, "Compute Unit:            8"), "not 8 CUs");
}

/* Control: without a GPU there is none to list. */
static void rocminfo_lists_no_gpu(void)
{
	load_name();
	mount_roots();
	run_client("/usr/bin/rocminfo");
	unmount_roots();
	GT_CHECK(!gt_file_has(OUTPUT, "gfx90a"), "a GPU where there is none");
}

static void rocr_program_runs_barriers(void)
{
	uint64_t packets = gt_stat(0, "packets");
	int r;

	load_name();
	mount_roots();
	r = run_client("/bin/client_queue");
	unmount_roots();
	show_output();
	GT_CHECK(!r, "exit code %d", r);
	GT_CHECK(gt_stat(0, "packets") >= packets + 20, "%lu packets",
		 gt_stat(0, "packets") - packets);
}

static void rocr_program_copies(void)
{
	int r;

	load_name();
	mount_roots();
	r = run_client("/bin/client_copy");
	unmount_roots();
	show_output();
	GT_CHECK(!r, "exit code %d", r);
}

static const struct gt_case cases[] = {
	{ "rocminfo_lists_no_gpu", rocminfo_lists_no_gpu, "gpus=0", 60 },
	{ "rocminfo_lists_the_gpu", rocminfo_lists_the_gpu, "profile=tiny", 60 },
	{ "rocr_program_runs_barriers", rocr_program_runs_barriers, "profile=tiny", 60 },
	{ "rocr_program_copies", rocr_program_copies, "profile=tiny", 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
