// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_metrics.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#define CONNECTIONS_MAX 16
#define TIMEOUT_S 10

/* The HTTP server. */
struct gpd_http {
	struct MHD_Daemon *mhd;
	uint64_t port;
	struct gpd_user *user;	/* all that ask, on whose time they are served */
	sd_event_source *io;	/* its epoll descriptor in the loop of @user */
	sd_event_source *timer; /* for its timeouts; on only while there is a connection */
};

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int status,
			      const char *type, char *text)
{
	struct MHD_Response *response;
	enum MHD_Result result;

	if (!text)
		return MHD_NO;
	response = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE);
	if (!response) {
		free(text);
		return MHD_NO;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result on_request(void *data, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **state)
{
	const char *recent;

	if (strcmp(method, MHD_HTTP_METHOD_GET))
		return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain",
			      strdup("only GET\n"));
	if (strcmp(url, "/metrics"))
		return answer(connection, MHD_HTTP_NOT_FOUND, "text/plain",
			      strdup("only /metrics\n"));
	recent = gpd_metrics_recent(data, false);
	return answer(connection, MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8",
		      recent ? strdup(recent) : NULL);
}

static void run(struct gpd_http *http)
{
	MHD_UNSIGNED_LONG_LONG ms;
	bool is_on;

	MHD_run(http->mhd);
	is_on = MHD_get_timeout(http->mhd, &ms) == MHD_YES;
	gpd_timer_set(http->timer, is_on ? gpd_now_ns() + ms * GPD_NS_PER_MS : U64_MAX);
}

static int on_io(sd_event_source *s, int fd, uint32_t events, void *data)
{
	run(data);
	return 0;
}

static int on_timer(sd_event_source *s, uint64_t usec, void *data)
{
	run(data);
	return 0;
}

/* A TCP connection does not say whose it is: all of them are one user without privileges. */
static const struct gpd_owner anybody = {
	.uid = (uid_t)-1,
	.account = GPD_ACCOUNT_HTTP,
	.is_foreign = true,
};

static int start(struct gpd *d, struct gpd_http *http)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)http->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const union MHD_DaemonInfo *info;
	int err;

	http->mhd = MHD_start_daemon(MHD_USE_EPOLL, (uint16_t)http->port, NULL, NULL, on_request, d,
				     MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&addr,
				     MHD_OPTION_CONNECTION_LIMIT, (unsigned int)CONNECTIONS_MAX,
				     MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)TIMEOUT_S,
				     MHD_OPTION_END);
	if (!http->mhd)
		return errno ? -errno : -EADDRINUSE;
	info = MHD_get_daemon_info(http->mhd, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info)
		return -EOPNOTSUPP;
	http->user = gpd_user_get(d, &anybody, false);
	if (!http->user)
		return -ENOMEM;
	err = sd_event_add_io(http->user->event, &http->io, info->epoll_fd, EPOLLIN, on_io, http);
	return err < 0 ? err : gpd_timer_add(http->user->event, &http->timer, on_timer, http);
}

static void free_http(struct gpd_http *http)
{
	if (!http)
		return;
	sd_event_source_unref(http->io);
	sd_event_source_unref(http->timer);
	if (http->mhd)
		MHD_stop_daemon(http->mhd);
	gpd_user_put(http->user);
	free(http);
}

int gpd_http_change(struct gpd *d, uint64_t port, char *error, size_t size)
{
	struct gpd_http *http = NULL;
	int err;

	if (port == (d->http ? d->http->port : 0))
		return 0;
	if (port) {
		http = calloc(1, sizeof(*http));
		if (!http)
			return -ENOMEM;
		http->port = port;
		err = start(d, http);
		if (err < 0) {
			snprintf(error, size, "http_port %" PRIu64 ": %s", port, strerror(-err));
			free_http(http);
			return err;
		}
	}
	free_http(d->http);
	d->http = http;
	return 0;
}

void gpd_http_stop(struct gpd *d)
{
	free_http(d->http);
	d->http = NULL;
}
