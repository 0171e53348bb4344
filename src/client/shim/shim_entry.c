// SPDX-License-Identifier: MIT
/*
 * What the process sees of the library: ioctl(), the constructor, fork and exit. A
 * process that never makes a queue pays for the environment variables and, with each
 * ioctl, for two compares.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/shim/shim_part.h"
#include "client/shim/shim_sys.h"

#define EXPORT __attribute__((visibility("default")))
#define TOOLS "HSA_TOOLS_LIB"

struct shim shim_self = {
	.sys = &shim_sys_real,
	.call_lock = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.kfd = -1,
	.wake_fd = { -1, -1 },
	.sock = -1,
	.dbg_pipe = { -1, -1 },
	.sees = WIRE_SEES_IOCTL,
};

EXPORT int ioctl(int fd, unsigned long request, ...);

/* Of the rules. The program is not this library's to end. */
void gp_port_warn(const char *file, int line, const char *cond)
{
	shim_debug("%s:%d: %s", file, line, cond);
}

static void in_child(void)
{
	int before = errno;

	shim_forget(&shim_self);
	errno = before;
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, in_child);
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (!shim_ioctl_is_ours(request))
		return shim_sys_real.ioctl(fd, request, arg);
	pthread_once(&once, watch_forks);
	return shim_ioctl_call(&shim_self, fd, request, arg);
}

/* A name that ROCr's parser would take apart is left out; newer ROCr finds the library anyway. */
static bool is_plain(const char *path)
{
	return !strpbrk(path, " \t\"'\\");
}

/* Is it one of the names, which are separated by blanks? */
static bool has_name(const char *names, const char *name)
{
	const char *at = names;
	size_t len = strlen(name);

	while ((at = strstr(at, name))) {
		if ((at == names || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
		at += len;
	}
	return false;
}

/* For ROCr before 5.6, which finds tools by this variable alone. A profiler's stay. */
static void add_to_tools(void)
{
	const char *names = getenv(TOOLS);
	char all[4096];
	Dl_info info;
	int n;

	if (!dladdr(&shim_self, &info) || !info.dli_fname || !is_plain(info.dli_fname) ||
	    info.dli_fname[0] != '/')
		return;
	if (names && has_name(names, info.dli_fname))
		return;
	n = snprintf(all, sizeof(all), "%s%s%s", names && *names ? names : "",
		     names && *names ? " " : "", info.dli_fname);
	if (n > 0 && (size_t)n < sizeof(all))
		setenv(TOOLS, all, 1);
}

__attribute__((constructor)) static void begin(void)
{
	shim_sys_resolve();
	shim_env_freeze();
	add_to_tools();
	/* Else a ROCr whose table went to rocprofiler-sdk loads no other tool. */
	setenv("HSA_TOOLS_ROCPROFILER_V1_TOOLS", "1", 0);
}

/* See shim_pause_end_dbg(). */
__attribute__((destructor)) static void end(void)
{
	if (shim_self.dbg == SHIM_DBG_ON)
		shim_pause_end_dbg(&shim_self);
}
