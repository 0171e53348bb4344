// SPDX-License-Identifier: MIT
/* Keys of the section [class NAME]. */
#include "sim/sim_scenario_parse.h"

#include "gpu/aql.h"
#include "sim/sim_mix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_kernels(struct sim_parser *p, const struct sim_kernel_spec *kernels, u32 nr)
{
	struct sim_class_spec *c = p->class;
	struct sim_kernel_spec *mem;

	if (nr > SIM_MAX_KERNELS - c->nr_kernels)
		return sim_parser_fail(p, "a request has more than %d kernels", SIM_MAX_KERNELS);
	mem = realloc(c->kernels, (c->nr_kernels + nr) * sizeof(*mem));
	if (!mem)
		return -ENOMEM;
	memcpy(mem + c->nr_kernels, kernels, nr * sizeof(*mem));
	c->kernels = mem;
	c->nr_kernels += nr;
	return 0;
}

static int set_fill(struct sim_parser *p, const char *text, struct sim_kernel_spec *k)
{
	u64 ppm;
	int err = sim_value_percent(text, &ppm);

	if (err == -EINVAL)
		return sim_parser_fail(p, "fill: '%.40s' is not a share such as 50%%", text);
	if (err || ppm < 1 || ppm > 16 * SIM_PPM_ONE)
		return sim_parser_fail(p, "fill: %.40s is out of range, 0.0001%% to 1600%%", text);
	k->fill_ppm = (u32)ppm;
	return 0;
}

static int set_lds(struct sim_parser *p, const char *text, struct sim_kernel_spec *k)
{
	u64 bytes;
	int err = sim_value_bytes(text, &bytes);

	if (err == -EINVAL)
		return sim_parser_fail(p, "lds: '%.40s' is not a size such as 8K", text);
	if (err || bytes > 65536)
		return sim_parser_fail(p, "lds: %.40s is out of range, 0 to 64K", text);
	k->lds_bytes = (u32)bytes;
	return 0;
}

static int set_longest(struct sim_parser *p, const char *text, struct sim_kernel_spec *k)
{
	if (k->endless)
		return sim_parser_fail(p, "kernel: an endless one has no other length");
	return sim_parser_duration(p, "to", text, k->duration_ns, SIM_KERNEL_MAX_NS,
				   &k->longest_ns);
}

struct kernel_line {
	struct sim_kernel_spec spec;
	u32 times;
};

#define AT(member) .offset = offsetof(struct kernel_line, member)

static const struct kernel_word {
	const char *name;
	u32 low;
	u32 high;
	size_t offset;
	int (*set)(struct sim_parser *p, const char *text, struct sim_kernel_spec *k);
} kernel_words[] = {
	{ "x", 1, SIM_MAX_KERNELS, AT(times) },
	{ "grid", 1, 1 << 20, AT(spec.workgroups) },
	{ "size", 1, 1024, AT(spec.workgroup_size) },
	{ "vgprs", 8, 512, AT(spec.vgprs) },
	{ .name = "to", .set = set_longest },
	{ .name = "fill", .set = set_fill },
	{ .name = "lds", .set = set_lds },
};

#undef AT

static int set_kernel_word(struct sim_parser *p, const struct kernel_word *w, const char *text,
			   struct kernel_line *line)
{
	u64 v;
	int err;

	if (w->set)
		return w->set(p, text, &line->spec);
	err = sim_parser_number(p, w->name, text, w->low, w->high, &v);
	if (!err)
		*(u32 *)((char *)line + w->offset) = (u32)v;
	return err;
}

/* "word value" pairs after the duration of a kernel. */
static int set_kernel_words(struct sim_parser *p, char *rest, struct kernel_line *line)
{
	struct sim_kernel_spec *k = &line->spec;
	u32 seen = 0;
	char *word;

	while ((word = sim_value_word(&rest))) {
		char *text = sim_value_word(&rest);
		u32 i = 0;
		int err;

		while (i < ARRAY_SIZE(kernel_words) && strcmp(word, kernel_words[i].name))
			i++;
		if (seen & (1u << i))
			return sim_parser_fail(p, "kernel: '%s' comes twice", word);
		if (!text)
			return sim_parser_fail(p, "kernel: '%.40s' has no value", word);
		if (i == ARRAY_SIZE(kernel_words))
			return sim_parser_fail(p, "kernel: '%.40s' is none of x, to, fill, grid, "
						  "size, vgprs, lds",
					       word);
		seen |= 1u << i;
		err = set_kernel_word(p, &kernel_words[i], text, line);
		if (err)
			return err;
	}
	if (k->fill_ppm && k->workgroups)
		return sim_parser_fail(p, "kernel: fill and grid exclude each other");
	if (!k->fill_ppm && !k->workgroups)
		k->fill_ppm = SIM_PPM_ONE;
	return 0;
}

int sim_parse_kernel(struct sim_parser *p, const struct sim_key *key, char *value)
{
	struct kernel_line line = {
		.spec = { .workgroup_size = 256, .vgprs = 64, .lds_bytes = 8192 },
		.times = 1,
	};
	char *rest = value;
	char *word = sim_value_word(&rest);
	int err = 0;

	if (!strcmp(word, "barrier")) {
		if (sim_value_word(&rest))
			return sim_parser_fail(p, "%s: nothing may follow barrier", key->name);
		line.spec.is_barrier = true;
		return add_kernels(p, &line.spec, 1);
	}
	if (!strcmp(word, "endless"))
		line.spec.endless = true;
	else
		err = sim_parser_duration(p, key->name, word, GPU_PROGRAM_MIN_STEP_NS,
					  SIM_KERNEL_MAX_NS, &line.spec.duration_ns);
	if (!err)
		err = set_kernel_words(p, rest, &line);
	while (!err && line.times--)
		err = add_kernels(p, &line.spec, 1);
	return err;
}

int sim_parse_mix(struct sim_parser *p, const struct sim_key *key, char *value)
{
	struct sim_kernel_spec kernels[SIM_MAX_KERNELS];
	char *rest = value;
	const struct sim_mix *mix = sim_mix_find(sim_value_word(&rest));
	char *word = sim_value_word(&rest);
	u64 scale = SIM_PPM_ONE;

	if (!mix)
		return sim_parser_fail(p, "%s: no mix '%.40s'; see gpreempt sim list", key->name,
				       value + strspn(value, " \t"));
	if (word) {
		char *text = sim_value_word(&rest);

		if (strcmp(word, "scale") || !text || sim_value_word(&rest))
			return sim_parser_fail(p, "%s: only 'scale FACTOR' may follow the name",
					       key->name);
		if (gp_text_read_decimal(text, SIM_PPM_ONE, "", &scale) || scale < 1000 ||
		    scale > 1000 * SIM_PPM_ONE)
			return sim_parser_fail(p, "%s: scale: '%.40s' is out of range, "
					       "0.001 to 1000", key->name, text);
	}
	sim_mix_kernels(mix, (u32)scale, kernels);
	return add_kernels(p, kernels, mix->nr_kernels);
}

static int set_prio(struct sim_parser *p, const struct sim_key *key, char *value)
{
	u64 v;
	int err = sim_parser_number(p, key->name, value, 0, GP_PRIO_MAX, &v);

	if (!err)
		p->class->attr.prio = (u8)v;
	return err;
}

static int set_elastic(struct sim_parser *p, const struct sim_key *key, char *value)
{
	static const char *const names[GP_ELASTIC_COUNT] = {
#define X(name, text) text,
		GP_ELASTICS(X)
#undef X
	};

	for (u32 i = 0; i < GP_ELASTIC_COUNT; i++) {
		if (strcmp(value, names[i]))
			continue;
		p->class->elastic.mode = (enum gp_elastic)i;
		return 0;
	}
	return sim_parser_fail(p, "%s: off, auto or always", key->name);
}

#define MAX_CUS (GPU_MAX_XCC * GPU_MAX_CU_PER_XCC)
#define AT(member) .offset = offsetof(struct sim_class_spec, member)

const struct sim_key sim_class_keys[] = {
	{ .name = "priority", .set = set_prio },
	{ "latency-critical", sim_key_set_bool, AT(attr.latency_critical) },
	{ "weight", sim_key_set_u32, AT(attr.weight), 1, GP_WEIGHT_MAX },
	{ .name = "elastic", .set = set_elastic },
	{ "least-cus", sim_key_set_u32, AT(elastic.floor), 1, MAX_CUS },
	{ "most-cus", sim_key_set_u32, AT(elastic.ceiling), 1, MAX_CUS },
	{ "reserve", sim_key_set_u32, AT(reserve), 1, MAX_CUS },
	{ .name = "cgroup", .set = sim_parse_cgroup },
	{ "slice", sim_key_set_duration, AT(attr.slice_ns), SIM_NS_PER_US, 10 * SIM_NS_PER_S },
	{ "deadline", sim_key_set_duration, AT(attr.deadline_ns), SIM_NS_PER_US, SIM_RUN_MAX_NS },
	{ "processes", sim_key_set_u32, AT(processes), 1, SIM_QUEUES_MAX },
	{ "gang", sim_key_set_bool, AT(is_gang) },
	{ "queues", sim_key_set_u32, AT(queues), 1, SIM_QUEUES_MAX },
	{ .name = "arrival", .set = sim_parse_arrival },
	{ .name = "phases", .set = sim_parse_phases },
	{ "start", sim_key_set_duration, AT(start_ns), 0, SIM_RUN_MAX_NS },
	{ "stop", sim_key_set_duration, AT(stop_ns), 1, SIM_RUN_MAX_NS },
	{ "joins", sim_key_set_duration, AT(joins_ns), 0, SIM_RUN_MAX_NS },
	{ "dies", sim_key_set_duration, AT(dies_ns), 1, SIM_RUN_MAX_NS },
	{ "launch", sim_key_set_duration, AT(launch_ns), 0, SIM_NS_PER_S },
	{ "host", sim_key_set_duration, AT(host_ns), 0, SIM_NS_PER_S },
	{ "hint", sim_key_set_bool, AT(has_hint) },
	{ .name = "kernel", .set = sim_parse_kernel, .is_repeatable = true },
	{ .name = "mix", .set = sim_parse_mix, .is_repeatable = true },
	{ .name = NULL },
};

void sim_class_init(struct sim_class_spec *c)
{
	*c = (struct sim_class_spec){
		.attr = { .prio = GP_PRIO_DEFAULT, .weight = GP_WEIGHT_DEFAULT },
		.processes = 1,
		.queues = 1,
		.arrival = { .kind = SIM_ARRIVAL_CLOSED, .concurrency = 1 },
		.stop_ns = U64_MAX,
		.dies_ns = U64_MAX,
	};
}
