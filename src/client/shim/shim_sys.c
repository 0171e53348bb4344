// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "client/shim/shim_sys.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "driver/address.h"
#include "driver/environ.h"

/* First inode that the kernel gives to a pid namespace (PROC_PID_INIT_INO). */
#define INIT_PID_NAMESPACE "pid:[4026531836]"

typedef int (*ioctl_fn)(int fd, unsigned long request, ...);

/* Written once, before the program begins. */
static ioctl_fn next_ioctl;

void shim_sys_resolve(void)
{
	next_ioctl = (ioctl_fn)dlsym(RTLD_NEXT, "ioctl");
}

/* The constructors of other libraries may come first. */
static int real_ioctl(int fd, unsigned long request, void *arg)
{
	if (!next_ioctl)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	return next_ioctl(fd, request, arg);
}

/* See driver/kfd.h. */
int drv_kfd_call(int fd, unsigned long cmd, void *args)
{
	int r;

	do
		r = shim_self.sys->ioctl(fd, cmd, args);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r;
}

static int open_kfd(void)
{
	int fd = open(DRV_KFD_PATH, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int connect_to_daemon(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct shim_fd_id id;
	size_t len;
	int fd, r;

	r = drv_address_choose(shim_env(DRV_ENV_SOCKET), shim_env("XDG_RUNTIME_DIR"),
			       addr.sun_path, sizeof(addr.sun_path));
	if (r)
		return r;
	len = strlen(addr.sun_path);
	if (len + sizeof(WIRE_SOCKET_SUFFIX) > sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path + len, WIRE_SOCKET_SUFFIX);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* At once: connect() takes its time, and low numbers are the program's. */
	fd = shim_fd_keep(fd, &id);
	if (!connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	r = -errno;
	shim_fd_close(fd, &id);
	return r;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Pieces that one call takes. */
#define BATCH 64

/* Return: how many of them, from the first on, could be read. */
static uint32_t read_batch(struct shim_piece *pieces, uint32_t nr)
{
	struct iovec local[BATCH], remote[BATCH];
	size_t done;
	ssize_t n;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		local[i] = (struct iovec){ pieces[i].to, pieces[i].bytes };
		remote[i] = (struct iovec){ (void *)(uintptr_t)pieces[i].addr, pieces[i].bytes };
	}
	n = process_vm_readv(getpid(), local, nr, remote, nr, 0);
	done = n > 0 ? (size_t)n : 0;
	for (i = 0; i < nr && done >= pieces[i].bytes; i++)
		done -= pieces[i].bytes;
	return i;
}

/* No way to ask: as the driver would find it. */
static void copy_pieces(struct shim_piece *pieces, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++) {
		memcpy(pieces[i].to, (void *)(uintptr_t)pieces[i].addr, pieces[i].bytes);
		pieces[i].error = 0;
	}
}

/* Memory of a device is not for process_vm_readv(); the file goes through its driver. */
static void read_by_file(struct shim_piece *pieces, uint32_t nr)
{
	static const char path[] = "/proc/self/mem";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct shim_fd_id id;
	uint32_t i;

	if (fd < 0) {
		copy_pieces(pieces, nr);
		return;
	}
	shim_fd_note_path(path, &id);
	for (i = 0; i < nr; i++)
		pieces[i].error = pread(fd, pieces[i].to, pieces[i].bytes,
					(off_t)pieces[i].addr) == (ssize_t)pieces[i].bytes ?
					  0 : -EFAULT;
	shim_fd_close(fd, &id);
}

/* From the first piece on that is not ordinary memory the file is opened once for all. */
static void read_memory(struct shim_piece *pieces, uint32_t nr)
{
	uint32_t i, n, want;

	for (i = 0; i < nr; i++)
		pieces[i].error = 0;
	for (i = 0; i < nr; i += n) {
		want = nr - i < BATCH ? nr - i : BATCH;
		n = read_batch(pieces + i, want);
		if (n < want) {
			read_by_file(pieces + i + n, nr - i - n);
			return;
		}
	}
}

static int write_memory(uint64_t addr, const void *from, size_t bytes)
{
	struct iovec local = { (void *)from, bytes };
	struct iovec remote = { (void *)(uintptr_t)addr, bytes };
	ssize_t n = process_vm_writev(getpid(), &local, 1, &remote, 1, 0);

	if (n == (ssize_t)bytes)
		return 0;
	if (n >= 0 || errno == EFAULT)
		return -EFAULT;
	/* The call is forbidden here. A file of /proc would write to what is read-only. */
	memcpy((void *)(uintptr_t)addr, from, bytes);
	return 0;
}

/* sysfs names processes by their number in the first namespace. */
static bool is_number_known(void)
{
	static int known = -1;
	char name[sizeof(INIT_PID_NAMESPACE) + 1] = "";

	if (known < 0)
		known = readlink("/proc/self/ns/pid", name, sizeof(name) - 1) > 0 &&
			!strcmp(name, INIT_PID_NAMESPACE);
	return known;
}

static int occupancy(uint32_t gpu_id)
{
	char path[96], text[16] = "";
	struct shim_fd_id id;
	ssize_t n;
	int fd;

	if (!is_number_known())
		return -1;
	snprintf(path, sizeof(path), DRV_KFD_PROC "/%d/stats_%u/cu_occupancy", getpid(), gpu_id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	shim_fd_note_path(path, &id);
	n = read(fd, text, sizeof(text) - 1);
	shim_fd_close(fd, &id);
	return n > 0 ? atoi(text) : -1;
}

const struct shim_sys shim_sys_real = {
	.ioctl = real_ioctl,
	.open_kfd = open_kfd,
	.connect = connect_to_daemon,
	.now_ns = now_ns,
	.read_memory = read_memory,
	.write_memory = write_memory,
	.occupancy = occupancy,
};

void shim_debug(const char *fmt, ...)
{
	va_list ap;
	char line[256];
	int n;

	if (!shim_env(DRV_ENV_DEBUG))
		return;
	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n > 0)
		dprintf(STDERR_FILENO, "gpreempt[%d]: %s\n", getpid(), line);
}
