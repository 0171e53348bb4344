// SPDX-License-Identifier: MIT
#include "test_support.h"

#include "sim/sim_result_json.h"

#include <stdlib.h>
#include <string.h>

static void fill(struct sim_scenario *sc, struct sim_result *r)
{
	sim_scenario_defaults(sc);
	strcpy(sc->name, "small");
	sc->seed = 7;
	memset(r, 0, sizeof(*r));
	r->virtual_ns = 1000000000;
	r->wall_ns = 5;
	r->nr_classes = 2;
	strcpy(r->classes[0].name, "online");
	r->classes[0].requests = 10;
	r->classes[0].completed = 9;
	r->classes[0].throughput_per_s = 9;
	r->classes[0].latency = (struct sim_summary){ 9, 50, 40, 60, 70, 75, 80 };
	r->classes[0].alone = (struct sim_summary){ 10, 5, 4, 6, 7, 7, 8 };
	r->classes[0].alone_throughput_per_s = 10.0 / 3;
	strcpy(r->classes[1].name, "offline");
	r->preemptions = 3;
	r->floor_ns = 66000;
}

static char *dump(const struct sim_scenario *sc, const struct sim_result *r)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(sim_result_json(sc, r, out), 0);
	fclose(out);
	return text;
}

static void keys_come_in_the_documented_order(void **state)
{
	static const char *const keys[] = {
		"schema",
		"scenario",
		"gpu",
		"gpus",
		"policy",
		"mechanism",
		"detect",
		"model",
		"seed",
		"virtual_ns",
		"wall_ns",
		"classes",
		"switches",
		"preemptions",
		"resumes",
		"preempt_latency_ns",
		"floor_ns",
		"floor_p99_ns",
		"lost",
		"repeated",
		"starved_max_ns",
	};
	static const char *const class_keys[] = {
		"name",
		"requests",
		"completed",
		"dropped",
		"throughput_per_s",
		"latency_ns",
		"alone_latency_ns",
		"alone_throughput_per_s",
	};
	static struct sim_result r;
	struct sim_scenario sc;
	json_t *json;
	void *it;

	fill(&sc, &r);
	json = sim_result_to_json(&sc, &r);
	assert_non_null(json);
	it = json_object_iter(json);
	for (u32 i = 0; i < ARRAY_SIZE(keys); i++) {
		assert_string_equal(json_object_iter_key(it), keys[i]);
		it = json_object_iter_next(json, it);
	}
	it = json_object_iter(json_array_get(json_object_get(json, "classes"), 0));
	for (u32 i = 0; i < ARRAY_SIZE(class_keys); i++) {
		assert_string_equal(json_object_iter_key(it), class_keys[i]);
		it = json_object_iter_next(json_array_get(json_object_get(json, "classes"), 0), it);
	}
	json_decref(json);
}

static void unknown_is_null(void **state)
{
	static struct sim_result r;
	struct sim_scenario sc;
	json_t *json, *online, *offline, *latency;

	fill(&sc, &r);
	sc.mechanism = SIM_MECH_NONE;
	r.floor_ns = 0;
	json = sim_result_to_json(&sc, &r);
	offline = json_array_get(json_object_get(json, "classes"), 1);
	assert_true(json_is_null(json_object_get(json, "detect")));
	assert_true(json_is_null(json_object_get(json, "floor_ns")));
	assert_true(json_is_null(json_object_get(json, "stopped")));
	assert_true(json_is_null(json_object_get(json_object_get(offline, "latency_ns"), "p99")));
	json_decref(json);

	r.classes[0].latency.p99 = SIM_NEVER;
	json = sim_result_to_json(&sc, &r);
	online = json_array_get(json_object_get(json, "classes"), 0);
	latency = json_object_get(online, "latency_ns");
	assert_int_equal(json_integer_value(json_object_get(latency, "p90")), 60);
	assert_true(json_is_null(json_object_get(latency, "p99")));
	json_decref(json);
}

static void the_same_bytes_every_time(void **state)
{
	static struct sim_result r;
	struct sim_scenario sc;
	char *a, *b;

	fill(&sc, &r);
	a = dump(&sc, &r);
	b = dump(&sc, &r);
	assert_string_equal(a, b);
	assert_non_null(strstr(a, "\"alone_throughput_per_s\": 3.33333333333"));
	assert_non_null(strstr(a, "\"p99\": 70"));
	assert_int_equal(a[strlen(a) - 1], '\n');
	free(a);
	free(b);
}

static void a_full_disk_is_an_error(void **state)
{
	static struct sim_result r;
	struct sim_scenario sc;
	FILE *full = fopen("/dev/full", "w");

	if (!full)
		skip();
	fill(&sc, &r);
	assert_int_equal(sim_result_json(&sc, &r, full), -EIO);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_come_in_the_documented_order),
		cmocka_unit_test(unknown_is_null),
		cmocka_unit_test(the_same_bytes_every_time),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
