/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: Names, numbers and times as text
 *
 * Names of states, results and reports come from the X-macro lists of core/sched.h and are
 * given by gp_entity_state_name() and its neighbours there, those of attributes by
 * gp_attr_name() in rules/right.h. An ABI that numbers the same things asserts with the same
 * lists that its numbers are the core's:
 *
 *	#define X(name, text) static_assert((int)GPREEMPT_STATE_##name == (int)GP_ENTITY_##name);
 *	GP_ENTITY_STATES(X)
 *
 * There is one grammar for command line, configuration, scenarios and messages:
 *
 *   number   one or more digits
 *   decimal  number [ "." digits ]
 *   time     decimal [ blanks ] unit, with unit one of ns, us, ms, s, min, h; 0 needs no unit.
 *            Where a unit may be left out, the place says which one is meant
 *   bool     yes, true, 1; no, false, 0
 *
 * No sign, no exponent, no blanks around it. Nothing is rounded: digits that are worth less
 * than what is counted are refused. Every function reads the whole text and writes its
 * output only if it returns 0.
 */
#ifndef GP_RULES_TEXT_H
#define GP_RULES_TEXT_H

#include "core/sched.h"

#define GP_TEXT_NS ((u64)1)
#define GP_TEXT_US (1000 * GP_TEXT_NS)
#define GP_TEXT_MS (1000 * GP_TEXT_US)
#define GP_TEXT_S (1000 * GP_TEXT_MS)

/* Room for the output of gp_text_time() and of gp_text_u64(), with the end. */
#define GP_TEXT_NUMBER_MAX 24
/* Room for the name of any parameter, with its policy and the end. */
#define GP_TEXT_PARAM_MAX 64

/**
 * gp_text_read_u64() - read a number
 * @text: text
 * @min: smallest that is legal
 * @max: largest that is legal
 * @value: output
 *
 * Return: 0, -EINVAL not a number, -ERANGE a number that is not legal or not of 64 bits.
 */
int gp_text_read_u64(const char *text, u64 min, u64 max, u64 *value);

/**
 * gp_text_read_decimal() - read a decimal number as a multiple of a part of one
 * @text: text
 * @one: how many parts make one: 1000000 reads "1.5" as 1500000
 * @end: what must follow: "" or a unit such as "%" or "/s"
 * @value: output
 *
 * Return: 0, -EINVAL not a decimal with this end or finer than a part, -ERANGE too large.
 */
int gp_text_read_decimal(const char *text, u64 one, const char *end, u64 *value);

/**
 * gp_text_read_time() - read a time
 * @text: text
 * @unit: nanoseconds of the unit that is meant if there is none: GP_TEXT_S, GP_TEXT_NS ...;
 *	0 = there must be one
 * @ns: output
 *
 * Return: 0, -EINVAL not a time, -ERANGE too large.
 */
int gp_text_read_time(const char *text, u64 unit, u64 *ns);

/**
 * gp_text_read_bool() - read yes or no
 * @text: text
 * @value: output
 *
 * Return: 0 or -EINVAL.
 */
int gp_text_read_bool(const char *text, bool *value);

/**
 * gp_text_u64() - a number as text
 * @value: number
 * @out: output, GP_TEXT_NUMBER_MAX bytes
 *
 * Return: @out.
 */
const char *gp_text_u64(u64 value, char *out);

/**
 * gp_text_time() - a time as text, exact: "20ms", "1500us", "7ns", "90s"
 * @ns: time
 * @out: output, GP_TEXT_NUMBER_MAX bytes
 *
 * gp_text_read_time() reads it back as @ns.
 *
 * Return: @out.
 */
const char *gp_text_time(u64 ns, char *out);

/**
 * gp_text_param() - a parameter of the core by its number
 * @index: 0, 1, ... as for gp_sched_param_desc()
 * @name: output: "<param>" of a guard, "<policy>.<param>" of a policy; GP_TEXT_PARAM_MAX bytes
 *
 * Return: its description, NULL after the last.
 */
const struct gp_param_desc *gp_text_param(u32 index, char *name);

/**
 * gp_text_unit() - what a parameter or an attribute counts
 * @name: name; its end is its unit
 *
 * Return: "ns" or "ppm", NULL for a plain count.
 */
const char *gp_text_unit(const char *name);

/**
 * gp_text_read_param() - read the value of a parameter
 * @name: as gp_text_param() writes it
 * @text: a number; of what counts nanoseconds also a time
 * @value: output
 * @desc: output, also if the value is refused: its description; NULL = not wanted
 *
 * Return: 0, -ENOENT no such parameter, -EINVAL neither a number nor a time, -ERANGE.
 */
int gp_text_read_param(const char *name, const char *text, u64 *value,
		       const struct gp_param_desc **desc);

/**
 * gp_text_is_policy() - is there a policy of this name?
 * @name: name
 *
 * Return: true if so.
 */
bool gp_text_is_policy(const char *name);

/**
 * gp_text_read_value() - read the value of a parameter, an attribute or a key
 * @name: its name; see gp_text_unit()
 * @text: a number; of what counts nanoseconds also a time with its unit
 * @min: smallest that is legal
 * @max: largest that is legal
 * @value: output
 *
 * Return: 0, -EINVAL, -ERANGE.
 */
int gp_text_read_value(const char *name, const char *text, u64 min, u64 max, u64 *value);

#endif
