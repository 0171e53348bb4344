/* SPDX-License-Identifier: MIT */
/*
 * Measurements with bounds. A bench function measures something, with its
 * baseline in the same run, and reports results; the framework prints them and
 * remembers whether any bound was missed.
 *
 * To add one: declare `int bench_<name>(struct bench *b)` in a header of
 * its own and add a line to the table in main.c.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum bench_kind {
	BENCH_INFO,		/* no bound */
	BENCH_AT_MOST,		/* value <= bound */
	BENCH_AT_LEAST,		/* value >= bound */
};

/**
 * struct bench_result - one measurement
 * @bench: name of the bench, "core.event"
 * @name: the case, "4096 entities"
 * @value: measured; NaN = never
 * @unit: of value, baseline and bound
 * @baseline: the same without us, if @has_baseline
 * @bound: see @kind
 * @kind: whether there is a bound
 * @has_baseline: there is a baseline
 * @ok: output: the bound is kept
 */
struct bench_result {
	const char *bench;
	const char *name;
	double value;
	const char *unit;
	double baseline;
	double bound;
	enum bench_kind kind;
	bool has_baseline;
	bool ok;
};

/**
 * struct bench - one run of benches
 * @out: where results go
 * @json: JSON lines instead of a table
 * @only: name of the only bench wanted, or the first part of it; NULL = all
 * @nr_missed: bounds missed
 * @nr_results: results so far
 */
struct bench {
	FILE *out;
	bool json;
	const char *only;
	unsigned int nr_missed;
	unsigned int nr_results;
};

/**
 * bench_wants() - is a bench wanted?
 * @b: run
 * @bench: its name
 *
 * Return: true if it is @only, or a part of it, or has parts that are.
 */
bool bench_wants(const struct bench *b, const char *bench);

/**
 * bench_report() - print a result and judge it
 * @b: run
 * @r: result; its ok is filled in
 *
 * Return: 0, or -ENOMEM.
 */
int bench_report(struct bench *b, struct bench_result *r);

/**
 * bench_now_ns() - monotonic time
 *
 * Return: nanoseconds.
 */
uint64_t bench_now_ns(void);

/**
 * bench_cpu_ns() - processor time of the calling thread
 *
 * For costs of a few nanoseconds on a machine that does other things as well.
 *
 * Return: nanoseconds.
 */
uint64_t bench_cpu_ns(void);

/**
 * bench_median() - median of measurements
 * @values: measurements; sorted by this call
 * @nr: how many, at least 1
 *
 * Return: the median.
 */
double bench_median(double *values, size_t nr);

#endif
