// SPDX-License-Identifier: MIT
/*
 * Requests, replies and events. The wire form is varlink's: see daemon/io.gpreempt.varlink.
 */
#include "lib/lib_decode.h"
#include "lib/lib_handle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int ret;
} errors[] = {
	{ "io.gpreempt.NotFound", -ENOENT },
	{ "io.gpreempt.PermissionDenied", -EPERM },
	{ "io.gpreempt.NotSupported", -EOPNOTSUPP },
	{ "io.gpreempt.Timeout", -ETIMEDOUT },
	{ "io.gpreempt.Failed", -EIO },
	{ "org.varlink.service.InvalidParameter", -EINVAL },
	{ "org.varlink.service.MethodNotFound", -EOPNOTSUPP },
	{ "org.varlink.service.MethodNotImplemented", -EOPNOTSUPP },
	{ "org.varlink.service.InterfaceNotFound", -EOPNOTSUPP },
};

int lib_connect(struct gpreempt *g, uint64_t deadline_ns)
{
	int ret;

	if (g->conn.fd >= 0)
		return 0;
	ret = lib_conn_open(&g->conn, g->socket, deadline_ns);
	if (ret)
		lib_fail(g, ret, "%s: %s", g->socket, strerror(-ret));
	return ret;
}

/* The conversation cannot go on: what comes next would not be the answer to what is asked. */
static int give_up(struct gpreempt *g, int ret)
{
	lib_conn_close(&g->conn);
	switch (ret) {
	case -ETIMEDOUT:
		return lib_fail(g, ret, "the daemon did not answer in time");
	case -EPIPE:
		return lib_fail(g, ret, "the daemon closed the connection");
	case -EMSGSIZE:
		return lib_fail(g, -EPROTO, "the daemon's answer is longer than %u MiB",
				LIB_CONN_MAX >> 20);
	case -EPROTO:
		return ret;
	default:
		return lib_fail(g, ret, "%s", strerror(-ret));
	}
}

/* Takes the reference to @parameters. */
static int send_request(struct gpreempt *g, const char *method, json_t *parameters, bool more,
			uint64_t deadline_ns)
{
	char name[128];
	json_t *request;
	char *text;
	int ret;

	snprintf(name, sizeof(name), "%s%s", strchr(method, '.') ? "" : LIB_INTERFACE, method);
	request = json_pack("{s:s, s:o}", "method", name, "parameters",
			    parameters ? parameters : json_object());
	if (request && more)
		json_object_set_new(request, "more", json_true());
	text = request ? json_dumps(request, JSON_COMPACT) : NULL;
	json_decref(request);
	if (!text)
		return lib_no_memory(g);
	ret = lib_connect(g, deadline_ns);
	if (!ret) {
		ret = lib_conn_send(&g->conn, text, deadline_ns);
		if (ret)
			ret = give_up(g, ret);
	}
	free(text);
	return ret;
}

/* What an error reply says, for people. */
static const char *error_text(const json_t *parameters, const char *name)
{
	static const char *const keys[] = { "reason", "what", "parameter", "method" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *text = json_string_value(json_object_get(parameters, keys[i]));

		if (text)
			return text;
	}
	return name;
}

static int parse_error(struct gpreempt *g, const char *name, json_t *parameters)
{
	json_t *number = json_object_get(parameters, "errno");
	const char *text = error_text(parameters, name);
	int ret = -EPROTO;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (!strcmp(errors[i].name, name))
			ret = errors[i].ret;
	}
	if (json_is_integer(number) && json_integer_value(number) > 0 &&
	    json_integer_value(number) < 4096)
		g->remote_errno = (int)json_integer_value(number);
	if (ret == -EIO && g->remote_errno == ERANGE)
		ret = -ERANGE;
	if (ret == -EINVAL)
		return lib_fail(g, ret, "parameter '%s' is refused", text);
	if (ret == -ENOENT)
		return lib_fail(g, ret, "no such object: %s", text);
	return lib_fail(g, ret, "%s", text);
}

/*
 * Gives "parameters" of a reply; also of an error, with its name under "error"; NULL if it is
 * no reply at all. Return: 0, the errno of an error reply, -EPROTO no reply at all.
 */
static int parse_reply(struct gpreempt *g, const char *text, json_t **reply)
{
	json_error_t where;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &where);
	json_t *parameters = json_object_get(root, "parameters");
	json_t *error = json_object_get(root, "error");
	int ret = 0;

	*reply = NULL;
	if (!json_is_object(root) || (error && !json_is_string(error)) ||
	    (parameters && !json_is_object(parameters))) {
		json_decref(root);
		return lib_fail(g, -EPROTO, "the daemon's answer makes no sense%s%s",
				root ? "" : ": ", root ? "" : where.text);
	}
	*reply = parameters ? json_incref(parameters) : json_object();
	if (error) {
		ret = parse_error(g, json_string_value(error), parameters);
		json_object_set(*reply, "error", error);
	}
	json_decref(root);
	return *reply ? ret : lib_no_memory(g);
}

/* As lib_call(), and gives what an error said too. */
static int call_any(struct gpreempt *g, const char *method, json_t *parameters,
		    uint64_t deadline_ns, json_t **reply)
{
	const char *text;
	int ret = send_request(g, method, parameters, false, deadline_ns);

	*reply = NULL;
	if (ret)
		return ret;
	ret = lib_conn_receive(&g->conn, &text, deadline_ns);
	if (ret)
		return give_up(g, ret);
	ret = parse_reply(g, text, reply);
	/* Not even an error reply: out of step. */
	if (!*reply)
		give_up(g, ret);
	return ret;
}

int lib_call(struct gpreempt *g, const char *method, json_t *parameters, uint64_t deadline_ns,
	     json_t **reply)
{
	int ret = call_any(g, method, parameters, deadline_ns, reply);

	if (ret) {
		json_decref(*reply);
		*reply = NULL;
	}
	return ret;
}

uint64_t lib_patience(uint64_t timeout_ns)
{
	const uint64_t more = 1000000000;

	return timeout_ns < UINT64_MAX - more ? timeout_ns + more : UINT64_MAX;
}

static uint64_t patience_ns(const json_t *parameters)
{
	json_int_t ms = json_integer_value(json_object_get(parameters, "timeout_ms"));
	uint64_t ns = ms > 0 && ms <= INT32_MAX ? lib_patience((uint64_t)ms * 1000000) : 0;

	return ns > LIB_TIMEOUT_NS ? ns : LIB_TIMEOUT_NS;
}

int gpreempt_call(struct gpreempt *g, const char *method, const char *parameters, char **reply)
{
	json_t *in = NULL, *out;
	json_error_t where;
	int ret;

	if (!g || !method || !*method || !reply)
		return -EINVAL;
	*reply = NULL;
	ret = lib_begin_daemon(g);
	if (ret)
		return ret;
	if (parameters) {
		in = json_loads(parameters, JSON_REJECT_DUPLICATES, &where);
		if (!json_is_object(in)) {
			json_decref(in);
			return lib_fail(g, -EINVAL, "the parameters are no JSON object");
		}
	}
	ret = call_any(g, method, in, lib_deadline(patience_ns(in)), &out);
	if (out) {
		*reply = json_dumps(out, JSON_COMPACT);
		json_decref(out);
		if (!*reply && !ret)
			ret = -ENOMEM;
	}
	return ret;
}

int gpreempt_monitor_fd(struct gpreempt *g, unsigned int flags)
{
	json_t *parameters;
	int ret;

	if (!g || (flags & ~GPREEMPT_MONITOR_TRACE))
		return -EINVAL;
	ret = lib_begin_daemon(g);
	if (ret)
		return ret;
	parameters = json_object();
	if (flags & GPREEMPT_MONITOR_TRACE)
		json_object_set_new(parameters, "trace", json_true());
	ret = send_request(g, "Monitor", parameters, true, lib_deadline(LIB_TIMEOUT_NS));
	if (ret)
		return ret;
	g->is_monitor = true;
	return g->conn.fd;
}

/* 1 and the next event, 0 none now. */
static int next_event(struct gpreempt *g, json_t **event)
{
	json_t *reply = NULL;
	const char *text;
	int ret;

	lib_begin(g);
	if (!g->is_monitor)
		return lib_fail(g, -EINVAL, "the handle is no event stream");
	if (g->conn.fd < 0)
		return lib_fail(g, -EPIPE, "the event stream has ended");
	ret = lib_conn_receive(&g->conn, &text, 0);
	if (ret == -EAGAIN)
		return 0;
	if (!ret) {
		ret = parse_reply(g, text, &reply);
		if (!ret)
			*event = json_incref(json_object_get(reply, "event"));
		json_decref(reply);
	} else {
		lib_fail(g, ret, ret == -EPIPE ? "the daemon closed the connection" :
						"the daemon's event cannot be read");
	}
	if (!ret && *event)
		return 1;
	return ret ? ret : lib_fail(g, -EPROTO, "the daemon's event makes no sense");
}

int gpreempt_monitor_read(struct gpreempt *g, struct gpreempt_event *event)
{
	json_t *in = NULL;
	int ret;

	if (!g || !event)
		return -EINVAL;
	ret = next_event(g, &in);
	if (ret == 1) {
		memset(event, 0, sizeof(*event));
		if (lib_decode_event(in, event))
			ret = lib_fail(g, -EPROTO, "the daemon's event makes no sense");
	}
	json_decref(in);
	return ret;
}

int gpreempt_monitor_read_text(struct gpreempt *g, char **event)
{
	json_t *in = NULL;
	int ret;

	if (!g || !event)
		return -EINVAL;
	ret = next_event(g, &in);
	if (ret == 1) {
		*event = json_dumps(in, JSON_COMPACT);
		if (!*event)
			ret = lib_no_memory(g);
	}
	json_decref(in);
	return ret;
}
