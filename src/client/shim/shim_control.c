// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "client/shim/shim_part.h"

#define MS 1000000ull
#define AGAIN_MIN_NS (10 * MS)
#define AGAIN_MAX_NS (500 * MS)
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

static void end_leases(struct shim *s, uint64_t now)
{
	struct client_hold h;

	if (gp_holds_next_ns(&s->holds.set) > now)
		return;
	shim_lock_both(s);
	while (client_holds_expire(&s->holds, now, &h))
		shim_conn_note_locked(s, WIRE_NOTE_LEASE_ENDED, (uint32_t)h.hold.target.node,
				      h.hold.owner, "not renewed");
	shim_unlock_both(s);
}

/*
 * What an edge, an end of a lease or the loss of the daemon makes necessary. Return: when
 * to try again: a queue that the driver would not continue must not stay stopped.
 */
static uint64_t settle(struct shim *s, uint64_t now)
{
	struct wire_done ignored = {};
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
	s->again_ns = s->again_ns ? earlier(s->again_ns * 2, AGAIN_MAX_NS) : AGAIN_MIN_NS;
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

uint64_t shim_control_step(struct shim *s)
{
	uint64_t now = s->sys->now_ns();
	uint64_t next;

	pthread_mutex_lock(&s->lock);
	s->is_dirty = false;
	pthread_mutex_unlock(&s->lock);
	shim_conn_step(s, now);
	end_leases(s, now);
	next = settle(s, now);
	pthread_mutex_lock(&s->lock);
	tell_sees_locked(s);
	next = earlier(next, shim_detect_step_locked(s, now));
	next = earlier(next, shim_progress_step_locked(s, now));
	/* What a look brought about is seen in the next round. */
	if (s->is_dirty || s->is_broken)
		next = now;
	pthread_mutex_unlock(&s->lock);
	next = earlier(next, gp_holds_next_ns(&s->holds.set));
	return earlier(next, shim_conn_next_ns(s));
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
	uint64_t wait = until_ns > now ? earlier(until_ns - now, SLEEP_MAX_NS) : 0;
	struct timespec t = { (time_t)(wait / 1000000000), (long)(wait % 1000000000) };
	char bytes[16];

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
		s->backoff_ns = SHIM_CONN_BACKOFF_MIN_NS;
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
