// SPDX-License-Identifier: MIT
#include "cli/cli_view.h"

#include <stdlib.h>
#include <string.h>

/* ",+" and a number. */
#define MORE_MAX 24

/* Names come from others: nothing in them may move the cursor. */
static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

static const char *element(const json_t *list, size_t i)
{
	const char *text = json_string_value(json_array_get(list, i));

	return text ? text : "?";
}

/* Half a number would be another one: what has no room is counted. */
static void join(const json_t *list, char *out)
{
	size_t nr = json_array_size(list), len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < nr; i++) {
		size_t room = CLI_CELL_MAX - MORE_MAX - len;
		size_t n = (size_t)snprintf(out + len, room, "%s%s", i ? "," : "",
					    element(list, i));

		if (n >= room && i) {
			snprintf(out + len, MORE_MAX, ",+%zu", nr - i);
			return;
		}
		len += min(n, room - 1);
	}
}

static void format_bytes(double bytes, char *out)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	u32 i = 0;

	for (; bytes >= 1024 && i + 1 < ARRAY_SIZE(names); i++)
		bytes /= 1024;
	snprintf(out, CLI_CELL_MAX, bytes < 10 && i ? "%.1f %s" : "%.0f %s", bytes, names[i]);
}

static void format_integer(u64 value, enum cli_column_kind kind, char *out)
{
	switch (kind) {
	case CLI_COLUMN_NS:
		cli_format_duration(value, out);
		break;
	case CLI_COLUMN_BYTES:
		format_bytes((double)value, out);
		break;
	case CLI_COLUMN_HEX:
		snprintf(out, CLI_CELL_MAX, "0x%llx", (unsigned long long)value);
		break;
	default:
		snprintf(out, CLI_CELL_MAX, "%llu", (unsigned long long)value);
	}
}

const char *cli_format_value(const json_t *value, enum cli_column_kind kind, char *out)
{
	if (!value || json_is_null(value))
		strcpy(out, "-");
	else if (json_is_array(value))
		join(value, out);
	else if (json_is_string(value))
		snprintf(out, CLI_CELL_MAX, "%s", json_string_value(value));
	else if (json_is_boolean(value))
		strcpy(out, json_is_true(value) ? "yes" : "no");
	else if (json_is_integer(value))
		format_integer((u64)json_integer_value(value), kind, out);
	else
		snprintf(out, CLI_CELL_MAX, "%g", json_number_value(value));
	for (char *c = out; *c; c++) {
		if (is_control(*c))
			*c = '?';
	}
	return *out ? out : strcpy(out, "-");
}

enum cli_table_color cli_color_of(const char *word)
{
	static const struct {
		const char *word;
		enum cli_table_color color;
	} colors[] = {
		{ "running", CLI_TABLE_GREEN }, { "preempted", CLI_TABLE_YELLOW },
		{ "held", CLI_TABLE_YELLOW }, { "suspended", CLI_TABLE_YELLOW },
		{ "preempting", CLI_TABLE_CYAN }, { "resuming", CLI_TABLE_CYAN },
		{ "waiting", CLI_TABLE_CYAN }, { "lost", CLI_TABLE_RED },
		{ "open", CLI_TABLE_RED }, { "dead", CLI_TABLE_RED },
		{ "probation", CLI_TABLE_YELLOW }, { "ok", CLI_TABLE_GREEN },
		{ "warn", CLI_TABLE_YELLOW }, { "fail", CLI_TABLE_RED },
	};

	for (u32 i = 0; i < ARRAY_SIZE(colors); i++) {
		if (!strcmp(colors[i].word, word))
			return colors[i].color;
	}
	return CLI_TABLE_PLAIN;
}

/* Fields that a narrow terminal can do without, the first one first. */
static const char *const least[] = {
	"sees", "uuid", "client", "gfx", "nr_cu", "nr_entities", "nr_events",
	"nr_switches", "cost_ns", "decision_p99_ns", "fanout_p99_ns", "nr_deadline",
	"off_p50_ns", "mechanism", "pci", "min", "max", "ring_bytes", "rptr", "wptr",
	"nr_resumes", "held", "enabled", "switch_p50_ns", "wait_p50_ns", "nr_queues",
	"off_ns", "mean_per_s", "name", "default", "off_p99_ns", "nr_failed",
	"wait_p999_ns", "off_max_ns", "breaker", "run_ns", "nr_starvation", "class",
	"policy", "switch_p99_ns", "nr_busy", "nr_out", "type",
};

/* Nothing is left out that was asked for, or that a program may read. */
static void fit(struct cli_table *t, const struct cli_view *v, const struct cli_options *o)
{
	u32 order[CLI_VIEW_COLUMNS], nr = 0;

	for (u32 i = 0; i < ARRAY_SIZE(least); i++) {
		for (u32 c = 1; c < v->nr_shown; c++) {
			if (!strcmp(v->shown[c]->name, least[i]) && v->shown[c] != v->sort)
				order[nr++] = c;
		}
	}
	if (!o->fields)
		cli_table_fit(t, order, nr, cli_width());
}

static void set_cell(struct cli_table *t, u32 column, const struct cli_column *c,
		     const json_t *value)
{
	char text[CLI_CELL_MAX];

	cli_table_set(t, column, "%s", cli_format_value(value, c->kind, text));
	if (c->kind == CLI_COLUMN_TEXT)
		cli_table_color(t, column, cli_color_of(text));
}

static void print_table(const struct cli_view *v, const json_t *rows, const struct cli_options *o)
{
	const char *headers[CLI_VIEW_COLUMNS + 1] = { NULL };
	struct cli_table t;

	for (u32 c = 0; c < v->nr_shown; c++)
		headers[c] = v->shown[c]->header;
	cli_table_init(&t, headers, 0);
	t.no_header = o->no_header;
	t.is_colored = cli_use_color(o);
	for (u32 c = 0; c < v->nr_shown; c++) {
		if (v->shown[c]->kind <= CLI_COLUMN_BOOL)
			t.left |= 1u << c;
	}
	for (size_t r = 0; r < json_array_size(rows); r++) {
		cli_table_add_row(&t);
		for (u32 c = 0; c < v->nr_shown; c++)
			set_cell(&t, c, v->shown[c],
				 cli_column_value(v->shown[c], json_array_get(rows, r)));
	}
	fit(&t, v, o);
	cli_table_print(&t, stdout);
	cli_table_fini(&t);
}

static void print_clean(const char *text)
{
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar(is_control(*text) ? '?' : *text);
	}
}

/* As RFC 4180 quotes. */
static void print_quoted(const char *text)
{
	const char *quote = strpbrk(text, ",\"") ? "\"" : "";

	fputs(quote, stdout);
	print_clean(text);
	fputs(quote, stdout);
}

static void print_list(const json_t *list)
{
	putchar('"');
	for (size_t i = 0; i < json_array_size(list); i++) {
		fputs(i ? "," : "", stdout);
		print_clean(element(list, i));
	}
	putchar('"');
}

/* All of it, however long: a program reads it. */
static void print_value(const json_t *value)
{
	char text[CLI_CELL_MAX];

	if (json_is_string(value))
		print_quoted(json_string_value(value));
	else if (json_array_size(value) > 1)
		print_list(value);
	else if (json_is_array(value))
		print_quoted(json_array_size(value) ? element(value, 0) : "");
	else if (value && !json_is_null(value))
		print_quoted(cli_format_value(value, CLI_COLUMN_INT, text));
}

/* Base units; nothing for unknown. */
static void print_csv(const struct cli_view *v, const json_t *rows, const struct cli_options *o)
{
	for (u32 c = 0; !o->no_header && c < v->nr_shown; c++)
		printf("%s%s", v->shown[c]->name, c + 1 < v->nr_shown ? "," : "\n");
	for (size_t r = 0; r < json_array_size(rows); r++) {
		for (u32 c = 0; c < v->nr_shown; c++) {
			print_value(cli_column_value(v->shown[c], json_array_get(rows, r)));
			putchar(c + 1 < v->nr_shown ? ',' : '\n');
		}
	}
}

void cli_view_print(const struct cli_view *v, const json_t *rows, const struct cli_options *o)
{
	if (o->is_csv)
		print_csv(v, rows, o);
	else
		print_table(v, rows, o);
}
