// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/cli_shim_path.h"
#include "cli/cli_verb.h"
#include "driver/module.h"
#include "rules/group.h"
#include "rules/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { TEXT,
	    NUMBER,
	    NUMBER_PLUS_1,
	    FLAG };

#define AT(member) offsetof(struct cli_options, member)

/* The attributes: for the shim, for the daemon, and as the module counts them. */
static const struct {
	const char *variable;
	const char *key;
	enum kind kind;
	size_t at;
	u32 bit;
} table[] = {
	{ "GPREEMPT_SOCKET", NULL, TEXT, AT(socket), 0 },
	{ "GPREEMPT_CLASS", "class", TEXT, AT(klass), 0 },
	{ "GPREEMPT_PRIORITY", "priority", NUMBER_PLUS_1, AT(prio), GPREEMPT_ATTR_F_PRIO },
	{ "GPREEMPT_WEIGHT", "weight", NUMBER, AT(weight), GPREEMPT_ATTR_F_WEIGHT },
	{ "GPREEMPT_SLICE_NS", "slice_ns", NUMBER, AT(slice_ns), GPREEMPT_ATTR_F_SLICE },
	{ "GPREEMPT_DEADLINE_NS", "deadline_ns", NUMBER, AT(deadline_ns),
	  GPREEMPT_ATTR_F_DEADLINE },
	{ "GPREEMPT_LATENCY_CRITICAL", "latency_critical", FLAG, AT(is_critical),
	  GPREEMPT_ATTR_F_LATENCY_CRITICAL },
	{ "GPREEMPT_GROUP", "group", TEXT, AT(group), GPREEMPT_ATTR_F_GROUP },
};

/* As text, a number in @number; NULL = it was not said. */
static const char *text_of(const struct cli_options *o, u32 i, char number[GP_TEXT_NUMBER_MAX])
{
	const void *at = (const char *)o + table[i].at;
	u64 value;

	if (table[i].kind == TEXT)
		return *(const char *const *)at;
	value = table[i].kind == FLAG ? *(const bool *)at : *(const u64 *)at;
	if (!value)
		return NULL;
	return gp_text_u64(value - (table[i].kind == NUMBER_PLUS_1), number);
}

static void set_variables(const struct cli_options *o)
{
	char number[GP_TEXT_NUMBER_MAX];

	for (u32 i = 0; i < ARRAY_SIZE(table); i++) {
		const char *text = text_of(o, i, number);

		if (text)
			setenv(table[i].variable, text, 1);
	}
}

/* Before what is preloaded already: our ioctl() must be the first. */
static int preload(const char *shim)
{
	const char *old = getenv("LD_PRELOAD");
	char *all;
	int n;

	if (strpbrk(shim, ": ")) {
		cli_error(shim, "LD_PRELOAD cannot take a path with a blank or a colon");
		return CLI_EXIT_RUN_FAILED;
	}
	if (old && strstr(old, shim))
		return CLI_GO_ON;
	n = asprintf(&all, "%s%s%s", shim, old && *old ? ":" : "", old && *old ? old : "");
	if (n < 0 || setenv("LD_PRELOAD", all, 1)) {
		cli_error("LD_PRELOAD", "%s", strerror(errno));
		return CLI_EXIT_RUN_FAILED;
	}
	free(all);
	return CLI_GO_ON;
}

static void warn(const char *reason)
{
	cli_error("run", "%s; the program starts all the same", reason);
}

static json_t *attributes_json(const struct cli_options *o)
{
	char number[GP_TEXT_NUMBER_MAX];
	json_t *out = json_object();

	for (u32 i = 0; i < ARRAY_SIZE(table); i++) {
		const char *text = text_of(o, i, number);

		if (table[i].key && text)
			json_object_set_new(out, table[i].key,
					    table[i].kind == TEXT ? json_string(text) :
					    table[i].kind == FLAG ? json_true() :
					    json_integer(strtoll(text, NULL, 10)));
	}
	return out;
}

/* The daemon checks what this user may have. Process 0 is the caller. */
static void set_by_daemon(struct gpreempt *g, const struct cli_options *o)
{
	json_t *attributes = attributes_json(o), *reply = NULL;

	if (json_object_size(attributes) &&
	    cli_session_ask(g, "SetAttributes",
			    json_pack("{s:i, s:O}", "pid", 0, "attributes", attributes), &reply))
		warn(gpreempt_strerror(g));
	json_decref(reply);
	json_decref(attributes);
}

static bool is_module_used(struct gpreempt *g)
{
	json_t *info;
	bool is_used = !cli_session_ask(g, "GetInfo", NULL, &info) &&
		       !strcmp(cli_text(info, "scheduler"), "kernel");

	json_decref(info);
	return is_used;
}

static void set_by_device(int fd, const struct cli_options *o)
{
	struct gpreempt_ioc_attr a = {
		.prio = o->prio ? (uint32_t)o->prio - 1 : 0,
		.weight = (uint32_t)o->weight,
		.latency_critical = o->is_critical,
		.slice_ns = o->slice_ns,
		.deadline_ns = o->deadline_ns,
		.group = o->group ? gp_group_number(o->group) : 0,
	};
	char number[GP_TEXT_NUMBER_MAX];
	int err;

	for (u32 i = 0; i < ARRAY_SIZE(table); i++)
		a.valid |= text_of(o, i, number) ? table[i].bit : 0;
	if (o->klass)
		warn("classes are the daemon's, and it does not run");
	err = a.valid ? drv_module_set_attr(fd, -1, &a) : 0;
	if (err)
		warn(err == -EPERM ? "this user may not have these attributes" : strerror(-err));
}

/*
 * Where the kernel module schedules, the attributes become those of this process. They stay
 * when it becomes the program, and are those of its children when these get queues. What is
 * refused is said, and does not stop the program. False = a shim is needed.
 */
static bool run_by_module(const struct cli_options *o)
{
	struct gpreempt *g;
	bool is_done = false;
	int fd, err;

	/* A user that names a shim wants it. */
	if (o->shim)
		return false;
	err = gpreempt_open(&g, GPREEMPT_OPEN_DAEMON, o->socket);
	if (!err) {
		is_done = is_module_used(g);
		if (is_done)
			set_by_daemon(g, o);
		gpreempt_close(g);
	} else if (err == -ENOENT || err == -ECONNREFUSED) {
		fd = drv_module_open();
		is_done = fd >= 0;
		if (is_done) {
			set_by_device(fd, o);
			close(fd);
		}
	}
	if (err && !is_done && !o->is_quiet)
		warn(err == -ENOENT || err == -ECONNREFUSED ? "the daemon does not run" :
							      strerror(-err));
	return is_done;
}

static bool is_long(const char *name)
{
	return name && strlen(name) >= GPREEMPT_NAME_LEN;
}

static int check(const struct cli_options *o)
{
	if (!o->nr_words) {
		cli_error("run", "which program? try gpreempt run --help");
		return CLI_EXIT_RUN_FAILED;
	}
	if (o->weight > 10000) {
		cli_error("--weight", "a number from 1 to 10000");
		return CLI_EXIT_RUN_FAILED;
	}
	if (is_long(o->klass) || is_long(o->group)) {
		cli_error(is_long(o->klass) ? "--class" : "--group", "a name of at most 31 bytes");
		return CLI_EXIT_RUN_FAILED;
	}
	return CLI_GO_ON;
}

static int use_shim(const struct cli_options *o)
{
	char shim[CLI_SHIM_PATH_MAX];
	int ret;

	if (cli_shim_find(o->shim, shim, sizeof(shim))) {
		cli_error(shim, "the shim is not there; try GPREEMPT_SHIM=FILE or --shim FILE");
		return CLI_EXIT_RUN_FAILED;
	}
	set_variables(o);
	ret = preload(shim);
	if (ret == CLI_GO_ON && o->is_verbose)
		cli_error("run", "LD_PRELOAD=%s", getenv("LD_PRELOAD"));
	return ret;
}

static int run(struct cli_session *s)
{
	const struct cli_options *o = &s->o;
	int ret = check(o);

	if (ret != CLI_GO_ON)
		return ret;
	if (!run_by_module(o))
		ret = use_shim(o);
	else if (o->is_verbose)
		cli_error("run", "the kernel module schedules: no shim");
	if (ret != CLI_GO_ON)
		return ret;
	execvp(o->words[0], o->words);
	ret = errno == ENOENT ? CLI_EXIT_RUN_MISSING : CLI_EXIT_RUN_CANNOT;
	cli_fail(o->words[0], -errno, NULL);
	return ret;
}

const struct cli_verb cli_verb_run = {
	.name = "run",
	.usage = "[OPTION...] [--] COMMAND [ARGUMENT...]",
	.doc = "Starts a program whose queues can be stopped and continued: with the "
	       "shim for the\n"
	       "daemon, or with its attributes only where the kernel module schedules.\n"
	       "Ends with the program's status; 125 if gpreempt itself failed, 126 if the program\n"
	       "cannot be executed, 127 if there is none.",
	.options = CLI_OPTS_RUN | CLI_OPTS_COMMAND,
	.nr_words = CLI_WORDS_ANY,
	.run = run,
};
