// SPDX-License-Identifier: MIT
#include "cli/cli_verb.h"

#include "driver/discover.h"
#include "rules/guess.h"
#include "rules/text.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* Options of all verbs but those of sim. */
#define ANY (1u << 31)
#define SIM_RUNS (CLI_OPTS_SIM_FILES | CLI_OPTS_SIM_DEMO | CLI_OPTS_ADVISE)
#define READS (CLI_OPTS_READ | CLI_OPTS_JSON | CLI_OPTS_MONITOR)

enum kind {
	KIND_FLAG,
	KIND_TEXT,
	KIND_TIME,
	KIND_DURATION, /* time with its unit */
	KIND_NUMBER,
	KIND_PRIO,  /* number + 1 */
	KIND_SEED,  /* number + 1 */
	KIND_WATCH, /* time that may be left out */
	KIND_DEVICE,
	KIND_GPU, /* the same, a number is that of amd-smi */
	KIND_CLOCK,
	KIND_COLOR,
	KIND_HELP,
};

#define AT(member) offsetof(struct cli_options, member)

static const struct {
	const char *name;
	int letter;	/* 0 = none */
	const char *value;	/* what it takes, NULL = nothing */
	enum kind kind;
	size_t at;
	u32 sets;
	const char *doc;
} table[] = {
	{ "json", 0, NULL, KIND_FLAG, AT(is_json), READS, "output for programs" },
	{ "csv", 0, NULL, KIND_FLAG, AT(is_csv), CLI_OPTS_TABLE, "values between commas" },
	{ "fields", 0, "A,B,...", KIND_TEXT, AT(fields), CLI_OPTS_TABLE,
	  "these columns; 'help' names them all" },
	{ "sort", 0, "[-]FIELD", KIND_TEXT, AT(sort), CLI_OPTS_TABLE | CLI_OPTS_TOP,
	  "sort by a column; - for the largest first" },
	{ "filter", 0, "COND,...", KIND_TEXT, AT(filter), CLI_OPTS_TABLE | CLI_OPTS_MONITOR,
	  "only rows with FIELD=TEXT, !=, <, >; * and ? match" },
	{ "no-header", 0, NULL, KIND_FLAG, AT(no_header), CLI_OPTS_TABLE, "no names of columns" },
	{ "watch", 'w', "[SEC]", KIND_WATCH, AT(watch_ns), CLI_OPTS_READ | CLI_OPTS_TOP,
	  "again every second, or every SEC" },
	{ "count", 'n', "N", KIND_NUMBER, AT(count),
	  CLI_OPTS_READ | CLI_OPTS_MONITOR | CLI_OPTS_TOP | CLI_OPTS_BENCH | CLI_OPTS_SELFTEST,
	  "end after N pictures, events or samples" },
	{ "histogram", 0, NULL, KIND_FLAG, AT(is_histogram), CLI_OPTS_STATS, "latency buckets" },
	{ "since", 0, "FILE", KIND_TEXT, AT(since), CLI_OPTS_STATS | CLI_OPTS_REPORT,
	  "since FILE, an output with --json, was written" },
	{ "trace", 0, NULL, KIND_FLAG, AT(is_trace), CLI_OPTS_MONITOR,
	  "records of the scheduling core too" },
	{ "time", 0, "CLOCK", KIND_CLOCK, AT(is_wall), CLI_OPTS_MONITOR,
	  "monotonic, or wall: date and time of day" },
	{ "once", 0, NULL, KIND_FLAG, AT(is_once), CLI_OPTS_TOP, "one picture as text" },
	{ "strict", 0, NULL, KIND_FLAG, AT(is_strict), CLI_OPTS_CHECK, "warnings are failures" },
	{ "dry-run", 0, NULL, KIND_FLAG, AT(is_dry_run), CLI_OPTS_DRY,
	  "only say what would change" },
	{ "pid", 0, "PID", KIND_NUMBER, AT(pid), CLI_OPTS_PID, "process" },
	{ "queue", 0, "ID", KIND_TEXT, AT(queue), CLI_OPTS_PID, "the process of this queue" },
	{ "job", 0, "NAME", KIND_TEXT, AT(job), CLI_OPTS_PID, "every process of this job" },
	{ "priority", 'p', "PRIO", KIND_PRIO, AT(prio), CLI_OPTS_RUN,
	  "0 to 15, higher is more urgent" },
	{ "class", 'c', "CLASS", KIND_TEXT, AT(klass), CLI_OPTS_RUN, "class of the configuration" },
	{ "slice", 's', "TIME", KIND_TIME, AT(slice_ns), CLI_OPTS_RUN, "time slice" },
	{ "deadline", 'd', "TIME", KIND_TIME, AT(deadline_ns), CLI_OPTS_RUN,
	  "after becoming busy, for edf and laxity" },
	{ "weight", 0, "N", KIND_NUMBER, AT(weight), CLI_OPTS_RUN, "1 to 10000, for fair" },
	{ "group", 'g', "NAME", KIND_TEXT, AT(group), CLI_OPTS_RUN,
	  "stopped and continued together" },
	{ "gang", 0, "NAME", KIND_TEXT, AT(gang), CLI_OPTS_RUN,
	  "the same on all GPUs at once: ranks of a job" },
	{ "latency-critical", 0, NULL, KIND_FLAG, AT(is_critical), CLI_OPTS_RUN,
	  "wants the fastest detection" },
	{ "shim", 0, "FILE", KIND_TEXT, AT(shim), CLI_OPTS_RUN | CLI_OPTS_CDI,
	  "library to preload" },
	{ "lease", 0, "TIME", KIND_TIME, AT(lease_ns), CLI_OPTS_HOLD,
	  "resume after TIME, 60s if not said" },
	{ "lease", 0, "TIME", KIND_TIME, AT(lease_ns), CLI_OPTS_GRANT,
	  "ends after TIME, else with revoke" },
	{ "wait", 0, NULL, KIND_FLAG, AT(is_waiting), CLI_OPTS_HOLD,
	  "hold while the command runs, resume when it ends" },
	{ "timeout", 0, "TIME", KIND_TIME, AT(timeout_ns), CLI_OPTS_TIMEOUT,
	  "give up after TIME, 5s" },
	{ "output", 'o', "FILE", KIND_TEXT, AT(output),
	  CLI_OPTS_RECORD | CLI_OPTS_CDI | CLI_OPTS_REPORT, "write to FILE" },
	{ "duration", 0, "TIME", KIND_TIME, AT(duration_ns), CLI_OPTS_RECORD, "end after TIME" },
	{ "output", 'o', "FILE", KIND_TEXT, AT(output), CLI_OPTS_CALIBRATE, "write to FILE" },
	{ "output", 'o', "DIR", KIND_TEXT, AT(output), CLI_OPTS_SELFTEST,
	  "write a bundle to send: DIR/selftest.json, DIR/selftest.html" },
	{ "shared", 0, NULL, KIND_FLAG, AT(is_shared), CLI_OPTS_SELFTEST,
	  "though other processes use the GPU: each stop interrupts them" },
	{ "step", 0, NULL, KIND_FLAG, AT(is_stepwise), CLI_OPTS_SELFTEST,
	  "wait for the return key before each rung" },
	{ "fill", 0, "PERCENT", KIND_NUMBER, AT(fill), CLI_OPTS_SELFTEST,
	  "fill so much of the GPU at most, 100" },
	{ "queues", 0, "N", KIND_NUMBER, AT(nr_queues), CLI_OPTS_BENCH, "queues of a batch" },
	{ "device", 0, "ID", KIND_DEVICE, AT(device), CLI_OPTS_DEVICE,
	  "one GPU, as list names it" },
	{ "gpu", 0, "GPU", KIND_GPU, AT(gpu_name), CLI_OPTS_DEVICE,
	  "the same by number, PCI address, UUID or renderD*" },
	{ "socket", 0, "PATH", KIND_TEXT, AT(socket), ANY, "control socket of the daemon" },
	{ "color", 0, "WHEN", KIND_COLOR, AT(color), ANY, "auto, always or never" },
	{ "quiet", 'q', NULL, KIND_FLAG, AT(is_quiet), ANY, "print only errors" },
	{ "verbose", 'v', NULL, KIND_FLAG, AT(is_verbose), ANY, "verbose output" },
	{ "policy", 0, "NAME", KIND_TEXT, AT(policy), CLI_OPTS_SIM_FILES, "scheduling policy" },
	{ "mechanism", 0, "NAME", KIND_TEXT, AT(mechanism), CLI_OPTS_SIM_RUN,
	  "how queues leave the GPU" },
	{ "detect", 0, "MODE", KIND_TEXT, AT(detect), CLI_OPTS_SIM_RUN, "how new work is noticed" },
	{ "gpu", 0, "NAME", KIND_TEXT, AT(gpu), CLI_OPTS_SIM_FILES | CLI_OPTS_TRACES,
	  "which GPU is simulated" },
	{ "model", 0, "NAME", KIND_TEXT, AT(model), CLI_OPTS_SIM_FILES, "how the GPU is modelled" },
	{ "seed", 0, "N", KIND_SEED, AT(seed), CLI_OPTS_SIM_FILES, "seed of every random number" },
	{ "duration", 0, "TIME", KIND_DURATION, AT(duration_ns), CLI_OPTS_SIM_FILES,
	  "virtual time in which requests arrive" },
	{ "json", 0, NULL, KIND_FLAG, AT(is_json), CLI_OPTS_SIM_FILES | CLI_OPTS_ADVISE,
	  "results for programs" },
	{ "trace", 0, "FILE", KIND_TEXT, AT(trace), CLI_OPTS_SIM_RUN,
	  "write a timeline for Perfetto" },
	{ "no-alone", 0, NULL, KIND_FLAG, AT(no_alone), CLI_OPTS_SIM_RUN,
	  "do not run each class by itself, too" },
	{ "out", 0, "DIR", KIND_TEXT, AT(out), CLI_OPTS_SIM_DEMO,
	  "folder for the files, gpreempt-demo" },
	{ "scenario", 0, "FILE", KIND_TEXT, AT(scenario), CLI_OPTS_SIM_DEMO, "another scenario" },
	{ "gap", 0, "TIME", KIND_DURATION, AT(gap_ns), CLI_OPTS_TRACES,
	  "shortest pause between two requests; found if not said" },
	{ "runs", 0, "N", KIND_NUMBER, AT(nr_runs), CLI_OPTS_ADVISE,
	  "runs with other random numbers, 5" },
	{ "html", 0, "FILE", KIND_TEXT, AT(html), CLI_OPTS_ADVISE, "write a page too" },
	{ "class", 0, "NAME", KIND_TEXT, AT(klass), CLI_OPTS_IMPORT,
	  "name of the class, that of the file if not said" },
	{ "offline", 0, NULL, KIND_FLAG, AT(is_offline), CLI_OPTS_IMPORT,
	  "as work that never ends, not as requests" },
	{ "output", 0, "FILE", KIND_TEXT, AT(output), CLI_OPTS_IMPORT,
	  "write the class to FILE, arrivals beside it" },
	{ "quiet", 'q', NULL, KIND_FLAG, AT(is_quiet), SIM_RUNS, "no progress bar" },
	{ "help", 'h', NULL, KIND_HELP, 0, ANY | CLI_OPTS_SIM, "this text" },
};

#define NR_OPTIONS ARRAY_SIZE(table)

static const char *default_socket;

void cli_options_set_socket(const char *socket)
{
	default_socket = socket;
}

static bool is_taken(const struct cli_verb *verb, u32 i)
{
	return table[i].sets & (verb->options | (verb->options & CLI_OPTS_SIM ? 0 : ANY));
}

/* Indented as the options are, so that they can be copied as lines. */
static void print_examples(const char *text)
{
	puts("\nexamples:");
	while (*text) {
		size_t len = strcspn(text, "\n");

		printf("  %.*s\n", (int)len, text);
		text += len + (text[len] == '\n');
	}
}

static void print_help(const struct cli_verb *verb)
{
	bool has_letters = !(verb->options & CLI_OPTS_SIM);

	printf("usage: gpreempt%s%s %s\n\n", *verb->name ? " " : "", verb->name, verb->usage);
	if (verb->doc)
		printf("%s\n\n", verb->doc);
	for (u32 i = 0; i < NR_OPTIONS; i++) {
		char text[48];
		char letter[8] = "    ";

		if (!is_taken(verb, i))
			continue;
		if (table[i].letter)
			snprintf(letter, sizeof(letter), "-%c, ", table[i].letter);
		snprintf(text, sizeof(text), "--%s%s%s", table[i].name,
			 table[i].value ? " " : "", table[i].value ? table[i].value : "");
		printf("  %s%-*s %s\n", has_letters ? letter : "", has_letters ? 20 : 18, text,
		       table[i].doc);
	}
	print_examples(verb->example);
}

/* Options of a verb for getopt_long: their values are 256 + index. */
static void make_options(const struct cli_verb *verb, struct option *out, char *letters)
{
	if (verb->options & CLI_OPTS_COMMAND)
		*letters++ = '+';
	*letters++ = ':';
	for (u32 i = 0; i < NR_OPTIONS; i++) {
		bool is_optional = table[i].kind == KIND_WATCH;

		if (!is_taken(verb, i))
			continue;
		*out++ = (struct option){
			.name = table[i].name,
			.has_arg = is_optional ? optional_argument :
				   table[i].value ? required_argument : no_argument,
			.val = 256 + (int)i,
		};
		if (!table[i].letter)
			continue;
		*letters++ = (char)table[i].letter;
		if (table[i].value)
			*letters++ = ':';
		if (is_optional)
			*letters++ = ':';
	}
	*out = (struct option){ 0 };
	*letters = '\0';
}

int cli_options_parse_time(const char *text, u64 *ns)
{
	/* Messages have no more than this. */
	return gp_text_read_time(text, GP_TEXT_S, ns) || *ns > INT64_MAX ? -EINVAL : 0;
}

int cli_options_parse_device(const char *text, u64 *gpu_id)
{
	if (!strncmp(text, "gpu:", 4))
		text += 4;
	return gp_text_read_u64(text, 1, UINT32_MAX, gpu_id) ? -EINVAL : 0;
}

static int parse_color(const char *text, enum cli_color *out)
{
	static const char *const names[] = { "auto", "always", "never" };

	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], text)) {
			*out = (enum cli_color)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int refuse(u32 i, const char *value, const char *wanted)
{
	char name[32];

	snprintf(name, sizeof(name), "--%s", table[i].name);
	cli_error(name, "'%.40s' is not %s", value, wanted);
	return CLI_EXIT_USAGE;
}

static int set_number(u32 i, const char *value, u64 *out)
{
	if (gp_text_read_u64(value, 0, INT32_MAX, out))
		return refuse(i, value, "a number");
	return *out ? CLI_GO_ON : refuse(i, value, "a number from 1 on");
}

/* 0 is something that was said: the number is kept + 1. */
static int set_from_0(u32 i, const char *value, u64 most, u64 *out)
{
	char wanted[48];

	snprintf(wanted, sizeof(wanted), "a number from 0 to %llu", (unsigned long long)most);
	if (gp_text_read_u64(value, 0, most, out))
		return refuse(i, value, wanted);
	++*out;
	return CLI_GO_ON;
}

/* Of --device a number is the gpu_id, so that 0 is none; of --gpu it is that of amd-smi. */
static int set_gpu(struct cli_options *o, u32 i, const char *value)
{
	bool is_id = table[i].kind == KIND_DEVICE;

	if (o->device || o->gpu_name) {
		cli_error(value, "one GPU is named already");
		return CLI_EXIT_USAGE;
	}
	if (is_id && !cli_options_parse_device(value, &o->device))
		return CLI_GO_ON;
	if (!drv_is_gpu_name(value) || !strcmp(value, "gpu:0") ||
	    (is_id && !value[strspn(value, "0123456789")]))
		return refuse(i, value, "a device as 'gpreempt list devices' names it");
	o->gpu_name = value;
	return CLI_GO_ON;
}

static int set_option(struct cli_options *o, u32 i, const char *value)
{
	void *at = (char *)o + table[i].at;

	switch (table[i].kind) {
	case KIND_FLAG:
		*(bool *)at = true;
		break;
	case KIND_TEXT:
		*(const char **)at = value;
		break;
	case KIND_WATCH:
		value = value ? value : "1";
		/* fall through */
	case KIND_TIME:
		if (cli_options_parse_time(value, at) || !*(u64 *)at)
			return refuse(i, value, "a time such as 20ms or 5");
		break;
	case KIND_DURATION:
		if (gp_text_read_time(value, 0, at) || !*(u64 *)at)
			return refuse(i, value, "a duration such as 20ms");
		break;
	case KIND_NUMBER:
		return set_number(i, value, at);
	case KIND_PRIO:
		return set_from_0(i, value, GPREEMPT_PRIO_MAX, at);
	case KIND_SEED:
		return set_from_0(i, value, INT64_MAX, at);
	case KIND_DEVICE:
	case KIND_GPU:
		return set_gpu(o, i, value);
	case KIND_CLOCK:
		*(bool *)at = !strcmp(value, "wall");
		if (!*(bool *)at && strcmp(value, "monotonic"))
			return refuse(i, value, "monotonic or wall");
		break;
	case KIND_COLOR:
		if (parse_color(value, at))
			return refuse(i, value, "auto, always or never");
		break;
	case KIND_HELP:
		break;
	}
	return CLI_GO_ON;
}

static u32 index_of(int id)
{
	for (u32 i = 0; id < 256 && i < NR_OPTIONS; i++) {
		if (table[i].letter == id)
			return i;
	}
	return (u32)(id - 256);
}

/* "-w 2": the value of an option that may have none, in a word of its own. */
static const char *take_number(int argc, char **argv)
{
	u64 ns;

	if (optind >= argc || cli_options_parse_time(argv[optind], &ns))
		return NULL;
	return argv[optind++];
}

u32 cli_options_walk(const struct cli_verb *verb, u32 from, struct cli_option_text *out)
{
	for (u32 i = from; i < NR_OPTIONS; i++) {
		if (is_taken(verb, i)) {
			*out = (struct cli_option_text){ table[i].name, table[i].letter,
							 table[i].value, table[i].doc };
			return i + 1;
		}
	}
	return 0;
}

static int complain(char **argv, int id, const struct cli_verb *verb)
{
	const char *cause =
		id == ':' ? "needs a value" : "no such option here, or too many values";
	const char *word = argv[optind - 1];
	struct gp_guess guess;

	gp_guess_init(&guess, strncmp(word, "--", 2) ? "" : word + 2);
	for (u32 i = 0; id != ':' && i < NR_OPTIONS; i++) {
		if (is_taken(verb, i))
			gp_guess_try(&guess, table[i].name);
	}
	if (guess.best)
		cli_error(word, "no such option here; did you mean --%s?", guess.best);
	else if (verb->options & CLI_OPTS_SIM)
		cli_error(word, "%s", cause);
	else
		cli_error(word, "%s; try gpreempt%s%s --help", cause, *verb->name ? " " : "",
			  verb->name);
	return CLI_EXIT_USAGE;
}

int cli_options_parse(int argc, char **argv, const struct cli_verb *verb, struct cli_options *o)
{
	struct option long_options[NR_OPTIONS + 1];
	char letters[3 * NR_OPTIONS + 3];
	int id, ret = CLI_GO_ON;

	memset(o, 0, sizeof(*o));
	make_options(verb, long_options, letters);
	opterr = 0;
	optind = 0;
	while (ret == CLI_GO_ON &&
	       (id = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
		const char *value = optarg;
		u32 i;

		if (id == '?' || id == ':')
			return complain(argv, id, verb);
		i = index_of(id);
		if (table[i].kind == KIND_HELP) {
			print_help(verb);
			return cli_finish(CLI_EXIT_OK);
		}
		if (table[i].kind == KIND_WATCH && !value)
			value = take_number(argc, argv);
		ret = set_option(o, i, value);
	}
	if (!o->socket)
		o->socket = default_socket;
	o->nr_words = argc - optind;
	o->words = argv + optind;
	return ret;
}

int cli_options_no_words(const struct cli_options *o, int allowed)
{
	if (o->nr_words <= allowed)
		return CLI_GO_ON;
	cli_error(o->words[allowed], "one word too many");
	return CLI_EXIT_USAGE;
}
