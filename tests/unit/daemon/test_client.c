// SPDX-License-Identifier: MIT
/*
 * Work for clients that is done a few at a time: no other client waits for all of it.
 */
#include "unit_daemon.h"

#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_tally.h"
#include "daemon/gpd_util.h"

#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_QUEUES 200
#define NR_CLIENTS 3
#define NR_GRANTED 20
#define NR_LATE 50

static struct gpd *make_daemon(void)
{
	struct gpd *d = unit_daemon_make();

	assert_int_equal(gpd_client_timers(d), 0);
	return d;
}

static void free_daemon(struct gpd *d)
{
	gpd_client_close_all(d);
	unit_daemon_free(d);
}

static void free_daemon_with(struct gpd *d, struct gpd_conn *conn)
{
	gpd_user_put(conn->user);
	test_free(conn->in);
	free(conn->out);
	free_daemon(d);
}

static void say(struct gpd_client *c, void *msg, uint16_t type, size_t size)
{
	struct wire_hdr *hdr = msg;

	hdr->magic = WIRE_MAGIC;
	hdr->type = type;
	hdr->size = (uint16_t)size;
	c->d->rx_ns = gpd_now_ns();
	gpd_client_message(c, msg, size);
	c->d->rx_ns = 0;
}

/* Of user 0, who is privileged, or of user 1000. */
static struct gpd_client *connect_client(struct gpd *d, uid_t uid, uint32_t pid, uint8_t prio,
					 int *other)
{
	struct wire_hello hello = {
		.version = WIRE_VERSION,
		.mech = WIRE_MECH_SIM,
		.pid = pid,
		.prio = prio,
	};
	struct gpd_cred cred = { .pid = getpid(), .owner = { .uid = uid, .account = uid },
				 .privileged = !uid };
	struct gpd_user *user = gpd_user_get(d, &cred.owner, cred.privileged);
	struct gpd_client *c;
	struct gpd_proc proc;
	int pair[2];

	assert_non_null(user);
	assert_int_equal(gpd_proc_read(cred.pid, &proc), 0);
	cred.start_time = proc.start_time;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
	assert_int_equal(gpd_client_add(d, pair[0], &cred, user, &c), 0);
	gpd_user_put(user);
	say(c, &hello, WIRE_HELLO, sizeof(hello));
	assert_int_equal(c->state, GPD_CLIENT_KNOWN);
	*other = pair[1];
	return c;
}

static struct gpd_client *make_client(struct gpd *d, uint32_t pid, int *other)
{
	struct gpd_client *c = connect_client(d, 1000, pid, WIRE_PRIO_UNSET, other);
	struct wire_queue queue = { .gpu_id = 1, .type = WIRE_QUEUE_AQL };

	for (; queue.queue_id < NR_QUEUES; queue.queue_id++)
		say(c, &queue, WIRE_QUEUE_ADD, sizeof(queue));
	assert_int_equal(c->nr_queues, NR_QUEUES);
	return c;
}

static uint64_t queues_of_all(const struct gpd *d)
{
	return d->nr_used[GPD_BUDGET_QUEUES];
}

/* A turn frees a few queues, of however many clients that have gone at once. */
static void dead_clients_are_freed_in_turns(void **state)
{
	struct gpd *d = make_daemon();
	int other[NR_CLIENTS];
	uint64_t before;
	int turns = 0;
	uint32_t i;

	for (i = 0; i < NR_CLIENTS; i++)
		gpd_client_close(make_client(d, GPD_PID_MAX + 1 + i, &other[i]));
	assert_int_equal(queues_of_all(d), NR_CLIENTS * NR_QUEUES);
	while (d->nr_clients) {
		before = queues_of_all(d);
		assert_true(sd_event_run(d->event, 0) > 0);
		assert_true(before - queues_of_all(d) <= 32);
		turns++;
	}
	assert_int_equal(queues_of_all(d), 0);
	assert_true(turns >= NR_CLIENTS * NR_QUEUES / 32);
	for (i = 0; i < NR_CLIENTS; i++)
		close(other[i]);
	free_daemon(d);
}

/* Clients by process, of one process the newest first, from any place. */
static void clients_have_an_order(void **state)
{
	struct gpd *d = make_daemon();
	struct gpd_client *c = NULL;
	pid_t last = 0;
	int other[NR_CLIENTS];
	uint32_t i;

	for (i = 0; i < NR_CLIENTS; i++)
		make_client(d, GPD_PID_MAX + NR_CLIENTS - i, &other[i]);
	for (i = 0; i < NR_CLIENTS; i++) {
		c = gpd_client_after(d, c ? c->pid : 0, c ? c->number : 0);
		assert_non_null(c);
		assert_true(c->pid > last);
		assert_ptr_equal(gpd_client_find(d, c->pid), c);
		last = c->pid;
	}
	assert_null(gpd_client_after(d, c->pid, c->number));
	assert_null(gpd_client_find(d, 1));
	for (i = 0; i < NR_CLIENTS; i++)
		close(other[i]);
	free_daemon(d);
}

static uint32_t nr_busy(const struct gpd *d)
{
	const struct gpd_client *c;
	const struct gpd_queue *q;
	uint32_t nr = 0;

	LIST_FOREACH(c, &d->clients, link)
		LIST_FOREACH(q, &c->queues, link)
			nr += q->busy;
	return nr;
}

static int count_turn(sd_event_source *s, int fd, uint32_t events, void *data)
{
	char c;

	assert_int_equal(read(fd, &c, 1), 1);
	++*(int *)data;
	return 0;
}

/* Clients whose queues have work, on a GPU whose driver shows none of them. */
static void make_liars(struct gpd *d, int *other)
{
	struct gpd_client *c;
	struct gpd_queue *q;
	uint32_t i;

	for (i = 0; i < NR_CLIENTS; i++) {
		c = make_client(d, GPD_PID_MAX + 1 + i, &other[i]);
		LIST_FOREACH(q, &c->queues, link)
			q->busy = true;
	}
	d->node[0].simulated = false;
	assert_int_equal(nr_busy(d), NR_CLIENTS * NR_QUEUES);
}

/* A turn asks the driver for a few queues. Return: how many turns it took to serve root. */
static int turns_for_root(struct gpd *d, const int *of_root, int ready)
{
	int turns = 0, served = *of_root;
	uint32_t before;

	assert_int_equal(write(ready, "x", 1), 1);
	while (*of_root == served) {
		before = nr_busy(d);
		assert_true(sd_event_run(d->event, 0) > 0);
		assert_true(before - nr_busy(d) <= 64);
		turns++;
	}
	return turns;
}

/* When leases are renewed: root does not wait until all queues have been looked for. */
static void queues_are_looked_for_in_turns(void **state)
{
	struct gpd *d = make_daemon();
	int of_root = 0, ready[2];
	sd_event_source *root;
	int other[NR_CLIENTS];
	uint32_t i;

	make_liars(d, other);
	assert_int_equal(pipe(ready), 0);
	assert_true(sd_event_add_io(d->event, &root, ready[0], EPOLLIN, count_turn, &of_root) >= 0);
	assert_true(sd_event_source_set_priority(root, GPD_PRIORITY_ROOT) >= 0);
	sd_event_source_set_enabled(d->look, SD_EVENT_ONESHOT);
	while (nr_busy(d)) {
		assert_true(turns_for_root(d, &of_root, ready[1]) <= 2);
		assert_true(sd_event_run(d->event, 0) > 0);
	}
	assert_true(of_root >= NR_CLIENTS * NR_QUEUES / 128);
	sd_event_source_unref(root);
	close(ready[0]);
	close(ready[1]);
	for (i = 0; i < NR_CLIENTS; i++)
		close(other[i]);
	free_daemon(d);
}

static uint32_t nr_granted(const struct gpd *d)
{
	const struct gpd_client *c;
	uint32_t nr = 0;

	LIST_FOREACH(c, &d->clients, link)
		nr += c->grant && c->attrs.core.prio == 12;
	return nr;
}

/* Looks at all clients after a request of root. Return: turns of the loop until it is answered. */
static int turns_of_grants(struct gpd *d, struct gpd_conn *conn, uint32_t *nr, uint32_t until)
{
	int turns = 0;

	assert_true(conn->waiting);
	while (conn->waiting) {
		uint32_t before = nr_granted(d);

		assert_true(sd_event_run(d->event, 0) > 0);
		*nr = nr_granted(d);
		assert_in_range(*nr > before ? *nr - before : before - *nr, 0, 4);
		turns++;
	}
	assert_int_equal(*nr, until);
	return turns;
}

/* A grant that comes or goes: /proc is asked for a few clients a turn, then root is answered. */
static void grants_are_looked_for_in_turns(void **state)
{
	struct gpd_request r = { .has = GPD_HAS_PID, .pid = (uint64_t)getpid(),
				 .attributes = { .has = GPD_ATTR_CLASS, .klass = "realtime" } };
	struct gpd *d = make_daemon();
	struct gpd_cred cred = { .privileged = true };
	struct gpd_conn conn = { .d = d, .cred = cred };
	int other[NR_GRANTED], pair[2];
	uint32_t i, nr;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	conn.fd = pair[0];
	conn.user = gpd_user_get(d, &cred.owner, true);
	conn.in = test_calloc(1, 1);
	d->config->max_clients = 4 * NR_GRANTED;
	for (i = 0; i < NR_GRANTED; i++)
		make_client(d, 0, &other[i]);
	gpd_grant_call(&conn, &r);
	assert_int_equal(nr_granted(d), 0);
	assert_true(turns_of_grants(d, &conn, &nr, NR_GRANTED) >= NR_GRANTED / 4);
	/* The same scope with other attributes reaches those that have it. */
	strcpy(r.attributes.klass, "besteffort");
	gpd_grant_call(&conn, &r);
	assert_true(turns_of_grants(d, &conn, &nr, 0) >= NR_GRANTED / 4);
	gpd_grant_revoke(&conn, &r);
	turns_of_grants(d, &conn, &nr, 0);
	for (i = 0; i < NR_GRANTED; i++)
		close(other[i]);
	free_daemon_with(d, &conn);
	close(pair[0]);
	close(pair[1]);
}

/* A grant at each turn of the loop keeps no other one from being answered. */
static void grants_without_end_are_answered(void **state)
{
	struct gpd_request r = { .has = GPD_HAS_PID, .pid = (uint64_t)getpid(),
				 .attributes = { .has = GPD_ATTR_CLASS, .klass = "realtime" } };
	struct gpd_request more = { .has = GPD_HAS_CGROUP, .cgroup = "/other" };
	struct gpd *d = make_daemon();
	struct gpd_cred cred = { .privileged = true };
	struct gpd_conn conn = { .d = d, .cred = cred }, next = conn;
	int other[NR_GRANTED], pair[2];
	uint32_t i, nr = 0;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	conn.fd = next.fd = pair[0];
	conn.user = next.user = gpd_user_get(d, &cred.owner, true);
	conn.in = test_calloc(1, 1);
	next.in = conn.in;
	d->config->max_clients = 4 * NR_GRANTED;
	/* Their way up is none: else each grant would have it begun anew. */
	for (i = 0; i < NR_GRANTED; i++)
		make_client(d, GPD_PID_MAX + 1 + i, &other[i]);
	gpd_grant_call(&conn, &r);
	for (; conn.waiting; nr++) {
		assert_true(nr < 2 * NR_GRANTED);
		next.dead = true;
		gpd_grant_forget(d, &next);
		gpd_grant_call(&next, &more);
		assert_true(sd_event_run(d->event, 0) > 0);
	}
	assert_true(nr >= NR_GRANTED);
	gpd_grant_forget(d, &next);
	for (i = 0; i < NR_GRANTED; i++)
		close(other[i]);
	free_daemon_with(d, &conn);
	close(pair[0]);
	close(pair[1]);
}

/* What begins in the middle is over there, also if the client has gone where it began. */
static void round_is_over_where_it_began(void **state)
{
	struct gpd_round r = { .lap = 1 }, first, middle, none = { 0 };
	struct gpd *d = make_daemon();
	struct gpd_client *c[3];
	int other[3], i;

	for (i = 0; i < 3; i++)
		c[i] = make_client(d, (uint32_t)(GPD_PID_MAX + 1 + i), &other[i]);
	assert_true(gpd_round_is_over(&none, &r));
	first = r;
	assert_ptr_equal(gpd_round_next(d, &r), c[0]);
	gpd_round_step(&r, c[0]);
	assert_ptr_equal(gpd_round_next(d, &r), c[1]);
	gpd_round_step(&r, c[1]);
	middle = r;
	gpd_client_close(c[1]);
	gpd_round_step(&r, gpd_round_next(d, &r));
	assert_false(gpd_round_is_over(&first, &r));
	assert_ptr_equal(gpd_round_next(d, &r), c[0]);
	assert_true(gpd_round_is_over(&first, &r));
	gpd_round_step(&r, c[0]);
	assert_false(gpd_round_is_over(&middle, &r));
	assert_ptr_equal(gpd_round_next(d, &r), c[2]);
	gpd_round_step(&r, c[2]);
	assert_true(gpd_round_is_over(&middle, &r));
	gpd_client_close(c[0]);
	gpd_client_close(c[2]);
	middle = r;
	assert_null(gpd_round_next(d, &r));
	assert_true(gpd_round_is_over(&middle, &r));
	for (i = 0; i < 3; i++)
		close(other[i]);
	free_daemon(d);
}

/* A queue that is told while the GPU is reset counts for nothing when it is back. */
static void queue_of_a_reset_is_out(void **state)
{
	struct wire_queue queue = { .gpu_id = 1, .queue_id = NR_QUEUES, .type = WIRE_QUEUE_AQL,
				    .busy = 1 };
	struct gpd *d = make_daemon();
	struct gpd_client *c;
	int other;

	c = make_client(d, 0, &other);
	gpd_engine_lost(&d->node[0]);
	say(c, &queue, WIRE_QUEUE_ADD, sizeof(queue));
	assert_int_equal(d->node[0].nr_busy, 1);
	gpd_engine_back(&d->node[0]);
	assert_int_equal(d->node[0].nr_busy, 0);
	assert_int_equal(d->node[0].nr_queues, 0);
	assert_int_equal(LIST_FIRST(&c->members)->entity->nr_busy, 0);
	gpd_client_close(c);
	while (!LIST_EMPTY(&d->clients))
		assert_true(sd_event_run(d->event, 0) > 0);
	assert_int_equal(d->node[0].nr_busy, 0);
	close(other);
	free_daemon(d);
}

static void answer(struct gpd_client *c)
{
	struct gpd_member *m = LIST_FIRST(&c->members);
	struct wire_done done = { .epoch = m->order_epoch, .gpu_id = 1 };

	assert_true(m->owed_epoch);
	say(c, &done, WIRE_DONE, sizeof(done));
	assert_false(m->owed_epoch);
}

static bool can_be_stopped(const struct gpd_client *c)
{
	return !LIST_FIRST(&c->members)->entity->group.key.is_alone;
}

/* A process that connects anew, left alone three times within this minute; its queues are busy. */
static struct gpd_client *make_silent(struct gpd *d, int *other)
{
	struct gpd_client *c = make_client(d, GPD_PID_MAX + 1, other);
	struct gpd_silence *s = &c->user->silent[0];
	int gone = *other;

	*s = (struct gpd_silence){ .pid = c->pid, .start_time = c->start_time, .nr = 3,
				   .at_ns = gpd_now_ns(), .is_owed = true };
	gpd_client_close(c);
	c = make_client(d, GPD_PID_MAX + 1, other);
	close(gone);
	while (d->nr_clients > 1)
		assert_true(sd_event_run(d->event, 0) > 0);
	return c;
}

/* Work that never ends makes no edge that could take it in again. */
static void silent_client_is_taken_in_without_an_edge(void **state)
{
	struct gpd *d = make_daemon();
	struct gpd_client *c;
	int other;

	c = make_silent(d, &other);
	assert_false(can_be_stopped(c));
	assert_false(gpd_timer_is_on(d->unbar));
	answer(c);
	assert_false(can_be_stopped(c));
	assert_true(gpd_timer_is_on(d->unbar));
	/* Not before its time, and not while it counts as silent. */
	gpd_silent_unbar(d->unbar, 0, d);
	assert_true(c->barred);
	c->barred_ns = 0;
	gpd_silent_unbar(d->unbar, 0, d);
	assert_false(can_be_stopped(c));
	assert_true(c->barred && c->barred_ns > gpd_now_ns());
	c->user->silent[0].at_ns -= 61 * GPD_NS_PER_SEC;
	c->barred_ns = 0;
	gpd_silent_unbar(d->unbar, 0, d);
	assert_true(can_be_stopped(c));
	assert_false(c->barred);
	gpd_client_close(c);
	while (d->nr_clients)
		assert_true(sd_event_run(d->event, 0) > 0);
	assert_true(TAILQ_EMPTY(&d->barred));
	close(other);
	free_daemon(d);
}

/* A client of a user, or of root, whose queue has work. */
static struct gpd_client *make_busy(struct gpd *d, uid_t uid, uint32_t nr, uint8_t prio, int *other)
{
	struct gpd_client *c = connect_client(d, uid, GPD_PID_MAX + 1 + nr, prio, other);
	struct wire_queue queue = { .gpu_id = 1, .type = WIRE_QUEUE_AQL, .busy = 1 };

	say(c, &queue, WIRE_QUEUE_ADD, sizeof(queue));
	return c;
}

static uint32_t nr_taken(const struct gpd_node *n)
{
	const struct gpd_member *m;
	uint32_t nr = 0;

	TAILQ_FOREACH(m, &n->taken, of_taken)
		nr++;
	return nr;
}

/* Root's client takes the GPU from that many of a user, which do not answer: all are late. */
static void make_late(struct gpd *d, int *other)
{
	struct gpd_node *n = &d->node[0];
	struct gpd_member *m;
	uint32_t i;

	gp_sched_param_set(d->sched, 0, "min_run_ns", 0, NULL);
	for (i = 0; i < NR_LATE; i++)
		make_busy(d, 1000, i, 2, &other[i]);
	make_busy(d, 0, i, 12, &other[i]);
	assert_true(n->act.is_switching);
	n->sw.patience_ns = 0;
	gpd_silent_timer(n->timer, 0, n);
	assert_false(n->act.is_switching);
	assert_int_equal(nr_taken(n), NR_LATE);
	assert_true(gpd_timer_is_on(n->taken_timer));
	TAILQ_FOREACH(m, &n->taken, of_taken)
		m->taken_ns = 0;
	gpd_timer_set(n->taken_timer, 0);
}

/* However many clients of a user owe an answer: root waits for one look at one of them. */
static void late_clients_are_looked_at_in_turns(void **state)
{
	struct gpd *d = make_daemon();
	struct gpd_node *n = &d->node[0];
	int of_root = 0, ready[2], other[NR_LATE + 1];
	sd_event_source *root;
	uint32_t before, i;

	make_late(d, other);
	assert_int_equal(pipe(ready), 0);
	assert_true(sd_event_add_io(d->event, &root, ready[0], EPOLLIN, count_turn, &of_root) >= 0);
	assert_true(sd_event_source_set_priority(root, GPD_PRIORITY_ROOT) >= 0);
	while ((before = nr_taken(n))) {
		assert_true(turns_for_root(d, &of_root, ready[1]) <= 2);
		assert_true(sd_event_run(d->event, 0) > 0);
		assert_true(before - nr_taken(n) <= 2);
	}
	assert_true(of_root >= NR_LATE / 2);
	for (i = 0; i < NR_LATE; i++)
		assert_true(gpd_client_find(d, (pid_t)(GPD_PID_MAX + 1 + i))->mute);
	sd_event_source_unref(root);
	close(ready[0]);
	close(ready[1]);
	for (i = 0; i <= NR_LATE; i++)
		close(other[i]);
	free_daemon(d);
}

/* One that goes while it waits for that is not looked at any more. */
static void barred_client_that_goes_is_forgotten(void **state)
{
	struct gpd *d = make_daemon();
	struct gpd_client *c;
	int other;

	c = make_silent(d, &other);
	answer(c);
	assert_ptr_equal(TAILQ_FIRST(&d->barred), c);
	c->barred_ns = 0;
	gpd_client_close(c);
	while (d->nr_clients)
		assert_true(sd_event_run(d->event, 0) > 0);
	assert_true(TAILQ_EMPTY(&d->barred));
	gpd_silent_unbar(d->unbar, 0, d);
	close(other);
	free_daemon(d);
}

/* The list of totals goes on after the number of an account: after the last it began anew. */
static void total_without_an_account_is_not_loaded(void **state)
{
	json_t *totals = json_pack("[{s:s, s:I}, {s:s, s:I}]", "group", "g", "account",
				   (json_int_t)-1, "group", "g", "account", (json_int_t)-2);
	struct gpd *d = make_daemon();
	json_t *saved;

	gpd_tally_load(d, totals);
	saved = gpd_tally_save(d);
	assert_int_equal(json_array_size(saved), 1);
	json_decref(saved);
	json_decref(totals);
	free_daemon(d);
}

static void tell(int fd)
{
	assert_int_equal(write(fd, "x", 1), 1);
}

static void hear(int fd)
{
	char c;

	assert_int_equal(read(fd, &c, 1), 1);
}

/* Traces a process until it is told to end: meanwhile no other process can collect it. */
static pid_t start_tracer(pid_t target, int traced, int end)
{
	pid_t pid = fork();
	char c;

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ptrace(PTRACE_SEIZE, target, NULL, NULL))
		_exit(1);
	if (write(traced, "x", 1) != 1 || read(end, &c, 1) != 1)
		_exit(1);
	_exit(0);
}

/* The daemon has one thread: it does not wait for a tracer that is inside of the driver. */
static void child_that_cannot_be_collected_is_not_waited_for(void **state)
{
	int traced[2], end[2], status;
	pid_t child, tracer;
	siginfo_t info;

	assert_int_equal(pipe(traced) | pipe(end), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
		tell(traced[1]);
		for (;;)
			pause();
	}
	hear(traced[0]);
	tracer = start_tracer(child, traced[1], end[0]);
	hear(traced[0]);
	/* A call that waits is ended, and the program with it. */
	alarm(60);
	gpd_dbg_end_child(child);
	alarm(0);
	assert_int_equal(waitpid(child, &status, WNOHANG), 0);
	tell(end[1]);
	assert_int_equal(waitpid(tracer, &status, 0), tracer);
	assert_int_equal(status, 0);
	/* It is collected by the next that comes. */
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	tracer = fork();
	if (!tracer)
		_exit(0);
	gpd_dbg_end_child(tracer);
	assert_int_equal(waitpid(child, &status, WNOHANG), -1);
	close(traced[0]);
	close(traced[1]);
	close(end[0]);
	close(end[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dead_clients_are_freed_in_turns),
		cmocka_unit_test(clients_have_an_order),
		cmocka_unit_test(queues_are_looked_for_in_turns),
		cmocka_unit_test(grants_are_looked_for_in_turns),
		cmocka_unit_test(grants_without_end_are_answered),
		cmocka_unit_test(round_is_over_where_it_began),
		cmocka_unit_test(queue_of_a_reset_is_out),
		cmocka_unit_test(silent_client_is_taken_in_without_an_edge),
		cmocka_unit_test(late_clients_are_looked_at_in_turns),
		cmocka_unit_test(barred_client_that_goes_is_forgotten),
		cmocka_unit_test(total_without_an_account_is_not_loaded),
		cmocka_unit_test(child_that_cannot_be_collected_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
