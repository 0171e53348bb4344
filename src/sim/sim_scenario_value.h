/* SPDX-License-Identifier: MIT */
/*
 * Values of the scenario language beside those of rules/text.h. Every function
 * reads a whole text and refuses anything left over. None of them uses floating
 * point, so that a file means the same everywhere.
 */
#ifndef GP_SIM_SCENARIO_VALUE_H
#define GP_SIM_SCENARIO_VALUE_H

#include "rules/text.h"
#include "sim/sim_scenario.h"

#define SIM_NS_PER_US 1000ull
#define SIM_NS_PER_MS 1000000ull
#define SIM_NS_PER_S 1000000000ull

/* "100%", "12.5%": parts per million. Return: 0, -EINVAL, -ERANGE. */
int sim_value_percent(const char *text, u64 *ppm);

/* "4096", "8K", "1M": bytes. Return: 0, -EINVAL, -ERANGE. */
int sim_value_bytes(const char *text, u64 *bytes);

/* "100/s": time between two, rounded to nanoseconds. Return: 0, -EINVAL, -ERANGE. */
int sim_value_rate(const char *text, u64 *period_ns);

/* A name: 1..SIM_NAME_MAX-1 of letters, digits, '.', '_', '-'. */
bool sim_value_is_name(const char *text);

/**
 * sim_value_word() - cut the next word off a text
 * @text: in: text; out: what follows the word
 *
 * Return: the word, terminated in place, or NULL at the end.
 */
char *sim_value_word(char **text);

#endif
