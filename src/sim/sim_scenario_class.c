// SPDX-License-Identifier: MIT
/* Keys of the section [class NAME]. */
#include "sim/sim_scenario_parse.h"

#include "gpu/aql.h"
#include "sim/sim_mix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_kernels(struct gp_parser *p, const struct gp_kernel_spec *kernels, u32 nr)
{
	struct gp_class_spec *c = p->class;
	struct gp_kernel_spec *mem;

	if (nr > GP_MAX_KERNELS - c->nr_kernels)
		return gp_parser_fail(p, "a request has more than %d kernels", GP_MAX_KERNELS);
	mem = realloc(c->kernels, (c->nr_kernels + nr) * sizeof(*mem));
	if (!mem)
		return -ENOMEM;
	memcpy(mem + c->nr_kernels, kernels, nr * sizeof(*mem));
	c->kernels = mem;
	c->nr_kernels += nr;
	return 0;
}

static int set_fill(struct gp_parser *p, const char *text, struct gp_kernel_spec *k)
{
	u64 ppm;
	int err = gp_value_percent(text, &ppm);

	if (err == -EINVAL)
		return gp_parser_fail(p, "fill: '%.40s' is not a share such as 50%%", text);
	if (err || ppm < 1 || ppm > 16 * GP_PPM_ONE)
		return gp_parser_fail(p, "fill: %.40s is out of range, 0.0001%% to 1600%%", text);
	k->fill_ppm = (u32)ppm;
	return 0;
}

static int set_lds(struct gp_parser *p, const char *text, struct gp_kernel_spec *k)
{
	u64 bytes;
	int err = gp_value_bytes(text, &bytes);

	if (err == -EINVAL)
		return gp_parser_fail(p, "lds: '%.40s' is not a size such as 8K", text);
	if (err || bytes > 65536)
		return gp_parser_fail(p, "lds: %.40s is out of range, 0 to 64K", text);
	k->lds_bytes = (u32)bytes;
	return 0;
}

static const struct {
	const char *name;
	u32 low;
	u32 high;
	size_t offset;
} kernel_numbers[] = {
	{ "grid", 1, 1 << 20, offsetof(struct gp_kernel_spec, workgroups) },
	{ "size", 1, 1024, offsetof(struct gp_kernel_spec, workgroup_size) },
	{ "vgprs", 8, 512, offsetof(struct gp_kernel_spec, vgprs) },
};

static int set_kernel_number(struct gp_parser *p, const char *word, const char *text,
			     struct gp_kernel_spec *k)
{
	for (u32 i = 0; i < ARRAY_SIZE(kernel_numbers); i++) {
		u64 v;
		int err;

		if (strcmp(word, kernel_numbers[i].name))
			continue;
		err = gp_parser_number(p, word, text, kernel_numbers[i].low,
				       kernel_numbers[i].high, &v);
		if (!err)
			*(u32 *)((char *)k + kernel_numbers[i].offset) = (u32)v;
		return err;
	}
	return gp_parser_fail(p, "kernel: '%.40s' is none of x, fill, grid, size, vgprs, lds",
			      word);
}

/* "word value" pairs after the duration of a kernel. */
static int set_kernel_words(struct gp_parser *p, char *rest, struct gp_kernel_spec *k, u64 *times)
{
	static const char *const words[] = { "x", "fill", "grid", "size", "vgprs", "lds" };
	u32 seen = 0;
	char *word;

	while ((word = gp_value_word(&rest))) {
		char *text = gp_value_word(&rest);
		int err;

		for (u32 i = 0; i < ARRAY_SIZE(words); i++) {
			if (strcmp(word, words[i]))
				continue;
			if (seen & (1u << i))
				return gp_parser_fail(p, "kernel: '%s' comes twice", word);
			seen |= 1u << i;
		}
		if (!text)
			return gp_parser_fail(p, "kernel: '%.40s' has no value", word);
		if (!strcmp(word, "x"))
			err = gp_parser_number(p, "x", text, 1, GP_MAX_KERNELS, times);
		else if (!strcmp(word, "fill"))
			err = set_fill(p, text, k);
		else if (!strcmp(word, "lds"))
			err = set_lds(p, text, k);
		else
			err = set_kernel_number(p, word, text, k);
		if (err)
			return err;
	}
	if (k->fill_ppm && k->workgroups)
		return gp_parser_fail(p, "kernel: fill and grid exclude each other");
	if (!k->fill_ppm && !k->workgroups)
		k->fill_ppm = GP_PPM_ONE;
	return 0;
}

int gp_parse_kernel(struct gp_parser *p, const struct gp_key *key, char *value)
{
	struct gp_kernel_spec k = { .workgroup_size = 256, .vgprs = 64, .lds_bytes = 8192 };
	char *rest = value;
	char *word = gp_value_word(&rest);
	u64 times = 1;
	int err = 0;

	if (!strcmp(word, "endless"))
		k.endless = true;
	else
		err = gp_parser_duration(p, key->name, word, GP_PROGRAM_MIN_STEP_NS,
					 GP_KERNEL_MAX_NS, &k.duration_ns);
	if (!err)
		err = set_kernel_words(p, rest, &k, &times);
	while (!err && times--)
		err = add_kernels(p, &k, 1);
	return err;
}

int gp_parse_mix(struct gp_parser *p, const struct gp_key *key, char *value)
{
	struct gp_kernel_spec kernels[GP_MAX_KERNELS];
	char *rest = value;
	const struct gp_mix *mix = gp_mix_find(gp_value_word(&rest));
	char *word = gp_value_word(&rest);
	u64 scale = GP_PPM_ONE;

	if (!mix)
		return gp_parser_fail(p, "%s: no mix '%.40s'; see gpreempt sim list", key->name,
				      value + strspn(value, " \t"));
	if (word) {
		char *text = gp_value_word(&rest);

		if (strcmp(word, "scale") || !text || gp_value_word(&rest))
			return gp_parser_fail(p, "%s: only 'scale FACTOR' may follow the name",
					      key->name);
		if (gp_text_read_decimal(text, GP_PPM_ONE, "", &scale) || scale < 1000 ||
		    scale > 1000 * GP_PPM_ONE)
			return gp_parser_fail(p, "%s: scale: '%.40s' is out of range, "
					      "0.001 to 1000", key->name, text);
	}
	gp_mix_kernels(mix, (u32)scale, kernels);
	return add_kernels(p, kernels, mix->nr_kernels);
}

static int set_prio(struct gp_parser *p, const struct gp_key *key, char *value)
{
	u64 v;
	int err = gp_parser_number(p, key->name, value, 0, GP_PRIO_MAX, &v);

	if (!err)
		p->class->attr.prio = (u8)v;
	return err;
}

static int set_latency_critical(struct gp_parser *p, const struct gp_key *key, char *value)
{
	if (gp_text_read_bool(value, &p->class->attr.latency_critical))
		return gp_parser_fail(p, "%s: yes or no", key->name);
	return 0;
}

#define AT(member) .offset = offsetof(struct gp_class_spec, member)

const struct gp_key gp_class_keys[] = {
	{ .name = "priority", .set = set_prio },
	{ .name = "latency-critical", .set = set_latency_critical },
	{ "weight", gp_key_set_u32, AT(attr.weight), 1, GP_WEIGHT_MAX },
	{ "slice", gp_key_set_duration, AT(attr.slice_ns), GP_NS_PER_US, 10 * GP_NS_PER_S },
	{ "deadline", gp_key_set_duration, AT(attr.deadline_ns), GP_NS_PER_US, GP_RUN_MAX_NS },
	{ "processes", gp_key_set_u32, AT(processes), 1, GP_QUEUES_MAX },
	{ "queues", gp_key_set_u32, AT(queues), 1, GP_QUEUES_MAX },
	{ .name = "arrival", .set = gp_parse_arrival },
	{ "start", gp_key_set_duration, AT(start_ns), 0, GP_RUN_MAX_NS },
	{ "stop", gp_key_set_duration, AT(stop_ns), 1, GP_RUN_MAX_NS },
	{ "launch", gp_key_set_duration, AT(launch_ns), 0, GP_NS_PER_S },
	{ .name = "kernel", .set = gp_parse_kernel, .is_repeatable = true },
	{ .name = "mix", .set = gp_parse_mix, .is_repeatable = true },
	{ .name = NULL },
};
