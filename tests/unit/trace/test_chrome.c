// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/chrome.h"

#include <stdlib.h>
#include <string.h>

static char *text;
static size_t size;

static json_t *finish(struct trace_chrome *c)
{
	json_error_t error;
	json_t *json;

	assert_int_equal(trace_chrome_finish(c), 0);
	fclose(c->out);
	json = json_loads(text, 0, &error);
	if (!json)
		fail_msg("%s in %s", error.text, text);
	free(text);
	return json;
}

static const struct trace_chrome_event box = {
	.pid = 1, .tid = 2, .name = "a \"box\"\n", .category = "c",
	.from_ns = 3600000000001, .to_ns = 3600000001002, .arg_name = "bytes", .arg = 9,
};

static void an_empty_trace_is_valid(void **state)
{
	struct trace_chrome c;
	json_t *json;

	trace_chrome_begin(&c, open_memstream(&text, &size));
	json = finish(&c);
	assert_int_equal(json_array_size(json_object_get(json, "traceEvents")), 0);
	json_decref(json);
}

static void times_keep_their_nanoseconds(void **state)
{
	struct trace_chrome c;
	json_t *json, *e;

	trace_chrome_begin(&c, open_memstream(&text, &size));
	trace_chrome_complete(&c, &box);
	assert_non_null(strstr((fflush(c.out), text), "\"ts\":3600000000.001"));
	assert_non_null(strstr(text, "\"dur\":1.001"));
	json = finish(&c);
	e = json_array_get(json_object_get(json, "traceEvents"), 0);
	assert_string_equal(json_string_value(json_object_get(e, "name")), box.name);
	assert_int_equal(json_integer_value(
		json_object_get(json_object_get(e, "args"), "bytes")), 9);
	json_decref(json);
}

static void every_kind_of_event_has_its_phase(void **state)
{
	static const char *const phases[] = { "M", "M", "M", "M", "X", "i", "s", "t", "f" };
	struct trace_chrome c;
	json_t *json;

	trace_chrome_begin(&c, open_memstream(&text, &size));
	trace_chrome_name_process(&c, 1, "p");
	trace_chrome_name_track(&c, 1, 2, "t");
	trace_chrome_complete(&c, &box);
	trace_chrome_instant(&c, &box);
	trace_chrome_flow(&c, TRACE_CHROME_FLOW_START, 7, &box);
	trace_chrome_flow(&c, TRACE_CHROME_FLOW_STEP, 7, &box);
	trace_chrome_flow(&c, TRACE_CHROME_FLOW_END, 7, &box);
	json = finish(&c);
	for (u32 i = 0; i < ARRAY_SIZE(phases); i++) {
		json_t *e = json_array_get(json_object_get(json, "traceEvents"), i);

		assert_string_equal(json_string_value(json_object_get(e, "ph")), phases[i]);
	}
	json_decref(json);
}

static void a_full_disk_is_an_error(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct trace_chrome c;

	if (!full)
		skip();
	trace_chrome_begin(&c, full);
	for (int i = 0; i < 1000; i++)
		trace_chrome_complete(&c, &box);
	assert_int_equal(trace_chrome_finish(&c), -EIO);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_trace_is_valid),
		cmocka_unit_test(times_keep_their_nanoseconds),
		cmocka_unit_test(every_kind_of_event_has_its_phase),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
