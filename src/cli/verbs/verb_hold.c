// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S 1000000000ull
#define NS_PER_MS 1000000ull
#define DEFAULT_LEASE_NS (60 * NS_PER_S)
#define DEFAULT_TIMEOUT_NS (5 * NS_PER_S)
/* Of the minute that a hold without the daemon lasts. */
#define RENEW_NS (20 * NS_PER_S)

static const struct cli_verb suspend_verb = {
	.name = "suspend",
	.usage = "PID|PID/GPU|PID/GPU/QUEUE... [OPTION...]",
	.doc = "Stops queues; their waves are saved. They go on with gpreempt resume, or by\n"
	       "themselves when the lease ends, or with --wait when the command ends.",
	.options = CLI_OPTS_DRY | CLI_OPTS_HOLD | CLI_OPTS_TIMEOUT | CLI_OPTS_JSON,
};

static const struct cli_verb resume_verb = {
	.name = "resume",
	.usage = "PID|PID/GPU|PID/GPU/QUEUE... [OPTION...]",
	.doc = "Continues queues that were stopped with gpreempt suspend.",
	.options = CLI_OPTS_DRY | CLI_OPTS_TIMEOUT | CLI_OPTS_JSON,
};

static json_t *target_json(const struct cli_object_ref *ref)
{
	json_t *t = json_pack("{s:I}", "pid", (json_int_t)ref->pid);

	if (ref->gpu_id)
		json_object_set_new(t, "gpu_id", json_integer(ref->gpu_id));
	if (ref->kind == CLI_OBJECT_QUEUE)
		json_object_set_new(t, "queue_id", json_integer(ref->queue_id));
	return t;
}

static int parse_targets(const struct cli_options *o, const char *name, json_t **out)
{
	int ret = CLI_GO_ON;

	if (!o->nr_words) {
		cli_error(name, "which process or queue? see gpreempt list");
		return CLI_EXIT_USAGE;
	}
	*out = json_array();
	for (int i = 0; ret == CLI_GO_ON && i < o->nr_words; i++) {
		struct cli_object_ref ref;

		ret = cli_object_parse(o->words[i], &ref);
		if (ret == CLI_GO_ON && ref.kind == CLI_OBJECT_DEVICE) {
			cli_error(o->words[i], "name processes or queues, not a device");
			ret = CLI_EXIT_USAGE;
		}
		if (ret == CLI_GO_ON)
			json_array_append_new(*out, target_json(&ref));
	}
	if (ret != CLI_GO_ON)
		json_decref(*out);
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

static void name_target(const json_t *r, char *out, size_t size)
{
	static const char *const names[] = { "pid", "gpu_id", "queue_id" };
	size_t len = 0;

	out[0] = '\0';
	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		const json_t *v = json_object_get(r, names[i]);

		if (!json_is_integer(v))
			break;
		len += (size_t)snprintf(out + len, size - len, "%s%lld", i ? "/" : "",
					(long long)json_integer_value(v));
	}
}

/* What became of each; gives the code of the first that failed. */
static int print_results(const json_t *reply, const char *done, const struct cli_options *o)
{
	const json_t *list = json_object_get(reply, "results");
	int ret = CLI_EXIT_OK;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *r = json_array_get(list, i);
		const char *result = json_string_value(json_object_get(r, "result"));
		const char *reason = json_string_value(json_object_get(r, "reason"));
		const json_t *took = json_object_get(r, "took_ns");
		char name[64], time[CLI_TEXT_MAX_DURATION];
		int code = exit_of(result);

		name_target(r, name, sizeof(name));
		if (code)
			cli_error(name, "%s", reason ? reason : result ? result : "no result");
		else if (!o->is_json && !o->is_quiet && json_is_integer(took))
			printf("%s: %s (%s)\n", name, done,
			       cli_format_duration((u64)json_integer_value(took), time));
		else if (!o->is_json && !o->is_quiet)
			printf("%s: %s\n", name, done);
		ret = ret ? ret : code;
	}
	return ret;
}

/* Takes the reference. */
static void tell_json(const char *verb, json_t *reply, const struct cli_options *o)
{
	if (o->is_json)
		cli_print_json(cli_schema(verb, reply), false);
	else
		json_decref(reply);
}

/* False = a signal ends us. */
static bool sleep_ns(const sigset_t *ends, u64 ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };
	int sig;

	do
		sig = sigtimedwait(ends, NULL, &t);
	while (sig < 0 && errno == EINTR);
	return sig < 0;
}

/**
 * struct direct - a hold without the daemon
 * @s: conversation
 * @refs: what is held
 * @nr: so many
 * @timeout_ns: for one order
 */
struct direct {
	struct cli_session *s;
	struct gpreempt_ref *refs;
	size_t nr;
	u64 timeout_ns;
};

static int hold(struct direct *d, u64 lease_ns)
{
	int done = gpreempt_suspend_queues(d->s->g, d->refs, d->nr, lease_ns, d->timeout_ns);

	return done < 0 ? cli_session_fail(d->s, "suspend", done) : CLI_EXIT_OK;
}

/* A process that has gone needs no hold, and does not end the holds of others. */
static bool is_any_held(const struct direct *d)
{
	for (size_t i = 0; i < d->nr; i++) {
		if (!d->refs[i].result)
			return true;
	}
	return false;
}

/*
 * Until the lease ends or a signal ends us. The daemon holds for the connection; without
 * it a hold is a short one, and asked for again.
 */
static int stay(const struct cli_options *o, struct direct *d)
{
	u64 left = o->lease_ns, step;
	int ret = CLI_EXIT_OK;
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	/* A reader of this line may end us at once. */
	sigprocmask(SIG_BLOCK, &ends, NULL);
	fflush(stdout);
	while (!ret && left) {
		step = d ? min(left, (u64)RENEW_NS) : left;
		if (!sleep_ns(&ends, step))
			break;
		left -= step;
		if (left)
			ret = hold(d, left);
		if (left && !ret && !is_any_held(d))
			break;
	}
	return ret;
}

/* What became of each; gives the code of the first that failed. */
static int tell_directly(const struct direct *d, const struct cli_options *o)
{
	json_t *results = json_array();
	int ret = CLI_EXIT_OK;

	for (int i = 0; i < o->nr_words; i++) {
		int err = d->refs[i].result;
		struct cli_object_ref ref;
		json_t *r;

		cli_object_parse(o->words[i], &ref);
		r = target_json(&ref);
		json_object_set_new(r, "result", json_string(err ? "error" : "ok"));
		if (err)
			json_object_set_new(r, "reason", json_string(strerror(-err)));
		json_array_append_new(results, r);
		if (err)
			ret = cli_session_fail(d->s, o->words[i], err);
		else if (!o->is_quiet && !o->is_json)
			printf("%s: suspended\n", o->words[i]);
	}
	tell_json("suspend", json_pack("{s:o}", "results", results), o);
	return ret;
}

/* Through the library's own tracers, while the command runs. */
static int hold_directly(struct cli_session *s, const struct cli_options *o, u64 timeout_ns)
{
	struct direct d = { .s = s, .nr = (size_t)o->nr_words, .timeout_ns = timeout_ns };
	int ret;

	d.refs = calloc(d.nr, sizeof(*d.refs));
	if (!d.refs)
		return cli_session_fail(s, "suspend", -ENOMEM);
	for (size_t i = 0; i < d.nr; i++) {
		struct cli_object_ref ref;

		cli_object_parse(o->words[i], &ref);
		d.refs[i].pid = ref.pid;
		d.refs[i].gpu_id = ref.gpu_id;
		d.refs[i].queue_id =
			ref.kind == CLI_OBJECT_QUEUE ? ref.queue_id : GPREEMPT_QUEUE_ALL;
	}
	ret = hold(&d, o->lease_ns);
	if (!ret)
		ret = tell_directly(&d, o);
	if (!ret)
		ret = stay(o, &d);
	free(d.refs);
	return cli_finish(ret);
}

static int order(const struct cli_options *o, const char *method, json_t *parameters,
		 const char *done)
{
	u64 timeout_ns = o->timeout_ns ? o->timeout_ns : DEFAULT_TIMEOUT_NS;
	/* The daemon gives up first, so that it can say for each what became of it. */
	u64 ms = timeout_ns * 9 / 10 / NS_PER_MS;
	struct cli_session s;
	json_t *reply;
	int ret = cli_session_open(&s, o, o->is_waiting && !o->is_dry_run);

	if (ret == CLI_GO_ON && s.is_direct) {
		ret = hold_directly(&s, o, timeout_ns);
		cli_session_close(&s);
	}
	if (ret != CLI_GO_ON) {
		json_decref(parameters);
		return ret;
	}
	json_object_set_new(parameters, "timeout_ms", json_integer((json_int_t)max(ms, (u64)1)));
	if (o->is_dry_run)
		json_object_set_new(parameters, "dry_run", json_true());
	ret = cli_session_call(&s, NULL, method, parameters, &reply);
	if (ret == CLI_GO_ON) {
		ret = print_results(reply, done, o);
		tell_json(*method == 'S' ? "suspend" : "resume", reply, o);
		if (!ret && o->is_waiting && !o->is_dry_run)
			ret = stay(o, NULL);
		ret = cli_finish(ret);
	}
	cli_session_close(&s);
	return ret;
}

int cli_suspend_main(int argc, char **argv)
{
	json_t *targets, *parameters;
	struct cli_options o;
	int ret = cli_options_parse(argc, argv, &suspend_verb, &o);

	if (ret == CLI_GO_ON)
		ret = parse_targets(&o, "suspend", &targets);
	if (ret != CLI_GO_ON)
		return ret;
	if (!o.lease_ns)
		o.lease_ns = DEFAULT_LEASE_NS;
	parameters = json_pack("{s:o, s:I, s:b}", "targets", targets, "lease_ms",
			       (json_int_t)max((u64)(o.lease_ns / NS_PER_MS), (u64)1), "keep",
			       !o.is_waiting);
	return order(&o, "Suspend", parameters, o.is_dry_run ? "would be suspended" : "suspended");
}

int cli_resume_main(int argc, char **argv)
{
	json_t *targets;
	struct cli_options o;
	int ret = cli_options_parse(argc, argv, &resume_verb, &o);

	if (ret == CLI_GO_ON)
		ret = parse_targets(&o, "resume", &targets);
	if (ret != CLI_GO_ON)
		return ret;
	return order(&o, "Resume", json_pack("{s:o}", "targets", targets),
		     o.is_dry_run ? "would be resumed" : "resumed");
}
