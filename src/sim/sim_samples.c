// SPDX-License-Identifier: MIT
#include "sim/sim_run.h"

#include <stdlib.h>
#include <string.h>

int sim_samples_add(struct sim_samples *s, u64 ns)
{
	if (s->nr == s->cap) {
		u64 cap = s->cap ? s->cap * 2 : 64;
		u64 *mem = realloc(s->ns, cap * sizeof(*mem));

		if (!mem)
			return -ENOMEM;
		s->ns = mem;
		s->cap = cap;
	}
	s->ns[s->nr++] = ns;
	return 0;
}

void sim_samples_fini(struct sim_samples *s)
{
	free(s->ns);
	memset(s, 0, sizeof(*s));
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

void sim_samples_sort(struct sim_samples *s)
{
	if (s->nr)
		qsort(s->ns, s->nr, sizeof(*s->ns), compare_u64);
}

/* From the shortest duration to the longest. */
struct walk {
	const u64 *ended;   /* durations that have ended, sorted */
	u64 nr;		    /* how many */
	const u64 *waiting; /* how long the others have lasted so far, sorted */
	u64 nr_waiting;	    /* how many */
	u64 i;		    /* next of @ended */
	u64 w;		    /* next of @waiting */
	double share;	    /* share of all that is longer than what @waiting[@w - 1] was */
	u64 among;	    /* how many of both kinds that share was when it was taken */
};

static u64 left(const struct walk *k)
{
	return k->nr - k->i + k->nr_waiting - k->w;
}

/* A wait that is shorter than the next one that ended says nothing of it and is left out. */
static void skip_waiting(struct walk *k)
{
	while (k->w < k->nr_waiting && k->waiting[k->w] < k->ended[k->i]) {
		k->share *= (double)left(k) / (double)k->among;
		k->w++;
		k->among = left(k);
	}
}

/* The smallest duration that @permille do not exceed; to be asked with rising @permille. */
static u64 quantile(struct walk *k, u32 permille)
{
	while (k->i < k->nr) {
		u64 rest;

		skip_waiting(k);
		rest = left(k) - 1;
		if (k->share * (double)rest * 1000 <= (double)k->among * (1000 - permille))
			return k->ended[k->i];
		k->i++;
	}
	return SIM_NEVER;
}

static u64 mean(const u64 *ns, u64 nr)
{
	unsigned __int128 sum = 0;

	for (u64 i = 0; i < nr; i++)
		sum += ns[i];
	return (u64)(sum / nr);
}

static void summarize(const u64 *ended, u64 nr, const u64 *waiting, u64 nr_waiting,
		      struct sim_summary *out)
{
	struct walk k = {
		.ended = ended, .nr = nr, .waiting = waiting, .nr_waiting = nr_waiting,
		.share = 1, .among = nr + nr_waiting,
	};
	bool is_known = nr && (!nr_waiting || waiting[nr_waiting - 1] <= ended[nr - 1]);

	out->nr = nr;
	out->p50 = quantile(&k, 500);
	out->p90 = quantile(&k, 900);
	out->p99 = quantile(&k, 990);
	out->p999 = quantile(&k, 999);
	out->max = is_known ? ended[nr - 1] : SIM_NEVER;
	out->mean = is_known ? mean(ended, nr) : SIM_NEVER;
}

static u64 *sorted(const struct sim_samples *s)
{
	u64 *copy = malloc(max(s->nr, (u64)1) * sizeof(*copy));

	if (copy && s->nr) {
		memcpy(copy, s->ns, s->nr * sizeof(*copy));
		qsort(copy, s->nr, sizeof(*copy), compare_u64);
	}
	return copy;
}

int sim_samples_summary(const struct sim_samples *s, const struct sim_samples *waiting,
			struct sim_summary *out)
{
	static const struct sim_samples none;
	u64 *ended, *others;
	int ret = -ENOMEM;

	memset(out, 0, sizeof(*out));
	waiting = waiting ? waiting : &none;
	if (!s->nr && !waiting->nr)
		return 0;
	ended = sorted(s);
	others = sorted(waiting);
	if (ended && others) {
		summarize(ended, s->nr, others, waiting->nr, out);
		ret = 0;
	}
	free(ended);
	free(others);
	return ret;
}
