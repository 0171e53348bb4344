// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"
#include "cli/cli_verb.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEFAULT_LEASE_NS (60 * CLI_NS_PER_S)
#define DEFAULT_TIMEOUT_NS (5 * CLI_NS_PER_S)
/* Of the minute that a hold without the daemon lasts. */
#define RENEW_NS (20 * CLI_NS_PER_S)

static json_t *target_json(const struct cli_object_ref *ref)
{
	json_t *t = json_pack("{s:I}", "pid", (json_int_t)ref->pid);

	if (ref->gpu_id)
		json_object_set_new(t, "gpu_id", json_integer(ref->gpu_id));
	if (ref->kind == CLI_OBJECT_QUEUE)
		json_object_set_new(t, "queue_id", json_integer(ref->queue_id));
	return t;
}

static int prepare(struct cli_session *s)
{
	const struct cli_options *o = &s->o;
	int ret = CLI_GO_ON;

	if (!o->nr_words) {
		cli_error(s->verb->name, "which process or queue? see gpreempt list");
		return CLI_EXIT_USAGE;
	}
	for (int i = 0; ret == CLI_GO_ON && i < o->nr_words; i++) {
		struct cli_object_ref ref;

		ret = cli_object_parse(o->words[i], &ref);
		if (ret == CLI_GO_ON && ref.kind == CLI_OBJECT_DEVICE) {
			cli_error(o->words[i], "name processes or queues, not a device");
			ret = CLI_EXIT_USAGE;
		}
	}
	/* The daemon holds for as long as the command runs; so can the library. */
	if (ret == CLI_GO_ON)
		ret = cli_session_open(s, o->is_waiting && !o->is_dry_run);
	return ret;
}

static int exit_of(const char *result)
{
	static const struct {
		const char *name;
		int code;
	} codes[] = {
		{ "ok", CLI_EXIT_OK }, { "gone", CLI_EXIT_NOT_FOUND },
		{ "refused", CLI_EXIT_DENIED }, { "busy", CLI_EXIT_TIMEOUT },
	};

	for (u32 i = 0; result && i < ARRAY_SIZE(codes); i++) {
		if (!strcmp(codes[i].name, result))
			return codes[i].code;
	}
	return CLI_EXIT_FAILED;
}

/* What became of each; gives the code of the first that failed. */
static int print_results(const json_t *reply, const char *done, const struct cli_options *o)
{
	const json_t *list = json_object_get(reply, "results");
	bool is_told = !o->is_json && !o->is_quiet;
	int ret = CLI_EXIT_OK;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *r = json_array_get(list, i);
		const char *result = json_string_value(json_object_get(r, "result"));
		const char *reason = json_string_value(json_object_get(r, "reason"));
		char name[64], time[CLI_TEXT_MAX_DURATION];
		int code = exit_of(result);

		cli_object_name(r, name, sizeof(name));
		if (code)
			cli_error(name, "%s", reason ? reason : result ? result : "no result");
		else if (is_told && json_is_integer(json_object_get(r, "took_ns")))
			printf("%s: %s (%s)\n", name, done,
			       cli_format_duration((u64)cli_number(r, "took_ns"), time));
		else if (is_told)
			printf("%s: %s\n", name, done);
		ret = ret ? ret : code;
	}
	return ret;
}

/* Takes the reference. */
static void tell_json(struct cli_session *s, json_t *reply)
{
	if (s->o.is_json)
		cli_print_json(s->verb->name, reply, false);
	else
		json_decref(reply);
}

/* False = a signal ends us. */
static bool sleep_ns(const sigset_t *ends, u64 ns)
{
	struct timespec t = { (time_t)(ns / CLI_NS_PER_S), (long)(ns % CLI_NS_PER_S) };
	int sig;

	do
		sig = sigtimedwait(ends, NULL, &t);
	while (sig < 0 && errno == EINTR);
	return sig < 0;
}

/* Without the daemon: every word of the command line is one of @refs. */
static int hold(struct cli_session *s, struct gpreempt_ref *refs, u64 lease_ns)
{
	int done = gpreempt_suspend_queues(s->g, refs, (size_t)s->o.nr_words, lease_ns,
					   s->o.timeout_ns);

	return done < 0 ? cli_session_fail(s, "suspend", done) : CLI_EXIT_OK;
}

/* A process that has gone needs no hold, and does not end the holds of others. */
static bool is_any_held(const struct cli_session *s, const struct gpreempt_ref *refs)
{
	for (int i = 0; i < s->o.nr_words; i++) {
		if (!refs[i].result)
			return true;
	}
	return false;
}

/*
 * Until the lease ends or a signal ends us. The daemon holds for the connection; without
 * it, with @refs, a hold is a short one, and asked for again.
 */
static int stay(struct cli_session *s, struct gpreempt_ref *refs)
{
	u64 left = s->o.lease_ns, step;
	int ret = CLI_EXIT_OK;
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	/* A reader of this line may end us at once. */
	sigprocmask(SIG_BLOCK, &ends, NULL);
	fflush(stdout);
	while (!ret && left) {
		step = refs ? min(left, (u64)RENEW_NS) : left;
		if (!sleep_ns(&ends, step))
			break;
		left -= step;
		if (left)
			ret = hold(s, refs, left);
		if (left && !ret && !is_any_held(s, refs))
			break;
	}
	return ret;
}

/* What became of each; gives the code of the last that failed. */
static int tell_directly(struct cli_session *s, const struct gpreempt_ref *refs)
{
	json_t *results = json_array();
	int ret = CLI_EXIT_OK;

	for (int i = 0; i < s->o.nr_words; i++) {
		int err = refs[i].result;
		struct cli_object_ref ref;
		json_t *r;

		cli_object_parse(s->o.words[i], &ref);
		r = target_json(&ref);
		json_object_set_new(r, "result", json_string(err ? "error" : "ok"));
		if (err)
			json_object_set_new(r, "reason", json_string(strerror(-err)));
		json_array_append_new(results, r);
		if (err)
			ret = cli_session_fail(s, s->o.words[i], err);
		else if (!s->o.is_quiet && !s->o.is_json)
			printf("%s: suspended\n", s->o.words[i]);
	}
	tell_json(s, json_pack("{s:o}", "results", results));
	return ret;
}

/* Through the library's own tracers, while the command runs. */
static int hold_directly(struct cli_session *s)
{
	struct gpreempt_ref *refs = calloc((size_t)s->o.nr_words, sizeof(*refs));
	int ret;

	if (!refs)
		return cli_session_fail(s, "suspend", -ENOMEM);
	for (int i = 0; i < s->o.nr_words; i++) {
		struct cli_object_ref ref;

		cli_object_parse(s->o.words[i], &ref);
		refs[i].pid = ref.pid;
		refs[i].gpu_id = ref.gpu_id;
		refs[i].queue_id = ref.kind == CLI_OBJECT_QUEUE ? ref.queue_id : GPREEMPT_QUEUE_ALL;
	}
	ret = hold(s, refs, s->o.lease_ns);
	if (!ret)
		ret = tell_directly(s, refs);
	if (!ret)
		ret = stay(s, refs);
	free(refs);
	return cli_finish(ret);
}

static json_t *make_parameters(const struct cli_options *o)
{
	/* The library waits longer, so that the daemon can say for each what became of it. */
	u64 ms = o->timeout_ns / CLI_NS_PER_MS;
	json_t *targets = json_array();

	for (int i = 0; i < o->nr_words; i++) {
		struct cli_object_ref ref;

		cli_object_parse(o->words[i], &ref);
		json_array_append_new(targets, target_json(&ref));
	}
	return json_pack("{s:o, s:I, s:b}", "targets", targets, "timeout_ms",
			 (json_int_t)max(ms, (u64)1), "dry_run", o->is_dry_run);
}

static int order(struct cli_session *s)
{
	bool is_suspend = s->verb == &cli_verb_suspend;
	json_t *parameters, *reply;
	char done[32];
	int ret;

	s->o.timeout_ns = s->o.timeout_ns ? s->o.timeout_ns : DEFAULT_TIMEOUT_NS;
	s->o.lease_ns = s->o.lease_ns ? s->o.lease_ns : DEFAULT_LEASE_NS;
	if (s->is_direct)
		return hold_directly(s);
	parameters = make_parameters(&s->o);
	if (is_suspend) {
		u64 ms = max((u64)(s->o.lease_ns / CLI_NS_PER_MS), (u64)1);

		json_object_set_new(parameters, "lease_ms", json_integer((json_int_t)ms));
		json_object_set_new(parameters, "keep", json_boolean(!s->o.is_waiting));
	}
	ret = cli_session_call(s, NULL, is_suspend ? "Suspend" : "Resume", parameters, &reply);
	if (ret != CLI_GO_ON)
		return ret;
	snprintf(done, sizeof(done), "%s%s", s->o.is_dry_run ? "would be " : "",
		 is_suspend ? "suspended" : "resumed");
	ret = print_results(reply, done, &s->o);
	tell_json(s, reply);
	if (!ret && s->o.is_waiting && !s->o.is_dry_run)
		ret = stay(s, NULL);
	return cli_finish(ret);
}

const struct cli_verb cli_verb_suspend = {
	.name = "suspend",
	.usage = "PID|PID/GPU|PID/GPU/QUEUE... [OPTION...]",
	.doc = "Stops queues; their waves are saved. They go on with gpreempt resume, or by\n"
	       "themselves when the lease ends, or with --wait when the command ends.",
	.example = "gpreempt suspend 4711 --lease 1min\n"
		   "gpreempt suspend 4711/51234/0 --wait",
	.options = CLI_OPTS_DRY | CLI_OPTS_HOLD | CLI_OPTS_TIMEOUT | CLI_OPTS_JSON,
	.nr_words = CLI_WORDS_ANY,
	.prepare = prepare,
	.run = order,
};

const struct cli_verb cli_verb_resume = {
	.name = "resume",
	.usage = "PID|PID/GPU|PID/GPU/QUEUE... [OPTION...]",
	.doc = "Continues queues that were stopped with gpreempt suspend.",
	.example = "gpreempt resume 4711",
	.options = CLI_OPTS_DRY | CLI_OPTS_TIMEOUT | CLI_OPTS_JSON,
	.nr_words = CLI_WORDS_ANY,
	.prepare = prepare,
	.run = order,
};
