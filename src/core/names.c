// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "core/sched.h"

#define TEXT(name, text) text,

static const char *const entity_states[] = { GP_ENTITY_STATES(TEXT) };
static const char *const breaker_states[] = { GP_BREAKER_STATES(TEXT) };
static const char *const results[] = { GP_RESULTS(TEXT) };
static const char *const reports[] = { GP_REPORTS(TEXT) };
static const char *const trace_kinds[] = { GP_TRACE_KINDS(TEXT) };

#define NAME_AT(names, index) ((u32)(index) < ARRAY_SIZE(names) ? (names)[index] : "unknown")

const char *gp_entity_state_name(enum gp_entity_state state)
{
	return NAME_AT(entity_states, state);
}

const char *gp_breaker_state_name(enum gp_breaker_state state)
{
	return NAME_AT(breaker_states, state);
}

const char *gp_result_name(enum gp_result result)
{
	return NAME_AT(results, result);
}

const char *gp_report_name(enum gp_report report)
{
	return NAME_AT(reports, report);
}

const char *gp_trace_kind_name(enum gp_trace_kind kind)
{
	return NAME_AT(trace_kinds, kind);
}
