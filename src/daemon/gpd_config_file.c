// SPDX-License-Identifier: MIT
#include "daemon/gpd_config.h"

#include <dirent.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file that is being read. */
struct reading {
	struct gpd_config *c;
	FILE *file;
	const char *path;
	unsigned int line; /* number of the line */
	char *error;	   /* output: the first thing that is wrong */
	size_t size;	   /* of it */
	int err;	   /* -errno of it, 0 = none */
};

static void refuse(struct reading *r, const char *what)
{
	if (r->err)
		return;
	r->err = -EINVAL;
	snprintf(r->error, r->size, "%s:%u: %s", r->path, r->line, what);
}

/* Counts lines for inih, which keeps the number for itself. */
static char *read_line(char *line, int size, void *data)
{
	struct reading *r = data;

	if (r->err || !fgets(line, size, r->file))
		return NULL;
	r->line++;
	if (!strchr(line, '\n') && !feof(r->file)) {
		refuse(r, "line too long");
		return NULL;
	}
	return line;
}

static int on_value(void *data, const char *section, const char *key, const char *value)
{
	struct reading *r = data;
	char origin[GPD_ORIGIN_LEN];
	char error[256];

	snprintf(origin, sizeof(origin), "%s:%u", r->path, r->line);
	if (!gpd_config_set(r->c, section, key, value, origin, error, sizeof(error)))
		return 1;
	refuse(r, error);
	return 0;
}

static int read_file(struct gpd_config *c, const char *path, bool required, char *error,
		     size_t size)
{
	struct reading r = { .c = c, .path = path, .error = error, .size = size };
	int line;

	r.file = fopen(path, "re");
	if (!r.file) {
		if (errno == ENOENT && !required)
			return 0;
		snprintf(error, size, "%s: %s", path, strerror(errno));
		return -errno;
	}
	line = ini_parse_stream(read_line, &r, on_value, &r);
	if (line && !r.err) {
		r.line = line > 0 ? (unsigned int)line : 0;
		refuse(&r, "not a section, a key with its value, or a comment");
	}
	fclose(r.file);
	return r.err;
}

static int is_drop_in(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && dot && !strcmp(dot, ".conf");
}

int gpd_config_load(struct gpd_config *c, const char *file, bool required, char *error,
		    size_t size)
{
	char folder[PATH_MAX];
	char path[2 * PATH_MAX];
	struct dirent **names;
	int err;
	int nr;
	int i;

	err = read_file(c, file, required, error, size);
	if (err)
		return err;
	snprintf(folder, sizeof(folder), "%s.d", file);
	nr = scandir(folder, &names, is_drop_in, alphasort);
	if (nr < 0)
		return 0;
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (!err)
			err = read_file(c, path, true, error, size);
		free(names[i]);
	}
	free(names);
	return err;
}
