// SPDX-License-Identifier: MIT
/*
 * Tables with commas: *_kernel_trace.csv of rocprofv3 (and of rocpd convert), and results.csv of
 * rocprof with --timestamp on. Columns are known by their names, in any order; the names are those
 * of ROCm's documentation, whatever their case.
 */
#include "cli/import/cli_import.h"

#include "rules/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_FIELDS 128
#define MAX_LINE (256 << 10) /* names of C++ kernels are long */

enum column {
	COL_START,
	COL_END,
	COL_GRID_X,
	COL_GRID_Y,
	COL_GRID_Z,
	COL_GROUP_X,
	COL_GROUP_Y,
	COL_GROUP_Z,
	COL_VGPRS,
	COL_ACCUM,
	COL_LDS,
	COL_NUMBERS, /* the columns before are numbers */
	COL_KIND = COL_NUMBERS,
	COL_AGENT,
	COL_COUNT,
};

static const struct {
	const char *name;
	enum column column;
} names[] = {
	{ "Start_Timestamp", COL_START },
	{ "BeginNs", COL_START },
	{ "End_Timestamp", COL_END },
	{ "EndNs", COL_END },
	{ "Grid_Size_X", COL_GRID_X },
	{ "Grid_Size", COL_GRID_X },
	{ "grd", COL_GRID_X },
	{ "Grid_Size_Y", COL_GRID_Y },
	{ "Grid_Size_Z", COL_GRID_Z },
	{ "Workgroup_Size_X", COL_GROUP_X },
	{ "Workgroup_Size", COL_GROUP_X },
	{ "wgr", COL_GROUP_X },
	{ "Workgroup_Size_Y", COL_GROUP_Y },
	{ "Workgroup_Size_Z", COL_GROUP_Z },
	{ "VGPR_Count", COL_VGPRS },
	{ "arch_vgpr", COL_VGPRS },
	{ "vgpr", COL_VGPRS },
	{ "Accum_VGPR_Count", COL_ACCUM },
	{ "accum_vgpr", COL_ACCUM },
	{ "LDS_Block_Size", COL_LDS },
	{ "Group_Segment_Size", COL_LDS },
	{ "lds", COL_LDS },
	{ "Kind", COL_KIND },
	{ "Agent_Id", COL_AGENT },
	{ "gpu-id", COL_AGENT },
};

struct csv {
	struct cli_import *t;
	struct cli_import_error *e;
	u64 line;
	u32 nr_fields;
	char *fields[MAX_FIELDS];
	int place[COL_COUNT]; /* field of each column, -1 = none */
};

/* Ends a field in quotes at its quote; two of them stand for one. Gives what follows, or NULL. */
static char *unquote(char *field)
{
	char *to = field, *from = field;

	while (*from) {
		if (*from == '"' && from[1] != '"') {
			*to = '\0';
			return from + 1;
		}
		from += *from == '"';
		*to++ = *from++;
	}
	return NULL;
}

/* Splits a line where it stands. */
static int split(struct csv *c, char *line)
{
	char *at = line;

	line[strcspn(line, "\r\n")] = '\0';
	for (c->nr_fields = 0; c->nr_fields < MAX_FIELDS;) {
		bool is_quoted = *at == '"';
		char *end;

		c->fields[c->nr_fields++] = at + is_quoted;
		end = is_quoted ? unquote(at + 1) : at + strcspn(at, ",");
		if (!end || (*end && *end != ','))
			return cli_import_fail(c->e, "line %llu: a quote that does not end",
					       (unsigned long long)c->line);
		if (!*end)
			return 0;
		*end = '\0';
		at = end + 1;
	}
	return cli_import_fail(c->e, "line %llu: more than %d columns",
			       (unsigned long long)c->line, MAX_FIELDS);
}

static int take_header(struct csv *c, char *line)
{
	int err;

	for (u32 i = 0; i < COL_COUNT; i++)
		c->place[i] = -1;
	if (!strncmp(line, "\xef\xbb\xbf", 3))
		line += 3;
	err = split(c, line);
	for (u32 f = 0; !err && f < c->nr_fields; f++) {
		for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
			if (!strcasecmp(c->fields[f], names[i].name))
				c->place[names[i].column] = (int)f;
		}
	}
	if (!err && (c->place[COL_START] < 0 || c->place[COL_END] < 0))
		return cli_import_fail(c->e, "line 1: neither Start_Timestamp and End_Timestamp "
					     "(rocprofv3 --kernel-trace) nor BeginNs and EndNs "
					     "(rocprof --timestamp on) are columns");
	c->t->format = c->place[COL_KIND] >= 0 ? "rocprofv3, CSV" : "rocprof, CSV";
	return err;
}

static const char *text_of(const struct csv *c, enum column column)
{
	return c->place[column] < 0 ? NULL : c->fields[c->place[column]];
}

static int number_of(const struct csv *c, enum column column, u64 *out)
{
	const char *text = text_of(c, column);

	*out = 0;
	if (!text || (!*text && column > COL_END))
		return 0;
	if (gp_text_read_u64(text, 0, CLI_IMPORT_MAX_NS, out))
		return cli_import_fail(c->e, "line %llu: '%.40s' is not a number",
				       (unsigned long long)c->line, text);
	return 0;
}

static int take_row(struct csv *c, char *line)
{
	u64 v[COL_NUMBERS];
	struct cli_import_row row;
	char reason[sizeof(c->e->text)];
	const char *kind;
	int err = split(c, line);

	for (u32 i = 0; !err && i < COL_COUNT; i++) {
		if (c->place[i] >= (int)c->nr_fields)
			err = cli_import_fail(c->e, "line %llu: it has %u columns, the first "
						    "%d or more",
					      (unsigned long long)c->line, c->nr_fields,
					      c->place[i] + 1);
	}
	kind = err ? NULL : text_of(c, COL_KIND);
	if (kind && strcasecmp(kind, "KERNEL_DISPATCH"))
		return 0;
	for (u32 i = 0; !err && i < COL_NUMBERS; i++)
		err = number_of(c, (enum column)i, &v[i]);
	if (err)
		return err;
	row = (struct cli_import_row){
		.start_ns = v[COL_START],
		.end_ns = v[COL_END],
		.grid = { v[COL_GRID_X], v[COL_GRID_Y], v[COL_GRID_Z] },
		.workgroup = { v[COL_GROUP_X], v[COL_GROUP_Y], v[COL_GROUP_Z] },
		.vgprs = v[COL_VGPRS],
		.accum_vgprs = v[COL_ACCUM],
		.lds_bytes = v[COL_LDS],
		.agent = text_of(c, COL_AGENT),
	};
	err = cli_import_add(c->t, &row, c->e);
	if (err == -EINVAL) {
		memcpy(reason, c->e->text, sizeof(reason));
		cli_import_fail(c->e, "line %llu: %.200s", (unsigned long long)c->line, reason);
	}
	return err;
}

/* Return: 1, 0 at the end, -EINVAL. */
static int read_line(struct csv *c, FILE *file, char *line)
{
	size_t len;

	c->line++;
	if (!fgets(line, MAX_LINE, file))
		return 0;
	len = strlen(line);
	/* A byte 0 ends the text before its newline. */
	if ((len && line[len - 1] == '\n') || (feof(file) && len))
		return 1;
	return cli_import_fail(c->e, "line %llu: it is too long, or has a byte 0",
			       (unsigned long long)c->line);
}

int cli_import_csv(struct cli_import *t, FILE *file, struct cli_import_error *e)
{
	struct csv c = { .t = t, .e = e };
	char *line = malloc(MAX_LINE);
	int err = line ? read_line(&c, file, line) : -ENOMEM;

	if (err >= 0)
		err = err ? take_header(&c, line) : cli_import_fail(e, "it is empty");
	while (!err) {
		err = read_line(&c, file, line);
		if (err <= 0)
			break;
		err = line[strspn(line, " \t\r\n")] ? take_row(&c, line) : 0;
	}
	free(line);
	return err ? err : ferror(file) ? -EIO
					: 0;
}
