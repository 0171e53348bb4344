// SPDX-License-Identifier: MIT
#include "cli/cli_objects.h"

#include <string.h>

static json_t *find(const json_t *jobs, const char *name, json_int_t uid)
{
	for (size_t i = 0; i < json_array_size(jobs); i++) {
		json_t *job = json_array_get(jobs, i);

		if (!strcmp(cli_text(job, "id"), name) && cli_number(job, "uid") == uid)
			return job;
	}
	return NULL;
}

static json_t *make(json_t *jobs, const char *name, const json_t *process)
{
	json_t *job = json_pack("{s:s, s:I, s:i, s:i, s:i, s:i, s:i, s:O, s:[], s:n, s:n, s:n}",
				"id", name, "uid", cli_number(process, "uid"), "nr_procs", 0,
				"nr_queues", 0, "nr_busy", 0, "priority", 0, "nr_preempted", 0,
				"state", json_object_get(process, "state"), "pids", "wait_p50_ns",
				"wait_p99_ns", "wait_p999_ns");

	json_array_append_new(jobs, job);
	return job;
}

static void add(json_t *job, const char *key, json_int_t value)
{
	json_object_set_new(job, key, json_integer(cli_number(job, key) + value));
}

static void raise(json_t *job, const char *key, json_int_t value)
{
	if (value > cli_number(job, key))
		json_object_set_new(job, key, json_integer(value));
}

/* They are preempted as one: each counts all, and the most urgent is what they are. */
static void join(json_t *job, const json_t *process)
{
	char pid[24];

	add(job, "nr_procs", 1);
	add(job, "nr_queues", cli_number(process, "nr_queues"));
	add(job, "nr_busy", cli_number(process, "nr_busy"));
	raise(job, "priority", cli_number(json_object_get(process, "attributes"), "priority"));
	raise(job, "nr_preempted", cli_number(process, "nr_preempted"));
	raise(job, "wait_p50_ns", cli_number(process, "wait_p50_ns"));
	raise(job, "wait_p99_ns", cli_number(process, "wait_p99_ns"));
	raise(job, "wait_p999_ns", cli_number(process, "wait_p999_ns"));
	snprintf(pid, sizeof(pid), "%lld", cli_number(process, "pid"));
	json_array_append_new(json_object_get(job, "pids"), json_string(pid));
}

int cli_jobs_get(struct cli_session *s, json_t **out)
{
	json_t *processes;
	int ret = cli_session_list(s, CLI_LIST_PROCESSES, &processes);

	if (ret != CLI_GO_ON)
		return ret;
	*out = json_array();
	for (size_t i = 0; i < json_array_size(processes); i++) {
		const json_t *p = json_array_get(processes, i);
		const char *name = cli_text(json_object_get(p, "attributes"), "group");
		json_t *job = find(*out, name, cli_number(p, "uid"));

		if (*name)
			join(job ? job : make(*out, name, p), p);
	}
	json_decref(processes);
	return CLI_GO_ON;
}

int cli_jobs_pids(struct cli_session *s, const char *name, json_t **out)
{
	json_t *jobs;
	int ret = cli_jobs_get(s, &jobs);

	if (ret != CLI_GO_ON)
		return ret;
	*out = json_array();
	for (size_t i = 0; i < json_array_size(jobs); i++) {
		json_t *job = json_array_get(jobs, i);

		if (!strcmp(cli_text(job, "id"), name))
			json_array_extend(*out, json_object_get(job, "pids"));
	}
	json_decref(jobs);
	if (json_array_size(*out))
		return CLI_GO_ON;
	json_decref(*out);
	cli_error(name, "no such job");
	return CLI_EXIT_NOT_FOUND;
}
