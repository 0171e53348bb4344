// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/sched.h"

static const char *const entity_state_names[] = {
#define X(name, text) [GP_ENTITY_##name] = text,
	GP_ENTITY_STATES(X)
#undef X
};

static const char *const breaker_state_names[] = {
#define X(name, text) [GP_BREAKER_##name] = text,
	GP_BREAKER_STATES(X)
#undef X
};

static const char *const result_names[] = {
#define X(name, text) [GP_RESULT_##name] = text,
	GP_RESULTS(X)
#undef X
};

static const char *const report_names[] = {
#define X(name, text) [GP_REPORT_##name] = text,
	GP_REPORTS(X)
#undef X
};

static const char *name_at(const char *const *names, size_t nr, u32 index)
{
	return index < nr ? names[index] : "unknown";
}

const char *gp_entity_state_name(enum gp_entity_state state)
{
	return name_at(entity_state_names, ARRAY_SIZE(entity_state_names), (u32)state);
}

const char *gp_breaker_state_name(enum gp_breaker_state state)
{
	return name_at(breaker_state_names, ARRAY_SIZE(breaker_state_names), (u32)state);
}

const char *gp_result_name(enum gp_result result)
{
	return name_at(result_names, ARRAY_SIZE(result_names), (u32)result);
}

const char *gp_report_name(enum gp_report report)
{
	return name_at(report_names, ARRAY_SIZE(report_names), (u32)report);
}
