// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cli/cli_class.h"
#include "cli/cli_shim_path.h"
#include "cli/cli_verb.h"
#include "driver/environ.h"
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

/* The variables of the shim. */
static const struct {
	const char *variable;
	enum kind kind;
	size_t at;
} table[] = {
	{ DRV_ENV_SOCKET, TEXT, AT(socket) },
	{ DRV_ENV_CLASS, TEXT, AT(klass) },
	{ DRV_ENV_PRIORITY, NUMBER_PLUS_1, AT(prio) },
	{ DRV_ENV_WEIGHT, NUMBER, AT(weight) },
	{ DRV_ENV_SLICE_NS, NUMBER, AT(slice_ns) },
	{ DRV_ENV_DEADLINE_NS, NUMBER, AT(deadline_ns) },
	{ DRV_ENV_LATENCY_CRITICAL, FLAG, AT(is_critical) },
	{ DRV_ENV_GROUP, TEXT, AT(group) },
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

/* This process is 0. The daemon, or without it the module, checks what this user may have. */
static void set_attributes(struct gpreempt *g, const struct cli_options *o, u32 mask)
{
	struct gpreempt_attr a = {
		.valid = (o->prio ? GPREEMPT_ATTR_PRIO : 0) |
			 (o->weight ? GPREEMPT_ATTR_WEIGHT : 0) |
			 (o->slice_ns ? GPREEMPT_ATTR_SLICE : 0) |
			 (o->deadline_ns ? GPREEMPT_ATTR_DEADLINE : 0) |
			 (o->is_critical ? GPREEMPT_ATTR_LATENCY_CRITICAL : 0) |
			 (o->klass ? GPREEMPT_ATTR_CLASS : 0) |
			 (o->group ? GPREEMPT_ATTR_GROUP : 0),
		.prio = o->prio ? (u32)o->prio - 1 : 0,
		.weight = (u32)o->weight,
		.slice_ns = o->slice_ns,
		.deadline_ns = o->deadline_ns,
		.latency_critical = o->is_critical,
	};

	snprintf(a.klass, sizeof(a.klass), "%s", o->klass ? o->klass : "");
	snprintf(a.group, sizeof(a.group), "%s", o->group ? o->group : "");
	a.valid &= mask;
	if (a.valid && gpreempt_set_attr(g, 0, &a))
		warn(gpreempt_strerror(g));
}

static bool is_module_used(struct gpreempt *g)
{
	json_t *info;
	bool is_used = !cli_session_ask(g, "GetInfo", NULL, &info) && cli_is_module(info);

	json_decref(info);
	return is_used;
}

/* Without the daemon. False = there is no module either. */
static bool run_directly(const struct cli_options *o)
{
	int fd = drv_module_open(), err;
	struct gpreempt *g;

	if (fd < 0)
		return false;
	close(fd);
	if (o->klass)
		warn("classes are the daemon's, and it does not run");
	err = gpreempt_open(&g, GPREEMPT_OPEN_DIRECT, NULL);
	if (err) {
		warn(strerror(-err));
	} else {
		set_attributes(g, o, ~GPREEMPT_ATTR_CLASS);
		gpreempt_close(g);
	}
	return true;
}

/*
 * Where the kernel module schedules, the attributes become those of this process. They stay
 * when it becomes the program, and are those of its children when these get queues. What is
 * refused is said, and does not stop the program. False = a shim is needed.
 */
static bool run_by_module(const struct cli_options *o)
{
	bool is_used, is_absent;
	struct gpreempt *g;
	int err;

	/* A user that names a shim wants it. */
	if (o->shim)
		return false;
	err = gpreempt_open(&g, GPREEMPT_OPEN_DAEMON, o->socket);
	if (!err) {
		is_used = is_module_used(g);
		if (is_used)
			set_attributes(g, o, ~0u);
		gpreempt_close(g);
		return is_used;
	}
	is_absent = err == -ENOENT || err == -ECONNREFUSED;
	if (is_absent && run_directly(o))
		return true;
	if (!o->is_quiet)
		warn(is_absent ? "the daemon does not run" : strerror(-err));
	return false;
}

/*
 * A class that is misspelt would cost a night. Only the daemon knows which there are; without it
 * the program runs unscheduled, and says so.
 */
static int check_class(const struct cli_options *o)
{
	struct gpreempt *g;
	int ret;

	if (!o->klass || gpreempt_open(&g, GPREEMPT_OPEN_DAEMON, o->socket))
		return CLI_GO_ON;
	ret = cli_class_check(g, "--class", o->klass);
	gpreempt_close(g);
	return ret == CLI_GO_ON ? ret : CLI_EXIT_RUN_FAILED;
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
	if (o->weight > GP_WEIGHT_MAX) {
		cli_error("--weight", "a number from 1 to %d", GP_WEIGHT_MAX);
		return CLI_EXIT_RUN_FAILED;
	}
	if (is_long(o->klass) || is_long(o->group)) {
		cli_error(is_long(o->klass) ? "--class" : "--group", "a name of at most %d bytes",
			  GPREEMPT_NAME_LEN - 1);
		return CLI_EXIT_RUN_FAILED;
	}
	return CLI_GO_ON;
}

/* A gang is a group with a name of its own kind. Return: CLI_GO_ON, or it is no name. */
static int name_gang(struct cli_options *o, char *name, size_t size)
{
	size_t most = size - sizeof(GP_GROUP_GANG);

	if (!o->gang)
		return CLI_GO_ON;
	if (o->group || !*o->gang || strlen(o->gang) > most) {
		cli_error("--gang", "a name of at most %zu bytes, and no --group", most);
		return CLI_EXIT_RUN_FAILED;
	}
	snprintf(name, size, GP_GROUP_GANG "%s", o->gang);
	o->group = name;
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
	char gang[GPREEMPT_NAME_LEN];
	int ret = name_gang(&s->o, gang, sizeof(gang));

	if (ret == CLI_GO_ON)
		ret = check(o);
	if (ret == CLI_GO_ON)
		ret = check_class(o);
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
	.example = "gpreempt run -c besteffort -- python3 train.py\n"
		   "gpreempt run -c realtime --deadline 20ms -- ./serve",
	.options = CLI_OPTS_RUN | CLI_OPTS_COMMAND,
	.nr_words = CLI_WORDS_ANY,
	.run = run,
};
