// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_daemon.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define CONFIG "/tmp/gpreemptd.conf"
#define INTERFACE "io.gpreempt."
#define START_MS 10000
#define STOP_MS 5000
#define ANSWER_SECONDS 10
#define DEADLINE_NS 1000000000ull
#define REPLY_BYTES (256 << 10)

static int try_connect(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX, .sun_path = GT_SOCKET };
	struct timeval timeout = { .tv_sec = ANSWER_SECONDS };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		close(fd);
		return -errno;
	}
	return fd;
}

int gt_control_open(void)
{
	int fd = try_connect();

	GT_CHECK(fd >= 0, "%s: %s", GT_SOCKET, strerror(-fd));
	return fd;
}

static void write_config(const char *text)
{
	FILE *f = fopen(CONFIG, "we");

	GT_CHECK(f, "%s: %s", CONFIG, strerror(errno));
	fputs(text, f);
	fclose(f);
}

/* A socket file may be left by a daemon that was killed: only an answer counts. */
static int wait_for_answer(unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);
	int fd;

	while ((fd = try_connect()) < 0) {
		if (gt_now_ns() > end)
			return -ETIMEDOUT;
		gt_sleep_us(2000);
	}
	close(fd);
	return 0;
}

/* A daemon goes on where the one before it ended; a case begins anew. */
static void forget_state(void)
{
	static bool is_done;

	if (!is_done && system("rm -rf /run/gpreempt /var/lib/gpreempt"))
		gt_fail("the state of an earlier daemon stays");
	is_done = true;
}

void gt_daemon_start(struct gt_program *d, const char *config)
{
	forget_state();
	write_config(config ? config : "");
	GT_START(d, 0, gt_argument("racy", 0) ? "gpreemptd-racy" : "gpreemptd", "--config", CONFIG);
	if (wait_for_answer(START_MS)) {
		gt_program_show(d);
		gt_fail("gpreemptd does not answer");
	}
	/*
	 * Meant for hardware, where a switch takes a tenth of a millisecond. An emulated
	 * processor that others share takes many, and would leave every short kernel to end
	 * by itself.
	 */
	gt_daemon_param("deadline_ns", DEADLINE_NS);
	gt_daemon_param("spare_victims", 0);
}

void gt_daemon_param(const char *name, uint64_t value)
{
	int fd = gt_control_open();

	json_decref(gt_control_call(fd, "SetPolicy", "{s:{s:I}}", "parameters", name,
				    (json_int_t)value));
	close(fd);
}

void gt_daemon_stop(struct gt_program *d)
{
	int r = gt_program_stop(d, SIGTERM, STOP_MS);

	if (r)
		gt_program_show(d);
	GT_CHECK(!r, "gpreemptd ended with %d", r);
}

/* One JSON text with the zero that ends it. */
static char *receive(int fd)
{
	static char reply[REPLY_BYTES];
	size_t len = 0;
	ssize_t n;

	while (len < sizeof(reply)) {
		n = read(fd, reply + len, sizeof(reply) - len);
		GT_CHECK(n > 0, "the daemon says nothing: %s", n ? strerror(errno) : "closed");
		len += n;
		if (!reply[len - 1])
			return reply;
	}
	gt_fail("a reply of more than %d bytes", REPLY_BYTES);
}

static json_t *ask(int fd, const char *method, json_t *parameters, char error[64])
{
	char name[128];
	json_t *request, *reply, *out;
	const char *text, *bad;
	char *line;

	snprintf(name, sizeof(name), INTERFACE "%s", method);
	request = json_pack("{s:s, s:o}", "method", name, "parameters", parameters);
	GT_CHECK(request, "parameters of %s", method);
	line = json_dumps(request, JSON_COMPACT);
	GT_CHECK(write(fd, line, strlen(line) + 1) == (ssize_t)strlen(line) + 1, "%s",
		 strerror(errno));
	free(line);
	json_decref(request);
	text = receive(fd);
	reply = json_loads(text, 0, NULL);
	GT_CHECK(reply, "not JSON: %s", text);
	bad = json_string_value(json_object_get(reply, "error"));
	if (bad && !strncmp(bad, INTERFACE, strlen(INTERFACE)))
		bad += strlen(INTERFACE);
	snprintf(error, 64, "%s", bad ? bad : "");
	out = json_incref(json_object_get(reply, "parameters"));
	json_decref(reply);
	return out;
}

static json_t *pack(const char *format, va_list ap)
{
	json_error_t e;
	json_t *j = json_vpack_ex(&e, 0, format, ap);

	GT_CHECK(j, "%s", e.text);
	return j;
}

json_t *gt_control_try(int fd, char error[64], const char *method, const char *format, ...)
{
	json_t *parameters;
	va_list ap;

	va_start(ap, format);
	parameters = pack(format, ap);
	va_end(ap);
	return ask(fd, method, parameters, error);
}

json_t *gt_control_call(int fd, const char *method, const char *format, ...)
{
	json_t *parameters, *reply;
	char error[64];
	va_list ap;

	va_start(ap, format);
	parameters = pack(format, ap);
	va_end(ap);
	reply = ask(fd, method, parameters, error);
	if (*error)
		gt_fail("%s: %s %s", method, error, json_dumps(reply, 0));
	return reply;
}

static void copy_text(char *to, size_t size, const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	snprintf(to, size, "%s", text ? text : "");
}

int gt_daemon_view(pid_t pid, struct gt_view *view)
{
	int fd = gt_control_open(), r = -ENOENT;
	json_t *reply = gt_control_call(fd, "ListProcesses", "{}"), *p;
	size_t i;

	json_array_foreach(json_object_get(reply, "processes"), i, p) {
		if (json_integer_value(json_object_get(p, "pid")) != pid)
			continue;
		copy_text(view->mechanism, sizeof(view->mechanism), p, "mechanism");
		copy_text(view->state, sizeof(view->state), p, "state");
		view->nr_queues = json_integer_value(json_object_get(p, "nr_queues"));
		view->nr_busy = json_integer_value(json_object_get(p, "nr_busy"));
		view->nr_preempted = json_integer_value(json_object_get(p, "nr_preempted"));
		r = 0;
	}
	json_decref(reply);
	close(fd);
	return r;
}

static bool is_as_wanted(pid_t pid, const char *mechanism, uint64_t nr_queues)
{
	struct gt_view v;

	if (gt_daemon_view(pid, &v))
		return !mechanism;
	return mechanism && !strcmp(v.mechanism, mechanism) && v.nr_queues == nr_queues;
}

int gt_daemon_wait_view(pid_t pid, const char *mechanism, uint64_t nr_queues, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);

	while (!is_as_wanted(pid, mechanism, nr_queues)) {
		if (gt_now_ns() > end)
			return -ETIMEDOUT;
		gt_sleep_us(10000);
	}
	return 0;
}

const char *gt_control_hold(int fd, const char *method, pid_t pid)
{
	static char text[192];
	json_t *reply = gt_control_call(fd, method, "{s:[{s:i}]}", "targets", "pid", (int)pid);
	json_t *first = json_array_get(json_object_get(reply, "results"), 0);
	char result[32], reason[128];

	copy_text(result, sizeof(result), first, "result");
	copy_text(reason, sizeof(reason), first, "reason");
	snprintf(text, sizeof(text), "%s%s%s", result, *reason ? ": " : "", reason);
	json_decref(reply);
	return text;
}
