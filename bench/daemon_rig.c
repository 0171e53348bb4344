// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "daemon_rig.h"
#include "bench.h"
#include "client/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define START_NS 60000000000ULL
#define NS_PER_MS 1000000ULL
/* Numbers of processes that no real one can have. */
#define FIRST_PID 5000000u

void bench_rig_path(const struct bench_rig *r, char *path, size_t size)
{
	snprintf(path, size, "%s/sock", r->folder);
}

static void run_daemon(const struct bench_rig *r)
{
	char socket_path[96];
	char config[96];
	int null = open("/dev/null", O_RDWR);

	bench_rig_path(r, socket_path, sizeof(socket_path));
	snprintf(config, sizeof(config), "%s/conf", r->folder);
	close(open(config, O_CREAT | O_WRONLY, 0600));
	dup2(null, STDIN_FILENO);
	dup2(null, STDERR_FILENO);
	execl(GP_DAEMON_PATH, "gpreemptd", "--config", config, "--socket", socket_path, "--sim",
	      "1", NULL);
	_exit(127);
}

static int connect_client(const struct bench_rig *r)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/sock%s", r->folder,
		 WIRE_SOCKET_SUFFIX);
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

int bench_rig_start(struct bench_rig *r)
{
	uint64_t end_ns = bench_now_ns() + START_NS;
	int fd;

	memset(r, 0, sizeof(*r));
	strcpy(r->folder, "/tmp/gpreempt-bench-XXXXXX");
	if (!mkdtemp(r->folder))
		return -errno;
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	r->pid = fork();
	if (r->pid < 0)
		return -errno;
	if (!r->pid)
		run_daemon(r);
	while ((fd = connect_client(r)) < 0) {
		if (bench_now_ns() > end_ns || waitpid(r->pid, NULL, WNOHANG))
			return -ETIMEDOUT;
		usleep(1000);
	}
	close(fd);
	return 0;
}

void bench_rig_stop(struct bench_rig *r)
{
	static const char *const names[] = { "sock", "sock.client/socket", "conf", "state.json" };
	char path[128];
	uint32_t i;

	for (i = 0; i < r->nr; i++)
		close(r->fd[i]);
	if (r->pid > 0) {
		kill(r->pid, SIGTERM);
		waitpid(r->pid, NULL, 0);
	}
	close(r->epoll);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", r->folder, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/sock.client", r->folder);
	rmdir(path);
	rmdir(r->folder);
}

static int send_message(int fd, struct wire_hdr *hdr, uint16_t type, size_t size)
{
	hdr->magic = WIRE_MAGIC;
	hdr->type = type;
	hdr->size = (uint16_t)size;
	hdr->time_ns = bench_now_ns();
	return send(fd, hdr, size, MSG_NOSIGNAL) == (ssize_t)size ? 0 : -errno;
}

int bench_rig_add(struct bench_rig *r, uint8_t prio, uint32_t nr_queues)
{
	struct wire_hello hello = {
		.version = WIRE_VERSION,
		.mech = WIRE_MECH_SIM,
		.pid = FIRST_PID + r->nr,
		.prio = prio,
		.comm = "bench",
	};
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = r->nr };
	char welcome[WIRE_MAX];
	int fd = connect_client(r);
	uint32_t i;

	if (fd < 0)
		return fd;
	r->fd[r->nr++] = fd;
	send_message(fd, &hello.hdr, WIRE_HELLO, sizeof(hello));
	if (recv(fd, welcome, sizeof(welcome), 0) != sizeof(struct wire_welcome))
		return -EPROTO;
	for (i = 0; i < nr_queues; i++) {
		struct wire_queue queue = {
			.gpu_id = 1,
			.queue_id = i,
			.type = WIRE_QUEUE_AQL,
			.prio = WIRE_PRIO_UNSET,
		};

		send_message(fd, &queue.hdr, WIRE_QUEUE_ADD, sizeof(queue));
	}
	return epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

int bench_rig_edge(struct bench_rig *r, uint32_t client, uint32_t queue, bool busy)
{
	struct wire_edge edge = { .gpu_id = 1, .queue_id = queue };

	return send_message(r->fd[client], &edge.hdr, busy ? WIRE_BUSY : WIRE_IDLE,
			    sizeof(edge));
}

static int answer(struct bench_rig *r, uint32_t i)
{
	struct wire_order order;
	struct wire_done done = { .gpu_id = 1 };
	bool hold;

	if (recv(r->fd[i], &order, sizeof(order), 0) != sizeof(order))
		return -EPIPE;
	if (order.hdr.type == WIRE_RENEW)
		return 0;
	r->held_ns = bench_now_ns();
	hold = order.hdr.type == WIRE_HOLD;
	if (hold && !r->nr_held)
		r->first_held_ns = r->held_ns;
	if (r->held[i] != hold) {
		r->held[i] = hold;
		r->nr_held += hold ? 1 : (uint32_t)-1;
	}
	done.epoch = order.epoch;
	return send_message(r->fd[i], &done.hdr, WIRE_DONE, sizeof(done));
}

/* Answer what is there, waiting up to @ms for it. */
static int turn(struct bench_rig *r, int ms)
{
	struct epoll_event events[64];
	int nr = epoll_wait(r->epoll, events, 64, ms);
	int err = 0;
	int i;

	for (i = 0; i < nr && !err; i++)
		err = answer(r, events[i].data.u32);
	return err;
}

int bench_rig_pump(struct bench_rig *r, uint32_t nr_held, uint64_t ns)
{
	uint64_t end_ns = bench_now_ns() + ns;
	int err = 0;

	while (!err && (nr_held ? r->nr_held < nr_held : r->nr_held)) {
		if (bench_now_ns() > end_ns)
			return -ETIMEDOUT;
		err = turn(r, 10);
	}
	return err;
}

int bench_rig_serve(struct bench_rig *r, uint64_t ns)
{
	uint64_t now_ns = bench_now_ns();
	uint64_t end_ns = now_ns + ns;
	int err = 0;

	for (; !err && now_ns < end_ns; now_ns = bench_now_ns())
		err = turn(r, (int)((end_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS));
	return err;
}

uint64_t bench_rig_cpu_ns(const struct bench_rig *r)
{
	struct timespec ts = { 0 };
	clockid_t clock;

	if (clock_getcpuclockid(r->pid, &clock) || clock_gettime(clock, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}
