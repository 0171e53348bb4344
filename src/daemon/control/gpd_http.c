// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_metrics.h"
#include "daemon/gpd_ops.h"
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
/* From one address: one machine that keeps its connections leaves some to the others. */
#define CONNECTIONS_OF_ONE 8
#define TIMEOUT_S 10

/* The HTTP server. */
struct gpd_http {
	struct MHD_Daemon *mhd;
	uint64_t port;
	char address[INET6_ADDRSTRLEN];
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

/* Is every GPU scheduled that is to be? */
static enum MHD_Result health(struct gpd *d, struct MHD_Connection *connection)
{
	char text[GPD_NOTE_LEN + 64] = "ok\n";
	unsigned int status = MHD_HTTP_OK;
	struct gpd_node *n;

	for (n = d->node; n < d->node + d->nr_nodes; n++) {
		enum gp_breaker_state breaker = n->ops->stats(n)->breaker;

		if (!n->out_reason[0] && breaker != GP_BREAKER_OPEN && breaker != GP_BREAKER_DEAD)
			continue;
		status = MHD_HTTP_SERVICE_UNAVAILABLE;
		snprintf(text, sizeof(text), "gpu:%" PRIu32 ": %s\n", n->gpu_id,
			 n->out_reason[0] ? n->out_reason : gp_breaker_state_name(breaker));
	}
	return answer(connection, status, "text/plain", strdup(text));
}

static enum MHD_Result on_request(void *data, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **state)
{
	const char *recent;

	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain",
			      strdup("only GET and HEAD\n"));
	if (!strcmp(url, "/healthz"))
		return health(data, connection);
	if (strcmp(url, "/metrics"))
		return answer(connection, MHD_HTTP_NOT_FOUND, "text/plain",
			      strdup("only /metrics and /healthz\n"));
	recent = gpd_metrics_recent(data, GPD_METRICS_ALL, false);
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
static const struct gpd_owner unknown = {
	.uid = (uid_t)-1,
	.account = GPD_ACCOUNT_HTTP,
	.is_foreign = true,
};

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* The configuration has it checked. */
static bool is_v6(const struct gpd_http *http, union address *out)
{
	memset(out, 0, sizeof(*out));
	if (inet_pton(AF_INET, http->address, &out->v4.sin_addr) == 1) {
		out->v4.sin_family = AF_INET;
		out->v4.sin_port = htons((uint16_t)http->port);
		return false;
	}
	inet_pton(AF_INET6, http->address, &out->v6.sin6_addr);
	out->v6.sin6_family = AF_INET6;
	out->v6.sin6_port = htons((uint16_t)http->port);
	return true;
}

static int start(struct gpd *d, struct gpd_http *http)
{
	union address addr;
	unsigned int flags = MHD_USE_EPOLL | (is_v6(http, &addr) ? MHD_USE_IPv6 : 0);
	const union MHD_DaemonInfo *info;
	int err;

	http->mhd = MHD_start_daemon(flags, (uint16_t)http->port, NULL, NULL, on_request, d,
				     MHD_OPTION_SOCK_ADDR, &addr.any,
				     MHD_OPTION_CONNECTION_LIMIT, (unsigned int)CONNECTIONS_MAX,
				     MHD_OPTION_PER_IP_CONNECTION_LIMIT,
				     (unsigned int)CONNECTIONS_OF_ONE,
				     MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)TIMEOUT_S,
				     MHD_OPTION_END);
	if (!http->mhd)
		return errno ? -errno : -EADDRINUSE;
	info = MHD_get_daemon_info(http->mhd, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info)
		return -EOPNOTSUPP;
	http->user = gpd_user_get(d, &unknown, false);
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

static int change(struct gpd *d, const struct gpd_config *c, struct gpd_http **out)
{
	struct gpd_http *http = calloc(1, sizeof(*http));
	int err;

	if (!http)
		return -ENOMEM;
	http->port = c->http_port;
	strcpy(http->address, c->http_address);
	err = start(d, http);
	if (err < 0)
		free_http(http);
	else
		*out = http;
	return err < 0 ? err : 0;
}

int gpd_http_change(struct gpd *d, const struct gpd_config *c, char *error, size_t size)
{
	bool is_same_port = c->http_port == (d->http ? d->http->port : 0);
	struct gpd_http *http = NULL;
	int err = 0;

	if (is_same_port && (!d->http || !strcmp(d->http->address, c->http_address)))
		return 0;
	/* Of two addresses one may be a part of the other. */
	if (is_same_port)
		err = -EBUSY;
	else if (c->http_port)
		err = change(d, c, &http);
	if (err) {
		snprintf(error, size, "http_port %" PRIu64 " at %s: %s", c->http_port,
			 c->http_address,
			 is_same_port ? "an address changes with the port, or a restart" :
					strerror(-err));
		return err;
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
