// SPDX-License-Identifier: MIT
#include "sim/sim_result_json.h"

#include <stdlib.h>

/* Enough to tell any two rates apart that differ in a run, and the same everywhere. */
#define REAL_DIGITS 12

static json_t *integer(u64 value)
{
	return json_integer((json_int_t)min(value, (u64)INT64_MAX));
}

static json_t *known(bool is_known, u64 value)
{
	return is_known ? integer(value) : json_null();
}

static json_t *reached(const struct sim_summary *s, u64 value)
{
	return known(s->nr && value != SIM_NEVER, value);
}

/* Takes the reference to @value; a failure shows when the object is complete. */
static void put(json_t *object, bool *ok, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value))
		*ok = false;
}

static json_t *summary(const struct sim_summary *s, bool *ok)
{
	json_t *o = json_object();

	put(o, ok, "mean", reached(s, s->mean));
	put(o, ok, "p50", reached(s, s->p50));
	put(o, ok, "p90", reached(s, s->p90));
	put(o, ok, "p99", reached(s, s->p99));
	put(o, ok, "p999", reached(s, s->p999));
	put(o, ok, "max", reached(s, s->max));
	return o;
}

static json_t *class_json(const struct sim_class_result *c, bool *ok)
{
	json_t *o = json_object();

	put(o, ok, "name", json_string(c->name));
	put(o, ok, "requests", integer(c->requests));
	put(o, ok, "completed", integer(c->completed));
	put(o, ok, "dropped", integer(c->dropped));
	put(o, ok, "throughput_per_s", json_real(c->throughput_per_s));
	put(o, ok, "latency_ns", summary(&c->latency, ok));
	put(o, ok, "alone_latency_ns", summary(&c->alone, ok));
	put(o, ok, "alone_throughput_per_s", json_real(c->alone_throughput_per_s));
	put(o, ok, "gpu_time_ns", integer(c->gpu_ns));
	put(o, ok, "alone_gpu_time_ns", integer(c->alone_gpu_ns));
	put(o, ok, "alone_active_time_ns", integer(c->alone_active_ns));
	put(o, ok, "process_gpu_time_least_ns", integer(c->process_least_ns));
	put(o, ok, "process_gpu_time_most_ns", integer(c->process_most_ns));
	put(o, ok, "deadline_missed", integer(c->missed));
	return o;
}

static json_t *classes_json(const struct sim_result *r, bool *ok)
{
	json_t *array = json_array();

	for (u32 i = 0; i < r->nr_classes; i++) {
		if (json_array_append_new(array, class_json(&r->classes[i], ok)))
			*ok = false;
	}
	return array;
}

static void put_counters(json_t *o, bool *ok, const struct sim_result *r)
{
	put(o, ok, "switches", integer(r->switches));
	put(o, ok, "preemptions", integer(r->preemptions));
	put(o, ok, "resumes", integer(r->resumes));
	put(o, ok, "preempt_latency_ns", summary(&r->preempt_latency, ok));
	put(o, ok, "floor_ns", known(r->floor_ns, r->floor_ns));
	put(o, ok, "floor_p99_ns", known(r->floor_p99_ns, r->floor_p99_ns));
	put(o, ok, "lost", integer(r->lost));
	put(o, ok, "repeated", integer(r->repeated));
	put(o, ok, "starved_max_ns", integer(r->starved_max_ns));
	put(o, ok, "dispatches", integer(r->dispatches));
	put(o, ok, "saves", integer(r->saves));
	put(o, ok, "restores", integer(r->restores));
	put(o, ok, "unmaps", integer(r->unmaps));
	put(o, ok, "rotations", integer(r->rotations));
	put(o, ok, "active_time_ns", integer(r->active_ns));
	put(o, ok, "occupancy", json_real(r->occupancy));
	put(o, ok, "stopped", r->stopped[0] ? json_string(r->stopped) : json_null());
}

static json_t *gangs_json(const struct sim_gang_result *r, bool *ok)
{
	json_t *o = json_object();

	put(o, ok, "taken_off", integer(r->nr_off));
	put(o, ok, "barriers", integer(r->nr_barriers));
	put(o, ok, "split_ns", integer(r->split_ns));
	put(o, ok, "split_max_ns", integer(r->split_max_ns));
	put(o, ok, "stall_ns", integer(r->stall_ns));
	put(o, ok, "stall_max_ns", integer(r->stall_max_ns));
	put(o, ok, "switch_max_ns", integer(r->switch_max_ns));
	put(o, ok, "late", integer(r->nr_late));
	put(o, ok, "made_room", integer(r->nr_stalled));
	return o;
}

json_t *sim_result_to_json(const struct sim_scenario *sc, const struct sim_result *r)
{
	bool detects = sim_mechanism_uses_detection(sc->mechanism);
	json_t *o = json_object();
	bool ok = true;

	put(o, &ok, "schema", json_string("gpreempt.sim/1"));
	put(o, &ok, "scenario", json_string(sc->name));
	put(o, &ok, "gpu", json_string(sc->gpu));
	put(o, &ok, "gpus", integer(sc->nr_gpus));
	put(o, &ok, "policy", json_string(sc->policy));
	put(o, &ok, "mechanism", json_string(sim_mechanism_name(sc->mechanism)));
	put(o, &ok, "detect", detects ? json_string(sim_detect_name(sc->detect)) : json_null());
	put(o, &ok, "model", json_string(sim_model_name(sc->model)));
	put(o, &ok, "seed", integer(sc->seed));
	put(o, &ok, "virtual_ns", integer(r->virtual_ns));
	put(o, &ok, "wall_ns", integer(r->wall_ns));
	put(o, &ok, "classes", classes_json(r, &ok));
	put_counters(o, &ok, r);
	if (r->gangs.has)
		put(o, &ok, "gangs", gangs_json(&r->gangs, &ok));
	if (ok)
		return o;
	json_decref(o);
	return NULL;
}

int sim_json_write(const json_t *json, FILE *out)
{
	char *text = json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(REAL_DIGITS));
	int err = 0;

	if (!text)
		return -ENOMEM;
	if (fputs(text, out) == EOF || fputc('\n', out) == EOF || fflush(out))
		err = -EIO;
	free(text);
	return err;
}

int sim_result_json(const struct sim_scenario *sc, const struct sim_result *r, FILE *out)
{
	json_t *json = sim_result_to_json(sc, r);
	int err;

	if (!json)
		return -ENOMEM;
	err = sim_json_write(json, out);
	json_decref(json);
	return err;
}
