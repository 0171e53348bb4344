// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_story.h"

#include <unistd.h>

#define REQUESTS_ALONE "50"
#define WARM_UP_US 300000
#define WITHOUT "/tmp/without"

void gt_story_run(enum gt_how how, uid_t uid, const char *requests, struct gt_story *s)
{
	struct gt_load offline, online;
	struct gt_view view = {};

	GT_LOAD(&offline, how, uid, "besteffort", "load_offline");
	gt_sleep_us(WARM_UP_US);
	/* Only root may say that its work is more urgent than the default. */
	GT_LOAD(&online, how, 0, "realtime", "load_online", "--count", requests);
	gt_load_wait(&online, 60000);
	if (how != GT_PLAIN)
		GT_CHECK(!gt_daemon_view(offline.pid, &view), "offline is not listed");
	gt_load_stop(&offline, 10000);
	s->p50_us = gt_program_value(&online.program, "p50_us");
	s->p90_us = gt_program_value(&online.program, "p90_us");
	s->p99_us = gt_program_value(&online.program, "p99_us");
	s->max_us = gt_program_value(&online.program, "max_us");
	s->permille = gt_program_value(&offline.program, "busy_permille");
	s->nr_preempted = view.nr_preempted;
}

void gt_story_note(const char *name, const struct gt_story *s)
{
	gt_note("%s: online p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, max %.1f ms; "
		"offline at work %.1f %%; %lu preemptions", name, s->p50_us / 1e3, s->p90_us / 1e3,
		s->p99_us / 1e3, s->max_us / 1e3, s->permille / 10.0, s->nr_preempted);
}

uint64_t gt_story_alone_us(void)
{
	struct gt_program online;
	int r = GT_RUN(&online, 0, 60000, "load_online", "--count", REQUESTS_ALONE);

	GT_CHECK(!r, "online alone: %d", r);
	return gt_program_value(&online, "p99_us");
}

void gt_story_keep_without(const struct gt_story *s)
{
	FILE *f = fopen(WITHOUT, "we");

	GT_CHECK(f, "%s", WITHOUT);
	fprintf(f, "p50_us %lu\np99_us %lu\n", s->p50_us, s->p99_us);
	fclose(f);
}

void gt_story_without(struct gt_story *s)
{
	if (access(WITHOUT, F_OK))
		gt_skip("nothing to compare with: the case without gpreempt has not run");
	*s = (struct gt_story){ .p50_us = gt_file_value(WITHOUT, "p50_us"),
				.p99_us = gt_file_value(WITHOUT, "p99_us") };
}
