// SPDX-License-Identifier: MIT
#include "bench.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool is_part(const char *whole, const char *part)
{
	size_t len = strlen(whole);

	return !strncmp(whole, part, len) && (part[len] == '\0' || part[len] == '.');
}

bool bench_wants(const struct bench *b, const char *bench)
{
	return !b->only || is_part(b->only, bench) || is_part(bench, b->only);
}

static bool is_kept(const struct bench_result *r)
{
	switch (r->kind) {
	case BENCH_AT_MOST:
		return r->value <= r->bound;
	case BENCH_AT_LEAST:
		return r->value >= r->bound;
	default:
		return true;
	}
}

static json_t *number_or_null(bool there, double value)
{
	return there && !isnan(value) ? json_real(value) : json_null();
}

static int print_json(struct bench *b, const struct bench_result *r)
{
	json_t *line = json_pack("{s:s, s:s, s:o, s:s, s:o, s:o, s:b}", "bench", r->bench, "case",
				 r->name, "value", number_or_null(true, r->value), "unit", r->unit,
				 "baseline", number_or_null(r->has_baseline, r->baseline), "bound",
				 number_or_null(r->kind != BENCH_INFO, r->bound), "ok", r->ok);

	if (!line)
		return -ENOMEM;
	json_dumpf(line, b->out, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
	fputc('\n', b->out);
	json_decref(line);
	return 0;
}

/* NaN is what never happens. */
static const char *number(char *buf, size_t size, double value)
{
	if (isnan(value))
		return "never";
	snprintf(buf, size, "%.6g", value);
	return buf;
}

static void print_row(struct bench *b, const struct bench_result *r)
{
	static const char *const signs[] = { "", "<=", ">=" };
	char value[32], baseline[32], bound[32] = "";

	if (!b->nr_results)
		fprintf(b->out, "%-17s %-30s %14s %14s %16s %-9s %s\n", "bench", "case", "value",
			"baseline", "bound", "unit", "ok");
	if (r->kind != BENCH_INFO)
		snprintf(bound, sizeof(bound), "%s %.6g", signs[r->kind], r->bound);
	fprintf(b->out, "%-17s %-30s %14s %14s %16s %-9s %s\n", r->bench, r->name,
		number(value, sizeof(value), r->value),
		r->has_baseline ? number(baseline, sizeof(baseline), r->baseline) : "", bound,
		r->unit, r->kind == BENCH_INFO ? "" : r->ok ? "yes" : "NO");
}

int bench_report(struct bench *b, struct bench_result *r)
{
	int err = 0;

	r->ok = is_kept(r);
	if (b->json)
		err = print_json(b, r);
	else
		print_row(b, r);
	fflush(b->out);
	b->nr_results++;
	b->nr_missed += !r->ok;
	return err;
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

uint64_t bench_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t bench_cpu_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_median(double *values, size_t nr)
{
	qsort(values, nr, sizeof(*values), compare);
	return nr % 2 ? values[nr / 2] : (values[nr / 2 - 1] + values[nr / 2]) / 2;
}
