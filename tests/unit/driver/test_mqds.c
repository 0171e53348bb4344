// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "driver/mqds.h"

#define FILE_NAME FIXTURE "/sys/kernel/debug/kfd/mqds"

static void queues_of_the_guest_are_read(void **state)
{
	FILE *f = fopen(FILE_NAME, "re");
	struct drv_mqd *m;
	size_t nr;

	assert_non_null(f);
	assert_int_equal(drv_mqds_read(f, &m, &nr), 0);
	fclose(f);
	assert_int_equal(nr, 3);
	assert_false(m[0].is_compute);
	assert_int_equal(m[0].pid, 148);
	assert_int_equal(m[0].gpu_id, 63766);
	assert_int_equal(m[0].ring_addr, 0x112805d88000);
	assert_int_equal(m[0].ring_bytes, 4096);
	assert_int_equal(m[0].rptr_addr, 0x112805d89000);
	assert_true(m[1].is_compute && !m[1].is_aql);
	assert_int_equal(m[1].nr_xcc, 4);
	assert_int_equal(m[1].prio, 11);
	assert_int_equal(m[1].ring_addr, 0x112802ec4000);
	assert_true(m[2].is_compute && m[2].is_aql);
	assert_int_equal(m[2].nr_xcc, 4);
	assert_int_equal(m[2].prio, 7);
	assert_int_equal(m[2].ring_addr, 0x112800000000);
	assert_int_equal(m[2].ring_bytes, 65536);
	assert_int_equal(m[2].rptr_addr, 0x112800010000);
	assert_int_equal(m[2].wptr_addr, 0x112800011000);
	free(m);
}

/* Reads a text of our own; the array is freed. */
static size_t count(const char *text)
{
	FILE *f = fmemopen((void *)text, strlen(text), "r");
	struct drv_mqd *m = NULL;
	size_t nr = 99;

	assert_int_equal(drv_mqds_read(f, &m, &nr), 0);
	fclose(f);
	free(m);
	return nr;
}

/* An SDMA image: 512 bytes, 16 lines. @first: offset it begins with, @lines: how many */
static size_t count_image(const char *head, unsigned int first, unsigned int lines)
{
	char text[2048];
	size_t n = (size_t)snprintf(text, sizeof(text), "%s", head);
	unsigned int i;

	for (i = 0; i < lines; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "    %08x: 1 2 3 4 5 6 7 8\n",
				      first + 32 * i);
	return count(text);
}

#define HEAD "Process 1 PASID 0x8000:\n  SDMA queue on device 1\n"

static void only_whole_images_count(void **state)
{
	assert_int_equal(count_image(HEAD, 0, 16), 1);
	assert_int_equal(count_image(HEAD, 0, 15), 0);
	assert_int_equal(count_image(HEAD, 32, 16), 0);
	assert_int_equal(count_image(HEAD "    text\n", 0, 16), 0);
	assert_int_equal(count_image("  SDMA queue on device 1\n", 0, 16), 0);
	assert_int_equal(count_image("Process 1 PASID 0x8000:\n", 0, 16), 0);
}

static void nonsense_is_no_queue(void **state)
{
	assert_int_equal(count("\n"), 0);
	assert_int_equal(count("Queue ID: 5\npriority: 7\n"), 0);
	assert_int_equal(count(HEAD HEAD HEAD), 0);
	assert_int_equal(count(HEAD "    zzzz: 1 2 3 4 5 6 7 8\n"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queues_of_the_guest_are_read),
		cmocka_unit_test(only_whole_images_count),
		cmocka_unit_test(nonsense_is_no_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
