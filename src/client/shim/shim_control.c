// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "client/shim/shim_control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "client/shim/shim_conn.h"
#include "client/shim/shim_detect.h"
#include "client/shim/shim_hold.h"
#include "client/shim/shim_order.h"
#include "client/shim/shim_pause.h"
#include "client/shim/shim_progress.h"
#include "client/shim/shim_queue.h"

#define MS 1000000ull
#define BACKOFF_MIN_NS (50 * MS)
#define BACKOFF_MAX_NS (2000 * MS)
/* A daemon that sends its clients away sooner than this does not want them. */
#define CALM_NS (1000 * MS)
#define AGAIN_MIN_NS (10 * MS)
#define AGAIN_MAX_NS (500 * MS)
/* A daemon that lets a client wait this long for its answer hangs. */
#define WELCOME_NS (5000 * MS)
/* Room for thread-local variables of large programs, which come out of the stack too. */
#define STACK_BYTES (256 << 10)
/* Longest time until it is noticed that the application closed a descriptor of the shim. */
#define SLEEP_MAX_NS (5000 * MS)

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void shim_control_wake_locked(struct shim *s)
{
	if (s->is_dirty)
		return;
	s->is_dirty = true;
	if (s->wake_fd[1] < 0)
		return;
	if (!shim_fd_is_ours(s->wake_fd[1], &s->wake_id) || write(s->wake_fd[1], "", 1) != 1)
		s->is_dirty = false;
}

void shim_control_tell_queue_locked(struct shim *s, const struct shim_queue *q)
{
	if (s->is_welcome)
		shim_conn_queue_locked(s, q);
}

void shim_control_tell_gone_locked(struct shim *s, const struct shim_queue *q)
{
	if (s->is_welcome)
		shim_conn_edge_locked(s, WIRE_QUEUE_REMOVE, q);
}

static void retry_later(struct shim *s, uint64_t now)
{
	s->retry_ns = now + s->backoff_ns;
	s->backoff_ns = earlier(2 * s->backoff_ns, BACKOFF_MAX_NS);
}

/* The socket is this thread's until it is shown to the others. */
static void connect_now(struct shim *s, uint64_t now)
{
	int fd = s->sys->connect();

	if (fd < 0) {
		retry_later(s, now);
		return;
	}
	fd = shim_fd_keep(fd, &s->sock_id);
	s->since_ns = now;
	s->epoch = 0;
	pthread_mutex_lock(&s->call_lock);
	pthread_mutex_lock(&s->lock);
	/* Nothing is held without a daemon; a set needs a beginning. */
	client_holds_init(&s->holds);
	s->sock = fd;
	shim_conn_hello_locked(s);
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_unlock(&s->call_lock);
}

/* Nothing stays held without a daemon. Both locks. */
static void disconnect_locked(struct shim *s, uint64_t now)
{
	struct shim_queue *q;

	if (!s->is_welcome)
		s->backoff_ns = BACKOFF_MAX_NS;
	else if (now >= s->since_ns + CALM_NS)
		s->backoff_ns = BACKOFF_MIN_NS;
	retry_later(s, now);

	shim_fd_close(s->sock, &s->sock_id);
	s->sock = -1;
	s->is_welcome = false;
	s->is_broken = false;
	client_holds_init(&s->holds);
	shim_progress_drop(s);
	/* Without a daemon no edge is told. */
	shim_queue_each(s, q) {
		shim_queue_set_busy_locked(s, q, true);
		q->look_ns = UINT64_MAX;
	}
}

static void welcome_locked(struct shim *s, const struct wire_welcome *m)
{
	struct shim_queue *q;
	uint32_t i;

	s->welcome = *m;
	shim_detect_begin_locked(s);
	shim_queue_each(s, q)
		shim_conn_queue_locked(s, q);
	for (i = 0; i < SHIM_MAX_NODES && s->lost[i]; i++)
		shim_conn_lost_locked(s, s->lost[i]);
}

/* Return: 0, or -EBADMSG: talk to it no more. Both locks are free. */
static int handle(struct shim *s, const void *data, size_t bytes)
{
	int type = shim_conn_check(data, bytes);

	if (type < 0 || type == WIRE_BYE || (type == WIRE_WELCOME) == s->is_welcome)
		return -EBADMSG;
	if (type == WIRE_WELCOME) {
		pthread_mutex_lock(&s->lock);
		welcome_locked(s, data);
		pthread_mutex_unlock(&s->lock);
		return 0;
	}
	shim_order_do(s, data);
	return 0;
}

/* Return: 0, 1 nothing there, or -errno: the connection is of no use. */
static int receive(struct shim *s)
{
	union {
		struct wire_hdr hdr;
		uint8_t bytes[WIRE_MAX + 1];
	} m;
	ssize_t n;

	if (!shim_fd_is_ours(s->sock, &s->sock_id))
		return -EBADF;
	n = recv(s->sock, &m, sizeof(m), MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 1 : -errno;
	if (!n)
		return -EPIPE;
	return handle(s, &m, (size_t)n);
}

/* Return: 0, or -errno: the connection is of no use. */
static int converse(struct shim *s, uint64_t now)
{
	int r;

	do {
		r = s->is_broken ? -EPIPE : receive(s);
	} while (!r);
	if (r > 0 && !s->is_welcome && now >= s->since_ns + WELCOME_NS)
		return -ETIMEDOUT;
	return r > 0 ? 0 : r;
}

static void keep_connection(struct shim *s, uint64_t now)
{
	int r;

	if (s->sock < 0 && now >= s->retry_ns)
		connect_now(s, now);
	if (s->sock < 0)
		return;
	r = converse(s, now);
	if (!r)
		return;
	shim_debug("daemon: %s", strerror(-r));
	pthread_mutex_lock(&s->call_lock);
	pthread_mutex_lock(&s->lock);
	disconnect_locked(s, now);
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_unlock(&s->call_lock);
}

static void end_leases(struct shim *s, uint64_t now)
{
	struct client_hold h;

	if (gp_holds_next_ns(&s->holds.set) > now)
		return;
	pthread_mutex_lock(&s->call_lock);
	pthread_mutex_lock(&s->lock);
	while (client_holds_expire(&s->holds, now, &h))
		shim_conn_note_locked(s, WIRE_NOTE_LEASE_ENDED, (uint32_t)h.hold.target.node,
				      h.hold.owner, "not renewed");
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_unlock(&s->call_lock);
}

/*
 * What an edge, an end of a lease or the loss of the daemon makes necessary. Return: when
 * to try again: a queue that the driver would not continue must not stay stopped.
 */
static uint64_t settle(struct shim *s, uint64_t now)
{
	struct shim_pause_result ignored;
	bool is_needed;

	pthread_mutex_lock(&s->call_lock);
	is_needed = shim_pause_is_needed(s);
	if (is_needed) {
		shim_pause_apply(s, 0, 0, &ignored);
		is_needed = shim_pause_is_needed(s);
	}
	pthread_mutex_unlock(&s->call_lock);
	if (!is_needed) {
		s->again_ns = 0;
		return UINT64_MAX;
	}
	s->again_ns = s->again_ns ? s->again_ns * 2 : AGAIN_MIN_NS;
	if (s->again_ns > AGAIN_MAX_NS)
		s->again_ns = AGAIN_MAX_NS;
	return now + s->again_ns;
}

static void tell_sees_locked(struct shim *s)
{
	uint32_t sees = s->sees;

	if (!s->is_welcome || sees == s->told_sees)
		return;
	s->told_sees = sees;
	shim_conn_note_locked(s, WIRE_NOTE_SEES, 0, sees, "");
}

static uint64_t next_ns(const struct shim *s, uint64_t look_ns)
{
	uint64_t next = earlier(look_ns, gp_holds_next_ns(&s->holds.set));

	if (s->sock < 0)
		return earlier(next, s->retry_ns);
	if (!s->is_welcome)
		return earlier(next, s->since_ns + WELCOME_NS);
	return next;
}

uint64_t shim_control_step(struct shim *s)
{
	uint64_t now = s->sys->now_ns();
	uint64_t look_ns, again_ns;

	pthread_mutex_lock(&s->lock);
	s->is_dirty = false;
	pthread_mutex_unlock(&s->lock);
	keep_connection(s, now);
	end_leases(s, now);
	again_ns = settle(s, now);
	pthread_mutex_lock(&s->lock);
	tell_sees_locked(s);
	look_ns = shim_detect_step_locked(s, now);
	look_ns = earlier(look_ns, shim_progress_step_locked(s, now));
	/* What a look brought about is seen in the next round. */
	if (s->is_dirty || s->is_broken)
		look_ns = now;
	pthread_mutex_unlock(&s->lock);
	return next_ns(s, earlier(look_ns, again_ns));
}

static int open_wake(struct shim *s)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	s->wake_fd[0] = shim_fd_keep(fds[0], &s->wake_id);
	s->wake_fd[1] = shim_fd_keep(fds[1], &s->wake_id);
	return 0;
}

/* A pipe that the application closed is made anew; without one the thread wakes late. */
static void keep_wake(struct shim *s)
{
	if (shim_fd_is_ours(s->wake_fd[0], &s->wake_id) &&
	    shim_fd_is_ours(s->wake_fd[1], &s->wake_id))
		return;
	pthread_mutex_lock(&s->lock);
	shim_fd_close(s->wake_fd[0], &s->wake_id);
	shim_fd_close(s->wake_fd[1], &s->wake_id);
	s->wake_fd[0] = s->wake_fd[1] = -1;
	if (open_wake(s))
		shim_debug("nothing to be woken by");
	pthread_mutex_unlock(&s->lock);
}

static void sleep_until(struct shim *s, uint64_t until_ns)
{
	struct pollfd fds[2] = {
		{ .fd = s->wake_fd[0], .events = POLLIN },
		{ .fd = s->sock, .events = POLLIN },
	};
	uint64_t now = s->sys->now_ns();
	uint64_t wait = until_ns > now ? until_ns - now : 0;
	struct timespec t;
	char bytes[16];

	if (wait > SLEEP_MAX_NS)
		wait = SLEEP_MAX_NS;
	t = (struct timespec){ .tv_sec = (time_t)(wait / 1000000000),
			       .tv_nsec = (long)(wait % 1000000000) };
	if (ppoll(fds, 2, &t, NULL) <= 0 || !fds[0].revents)
		return;
	if (shim_fd_is_ours(s->wake_fd[0], &s->wake_id))
		while (read(s->wake_fd[0], bytes, sizeof(bytes)) == sizeof(bytes))
			;
}

static void *run(void *arg)
{
	struct shim *s = arg;
	uint64_t next;

	pthread_setname_np(pthread_self(), "gpreempt");
	while (!__atomic_load_n(&s->is_stopping, __ATOMIC_ACQUIRE)) {
		next = shim_control_step(s);
		keep_wake(s);
		sleep_until(s, next);
	}
	return NULL;
}

static int start_thread(struct shim *s)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&s->thread, &attr, run, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return -r;
}

/* The application's own if there is no other: it may have given up the right to open one. */
int shim_control_kfd(struct shim *s)
{
	int fd;

	if (s->kfd >= 0 && shim_fd_is_ours(s->kfd, &s->kfd_id))
		return s->kfd;
	fd = s->sys->open_kfd();
	s->kfd = fd < 0 ? -1 : shim_fd_keep(fd, &s->kfd_id);
	return fd < 0 ? s->their_kfd : s->kfd;
}

void shim_control_start(struct shim *s, int fd)
{
	int before = errno;

	pthread_mutex_lock(&s->call_lock);
	s->their_kfd = fd;
	if (!s->is_started) {
		s->is_started = true;
		shim_control_kfd(s);
		s->backoff_ns = BACKOFF_MIN_NS;
		if (!open_wake(s) && start_thread(s))
			shim_debug("no thread");
	}
	pthread_mutex_unlock(&s->call_lock);
	errno = before;
}

void shim_control_stop(struct shim *s)
{
	if (!s->is_started)
		return;
	__atomic_store_n(&s->is_stopping, true, __ATOMIC_RELEASE);
	if (write(s->wake_fd[1], "", 1) == 1)
		pthread_join(s->thread, NULL);
}
