// SPDX-License-Identifier: MIT
#include "kit/kit_ladder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isa/record.h"

/* A wave that was told to begin or to end does so within this, on a GPU that works. */
#define ANSWER_NS 10000000000ull

void kit_stage_fail(const struct kit_hand *h, int err, struct kit_report *r)
{
	const char *remedy = NULL, *text = strerror(-err);

	switch (err) {
	case -ETIME:
	case -ETIMEDOUT:
		text = "the firmware did not answer: a queue or the GPU hangs";
		remedy = "the kernel's log (dmesg)";
		break;
	case -EACCES:
		if (h->way != KIT_WAY_UPDATE)
			break;
		text = "the queue was reset: it did not leave when it was told to";
		remedy = "the kernel's log (dmesg)";
		break;
	case -EIO:
		text = "the hardware failed: a queue did not leave when it was told to";
		remedy = "the kernel's log (dmesg)";
		break;
	}
	kit_say(r, KIT_FAIL, remedy, "%s: %s", h->step, text);
}

const struct kit_object *kit_stage_object(const struct kit_climb *c, struct kit_report *r)
{
	const struct kit_object *object = kit_object_find(c->node->name);

	if (!object)
		kit_say(r, KIT_FAIL, "a build with LLVM 19 or newer (clang, lld), or another GPU",
			"this program has no kernels for %s", c->node->name);
	return object;
}

static bool load(struct kit_stage *s, const struct kit_climb *c, struct kit_report *r)
{
	const struct kit_object *object = kit_stage_object(c, r);
	int err;

	if (!object)
		return false;
	err = kit_code_load(&s->gpu, object, &s->code);
	if (err)
		kit_say(r, KIT_FAIL, NULL, "loading the kernels: %s", strerror(-err));
	return !err;
}

bool kit_stage_open(struct kit_stage *s, const struct kit_climb *c, enum kit_way_id way,
		    struct kit_report *r)
{
	int err = kit_gpu_open(&s->gpu, c->node);

	if (err) {
		kit_say(r, KIT_FAIL, NULL, "opening the GPU: %s", strerror(-err));
		return false;
	}
	err = kit_way_prepare(&s->hand, way, &s->gpu);
	if (err) {
		kit_stage_fail(&s->hand, err, r);
		return false;
	}
	err = kit_queue_create(&s->gpu, &s->q);
	if (err) {
		kit_say(r, KIT_FAIL, NULL, "making a queue: %s", strerror(-err));
		return false;
	}
	return load(s, c, r);
}

u32 kit_stage_groups(const struct kit_climb *c, enum kit_kernel kernel, u32 percent)
{
	u32 nr_xcc = max((u32)c->node->nr_xcc.value, 1u);
	u32 all = (u32)c->node->nr_cu.value * kit_shapes[kernel].per_cu;

	return max(all * percent / 100, nr_xcc);
}

u64 kit_stage_group_bytes(enum kit_kernel kernel)
{
	const struct kit_shape *s = &kit_shapes[kernel];
	u32 lds = s->waves * s->nr_lds * KIT_LANES * 4;
	/* 112 SGPRs: kernels.s asks for as many as there are. */
	const u32 sgprs = 112;

	return (u64)isa_record_bytes(s->nr_vgprs + s->nr_accs, sgprs, 0) * s->waves + lds;
}

bool kit_stage_start(struct kit_stage *s, struct kit_run *run, struct kit_report *r)
{
	kit_run_start(run, &s->q);
	if (!kit_run_wait_steps(run, NULL, ANSWER_NS))
		return true;
	kit_say(r, KIT_FAIL, "the kernel's log (dmesg)",
		"a kernel of %u waves was started and not all of them run", run->nr_waves);
	return false;
}

bool kit_stage_end(struct kit_run *run, struct kit_report *r)
{
	char why[KIT_TEXT];

	kit_run_end(run);
	if (kit_signal_wait(run->signal, ANSWER_NS)) {
		kit_say(r, KIT_FAIL, "the kernel's log (dmesg)",
			"a kernel was told to end and does not: a wave is lost, or faulted");
		return false;
	}
	if (kit_run_check(run, why))
		return true;
	kit_say(r, KIT_FAIL, "to report it with --json: this must not happen", "%s", why);
	return false;
}
