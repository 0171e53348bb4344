// SPDX-License-Identifier: MIT
#include "cli/import/cli_import.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SQLITE_MAGIC "SQLite format 3"

int cli_import_fail(struct cli_import_error *e, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(e->text, sizeof(e->text), format, args);
	va_end(args);
	return -EINVAL;
}

/* The number of a GPU by its name; those beyond the last place share it. */
static u32 agent_of(struct cli_import *t, const char *name)
{
	u32 i = 0;

	name = name ? name : "";
	while (i < t->nr_agents && strncmp(t->agents[i], name, sizeof(t->agents[i]) - 1))
		i++;
	if (i == t->nr_agents && i < CLI_IMPORT_MAX_AGENTS) {
		snprintf(t->agents[i], sizeof(t->agents[i]), "%s", name);
		t->nr_agents++;
	}
	return min(i, (u32)CLI_IMPORT_MAX_AGENTS - 1);
}

/* Workgroups of a grid; 0 = not known. False = more than can be counted. */
static bool count_workgroups(const struct cli_import_row *row, u64 *workgroups, u64 *size)
{
	*workgroups = 1;
	*size = 1;
	for (u32 i = 0; i < 3; i++) {
		u64 group = max(row->workgroup[i], (u64)1), grid = max(row->grid[i], (u64)1);
		u64 nr = row->is_in_workgroups ? grid : grid / group + (grid % group != 0);

		if (__builtin_mul_overflow(*workgroups, nr, workgroups) ||
		    __builtin_mul_overflow(*size, group, size))
			return false;
	}
	if (!row->grid[0] || !row->workgroup[0])
		*workgroups = 0;
	return true;
}

static int grow(struct cli_import *t, struct cli_import_error *e)
{
	void *mem;

	if (t->nr & (t->nr - 1))
		return 0;
	if (t->nr >= CLI_IMPORT_MAX_KERNELS) {
		cli_import_fail(e, "more than %u kernels; a few seconds of work are enough",
				CLI_IMPORT_MAX_KERNELS);
		return -E2BIG;
	}
	mem = realloc(t->kernels, max(2 * t->nr, (u64)64) * sizeof(*t->kernels));
	if (!mem)
		return -ENOMEM;
	t->kernels = mem;
	return 0;
}

int cli_import_add(struct cli_import *t, const struct cli_import_row *row,
		   struct cli_import_error *e)
{
	u64 workgroups, size;
	int err;

	if (row->start_ns > CLI_IMPORT_MAX_NS || row->end_ns > CLI_IMPORT_MAX_NS)
		return cli_import_fail(e, "a time that is out of range");
	if (row->end_ns <= row->start_ns) {
		t->nr_empty++;
		return 0;
	}
	if (!count_workgroups(row, &workgroups, &size))
		return cli_import_fail(e, "a grid that is out of range");
	if (size > 1024)
		return cli_import_fail(e, "a workgroup of %llu work-items; at most 1024",
				       (unsigned long long)size);
	if (row->vgprs > 1024 || row->accum_vgprs > 1024 || row->lds_bytes > 1 << 20)
		return cli_import_fail(e, "registers or LDS that are out of range");
	err = grow(t, e);
	if (err)
		return err;
	t->kernels[t->nr] = (struct cli_import_kernel){
		.start_ns = row->start_ns,
		.end_ns = row->end_ns,
		.workgroups = workgroups,
		.workgroup_size = workgroups ? (u32)size : 0,
		.vgprs = (u32)(row->vgprs + row->accum_vgprs),
		.lds_bytes = (u32)row->lds_bytes,
		.agent = agent_of(t, row->agent),
	};
	t->per_agent[t->kernels[t->nr++].agent]++;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct cli_import_kernel *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

/* Keeps the GPU with most kernels: a scenario has one. */
static void choose_agent(struct cli_import *t)
{
	u64 nr = 0;

	for (u32 i = 1; i < t->nr_agents; i++)
		t->agent = t->per_agent[i] > t->per_agent[t->agent] ? i : t->agent;
	for (u64 i = 0; i < t->nr; i++) {
		if (t->kernels[i].agent != t->agent)
			continue;
		t->nr_shapeless += !t->kernels[i].workgroups;
		t->kernels[nr++] = t->kernels[i];
	}
	t->nr = nr;
	qsort(t->kernels, t->nr, sizeof(*t->kernels), by_start);
}

/* By the first bytes: a name says nothing of what is in a file. */
static int read_any(struct cli_import *t, const char *path, FILE *file, struct cli_import_error *e)
{
	char head[64] = "";
	size_t len = fread(head, 1, sizeof(head) - 1, file), i = 0;

	if (ferror(file))
		return -errno;
	rewind(file);
	if (len >= sizeof(SQLITE_MAGIC) && !memcmp(head, SQLITE_MAGIC, sizeof(SQLITE_MAGIC)))
		return cli_import_sqlite(t, path, e);
	if (!strncmp(head, "\xef\xbb\xbf", 3))
		i = 3;
	i += strspn(head + i, " \t\r\n");
	if (head[i] == '{' || head[i] == '[')
		return cli_import_json(t, file, e);
	return cli_import_csv(t, file, e);
}

int cli_import_read(struct cli_import *t, const char *path, char *error, size_t size)
{
	struct cli_import_error e = { "" };
	struct stat st;
	FILE *file;
	int err;

	memset(t, 0, sizeof(*t));
	file = fopen(path, "re");
	err = file ? 0 : -errno;
	if (!err && !fstat(fileno(file), &st) && !S_ISREG(st.st_mode))
		err = cli_import_fail(&e, "is not a regular file");
	if (!err)
		err = read_any(t, path, file, &e);
	if (file)
		fclose(file);
	if (!err && !t->nr)
		err = cli_import_fail(&e, "there is no kernel in it");
	if (!err) {
		choose_agent(t);
		return 0;
	}
	snprintf(error, size, "%s:%s%s", path, strncmp(e.text, "line ", 5) ? " " : "",
		 e.text[0] ? e.text + (strncmp(e.text, "line ", 5) ? 0 : 5) : strerror(-err));
	return err;
}

void cli_import_fini(struct cli_import *t)
{
	free(t->kernels);
	memset(t, 0, sizeof(*t));
}
