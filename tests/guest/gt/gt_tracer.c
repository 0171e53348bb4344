// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NS_PER_MS 1000000ull
#define LEASE_NS (1000 * NS_PER_MS)

/* Waits for the end of a process. Return: exit code, 128 + signal, -ETIMEDOUT. */
static int wait_end(pid_t pid, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);
	int status;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (gt_now_ns() > end)
			return -ETIMEDOUT;
		gt_sleep_us(2000);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void socket_pair(int fds[2])
{
	GT_CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), "%s",
		 strerror(errno));
}

void gt_tracer_start(struct gt_tracer *r, pid_t target, uid_t uid)
{
	struct wire_welcome w = {
		.hdr = { WIRE_MAGIC, WIRE_WELCOME, sizeof(w), 0 },
		.client = 1,
		.lease_ns = LEASE_NS,
		.poll_ns = NS_PER_MS,
		.quiet_ns = NS_PER_MS,
	};
	struct wire_hello hello;
	char arg[16];
	int fds[2];

	memset(r, 0, sizeof(*r));
	r->queue_id = WIRE_QUEUE_ALL;
	if (access(GT_TRACER_PATH, X_OK))
		gt_skip("no " GT_TRACER_PATH);
	socket_pair(fds);
	snprintf(arg, sizeof(arg), "%d", target);
	r->pid = fork();
	if (!r->pid) {
		if (setuid(uid) || dup2(fds[1], 3) != 3)
			_exit(99);
		if (fds[1] == 3)
			fcntl(3, F_SETFD, 0);
		execl(GT_TRACER_PATH, "gpreempt-tracer", arg, NULL);
		_exit(98);
	}
	close(fds[1]);
	r->sock = fds[0];
	GT_CHECK(recv(r->sock, &hello, sizeof(hello), 0) == sizeof(hello), "no hello");
	GT_CHECK(hello.hdr.type == WIRE_HELLO && hello.mech == WIRE_MECH_DBG &&
		 hello.pid == (uint32_t)target, "wrong hello");
	GT_CHECK(send(r->sock, &w, sizeof(w), MSG_NOSIGNAL) == sizeof(w), "%s", strerror(errno));
}

static void take_note(struct gt_tracer *r, const struct wire_note *n)
{
	GT_CHECK(n->code < 8, "note %u", n->code);
	r->notes[n->code]++;
	r->note_value = n->value;
	if (n->code == WIRE_NOTE_REFUSED || n->code == WIRE_NOTE_NO_PROGRESS)
		gt_note("tracer: %s (%lu)", n->text, n->value);
}

/* Return: type of a message, 0 if there was none in time or the tracer is gone. */
static int take(struct gt_tracer *r, void *buf, unsigned int ms)
{
	struct pollfd fd = { .fd = r->sock, .events = POLLIN };
	const struct wire_hdr *h = buf;
	ssize_t n;

	if (poll(&fd, 1, ms) != 1)
		return 0;
	n = recv(r->sock, buf, WIRE_MAX, 0);
	if (n <= 0) {
		r->is_over = true;
		return 0;
	}
	GT_CHECK(h->magic == WIRE_MAGIC && h->size == n, "message of %zd", n);
	if (h->type == WIRE_QUEUE_ADD) {
		r->nr_queues++;
		r->gpu_id = ((struct wire_queue *)buf)->gpu_id;
	}
	r->nr_queues -= h->type == WIRE_QUEUE_REMOVE;
	r->nr_busy += h->type == WIRE_BUSY;
	r->nr_idle += h->type == WIRE_IDLE;
	if (h->type == WIRE_NOTE)
		take_note(r, buf);
	return h->type;
}

static unsigned int left_ms(uint64_t end)
{
	uint64_t now = gt_now_ns();

	return now < end ? (end - now) / NS_PER_MS + 1 : 0;
}

void gt_tracer_listen(struct gt_tracer *r, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);
	_Alignas(8) char buf[WIRE_MAX];

	while (!r->is_over && left_ms(end))
		take(r, buf, left_ms(end));
}

int gt_tracer_wait_note(struct gt_tracer *r, enum wire_note_code code, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);
	_Alignas(8) char buf[WIRE_MAX];
	int before = r->notes[code];

	while (r->notes[code] == before) {
		if (r->is_over || !left_ms(end))
			return -ETIMEDOUT;
		take(r, buf, left_ms(end));
	}
	return 0;
}

void gt_tracer_attach(struct gt_tracer *r, const struct gt_target *t)
{
	gt_tracer_start(r, t->pid, 0);
	GT_CHECK(!gt_tracer_wait_note(r, WIRE_NOTE_SEES, 5000), "not attached");
	GT_CHECK(r->note_value == (WIRE_SEES_SNAPSHOT | WIRE_SEES_POINTERS), "sees %lx",
		 r->note_value);
	GT_CHECK(r->nr_queues >= 1, "no queues");
}

void gt_tracer_order(struct gt_tracer *r, enum wire_type type, uint64_t lease_ns)
{
	struct wire_order o = {
		.hdr = { WIRE_MAGIC, type, sizeof(o), gt_now_ns() },
		.gpu_id = r->gpu_id,
		.queue_id = r->queue_id,
		.holder = r->holder,
		.lease_ns = lease_ns,
	};

	o.epoch = type == WIRE_RENEW ? r->epoch : ++r->epoch;
	GT_CHECK(send(r->sock, &o, sizeof(o), MSG_NOSIGNAL) == sizeof(o), "%s", strerror(errno));
}

struct wire_done gt_tracer_do(struct gt_tracer *r, enum wire_type type, uint64_t lease_ns)
{
	uint64_t end = gt_deadline_ns(5000);
	_Alignas(8) char buf[WIRE_MAX];
	struct wire_done done;

	gt_tracer_order(r, type, lease_ns);
	while (take(r, buf, left_ms(end)) != WIRE_DONE)
		GT_CHECK(!r->is_over && left_ms(end), "no answer to order %u", type);
	memcpy(&done, buf, sizeof(done));
	GT_CHECK(done.epoch == r->epoch && done.gpu_id == r->gpu_id, "answers another order");
	return done;
}

void gt_tracer_hold(struct gt_tracer *r, uint64_t lease_ns)
{
	struct wire_done d = gt_tracer_do(r, WIRE_HOLD, lease_ns);

	GT_CHECK(d.result == WIRE_OK && d.nr_queues >= 1 && d.nr_cycles == 1,
		 "hold: result %u, error %u, %u queues, %u cycles", d.result, d.error, d.nr_queues,
		 d.nr_cycles);
	GT_CHECK(!gt_stat(0, "waves"), "held, and it runs");
}

void gt_tracer_release(struct gt_tracer *r)
{
	struct wire_done d = gt_tracer_do(r, WIRE_RELEASE, 0);

	GT_CHECK(d.result == WIRE_OK && d.nr_queues >= 1 && d.nr_cycles == 1,
		 "release: result %u, error %u, %u queues, %u cycles", d.result, d.error,
		 d.nr_queues, d.nr_cycles);
}

int gt_tracer_ends(struct gt_tracer *r, unsigned int ms)
{
	return wait_end(r->pid, ms);
}

void gt_tracer_close(struct gt_tracer *r)
{
	int code;

	close(r->sock);
	code = gt_tracer_ends(r, 3000);
	GT_CHECK(!code, "tracer ended with %d", code);
}

/* ---- the target ---- */

static const struct gt_shape endless = {
	.groups = GT_TARGET_WAVES, .waves = 1, .vgprs = 8, .steps = 0, .step_ns = 100000,
	.seed = 1,
};
static const struct gt_shape short_one = {
	.groups = GT_TARGET_WAVES, .waves = 1, .vgprs = 16, .lds_bytes = 1024, .steps = 200,
	.step_ns = 100000, .seed = 2,
};
static const struct gt_shape long_one = {
	.groups = GT_TARGET_WAVES, .waves = 1, .vgprs = 16, .lds_bytes = 1024, .steps = 15000,
	.step_ns = 100000, .seed = 3,
};

/**
 * struct work - what the target has
 */
struct work {
	struct gt_gpu gpu;
	struct gt_queue q[2];
	struct gt_kernel endless;
	struct gt_kernel other;
	struct gt_kernel short_one;
	struct gt_kernel long_one;
	uint64_t short_digest;
	uint64_t long_digest;
};

static volatile sig_atomic_t nr_signals;

static void on_signal(int sig)
{
	nr_signals++;
}

/* Every workgroup ran once, and all runs are alike. */
static void check_result(const struct gt_kernel *k, uint64_t *digest)
{
	GT_CHECK(!gt_kernel_check(k), "%s", gt_kernel_check(k));
	if (!*digest)
		*digest = gt_kernel_digest(k);
	GT_CHECK(gt_kernel_digest(k) == *digest, "another result");
}

static void run_short(struct work *w)
{
	gt_kernel_launch(&w->short_one, &w->q[0]);
	GT_CHECK(!gt_kernel_wait(&w->short_one, 20000), "the target's kernel did not end");
	check_result(&w->short_one, &w->short_digest);
}

static void run_loop(struct work *w, int ctl)
{
	struct pollfd fd = { .fd = ctl, .events = POLLIN };

	do
		run_short(w);
	while (poll(&fd, 1, 0) != 1);
}

static void wait_long(struct work *w)
{
	GT_CHECK(!gt_kernel_wait(&w->long_one, 20000), "the long kernel did not end");
	check_result(&w->long_one, &w->long_digest);
}

static void say_signals(int ctl)
{
	unsigned int n = nr_signals;

	GT_CHECK(send(ctl, &n, sizeof(n), 0) == sizeof(n), "send");
}

static void *serve(void *data);

/* Another thread goes on in its place. */
static void lose_main(int ctl, char what)
{
	static int arg;
	pthread_t thread;

	arg = ctl;
	GT_CHECK(!pthread_create(&thread, NULL, serve, &arg), "thread");
	GT_CHECK(send(ctl, &what, 1, MSG_NOSIGNAL) == 1, "send");
	syscall(SYS_exit, 0);
}

static void obey(struct work *w, int ctl, char what)
{
	struct gt_mem mem;

	switch (what) {
	case GT_TARGET_ENDLESS:
		gt_kernel_launch(&w->endless, &w->q[0]);
		break;
	case GT_TARGET_SHORT:
		run_short(w);
		break;
	case GT_TARGET_LONG:
		gt_kernel_launch(&w->long_one, &w->q[0]);
		break;
	case GT_TARGET_WAIT:
		wait_long(w);
		break;
	case GT_TARGET_LOOP:
		run_loop(w, ctl);
		break;
	case GT_TARGET_QUEUE:
		gt_queue_create(&w->gpu, 7, &w->q[1]);
		gt_kernel_create(&w->gpu, &endless, &w->other);
		gt_kernel_launch(&w->other, &w->q[1]);
		break;
	case GT_TARGET_DESTROY:
		GT_CHECK(!gt_queue_destroy(&w->q[0]), "destroy");
		break;
	case GT_TARGET_SIGNALS:
		say_signals(ctl);
		return;
	case GT_TARGET_ALLOC:
		GT_CHECK(!gt_mem_alloc(&w->gpu, 4096, GT_GTT, &mem), "alloc");
		break;
	case GT_TARGET_LOSE_MAIN:
		lose_main(ctl, what);
		break;
	case GT_TARGET_EXEC:
		execl("/bin/true", "true", NULL);
		_exit(97);
	default:
		_exit(0);
	}
	GT_CHECK(send(ctl, &what, 1, MSG_NOSIGNAL) == 1, "send");
}

static struct work w;

static void *serve(void *data)
{
	int ctl = *(int *)data;
	ssize_t n;
	char c;

	for (;;) {
		n = recv(ctl, &c, 1, 0);
		if (n == 1)
			obey(&w, ctl, c);
		else if (!n || errno != EINTR)
			_exit(0);
	}
	return NULL;
}

static void be_target(int ctl, unsigned int flags)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGRTMIN, &sa, NULL);
	gt_gpu_open(&w.gpu, 0);
	if (!(flags & GT_TARGET_NO_RUNTIME))
		GT_CHECK(!gt_debug_runtime_enable(&w.gpu), "runtime");
	if (!(flags & GT_TARGET_NO_QUEUE))
		gt_queue_create(&w.gpu, 7, &w.q[0]);
	gt_kernel_create(&w.gpu, &endless, &w.endless);
	gt_kernel_create(&w.gpu, &short_one, &w.short_one);
	gt_kernel_create(&w.gpu, &long_one, &w.long_one);
	GT_CHECK(send(ctl, "!", 1, MSG_NOSIGNAL) == 1, "send");
	serve(&ctl);
}

void gt_target_start(struct gt_target *t, unsigned int flags)
{
	int fds[2];

	socket_pair(fds);
	t->pid = fork();
	if (!t->pid) {
		close(fds[0]);
		be_target(fds[1], flags);
	}
	close(fds[1]);
	t->ctl = fds[0];
	GT_CHECK(!gt_target_answers(t, '!', 5000), "the target did not start");
}

void gt_target_tell(struct gt_target *t, char what)
{
	GT_CHECK(send(t->ctl, &what, 1, MSG_NOSIGNAL) == 1, "the target is gone");
}

int gt_target_answers(struct gt_target *t, char what, unsigned int ms)
{
	struct pollfd fd = { .fd = t->ctl, .events = POLLIN };
	char c;

	if (poll(&fd, 1, (int)(ms * gt_slowness())) != 1)
		return -ETIMEDOUT;
	GT_CHECK(recv(t->ctl, &c, 1, 0) == 1, "the target is gone");
	GT_CHECK(c == what, "the target says '%c', not '%c'", c, what);
	return 0;
}

void gt_target_do(struct gt_target *t, char what)
{
	gt_target_tell(t, what);
	GT_CHECK(!gt_target_answers(t, what, 20000), "the target does not answer '%c'", what);
}

unsigned int gt_target_signals(struct gt_target *t)
{
	struct pollfd fd = { .fd = t->ctl, .events = POLLIN };
	unsigned int n;

	gt_target_tell(t, GT_TARGET_SIGNALS);
	GT_CHECK(poll(&fd, 1, 5000) == 1, "the target does not answer");
	GT_CHECK(recv(t->ctl, &n, sizeof(n), 0) == sizeof(n), "the target is gone");
	return n;
}

void gt_target_ends(struct gt_target *t, unsigned int ms)
{
	int code = wait_end(t->pid, ms);

	GT_CHECK(!code, "the target ended with %d", code);
}
