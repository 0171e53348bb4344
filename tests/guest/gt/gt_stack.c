// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_stack.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH_OF_STACK "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

static void give_to_render(const char *path)
{
	GT_CHECK(!chown(path, 0, GT_GROUP_RENDER), "%s: %s", path, strerror(errno));
	GT_CHECK(!chmod(path, 0660), "%s: %s", path, strerror(errno));
}

void gt_stack_devices(void)
{
	unsigned int nr = gt_count_gpus(), i;
	char path[64];

	give_to_render("/dev/kfd");
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "/dev/dri/renderD%u", 128 + i);
		give_to_render(path);
	}
	chmod("/tmp", 01777);
}

/* setuid() and its like as login does it; the test itself is root. */
static int become(uid_t uid)
{
	gid_t render = GT_GROUP_RENDER;

	if (!uid)
		return 0;
	return setgroups(1, &render) || setgid(uid) || setuid(uid);
}

static void exec_program(const struct gt_program *p, int fd, uid_t uid, const char *const argv[])
{
	dup2(fd, 1);
	dup2(fd, 2);
	setenv("PATH", PATH_OF_STACK, 1);
	if (become(uid))
		_exit(126);
	execvp(argv[0], (char *const *)argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

void gt_program_start(struct gt_program *p, uid_t uid, const char *const argv[])
{
	static unsigned int serial;
	const char *name = strrchr(argv[0], '/');
	int fd;

	snprintf(p->output, sizeof(p->output), "/tmp/%s.%d.%u", name ? name + 1 : argv[0],
		 getpid(), serial++);
	fd = open(p->output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	GT_CHECK(fd >= 0, "%s: %s", p->output, strerror(errno));
	p->pid = fork();
	GT_CHECK(p->pid >= 0, "fork: %s", strerror(errno));
	if (!p->pid)
		exec_program(p, fd, uid, argv);
	close(fd);
}

int gt_program_wait(struct gt_program *p, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);
	int status, r;

	while ((r = waitpid(p->pid, &status, WNOHANG)) != p->pid) {
		GT_CHECK(r >= 0, "waitpid: %s", strerror(errno));
		if (gt_now_ns() > end)
			return -ETIMEDOUT;
		gt_sleep_us(1000);
	}
	p->pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int gt_program_stop(struct gt_program *p, int signal, unsigned int ms)
{
	kill(p->pid, signal);
	return gt_program_wait(p, ms);
}

int gt_program_run(struct gt_program *p, uid_t uid, unsigned int ms, const char *const argv[])
{
	int r;

	gt_program_start(p, uid, argv);
	r = gt_program_wait(p, ms);
	if (r == -ETIMEDOUT) {
		gt_program_show(p);
		gt_fail("%s did not end in %u ms", argv[0], ms);
	}
	return r;
}

void gt_program_show(const struct gt_program *p)
{
	FILE *f = fopen(p->output, "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		printf("    | %s", line);
	if (f)
		fclose(f);
	fflush(stdout);
}

uint64_t gt_program_value(const struct gt_program *p, const char *key)
{
	return gt_file_value(p->output, key);
}

int gt_program_says(const struct gt_program *p, const char *text, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);

	while (!gt_file_has(p->output, text)) {
		if (gt_now_ns() > end)
			return -ETIMEDOUT;
		gt_sleep_us(1000);
	}
	return 0;
}
