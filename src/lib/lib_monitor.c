// SPDX-License-Identifier: MIT
#include "lib/lib_decode.h"
#include "lib/lib_handle.h"

#include <errno.h>
#include <string.h>

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
	ret = lib_send_request(g, "Monitor", parameters, true, lib_deadline(LIB_TIMEOUT_NS));
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
		ret = lib_parse_reply(g, text, &reply);
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
			ret = lib_fail(g, -ENOMEM, "%s", strerror(ENOMEM));
	}
	json_decref(in);
	return ret;
}
