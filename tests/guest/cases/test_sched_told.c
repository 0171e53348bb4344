// SPDX-License-Identifier: MIT
/*
 * The daemon tells the kernel module what is said of cgroups: by a command, by a pattern of its
 * configuration and by an extended attribute; to a module that is loaded anew too. The
 * module keeps it without the daemon.
 *
 * Variant: hooks
 * Needs: stack
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_cgroup.h"
#include "gt/gt_command.h"

#include <errno.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MS GT_COMMAND_MS
/* The daemon comes by every second. */
#define COMES_BY_US 1500000

static void begin(struct gt_program *daemon, const char *config)
{
	gt_cgroup_begin();
	gt_cgroup_make("/a");
	gt_cgroup_make("/a/b");
	gt_command_begin(daemon, config);
}

static void end(struct gt_program *daemon)
{
	gt_command_end(daemon);
	gt_cgroup_remove("/a/b");
	gt_cgroup_remove("/a");
	gt_cgroup_end();
}

static void check(const char *what, double want)
{
	gt_cgroup_check(what, gt_cgroup_waves(), want);
}

static void a_command_says_it(void)
{
	struct gt_program daemon;
	struct gt_load l;

	begin(&daemon, NULL);
	GT_COMMAND(NULL, "set", "cgroup:/a", "max=30000 100000");
	gt_cgroup_load(&l, "/a/b", "5");
	check("from the start", 0.3);
	gt_sleep_us(COMES_BY_US);
	GT_COMMAND("30000 100000", "list", "cgroups");
	GT_REFUSED(GT_USER, "set", "cgroup:/a", "max=");
	check("refused", 0.3);
	gt_daemon_stop(&daemon);
	check("without the daemon", 0.3);
	gt_daemon_start(&daemon, NULL);
	check("with the next daemon", 0.3);
	gt_gpk_unload();
	gt_command_load();
	gt_sleep_us(COMES_BY_US);
	check("with the module loaded anew", 0.3);
	GT_COMMAND(NULL, "set", "cgroup:/a", "max=");
	check("taken back", 1.0);
	gt_load_stop(&l, MS);
	end(&daemon);
}

static void a_pattern_says_it(void)
{
	struct gt_program daemon;
	struct gt_load l;

	begin(&daemon, "[cgroup /?/*]\nmax = 20000 100000\n");
	gt_cgroup_load(&l, "/a/b", "5");
	gt_sleep_us(COMES_BY_US);
	check("a pattern", 0.2);
	gt_load_stop(&l, MS);
	end(&daemon);
}

static void an_attribute_says_it(void)
{
	static const char limit[] = "40000 100000";
	struct gt_program daemon;
	struct gt_load l;

	begin(&daemon, NULL);
	gt_cgroup_load(&l, "/a/b", "5");
	gt_sleep_us(COMES_BY_US);
	check("nothing is said", 1.0);
	if (setxattr(GT_CGROUPS "/a", "user.gpu.max", limit, strlen(limit), 0) &&
	    errno == EOPNOTSUPP)
		gt_skip("this kernel has no extended attributes of cgroups");
	gt_sleep_us(COMES_BY_US);
	check("an attribute", 0.4);
	gt_load_stop(&l, MS);
	end(&daemon);
}

/* What is used is the module's word. */
static void usage_is_listed(void)
{
	struct gt_program daemon;
	struct gt_load l;
	json_t *reply, *one;
	double part;
	int fd;

	begin(&daemon, NULL);
	GT_COMMAND(NULL, "set", "cgroup:/a", "max=30000 100000");
	gt_cgroup_load(&l, "/a/b", "5");
	gt_sleep_us(5000000);
	fd = gt_control_open();
	reply = gt_control_call(fd, "ListCgroups", "{}");
	one = json_array_get(json_object_get(reply, "cgroups"), 0);
	GT_CHECK(one && !strcmp(json_string_value(json_object_get(one, "cgroup")), "/a"),
		 "/a is not listed");
	GT_CHECK(json_integer_value(json_object_get(one, "nr_processes")) == 1, "%lld processes",
		 json_integer_value(json_object_get(one, "nr_processes")));
	part = (double)json_integer_value(json_object_get(one, "usage_usec")) / 5000000;
	gt_cgroup_check("listed", part, 0.3);
	GT_CHECK(json_integer_value(json_object_get(one, "nr_throttled")) >= 45,
		 "throttled %lld times", json_integer_value(json_object_get(one, "nr_throttled")));
	json_decref(reply);
	close(fd);
	gt_load_stop(&l, MS);
	end(&daemon);
}

static const struct gt_case cases[] = {
	{ "a_command_says_it", a_command_says_it, GT_TINY, 300 },
	{ "a_pattern_says_it", a_pattern_says_it, GT_TINY, 120 },
	{ "an_attribute_says_it", an_attribute_says_it, GT_TINY, 120 },
	{ "usage_is_listed", usage_is_listed, GT_TINY, 120 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
