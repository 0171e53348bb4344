// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_control.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

/* Replies that wait to be read; the list of all queues of a full daemon fits. */
#define OUT_MAX (32u << 20)

void gpd_control_watch(struct gpd_conn *conn)
{
	uint32_t events = 0;

	if (!conn->waiting && conn->in_len <= GPD_REQUEST_MAX)
		events |= EPOLLIN;
	if (conn->out_len > conn->out_sent)
		events |= EPOLLOUT;
	sd_event_source_set_io_events(conn->io, events);
}

void gpd_control_flush(struct gpd_conn *conn)
{
	while (conn->out_sent < conn->out_len) {
		ssize_t sent = send(conn->fd, conn->out + conn->out_sent,
				    conn->out_len - conn->out_sent, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno != EAGAIN) {
			gpd_control_dead(conn);
			return;
		}
		if (sent < 0)
			break;
		conn->out_sent += (size_t)sent;
		conn->since_ns = 0;
	}
	if (conn->out_sent == conn->out_len) {
		conn->out_sent = 0;
		conn->out_len = 0;
		conn->since_ns = 0;
	} else if (!conn->since_ns) {
		conn->since_ns = gpd_now_ns();
	}
}

static bool make_room(struct gpd_conn *conn, size_t len)
{
	size_t size = conn->out_size ? conn->out_size : 4096;
	char *bigger;

	if (conn->out_sent > conn->out_len / 2) {
		memmove(conn->out, conn->out + conn->out_sent, conn->out_len - conn->out_sent);
		conn->out_len -= conn->out_sent;
		conn->out_sent = 0;
	}
	if (len > OUT_MAX - conn->out_len)
		return false;
	while (size < conn->out_len + len)
		size *= 2;
	if (size == conn->out_size)
		return true;
	bigger = realloc(conn->out, size);
	if (!bigger)
		return false;
	conn->out = bigger;
	conn->out_size = size;
	return true;
}

static void put_bytes(struct gpd_conn *conn, const char *bytes, size_t len)
{
	if (conn->dead)
		return;
	if (!make_room(conn, len)) {
		gpd_control_dead(conn);
		return;
	}
	memcpy(conn->out + conn->out_len, bytes, len);
	conn->out_len += len;
}

/* With the NUL byte that ends a message. */
void gpd_control_put(struct gpd_conn *conn, const char *text)
{
	put_bytes(conn, text, strlen(text) + 1);
	if (!conn->dead)
		gpd_control_watch(conn);
}

void gpd_control_send(struct gpd_conn *conn, const char *reply)
{
	if (conn->oneway)
		return;
	gpd_control_put(conn, reply);
	if (!conn->dead)
		gpd_control_flush(conn);
	if (!conn->dead)
		gpd_control_watch(conn);
}

static void send_json(struct gpd_conn *conn, json_t *message)
{
	char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;

	if (text)
		gpd_control_send(conn, text);
	else
		gpd_control_dead(conn);
	free(text);
	json_decref(message);
}

void gpd_control_reply(struct gpd_conn *conn, json_t *parameters)
{
	if (conn->stream.is_rest) {
		json_decref(conn->stream.reply);
		conn->stream.reply = parameters;
		return;
	}
	send_json(conn, json_pack("{s:o}", "parameters", parameters));
}

void gpd_control_refuse(struct gpd_conn *conn, const char *error, const char *key,
			const char *value)
{
	send_json(conn, json_pack("{s:s, s:{s:s}}", "error", error, "parameters", key, value));
}

static void send_error(struct gpd_conn *conn, const char *error, const char *key, int err,
		       const char *format, va_list args)
{
	char value[512];
	json_t *parameters;

	vsnprintf(value, sizeof(value), format, args);
	parameters = json_pack("{s:s}", key, value);
	if (err)
		json_object_set_new(parameters, "errno", json_integer(-err));
	send_json(conn, json_pack("{s:s+, s:o}", "error", GPD_INTERFACE ".", error, "parameters",
				  parameters));
}

void gpd_control_error(struct gpd_conn *conn, const char *error, const char *key,
		       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	send_error(conn, error, key, 0, format, args);
	va_end(args);
}

void gpd_control_failed(struct gpd_conn *conn, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	send_error(conn, "Failed", "reason", err, format, args);
	va_end(args);
}

/* Items of one turn. */
#define STEPS_ROOT 64
#define STEPS_USER 4

int gpd_control_steps(const struct gpd_conn *conn)
{
	return conn->user->privileged ? STEPS_ROOT : STEPS_USER;
}

void gpd_control_stream(struct gpd_conn *conn, const char *key, gpd_stream_next next,
			void (*end)(void *cursor), void *cursor)
{
	char begin[64];

	if (conn->oneway || conn->dead) {
		end(cursor);
		conn->waiting = false;
		gpd_control_next(conn);
		return;
	}
	conn->stream = (struct gpd_stream){ .next = next, .end = end, .cursor = cursor };
	conn->waiting = true;
	snprintf(begin, sizeof(begin), "{\"parameters\":{\"%s\":[", key);
	put_bytes(conn, begin, strlen(begin));
	gpd_control_next(conn);
}

void gpd_control_rest(struct gpd_conn *conn, gpd_stream_next next, void (*end)(void *cursor),
		      void *cursor)
{
	conn->stream = (struct gpd_stream){
		.next = next,
		.end = end,
		.cursor = cursor,
		.is_rest = true,
	};
	conn->waiting = true;
}

void gpd_control_stream_stop(struct gpd_conn *conn)
{
	struct gpd_stream s = conn->stream;

	conn->stream = (struct gpd_stream){ 0 };
	if (s.next)
		s.end(s.cursor);
	json_decref(s.reply);
}

static void end_stream(struct gpd_conn *conn)
{
	bool is_list = !conn->stream.is_rest;
	json_t *reply = json_incref(conn->stream.reply);

	gpd_control_stream_stop(conn);
	conn->waiting = false;
	if (is_list)
		gpd_control_put(conn, "]}}");
	else if (reply)
		gpd_control_reply(conn, reply);
}

static void put_item(struct gpd_conn *conn, json_t *item)
{
	char *text = json_dumps(item, JSON_COMPACT);

	if (conn->stream.nr++)
		put_bytes(conn, ",", 1);
	if (text)
		put_bytes(conn, text, strlen(text));
	else
		gpd_control_dead(conn);
	free(text);
	json_decref(item);
}

void gpd_control_stream_step(struct gpd_conn *conn)
{
	int nr = gpd_control_steps(conn);
	json_t *item = NULL;

	while (nr-- && !conn->dead) {
		item = conn->stream.next(conn, conn->stream.cursor);
		if (!item)
			break;
		if (!json_is_null(item))
			put_item(conn, item);
	}
	if (!item && !conn->dead)
		end_stream(conn);
	if (!conn->dead)
		gpd_control_flush(conn);
}
