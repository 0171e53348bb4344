// SPDX-License-Identifier: MIT
/*
 * SPANK plug-in of Slurm: a job's class at gpreemptd by its QOS or partition. What it cannot do
 * is a line in slurmd's log, never a job that fails. See docs/guide/slurm.md.
 *
 * The environment of a job is its user's: class and group come from slurmctld, and reach
 * gpreemptd as a grant by root for the step, all of whose processes descend from slurmstepd.
 * What the job had of the GPUs goes into its AdminComment when a step ends.
 */
#include "gpreempt/gpreempt.h"

#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

SPANK_PLUGIN(gpreempt, 1)

#define SOCKET "socket="
#define SHIM "shim="
#define MAP "map="

/* What is known of the job of this step. */
static struct {
	uint32_t id;
	uid_t uid;
	char wish[GPREEMPT_NAME_LEN];  /* of --gpreempt-class, "" = none */
	char klass[GPREEMPT_NAME_LEN]; /* granted, "" = none */
	char group[GPREEMPT_NAME_LEN];
} job;

static int take_wish(int val, const char *class_name, int remote)
{
	if (!class_name || !*class_name || strlen(class_name) >= sizeof(job.wish)) {
		slurm_error("gpreempt: --gpreempt-class needs the name of a class");
		return -1;
	}
	strcpy(job.wish, class_name);
	return 0;
}

static struct spank_option class_option = {
	.name = "gpreempt-class",
	.arginfo = "CLASS",
	.usage = "class for GPU preemption, among those that QOS and partition allow",
	.has_arg = 1,
	.cb = take_wish,
};

/* The value of an argument of plugstack.conf, or NULL. */
static const char *argument(int ac, char **av, const char *key)
{
	for (int i = 0; i < ac; i++) {
		if (!strncmp(av[i], key, strlen(key)))
			return av[i] + strlen(key);
	}
	return NULL;
}

/* "qos:NAME=" or "partition:NAME=" before the classes. Return: these, or NULL. */
static const char *classes_of(const char *map, const char *kind, const char *name)
{
	size_t len = strlen(kind), name_len = name ? strlen(name) : 0;

	if (!name_len || strncmp(map, kind, len) || strncmp(map + len, name, name_len) ||
	    map[len + name_len] != '=')
		return NULL;
	return map + len + name_len + 1;
}

static const char *find_classes(int ac, char **av, const char *kind, const char *name)
{
	const char *found = NULL;

	for (int i = 0; i < ac && !found; i++) {
		if (!strncmp(av[i], MAP, strlen(MAP)))
			found = classes_of(av[i] + strlen(MAP), kind, name);
	}
	return found;
}

/* Of "A|B|C" the one that is wished for, else the first. */
static void choose(const char *classes)
{
	const char *at = classes;
	size_t len;

	do {
		len = strcspn(at, "|");
		if (len && len == strlen(job.wish) && !strncmp(at, job.wish, len))
			break;
		at += len + (at[len] == '|');
	} while (*at);
	if (!*at)
		at = classes;
	snprintf(job.klass, sizeof(job.klass), "%.*s", (int)strcspn(at, "|"), at);
}

/* How slurmctld is told which job is meant: by its number, since 2026 by a struct. */
#ifdef SPANK_JOB_BY_STEP_ID
static slurm_step_id_t job_name(void)
{
	slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;

	id.job_id = job.id;
	return id;
}
#define JOB_MEMBER step_id
#else
static uint32_t job_name(void)
{
	return job.id;
}
#define JOB_MEMBER job_id
#endif

/* What slurmctld knows of the job, for slurm_free_job_info_msg(); NULL after a line in the log. */
static job_info_msg_t *load_job(void)
{
	job_info_msg_t *info = NULL;

	if (!slurm_load_job(&info, job_name(), SHOW_ALL) && info->record_count)
		return info;
	slurm_error("gpreempt: job %u: slurmctld does not tell about it", job.id);
	if (info)
		slurm_free_job_info_msg(info);
	return NULL;
}

/* QOS first. An empty QOS says that there is no accounting. */
static void find_class(const slurm_job_info_t *info, int ac, char **av)
{
	const char *classes = find_classes(ac, av, "qos:", info->qos);

	if (!classes)
		classes = find_classes(ac, av, "partition:", info->partition);
	if (classes)
		choose(classes);
}

/* A job that was requeued has another group each time: accounting has a record for each. */
static void find_group(const slurm_job_info_t *info)
{
	int len = snprintf(job.group, sizeof(job.group), "slurm.%u", job.id);

	if (info && info->restart_cnt)
		snprintf(job.group + len, sizeof(job.group) - (size_t)len, ".%u",
			 info->restart_cnt);
}

int slurm_spank_init(spank_t sp, int ac, char **av)
{
	if (spank_option_register(sp, &class_option) != ESPANK_SUCCESS)
		slurm_error("gpreempt: cannot register --gpreempt-class");
	return 0;
}

/* Return: whether the job has its class now. */
static bool grant(const char *socket)
{
	struct gpreempt_attr attr = { .valid = GPREEMPT_ATTR_CLASS | GPREEMPT_ATTR_GROUP };
	struct gpreempt *g;
	int ret;

	if (gpreempt_open(&g, GPREEMPT_OPEN_DAEMON, socket)) {
		slurm_error("gpreempt: job %u: no class: gpreemptd does not answer", job.id);
		return false;
	}
	strcpy(attr.klass, job.klass);
	strcpy(attr.group, job.group);
	ret = gpreempt_grant(g, (uint32_t)getpid(), NULL, &attr, 0);
	if (ret)
		slurm_error("gpreempt: job %u: no class: %s", job.id, gpreempt_strerror(g));
	gpreempt_close(g);
	return !ret;
}

/* As root, before there is a task. */
int slurm_spank_init_post_opt(spank_t sp, int ac, char **av)
{
	job_info_msg_t *info;

	if (spank_context() != S_CTX_REMOTE ||
	    spank_get_item(sp, S_JOB_ID, &job.id) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_UID, &job.uid) != ESPANK_SUCCESS || !argument(ac, av, MAP))
		return 0;
	info = load_job();
	find_group(info ? &info->job_array[0] : NULL);
	if (info) {
		find_class(&info->job_array[0], ac, av);
		slurm_free_job_info_msg(info);
	}
	if (job.wish[0] && strcmp(job.wish, job.klass))
		slurm_info("gpreempt: job %u wishes class %s, may have %s", job.id, job.wish,
			   job.klass[0] ? job.klass : "what every user may");
	/* Accounting is to say what the job had, not what it should have had. */
	if (job.klass[0] && !grant(argument(ac, av, SOCKET)))
		job.klass[0] = '\0';
	return 0;
}

/* In front of what the job preloads itself. */
static void preload(spank_t sp, const char *shim)
{
	char before[2048] = "", now[4096];

	/* A list that does not fit comes back cut, and would be set so. */
	if (spank_getenv(sp, "LD_PRELOAD", before, sizeof(before)) == ESPANK_NOSPACE) {
		slurm_error("gpreempt: job %u: no shim: LD_PRELOAD is too long", job.id);
		return;
	}
	if (strstr(before, shim))
		return;
	snprintf(now, sizeof(now), "%s%s%s", shim, before[0] ? ":" : "", before);
	spank_setenv(sp, "LD_PRELOAD", now, 1);
}

/* A wish of the job's own may be less than the grant; more it cannot be. */
int slurm_spank_user_init(spank_t sp, int ac, char **av)
{
	const char *shim = argument(ac, av, SHIM);

	if (spank_context() != S_CTX_REMOTE)
		return 0;
	if (job.wish[0])
		spank_setenv(sp, "GPREEMPT_CLASS", job.wish, 1);
	if (shim)
		preload(sp, shim);
	return 0;
}

/* Room for the text of a node. */
#define COMMENT_LEN 512

/* The sum of the job on this node; the groups of other users have other accounts. 0 or -errno. */
static int get_total(const char *socket, struct gpreempt_total *total)
{
	struct gpreempt_total *all = NULL;
	struct gpreempt *g;
	size_t nr = 0, i;
	int ret = gpreempt_open(&g, GPREEMPT_OPEN_DAEMON, socket);

	if (ret)
		return ret;
	ret = gpreempt_get_totals(g, job.group, &all, &nr);
	gpreempt_close(g);
	for (i = 0; i < nr && all[i].account != job.uid; i++)
		;
	if (i < nr)
		*total = all[i];
	else if (!ret)
		ret = -ENOENT;
	gpreempt_free(all);
	return ret;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

#define BETWEEN "; "

/* "gpreempt[HOST]" and what follows. Return: length of what stands before the colon. */
static size_t say(const struct gpreempt_total *t, char *text)
{
	char host[64] = "";

	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, ".")] = '\0';
	snprintf(text, COMMENT_LEN,
		 "gpreempt[%s]: class=%s run=%.3fs off=%.3fs off_max=%.3fs preempted=%" PRIu64
		 " waited=%.3fs",
		 host, job.klass, seconds(t->run_ns), seconds(t->off_ns), seconds(t->off_max_ns),
		 t->nr_preempted, seconds(t->wait_ns));
	return strcspn(text, ":");
}

/* Behind what say() wrote, or what an older one did and others cut. Return: NULL = the end. */
static const char *end_of(const char *part)
{
	int len = 0;

	sscanf(part,
	       "gpreempt[%*[^]]]: class=%*s run=%*fs off=%*fs off_max=%*fs preempted=%*u"
	       " waited=%*fs%n",
	       &len);
	return len ? part + len : strstr(part, BETWEEN);
}

/* What others wrote stays, also of this plug-in on other nodes. Return: for free(). */
static char *merge(const char *old, const char *text, size_t name_len)
{
	const char *begin = old ? strstr(old, "gpreempt[") : NULL;
	const char *end;
	char *out = NULL;

	while (begin && strncmp(begin, text, name_len + 1))
		begin = strstr(begin + 1, "gpreempt[");
	end = begin ? end_of(begin) : NULL;
	if (begin && asprintf(&out, "%.*s%s%s", (int)(begin - old), old, text, end ?: "") < 0)
		return NULL;
	if (!begin && asprintf(&out, "%s%s%s", old ?: "", old && *old ? BETWEEN : "", text) < 0)
		return NULL;
	return out;
}

static void write_comment(const struct gpreempt_total *t)
{
	job_info_msg_t *info = load_job();
	char text[COMMENT_LEN];
	job_desc_msg_t change;
	size_t name_len;

	if (!info)
		return;
	name_len = say(t, text);
	slurm_init_job_desc_msg(&change);
	change.JOB_MEMBER = job_name();
	change.admin_comment = merge(info->job_array[0].admin_comment, text, name_len);
	if (!change.admin_comment || slurm_update_job(&change))
		slurm_error("gpreempt: job %u: cannot write its AdminComment: %s", job.id, text);
	free(change.admin_comment);
	slurm_free_job_info_msg(info);
}

/* The end of a step: in slurmstepd, as root, before slurmctld hears of it. */
int slurm_spank_exit(spank_t sp, int ac, char **av)
{
	const char *socket = argument(ac, av, SOCKET);
	struct gpreempt_total total;
	int ret;

	if (spank_context() != S_CTX_REMOTE || !job.klass[0])
		return 0;
	ret = get_total(socket, &total);
	if (!ret)
		write_comment(&total);
	else if (ret != -ENOENT)
		slurm_error("gpreempt: job %u: gpreemptd does not tell its totals", job.id);
	return 0;
}
