// SPDX-License-Identifier: MIT
#include "unit.h"

#include "client/wire_decode.h"
#include "rules/right.h"

#include <errno.h>
#include <string.h>

static union wire_said out;
static const char *why;

static struct wire_hdr header(uint16_t type, size_t size)
{
	return (struct wire_hdr){ .magic = WIRE_MAGIC, .type = type, .size = (uint16_t)size };
}

static struct wire_hello good_hello(void)
{
	return (struct wire_hello){
		.hdr = header(WIRE_HELLO, sizeof(struct wire_hello)),
		.version = WIRE_VERSION,
		.mech = WIRE_MECH_SHIM,
		.prio = WIRE_PRIO_UNSET,
		.klass = "default",
		.group = "g",
		.comm = "program",
	};
}

static int decode(const void *m, size_t size)
{
	why = NULL;
	return wire_decode(m, size, &out, &why);
}

static void every_type_is_taken_as_it_is(void **state)
{
	struct wire_hello hello = good_hello();
	struct wire_queue queue = { .hdr = header(WIRE_QUEUE_ADD, sizeof(queue)),
				       .gpu_id = 1 };
	struct wire_edge edge = { .hdr = header(WIRE_BUSY, sizeof(edge)), .gpu_id = 1 };
	struct wire_progress progress = { .hdr = header(WIRE_PROGRESS, sizeof(progress)),
					     .gpu_id = 1 };
	struct wire_done done = { .hdr = header(WIRE_DONE, sizeof(done)) };
	struct wire_note note = { .hdr = header(WIRE_NOTE, sizeof(note)),
				     .code = WIRE_NOTE_PROGRESS };

	assert_int_equal(decode(&hello, sizeof(hello)), 0);
	assert_memory_equal(&out.hello, &hello, sizeof(hello));
	assert_int_equal(decode(&queue, sizeof(queue)), 0);
	assert_int_equal(decode(&edge, sizeof(edge)), 0);
	assert_int_equal(decode(&progress, sizeof(progress)), 0);
	assert_int_equal(decode(&done, sizeof(done)), 0);
	assert_int_equal(decode(&note, sizeof(note)), 0);
}

static void request_of_the_future_is_refused(void **state)
{
	struct wire_progress m = {
		.hdr = header(WIRE_PROGRESS, sizeof(m)),
		.gpu_id = 1,
		.since_ns = 5,
	};

	m.hdr.time_ns = 4;
	assert_int_equal(decode(&m, sizeof(m)), -EINVAL);
	m.hdr.time_ns = 5;
	assert_int_equal(decode(&m, sizeof(m)), 0);
	m.queue_id = WIRE_QUEUE_ALL;
	assert_int_equal(decode(&m, sizeof(m)), -EINVAL);
}

static void sizes_and_types_must_fit(void **state)
{
	struct wire_hello m = good_hello();
	size_t size;

	for (size = 0; size < sizeof(m); size++) {
		m.hdr.size = (uint16_t)size;
		assert_int_equal(decode(&m, size), -EBADMSG);
		assert_non_null(why);
	}
	m = good_hello();
	m.hdr.magic++;
	assert_int_equal(decode(&m, sizeof(m)), -EBADMSG);
	m = good_hello();
	m.hdr.type = WIRE_HOLD;
	assert_int_equal(decode(&m, sizeof(m)), -EBADMSG);
}

static void another_version_is_said_so(void **state)
{
	struct wire_hello m = good_hello();

	m.version++;
	assert_int_equal(decode(&m, sizeof(m)), -EPROTONOSUPPORT);
}

/* Each of these is the only fault: a copy without it is taken. */
static void every_field_of_hello_is_checked(void **state)
{
	struct wire_hello bad[10];
	size_t i;

	for (i = 0; i < 10; i++)
		bad[i] = good_hello();
	bad[0].mech = 0;
	bad[1].sees = 1u << 31;
	bad[2].prio = 16;
	bad[3].pad[2] = 1;
	bad[4].attr_flags = 2;
	bad[5].weight = GP_WEIGHT_MAX + 1;
	bad[6].reserved = 1;
	bad[7].deadline_ns = GP_ATTR_TIME_MAX_NS + 1;
	memset(bad[8].klass, 'x', sizeof(bad[8].klass));
	strcpy(bad[9].group, "a/b");
	for (i = 0; i < 10; i++) {
		assert_int_equal(decode(&bad[i], sizeof(bad[i])), -EINVAL);
		assert_non_null(why);
	}
}

static void a_name_of_a_program_always_ends(void **state)
{
	struct wire_hello m = good_hello();

	memset(m.comm, 'x', sizeof(m.comm));
	assert_int_equal(decode(&m, sizeof(m)), 0);
	assert_int_equal(strlen(out.hello.comm), sizeof(m.comm) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_is_taken_as_it_is),
		cmocka_unit_test(request_of_the_future_is_refused),
		cmocka_unit_test(sizes_and_types_must_fit),
		cmocka_unit_test(another_version_is_said_so),
		cmocka_unit_test(every_field_of_hello_is_checked),
		cmocka_unit_test(a_name_of_a_program_always_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
