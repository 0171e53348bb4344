// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_flood.h"
#include "gt/gt_stack.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define CONNS 8
#define WELCOME_SECONDS 20

/* Of the attacker's process. */
static int conns[CONNS];
static int kept[4 * CONNS];
static struct gt_client client;

static int connect_to(const char *path, int type)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	strncpy(addr.sun_path, path, sizeof(addr.sun_path) - 1);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int connect_control(void)
{
	return connect_to(GT_SOCKET, SOCK_STREAM);
}

static int connect_client(void)
{
	return connect_to(GT_SOCKET WIRE_SOCKET_SUFFIX, SOCK_SEQPACKET);
}

void gt_client_send(struct gt_client *c, void *message, uint16_t type, size_t size)
{
	*(struct wire_hdr *)message = (struct wire_hdr){ WIRE_MAGIC, type, (uint16_t)size,
							 gt_now_ns() };
	send(c->sock, message, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void gt_client_edge(struct gt_client *c, uint16_t type)
{
	struct wire_edge m = { .gpu_id = c->gpu.id, .queue_id = c->queue.id };

	gt_client_send(c, &m, type, sizeof(m));
}

void gt_client_queue(struct gt_client *c, bool busy)
{
	struct wire_queue m = { .gpu_id = c->gpu.id, .queue_id = c->queue.id, .busy = busy,
				.type = WIRE_QUEUE_AQL, .prio = WIRE_PRIO_UNSET };

	gt_client_send(c, &m, WIRE_QUEUE_ADD, sizeof(m));
}

void gt_client_note(struct gt_client *c, uint32_t code)
{
	struct wire_note m = { .code = code, .gpu_id = c->gpu.id };

	gt_client_send(c, &m, WIRE_NOTE, sizeof(m));
}

static void say_hello(struct gt_client *c)
{
	struct wire_hello m = { .version = WIRE_VERSION, .mech = WIRE_MECH_SHIM,
				.prio = WIRE_PRIO_UNSET, .comm = "by hand" };

	gt_client_send(c, &m, WIRE_HELLO, sizeof(m));
}

void gt_client_open(struct gt_client *c, bool busy)
{
	gt_gpu_open(&c->gpu, 0);
	gt_queue_create(&c->gpu, 7, &c->queue);
	gt_client_connect(c, busy);
}

void gt_client_connect(struct gt_client *c, bool busy)
{
	uint64_t end = gt_deadline_ns(WELCOME_SECONDS * 1000);
	union wire_message m;
	ssize_t n;

	while ((c->sock = connect_client()) < 0) {
		GT_CHECK(gt_now_ns() < end, "no connection: %s", strerror(errno));
		gt_sleep_us(1000);
	}
	say_hello(c);
	while ((n = recv(c->sock, &m, sizeof(m), MSG_DONTWAIT)) < 0) {
		GT_CHECK(errno == EAGAIN && gt_now_ns() < end, "no welcome: %s", strerror(errno));
		gt_sleep_us(1000);
	}
	GT_CHECK(n && m.hdr.type == WIRE_WELCOME, "refused: %s", n ? m.note.text : "closed");
	gt_client_queue(c, busy);
}

int gt_client_order(struct gt_client *c, struct wire_order *order)
{
	union wire_message m;
	ssize_t n;

	while ((n = recv(c->sock, &m, sizeof(m), MSG_DONTWAIT)) > 0) {
		if (m.hdr.type != WIRE_HOLD && m.hdr.type != WIRE_RELEASE)
			continue;
		*order = m.order;
		return m.hdr.type;
	}
	return n ? 0 : -EPIPE;
}

void gt_client_done(struct gt_client *c, const struct wire_order *order)
{
	struct wire_done m = { .epoch = order->epoch, .gpu_id = order->gpu_id, .nr_queues = 1,
			       .nr_cycles = 1 };

	gt_client_send(c, &m, WIRE_DONE, sizeof(m));
}

bool gt_flood_ask(int fd, const char *method, const char *parameters, const char *more)
{
	char text[512];
	int n = snprintf(text, sizeof(text),
			 "{\"method\":\"io.gpreempt.%s\",\"parameters\":{%s}%s}", method,
			 parameters, more);

	return send(fd, text, (size_t)n + 1, MSG_NOSIGNAL | MSG_DONTWAIT) == n + 1;
}

/* What is there is thrown away. */
static void drain(int fd)
{
	static char bytes[65536];

	while (recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
}

static void open_conns(void)
{
	unsigned int i;

	for (i = 0; i < CONNS; i++)
		conns[i] = connect_control();
}

/* A connection that the daemon closed is made again. */
static void ask_on(unsigned int i, const char *method, const char *parameters, const char *more)
{
	if (gt_flood_ask(conns[i], method, parameters, more) || errno == EAGAIN)
		return;
	close(conns[i]);
	conns[i] = connect_control();
}

static void ask_on_all(const char *method, const char *parameters, bool read)
{
	unsigned int i, k;

	for (i = 0; i < CONNS; i++) {
		if (read)
			drain(conns[i]);
		for (k = 0; k < 4; k++)
			ask_on(i, method, parameters, "");
	}
}

/* All stay open until the next burst. */
static void act_connections(unsigned int thread)
{
	unsigned int i;

	for (i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		if (kept[i] > 0)
			close(kept[i]);
		kept[i] = i % 2 ? connect_client() : connect_control();
	}
}

static void act_half_requests(unsigned int thread)
{
	unsigned int i, k;

	for (i = 0; i < CONNS; i++)
		for (k = 0; k < 16; k++)
			if (send(conns[i], "{", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
			    errno != EAGAIN) {
				close(conns[i]);
				conns[i] = connect_control();
			}
}

static void act_lists(unsigned int thread)
{
	ask_on_all("ListQueues", "", true);
}

static void act_unread_lists(unsigned int thread)
{
	ask_on_all("ListProcesses", "", false);
}

static void act_metrics(unsigned int thread)
{
	ask_on_all("GetMetrics", "", true);
}

static void act_half_messages(unsigned int thread)
{
	struct wire_hdr half = { WIRE_MAGIC, WIRE_BUSY, sizeof(half), 0 };
	unsigned int i;

	for (i = 0; i < CONNS; i++) {
		struct gt_client c = { .sock = connect_client() };

		say_hello(&c);
		send(c.sock, &half, sizeof(half), MSG_NOSIGNAL | MSG_DONTWAIT);
		close(c.sock);
	}
}

static void prepare_client(void)
{
	open_conns();
	gt_client_open(&client, false);
}

/* Obeys nothing, but says so. */
static void answer_all(void)
{
	struct wire_order order;

	while (gt_client_order(&client, &order) > 0)
		gt_client_done(&client, &order);
}

static void act_edges(unsigned int thread)
{
	unsigned int i;

	answer_all();
	for (i = 0; i < 64; i++)
		gt_client_edge(&client, i % 2 ? WIRE_IDLE : WIRE_BUSY);
}

static void act_notes(unsigned int thread)
{
	unsigned int i;

	answer_all();
	for (i = 0; i < 16; i++) {
		gt_client_note(&client, WIRE_NOTE_RESET);
		gt_client_note(&client, WIRE_NOTE_NO_PROGRESS);
		gt_client_note(&client, WIRE_NOTE_PROGRESS);
	}
}

static void act_queues(unsigned int thread)
{
	unsigned int i;

	answer_all();
	for (i = 0; i < 32; i++) {
		gt_client_edge(&client, WIRE_QUEUE_REMOVE);
		gt_client_queue(&client, true);
	}
}

static void act_holds(unsigned int thread)
{
	char target[64];
	unsigned int i;

	answer_all();
	snprintf(target, sizeof(target), "\"targets\":[{\"pid\":%d}],\"timeout_ms\":1", getpid());
	for (i = 0; i < CONNS; i++) {
		drain(conns[i]);
		ask_on(i, "Suspend", target, "");
		ask_on(i, "Resume", target, "");
	}
}

static void act_attributes(unsigned int thread)
{
	unsigned int i;

	for (i = 0; i < CONNS; i++) {
		drain(conns[i]);
		ask_on(i, "SetAttributes", "\"attributes\":{\"weight\":50}", "");
		ask_on(i, "SetAttributes", "\"attributes\":{\"weight\":60,\"group\":\"x\"}", "");
	}
}

/* As many as one user may have; none is ever read. */
static void prepare_monitors(void)
{
	unsigned int i;

	prepare_client();
	for (i = 0; i < CONNS; i++)
		ask_on(i, "Monitor", "\"trace\":true", ",\"more\":true");
}

const struct gt_attack_plan gt_floods[] = {
	{ "connections", 1, NULL, act_connections },
	{ "half requests", 1, open_conns, act_half_requests },
	{ "lists", 1, open_conns, act_lists },
	{ "lists that are not read", 1, open_conns, act_unread_lists },
	{ "metrics", 1, open_conns, act_metrics },
	{ "half messages", 1, NULL, act_half_messages },
	{ "edges", 1, prepare_client, act_edges },
	{ "notes", 1, prepare_client, act_notes },
	{ "queues", 1, prepare_client, act_queues },
	{ "holds", 1, prepare_client, act_holds },
	{ "attributes", 1, prepare_client, act_attributes },
	{ "monitors that are not read", 1, prepare_monitors, act_edges },
	{ NULL, 0, NULL, NULL },
};
