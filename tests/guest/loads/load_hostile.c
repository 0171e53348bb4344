// SPDX-License-Identifier: MIT
/*
 * A client that behaves as badly as programs may: a timer interrupts everything it does,
 * its kernels are launched by threads that end at once, and on SIGUSR1 it closes every
 * descriptor it does not know, puts sockets of its own in their places, and goes
 * elsewhere. Knows nothing of gpreempt.
 *
 * On SIGTERM it says whether another wrote to, read from or closed what is its own. Exit
 * code 0 if none did and every result was exact.
 */
#define _GNU_SOURCE
#include "loads/load.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define NR_FDS 1024
#define STEPS 20
#define STEP_NS 500000
#define WAIT_MS 60000

static volatile sig_atomic_t is_mad;
static struct load l;
static int mine[2];
static bool is_taken[NR_FDS];

static void on_usr1(int signal)
{
	is_mad = 1;
}

static void on_alarm(int signal)
{
}

static bool is_known(int fd)
{
	return fd <= 2 || fd == l.gpu.kfd || fd == l.gpu.drm || fd == mine[0] || fd == mine[1];
}

/* One pair of sockets, whose one end is everywhere. A byte is there to be stolen. */
static void take_all(void)
{
	int fd;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, mine) ||
	    send(mine[1], "x", 1, 0) != 1)
		load_die("socketpair: %s", strerror(errno));
	for (fd = 0; fd < NR_FDS; fd++) {
		if (is_known(fd) || fcntl(fd, F_GETFD) < 0)
			continue;
		close(fd);
		is_taken[fd] = dup2(mine[0], fd) == fd;
	}
	if (chdir("/"))
		load_die("chdir: %s", strerror(errno));
	printf("closed 1\n");
	fflush(stdout);
}

static bool is_intact(void)
{
	struct stat st, other;
	char byte = 0;
	int fd;

	if (!mine[1])
		return true;
	fstat(mine[0], &st);
	for (fd = 0; fd < NR_FDS; fd++)
		if (is_taken[fd] && (fstat(fd, &other) || other.st_ino != st.st_ino)) {
			fprintf(stderr, "descriptor %d was closed\n", fd);
			return false;
		}
	if (recv(mine[1], &byte, 1, MSG_DONTWAIT) >= 0) {
		fprintf(stderr, "another process wrote\n");
		return false;
	}
	if (recv(mine[0], &byte, 1, MSG_DONTWAIT) != 1 || byte != 'x') {
		fprintf(stderr, "another process read\n");
		return false;
	}
	return true;
}

static void *launch(void *kernel)
{
	gt_kernel_launch(kernel, &l.queue);
	return NULL;
}

int main(void)
{
	struct gt_shape shape = { .groups = 2, .waves = 1, .vgprs = 8, .steps = STEPS,
				  .step_ns = STEP_NS, .seed = 11 };
	struct itimerval often = { { 0, 2000 }, { 0, 2000 } };
	struct sigaction usr1 = { .sa_handler = on_usr1 }, alarm = { .sa_handler = on_alarm };
	uint64_t expected = load_expected(&shape);
	struct gt_kernel k;
	pthread_t thread;
	bool intact;

	sigaction(SIGUSR1, &usr1, NULL);
	sigaction(SIGALRM, &alarm, NULL);
	load_open(&l, false, NULL);
	load_kernel_create(&l, &shape, &k);
	printf("started 1\n");
	fflush(stdout);
	setitimer(ITIMER_REAL, &often, NULL);
	while (!load_is_stopped) {
		if (pthread_create(&thread, NULL, launch, &k) || pthread_join(thread, NULL))
			load_die("no thread");
		if (load_kernel_wait(&l, &k, WAIT_MS))
			load_die("a kernel does not end");
		load_kernel_is_exact(&l, &k, expected);
		if (is_mad)
			take_all();
		is_mad = 0;
		printf("completed %lu\n", l.progress->completed);
		fflush(stdout);
	}
	intact = is_intact();
	printf("kernels %lu\nintact %d\nexact %d\n", l.progress->completed, intact,
	       !l.progress->wrong);
	return intact && !l.progress->wrong ? 0 : 1;
}
