// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "client/shim/shim_guard.h"

#include <errno.h>

void gp_guard_begin(struct gp_guard *g)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &g->mask);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &g->cancel);
}

void gp_guard_end(const struct gp_guard *g)
{
	pthread_setcancelstate(g->cancel, NULL);
	pthread_sigmask(SIG_SETMASK, &g->mask, NULL);
}

void gp_guard_lock(struct gp_shim *s, struct gp_guard *g)
{
	g->error = errno;
	gp_guard_begin(g);
	pthread_mutex_lock(&s->lock);
}

void gp_guard_unlock(struct gp_shim *s, const struct gp_guard *g)
{
	pthread_mutex_unlock(&s->lock);
	gp_guard_end(g);
	errno = g->error;
}
