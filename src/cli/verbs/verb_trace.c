// SPDX-License-Identifier: MIT
#include "cli/cli_outfile.h"
#include "cli/cli_stream.h"
#include "cli/verbs/verb_trace_convert.h"

#include <string.h>

static const struct cli_verb record_verb = {
	.name = "trace record",
	.usage = "-o FILE [OPTION...]",
	.doc = "Writes the daemon's events and the records of its core to a file, one "
	       "JSON object a\n"
	       "line, until --duration or Ctrl-C; the file appears when it is complete.",
	.options = CLI_OPTS_RECORD,
};

static const struct cli_verb convert_verb = {
	.name = "trace convert",
	.usage = "RECORDING -o FILE [OPTION...]",
	.doc = "Makes a timeline out of a recording, to be opened in https://ui.perfetto.dev.",
	.options = CLI_OPTS_RECORD,
};

/**
 * struct record - a recording
 * @out: file
 * @nr: events
 * @is_bad: could not be written
 */
struct record {
	struct cli_outfile out;
	u64 nr;
	bool is_bad;
};

static bool write_line(struct record *r, const json_t *object)
{
	if (json_dumpf(object, r->out.file, JSON_COMPACT) || fputc('\n', r->out.file) == EOF)
		r->is_bad = true;
	return !r->is_bad;
}

static bool record_event(const json_t *event, void *arg)
{
	struct record *r = arg;

	r->nr++;
	return write_line(r, event);
}

/* What is there already: the events tell only of what comes. */
static int write_head(struct cli_session *s, struct record *r)
{
	json_t *processes, *nodes, *head;
	int ret = cli_session_processes(s, &processes);

	if (ret != CLI_GO_ON)
		return ret;
	ret = cli_session_nodes(s, &nodes);
	if (ret != CLI_GO_ON) {
		json_decref(processes);
		return ret;
	}
	head = json_pack("{s:o, s:o}", "processes", processes, "devices", nodes);
	head = cli_schema("trace", head);
	write_line(r, head);
	json_decref(head);
	return CLI_GO_ON;
}

static int need_output(const struct cli_options *o, int nr_words)
{
	if (!o->output) {
		cli_error("trace", "where to? -o FILE");
		return CLI_EXIT_USAGE;
	}
	if (o->nr_words < nr_words) {
		cli_error("trace", "which recording?");
		return CLI_EXIT_USAGE;
	}
	return cli_options_no_words(o, nr_words);
}

static int commit(struct cli_outfile *f, const char *path)
{
	int err = cli_outfile_commit(f);

	if (!err)
		return CLI_EXIT_OK;
	cli_error(path, "%s", strerror(-err));
	return CLI_EXIT_FAILED;
}

static int open_output(struct cli_outfile *f, const char *path)
{
	int err = cli_outfile_open(f, path);

	if (!err)
		return CLI_GO_ON;
	cli_error(path, "%s", strerror(-err));
	return CLI_EXIT_FAILED;
}

static int record(int argc, char **argv)
{
	struct record r = { 0 };
	struct cli_session s;
	struct cli_options o;
	int ret = cli_options_parse(argc, argv, &record_verb, &o);

	if (ret == CLI_GO_ON)
		ret = need_output(&o, 0);
	if (ret == CLI_GO_ON)
		ret = cli_session_open(&s, &o, false);
	if (ret != CLI_GO_ON)
		return ret;
	ret = open_output(&r.out, o.output);
	if (ret == CLI_GO_ON)
		ret = write_head(&s, &r);
	if (ret == CLI_GO_ON)
		ret = cli_stream_run(&s, GPREEMPT_MONITOR_TRACE, o.duration_ns, record_event, &r);
	cli_session_close(&s);
	/* What came before the daemon went is worth keeping. */
	if (r.out.file && r.nr)
		ret = commit(&r.out, o.output) ? CLI_EXIT_FAILED : ret;
	else if (r.out.file && !ret)
		ret = commit(&r.out, o.output);
	cli_outfile_abort(&r.out);
	if (!ret && !o.is_quiet)
		printf("%s: %llu event%s\n", o.output, (unsigned long long)r.nr,
		       r.nr == 1 ? "" : "s");
	return cli_finish(ret);
}

static int convert(int argc, char **argv)
{
	struct cli_outfile out;
	struct cli_options o;
	unsigned long line;
	FILE *in;
	int ret = cli_options_parse(argc, argv, &convert_verb, &o);

	if (ret == CLI_GO_ON)
		ret = need_output(&o, 1);
	if (ret != CLI_GO_ON)
		return ret;
	in = fopen(o.words[0], "r");
	if (!in) {
		cli_error(o.words[0], "%s", strerror(errno));
		return CLI_EXIT_FAILED;
	}
	ret = open_output(&out, o.output);
	if (ret == CLI_GO_ON) {
		ret = cli_trace_convert(in, out.file, &line);
		if (ret)
			cli_error(o.words[0], "line %lu: %s", line,
				  ret == -EINVAL ? "not a recording of gpreempt trace" :
						      strerror(-ret));
		ret = ret ? CLI_EXIT_FAILED : commit(&out, o.output);
		cli_outfile_abort(&out);
	}
	fclose(in);
	return cli_finish(ret);
}

int cli_trace_main(int argc, char **argv)
{
	static const struct cli_command commands[] = {
		{ "record", record, "write events to a file" },
		{ "convert", convert, "make a timeline of it" },
		{ NULL, NULL, NULL },
	};

	return cli_command_run("gpreempt trace", commands, argc - 1, argv + 1);
}
