// SPDX-License-Identifier: MIT
/*
 * What the daemon and the command write, the library reads back as it was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "driver/kfd.h"
#include "driver/list_json.h"
#include "lib/lib_decode.h"

/* Each value another one, each from another source. */
static struct gpreempt_queue full_queue(void)
{
	struct gpreempt_queue q = { .pid = 41, .gpu_id = 7, .queue_id = 3,
				    .held = GPREEMPT_HELD_SCHED | GPREEMPT_HELD_MANUAL };
	uint32_t i = 0;

#define X(key, member, kind)                                         \
	q.member = (struct gpreempt_value){ 100 + i, 1 + i % 7, 0 }; \
	i++;
	DRV_QUEUE_VALUES(X)
#undef X
	q.type.value = DRV_KFD_QUEUE_AQL;
	q.busy.value = 1;
	q.compute = (struct gpreempt_value){ 1, q.type.source, 0 };
	return q;
}

static void assert_same_queue(const struct gpreempt_queue *q)
{
	json_t *json = drv_json_queue(q, "shim", "idle", GPREEMPT_SOURCE_DAEMON);
	struct gpreempt_queue back = { 0 };

	assert_non_null(json);
	assert_int_equal(lib_decode_queue(json, &back), 0);
	assert_memory_equal(&back, q, sizeof(back));
	json_decref(json);
}

static void a_queue_is_read_as_it_was_written(void **state)
{
	struct gpreempt_queue q = full_queue();
	uint32_t type;

	assert_same_queue(&q);
	q.held = GPREEMPT_HELD_MANUAL;
	q.busy.value = 0;
	assert_same_queue(&q);
	for (type = 0; drv_kfd_queue_type_name(type); type++) {
		q.type.value = type;
		q.compute.value = drv_kfd_is_compute(type);
		assert_same_queue(&q);
	}
	assert_int_equal(type, DRV_KFD_QUEUE_SDMA_BY_ENGINE + 1);
}

static void what_is_not_known_stays_so(void **state)
{
	struct gpreempt_queue q = { .pid = 41, .gpu_id = 7, .queue_id = 3 };
	json_t *json = drv_json_queue(&q, "none", "unknown", GPREEMPT_SOURCE_UNKNOWN);

#define X(key, member, kind) assert_true(json_is_null(json_object_get(json, key)));
	DRV_QUEUE_VALUES(X)
#undef X
	assert_int_equal(json_object_size(json_object_get(json, "source")), 0);
	json_decref(json);
	assert_same_queue(&q);
}

static void other_names_of_a_gpu_are_read_as_they_were_written(void **state)
{
	static const char *const wrong[][2] = { { "pci", "10000:c1:01" }, { "uuid", "GPU-x" },
						{ "render", "card0" } };
	const struct gpreempt_node n = {
		.gpu_id = 63766, .index = 2, .gpu = 7, .pci_domain = 0x10000, .pci_address = 0xc109,
		.render_minor = 135, .unique_id = 0x0123456789abcdefULL,
	};
	json_t *json = drv_json_node(&n);
	struct gpreempt_node back = { 0 };
	size_t i;

	assert_string_equal(json_string_value(json_object_get(json, "pci")), "10000:c1:01.1");
	assert_int_equal(lib_decode_node(json, &back), 0);
	assert_memory_equal(&back, &n, sizeof(n));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		json_t *copy = json_copy(json);

		json_object_set_new(copy, wrong[i][0], json_string(wrong[i][1]));
		assert_int_equal(lib_decode_node(copy, &back), -EPROTO);
		json_decref(copy);
	}
	json_decref(json);
}

static void a_process_is_read_as_it_was_written(void **state)
{
	const struct gpreempt_process p = {
		.pid = 41,
		.uid = { 1000, GPREEMPT_SOURCE_DAEMON, 0 },
		.comm = "train",
		.mechanism = GPREEMPT_MECH_KERNEL,
		.nr_queues = 3,
		.nr_busy = { 2, GPREEMPT_SOURCE_DAEMON, 0 },
		.state = "preempted",
	};
	json_t *json = drv_json_process(&p, "kernel");
	struct gpreempt_process back = { 0 };

	assert_int_equal(lib_decode_process(json, &back), 0);
	assert_memory_equal(&back, &p, sizeof(back));
	json_decref(json);
}

static void a_name_that_is_no_text_is_shown(void **state)
{
	const struct gpreempt_process p = { .pid = 41, .comm = "ab\xc3" };
	json_t *json = drv_json_process(&p, "none");

	assert_string_equal(json_string_value(json_object_get(json, "comm")), "ab?");
	json_decref(json);
}

static void a_node_is_read_as_it_was_written(void **state)
{
	const struct gpreempt_node n = {
		.gpu_id = 7,
		.index = 1,
		.name = "gfx942",
		.nr_xcc = { 8, GPREEMPT_SOURCE_DAEMON, 0 },
		.nr_cu = { 304, GPREEMPT_SOURCE_DAEMON, 0 },
		.gfx_target = { 90402, GPREEMPT_SOURCE_DAEMON, 0 },
		.enabled = true,
		.policy = "fair",
		.breaker = "closed",
	};
	json_t *json = drv_json_node(&n);
	struct gpreempt_node back = { 0 };

	assert_int_equal(lib_decode_node(json, &back), 0);
	assert_memory_equal(&back, &n, sizeof(back));
	json_decref(json);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_queue_is_read_as_it_was_written),
		cmocka_unit_test(what_is_not_known_stays_so),
		cmocka_unit_test(other_names_of_a_gpu_are_read_as_they_were_written),
		cmocka_unit_test(a_process_is_read_as_it_was_written),
		cmocka_unit_test(a_name_that_is_no_text_is_shown),
		cmocka_unit_test(a_node_is_read_as_it_was_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
