// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "client/shim/shim_guard.h"

#include <errno.h>

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
