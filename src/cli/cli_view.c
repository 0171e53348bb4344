// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/cli_view.h"

#include "rules/guess.h"
#include "rules/text.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

json_int_t cli_number(const json_t *row, const char *key)
{
	return json_integer_value(json_object_get(row, key));
}

const char *cli_text(const json_t *row, const char *key)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text ? text : "";
}

bool cli_has(const json_t *row, const char *key, const char *word)
{
	const json_t *list = json_object_get(row, key);

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *is = json_string_value(json_array_get(list, i));

		if (is && !strncmp(is, word, strlen(word)))
			return true;
	}
	return false;
}

static const struct cli_column *find(const struct cli_view *v, const char *name, size_t len)
{
	for (u32 i = 0; i < v->nr_columns; i++) {
		const struct cli_column *c = &v->columns[i];

		if ((strlen(c->name) == len && !strncasecmp(c->name, name, len)) ||
		    (strlen(c->header) == len && !strncasecmp(c->header, name, len)))
			return c;
	}
	return NULL;
}

/* All names, if they are few; else how to see them. */
static const char *name_fields(const struct cli_view *v, char *out, size_t size)
{
	size_t len = (size_t)snprintf(out, size, "; there are ");

	if (v->nr_columns > 8)
		return "; try --fields help";
	for (u32 i = 0; i < v->nr_columns && len < size; i++)
		len += (size_t)snprintf(out + len, size - len, "%s%s", i ? ", " : "",
					v->columns[i].name);
	return out;
}

static int no_field(const struct cli_view *v, const char *option, const char *name, size_t len)
{
	struct gp_guess guess;
	char word[41], all[256];

	snprintf(word, sizeof(word), "%.*s", (int)min(len, (size_t)40), name);
	gp_guess_init(&guess, word);
	for (u32 i = 0; i < v->nr_columns; i++)
		gp_guess_try(&guess, v->columns[i].name);
	cli_error(option, "there is no field '%s'%s", word,
		  guess.best ? gp_guess_text(&guess) : name_fields(v, all, sizeof(all)));
	return CLI_EXIT_USAGE;
}

static int print_fields(const struct cli_view *v)
{
	for (u32 i = 0; i < v->nr_columns; i++)
		printf("%-22s%s\n", v->columns[i].name, v->columns[i].is_extra ? "" : "shown");
	return cli_finish(CLI_EXIT_OK);
}

static int choose(struct cli_view *v, const char *fields)
{
	if (!fields) {
		for (u32 i = 0; i < v->nr_columns; i++) {
			if (!v->columns[i].is_extra)
				v->shown[v->nr_shown++] = &v->columns[i];
		}
		return CLI_GO_ON;
	}
	while (*fields) {
		size_t len = strcspn(fields, ",");
		const struct cli_column *c = find(v, fields, len);

		if (!c)
			return no_field(v, "--fields", fields, len);
		if (v->nr_shown == CLI_VIEW_COLUMNS) {
			cli_error("--fields", "too many");
			return CLI_EXIT_USAGE;
		}
		v->shown[v->nr_shown++] = c;
		fields += len + (fields[len] == ',');
	}
	if (v->nr_shown)
		return CLI_GO_ON;
	cli_error("--fields", "names no field");
	return CLI_EXIT_USAGE;
}

static int set_sort(struct cli_view *v, const char *text)
{
	if (!text)
		return CLI_GO_ON;
	v->is_down = *text == '-';
	text += v->is_down;
	v->sort = find(v, text, strlen(text));
	return v->sort ? CLI_GO_ON : no_field(v, "--sort", text, strlen(text));
}

/* What a value is compared with; of times also with a unit. */
static int read_number(struct cli_condition *c)
{
	char *end;
	u64 ns;

	c->with = strtod(c->text, &end);
	if (end != c->text && !*end)
		return 0;
	if (c->column->kind != CLI_COLUMN_NS || gp_text_read_time(c->text, 0, &ns))
		return -EINVAL;
	c->with = (double)ns;
	return 0;
}

static int add_condition(struct cli_view *v, const char *text, size_t len)
{
	size_t name = strcspn(text, "=!<>");
	struct cli_condition *c = &v->conditions[v->nr_conditions];
	size_t skip = name + 1 + (name + 1 < len && text[name] == '!' && text[name + 1] == '=');

	if (name >= len || v->nr_conditions == CLI_VIEW_CONDITIONS ||
	    len - skip >= sizeof(c->text)) {
		cli_error("--filter", "'%.*s' is not FIELD=TEXT, !=, < or >",
			  (int)min(len, (size_t)40), text);
		return CLI_EXIT_USAGE;
	}
	c->column = find(v, text, name);
	if (!c->column)
		return no_field(v, "--filter", text, name);
	c->op = text[name];
	memcpy(c->text, text + skip, len - skip);
	c->text[len - skip] = '\0';
	if ((c->op == '<' || c->op == '>') && read_number(c)) {
		cli_error("--filter", "'%s' is not a number%s", c->text,
			  c->column->kind == CLI_COLUMN_NS ? " or a time such as 20ms" : "");
		return CLI_EXIT_USAGE;
	}
	v->nr_conditions++;
	return CLI_GO_ON;
}

static int set_filter(struct cli_view *v, const char *text)
{
	int ret = CLI_GO_ON;

	while (text && *text && ret == CLI_GO_ON) {
		size_t len = strcspn(text, ",");

		ret = add_condition(v, text, len);
		text += len + (text[len] == ',');
	}
	return ret;
}

int cli_view_init(struct cli_view *v, const struct cli_column *columns, u32 nr,
		  const struct cli_options *o)
{
	int ret;

	memset(v, 0, sizeof(*v));
	v->columns = columns;
	v->nr_columns = nr;
	if (o->fields && !strcmp(o->fields, "help"))
		return print_fields(v);
	if (o->is_json && o->is_csv) {
		cli_error("--csv", "not together with --json");
		return CLI_EXIT_USAGE;
	}
	ret = choose(v, o->fields);
	if (ret == CLI_GO_ON)
		ret = set_sort(v, o->sort);
	return ret == CLI_GO_ON ? set_filter(v, o->filter) : ret;
}

const json_t *cli_column_value(const struct cli_column *c, const json_t *row)
{
	const char *path = c->path ? c->path : c->name;
	char key[64];

	while (*path) {
		size_t len = strcspn(path, ".");

		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		row = json_object_get(row, key);
		path += len + (path[len] == '.');
	}
	return row;
}

/* Unknown is smaller than everything. */
static int compare(const json_t *a, const json_t *b)
{
	char ta[CLI_CELL_MAX], tb[CLI_CELL_MAX];

	if (json_is_number(a) && json_is_number(b)) {
		double x = json_number_value(a), y = json_number_value(b);

		return (x > y) - (x < y);
	}
	if (!a || !b || json_is_null(a) || json_is_null(b))
		return (a && !json_is_null(a)) - (b && !json_is_null(b));
	/* 9/1/2 is before 10/1/2. */
	return strverscmp(cli_format_value(a, CLI_COLUMN_TEXT, ta),
			  cli_format_value(b, CLI_COLUMN_TEXT, tb));
}

static bool is_fulfilled(const struct cli_condition *c, const json_t *row)
{
	const json_t *value = cli_column_value(c->column, row);
	char text[CLI_CELL_MAX];
	bool is_equal;
	double with;

	if (c->op == '<' || c->op == '>') {
		if (!json_is_number(value))
			return false;
		with = json_number_value(value);
		return c->op == '<' ? with < c->with : with > c->with;
	}
	cli_format_value(value,
			 c->column->kind == CLI_COLUMN_LIST ? CLI_COLUMN_LIST : CLI_COLUMN_TEXT,
			 text);
	is_equal = !fnmatch(c->text, text, 0);
	return is_equal == (c->op == '=');
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct cli_view *v = arg;
	int d = compare(cli_column_value(v->sort, *(json_t *const *)a),
			cli_column_value(v->sort, *(json_t *const *)b));

	return v->is_down ? -d : d;
}

json_t *cli_view_apply(const struct cli_view *v, json_t *rows)
{
	size_t nr = 0, n = json_array_size(rows);
	json_t **list = calloc(n ? n : 1, sizeof(*list));
	json_t *out = json_array();

	for (size_t i = 0; list && i < n; i++) {
		bool is_in = true;

		for (u32 c = 0; c < v->nr_conditions; c++)
			is_in &= is_fulfilled(&v->conditions[c], json_array_get(rows, i));
		if (is_in)
			list[nr++] = json_array_get(rows, i);
	}
	if (list && v->sort)
		qsort_r(list, nr, sizeof(*list), compare_rows, (void *)v);
	for (size_t i = 0; i < nr; i++)
		json_array_append(out, list[i]);
	free(list);
	json_decref(rows);
	return out;
}

bool cli_use_color(const struct cli_options *o)
{
	const char *no = getenv("NO_COLOR");

	if (o->color != CLI_COLOR_AUTO)
		return o->color == CLI_COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(no && *no);
}

json_t *cli_view_json(const struct cli_view *v, json_t *rows, const struct cli_options *o)
{
	json_t *out;

	if (!o->fields)
		return rows;
	out = json_array();
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *whole = json_array_get(rows, i);
		json_t *row = json_object();

		for (u32 c = 0; c < v->nr_shown; c++) {
			const json_t *value = cli_column_value(v->shown[c], whole);

			json_object_set_new(row, v->shown[c]->name,
					    value ? json_incref((json_t *)value) : json_null());
		}
		json_array_append_new(out, row);
	}
	json_decref(rows);
	return out;
}
