// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Waves with registers and LDS. The state of a workgroup is kept in the layout in
 * which it is saved: for each wave 32 hardware registers, 128 SGPRs, the VGPRs of
 * 64 lanes; then the LDS.
 *
 * A step changes words only by operations that can be undone (add, xor, rotate,
 * multiply by an odd number), each word from itself and from words that the same
 * operation leaves alone. So a step is a permutation of all states: two states
 * that differ in one bit anywhere never become equal again, and the result at the
 * end, which folds every word, shows it.
 *
 * Waves of a workgroup step together and share LDS. State is brought up to date
 * only when it is asked for: after t of running it has taken t / step_ns steps. A
 * program may have taken 10^14 of them by then, and its save must not wait
 * for these: see changes_after(). Steps that change nothing still count, and the
 * count is part of the result.
 */
#include "gpu/wave.h"

/* Hardware registers with a meaning; the rest, from HW_STATE, just evolve. */
enum {
	HW_STEP = 0,		/* u64: steps taken */
	HW_GROUP = 2,
	HW_WAVE = 3,
	HW_PART_NS = 4,		/* u64: when saved: time into the current step */
	HW_LEFT_NS = 6,		/* u64: when saved: time left; must fit the others */
	HW_STATE = 8,
};

#define NR_HW_STATE (GPU_WAVE_HWREGS - HW_STATE)

#define FULL_STEPS 256u

/* 64 doublings, which are more than a u64 of steps has above FULL_STEPS. */
_Static_assert(FULL_STEPS + 64 * (FULL_STEPS / 2) <= GPU_WAVE_MAX_CHANGES, "bound");

struct gpu_workgroup {
	struct gpu_workgroup *next;
	u32 id;
	u32 data[] __attribute__((aligned(8)));
};

/* A wave's record in the control stack. */
struct ctl_wave {
	u32 group;
	u16 wave;
	u16 packet;	/* low bits */
};

_Static_assert(sizeof(struct ctl_wave) == GPU_CTL_BYTES_PER_WAVE, "control stack");

/* One wave, taken apart. */
struct wave {
	u32 *hw;
	u32 *sgpr;
	u32 *vgpr;
	u32 *lds;
	u32 nr_lds;
};

static u64 mix(u64 x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	return x ^ x >> 32;
}

static u32 rotl(u32 x, u32 n)
{
	return x << n | x >> (32 - n);
}

static u64 get64(const u32 *words)
{
	return words[0] | (u64)words[1] << 32;
}

static void set64(u32 *words, u64 value)
{
	words[0] = (u32)value;
	words[1] = (u32)(value >> 32);
}

static struct wave wave_of(const struct gpu_dispatch *d, struct gpu_workgroup *g, u32 index)
{
	struct wave w;

	w.hw = g->data + index * (d->wave_bytes / 4);
	w.sgpr = w.hw + GPU_WAVE_HWREGS;
	w.vgpr = w.sgpr + GPU_WAVE_SGPRS;
	w.lds = g->data + d->waves * (d->wave_bytes / 4);
	w.nr_lds = d->lds_bytes / 4;
	return w;
}

/* Which registers a step touches: the same for all waves, so worked out once. */
struct step {
	u32 number;
	u32 to;		/* first word of the VGPR that changes */
	u32 from;	/* and of the one it is changed with, another one */
	u32 sgpr;	/* factor; the two after it change */
	u32 lane;	/* whose value goes to the scalars */
	u32 hw;
};

static struct step step_of(u32 nr_vgprs, u32 number)
{
	u32 r = number % nr_vgprs;
	struct step s = {
		.number = number,
		.to = r * GPU_LANES,
		.from = (r + 1 + number / nr_vgprs % (nr_vgprs - 1)) % nr_vgprs * GPU_LANES,
		.sgpr = number % GPU_WAVE_SGPRS,
		.lane = number % GPU_LANES,
		.hw = HW_STATE + number % NR_HW_STATE,
	};

	return s;
}

/*
 * One vector operation: every lane of one register, with another register and a
 * scalar; two lanes at a time, as that is quicker. Other lanes meet in the scalars,
 * which are fed from a different one each step.
 */
static void step_vgprs(const struct wave *w, const struct step *s)
{
	u64 factor = w->sgpr[s->sgpr] | 1;
	u64 *to = (u64 *)(w->vgpr + s->to);
	const u64 *from = (const u64 *)(w->vgpr + s->from);
	u32 i;

	for (i = 0; i < GPU_LANES / 2; i++)
		to[i] = to[i] * factor + (from[i] << 7 | from[i] >> 57) + i;
}

static void step_scalars(const struct wave *w, const struct step *s)
{
	u32 value = w->vgpr[s->to + s->lane];
	u32 *hw = &w->hw[s->hw];
	u32 at;

	w->sgpr[(s->sgpr + 1) % GPU_WAVE_SGPRS] += value ^ *hw;
	*hw = rotl(*hw, 5) + value;
	if (!w->nr_lds)
		return;
	at = (s->number * 17 + w->hw[HW_WAVE] * 31) % w->nr_lds;
	w->lds[at] = w->lds[at] * 5 + value;
	w->sgpr[(s->sgpr + 2) % GPU_WAVE_SGPRS] ^= w->lds[(at + 1) % w->nr_lds];
}

/*
 * How often the state has changed after a number of steps: with each of the first
 * FULL_STEPS, then FULL_STEPS / 2 times as often as the number doubles. Never goes
 * down, so a run in pieces is the same as a run in one.
 */
static u32 changes_after(u64 steps)
{
	u32 doubled = 0;

	while (steps >> doubled >= FULL_STEPS)
		doubled++;
	return doubled * (FULL_STEPS / 2) + (u32)(steps >> doubled);
}

static void change(const struct gpu_dispatch *d, struct gpu_workgroup *g, u32 number)
{
	struct step s = step_of(d->vgprs, number);
	u32 i;

	for (i = 0; i < d->waves; i++) {
		struct wave w = wave_of(d, g, i);

		step_vgprs(&w, &s);
		step_scalars(&w, &s);
	}
}

/* At most GPU_WAVE_MAX_CHANGES rounds in the life of a workgroup. */
static void run_to(const struct gpu_dispatch *d, struct gpu_workgroup *g, u64 target)
{
	u32 number = changes_after(get64(&g->data[HW_STEP]));
	u32 end = changes_after(target);
	u32 i;

	for (; number < end; number++)
		change(d, g, number);
	for (i = 0; i < d->waves; i++)
		set64(&wave_of(d, g, i).hw[HW_STEP], target);
}

static void append(struct gpu_cohort *c, struct gpu_workgroup *g)
{
	g->next = NULL;
	if (c->groups_end)
		c->groups_end->next = g;
	else
		c->groups = g;
	c->groups_end = g;
}

static struct gpu_workgroup *alloc_group(struct gpu *gpu, const struct gpu_dispatch *d)
{
	return gpu->host->ops->alloc(gpu->host, sizeof(struct gpu_workgroup) + d->group_bytes);
}

/* Registers and LDS at the start: no two waves or words alike. */
static void init_group(const struct gpu_dispatch *d, struct gpu_workgroup *g)
{
	u64 key = mix(d->arg.seed ^ mix(g->id + 1ull));
	u32 i;

	for (i = 0; i < d->group_bytes / 4; i++)
		g->data[i] = (u32)mix(key + i);
	for (i = 0; i < d->waves; i++) {
		struct wave w = wave_of(d, g, i);

		memset(w.hw, 0, HW_STATE * sizeof(u32));
		w.hw[HW_GROUP] = g->id;
		w.hw[HW_WAVE] = i;
	}
}

static int state_launch(struct gpu *gpu, struct gpu_cohort *c, u32 first, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		struct gpu_workgroup *g = alloc_group(gpu, c->dispatch);

		if (!g)
			return -ENOMEM;
		g->id = (first + i) * gpu->profile->nr_xcc + c->xcc;
		init_group(c->dispatch, g);
		append(c, g);
	}
	return 0;
}

static void state_move(struct gpu_cohort *from, struct gpu_cohort *to, u32 nr)
{
	struct gpu_workgroup *last = from->groups;
	u32 i;

	for (i = 1; i < from->nr - nr; i++)
		last = last->next;
	to->groups = last->next;
	to->groups_end = from->groups_end;
	last->next = NULL;
	from->groups_end = last;
}

static void state_drop(struct gpu *gpu, struct gpu_cohort *c)
{
	struct gpu_workgroup *g = c->groups;

	while (g) {
		struct gpu_workgroup *next = g->next;

		gpu->host->ops->free(gpu->host, g);
		g = next;
	}
	c->groups = NULL;
	c->groups_end = NULL;
}

static u64 fold_words(u64 h, const u32 *words, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		h = (h ^ words[i]) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	return h;
}

/* Each wave answers for its own registers and for its part of the LDS. */
static u64 fold_wave(const struct gpu_dispatch *d, const struct wave *w, u32 index)
{
	u32 lds_from = (u32)((u64)w->nr_lds * index / d->waves);
	u32 lds_to = (u32)((u64)w->nr_lds * (index + 1) / d->waves);
	u64 h = mix(d->arg.seed);

	h = fold_words(h, w->hw, HW_PART_NS);
	h = fold_words(h, &w->hw[HW_STATE], NR_HW_STATE);
	h = fold_words(h, w->sgpr, GPU_WAVE_SGPRS);
	h = fold_words(h, w->vgpr, d->vgprs * GPU_LANES);
	return fold_words(h, w->lds + lds_from, lds_to - lds_from);
}

static int finish_group(struct gpu *gpu, const struct gpu_dispatch *d, struct gpu_workgroup *g)
{
	u64 result[GPU_MAX_WAVES_PER_GROUP];
	u32 pasid = d->slot->pasid, i;
	int err = 0;

	run_to(d, g, d->steps);
	for (i = 0; i < d->waves; i++) {
		struct wave w = wave_of(d, g, i);

		result[i] = fold_wave(d, &w, i);
	}
	if (d->arg.out)
		err = gpu_host_write(gpu, pasid, d->arg.out + (u64)g->id * d->waves * sizeof(u64),
				     result, d->waves * (u32)sizeof(u64));
	if (!err && d->arg.count)
		err = gpu_host_add64(gpu, pasid, d->arg.count + (u64)g->id * sizeof(u64), 1);
	return err;
}

static int state_finish(struct gpu *gpu, struct gpu_cohort *c)
{
	struct gpu_workgroup *g;
	int err = 0;

	for (g = c->groups; g && !err; g = g->next)
		err = finish_group(gpu, c->dispatch, g);
	state_drop(gpu, c);
	return err;
}

static int save_group(struct gpu_saver *s, const struct gpu_cohort *c, struct gpu_workgroup *g)
{
	const struct gpu_dispatch *d = c->dispatch;
	struct ctl_wave record = { .group = g->id, .packet = (u16)d->packet };
	u32 i;

	run_to(d, g, c->ran_ns / d->step_ns);
	for (i = 0; i < d->waves; i++) {
		struct wave w = wave_of(d, g, i);

		set64(&w.hw[HW_PART_NS], c->ran_ns % d->step_ns);
		set64(&w.hw[HW_LEFT_NS], d->run_ns - c->ran_ns);
		if (s->ctl_end - s->ctl < (long)sizeof(record))
			return -ENOSPC;
		record.wave = (u16)i;
		memcpy(s->ctl, &record, sizeof(record));
		s->ctl += sizeof(record);
	}
	return gpu_saver_write(s, g->data, d->group_bytes);
}

static int state_save(struct gpu_saver *s, struct gpu_cohort *c)
{
	struct gpu_workgroup *g;
	int err = 0;

	for (g = c->groups; g && !err; g = g->next)
		err = save_group(s, c, g);
	return err;
}

/* A wave's own words must fit the dispatch, the control stack and each other. */
static int check_wave(const struct gpu_saver *s, const struct gpu_dispatch *d,
		      struct gpu_workgroup *g, u32 index, u64 *ran_ns)
{
	const struct wave w = wave_of(d, g, index);
	u64 step = get64(&w.hw[HW_STEP]), part_ns = get64(&w.hw[HW_PART_NS]);
	struct ctl_wave record;

	memcpy(&record, s->ctl + index * sizeof(record), sizeof(record));
	if (record.group != g->id || record.wave != index || record.packet != (u16)d->packet ||
	    w.hw[HW_GROUP] != g->id || w.hw[HW_WAVE] != index)
		return -EINVAL;
	if (part_ns >= d->step_ns || step > GPU_PROGRAM_MAX_NS / d->step_ns)
		return -EINVAL;
	*ran_ns = step * d->step_ns + part_ns;
	if (*ran_ns > d->run_ns || d->run_ns - *ran_ns != get64(&w.hw[HW_LEFT_NS]))
		return -EINVAL;
	return 0;
}

static int check_group(const struct gpu_saver *s, const struct gpu_dispatch *d,
		       struct gpu_workgroup *g, u64 *ran_ns)
{
	u32 nr_xcc = s->gpu->profile->nr_xcc;
	u32 i;

	if (g->id % nr_xcc != s->xcc || g->id / nr_xcc >= d->share[s->xcc].next)
		return -EINVAL;
	for (i = 0; i < d->waves; i++) {
		u64 ran;

		if (check_wave(s, d, g, i, &ran) || (i && ran != *ran_ns))
			return -EINVAL;
		*ran_ns = ran;
	}
	return 0;
}

static int read_group(struct gpu_saver *s, const struct gpu_dispatch *d, struct gpu_workgroup *g,
		      u64 *ran_ns)
{
	int err;

	if ((u64)(s->ctl_end - s->ctl) < d->waves * sizeof(struct ctl_wave))
		return -EINVAL;
	err = gpu_saver_read(s, g->data, d->group_bytes);
	if (err)
		return err;
	memcpy(&g->id, s->ctl, sizeof(g->id));
	err = check_group(s, d, g, ran_ns);
	s->ctl += d->waves * sizeof(struct ctl_wave);
	return err;
}

static int state_restore(struct gpu_saver *s, struct gpu_cohort *c, u32 max)
{
	const struct gpu_dispatch *d = c->dispatch;
	struct gpu_host *host = s->gpu->host;

	while (c->nr < max) {
		struct gpu_saver before = *s;
		struct gpu_workgroup *g = alloc_group(s->gpu, d);
		u64 ran_ns = 0;
		int err = g ? read_group(s, d, g, &ran_ns) : -ENOMEM;

		if (err || (c->nr && ran_ns != c->ran_ns)) {
			if (g)
				host->ops->free(host, g);
			if (!err)
				*s = before;
			return err;
		}
		c->ran_ns = ran_ns;
		c->nr++;
		append(c, g);
	}
	return 0;
}

const struct gpu_wave_ops gpu_state_wave_ops = {
	.name = "state",
	.magic = 0x53575047,	/* "GPWS" */
	.launch = state_launch,
	.move = state_move,
	.finish = state_finish,
	.drop = state_drop,
	.save = state_save,
	.restore = state_restore,
};
