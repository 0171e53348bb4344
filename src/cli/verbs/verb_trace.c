// SPDX-License-Identifier: MIT
#include "cli/cli_outfile.h"
#include "cli/cli_verb.h"
#include "cli/verbs/verb_trace_convert.h"

#include <string.h>

struct record {
	struct cli_outfile out;
	u64 nr;	/* events */
	bool is_bad;	/* could not be written */
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
	int ret = cli_session_list(s, CLI_LIST_PROCESSES, &processes);

	if (ret != CLI_GO_ON)
		return ret;
	ret = cli_session_list(s, CLI_LIST_NODES, &nodes);
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

static int prepare(struct cli_session *s)
{
	int nr_words = s->verb == &cli_verb_trace_convert;

	if (s->o.output && s->o.nr_words >= nr_words)
		return cli_options_no_words(&s->o, nr_words);
	cli_error("trace", s->o.output ? "which recording?" : "where to? -o FILE");
	return CLI_EXIT_USAGE;
}

static int commit(struct cli_outfile *f, const char *path)
{
	int err = cli_outfile_commit(f);

	return err ? cli_fail(path, err, NULL) : CLI_EXIT_OK;
}

static int record(struct cli_session *s)
{
	const char *path = s->o.output;
	struct record r = { 0 };
	int ret = cli_outfile_open(&r.out, path);

	if (ret)
		return cli_fail(path, ret, NULL);
	ret = write_head(s, &r);
	if (ret == CLI_GO_ON)
		ret = cli_stream_run(s, GPREEMPT_MONITOR_TRACE, s->o.duration_ns, record_event, &r);
	/* What came before the daemon went is worth keeping. */
	if ((r.nr || !ret) && commit(&r.out, path))
		ret = CLI_EXIT_FAILED;
	cli_outfile_abort(&r.out);
	if (!ret && !s->o.is_quiet)
		printf("%s: %llu event%s\n", path, (unsigned long long)r.nr, r.nr == 1 ? "" : "s");
	return cli_finish(ret);
}

static int convert(struct cli_session *s)
{
	const char *from = s->o.words[0], *to = s->o.output;
	FILE *in = fopen(from, "r");
	struct cli_outfile out;
	unsigned long line;
	int ret;

	if (!in)
		return cli_fail(from, -errno, NULL);
	ret = cli_outfile_open(&out, to);
	if (ret) {
		ret = cli_fail(to, ret, NULL);
	} else {
		ret = cli_trace_convert(in, out.file, &line);
		if (ret)
			cli_error(from, "line %lu: %s", line,
				  ret == -EINVAL ? "not a recording of gpreempt trace" :
						   strerror(-ret));
		ret = ret ? CLI_EXIT_FAILED : commit(&out, to);
		cli_outfile_abort(&out);
	}
	fclose(in);
	return cli_finish(ret);
}

const struct cli_verb cli_verb_trace_record = {
	.name = "trace record",
	.usage = "-o FILE [OPTION...]",
	.doc = "Writes the daemon's events and the records of its core to a file, one "
	       "JSON object a\n"
	       "line, until --duration or Ctrl-C; the file appears when it is complete.",
	.example = "gpreempt trace record -o slow.jsonl --duration 10s",
	.options = CLI_OPTS_RECORD,
	.nr_words = CLI_WORDS_ANY,
	.partner = CLI_PARTNER_DAEMON,
	.prepare = prepare,
	.run = record,
};

const struct cli_verb cli_verb_trace_convert = {
	.name = "trace convert",
	.usage = "RECORDING -o FILE [OPTION...]",
	.doc = "Makes a timeline out of a recording, to be opened in https://ui.perfetto.dev.",
	.example = "gpreempt trace convert slow.jsonl -o slow.json",
	.options = CLI_OPTS_RECORD,
	.nr_words = CLI_WORDS_ANY,
	.prepare = prepare,
	.run = convert,
};
