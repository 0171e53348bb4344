// SPDX-License-Identifier: MIT
/*
 * gpreemptd: schedules GPU queues by priority. Options and nothing else; the
 * daemon is in daemon.c.
 */
#include "daemon/gpd_state.h"
#include "daemon/gpd_util.h"
#include "rules/text.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SIM_MAX 32
#define NICE (-10)

static const char usage_text[] =
	"usage: gpreemptd [OPTION]...\n"
	"\n"
	"Schedules GPU queues by priority. Stays in the foreground.\n"
	"\n"
	"  --config FILE  read this, and FILE.d/*.conf, instead of " GPD_CONFIG_FILE "\n"
	"  --check        read the configuration, say what is wrong, and end\n"
	"  --check-config FILE  both of these\n"
	"  --socket PATH  control socket\n"
	"  --sim N        with N simulated nodes, for tests without a GPU\n"
	"  -v, --verbose  say more\n"
	"  -h, --help     this text\n"
	"  --version      version\n";

static uint32_t read_nr_sim(const char *text)
{
	u64 nr;

	if (gp_text_read_u64(text, 0, SIM_MAX, &nr)) {
		fprintf(stderr, "gpreemptd: --sim %s: not a number up to %d\n", text, SIM_MAX);
		exit(2);
	}
	return (uint32_t)nr;
}

static void copy_path(char *to, const char *option, const char *path)
{
	if (path[0] == '/' && strlen(path) < PATH_MAX) {
		strcpy(to, path);
		return;
	}
	fprintf(stderr, "gpreemptd: %s %s: not an absolute path\n", option, path);
	exit(2);
}

/* Return: whether only to check. */
static bool parse(struct gpd_options *o, int argc, char **argv)
{
	static const struct option options[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "check", no_argument, NULL, 'k' },
		{ "check-config", required_argument, NULL, 'f' },
		{ "socket", required_argument, NULL, 's' },
		{ "sim", required_argument, NULL, 'n' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 },
	};
	bool check = false;
	int c;

	while ((c = getopt_long(argc, argv, "vh", options, NULL)) != -1) {
		switch (c) {
		case 'f':
			check = true;
			/* fall through */
		case 'c':
			if (!realpath(optarg, o->file))
				snprintf(o->file, sizeof(o->file), "%s", optarg);
			o->file_given = true;
			break;
		case 'k':
			check = true;
			break;
		case 's':
			copy_path(o->socket, "--socket", optarg);
			break;
		case 'n':
			o->nr_sim = read_nr_sim(optarg);
			break;
		case 'v':
			gpd_log_level = LOG_DEBUG;
			break;
		case 'h':
			fputs(usage_text, stdout);
			exit(0);
		case 'V':
			printf("gpreemptd %s\n", GPD_VERSION);
			exit(0);
		default:
			fprintf(stderr, "gpreemptd: try --help\n");
			exit(2);
		}
	}
	if (optind != argc) {
		fprintf(stderr, "gpreemptd: %s: unexpected argument\n", argv[optind]);
		exit(2);
	}
	return check;
}

/* A request waits for each of its decisions. Tracers inherit it; systemd does it by itself. */
static void hurry(void)
{
	if (!geteuid() && !getpriority(PRIO_PROCESS, 0) && setpriority(PRIO_PROCESS, 0, NICE))
		gpd_log(LOG_DEBUG, "no priority over other processes: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	static struct gpd_options options = { .file = GPD_CONFIG_FILE };
	struct gpd_config *config = malloc(sizeof(*config));
	bool check = parse(&options, argc, argv);
	char error[GPD_ERRORS_TEXT];

	if (!config)
		return 1;
	if (gpd_reload_read(&options, config, error, sizeof(error))) {
		gpd_log_lines(LOG_ERR, error);
		free(config);
		return 1;
	}
	if (check) {
		free(config);
		return 0;
	}
	hurry();
	return gpd_daemon_run(&options, config) ? 1 : 0;
}
