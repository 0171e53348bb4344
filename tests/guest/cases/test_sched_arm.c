// SPDX-License-Identifier: MIT
/*
 * Stores against arming in virtual time: other threads run between any two steps of arming and
 * of the fault (gpreempt_pause_us), at moments that a seed decides. No wake-up is lost. Two
 * planted errors are found.
 *
 * A million tries:
 *   GP_TEST_SCALE=1 vehicle/run --kernel uml --variant hooks --case no_wake sched_arm
 *
 * Variant: hooks
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_race.h"

#include <time.h>
#include <unistd.h>

#define TINY "profile=tiny poll_us=5000"
#define QUICK "poll_us=100 critical_us=100 tick_us=100"
#define SECONDS 30000
#define SEED gt_argument("seed", 20261118)
#define PAUSE_US 40
#define MAX_DELAY_US 120
#define NR_FULL 1000000
#define NR_SHORT 2000
#define NR_TOLD 20000

/* Return: tries until one was lost, or @nr. */
static uint64_t race(struct gt_racer *r, uint64_t nr)
{
	uint64_t i;

	for (i = 0; i < nr; i++) {
		/* Every other one is against the arming that follows idle. */
		if (!(i % 2))
			gt_racer_rearm(r);
		gt_sleep_us(gt_racer_any(r, MAX_DELAY_US));
		if (gt_racer_submit(r, 0) || gt_racer_complete(r))
			break;
		/* A guest that says nothing for long is taken for stuck. */
		if (!((i + 1) % NR_TOLD))
			gt_note("%lu tries", i + 1);
	}
	return i;
}

static void begin(struct gt_racer *r)
{
	gt_gpk_load(QUICK);
	gt_gpk_module_param("kfdsim", "gpreempt_fault", 0);
	gt_racer_init(r, SEED, NULL);
	gt_gpk_module_param("kfdsim", "gpreempt_pause_us", PAUSE_US);
}

static void end(struct gt_racer *r)
{
	gt_gpk_module_param("kfdsim", "gpreempt_pause_us", 0);
	gt_gpk_module_param("kfdsim", "gpreempt_fault", 0);
	close(r->dev);
	gt_gpk_unload();
}

static void no_wake_up_is_lost(void)
{
	uint64_t tries, nr = gt_scaled(100) > 10 ? gt_scaled(NR_FULL) : NR_SHORT;
	struct gpreempt_ioc_stats s;
	struct gt_racer r;

	begin(&r);
	tries = race(&r, nr);
	s = gt_gpk_stats(r.gpu.id);
	gt_note("%lu tries, %llu faults", tries, s.nr_faults);
	GT_CHECK(tries == nr, "a wake-up was lost after %lu tries", tries);
	GT_CHECK(s.nr_faults > tries / 20, "%llu faults: nothing was armed", s.nr_faults);
	end(&r);
}

static void check_caught(struct gt_racer *r, const char *what)
{
	uint64_t tries = race(r, NR_FULL / 100);

	gt_note("%s: found after %lu tries", what, tries);
	GT_CHECK(tries < NR_FULL / 100, "%s is not found in %lu tries", what, tries);
	end(r);
}

static void clearing_the_flag_first_is_caught(void)
{
	struct gt_racer r;

	begin(&r);
	gt_gpk_module_param("kfdsim", "gpreempt_fault", 1);
	check_caught(&r, "a fault that clears the flag before it inserts the pages");
}

static void not_looking_again_is_caught(void)
{
	struct gt_racer r;

	begin(&r);
	gt_gpk_module_param("gpreempt", "fault", 1);
	check_caught(&r, "arming without a look at the pointers afterwards");
}

static const struct gt_case cases[] = {
	{ "no_wake_up_is_lost", no_wake_up_is_lost, TINY, SECONDS },
	{ "clearing_the_flag_first_is_caught", clearing_the_flag_first_is_caught, TINY, SECONDS },
	{ "not_looking_again_is_caught", not_looking_again_is_caught, TINY, SECONDS },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
