// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_client.h"
#include "daemon/control/gpd_control.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_cgroup.h"
#include "daemon/gpd_grant.h"
#include "daemon/control/gpd_metrics.h"
#include "daemon/gpd_hold.h"
#include "daemon/module/gpd_module.h"
#include "daemon/gpd_state.h"
#include "daemon/gpd_tally.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

static int on_signal(sd_event_source *s, const struct signalfd_siginfo *info, void *data)
{
	struct gpd *d = data;

	snprintf(d->exit_reason, sizeof(d->exit_reason), "signal %s",
		 sigabbrev_np((int)info->ssi_signo));
	return sd_event_exit(d->event, 0);
}

static int on_hangup(sd_event_source *s, const struct signalfd_siginfo *info, void *data)
{
	struct gpd *d = data;
	char error[GPD_ERRORS_TEXT];

	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, gpd_now_ns() / 1000);
	gpd_reload(d, NULL, error, sizeof(error));
	sd_notify(0, "READY=1");
	return 0;
}

static int add_signals(struct gpd *d)
{
	sigset_t set;
	int err;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* Inherited as ignored no child could be waited for. */
	signal(SIGCHLD, SIG_DFL);
	err = sd_event_add_signal(d->event, NULL, SIGTERM, on_signal, d);
	if (err >= 0)
		err = sd_event_add_signal(d->event, NULL, SIGINT, on_signal, d);
	if (err >= 0)
		err = sd_event_add_signal(d->event, NULL, SIGHUP, on_hangup, d);
	return err < 0 ? err : 0;
}

static int start_sockets(struct gpd *d)
{
	char error[320];
	int err = gpd_http_change(d, d->config, error, sizeof(error));

	if (err)
		gpd_log(LOG_ERR, "%s", error);
	/* The client socket last: a client that connects there finds everything. */
	if (!err)
		err = gpd_control_listen(d, d->config->socket);
	if (!err)
		err = gpd_client_listen(d, d->config->socket);
	return err;
}

static int begin_nodes(struct gpd *d)
{
	uint32_t i;

	for (i = 0; i < d->nr_nodes; i++)
		gpd_nodes_begin(&d->node[i]);
	return 0;
}

static int make_dir(struct gpd *d)
{
	return gpd_sock_make_dir(d->config->socket);
}

/*
 * As soon as there is a socket, the file says how the daemon ended, if it was killed. A daemon
 * that is one too many leaves the file to the other.
 */
static int save_state(struct gpd *d)
{
	int err = gpd_sock_clear(d->config->socket, SOCK_STREAM);

	if (!err)
		gpd_state_save(d);
	return err;
}

int gpd_daemon_tables(struct gpd *d)
{
	int err;

	TAILQ_INIT(&d->dead);
	TAILQ_INIT(&d->barred);
	err = gpd_engine_init(d);
	if (!err)
		err = gpd_hold_init(d);
	if (!err)
		err = gpd_grant_init(d);
	if (!err)
		err = gpd_tally_init(d);
	return err ? err : gpd_cgroup_init(d);
}

/* In this order; a daemon that is one too many does not get past the state. */
static int (*const parts[])(struct gpd *d) = {
	add_signals,
	gpd_daemon_tables,
	gpd_dbg_auto_init,
	make_dir,
	gpd_state_load,
	begin_nodes,
	save_state,
	start_sockets,
	gpd_module_init,
};

static int start(struct gpd *d)
{
	int err = sd_event_default(&d->event);
	size_t i;

	if (err < 0)
		return err;
	/* Nothing to do without systemd. */
	sd_event_set_watchdog(d->event, true);
	gpd_trust_owner(d, getpid(), geteuid(), &d->own);
	gpd_nodes_init(d);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		err = parts[i](d);
		if (err)
			return err;
	}
	return 0;
}

static void remove_sockets(const struct gpd *d)
{
	char path[PATH_MAX + sizeof(WIRE_SOCKET_SUFFIX)];

	snprintf(path, sizeof(path), "%s%s", d->config->socket, WIRE_SOCKET_SUFFIX);
	unlink(path);
	unlink(d->config->socket);
}

void gpd_daemon_free_tables(struct gpd *d)
{
	gpd_hold_fini(d);
	gpd_nodes_fini(d);
	gpd_engine_fini(d);
	gpd_grant_free(d);
	gpd_tally_free(d);
	gpd_cgroup_free(d);
	gpd_user_fini(d);
}

static void stop(struct gpd *d)
{
	gpd_engine_release_all(d);
	gpd_client_close_all(d);
	gpd_control_close(d);
	gpd_module_fini(d);
	gpd_dbg_fini(d);
	gpd_http_stop(d);
	gpd_daemon_free_tables(d);
	gpd_state_free(d);
	sd_event_unref(d->event);
	free(d->config);
	gpd_metrics_free(d);
	free(d);
}

/* As many descriptors as may be: every client has one. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int gpd_daemon_run(const struct gpd_options *options, struct gpd_config *config)
{
	struct gpd *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	d->config = config;
	d->options = options;
	d->start_ns = gpd_now_ns();
	raise_limit();
	err = start(d);
	if (err) {
		gpd_log(LOG_ERR, "%s: %s", config->socket, strerror(-err));
	} else {
		gpd_log(LOG_INFO, "%s: %" PRIu32 " node%s", config->socket, d->nr_nodes,
			d->nr_nodes == 1 ? "" : "s");
		if (d->last_exit[0])
			gpd_log(LOG_INFO, "the daemon before: %s", d->last_exit);
		sd_notifyf(0, "READY=1\nSTATUS=%" PRIu32 " node%s", d->nr_nodes,
			   d->nr_nodes == 1 ? "" : "s");
		err = sd_event_loop(d->event);
		sd_notify(0, "STOPPING=1");
		gpd_log(LOG_INFO, "ends: %s", d->exit_reason);
		gpd_state_save(d);
		remove_sockets(d);
	}
	stop(d);
	return err;
}
