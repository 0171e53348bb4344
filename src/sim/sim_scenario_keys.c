// SPDX-License-Identifier: MIT
/* Keys of the sections [scenario], [gpu], [costs], [params] and [fault]. */
#include "sim/sim_scenario_parse.h"

#include <string.h>

int sim_parser_number(struct sim_parser *p, const char *what, const char *text, u64 low, u64 high,
		      u64 *value)
{
	int err = gp_text_read_u64(text, low, high, value);

	if (err == -EINVAL)
		return sim_parser_fail(p, "%s: '%.40s' is not a whole number", what, text);
	if (err)
		return sim_parser_fail(p, "%s: %.40s is out of range, %llu to %llu", what, text,
				       (unsigned long long)low, (unsigned long long)high);
	return 0;
}

int sim_parser_duration(struct sim_parser *p, const char *what, const char *text, u64 low,
			u64 high, u64 *value)
{
	char low_text[GP_TEXT_NUMBER_MAX], high_text[GP_TEXT_NUMBER_MAX];
	u64 v;

	if (gp_text_read_time(text, 0, &v))
		return sim_parser_fail(p, "%s: '%.40s' is not a duration such as 20ms", what, text);
	if (v < low || v > high)
		return sim_parser_fail(p, "%s: %.40s is out of range, %s to %s", what, text,
				       gp_text_time(low, low_text),
				       gp_text_time(high, high_text));
	*value = v;
	return 0;
}

int sim_key_set_bool(struct sim_parser *p, const struct sim_key *key, char *value)
{
	if (gp_text_read_bool(value, (bool *)((char *)p->object + key->offset)))
		return sim_parser_fail(p, "%s: yes or no", key->name);
	return 0;
}

int sim_key_set_u64(struct sim_parser *p, const struct sim_key *key, char *value)
{
	return sim_parser_number(p, key->name, value, key->min, key->max,
				 (u64 *)((char *)p->object + key->offset));
}

int sim_key_set_u32(struct sim_parser *p, const struct sim_key *key, char *value)
{
	u64 v = 0;
	int err = sim_parser_number(p, key->name, value, key->min, key->max, &v);

	if (!err)
		*(u32 *)((char *)p->object + key->offset) = (u32)v;
	return err;
}

int sim_key_set_duration(struct sim_parser *p, const struct sim_key *key, char *value)
{
	return sim_parser_duration(p, key->name, value, key->min, key->max,
				   (u64 *)((char *)p->object + key->offset));
}

int sim_key_set_percent(struct sim_parser *p, const struct sim_key *key, char *value)
{
	u64 ppm;
	int err = sim_value_percent(value, &ppm);

	if (err == -EINVAL)
		return sim_parser_fail(p, "%s: '%.40s' is not a share such as 50%%", key->name,
				       value);
	if (err || ppm < key->min || ppm > key->max)
		return sim_parser_fail(p, "%s: %.40s is out of range, %llu%% to %llu%%", key->name,
				       value, (unsigned long long)(key->min * 100 / SIM_PPM_ONE),
				       (unsigned long long)(key->max * 100 / SIM_PPM_ONE));
	*(u64 *)((char *)p->object + key->offset) = ppm;
	return 0;
}

/* Keys of [scenario]. */

static int set_name(struct sim_parser *p, const struct sim_key *key, char *value)
{
	if (!sim_value_is_name(value))
		return sim_parser_fail(p, "%s: 1 to %d letters, digits, '.', '_' or '-' are legal",
				       key->name, SIM_NAME_MAX - 1);
	strcpy((char *)p->object + key->offset, value);
	return 0;
}

static int set_title(struct sim_parser *p, const struct sim_key *key, char *value)
{
	if (strlen(value) >= sizeof(p->sc->title))
		return sim_parser_fail(p, "%s: longer than %zu bytes", key->name,
				       sizeof(p->sc->title) - 1);
	strcpy(p->sc->title, value);
	return 0;
}

static int set_known(struct sim_parser *p, const struct sim_key *key, char *value, bool is_known)
{
	if (!is_known)
		return sim_parser_fail(p, "no %s '%.40s'; see gpreempt sim list", key->name, value);
	return set_name(p, key, value);
}

static int set_gpu(struct sim_parser *p, const struct sim_key *key, char *value)
{
	return set_known(p, key, value, gpu_profile_find(value));
}

static int set_engine(struct sim_parser *p, const struct sim_key *key, char *value)
{
	return set_known(p, key, value, sim_engine_exists(value));
}

static int set_policy(struct sim_parser *p, const struct sim_key *key, char *value)
{
	return set_known(p, key, value, gp_text_is_policy(value));
}

static int set_mechanism(struct sim_parser *p, const struct sim_key *key, char *value)
{
	if (sim_mechanism_parse(value, &p->sc->mechanism))
		return set_known(p, key, value, false);
	return 0;
}

static int set_detect(struct sim_parser *p, const struct sim_key *key, char *value)
{
	if (sim_detect_parse(value, &p->sc->detect))
		return set_known(p, key, value, false);
	return 0;
}

static int set_model(struct sim_parser *p, const struct sim_key *key, char *value)
{
	if (sim_model_parse(value, &p->sc->model))
		return set_known(p, key, value, false);
	return 0;
}

#define AT(member) .offset = offsetof(struct sim_scenario, member)

const struct sim_key sim_scenario_keys[] = {
	{ "name", set_name, AT(name) },
	{ .name = "title", .set = set_title },
	{ "gpu", set_gpu, AT(gpu) },
	{ "engine", set_engine, AT(engine) },
	{ "policy", set_policy, AT(policy) },
	{ .name = "mechanism", .set = set_mechanism },
	{ .name = "detect", .set = set_detect },
	{ .name = "model", .set = set_model },
	{ "seed", sim_key_set_u64, AT(seed), 0, INT64_MAX },
	{ "duration", sim_key_set_duration, AT(duration_ns), SIM_NS_PER_US, SIM_RUN_MAX_NS },
	{ "slots", sim_key_set_u32, AT(nr_slots), 1, GPU_MAX_SLOTS },
	{ "gpus", sim_key_set_u32, AT(nr_gpus), 1, SIM_MAX_GPUS },
	{ "slack", sim_key_set_percent, AT(slack_ppm), 0, SIM_PPM_ONE },
	{ "gangs", sim_key_set_bool, AT(has_gangs) },
	{ .name = NULL },
};

#undef AT
#define AT(member) .offset = offsetof(struct sim_hardware, member)

const struct sim_key sim_hardware_keys[] = {
	{ "bandwidth", sim_key_set_percent, AT(bandwidth_ppm), SIM_PPM_ONE / 100,
	  10 * SIM_PPM_ONE },
	{ "firmware", sim_key_set_percent, AT(firmware_ppm), 0, 100 * SIM_PPM_ONE },
	{ "spread", sim_key_set_percent, AT(spread_ppm), 0, SIM_PPM_ONE },
	{ "cold", sim_key_set_duration, AT(cold_ns), 0, SIM_NS_PER_S },
	{ "barrier", sim_key_set_duration, AT(barrier_ns), 0, SIM_NS_PER_S },
	{ "retry", sim_key_set_duration, AT(retry_ns), 0, SIM_NS_PER_S },
	{ "contention", sim_key_set_bool, AT(has_contention) },
	{ "issue", sim_key_set_percent, AT(issue_ppm), 0, 10 * SIM_PPM_ONE },
	{ "memory", sim_key_set_percent, AT(memory_ppm), 0, 10 * SIM_PPM_ONE },
	{ "retry-chance", sim_key_set_percent, AT(retry_ppm), 0, SIM_PPM_ONE },
	{ .name = NULL },
};

#undef AT
#define AT(member) .offset = offsetof(struct sim_costs, member)

const struct sim_key sim_costs_keys[] = {
	{ "fault", sim_key_set_duration, AT(fault_ns), 0, SIM_NS_PER_S },
	{ "wake", sim_key_set_duration, AT(wake_ns), 0, SIM_NS_PER_S },
	{ "wake-jitter", sim_key_set_duration, AT(wake_jitter_ns), 0, SIM_NS_PER_S },
	{ "tail", sim_key_set_duration, AT(tail_ns), 0, SIM_NS_PER_S },
	{ "tail-chance", sim_key_set_percent, AT(tail_ppm), 0, SIM_PPM_ONE },
	{ "arm", sim_key_set_duration, AT(arm_ns), 0, SIM_NS_PER_S },
	{ "decide", sim_key_set_duration, AT(decide_ns), 0, SIM_NS_PER_S },
	{ "driver", sim_key_set_duration, AT(driver_ns), 0, SIM_NS_PER_S },
	{ "fence", sim_key_set_duration, AT(fence_ns), 0, SIM_NS_PER_S },
	{ "runlist", sim_key_set_duration, AT(runlist_ns), 0, SIM_NS_PER_S },
	{ "irq", sim_key_set_duration, AT(irq_ns), 0, SIM_NS_PER_S },
	{ "idle", sim_key_set_duration, AT(idle_ns), 0, SIM_NS_PER_S },
	{ "poll", sim_key_set_duration, AT(poll_ns), SIM_NS_PER_US, 10 * SIM_NS_PER_S },
	{ "critical", sim_key_set_duration, AT(critical_ns), SIM_NS_PER_US, 10 * SIM_NS_PER_S },
	{ "trigger", sim_key_set_duration, AT(trigger_ns), SIM_NS_PER_US, 10 * SIM_NS_PER_S },
	{ "block-latency", sim_key_set_duration, AT(block_ns), 0, SIM_NS_PER_S },
	{ "block-threshold", sim_key_set_u64, AT(block_threshold), 1, 4096 },
	{ "block-batch", sim_key_set_u64, AT(block_batch), 1, 4096 },
	{ .name = NULL },
};

#undef AT

/* [params]: the keys are the core's own parameters. */

int sim_parser_set_param(struct sim_parser *p, const char *name, const char *value)
{
	const struct gp_param_desc *desc = gp_params_find(name);
	struct sim_scenario *sc = p->sc;
	const char *unit = gp_text_unit(name);
	bool is_time = unit && !strcmp(unit, "ns") && value[strspn(value, "0123456789")];
	u64 v;
	int err;

	if (!desc)
		return sim_parser_fail(p, "no parameter '%.40s'; see gpreempt sim params", name);
	for (u32 i = 0; i < sc->nr_params; i++) {
		if (!strcmp(sc->params[i].name, name))
			return sim_parser_fail(p, "'%s' comes twice", name);
	}
	if (sc->nr_params == SIM_MAX_PARAMS)
		return sim_parser_fail(p, "more than %d parameters", SIM_MAX_PARAMS);
	if (is_time)
		err = sim_parser_duration(p, name, value, desc->min, desc->max, &v);
	else
		err = sim_parser_number(p, name, value, desc->min, desc->max, &v);
	if (err)
		return err;
	strcpy(sc->params[sc->nr_params].name, name);
	sc->params[sc->nr_params++].value = v;
	return 0;
}

/* Keys of [fault]. */

static const struct {
	const char *name;
	u32 kind;
	u64 arg;
} fault_kinds[] = {
	{ "refuse", GPU_FAULT_REFUSE, 0 },
	{ "lose-fence", GPU_FAULT_LOSE_FENCE, 1 },
	{ "hang", GPU_FAULT_HANG, 1 },
	{ "slow", GPU_FAULT_SLOW, 10 },
	{ "corrupt", GPU_FAULT_CORRUPT, 0 },
	{ "clear", GPU_FAULT_CLEAR, 0 },
	{ "result-gone", GPU_FAULT_COUNT + GP_RESULT_GONE, 1 },
	{ "result-busy", GPU_FAULT_COUNT + GP_RESULT_BUSY, 1 },
	{ "result-error", GPU_FAULT_COUNT + GP_RESULT_ERROR, 1 },
};

static int set_fault_kind(struct sim_parser *p, const struct sim_key *key, char *value)
{
	for (u32 i = 0; i < ARRAY_SIZE(fault_kinds); i++) {
		if (strcmp(value, fault_kinds[i].name))
			continue;
		p->fault->kind = fault_kinds[i].kind;
		/* "arg" may have come first. */
		if (p->fault->arg == U64_MAX)
			p->fault->arg = fault_kinds[i].arg;
		return 0;
	}
	return sim_parser_fail(p, "%s: no fault '%.40s'; see docs/guide/scenario.md", key->name,
			       value);
}

static int set_fault_arg(struct sim_parser *p, const struct sim_key *key, char *value)
{
	u64 v;

	if (value[0] >= '0' && value[0] <= '9') {
		int err = sim_parser_number(p, key->name, value, 0, 1000000000, &v);

		if (!err)
			p->fault->arg = v;
		return err;
	}
	if (!sim_value_is_name(value))
		return sim_parser_fail(p, "%s: '%.40s' is neither a number nor a class",
				       key->name, value);
	strcpy(p->fault_class[p->fault - p->sc->faults], value);
	p->fault->arg = 0;
	return 0;
}

const struct sim_key sim_fault_keys[] = {
	{ "at", sim_key_set_duration, .offset = offsetof(struct sim_fault_spec, at_ns),
	  .max = SIM_RUN_MAX_NS },
	{ .name = "kind", .set = set_fault_kind },
	{ .name = "arg", .set = set_fault_arg },
	{ .name = NULL },
};
