// SPDX-License-Identifier: MIT
/*
 * daemon.decision  from reading the message that causes a switch to the first HOLD
 *                  that was sent, as the daemon counts it
 * daemon.fanout    from the first HOLD of a switch to the last answer; 199 victims are
 *                  four switches of at most 64
 * daemon.edge      from the edge of the urgent client to the first HOLD at a victim,
 *                  beside a round trip over a socket of the same kind
 * daemon.switch    processor time of the daemon for such a round: that is what has a bound,
 *                  the times above are also those of others that use the machine
 * daemon.cpu       processor time of the daemon: with nothing to do, at 10 000 edges a
 *                  second that change nothing, and at as many among which 100 times a
 *                  second an urgent client comes and goes
 */
#include "bench_daemon.h"
#include "daemon_rig.h"
#include "gpreempt/gpreempt.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLIENTS 200
#define QUEUES 4
#define ROUNDS 100
#define IDLE_NS 5000000000ULL
#define EDGES_NS 3000000000ULL
#define EDGES_A_MS 10
#define NS_PER_MS 1000000ULL
/* Only for what is stuck: a busy machine takes its time. */
#define WAIT_NS 60000000000ULL

static int call(const struct bench_rig *r, const char *method, const char *parameters, json_t **out)
{
	struct gpreempt *g;
	char path[96];
	char *reply = NULL;
	int err;

	bench_rig_path(r, path, sizeof(path));
	err = gpreempt_open(&g, GPREEMPT_OPEN_DAEMON, path);
	if (err)
		return err;
	err = gpreempt_call(g, method, parameters, &reply);
	if (!err && out) {
		*out = json_loads(reply, 0, NULL);
		err = *out ? 0 : -EPROTO;
	}
	gpreempt_free(reply);
	gpreempt_close(g);
	return err;
}

static double percentile(json_t *statistics, const char *histogram, const char *name)
{
	json_t *node = json_array_get(json_object_get(statistics, "nodes"), 0);

	return json_number_value(json_object_get(json_object_get(node, histogram), name)) / 1e3;
}

/* Round trip over a SOCK_SEQPACKET pair with another process, median in us. */
static double round_trip(void)
{
	static double values[ROUNDS];
	int pair[2];
	char c = 0;
	pid_t pid;
	int i;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair))
		return 0;
	pid = fork();
	if (!pid) {
		close(pair[0]);
		while (recv(pair[1], &c, 1, 0) == 1)
			send(pair[1], &c, 1, 0);
		_exit(0);
	}
	close(pair[1]);
	for (i = 0; i < ROUNDS; i++) {
		uint64_t start_ns = bench_now_ns();

		send(pair[0], &c, 1, 0);
		recv(pair[0], &c, 1, 0);
		values[i] = (double)(bench_now_ns() - start_ns) / 1e3;
	}
	close(pair[0]);
	waitpid(pid, NULL, 0);
	return bench_median(values, ROUNDS);
}

static int report(struct bench *b, const char *bench, const char *name, double value,
		  const char *unit, double bound)
{
	struct bench_result r = {
		.bench = bench,
		.name = name,
		.value = value,
		.unit = unit,
		.bound = bound,
		.kind = bound > 0 ? BENCH_AT_MOST : BENCH_INFO,
	};

	return bench_report(b, &r);
}

/* The urgent one comes: first HOLD, all held; it goes: all released. */
static int one_round(struct bench_rig *r, double *first_us, double *all_us)
{
	uint64_t start_ns = bench_now_ns();
	int err = bench_rig_edge(r, CLIENTS - 1, 0, true);

	if (!err)
		err = bench_rig_pump(r, CLIENTS - 1, WAIT_NS);
	*first_us = (double)(r->first_held_ns - start_ns) / 1e3;
	*all_us = (double)(r->held_ns - start_ns) / 1e3;
	if (!err)
		err = bench_rig_edge(r, CLIENTS - 1, 0, false);
	return err ? err : bench_rig_pump(r, 0, WAIT_NS);
}

static int bench_switches(struct bench *b, struct bench_rig *r)
{
	static double first_us[ROUNDS];
	static double all_us[ROUNDS];
	struct bench_result edge = { .bench = "daemon.edge", .name = "first HOLD, median",
					.unit = "us", .has_baseline = true };
	uint64_t cpu_ns;
	json_t *stats;
	int err = 0;
	int i;

	for (i = 0; i < CLIENTS - 1; i++)
		bench_rig_edge(r, (uint32_t)i, 0, true);
	cpu_ns = bench_rig_cpu_ns(r);
	for (i = 0; i < ROUNDS && !err; i++)
		err = one_round(r, &first_us[i], &all_us[i]);
	cpu_ns = bench_rig_cpu_ns(r) - cpu_ns;
	if (!err)
		err = call(r, "GetStatistics", NULL, &stats);
	if (err)
		return err;
	report(b, "daemon.decision", "200 clients, p50", percentile(stats, "decision", "p50_ns"),
	       "us", 200);
	report(b, "daemon.decision", "200 clients, p99", percentile(stats, "decision", "p99_ns"),
	       "us", 0);
	report(b, "daemon.fanout", "64 of 199 victims, p50", percentile(stats, "fanout", "p50_ns"),
	       "us", 0);
	report(b, "daemon.fanout", "64 of 199 victims, p99", percentile(stats, "fanout", "p99_ns"),
	       "us", 0);
	json_decref(stats);
	report(b, "daemon.fanout", "edge to all 199 held, median", bench_median(all_us, ROUNDS),
	       "us", 0);
	report(b, "daemon.switch", "199 held and released", (double)cpu_ns / ROUNDS / 1e3, "us",
	       20000);
	edge.value = bench_median(first_us, ROUNDS);
	edge.baseline = round_trip();
	return bench_report(b, &edge);
}

static int quiet(struct bench_rig *r)
{
	uint32_t i;

	for (i = 0; i < CLIENTS; i++)
		bench_rig_edge(r, i, 0, false);
	return bench_rig_serve(r, 500 * NS_PER_MS);
}

static int serve_until(struct bench_rig *r, uint64_t end_ns)
{
	uint64_t now_ns = bench_now_ns();

	return bench_rig_serve(r, end_ns > now_ns ? end_ns - now_ns : 0);
}

/* @urgent: the last client, which is urgent, comes and goes every ten ms. */
static int edges(struct bench_rig *r, bool urgent, uint64_t *nr)
{
	uint64_t start_ns = bench_now_ns();
	uint64_t tick = 0;
	int err = 0;

	*nr = 0;
	while (!err && bench_now_ns() - start_ns < EDGES_NS) {
		int i;

		for (i = 0; i < EDGES_A_MS && !err; i++, (*nr)++) {
			uint64_t at = *nr % ((CLIENTS - 1) * QUEUES);
			bool busy = *nr / ((CLIENTS - 1) * QUEUES) % 2 == 0;

			err = bench_rig_edge(r, (uint32_t)(at / QUEUES), (uint32_t)(at % QUEUES),
					     busy);
		}
		if (urgent && tick % 5 == 0 && !err)
			err = bench_rig_edge(r, CLIENTS - 1, 0, tick % 10 == 0);
		tick++;
		if (!err)
			err = serve_until(r, start_ns + tick * NS_PER_MS);
	}
	return err;
}

static int bench_edges(struct bench *b, struct bench_rig *r, bool urgent)
{
	uint64_t cpu_ns = bench_rig_cpu_ns(r);
	uint64_t start_ns = bench_now_ns();
	uint64_t took_ns;
	uint64_t nr;
	int err = edges(r, urgent, &nr);

	if (err)
		return err;
	took_ns = bench_now_ns() - start_ns;
	cpu_ns = bench_rig_cpu_ns(r) - cpu_ns;
	report(b, "daemon.edges", urgent ? "sent, with switches" : "sent",
	       (double)nr * 1e9 / (double)took_ns, "1/s", 0);
	return report(b, "daemon.cpu", urgent ? "10 000 edges/s, 100 switches" : "10 000 edges/s",
		      (double)cpu_ns * 100 / (double)took_ns, "%", urgent ? 80 : 40);
}

static int bench_idle(struct bench *b, struct bench_rig *r)
{
	uint64_t cpu_ns = bench_rig_cpu_ns(r);
	int err = bench_rig_serve(r, IDLE_NS);

	cpu_ns = bench_rig_cpu_ns(r) - cpu_ns;
	if (err)
		return err;
	return report(b, "daemon.cpu", "nothing to do, 200 clients",
		      (double)cpu_ns * 100 / (double)IDLE_NS, "%", 0.1);
}

int bench_daemon(struct bench *b)
{
	static struct bench_rig r;
	uint32_t i;
	int err;

	err = bench_rig_start(&r);
	for (i = 0; i < CLIENTS && !err; i++)
		err = bench_rig_add(&r, i == CLIENTS - 1 ? 12 : 2, QUEUES);
	if (!err)
		err = call(&r, "SetPolicy", "{\"parameters\": {\"spare_victims\": 0}}", NULL);
	if (!err)
		err = bench_switches(b, &r);
	if (!err)
		err = quiet(&r);
	if (!err)
		err = bench_idle(b, &r);
	if (!err)
		err = bench_edges(b, &r, false);
	if (!err)
		err = quiet(&r);
	if (!err)
		err = bench_edges(b, &r, true);
	bench_rig_stop(&r);
	return err;
}
