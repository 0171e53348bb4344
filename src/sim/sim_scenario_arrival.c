// SPDX-License-Identifier: MIT
/* The value of a class's key "arrival". */
#include "sim/sim_scenario_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD_MIN_NS SIM_NS_PER_US

static int check_end(struct sim_parser *p, char *rest)
{
	char *word = sim_value_word(&rest);

	return word ? sim_parser_fail(p, "arrival: '%.40s' is one word too many", word) : 0;
}

/* The duration after @word. */
static int read_duration(struct sim_parser *p, char **rest, const char *word, u64 low, u64 *ns)
{
	char *text = sim_value_word(rest);

	if (!text)
		return sim_parser_fail(p, "arrival: '%s' has no value", word);
	return sim_parser_duration(p, word, text, low, SIM_RUN_MAX_NS, ns);
}

/* Expects "@word DURATION" next. */
static int read_worded(struct sim_parser *p, char **rest, const char *word, u64 low, u64 *ns)
{
	char *got = sim_value_word(rest);

	if (!got || strcmp(got, word))
		return sim_parser_fail(p, "arrival: '%s DURATION' is missing", word);
	return read_duration(p, rest, word, low, ns);
}

/* closed [N] [think DURATION] */
static int read_closed(struct sim_parser *p, char *rest, struct sim_arrival *a)
{
	char *word = sim_value_word(&rest);
	u64 nr = 1;
	int err;

	a->think_ns = 0;
	if (word && strcmp(word, "think")) {
		err = sim_parser_number(p, "arrival: closed", word, 1, 256, &nr);
		if (err)
			return err;
		word = sim_value_word(&rest);
	}
	a->concurrency = (u32)nr;
	if (!word)
		return 0;
	if (strcmp(word, "think"))
		return sim_parser_fail(p, "arrival: '%.40s' is not 'think'", word);
	err = read_duration(p, &rest, "think", 0, &a->think_ns);
	return err ? err : check_end(p, rest);
}

/* uniform RATE | uniform every DURATION; the same for poisson */
static int read_periodic(struct sim_parser *p, char *rest, struct sim_arrival *a)
{
	char *word = sim_value_word(&rest);
	int err;

	if (!word)
		return sim_parser_fail(p, "arrival: a rate such as 100/s, or 'every DURATION'");
	if (!strcmp(word, "every")) {
		err = read_duration(p, &rest, "every", PERIOD_MIN_NS, &a->period_ns);
		return err ? err : check_end(p, rest);
	}
	err = sim_value_rate(word, &a->period_ns);
	if (err == -EINVAL)
		return sim_parser_fail(p, "arrival: '%.40s' is not a rate such as 100/s", word);
	if (err || a->period_ns < PERIOD_MIN_NS || a->period_ns > SIM_RUN_MAX_NS)
		return sim_parser_fail(p, "arrival: %.40s is out of range, 0.0003/s to 1000000/s",
				       word);
	return check_end(p, rest);
}

/* burst N every DURATION gap DURATION */
static int read_burst(struct sim_parser *p, char *rest, struct sim_arrival *a)
{
	char *word = sim_value_word(&rest);
	u64 nr;
	int err = sim_parser_number(p, "arrival: burst", word ? word : "", 1, 100000, &nr);

	if (!err)
		err = read_worded(p, &rest, "every", PERIOD_MIN_NS, &a->period_ns);
	if (!err)
		err = read_worded(p, &rest, "gap", 0, &a->burst_gap_ns);
	if (!err)
		err = check_end(p, rest);
	if (err)
		return err;
	a->burst = (u32)nr;
	if (a->burst_gap_ns * (nr - 1) > a->period_ns)
		return sim_parser_fail(p, "arrival: the burst lasts longer than its period");
	return 0;
}

/* Beside the scenario file, unless the name is absolute. */
static int trace_path(const struct sim_parser *p, const char *name, char *out, size_t size)
{
	const char *slash = strrchr(p->file, '/');
	int dir_len = slash && name[0] != '/' ? (int)(slash - p->file + 1) : 0;
	int len = snprintf(out, size, "%.*s%s", dir_len, p->file, name);

	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : 0;
}

/* One line of a trace: blank, a comment, or a time with a unit (none = ns). */
static int add_time(struct sim_arrival *a, char *line, u32 *cap)
{
	char *word;
	u64 ns;

	line[strcspn(line, "#\r")] = '\0';
	word = sim_value_word(&line);
	if (!word)
		return 0;
	if (sim_value_word(&line))
		return -EINVAL;
	if (gp_text_read_time(word, GP_TEXT_NS, &ns))
		return -EINVAL;
	if (ns > SIM_RUN_MAX_NS || (a->nr_trace && ns < a->trace_ns[a->nr_trace - 1]))
		return -ERANGE;
	if (a->nr_trace == SIM_TRACE_MAX)
		return -EFBIG;
	if (a->nr_trace == *cap) {
		u32 more = *cap ? 2 * *cap : 64;
		u64 *mem = realloc(a->trace_ns, more * sizeof(*mem));

		if (!mem)
			return -ENOMEM;
		a->trace_ns = mem;
		*cap = more;
	}
	a->trace_ns[a->nr_trace++] = ns;
	return 0;
}

static int fail_trace(struct sim_parser *p, const char *name, u32 line, int err)
{
	switch (err) {
	case -ENOMEM:
		return err;
	case -EINVAL:
		return sim_parser_fail(p, "%.80s:%u: not a time such as 20ms", name, line);
	case -ERANGE:
		return sim_parser_fail(p, "%.80s:%u: times ascend and end within an hour", name,
				       line);
	default:
		return sim_parser_fail(p, "%.80s: more than %d arrivals", name, SIM_TRACE_MAX);
	}
}

static int read_times(struct sim_parser *p, const char *name, char *text, size_t len,
		      struct sim_arrival *a)
{
	u32 line = 0, cap = 0;

	if (memchr(text, '\0', len))
		return sim_parser_fail(p, "%.80s: NUL byte", name);
	while (*text) {
		char *end = text + strcspn(text, "\n");
		char *next = *end ? end + 1 : end;
		int err;

		*end = '\0';
		line++;
		err = add_time(a, text, &cap);
		if (err)
			return fail_trace(p, name, line, err);
		text = next;
	}
	if (!a->nr_trace || !a->trace_ns[a->nr_trace - 1])
		return sim_parser_fail(p, "%.80s: no arrival after 0", name);
	return 0;
}

/* trace FILE */
static int read_trace(struct sim_parser *p, char *rest, struct sim_arrival *a)
{
	char *name = rest + strspn(rest, " \t");
	char path[4096];
	char *text;
	size_t len;
	int err;

	if (!*name)
		return sim_parser_fail(p, "arrival: 'trace' has no file");
	err = trace_path(p, name, path, sizeof(path));
	if (!err)
		err = sim_read_text(path, 64 * SIM_TEXT_MAX, &text, &len);
	if (err == -ENOMEM)
		return err;
	if (err)
		return sim_parser_fail(p, "%.80s: %s", name, strerror(-err));
	err = read_times(p, name, text, len, a);
	free(text);
	return err;
}

int sim_parse_arrival(struct sim_parser *p, const struct sim_key *key, char *value)
{
	static int (*const readers[])(struct sim_parser * p, char *rest, struct sim_arrival *a) = {
		[SIM_ARRIVAL_CLOSED] = read_closed,
		[SIM_ARRIVAL_UNIFORM] = read_periodic,
		[SIM_ARRIVAL_POISSON] = read_periodic,
		[SIM_ARRIVAL_BURST] = read_burst,
		[SIM_ARRIVAL_TRACE] = read_trace,
	};
#define X(name, text) text,
	static const char *const names[] = { SIM_ARRIVALS(X) };
#undef X
	struct sim_arrival *a = &p->class->arrival;
	char *rest = value;
	char *word = sim_value_word(&rest);

	for (u32 i = 0; i < SIM_ARRIVAL_COUNT; i++) {
		if (strcmp(word, names[i]))
			continue;
		a->kind = (enum sim_arrival_kind)i;
		return readers[i](p, rest, a);
	}
	return sim_parser_fail(p, "%s: '%.40s' is none of closed, uniform, poisson, burst, trace",
			       key->name, word);
}

static int read_phase(struct sim_parser *p, const struct sim_key *key, char *text,
		      struct sim_phase *out)
{
	char *time = sim_value_word(&text);
	char *rate = sim_value_word(&text);
	int err;

	if (!time || !rate || sim_value_word(&text))
		return sim_parser_fail(p, "%s: 'TIME SHARE, TIME SHARE, ...'", key->name);
	err = sim_parser_duration(p, key->name, time, SIM_NS_PER_US, SIM_RUN_MAX_NS, &out->ns);
	if (err)
		return err;
	if (sim_value_percent(rate, &out->rate_ppm) || out->rate_ppm > 100 * SIM_PPM_ONE)
		return sim_parser_fail(p, "%s: '%.40s' is not a share from 0%% to 10000%%",
				       key->name, rate);
	return 0;
}

int sim_parse_phases(struct sim_parser *p, const struct sim_key *key, char *value)
{
	struct sim_arrival *a = &p->class->arrival;
	char *next;

	for (; value; value = next) {
		int err;

		next = strchr(value, ',');
		if (next)
			*next++ = '\0';
		if (a->nr_phases == SIM_MAX_PHASES)
			return sim_parser_fail(p, "%s: more than %d", key->name, SIM_MAX_PHASES);
		err = read_phase(p, key, value, &a->phases[a->nr_phases]);
		if (err)
			return err;
		a->nr_phases++;
	}
	return 0;
}

static u64 estimate_even(const struct sim_arrival *a, u64 duration_ns)
{
	switch (a->kind) {
	case SIM_ARRIVAL_UNIFORM:
	case SIM_ARRIVAL_POISSON:
		return duration_ns / a->period_ns + 1;
	case SIM_ARRIVAL_BURST:
		return (duration_ns / a->period_ns + 1) * a->burst;
	case SIM_ARRIVAL_TRACE:
		return (duration_ns / max(a->trace_ns[a->nr_trace - 1], (u64)1) + 1) * a->nr_trace;
	default:
		return 0;
	}
}

u64 sim_arrival_estimate(const struct sim_arrival *a, u64 duration_ns)
{
	u64 most_ppm = SIM_PPM_ONE;

	for (u32 i = 0; i < a->nr_phases; i++)
		most_ppm = max(most_ppm, a->phases[i].rate_ppm);
	return (u64)((unsigned __int128)estimate_even(a, duration_ns) * most_ppm / SIM_PPM_ONE);
}
