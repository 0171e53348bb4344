// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client/shim/shim_part.h"
#include "client/shim/shim_queue.h"
#include "client/shim/shim_sys.h"
#include "rules/text.h"
#include "driver/environ.h"

#define MS 1000000ull
#define BACKOFF_MAX_NS (2000 * MS)
/* A daemon that sends its clients away sooner than this does not want them. */
#define CALM_NS (1000 * MS)
/* A daemon that lets a client wait this long for its answer hangs. */
#define WELCOME_NS (5000 * MS)

static void send_locked(struct shim *s, struct wire_hdr *hdr, uint16_t type, size_t bytes)
{
	if (s->sock < 0 || s->is_broken)
		return;
	if (!shim_fd_is_ours(s->sock, &s->sock_id) ||
	    wire_send(s->sock, hdr, type, bytes, s->sys->now_ns()))
		s->is_broken = true;
}

/* 0 if the variable is not there or no number. */
static uint64_t number(const char *variable)
{
	const char *text = shim_env(variable);
	u64 value = 0;

	if (text)
		gp_text_read_u64(text, 0, U64_MAX, &value);
	return value;
}

static void name(char *out, const char *text)
{
	snprintf(out, WIRE_NAME_LEN, "%s", text ? text : "");
}

static void fill_wishes(struct wire_hello *m)
{
	const char *prio = shim_env(DRV_ENV_PRIORITY);
	uint64_t value = number(DRV_ENV_PRIORITY);

	m->prio = WIRE_PRIO_UNSET;
	if (prio && value <= GP_PRIO_MAX && (value || !strcmp(prio, "0")))
		m->prio = (uint8_t)value;
	value = number(DRV_ENV_WEIGHT);
	m->weight = value <= UINT32_MAX ? (uint32_t)value : 0;
	m->slice_ns = number(DRV_ENV_SLICE_NS);
	m->deadline_ns = number(DRV_ENV_DEADLINE_NS);
	if (number(DRV_ENV_LATENCY_CRITICAL))
		m->attr_flags |= WIRE_ATTR_LATENCY_CRITICAL;
	name(m->klass, shim_env(DRV_ENV_CLASS));
	name(m->group, shim_env(DRV_ENV_GROUP));
}

static void hello_locked(struct shim *s)
{
	struct wire_hello m = {
		.version = WIRE_VERSION,
		.mech = WIRE_MECH_SHIM,
		.pid = (uint32_t)getpid(),
		.sees = s->sees,
	};

	fill_wishes(&m);
	name(m.comm, program_invocation_short_name);
	send_locked(s, &m.hdr, WIRE_HELLO, sizeof(m));
	s->told_sees = m.sees;
}

void shim_conn_queue_locked(struct shim *s, const struct shim_queue *q)
{
	struct wire_queue m = {
		.gpu_id = q->gpu_id,
		.queue_id = q->queue_id,
		.type = q->type,
		.prio = (uint8_t)q->wish.queue_priority,
		.busy = drv_kfd_is_compute(q->type) && q->is_busy,
		.ring_addr = q->wish.ring_base_address,
		.ring_bytes = q->wish.ring_size,
		.rptr_addr = q->rptr_addr,
		.wptr_addr = q->wptr_addr,
	};

	send_locked(s, &m.hdr, WIRE_QUEUE_ADD, sizeof(m));
}

void shim_conn_edge_locked(struct shim *s, uint16_t type, const struct shim_queue *q)
{
	struct wire_edge m = { .gpu_id = q->gpu_id, .queue_id = q->queue_id };

	send_locked(s, &m.hdr, type, sizeof(m));
}

void shim_conn_progress_locked(struct shim *s, const struct shim_queue *q, uint64_t since_ns)
{
	struct wire_progress m = {
		.gpu_id = q->gpu_id,
		.queue_id = q->queue_id,
		.since_ns = since_ns,
	};

	send_locked(s, &m.hdr, WIRE_PROGRESS, sizeof(m));
}

void shim_conn_note_locked(struct shim *s, uint32_t code, uint32_t gpu_id, uint64_t value,
			   const char *text)
{
	struct wire_note m = { .code = code, .gpu_id = gpu_id, .value = value };

	snprintf(m.text, sizeof(m.text), "%s", text);
	send_locked(s, &m.hdr, WIRE_NOTE, sizeof(m));
}

void shim_conn_lost_locked(struct shim *s, uint32_t gpu_id)
{
	shim_conn_note_locked(s, WIRE_NOTE_RESET, gpu_id, 0, "a queue was reset");
}

static void retry_later(struct shim *s, uint64_t now)
{
	s->retry_ns = now + s->backoff_ns;
	s->backoff_ns = 2 * s->backoff_ns < BACKOFF_MAX_NS ? 2 * s->backoff_ns : BACKOFF_MAX_NS;
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
	shim_lock_both(s);
	/* Nothing is held without a daemon; a set needs a beginning. */
	client_holds_init(&s->holds);
	s->sock = fd;
	hello_locked(s);
	shim_unlock_both(s);
}

/* Nothing stays held without a daemon, and no edge is told. Both locks. */
static void disconnect_locked(struct shim *s, uint64_t now)
{
	struct shim_queue *q;

	if (!s->is_welcome)
		s->backoff_ns = BACKOFF_MAX_NS;
	else if (now >= s->since_ns + CALM_NS)
		s->backoff_ns = SHIM_CONN_BACKOFF_MIN_NS;
	retry_later(s, now);

	shim_fd_close(s->sock, &s->sock_id);
	s->sock = -1;
	s->is_welcome = false;
	s->is_broken = false;
	client_holds_init(&s->holds);
	memset(s->progress, 0, sizeof(s->progress));
	shim_queue_each(s, q) {
		shim_queue_set_busy_locked(s, q, true);
		q->look_ns = UINT64_MAX;
	}
}

static void welcome(struct shim *s, const struct wire_welcome *m)
{
	struct shim_queue *q;
	uint32_t i;

	pthread_mutex_lock(&s->lock);
	s->welcome = *m;
	shim_detect_begin_locked(s);
	shim_queue_each(s, q)
		shim_conn_queue_locked(s, q);
	for (i = 0; i < SHIM_MAX_NODES && s->lost[i]; i++)
		shim_conn_lost_locked(s, s->lost[i]);
	pthread_mutex_unlock(&s->lock);
}

static bool is_gone(struct shim *s, const struct wire_order *o)
{
	const struct shim_queue *q = shim_queue_find(s, o->queue_id);

	return o->queue_id != WIRE_QUEUE_ALL && (!q || q->gpu_id != o->gpu_id);
}

/* Return: 0 or errno. Both locks. */
static int set_level_locked(struct shim *s, const struct wire_order *o)
{
	if (is_gone(s, o))
		return ESRCH;
	if (o->hdr.type == WIRE_HOLD && shim_pause_is_lost(s, o->gpu_id))
		return EACCES;
	if (o->hdr.type == WIRE_HOLD)
		return -client_holds_set(&s->holds, o, s->sys->now_ns());
	shim_progress_expect_locked(s, o->gpu_id);
	return -client_holds_clear(&s->holds, o);
}

static void renew(struct shim *s, const struct wire_order *o)
{
	shim_lock_both(s);
	client_holds_renew(&s->holds, o, s->sys->now_ns());
	shim_unlock_both(s);
}

static void carry_out(struct shim *s, const struct wire_order *o)
{
	struct wire_done done = { .epoch = o->epoch, .gpu_id = o->gpu_id };
	uint64_t start = s->sys->now_ns();
	int error;

	if (!client_holds_is_new(&s->holds, o))
		return;
	shim_lock_both(s);
	error = set_level_locked(s, o);
	pthread_mutex_unlock(&s->lock);
	wire_worsen(&done, error);
	if (!error)
		shim_pause_apply(s, o->gpu_id, o->grace, &done);
	pthread_mutex_unlock(&s->call_lock);
	done.took_ns = s->sys->now_ns() - start;
	pthread_mutex_lock(&s->lock);
	send_locked(s, &done.hdr, WIRE_DONE, sizeof(done));
	pthread_mutex_unlock(&s->lock);
}

/* Return: the type of the message, 0 nothing there, or -errno: talk to it no more. */
static int take_message(struct shim *s)
{
	union wire_message m;
	int type;

	if (s->is_broken)
		return -EPIPE;
	if (!shim_fd_is_ours(s->sock, &s->sock_id))
		return -EBADF;
	type = wire_receive(s->sock, &m);
	if (type <= 0)
		return type;
	if (type == WIRE_BYE || (type == WIRE_WELCOME) == s->is_welcome)
		return -EBADMSG;
	if (type == WIRE_WELCOME)
		welcome(s, &m.welcome);
	else if (type == WIRE_RENEW)
		renew(s, &m.order);
	else
		carry_out(s, &m.order);
	return type;
}

void shim_conn_step(struct shim *s, uint64_t now)
{
	int r;

	if (s->sock < 0 && now >= s->retry_ns)
		connect_now(s, now);
	if (s->sock < 0)
		return;
	do {
		r = take_message(s);
	} while (r > 0);
	if (!r && !s->is_welcome && now >= s->since_ns + WELCOME_NS)
		r = -ETIMEDOUT;
	if (!r)
		return;
	shim_debug("daemon: %s", strerror(-r));
	shim_lock_both(s);
	disconnect_locked(s, now);
	shim_unlock_both(s);
}

uint64_t shim_conn_next_ns(const struct shim *s)
{
	if (s->sock < 0)
		return s->retry_ns;
	return s->is_welcome ? UINT64_MAX : s->since_ns + WELCOME_NS;
}
