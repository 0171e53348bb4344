// SPDX-License-Identifier: MIT
#include "cli/top/top_text.h"

#include <string.h>

#define DEVICE_FORMAT "%-10s %-12.12s %-7.7s %-9.9s %6s %5s %4s %10s %10s %9s %9s"
#define DEVICE_WIDTH 101
#define ROW_FORMAT "%8s  %-16.16s %-11.11s %4s  %-6.6s %6s %4s  %-10.10s %6s %6s %7s %9s %9s"
#define ROW_WIDTH 117
/* The same in 80 columns: %.0s leaves one out. */
#define DEVICE_NARROW "%-10s%.0s %-6.6s %-9.9s %6s %4s %4s %7s %9s %8s %8s"
#define ROW_NARROW "%8s %-12.12s%.0s %4s %-6.6s%.0s %4s %-10.10s %5s %5s %6s%.0s %8s"

static const char *format_share(s64 ppm, char *out, size_t size)
{
	if (ppm < 0)
		return "-";
	snprintf(out, size, "%.1f", (double)ppm / 10000);
	return out;
}

static const char *format_time(u64 ns, char *out)
{
	return ns ? cli_format_duration(ns, out) : "-";
}

const char *cli_top_device_header(int width, char *out)
{
	bool is_narrow = width < DEVICE_WIDTH;

	snprintf(out, CLI_TOP_LINE, is_narrow ? DEVICE_NARROW : DEVICE_FORMAT, "DEVICE", "NAME",
		 "POLICY", "HEALTH", "QUEUES", "BUSY", "OUT", is_narrow ? "PRE/S" : "PREEMPT/S",
		 "PREEMPTED", "SW_P50", "SW_P99");
	return out;
}

const char *cli_top_device_line(const struct cli_top_device *d, int width, char *out)
{
	char queues[16], busy[16], outs[16], rate[16], total[24];
	char p50[CLI_TEXT_MAX_DURATION], p99[CLI_TEXT_MAX_DURATION];

	snprintf(queues, sizeof(queues), "%u", d->nr_queues);
	snprintf(busy, sizeof(busy), "%u", d->nr_busy);
	snprintf(outs, sizeof(outs), "%u", d->nr_out);
	snprintf(rate, sizeof(rate), "%.1f", d->preempted_per_s);
	snprintf(total, sizeof(total), "%llu", (unsigned long long)d->nr_preemptions);
	snprintf(out, CLI_TOP_LINE, width < DEVICE_WIDTH ? DEVICE_NARROW : DEVICE_FORMAT, d->id,
		 d->name, d->policy, d->health, queues, busy, outs, rate, total,
		 format_time(d->p50_ns, p50), format_time(d->p99_ns, p99));
	return out;
}

const char *cli_top_row_header(int width, char *out)
{
	snprintf(out, CLI_TOP_LINE, width < ROW_WIDTH ? ROW_NARROW : ROW_FORMAT, "PID", "COMMAND",
		 "CLASS", "PRIO", "GPU", "QUEUES", "BUSY", "STATE", "RUN%", "OFF%", "PRE/S",
		 "PREEMPTED", "OFF_MAX");
	return out;
}

const char *cli_top_row_line(const struct cli_top_row *r, int width, char *out)
{
	char pid[16], prio[16], queues[16], busy[16], run[16], off[16], rate[16], total[24];
	char most[CLI_TEXT_MAX_DURATION];

	snprintf(pid, sizeof(pid), "%u", r->pid);
	snprintf(prio, sizeof(prio), r->prio < 0 ? "-" : "%d", r->prio);
	snprintf(queues, sizeof(queues), "%u", r->nr_queues);
	snprintf(busy, sizeof(busy), "%u", r->nr_busy);
	snprintf(rate, sizeof(rate), "%.1f", r->preempted_per_s);
	snprintf(total, sizeof(total), "%llu", (unsigned long long)r->nr_preempted);
	snprintf(out, CLI_TOP_LINE, width < ROW_WIDTH ? ROW_NARROW : ROW_FORMAT, pid, r->comm,
		 r->klass, prio, r->where, queues, busy, r->state,
		 format_share(r->run_ppm, run, sizeof(run)),
		 format_share(r->off_ppm, off, sizeof(off)), rate, total,
		 format_time(r->off_max_ns, most));
	return out;
}

void cli_top_bar(const struct cli_top_row *r, u32 *run, u32 *off)
{
	u64 ran = r->run_ppm > 0 ? (u64)r->run_ppm : 0;
	u64 was_off = r->off_ppm > 0 ? (u64)r->off_ppm : 0;

	*run = (u32)((ran * CLI_TOP_BAR + 500000) / 1000000);
	*off = min((u32)((was_off * CLI_TOP_BAR + 500000) / 1000000), CLI_TOP_BAR - *run);
}

bool cli_top_matches(const struct cli_top_row *r, const char *text)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%u", r->pid);
	return !*text || strstr(r->comm, text) || strstr(pid, text);
}
