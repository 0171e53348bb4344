// SPDX-License-Identifier: MIT
/*
 * A process that keeps its own queues off the GPU: one count for the process, whatever
 * threads and libraries call. The hold has a short lease, which a thread renews. So the
 * hold ends soon if the process cannot run, and a daemon that was restarted is told anew.
 */
#define _GNU_SOURCE
#include "lib/lib_handle.h"
#include "lib/lib_module.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#define LEASE_MS 10000u
#define RENEW_S 3

static struct {
	pthread_mutex_t lock;
	pthread_cond_t begun;	 /* a hold has begun */
	bool is_ready;		 /* forks are watched and the thread runs */
	int depth;		 /* holds that are not released */
	bool is_module;		 /* the module holds, else the daemon */
	int module;		 /* its device, -1 = closed */
	struct gpreempt *daemon; /* NULL = closed */
} self = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.begun = PTHREAD_COND_INITIALIZER,
	.module = -1,
};

/* A child has no such queues and no thread; its copies must not keep the hold alive. */
static void forget_in_child(void)
{
	if (self.module >= 0)
		close(self.module);
	if (self.daemon && self.daemon->conn.fd >= 0)
		close(self.daemon->conn.fd);
	pthread_mutex_init(&self.lock, NULL);
	pthread_cond_init(&self.begun, NULL);
	self.is_ready = false;
	self.depth = 0;
	self.module = -1;
	self.daemon = NULL;
}

/* The number that the kernel knows it by, in its own namespace. */
static struct gpreempt_ref myself(void)
{
	return (struct gpreempt_ref){ .pid = (uint32_t)getpid(), .queue_id = GPREEMPT_QUEUE_ALL };
}

static int hold_by_daemon(void)
{
	const uint64_t lease_ns = LEASE_MS * 1000000ull;
	bool is_kept = self.daemon;
	int ret = is_kept ? 0 : gpreempt_open(&self.daemon, GPREEMPT_OPEN_DAEMON, NULL);

	if (!ret)
		ret = lib_order_self(self.daemon, true, lease_ns);
	/* A daemon that was restarted has closed it; asked again, the handle connects again. */
	if (ret == -EPIPE && is_kept)
		ret = lib_order_self(self.daemon, true, lease_ns);
	/* It is not there, or an older one that knows processes by their number alone. */
	if (ret == -ENOENT || ret == -ECONNREFUSED || ret == -EINVAL)
		return -EOPNOTSUPP;
	return ret;
}

static int hold_by_module(void)
{
	struct gpreempt_ref ref = myself();

	return lib_module_order(&self.module, &ref, LEASE_MS);
}

/* The module is asked first: that is a call into the kernel, and needs no other process. */
static int hold(unsigned int flags)
{
	int ret = flags & GPREEMPT_OPEN_DAEMON ? -EOPNOTSUPP : hold_by_module();

	self.is_module = !ret;
	if (ret == -EOPNOTSUPP && !(flags & GPREEMPT_OPEN_DIRECT))
		ret = hold_by_daemon();
	return ret;
}

/* What hangs on the descriptors ends with them. */
static void hang_up(void)
{
	if (self.module >= 0)
		close(self.module);
	gpreempt_close(self.daemon);
	self.module = -1;
	self.daemon = NULL;
}

static void release(void)
{
	struct gpreempt_ref ref = myself();

	if (self.is_module ? lib_module_order(&self.module, &ref, 0) :
			     lib_order_self(self.daemon, false, 0))
		hang_up();
}

/* A failure is not the end: the daemon may just be starting. */
static void *renew(void *unused)
{
	const struct timespec pause = { .tv_sec = RENEW_S };

	pthread_mutex_lock(&self.lock);
	for (;;) {
		while (!self.depth)
			pthread_cond_wait(&self.begun, &self.lock);
		pthread_mutex_unlock(&self.lock);
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&self.lock);
		if (self.depth && self.is_module)
			hold_by_module();
		else if (self.depth)
			hold_by_daemon();
	}
	return unused;
}

/* Once in a process; no signal of the program is handled in the thread. */
static int get_ready(void)
{
	static bool is_watched;
	sigset_t all, before;
	pthread_t thread;
	int ret = is_watched ? 0 : pthread_atfork(NULL, NULL, forget_in_child);

	if (ret)
		return -ret;
	is_watched = true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&thread, NULL, renew, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!ret)
		pthread_detach(thread);
	self.is_ready = !ret;
	return -ret;
}

/* One of its GPUs may be held when another fails. */
static int hold_first(unsigned int flags)
{
	int ret = self.is_ready ? 0 : get_ready();

	if (!ret)
		ret = hold(flags);
	if (ret)
		hang_up();
	return ret;
}

int gpreempt_self_hold(unsigned int flags)
{
	const unsigned int both = GPREEMPT_OPEN_DAEMON | GPREEMPT_OPEN_DIRECT;
	int ret = 0;

	if ((flags & ~both) || flags == both)
		return -EINVAL;
	pthread_mutex_lock(&self.lock);
	if (!self.depth)
		ret = hold_first(flags);
	if (!ret)
		ret = ++self.depth;
	pthread_cond_signal(&self.begun);
	pthread_mutex_unlock(&self.lock);
	return ret;
}

int gpreempt_self_release(void)
{
	int ret = -EINVAL;

	pthread_mutex_lock(&self.lock);
	if (self.depth)
		ret = --self.depth;
	if (!ret)
		release();
	pthread_mutex_unlock(&self.lock);
	return ret;
}
