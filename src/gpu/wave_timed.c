// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Waves that have nothing but a duration. A saved cohort is one record; what the
 * hardware would have written is accounted by the caller.
 */
#include "gpu/wave.h"

/* @ran_ns and @left_ns say the same thing twice, so that damage is noticed. */
struct timed_record {
	u64 packet;
	u64 ran_ns;
	u64 left_ns;
	u32 nr;
	u32 xcc;
};

static int timed_launch(struct gpu *gpu, struct gpu_cohort *cohort, u32 first, u32 nr)
{
	return 0;
}

static void timed_move(struct gpu_cohort *from, struct gpu_cohort *to, u32 nr)
{
}

static int timed_finish(struct gpu *gpu, struct gpu_cohort *cohort)
{
	return 0;
}

static void timed_drop(struct gpu *gpu, struct gpu_cohort *cohort)
{
}

static int timed_save(struct gpu_saver *s, struct gpu_cohort *cohort)
{
	const struct gpu_dispatch *d = cohort->dispatch;
	struct timed_record r = {
		.packet = d->packet,
		.ran_ns = cohort->ran_ns,
		.left_ns = d->run_ns - cohort->ran_ns,
		.nr = cohort->nr,
		.xcc = s->xcc,
	};

	return gpu_saver_write(s, &r, sizeof(r));
}

static int timed_restore(struct gpu_saver *s, struct gpu_cohort *cohort, u32 max)
{
	const struct gpu_dispatch *d = cohort->dispatch;
	struct timed_record r;
	int err = gpu_saver_read(s, &r, sizeof(r));

	if (err)
		return err;
	if (r.packet != d->packet || r.xcc != s->xcc || !r.nr || r.nr > max ||
	    r.ran_ns > d->run_ns || d->run_ns - r.ran_ns != r.left_ns)
		return -EINVAL;
	cohort->nr = r.nr;
	cohort->ran_ns = r.ran_ns;
	return 0;
}

const struct gpu_wave_ops gpu_timed_wave_ops = {
	.name = "timed",
	.magic = 0x54575047,	/* "GPWT" */
	.launch = timed_launch,
	.move = timed_move,
	.finish = timed_finish,
	.drop = timed_drop,
	.save = timed_save,
	.restore = timed_restore,
};
