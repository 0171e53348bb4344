// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_client.h"
#include "daemon/control/gpd_monitor.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void gpd_client_close(struct gpd_client *c)
{
	if (c->state == GPD_CLIENT_DEAD)
		return;
	if (c->state == GPD_CLIENT_KNOWN)
		gp_tree_remove(&c->d->clients_by_pid, &c->by_pid);
	c->state = GPD_CLIENT_DEAD;
	LIST_INSERT_HEAD(&c->d->dead, c, of_dead);
	sd_event_source_set_enabled(c->io, SD_EVENT_OFF);
	sd_event_source_set_enabled(c->d->reap, SD_EVENT_ONESHOT);
}

void gpd_client_drop(struct gpd_client *c, int err, const char *format, ...)
{
	struct wire_note bye = {
		.code = WIRE_NOTE_REFUSED,
		.value = (uint64_t)-err,
	};
	va_list args;

	if (c->state == GPD_CLIENT_DEAD)
		return;
	va_start(args, format);
	vsnprintf(bye.text, sizeof(bye.text), format, args);
	va_end(args);
	if (c->state == GPD_CLIENT_NEW)
		c->d->nr_refused++;
	else
		c->d->nr_dropped++;
	if (gpd_user_may_log(c->user))
		gpd_log(LOG_WARNING, "client %" PRIu64 " (pid %d): dropped: %s", c->number,
			(int)c->pid, bye.text);
	gpd_monitor_event(c->d, "client", c->pid, 0, WIRE_QUEUE_ALL, "dropped: %s", bye.text);
	wire_send(c->fd, &bye.hdr, WIRE_BYE, sizeof(bye), gpd_now_ns());
	gpd_client_close(c);
}

int gpd_client_order(struct gpd_client *c, struct wire_order *order, uint16_t type)
{
	int err;

	if (c->state != GPD_CLIENT_KNOWN)
		return -EPIPE;
	if (type != WIRE_RENEW)
		order->epoch = ++c->d->epoch;
	err = wire_send(c->fd, &order->hdr, type, sizeof(*order), gpd_now_ns());
	if (!err)
		return 0;
	/* Its buffer is full of orders it never read, or it is gone. */
	gpd_client_drop(c, err, "does not take orders: %s", strerror(-err));
	return -EPIPE;
}

/* A latency-critical client looks more often. */
#define POLL_CRITICAL 8

int gpd_client_welcome(struct gpd_client *c)
{
	const struct gpd_config *config = c->d->config;
	bool self_dbg = config->self_dbg && !gpd_nodes_have_gfx942(c->d);
	struct wire_welcome welcome = {
		.client = c->number,
		.lease_ns = config->lease_ns,
		.poll_ns = config->poll_ns / (c->attrs.core.latency_critical ? POLL_CRITICAL : 1),
		.quiet_ns = config->quiet_ns,
		.flags = (self_dbg ? WIRE_WELCOME_SELF_DBG : 0) |
			 (c->attrs.core.deadline_ns ? WIRE_WELCOME_PROGRESS : 0),
	};

	return wire_send(c->fd, &welcome.hdr, WIRE_WELCOME, sizeof(welcome), gpd_now_ns());
}

void gpd_client_note(struct gpd_client *c, const char *format, ...)
{
	char text[GPD_NOTE_LEN];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	gpd_monitor_event(c->d, "note", c->pid, 0, WIRE_QUEUE_ALL, "%s", text);
	if (c->nr_notes && !strcmp(c->notes[c->nr_notes - 1], text))
		return;
	if (gpd_user_may_log(c->user))
		gpd_log(LOG_INFO, "client %" PRIu64 " (pid %d): %s", c->number, (int)c->pid, text);
	if (c->nr_notes == GPD_NOTES_MAX) {
		memmove(c->notes[0], c->notes[1], sizeof(c->notes) - sizeof(c->notes[0]));
		c->nr_notes--;
	}
	memcpy(c->notes[c->nr_notes++], text, sizeof(text));
}
