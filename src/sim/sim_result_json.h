/* SPDX-License-Identifier: MIT */
/*
 * Results of a run for programs: schema "gpreempt.sim/1". Integers are in base
 * units with the unit in the key; null means unknown or not measured.
 */
#ifndef GP_SIM_RESULT_JSON_H
#define GP_SIM_RESULT_JSON_H

#include "sim/sim_run.h"

#include <jansson.h>
#include <stdio.h>

/**
 * sim_result_to_json() - a result as an object
 * @sc: what was run
 * @r: what it gave
 *
 * Return: a new reference, or NULL when there is no memory.
 */
json_t *sim_result_to_json(const struct sim_scenario *sc, const struct sim_result *r);

/**
 * sim_json_write() - write a value the way all our JSON looks
 * @json: value
 * @out: file
 *
 * Nothing is written unless all of it could be formatted.
 *
 * Return: 0, -ENOMEM, -EIO.
 */
int sim_json_write(const json_t *json, FILE *out);

/**
 * sim_result_json() - write a result
 * @sc: what was run
 * @r: what it gave
 * @out: file
 *
 * Return: 0, -ENOMEM, -EIO.
 */
int sim_result_json(const struct sim_scenario *sc, const struct sim_result *r, FILE *out);

#endif
