// SPDX-License-Identifier: MIT
/*
 * From the costs that gpreempt selftest measured to a GPU for gpreempt sim: what was measured
 * takes the place of what the nearest profile assumes, and each line says which of both it is.
 */
#include "cli/cli_outfile.h"
#include "cli/cli_verb.h"

#include "driver/discover.h"
#include "gpu/profile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POINTS 64
#define MAX_SAMPLES 512

/* A distribution. */
struct samples {
	double bytes;	/* that were saved */
	u32 nr;
	double ns[MAX_SAMPLES];	/* ascending */
};

/* What follows from a report. */
struct calibration {
	double call_ns;	/* of the driver, for a call that unmaps nothing */
	double unmap_ns;	/* of the firmware */
	double map_ns;	/* same, with one queue */
	double packet_ns;	/* doorbell to signal */
	double wake_ns;	/* of a thread */
	double spread;	/* share of the firmware's costs that varies */
	double save_ns_byte;	/* 0 = not known */
	double restore_ns_byte;	/* same */
	u32 nr_samples;	/* of each cost */
	u32 nr_points;	/* occupancies */
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Reads a distribution, sorted. False: it is none. */
static bool read_series(const json_t *o, struct samples *s)
{
	const json_t *list = json_object_get(o, "ns");

	s->nr = 0;
	s->bytes = (double)json_integer_value(json_object_get(o, "bytes"));
	for (size_t i = 0; i < json_array_size(list) && s->nr < MAX_SAMPLES; i++)
		s->ns[s->nr++] = (double)json_integer_value(json_array_get(list, i));
	qsort(s->ns, s->nr, sizeof(s->ns[0]), compare);
	return s->nr > 0;
}

/* Every distribution of a report with a name; returns how many. */
static u32 find_series(const json_t *report, const char *name, struct samples *out, u32 room)
{
	const json_t *rungs = json_object_get(report, "rungs");
	u32 nr = 0;

	for (size_t i = 0; i < json_array_size(rungs); i++) {
		const json_t *list = json_object_get(json_array_get(rungs, i), "series");

		for (size_t k = 0; k < json_array_size(list) && nr < room; k++) {
			const json_t *o = json_array_get(list, k);

			if (!strcmp(cli_text(o, "name"), name) && read_series(o, &out[nr]))
				nr++;
		}
	}
	return nr;
}

/* The duration that a share of them does not exceed. */
static double samples_at(const struct samples *s, double share)
{
	u32 at = (u32)(share * (double)(s->nr - 1) + 0.5);

	return s->ns[at];
}

/* Nanoseconds a byte: the middle of the slopes between all pairs of occupancies (Theil-Sen). */
static double slope(const struct samples *s, u32 nr)
{
	double slopes[MAX_POINTS * MAX_POINTS / 2];
	u32 n = 0;

	for (u32 i = 0; i < nr; i++)
		for (u32 k = i + 1; k < nr; k++)
			if (s[k].bytes > s[i].bytes)
				slopes[n++] = (samples_at(&s[k], 0.5) -
					       samples_at(&s[i], 0.5)) /
					      (s[k].bytes - s[i].bytes);
	qsort(slopes, n, sizeof(slopes[0]), compare);
	return n ? slopes[n / 2] : 0;
}

static double above(const struct samples *s, double rest)
{
	double ns = samples_at(s, 0.5) - rest;

	return ns > 0 ? ns : 0;
}

/* What varies is exponential in the model: its deviation is the share. */
static double spread(const struct samples *s, double rest)
{
	double mean = 0, sum = 0, share;

	for (u32 i = 0; i < s->nr; i++)
		mean += s->ns[i] / s->nr;
	/* The mean distance of an exponential from its mean is 2/e of it. */
	for (u32 i = 0; i < s->nr; i++)
		sum += (s->ns[i] > mean ? s->ns[i] - mean : mean - s->ns[i]) / s->nr;
	share = mean > rest ? sum / 0.7358 / (mean - rest) : 0;
	return share < 1 ? share : 1;
}

/* Return: 0, -ENODATA the report has no costs. */
static int derive(const json_t *report, struct calibration *out)
{
	static struct samples fill[MAX_POINTS];
	struct samples call, stop, packet, first, wake;
	u32 nr;

	memset(out, 0, sizeof(*out));
	if (!find_series(report, "call", &call, 1) || !find_series(report, "stop", &stop, 1) ||
	    !find_series(report, "packet", &packet, 1) ||
	    !find_series(report, "first", &first, 1) || !find_series(report, "wake", &wake, 1))
		return -ENODATA;
	out->call_ns = samples_at(&call, 0.5);
	out->unmap_ns = above(&stop, out->call_ns);
	out->packet_ns = samples_at(&packet, 0.5);
	out->map_ns = above(&first, out->call_ns + out->packet_ns);
	out->wake_ns = samples_at(&wake, 0.5);
	out->spread = spread(&stop, out->call_ns);
	out->nr_samples = stop.nr;
	nr = find_series(report, "save", fill, MAX_POINTS);
	out->save_ns_byte = slope(fill, nr);
	nr = find_series(report, "restore", fill, MAX_POINTS);
	out->restore_ns_byte = slope(fill, nr);
	out->nr_points = nr;
	return 0;
}

/* Does the simulator have room for such a GPU? */
static bool is_sane(const json_t *machine)
{
	s64 xccs = json_integer_value(json_object_get(machine, "nr_xcc"));
	s64 cus = json_integer_value(json_object_get(machine, "nr_cu"));

	return xccs >= 1 && xccs <= GPU_MAX_XCC && cus >= xccs &&
	       cus <= xccs * GPU_MAX_CU_PER_XCC;
}

/* The profile that has most in common: the architecture, then XCCs, then compute units. */
static const struct gpu_profile *nearest(const json_t *machine)
{
	const char *gfx = cli_text(machine, "gpu");
	s64 xccs = json_integer_value(json_object_get(machine, "nr_xcc"));
	s64 cus = json_integer_value(json_object_get(machine, "nr_cu"));
	const struct gpu_profile *best = NULL, *p;
	s64 least = INT64_MAX;

	for (u32 i = 0; (p = gpu_profile_at(i)); i++) {
		char name[GPREEMPT_NAME_LEN];
		s64 d = llabs(p->nr_xcc - xccs) * 1000 +
			llabs((s64)(p->nr_xcc * p->cu_per_xcc) - cus);

		drv_gfx_name(p->gfx_version, name);
		d += strcmp(name, gfx) ? 1000000 : 0;
		if (d < least) {
			least = d;
			best = p;
		}
	}
	return best;
}

/* Text of a report, which is not trusted. */
static void put_text(FILE *f, const char *text)
{
	for (u32 i = 0; text[i] && i < 80; i++)
		fputc(isprint((unsigned char)text[i]) ? text[i] : '?', f);
}

static void put_line(FILE *f, const char *key, const char *value, const char *source)
{
	fprintf(f, "%-9s = %-12s # %s\n", key, value, source);
}

static void put_number(FILE *f, const char *key, double value, const char *unit,
		       const char *source)
{
	char text[32];

	snprintf(text, sizeof(text), "%.0f%s", value, unit);
	put_line(f, key, text, source);
}

static void put_machine(FILE *f, const json_t *report, const struct gpu_profile *base)
{
	const json_t *m = json_object_get(report, "machine");
	s64 xccs = json_integer_value(json_object_get(m, "nr_xcc"));
	s64 cus = json_integer_value(json_object_get(m, "nr_cu"));

	fputs("# A GPU for gpreempt sim --gpu FILE, by gpreempt calibrate. Measured on ", f);
	put_text(f, cli_text(m, "gpu"));
	fputs(", Linux ", f);
	put_text(f, cli_text(m, "kernel"));
	if (!json_is_true(json_object_get(report, "complete")))
		fputs("\n# The ladder was not climbed to its end: see the report.", f);
	fputs("\n[profile]\n", f);
	put_line(f, "base", base->name, "assumed: the nearest; slots, quanta, caches are its");
	put_number(f, "xccs", (double)xccs, "", "measured: told by the driver");
	put_number(f, "cus", (double)(cus / xccs), "", "measured: told by the driver");
}

/* The model has one for both ways: the slower of them. */
static void put_bandwidth(FILE *f, const struct calibration *c,
			  const struct gpu_profile *base)
{
	double save = c->save_ns_byte, restore = c->restore_ns_byte;
	char source[128];

	if (save <= 0 || restore <= 0) {
		put_number(f, "bandwidth", (double)base->cwsr_bytes_per_us, "",
			   "assumed: time did not grow with what was saved");
		return;
	}
	snprintf(source, sizeof(source),
		 "measured: bytes in a microsecond, by %u occupancies; saves %.0f, restores %.0f",
		 c->nr_points, 1000 / save, 1000 / restore);
	put_number(f, "bandwidth", 1000 / max(save, restore), "", source);
}

static void put_profile(FILE *f, const json_t *report, const struct calibration *c)
{
	const struct gpu_profile *base = nearest(json_object_get(report, "machine"));
	char source[128];

	put_machine(f, report, base);
	put_bandwidth(f, c, base);
	snprintf(source, sizeof(source), "measured: stops of an idle queue, %u, without the call",
		 c->nr_samples);
	put_number(f, "unmap", c->unmap_ns, "ns", source);
	put_number(f, "map", c->map_ns, "ns", "measured: to the first packet, without call and "
		   "packet; with its queue");
	put_line(f, "map-queue", "0ns", "assumed: in map, which was measured with one queue");
	put_number(f, "packet", c->packet_ns, "ns", "measured: doorbell to signal");
	snprintf(source, sizeof(source), "%.1f%%", c->spread * 100);
	put_line(f, "spread", source, "measured: deviation of these stops");
	put_number(f, "hqd", (double)base->hqd_ns, "ns", "assumed: without the firmware scheduler");
	fputs("\n[costs]\n", f);
	put_number(f, "driver", c->call_ns, "ns", "measured: a call that unmaps nothing");
	put_number(f, "wake", c->wake_ns, "ns",
		   "measured: a write to a pipe until its reader runs");
}

/* The report of a file, or of the standard input. NULL after a message. */
static json_t *load(const char *path)
{
	json_error_t error;
	json_t *o = strcmp(path, "-") ? json_load_file(path, 0, &error) :
					json_loadf(stdin, 0, &error);

	if (!o)
		cli_error(path, "%s", error.text);
	else if (strcmp(cli_text(o, "schema"), "gpreempt.selftest/1"))
		cli_error(path, "not a report of gpreempt selftest --json");
	else
		return o;
	json_decref(o);
	return NULL;
}

static int write_profile(const struct cli_options *o, const json_t *report,
			 const struct calibration *c)
{
	struct cli_outfile out = { .file = stdout };
	int err;

	if (!o->output) {
		put_profile(stdout, report, c);
		return cli_finish(CLI_EXIT_OK);
	}
	err = cli_outfile_open(&out, o->output);
	if (!err) {
		put_profile(out.file, report, c);
		err = cli_outfile_commit(&out);
	}
	return err ? cli_fail(o->output, err, NULL) : CLI_EXIT_OK;
}

static int calibrate(struct cli_session *s)
{
	struct calibration c;
	json_t *report;
	int ret;

	if (!s->o.nr_words) {
		cli_error("calibrate", "FILE is missing: an output of gpreempt selftest --json");
		return CLI_EXIT_USAGE;
	}
	report = load(s->o.words[0]);
	if (!report)
		return CLI_EXIT_USAGE;
	if (derive(report, &c)) {
		cli_error(s->o.words[0], "the ladder did not come to its costs");
		ret = CLI_EXIT_USAGE;
	} else if (!is_sane(json_object_get(report, "machine"))) {
		cli_error(s->o.words[0], "nr_xcc or nr_cu is out of range");
		ret = CLI_EXIT_USAGE;
	} else {
		ret = write_profile(&s->o, report, &c);
	}
	json_decref(report);
	return ret;
}

const struct cli_verb cli_verb_calibrate = {
	.name = "calibrate",
	.usage = "[OPTION...] FILE",
	.doc = "Makes a GPU for gpreempt sim --gpu FILE of what gpreempt selftest --json\n"
	       "measured. Each line of it says whether it was measured or is assumed.",
	.example = "gpreempt calibrate selftest.json -o mine.profile",
	.options = CLI_OPTS_CALIBRATE,
	.nr_words = 1,
	.run = calibrate,
};
