// SPDX-License-Identifier: MIT
/*
 * gpreemptd: schedules GPU queues by priority. Options and nothing else; the
 * daemon is in daemon.c.
 */
#include "address.h"
#include "daemon.h"
#include "util.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void usage(FILE *to)
{
	fprintf(to, "usage: gpreemptd [--socket PATH] [--sim N] [--verbose]\n");
}

static void parse(struct gpd_config *config, int argc, char **argv)
{
	static const struct option options[] = {
		{ "socket", required_argument, NULL, 's' },
		{ "config", required_argument, NULL, 'c' },
		{ "sim", required_argument, NULL, 'n' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 },
	};
	char *end;
	int c;

	while ((c = getopt_long(argc, argv, "vh", options, NULL)) != -1) {
		switch (c) {
		case 's':
			snprintf(config->socket, sizeof(config->socket), "%s", optarg);
			break;
		case 'n':
			config->nr_sim = (uint32_t)strtoul(optarg, &end, 10);
			if (*end || config->nr_sim > 32) {
				fprintf(stderr, "gpreemptd: --sim: 0..32\n");
				exit(2);
			}
			break;
		case 'c':
			break;
		case 'v':
			gpd_log_level = LOG_DEBUG;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		case 'V':
			printf("gpreemptd %s\n", GPD_VERSION);
			exit(0);
		default:
			usage(stderr);
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	struct gpd_config *config = malloc(sizeof(*config));
	int err;

	if (!config)
		return 1;
	gpd_config_default(config);
	err = gp_address_listen(config->socket, sizeof(config->socket));
	parse(config, argc, argv);
	if (err && !config->socket[0]) {
		fprintf(stderr, "gpreemptd: no place for a socket; try --socket PATH\n");
		return 1;
	}
	return gpd_daemon_run(config) ? 1 : 0;
}
