/* SPDX-License-Identifier: MIT */
/*
 * Values of the scenario language: numbers with units, words, ranges. Every
 * function reads a whole text and refuses anything left over. None of them
 * uses floating point, so that a file means the same everywhere.
 */
#ifndef GP_SIM_SCENARIO_VALUE_H
#define GP_SIM_SCENARIO_VALUE_H

#include "sim/sim_scenario.h"

#define GP_NS_PER_US 1000ull
#define GP_NS_PER_MS 1000000ull
#define GP_NS_PER_S 1000000000ull
#define GP_PPM_ONE 1000000ull

/**
 * gp_value_u64() - "42"
 * @text: text
 * @value: output
 *
 * Return: 0, -EINVAL not a number, -ERANGE too large for 64 bits.
 */
int gp_value_u64(const char *text, u64 *value);

/**
 * gp_value_scaled() - a decimal number times a power of ten, "1.5" and 6 = 1500000
 * @text: text
 * @digits: digits after the point that count, at most 9
 * @value: output
 *
 * Return: 0, -EINVAL not a number or more digits than count, -ERANGE too large.
 */
int gp_value_scaled(const char *text, u32 digits, u64 *value);

/* "100%", "12.5%": parts per million. Return: 0, -EINVAL, -ERANGE. */
int gp_value_percent(const char *text, u64 *ppm);

/* "4096", "8K", "1M": bytes. Return: 0, -EINVAL, -ERANGE. */
int gp_value_bytes(const char *text, u64 *bytes);

/* "100/s": time between two, rounded to nanoseconds. Return: 0, -EINVAL, -ERANGE. */
int gp_value_rate(const char *text, u64 *period_ns);

/* "yes" or "no". Return: 0 or -EINVAL. */
int gp_value_bool(const char *text, bool *value);

/* A name: 1..GP_NAME_MAX-1 of letters, digits, '.', '_', '-'. */
bool gp_value_is_name(const char *text);

/**
 * gp_value_word() - cut the next word off a text
 * @text: in: text; out: what follows the word
 *
 * Return: the word, terminated in place, or NULL at the end.
 */
char *gp_value_word(char **text);

/**
 * gp_value_duration_text() - a duration for people, exact: "20ms", "1500us", "7ns"
 * @ns: duration
 * @out: output
 * @size: its size, at least 24
 *
 * Return: @out.
 */
const char *gp_value_duration_text(u64 ns, char *out, size_t size);

#endif
