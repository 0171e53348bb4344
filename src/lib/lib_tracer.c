// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "lib/lib_tracer.h"

#include "client/client_tracer.h"
#include "client/wire_decode.h"
#include "lib/lib_conn.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Edges are not wanted here: the tracer need not look for them. */
#define POLL_NS 3600000000000ull

/* A message, or -errno; -EAGAIN there is none in time. */
static int receive(struct lib_tracer_link *t, union wire_said *m, uint64_t deadline_ns)
{
	_Alignas(8) char buf[WIRE_MAX];
	const char *why;
	ssize_t n;

	lib_wait(t->fd, POLLIN, deadline_ns);
	n = recv(t->fd, buf, WIRE_MAX, MSG_DONTWAIT | MSG_TRUNC);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? -EAGAIN : -EPIPE;
	if (!n)
		return -EPIPE;
	return n > WIRE_MAX || wire_decode(buf, (size_t)n, m, &why) ? -EPROTO : 0;
}

static void add_queue(struct lib_tracer_link *t, const struct wire_queue *m)
{
	void *mem = realloc(t->queues, (t->nr_queues + 1) * sizeof(*t->queues));

	if (!mem)
		return;
	t->queues = mem;
	t->queues[t->nr_queues++] = (struct drv_kfd_queue_entry){
		.ring_addr = m->ring_addr, .wptr_addr = m->wptr_addr, .rptr_addr = m->rptr_addr,
		.queue_id = m->queue_id, .gpu_id = m->gpu_id, .type = m->type,
		.ring_bytes = (uint32_t)m->ring_bytes,
	};
}

static void remove_queue(struct lib_tracer_link *t, const struct wire_edge *m)
{
	for (size_t i = 0; i < t->nr_queues; i++) {
		if (t->queues[i].queue_id == m->queue_id && t->queues[i].gpu_id == m->gpu_id)
			t->queues[i--] = t->queues[--t->nr_queues];
	}
}

/* What every message changes. 1 = it says that the target cannot be had. */
static int take_in(struct lib_tracer_link *t, const union wire_said *m)
{
	struct wire_order all = { .queue_id = WIRE_QUEUE_ALL, .holder = WIRE_HOLDER_MANUAL };
	const struct wire_note *note = &m->note;

	switch (m->hdr.type) {
	case WIRE_QUEUE_ADD:
		add_queue(t, &m->queue);
		break;
	case WIRE_QUEUE_REMOVE:
		remove_queue(t, &m->edge);
		break;
	case WIRE_NOTE:
		/* Which of the node's queues it was is not said. */
		all.gpu_id = note->gpu_id;
		if (note->code == WIRE_NOTE_LEASE_ENDED)
			client_holds_clear(&t->held, &all);
		if (note->code != WIRE_NOTE_REFUSED)
			break;
		snprintf(t->reason, sizeof(t->reason), "%s", note->text);
		return 1;
	}
	return 0;
}

static void hang_up(struct lib_tracer_link *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
	client_holds_init(&t->held);
	t->nr_queues = 0;
}

static int wait_attached(struct lib_tracer_link *t, uint64_t deadline_ns)
{
	union wire_said m;
	const struct wire_note *note = &m.note;
	struct wire_welcome welcome = { .client = 1, .poll_ns = POLL_NS };
	int ret;

	while (!(ret = receive(t, &m, deadline_ns))) {
		if (m.hdr.type == WIRE_HELLO)
			ret = wire_send(t->fd, &welcome.hdr, WIRE_WELCOME, sizeof(welcome),
					lib_now_ns());
		if (ret)
			break;
		if (take_in(t, &m))
			return note->value && note->value < 4096 ? -(int)note->value : -EIO;
		if (m.hdr.type == WIRE_NOTE && note->code == WIRE_NOTE_SEES)
			return 0;
	}
	return ret == -EAGAIN ? -ETIMEDOUT : ret;
}

int lib_tracer_start(struct lib_tracer_link *t, const char *program, uint32_t pid,
		     uint64_t deadline_ns)
{
	int fd[2];
	int ret;

	memset(t, 0, sizeof(*t));
	client_holds_init(&t->held);
	t->fd = -1;
	t->pid = pid;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd))
		return -errno;
	t->fd = fd[0];
	ret = client_tracer_spawn(program, (pid_t)pid, fd[1], false, &t->child);
	close(fd[1]);
	if (ret)
		t->child = 0;
	else
		ret = wait_attached(t, deadline_ns);
	if (ret)
		hang_up(t);
	return ret;
}

static int result_of(const struct wire_done *d)
{
	return d->result == WIRE_OK	  ? 0 :
	       d->result == WIRE_GONE	  ? -ESRCH :
	       d->result == WIRE_BUSY_NOW ? -EBUSY : -EIO;
}

/* Orders are answered one by one, in order. */
static int wait_done(struct lib_tracer_link *t, uint64_t deadline_ns)
{
	union wire_said m;
	int ret;

	while (!(ret = receive(t, &m, deadline_ns))) {
		if (take_in(t, &m))
			ret = -EPIPE;
		if (m.hdr.type == WIRE_DONE && m.done.epoch == t->epoch)
			return result_of(&m.done);
		if (ret)
			break;
	}
	if (ret != -EAGAIN)
		hang_up(t);
	return ret == -EAGAIN ? -ETIMEDOUT : ret;
}

/* A hold takes the place of those that it renews; one of all queues, of all on its node. */
static bool has_room(const struct lib_tracer_link *t, uint32_t gpu_id, uint32_t queue_id)
{
	return gp_holds_nr(&t->held.set) < CLIENT_HOLDS ||
	       client_holds_covers(&t->held, gpu_id, queue_id) ||
	       (queue_id == WIRE_QUEUE_ALL && gp_holds_first_on(&t->held.set, 0, gpu_id));
}

int lib_tracer_order(struct lib_tracer_link *t, enum wire_type type, uint32_t gpu_id,
		     uint32_t queue_id, uint64_t lease_ns, uint64_t deadline_ns)
{
	struct wire_order order = {
		.epoch = ++t->epoch, .gpu_id = gpu_id, .queue_id = queue_id,
		.holder = WIRE_HOLDER_MANUAL, .lease_ns = lease_ns,
	};
	int ret;

	/* What it let go by itself needs no room. */
	lib_tracer_catch_up(t);
	if (t->fd < 0)
		return -EPIPE;
	if (type == WIRE_HOLD && !has_room(t, gpu_id, queue_id))
		return -ENOSPC;
	ret = wire_send(t->fd, &order.hdr, (uint16_t)type, sizeof(order), lib_now_ns());
	if (ret)
		hang_up(t);
	else
		ret = wait_done(t, deadline_ns);
	if (ret)
		return ret;
	if (type == WIRE_RELEASE || queue_id == WIRE_QUEUE_ALL)
		client_holds_clear(&t->held, &order);
	if (type == WIRE_HOLD)
		client_holds_set(&t->held, &order, GP_HOLD_FOREVER);
	return 0;
}

void lib_tracer_catch_up(struct lib_tracer_link *t)
{
	union wire_said m;
	int ret = 0;

	while (t->fd >= 0 && !ret) {
		ret = receive(t, &m, 0);
		if (!ret && take_in(t, &m))
			ret = -EPIPE;
		if (ret && ret != -EAGAIN)
			hang_up(t);
	}
}

bool lib_tracer_is_over(struct lib_tracer_link *t)
{
	if (t->fd >= 0)
		return false;
	/* -1: the program has reaped it itself. */
	if (t->child && waitpid(t->child, NULL, WNOHANG))
		t->child = 0;
	return !t->child;
}

static void wait_over(struct lib_tracer_link *const *list, size_t nr, uint64_t deadline_ns)
{
	struct timespec ms = { .tv_nsec = 1000000 };

	for (size_t i = 0; i < nr; i++) {
		while (!lib_tracer_is_over(list[i]) && lib_now_ns() < deadline_ns)
			nanosleep(&ms, NULL);
	}
}

void lib_tracer_stop(struct lib_tracer_link *const *list, size_t nr, uint64_t deadline_ns)
{
	uint64_t now = lib_now_ns();

	for (size_t i = 0; i < nr; i++)
		hang_up(list[i]);
	wait_over(list, nr, deadline_ns > now ? now + (deadline_ns - now) / 2 : 0);
	for (size_t i = 0; i < nr; i++) {
		if (list[i]->child)
			kill(list[i]->child, SIGKILL);
	}
	/* One that sleeps in the driver does not end now: it is left. */
	wait_over(list, nr, deadline_ns);
	for (size_t i = 0; i < nr; i++) {
		free(list[i]->queues);
		list[i]->queues = NULL;
		list[i]->child = 0;
	}
}
