// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "client/shim/shim.h"

#include <errno.h>
#include <string.h>

static void clear(struct shim *s, const struct shim_sys *sys, uint32_t sees)
{
	/* Most of the table was never touched; do not touch it now. */
	memset(s->queues, 0, s->nr_queues * sizeof(s->queues[0]));
	memset(&s->nr_queues, 0, sizeof(*s) - offsetof(struct shim, nr_queues));
	client_holds_init(&s->holds);
	s->sys = sys;
	s->kfd = -1;
	s->their_kfd = -1;
	s->wake_fd[0] = s->wake_fd[1] = -1;
	s->sock = -1;
	s->dbg_pipe[0] = s->dbg_pipe[1] = -1;
	s->sees = sees;
	pthread_mutex_init(&s->call_lock, NULL);
	pthread_mutex_init(&s->lock, NULL);
}

void shim_init(struct shim *s, const struct shim_sys *sys)
{
	memset(s, 0, sizeof(*s));
	clear(s, sys, WIRE_SEES_IOCTL);
}

void shim_forget(struct shim *s)
{
	uint32_t slot;

	shim_fd_close(s->sock, &s->sock_id);
	shim_fd_close(s->wake_fd[0], &s->wake_id);
	shim_fd_close(s->wake_fd[1], &s->wake_id);
	shim_fd_close(s->dbg_pipe[0], &s->dbg_pipe_id);
	shim_fd_close(s->dbg_pipe[1], &s->dbg_pipe_id);
	shim_fd_close(s->kfd, &s->kfd_id);
	for (slot = 0; slot < SHIM_NR_SLOTS; slot++)
		if (shim_slots[slot])
			shim_slots[slot] = 0;
	clear(s, s->sys, s->sees & (WIRE_SEES_IOCTL | WIRE_SEES_TABLE));
}

void shim_lock_both(struct shim *s)
{
	pthread_mutex_lock(&s->call_lock);
	pthread_mutex_lock(&s->lock);
}

void shim_unlock_both(struct shim *s)
{
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_unlock(&s->call_lock);
}

void shim_guard_begin(struct shim_guard *g)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &g->mask);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &g->cancel);
}

void shim_guard_end(const struct shim_guard *g)
{
	pthread_setcancelstate(g->cancel, NULL);
	pthread_sigmask(SIG_SETMASK, &g->mask, NULL);
}

void shim_guard_lock(struct shim *s, struct shim_guard *g)
{
	g->error = errno;
	shim_guard_begin(g);
	pthread_mutex_lock(&s->lock);
}

void shim_guard_unlock(struct shim *s, const struct shim_guard *g)
{
	pthread_mutex_unlock(&s->lock);
	shim_guard_end(g);
	errno = g->error;
}
