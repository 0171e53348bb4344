// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/cli_outfile.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The scratch file to remove if a signal ends the program. */
static char doomed[sizeof(((struct cli_outfile *)0)->scratch)];

static void remove_and_die(int sig)
{
	if (doomed[0])
		unlink(doomed);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void guard_scratch(const struct cli_outfile *f)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGTERM };

	memcpy(doomed, f->scratch, sizeof(doomed));
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (signal(signals[i], remove_and_die) == SIG_IGN)
			signal(signals[i], SIG_IGN);
}

static int open_scratch(struct cli_outfile *f)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	snprintf(f->scratch, sizeof(f->scratch), "%s.XXXXXX", f->path);
	fd = mkstemp(f->scratch);
	if (fd < 0) {
		f->scratch[0] = '\0';
		return -errno;
	}
	guard_scratch(f);
	fchmod(fd, 0666 & ~mask);
	f->file = fdopen(fd, "w");
	if (!f->file) {
		int err = -errno;

		close(fd);
		unlink(f->scratch);
		f->scratch[0] = '\0';
		return err;
	}
	return 0;
}

int cli_outfile_open(struct cli_outfile *f, const char *path)
{
	struct stat st;

	char real[PATH_MAX];

	memset(f, 0, sizeof(*f));
	/* A link stays a link: what it points to is replaced. */
	if (realpath(path, real))
		path = real;
	if (strlen(path) >= sizeof(f->path))
		return -ENAMETOOLONG;
	strcpy(f->path, path);
	if (stat(path, &st) || S_ISREG(st.st_mode))
		return open_scratch(f);
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	f->file = fopen(path, "w");
	return f->file ? 0 : -errno;
}

int cli_outfile_commit(struct cli_outfile *f)
{
	int err = fflush(f->file) ? -errno : ferror(f->file) ? -EIO : 0;

	if (fclose(f->file) && !err)
		err = -errno;
	f->file = NULL;
	if (!err && f->scratch[0] && rename(f->scratch, f->path))
		err = -errno;
	if (!err)
		f->scratch[0] = '\0';
	cli_outfile_abort(f);
	return err;
}

void cli_outfile_abort(struct cli_outfile *f)
{
	if (f->file)
		fclose(f->file);
	if (f->scratch[0])
		unlink(f->scratch);
	f->file = NULL;
	f->scratch[0] = '\0';
	doomed[0] = '\0';
}

int cli_outfile_folder(const char *path)
{
	char part[4096];

	if (!*path || strlen(path) >= sizeof(part))
		return *path ? -ENAMETOOLONG : -ENOENT;
	strcpy(part, path);
	for (char *p = part + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(part, 0777) && errno != EEXIST)
			return -errno;
		*p = '/';
	}
	return mkdir(part, 0777) && errno != EEXIST ? -errno : 0;
}
