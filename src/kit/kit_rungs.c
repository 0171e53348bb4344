// SPDX-License-Identifier: MIT
#include "kit/kit_ladder.h"

#include "driver/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_NS 10000000000ull
/* Long enough for many steps of every wave. */
#define LOOK_NS 1000000
#define CYCLES 20

static void rung_queue(const struct kit_climb *c, struct kit_report *r)
{
	struct kit_gpu gpu;
	struct kit_queue q;
	struct gpu_signal *signal;
	int err = kit_gpu_open(&gpu, c->node);

	if (!err)
		err = kit_gpu_alloc(&gpu, KIT_PAGE, &signal);
	if (err) {
		kit_say(r, KIT_FAIL, NULL, "opening the GPU: %s", strerror(-err));
		return;
	}
	err = kit_queue_create(&gpu, &q);
	if (err) {
		kit_say(r, KIT_FAIL, NULL, "making a queue: %s", strerror(-err));
		return;
	}
	*signal = (struct gpu_signal){ .kind = 1, .value = 1 };
	kit_queue_barrier(&q, signal);
	if (kit_signal_wait(signal, ANSWER_NS)) {
		kit_say(r, KIT_FAIL, "the kernel's log (dmesg)",
			"the doorbell was rung and nothing read the packet");
		return;
	}
	err = kit_queue_destroy(&q);
	if (err)
		kit_say(r, KIT_FAIL, "the kernel's log (dmesg)", "ending a queue: %s",
			strerror(-err));
	else
		kit_say(r, KIT_OK, NULL, "made, a packet processed, ended; save area %.1f MiB",
			(double)gpu.save_bytes / (1 << 20));
}

static void rung_kernel(const struct kit_climb *c, struct kit_report *r)
{
	struct kit_stage s;
	u64 values = 0;

	if (!kit_stage_open(&s, c, KIT_WAY_UPDATE, r))
		return;
	for (u32 k = 0; k < KIT_KERNELS; k++) {
		u32 nr_groups = max((u32)c->node->nr_xcc.value, 1u);
		struct kit_run run;
		int err = kit_run_create(&s.gpu, &s.code, k, nr_groups, KIT_FLAG_DUMP, &run);

		if (err) {
			kit_say(r, KIT_FAIL, NULL, "%s: %s", kit_shapes[k].name, strerror(-err));
			return;
		}
		if (!kit_stage_start(&s, &run, r))
			return;
		kit_sleep_ns(LOOK_NS);
		if (!kit_stage_end(&run, r))
			return;
		values += (u64)run.nr_waves * kit_rows(run.shape) * KIT_LANES;
	}
	kit_say(r, KIT_OK, NULL, "%d kernels for %s, %llu registers and words exact", KIT_KERNELS,
		c->node->name, (unsigned long long)values);
}

/* The waves' steps when they are stopped, and a while later. */
struct looks {
	u32 *before;
	u32 *after;
};

static bool looks_init(struct looks *l, u32 nr_waves, struct kit_report *r)
{
	l->before = calloc(nr_waves, sizeof(u32));
	l->after = calloc(nr_waves, sizeof(u32));
	if (!l->before || !l->after)
		kit_say(r, KIT_FAIL, NULL, "out of memory");
	return l->before && l->after;
}

/* Stopped, nothing moves; let go, everything does. */
static bool cycle(struct kit_stage *s, struct kit_run *run, struct looks *l, struct kit_report *r)
{
	int err = kit_way_stop(&s->hand);
	u32 moved;

	if (err) {
		kit_stage_fail(&s->hand, err, r);
		return false;
	}
	kit_run_steps(run, l->before);
	kit_sleep_ns(LOOK_NS);
	kit_run_steps(run, l->after);
	moved = kit_run_moved(run, l->before, l->after);
	if (moved < run->nr_waves) {
		kit_say(r, KIT_FAIL, NULL, "the queue was stopped and wave %u of %u ran on", moved,
			run->nr_waves);
		return false;
	}
	err = kit_way_go(&s->hand);
	if (err) {
		kit_stage_fail(&s->hand, err, r);
		return false;
	}
	if (kit_run_wait_steps(run, l->before, ANSWER_NS)) {
		kit_say(r, KIT_FAIL, "the kernel's log (dmesg)",
			"the queue was to go on and not all its %u waves do", run->nr_waves);
		return false;
	}
	r->stops++;
	return true;
}

static bool cycles(const struct kit_climb *c, struct kit_stage *s, struct kit_run *run, u32 nr,
		   struct kit_report *r)
{
	struct looks l;
	bool is_good = looks_init(&l, run->nr_waves, r) && kit_stage_start(s, run, r);

	/* Never the same moment again. */
	for (u32 i = 0; is_good && i < nr; i++) {
		kit_sleep_ns(50000 + i * 7919 % 200000);
		is_good = kit_is_alone(c, 1, r) && cycle(s, run, &l, r);
	}
	r->waves = max(r->waves, (u64)run->nr_waves);
	is_good = is_good && kit_stage_end(run, r);
	free(l.before);
	free(l.after);
	return is_good;
}

/* What the machine or the user lacks is no fault of the GPU. False: it is something else. */
static bool say_lacking(const struct kit_hand *h, int err, struct kit_report *r)
{
	struct drv_system s;

	if (err == -EOPNOTSUPP) {
		kit_say(r, KIT_SKIP, NULL, "%s: there is none", h->step);
		return true;
	}
	if (h->way == KIT_WAY_MODULE && (err == -EACCES || err == -EPERM)) {
		kit_say(r, KIT_SKIP, "it as root", "%s: %s", h->step, strerror(-err));
		return true;
	}
	if (strcmp(h->step, KIT_STEP_SEIZE) || err != -EPERM)
		return false;
	drv_system_read(NULL, &s);
	kit_say(r, KIT_SKIP, s.ptrace_scope.value == 3 ?
			"to reboot with kernel.yama.ptrace_scope=1" :
			"sysctl kernel.yama.ptrace_scope=1, or root",
		"%s: %s", h->step, strerror(-err));
	return true;
}

/* One wave with all that a wave can have, one way. */
static void rung_way(const struct kit_climb *c, enum kit_way_id way, struct kit_report *r)
{
	struct kit_stage s;
	struct kit_run run;
	int err;

	if (!kit_stage_open(&s, c, way, r))
		return;
	err = kit_way_begin(&s.hand, &s.q);
	if (err) {
		if (!say_lacking(&s.hand, err, r))
			kit_stage_fail(&s.hand, err, r);
		return;
	}
	err = kit_run_create(&s.gpu, &s.code, KIT_LIVE, 1, KIT_FLAG_DUMP, &run);
	if (err)
		kit_say(r, KIT_FAIL, NULL, "memory: %s", strerror(-err));
	else if (cycles(c, &s, &run, CYCLES, r))
		kit_say(r, KIT_OK, NULL, "stopped and continued %llu times, %u registers and words "
			"exact", (unsigned long long)r->stops, kit_rows(run.shape) * KIT_LANES);
	kit_way_end(&s.hand);
}

static void rung_update(const struct kit_climb *c, struct kit_report *r)
{
	rung_way(c, KIT_WAY_UPDATE, r);
}

static void rung_debug(const struct kit_climb *c, struct kit_report *r)
{
	struct kfd_ioctl_get_version_args v = { 0 };
	struct drv_system s;
	int kfd = drv_kfd_open();

	drv_system_read(NULL, &s);
	if (s.sched_policy.source && s.sched_policy.value == DRV_SCHED_POLICY_NO_HWS)
		kit_say(r, KIT_SKIP, "to boot without amdgpu.sched_policy=2",
			"the firmware scheduler is off: DBG_TRAP is refused");
	else if (kfd < 0 || drv_kfd_get_version(kfd, &v) || !drv_kfd_version_has_debug(&v))
		kit_say(r, KIT_SKIP, "Linux 6.5 or newer", "ioctl version %u.%u has no DBG_TRAP",
			v.major_version, v.minor_version);
	else
		rung_way(c, KIT_WAY_DEBUG, r);
}

static void rung_module(const struct kit_climb *c, struct kit_report *r)
{
	rung_way(c, KIT_WAY_MODULE, r);
}

/* Every compute unit of every XCC: few large waves, then many small ones. */
static void rung_many(const struct kit_climb *c, struct kit_report *r)
{
	static const enum kit_kernel kernels[] = { KIT_GROUP, KIT_LIGHT };
	struct kit_stage s;
	u64 bytes = 0;

	if (!kit_stage_open(&s, c, KIT_WAY_UPDATE, r) || kit_way_begin(&s.hand, &s.q))
		return;
	for (u32 i = 0; i < ARRAY_SIZE(kernels); i++) {
		u32 nr = kit_stage_groups(c, kernels[i], c->fill);
		struct kit_run run;
		int err = kit_run_create(&s.gpu, &s.code, kernels[i], nr, KIT_FLAG_SLEEP, &run);

		if (err) {
			kit_say(r, KIT_FAIL, NULL, "memory: %s", strerror(-err));
			return;
		}
		if (!cycles(c, &s, &run, CYCLES / 4, r))
			return;
		bytes = max(bytes, kit_stage_group_bytes(kernels[i]) * nr);
	}
	kit_say(r, KIT_OK, NULL, "%llu times up to %llu waves and %.1f MiB on %llu XCC%s, exact",
		(unsigned long long)r->stops, (unsigned long long)r->waves,
		(double)bytes / (1 << 20), (unsigned long long)c->node->nr_xcc.value,
		c->node->nr_xcc.value == 1 ? "" : "s");
}

const struct kit_rung kit_rungs[] = {
	{ "queue", "a queue of its own: a packet, a signal", 30, rung_queue, 0, true },
	{ "kernel", "kernels whose every register is known", 60, rung_kernel, 0, true },
	{ "update", "stopped by itself", 60, rung_update, 1u << KIT_WAY_UPDATE, true },
	{ "debugger", "stopped from outside", 60, rung_debug, 1u << KIT_WAY_DEBUG, true },
	{ "module", "stopped by gpreempt.ko", 60, rung_module, 1u << KIT_WAY_MODULE, true },
	{ "many", "every compute unit full", 120, rung_many, 0, true },
	{ "cost", "how long it all takes", 300, kit_rung_cost, 0, true },
	{ 0 },
};
