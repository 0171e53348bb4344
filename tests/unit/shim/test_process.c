// SPDX-License-Identifier: MIT
/*
 * The shim as it is in a process: its thread, many threads of the application, fork,
 * a daemon that is stopped. Real time passes here; nothing waits for a fixed time, only
 * for what must happen, with a deadline.
 */
#define _GNU_SOURCE
#include "rig.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/shim/shim_queue.h"

#define NR_THREADS 64
#define NR_RINGS 20000
#define DEADLINE_NS (20000 * MS)

static struct shim_sys sys;

static uint64_t real_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int setup(void **state)
{
	rig_setup(state);
	sys = *shim_self.sys;
	sys.now_ns = real_now;
	shim_self.sys = &sys;
	/* The thread starts with the first queue. */
	shim_self.is_started = false;
	shim_self.kfd = -1;
	return 0;
}

static int teardown(void **state)
{
	shim_control_stop(&shim_self);
	shim_fd_close(shim_self.wake_fd[0], &shim_self.wake_id);
	shim_fd_close(shim_self.wake_fd[1], &shim_self.wake_id);
	return rig_teardown(state);
}

/* Messages that came, until one of this type; false after the deadline. */
static bool wait_for(uint16_t type)
{
	uint64_t end = real_now() + DEADLINE_NS;
	struct pollfd p = { .events = POLLIN };

	while (real_now() < end) {
		p.fd = __atomic_load_n(&rig.daemon, __ATOMIC_ACQUIRE);
		if (rig_has(type))
			return true;
		poll(&p, 1, 1);
	}
	return false;
}

static bool wait_for_percentage(uint32_t id, uint32_t percentage)
{
	uint64_t end = real_now() + DEADLINE_NS;

	while (__atomic_load_n(&rig.queues[id].percentage, __ATOMIC_ACQUIRE) != percentage) {
		if (real_now() > end)
			return false;
		usleep(100);
	}
	return true;
}

static void send_order(uint16_t type, uint64_t epoch, uint64_t lease_ns)
{
	struct wire_order m = {
		.hdr = { WIRE_MAGIC, type, sizeof(m), 0 },
		.epoch = epoch,
		.gpu_id = RIG_GPU,
		.queue_id = WIRE_QUEUE_ALL,
		.lease_ns = lease_ns,
	};

	rig_send(&m, sizeof(m));
}

static void meet(void)
{
	assert_true(wait_for(WIRE_HELLO));
	rig_welcome(0);
	assert_true(wait_for(WIRE_QUEUE_ADD));
}

/* Nothing is renewed, nothing is read: as a daemon that got SIGSTOP. */
static void stopped_daemon_holds_nothing_for_long(void **state)
{
	uint32_t id = rig_create_busy();
	uint64_t start = real_now();

	meet();
	send_order(WIRE_HOLD, 1, 200 * MS);
	assert_true(wait_for_percentage(id, 0));
	assert_true(wait_for_percentage(id, 100));
	assert_true(real_now() - start >= 200 * MS);
}

static void orders_are_carried_out(void **state)
{
	uint32_t id = rig_create_busy();
	uint64_t epoch;

	meet();
	for (epoch = 1; epoch < 200; epoch += 2) {
		send_order(WIRE_HOLD, epoch, 10000 * MS);
		assert_true(wait_for(WIRE_DONE));
		assert_int_equal(rig.queues[id].percentage, 0);
		send_order(WIRE_RELEASE, epoch + 1, 0);
		assert_true(wait_for(WIRE_DONE));
		assert_int_equal(rig.queues[id].percentage, 100);
	}
}

/*
 * The application closes what it does not know, and its own socket gets the numbers: it is
 * neither written to, nor read from, nor closed.
 */
static void closed_descriptors_are_left_alone(void **state)
{
	struct wire_hdr nonsense = { WIRE_MAGIC, WIRE_RENEW, sizeof(nonsense), 0 };
	uint32_t id = rig_create_busy(), i;
	int mine[2], taken[3];
	struct stat is, was;
	char byte = 0;

	meet();
	send_order(WIRE_HOLD, 1, 60000 * MS);
	assert_true(wait_for_percentage(id, 0));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, mine), 0);
	assert_int_equal(send(mine[1], "x", 1, 0), 1);
	taken[0] = shim_self.sock;
	taken[1] = shim_self.wake_fd[0];
	taken[2] = shim_self.wake_fd[1];
	for (i = 0; i < 3; i++)
		assert_int_equal(dup2(mine[0], taken[i]), taken[i]);
	/* Wakes the thread, if that waits for the socket it had. */
	send(rig.daemon, &nonsense, sizeof(nonsense), MSG_NOSIGNAL);
	/* Without its daemon it holds nothing, and finds it again. */
	assert_true(wait_for_percentage(id, 100));
	meet();
	send_order(WIRE_HOLD, 1, 60000 * MS);
	assert_true(wait_for_percentage(id, 0));
	assert_int_equal(fstat(mine[0], &was), 0);
	for (i = 0; i < 3; i++) {
		assert_int_equal(fstat(taken[i], &is), 0);
		assert_int_equal(is.st_ino, was.st_ino);
		close(taken[i]);
	}
	assert_int_equal(recv(mine[1], &byte, 1, MSG_DONTWAIT), -1);
	assert_int_equal(recv(mine[0], &byte, 1, MSG_DONTWAIT), 1);
	close(mine[0]);
	close(mine[1]);
}

static void thread_takes_no_signals(void **state)
{
	char line[256];
	unsigned long long blocked = 0;
	FILE *f;

	rig_create();
	meet();
	/* Of this process's threads, the one with our name. */
	f = popen("for t in /proc/$PPID/task/*; do "
		  "[ \"$(cat $t/comm)\" = gpreempt ] && grep SigBlk $t/status; done", "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	pclose(f);
	assert_int_equal(sscanf(line, "SigBlk: %llx", &blocked), 1);
	assert_true(blocked & 1ull << (SIGTERM - 1));
	assert_true(blocked & 1ull << (SIGALRM - 1));
	assert_true(blocked & 1ull << (SIGUSR1 - 1));
}

/* One queue per pair of threads, or all in one. */
static void *ring_often(void *arg)
{
	uint32_t id = (uint32_t)(uintptr_t)arg, i;

	for (i = 0; i < NR_RINGS; i++)
		rig_ring(id);
	return NULL;
}

/* The GPU: finishes everything at once, all the time. */
static bool is_gpu_off;

static void *complete_often(void *arg)
{
	uint32_t id;

	while (!__atomic_load_n(&is_gpu_off, __ATOMIC_ACQUIRE))
		for (id = 0; id < 8; id++)
			__atomic_store_n(&rig.queues[id].rptr,
					 __atomic_load_n(&rig.queues[id].wptr, __ATOMIC_ACQUIRE),
					 __ATOMIC_RELEASE);
	return NULL;
}

/* What the daemon believes after everything was said: 1 busy, 0 idle. */
static void follow(bool *busy, uint64_t until_ns, uint32_t *nr_edges)
{
	union {
		struct wire_hdr hdr;
		struct wire_edge edge;
		struct wire_queue queue;
		uint8_t bytes[WIRE_MAX];
	} m;
	struct pollfd p = { rig.daemon, POLLIN, 0 };

	while (real_now() < until_ns) {
		poll(&p, 1, 1);
		while (recv(rig.daemon, &m, sizeof(m), MSG_DONTWAIT) > 0) {
			if (m.hdr.type == WIRE_QUEUE_ADD)
				busy[m.queue.queue_id] = m.queue.busy;
			if (m.hdr.type != WIRE_BUSY && m.hdr.type != WIRE_IDLE)
				continue;
			/* An edge is a change. */
			assert_int_equal(busy[m.edge.queue_id], m.hdr.type == WIRE_IDLE);
			busy[m.edge.queue_id] = m.hdr.type == WIRE_BUSY;
			(*nr_edges)++;
		}
	}
}

static void many_threads_ring(void **state)
{
	pthread_t threads[NR_THREADS], gpu;
	bool busy[RIG_MAX] = {};
	uint32_t i, nr_edges = 0;

	for (i = 0; i < 8; i++)
		rig_create();
	assert_true(wait_for(WIRE_HELLO));
	rig_welcome(0);
	follow(busy, real_now() + 50 * MS, &nr_edges);
	for (i = 0; i < 8; i++)
		rig_make_seen(i);
	is_gpu_off = false;
	assert_int_equal(pthread_create(&gpu, NULL, complete_often, NULL), 0);
	for (i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ring_often,
						(void *)(uintptr_t)(i % 8)), 0);
	follow(busy, real_now() + 200 * MS, &nr_edges);
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	/* Everything ends idle, and the daemon knows; waves were not seen. */
	follow(busy, real_now() + 1500 * MS, &nr_edges);
	for (i = 0; i < 8; i++) {
		assert_int_equal(rig.queues[i].wptr, NR_RINGS * NR_THREADS / 8);
		assert_false(busy[i]);
	}
	assert_true(nr_edges >= 2);
	__atomic_store_n(&is_gpu_off, true, __ATOMIC_RELEASE);
	pthread_join(gpu, NULL);
	/* One more ring of each is heard. */
	for (i = 0; i < 8; i++)
		rig_ring(i);
	follow(busy, real_now() + 20 * MS, &nr_edges);
	for (i = 0; i < 8; i++)
		assert_true(busy[i]);
}

static void child_after_a_fork_has_nothing(void **state)
{
	uint32_t id = rig_create();
	int status;
	pid_t pid;

	meet();
	pid = fork();
	if (!pid) {
		shim_forget(&shim_self);
		if (shim_self.sock != -1 || shim_self.is_started ||
		    shim_queue_find(&shim_self, id))
			_exit(1);
		/* Its own life: a queue, a thread, a connection. */
		memset(rig.queues, 0, sizeof(rig.queues));
		rig.daemon = -1;
		rig_create();
		_exit(wait_for(WIRE_HELLO) ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	/* The parent did not notice. */
	rig_write(id);
	send_order(WIRE_HOLD, 1, 10000 * MS);
	assert_true(wait_for(WIRE_DONE));
	assert_true(wait_for_percentage(id, 0));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(orders_are_carried_out),
		T(closed_descriptors_are_left_alone),
		T(stopped_daemon_holds_nothing_for_long),
		T(thread_takes_no_signals),
		T(many_threads_ring),
		T(child_after_a_fork_has_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
