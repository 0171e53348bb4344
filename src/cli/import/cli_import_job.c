// SPDX-License-Identifier: MIT
#include "cli/import/cli_import_job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pauses shorter than this are those between two launches, whatever their pattern. */
#define LEAST_GAP_NS 20000ull
/* So many times longer than the next shorter one is a pause of another kind. */
#define OTHER_KIND 3
/* Without a gap between them, kinds differ by so much in the mean. */
#define OTHER_SCALE 30
/* A pause of another kind that hardly ever comes is an accident of the recording. */
#define LEAST_SPLITS 4
/* Requests within this share of the longest are of one shape; more if there are too many. */
#define ALIKE_PERCENT 90

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* Pauses before the kernels, shortest first; one less than kernels. */
static u64 *sorted_gaps(const struct cli_import *t)
{
	u64 *gaps = calloc(t->nr, sizeof(*gaps));
	u64 end = t->kernels[0].end_ns;

	for (u64 i = 1; gaps && i < t->nr; i++) {
		u64 start = t->kernels[i].start_ns;

		gaps[i - 1] = start > end ? start - end : 0;
		end = max(end, t->kernels[i].end_ns);
	}
	if (gaps)
		qsort(gaps, t->nr - 1, sizeof(*gaps), by_value);
	return gaps;
}

static double scale_of(u64 gap_ns)
{
	return log((double)max(gap_ns, (u64)1000));
}

/*
 * Where requests come at random there are pauses of every length, and no gap among them. Those
 * between launches are of another size still: the pauses part where the variance between both
 * kinds is largest, by their order of magnitude. 0 = they are of one kind.
 */
static u64 parting_scale(const u64 *gaps, u64 nr)
{
	double sum = 0, below = 0, best = 0, apart = 0;
	u64 found = 0;

	for (u64 i = 0; i < nr; i++)
		sum += scale_of(gaps[i]);
	for (u64 i = 1; i < nr; i++) {
		double d, between;

		below += scale_of(gaps[i - 1]);
		d = (sum - below) / (double)(nr - i) - below / (double)i;
		between = d * d * (double)i * (double)(nr - i);
		if (gaps[i] >= LEAST_GAP_NS && gaps[i] > gaps[i - 1] && between > best) {
			best = between;
			apart = d;
			found = gaps[i];
		}
	}
	return apart > log(OTHER_SCALE) ? found : 0;
}

/* Where two kinds of pauses part most clearly; 0 = all are of one kind. */
static u64 parting_gap(const u64 *gaps, u64 nr)
{
	u64 least = nr < 4 * LEAST_SPLITS ? 1 : LEAST_SPLITS, found = 0;
	double best = OTHER_KIND;

	for (u64 i = 1; i + least <= nr; i++) {
		double shorter = (double)max(gaps[i - 1], (u64)1000);
		double ratio = (double)gaps[i] / shorter;

		if (gaps[i] >= LEAST_GAP_NS && ratio > best) {
			best = ratio;
			found = gaps[i];
		}
	}
	/* No short pause at all: each kernel is a request. */
	if (!found && nr && gaps[0] >= LEAST_GAP_NS)
		found = gaps[0];
	return found ? found : parting_scale(gaps, nr);
}

static void add_request(struct cli_import_job *job, u64 first, u64 nr, bool has_waited)
{
	const struct cli_import_kernel *k = job->trace->kernels;
	struct cli_import_request *r = &job->requests[job->nr_requests++];
	u64 end = 0;

	for (u64 i = first; i < first + nr; i++)
		end = max(end, k[i].end_ns);
	*r = (struct cli_import_request){ first, nr, k[first].start_ns, end, has_waited, 0 };
}

static void split_at_gaps(struct cli_import_job *job)
{
	const struct cli_import *t = job->trace;
	u64 end = t->kernels[0].end_ns, first = 0;

	for (u64 i = 1; i <= t->nr; i++) {
		if (i < t->nr && t->kernels[i].start_ns < end + job->gap_ns) {
			end = max(end, t->kernels[i].end_ns);
			continue;
		}
		add_request(job, first, i - first, false);
		first = i;
		end = i < t->nr ? t->kernels[i].end_ns : end;
	}
}

/* The most frequent number of kernels. */
static u64 usual_length(const struct cli_import_job *job, u64 *counts)
{
	u64 best = 0, usual = 0;

	for (u64 i = 0; i < job->nr_requests; i++)
		counts[i] = job->requests[i].nr;
	qsort(counts, job->nr_requests, sizeof(*counts), by_value);
	for (u64 i = 0, run = 0; i < job->nr_requests; i++) {
		run = i && counts[i] == counts[i - 1] ? run + 1 : 1;
		if (run > best) {
			best = run;
			usual = counts[i];
		}
	}
	/* One that is not even usual says nothing. */
	return 4 * best >= job->nr_requests ? usual : 0;
}

/* Requests that waited for the one before have no pause between them: part them by number. */
static int split_by_length(struct cli_import_job *job)
{
	struct cli_import_request *old = job->requests;
	u64 nr_old = job->nr_requests, usual;
	u64 *counts = calloc(nr_old, sizeof(*counts));

	if (!counts)
		return -ENOMEM;
	usual = usual_length(job, counts);
	free(counts);
	job->requests = calloc(job->trace->nr, sizeof(*job->requests));
	if (!job->requests) {
		job->requests = old;
		return -ENOMEM;
	}
	job->nr_requests = 0;
	for (u64 i = 0; i < nr_old; i++) {
		u64 step = usual && old[i].nr % usual == 0 ? usual : old[i].nr;

		for (u64 k = 0; k < old[i].nr; k += step)
			add_request(job, old[i].first + k, step, k);
	}
	free(old);
	return 0;
}

struct length {
	u64 ns;
	u64 request;
};

static int by_length(const void *a, const void *b)
{
	const struct length *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return (x->request > y->request) - (x->request < y->request);
}

/* Longest first. False = that takes more shapes than there are. */
static bool shape_all(struct cli_import_job *job, const struct length *all, u32 alike_percent)
{
	u64 first = 0;

	job->nr_shapes = 0;
	for (u64 i = 1; i <= job->nr_requests; i++) {
		if (i < job->nr_requests && all[i].ns * 100 >= all[first].ns * alike_percent)
			continue;
		if (job->nr_shapes == CLI_IMPORT_SHAPES)
			return false;
		for (u64 k = first; k < i; k++)
			job->requests[all[k].request].shape = job->nr_shapes;
		job->median[job->nr_shapes] = all[(first + i - 1) / 2].request;
		job->nr_of[job->nr_shapes++] = i - first;
		first = i;
	}
	return true;
}

static int by_share(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static u64 length_of(const struct cli_import_job *job, u64 request)
{
	const struct cli_import_request *r = &job->requests[request];

	return max(r->end_ns - r->start_ns, (u64)1);
}

static int find_spread(struct cli_import_job *job)
{
	double *all = calloc(job->nr_requests + 1, sizeof(*all));

	if (!all)
		return -ENOMEM;
	for (u64 i = 0; i < job->nr_requests; i++) {
		u64 median = job->median[job->requests[i].shape];

		all[i] = fabs(log((double)length_of(job, i) / (double)length_of(job, median)));
	}
	qsort(all, job->nr_requests, sizeof(*all), by_share);
	job->spread = job->nr_requests ? all[(job->nr_requests - 1) * 9 / 10] : 0;
	free(all);
	return 0;
}

static int find_shapes(struct cli_import_job *job)
{
	struct length *all = calloc(job->nr_requests + 1, sizeof(*all));
	u32 alike = ALIKE_PERCENT;

	if (!all)
		return -ENOMEM;
	for (u64 i = 0; i < job->nr_requests; i++)
		all[i] = (struct length){ job->requests[i].end_ns - job->requests[i].start_ns, i };
	qsort(all, job->nr_requests, sizeof(*all), by_length);
	while (!shape_all(job, all, alike))
		alike = alike > 10 ? alike - 10 : 0;
	free(all);
	return 0;
}

static void measure(struct cli_import_job *job)
{
	const struct cli_import *t = job->trace;
	u64 end = t->kernels[0].start_ns;

	for (u64 i = 0; i < t->nr; i++) {
		const struct cli_import_kernel *k = &t->kernels[i];

		job->kernel_ns += k->end_ns - k->start_ns;
		if (k->end_ns > end)
			job->busy_ns += k->end_ns - max(k->start_ns, end);
		end = max(end, k->end_ns);
	}
	job->span_ns = end - t->kernels[0].start_ns;
}

int cli_import_job_init(struct cli_import_job *job, const struct cli_import *t, u64 gap_ns)
{
	u64 *gaps = sorted_gaps(t);
	int err;

	memset(job, 0, sizeof(*job));
	job->trace = t;
	if (!gaps)
		return -ENOMEM;
	measure(job);
	job->gap_ns = gap_ns ? gap_ns : parting_gap(gaps, t->nr - 1);
	free(gaps);
	if (!job->gap_ns)
		return 0;
	job->requests = calloc(t->nr, sizeof(*job->requests));
	if (!job->requests)
		return -ENOMEM;
	split_at_gaps(job);
	err = split_by_length(job);
	if (!err)
		err = find_shapes(job);
	return err ? err : find_spread(job);
}

void cli_import_job_fini(struct cli_import_job *job)
{
	free(job->requests);
	memset(job, 0, sizeof(*job));
}
