// SPDX-License-Identifier: MIT
/*
 * DOC: How a scenario file is read
 *
 * A line is blank, a comment, a [section] or "key = value". A section has a
 * table of keys; each key has a setter that reads the value into the scenario.
 * Everything that is wrong is said, "FILE:LINE:COLUMN: reason" with the line and a mark below
 * it, up to SIM_ERRORS_MAX; of a section whose header is wrong the keys are not looked at.
 * The language is described in docs/guide/scenario.md.
 */
#include "sim/sim_scenario_parse.h"

#include "rules/guess.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most that is said of a file, and most of a line that is shown. */
#define SIM_ERRORS_MAX 10
#define SHOWN_MAX 100

static void make_printable(char *text)
{
	for (; *text; text++) {
		if (*text == '\t')
			*text = ' ';
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
	}
}

void sim_scenario_say(char *error, size_t error_size, const char *format, ...)
{
	va_list args;

	if (!error_size)
		return;
	va_start(args, format);
	vsnprintf(error, error_size, format, args);
	va_end(args);
	make_printable(error);
}

/* Each message, and what is shown below it, is a line; what does not fit is left out. */
static void say_more(struct sim_parser *p, const char *text)
{
	size_t used = p->error_size ? strlen(p->error) : 0;

	if (used + strlen(text) + 2 <= p->error_size)
		snprintf(p->error + used, p->error_size - used, "%s%s", used ? "\n" : "", text);
	else if (!used)
		snprintf(p->error, p->error_size, "%s", text);
}

static void show_place(struct sim_parser *p)
{
	char shown[SHOWN_MAX + 8];

	if (!p->column || p->column > SHOWN_MAX)
		return;
	sim_scenario_say(shown, sizeof(shown), "    %.*s",
			 (int)min(p->text_len, (size_t)SHOWN_MAX), p->text);
	say_more(p, shown);
	snprintf(shown, sizeof(shown), "    %*s", (int)p->column, "^");
	say_more(p, shown);
}

int sim_parser_fail(struct sim_parser *p, const char *format, ...)
{
	char reason[256], where[24] = "", text[sizeof(reason) + 256];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	if (p->column)
		snprintf(where, sizeof(where), "%u:", p->column);
	sim_scenario_say(text, sizeof(text), "%.200s:%u:%s %s", p->file, p->line, where, reason);
	say_more(p, text);
	show_place(p);
	p->nr_errors++;
	p->is_section_bad = true;
	return -EINVAL;
}

/* Sections. */

static int begin_fault(struct sim_parser *p)
{
	struct sim_scenario *sc = p->sc;

	if (sc->nr_faults == SIM_MAX_FAULTS)
		return sim_parser_fail(p, "more than %d faults", SIM_MAX_FAULTS);
	p->fault_line[sc->nr_faults] = p->line;
	p->fault = &sc->faults[sc->nr_faults++];
	p->fault->at_ns = U64_MAX;
	p->fault->kind = GPU_FAULT_COUNT;
	p->fault->arg = U64_MAX;
	p->object = p->fault;
	return 0;
}

static int begin_class(struct sim_parser *p, const char *name)
{
	struct sim_scenario *sc = p->sc;
	struct sim_class_spec *c;

	if (!sim_value_is_name(name))
		return sim_parser_fail(p, "class: a name of 1 to %d letters, digits, '.', '_', '-'",
				       SIM_NAME_MAX - 1);
	for (u32 i = 0; i < sc->nr_classes; i++) {
		if (!strcmp(sc->classes[i].name, name))
			return sim_parser_fail(p, "class '%s' comes twice", name);
	}
	if (sc->nr_classes == SIM_MAX_CLASSES)
		return sim_parser_fail(p, "more than %d classes", SIM_MAX_CLASSES);
	c = &sc->classes[sc->nr_classes++];
	sim_class_init(c);
	strcpy(c->name, name);
	p->class = c;
	p->object = c;
	return 0;
}

static int begin_cgroup(struct sim_parser *p, const char *path)
{
	struct sim_scenario *sc = p->sc;
	struct sim_cgroup_spec *g;

	if (!gp_cgroup_is_path(path) || strlen(path) >= SIM_CGROUP_LEN)
		return sim_parser_fail(p, "cgroup: a path such as /batch, of at most %d bytes",
				       SIM_CGROUP_LEN - 1);
	for (u32 i = 0; i < sc->nr_cgroups; i++) {
		if (!strcmp(sc->cgroups[i].path, path))
			return sim_parser_fail(p, "cgroup '%s' comes twice", path);
	}
	if (sc->nr_cgroups == SIM_MAX_CGROUPS)
		return sim_parser_fail(p, "more than %d cgroups", SIM_MAX_CGROUPS);
	g = &sc->cgroups[sc->nr_cgroups++];
	strcpy(g->path, path);
	gp_cgroup_default(&g->attr);
	p->cgroup = g;
	p->object = g;
	return 0;
}

static int end_section(struct sim_parser *p)
{
	u32 line = p->line, column = p->column;
	int err = 0;

	p->line = p->section_line;
	p->column = 0;
	/* What is missing may be what was wrong. */
	if (p->is_section_bad)
		err = 0;
	else if (p->class && !p->class->nr_kernels)
		err = sim_parser_fail(p, "class '%s' has no kernel", p->class->name);
	else if (p->class && p->class->start_ns >= p->class->stop_ns)
		err = sim_parser_fail(p, "class '%s' starts when it has stopped", p->class->name);
	else if (p->fault && p->fault->at_ns == U64_MAX)
		err = sim_parser_fail(p, "fault: 'at' is missing");
	else if (p->fault && p->fault->kind == GPU_FAULT_COUNT)
		err = sim_parser_fail(p, "fault: 'kind' is missing");
	p->line = line;
	p->column = column;
	p->is_section_bad = false;
	p->class = NULL;
	p->fault = NULL;
	p->cgroup = NULL;
	return err;
}

static const struct {
	const char *name;
	const struct sim_key *keys;
} sections[] = {
	{ "scenario", sim_scenario_keys },
	{ "gpu", sim_hardware_keys },
	{ "costs", sim_costs_keys },
	{ "params", NULL },
	{ "profile", sim_profile_keys },
};

static void enter(struct sim_parser *p, const struct sim_key *keys)
{
	p->keys = keys;
	p->in_params = false;
	p->seen = 0;
	p->section_line = p->line;
}

static void *object_of(struct sim_scenario *sc, const struct sim_key *keys)
{
	if (keys == sim_costs_keys)
		return &sc->costs;
	if (keys == sim_profile_keys)
		return &sc->profile;
	return keys == sim_hardware_keys ? (void *)&sc->hardware : sc;
}

static int begin_single(struct sim_parser *p, const char *name)
{
	struct gp_guess guess;

	for (u32 i = 0; i < ARRAY_SIZE(sections); i++) {
		if (strcmp(name, sections[i].name))
			continue;
		if (p->is_profile && sections[i].keys != sim_profile_keys &&
		    sections[i].keys != sim_costs_keys)
			break;
		if (p->sections_seen & (1u << i))
			return sim_parser_fail(p, "section [%s] comes twice", name);
		p->sections_seen |= 1u << i;
		enter(p, sections[i].keys);
		p->in_params = !sections[i].keys;
		p->object = object_of(p->sc, sections[i].keys);
		return 0;
	}
	gp_guess_init(&guess, name);
	for (u32 i = 0; i < ARRAY_SIZE(sections); i++)
		gp_guess_try(&guess, sections[i].name);
	gp_guess_try(&guess, "class");
	gp_guess_try(&guess, "fault");
	return sim_parser_fail(p, "no section [%.40s]%s", name, gp_guess_text(&guess));
}

static int read_header(struct sim_parser *p, char *text)
{
	size_t len = strlen(text);
	char *name, *rest;
	int err;

	if (text[len - 1] != ']')
		return sim_parser_fail(p, "']' is missing");
	text[len - 1] = '\0';
	rest = text + 1;
	name = sim_value_word(&rest);
	if (!name)
		return sim_parser_fail(p, "a section has a name");
	if (!strcmp(name, "class") && !p->is_profile) {
		name = sim_value_word(&rest);
		err = begin_class(p, name ? name : "");
		enter(p, sim_class_keys);
	} else if (!strcmp(name, "cgroup") && !p->is_profile) {
		name = sim_value_word(&rest);
		err = begin_cgroup(p, name ? name : "");
		enter(p, sim_cgroup_keys);
	} else if (!strcmp(name, "fault") && !p->is_profile) {
		err = begin_fault(p);
		enter(p, sim_fault_keys);
	} else {
		err = begin_single(p, name);
	}
	if (!err && sim_value_word(&rest))
		err = sim_parser_fail(p, "one name too many in the section's header");
	return err;
}

static int read_section(struct sim_parser *p, char *text)
{
	int err = end_section(p);

	p->is_skipped = false;
	if (err != -ENOMEM && read_header(p, text)) {
		p->is_skipped = true;
		err = -EINVAL;
	}
	return err;
}

/* Lines. */

static int set_key(struct sim_parser *p, char *name, char *value, u32 value_column)
{
	struct gp_guess guess;

	if (p->is_skipped)
		return 0;
	if (p->in_params) {
		p->column = value_column;
		return sim_parser_set_param(p, name, value);
	}
	if (!p->keys)
		return sim_parser_fail(p, "'%.40s' comes before the first section", name);
	for (u32 i = 0; p->keys[i].name; i++) {
		const struct sim_key *key = &p->keys[i];

		if (strcmp(name, key->name))
			continue;
		if ((p->seen & (1ull << i)) && !key->is_repeatable)
			return sim_parser_fail(p, "'%s' comes twice", name);
		p->seen |= 1ull << i;
		p->column = value_column;
		return key->set(p, key, value);
	}
	gp_guess_init(&guess, name);
	for (u32 i = 0; p->keys[i].name; i++)
		gp_guess_try(&guess, p->keys[i].name);
	return sim_parser_fail(p, "no key '%.40s' here%s", name, gp_guess_text(&guess));
}

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t");
	len = strlen(text);
	while (len && strchr(" \t", text[len - 1]))
		text[--len] = '\0';
	return text;
}

static void cut_comment(char *text)
{
	for (char *c = text; *c; c++) {
		if (*c == '#' && (c == text || c[-1] == ' ' || c[-1] == '\t')) {
			*c = '\0';
			return;
		}
	}
}

static int check_bytes(struct sim_parser *p, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		p->column = (u32)i + 1;
		if ((c < ' ' && c != '\t') || c == 0x7f)
			return sim_parser_fail(p, "control character 0x%02x", c);
	}
	return 0;
}

static int read_line(struct sim_parser *p, const char *text, size_t len)
{
	char line[SIM_LINE_MAX];
	char *equals, *start;
	int err;

	if (len && text[len - 1] == '\r')
		len--;
	p->text = text;
	p->text_len = len;
	p->column = 0;
	if (len >= sizeof(line))
		return sim_parser_fail(p, "line longer than %d bytes", SIM_LINE_MAX - 1);
	err = check_bytes(p, text, len);
	if (err)
		return err;
	memcpy(line, text, len);
	line[len] = '\0';
	cut_comment(line);
	start = trim(line);
	p->column = (u32)(start - line) + 1;
	if (!*start)
		return 0;
	if (*start == '[')
		return read_section(p, start);
	equals = strchr(start, '=');
	if (!equals)
		return sim_parser_fail(p, "neither '[section]' nor 'key = value'");
	*equals = '\0';
	start = trim(start);
	equals = trim(equals + 1);
	if (!*equals)
		return sim_parser_fail(p, "'%.40s' has no value", start);
	return set_key(p, start, equals, (u32)(equals - line) + 1);
}

static int read_lines(struct sim_parser *p, const char *text, size_t len)
{
	/* Some editors begin a file with the mark of UTF-8. */
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		len -= 3;
	}
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t line_len = end ? (size_t)(end - text) : len;
		int err;

		p->line++;
		err = read_line(p, text, line_len);
		if (err == -ENOMEM || p->nr_errors == SIM_ERRORS_MAX)
			return err;
		line_len += end ? 1 : 0;
		text += line_len;
		len -= line_len;
	}
	end_section(p);
	p->column = 0;
	return p->nr_errors ? -EINVAL : 0;
}

static int find_class(const struct sim_scenario *sc, const char *name)
{
	for (u32 i = 0; i < sc->nr_classes; i++) {
		if (!strcmp(sc->classes[i].name, name))
			return (int)i;
	}
	return -ENOENT;
}

/* Classes may come after the faults that name them. */
static int finish_faults(struct sim_parser *p)
{
	for (u32 i = 0; i < p->sc->nr_faults; i++) {
		struct sim_fault_spec *f = &p->sc->faults[i];
		bool is_refuse = f->kind == GPU_FAULT_REFUSE;
		int class;

		p->line = p->fault_line[i];
		if (p->fault_class[i][0]) {
			class = find_class(p->sc, p->fault_class[i]);
			if (class < 0 || !is_refuse)
				return sim_parser_fail(p, "fault: arg: '%s' is not a %s",
						       p->fault_class[i],
						       is_refuse ? "class" : "number");
			f->arg = (u64)class;
		}
		if (is_refuse && f->arg >= p->sc->nr_classes)
			return sim_parser_fail(p, "fault: arg: there are %u classes",
					       p->sc->nr_classes);
		if (f->kind == GPU_FAULT_SLOW && !f->arg)
			return sim_parser_fail(p, "fault: arg: slow takes a factor of at least 1");
	}
	return 0;
}

/* By time, and as written among equals: insertion sort of at most SIM_MAX_FAULTS. */
static void sort_faults(struct sim_scenario *sc)
{
	for (u32 i = 1; i < sc->nr_faults; i++) {
		struct sim_fault_spec f = sc->faults[i];
		u32 k = i;

		for (; k && sc->faults[k - 1].at_ns > f.at_ns; k--)
			sc->faults[k] = sc->faults[k - 1];
		sc->faults[k] = f;
	}
}

/* A scenario without a name is called as its file. */
static void default_name(struct sim_scenario *sc, const char *file)
{
	const char *base = strrchr(file, '/');
	char name[SIM_NAME_MAX];
	size_t len;

	base = base ? base + 1 : file;
	len = strcspn(base, ".");
	if (!len || len >= sizeof(name))
		return;
	memcpy(name, base, len);
	name[len] = '\0';
	if (sim_value_is_name(name))
		strcpy(sc->name, name);
}

int sim_scenario_parse(struct sim_scenario *sc, const char *text, size_t len, const char *file,
		       char *error, size_t error_size)
{
	struct sim_parser p = { .sc = sc, .file = file, .error = error, .error_size = error_size };
	int err = 0;

	if (error_size)
		error[0] = '\0';
	sim_scenario_defaults(sc);
	default_name(sc, file);
	if (len > SIM_TEXT_MAX) {
		sim_scenario_say(error, error_size, "%s: larger than 1 MiB", file);
		err = -EINVAL;
	}
	if (!err)
		err = read_lines(&p, text, len);
	if (!err)
		err = finish_faults(&p);
	if (!err && !sc->nr_classes) {
		sim_scenario_say(error, error_size, "%s: no [class]", file);
		err = -EINVAL;
	}
	if (err == -ENOMEM)
		sim_scenario_say(error, error_size, "%s: out of memory", file);
	if (err) {
		sim_scenario_fini(sc);
		return err;
	}
	sort_faults(sc);
	sim_share_attrs(sc);
	return 0;
}

int sim_scenario_load_profile(struct sim_scenario *sc, const char *path, char *error,
			      size_t error_size)
{
	struct sim_parser p = { .sc = sc, .file = path, .error = error, .error_size = error_size,
				.is_profile = true };
	char *text;
	size_t len;
	int err = sim_read_text(path, SIM_TEXT_MAX, &text, &len);

	if (error_size)
		error[0] = '\0';
	if (err) {
		sim_scenario_say(error, error_size, "%s: %s", path, strerror(-err));
		return err;
	}
	sc->has_profile = false;
	err = read_lines(&p, text, len);
	free(text);
	if (!err && !sc->has_profile) {
		sim_scenario_say(error, error_size, "%s: no [profile] with a base", path);
		err = -EINVAL;
	}
	return err;
}
