// SPDX-License-Identifier: MIT
/*
 * Holds by hand and attributes through a kernel module that is made up here: what it is told.
 */
#include "gpreempt/gpreempt.h"
#include "driver/module.h"
#include "lib/lib_module.h"
#include "rules/group.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ALL GPREEMPT_QUEUE_ALL

/* Its nodes are 7 and 8; what it is told, in words; what it says of a node. */
static struct {
	struct gpreempt_ioc_queue queues[4];
	size_t nr_queues;
	int result[16];
	char told[256];
	struct gpreempt_ioc_attr attr;
} module;

/* What the linker puts in the place of mechanism/'s. */
__typeof__(drv_module_open) __wrap_drv_module_open;
__typeof__(drv_module_caps) __wrap_drv_module_caps;
__typeof__(drv_module_list) __wrap_drv_module_list;
__typeof__(drv_module_hold) __wrap_drv_module_hold;
__typeof__(drv_module_release) __wrap_drv_module_release;
int __wrap_ioctl(int fd, unsigned long request, struct gpreempt_ioc_attr *arg);

int __wrap_drv_module_open(void)
{
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

int __wrap_drv_module_caps(int fd, struct gpreempt_ioc_caps *caps)
{
	*caps = (struct gpreempt_ioc_caps){ .nr_nodes = 2, .gpu_ids = { 7, 8 } };
	return 0;
}

int __wrap_drv_module_list(int fd, struct gpreempt_ioc_queue **queues, size_t *nr)
{
	*queues = calloc(4, sizeof(**queues));
	memcpy(*queues, module.queues, sizeof(module.queues));
	*nr = module.nr_queues;
	return 0;
}

static int tell(const char *what, const struct gpreempt_ioc_ref *ref)
{
	size_t len = strlen(module.told);

	if (ref->queue_id == ALL)
		snprintf(module.told + len, sizeof(module.told) - len, "%s %u;", what, ref->gpu_id);
	else
		snprintf(module.told + len, sizeof(module.told) - len, "%s %u/%u;", what,
			 ref->gpu_id, ref->queue_id);
	return module.result[ref->gpu_id];
}

int __wrap_drv_module_hold(int fd, const struct gpreempt_ioc_ref *ref, uint32_t lease_ms)
{
	return tell("hold", ref);
}

int __wrap_drv_module_release(int fd, const struct gpreempt_ioc_ref *ref)
{
	return tell("release", ref);
}

/* Attributes are all that comes as far as this. */
int __wrap_ioctl(int fd, unsigned long request, struct gpreempt_ioc_attr *arg)
{
	if (request == GPREEMPT_IOC_SET_ATTR)
		module.attr = *arg;
	else
		*arg = module.attr;
	return 0;
}

static void add_queue(uint32_t gpu_id, uint32_t queue_id, uint32_t flags)
{
	module.queues[module.nr_queues++] = (struct gpreempt_ioc_queue){
		.pid = getpid(), .gpu_id = gpu_id, .queue_id = queue_id, .flags = flags,
	};
}

/* Node 0 = all. */
static int order(uint32_t gpu_id, uint32_t queue_id, uint32_t lease_ms)
{
	struct gpreempt_ref ref = {
		.pid = (uint32_t)getpid(), .gpu_id = gpu_id, .queue_id = queue_id,
	};
	int fd = -1;
	int ret;

	module.told[0] = '\0';
	ret = lib_module_order(&fd, &ref, lease_ms);
	close(fd);
	return ret;
}

static int begin(void **state)
{
	memset(&module, 0, sizeof(module));
	return 0;
}

static void a_process_is_held_once_on_each_node(void **state)
{
	add_queue(7, 0, 0);
	add_queue(7, 1, 0);
	add_queue(8, 2, 0);
	assert_int_equal(order(0, ALL, 1000), 0);
	assert_string_equal(module.told, "hold 7;hold 8;");
	assert_int_equal(order(8, ALL, 1000), 0);
	assert_string_equal(module.told, "hold 8;");
	assert_int_equal(order(0, 1, 1000), 0);
	assert_string_equal(module.told, "hold 7/1;");
	assert_int_equal(order(0, 5, 1000), -EOPNOTSUPP);
	assert_string_equal(module.told, "");
}

static void one_node_that_fails_is_told(void **state)
{
	static const struct {
		int on_7, on_8, ret;
	} cases[] = {
		{ -EOPNOTSUPP, 0, -EOPNOTSUPP }, { 0, -EOPNOTSUPP, -EOPNOTSUPP },
		{ -EOPNOTSUPP, -EIO, -EIO }, { -EIO, -EOPNOTSUPP, -EIO },
		{ -EBUSY, 0, -EBUSY }, { 0, 0, 0 },
	};

	add_queue(7, 0, 0);
	add_queue(8, 1, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		module.result[7] = cases[i].on_7;
		module.result[8] = cases[i].on_8;
		assert_int_equal(order(0, ALL, 1000), cases[i].ret);
		assert_string_equal(module.told, "hold 7;hold 8;");
	}
}

static void a_process_without_queues_is_released(void **state)
{
	assert_int_equal(order(0, ALL, 0), 0);
	assert_string_equal(module.told, "release 7;release 8;");
	assert_int_equal(order(8, ALL, 0), 0);
	assert_string_equal(module.told, "release 8;");
	/* Nothing is held on the one, and there is no such node. */
	module.result[7] = -ESRCH;
	module.result[9] = -ENODEV;
	assert_int_equal(order(0, ALL, 0), 0);
	assert_int_equal(order(9, ALL, 0), 0);
	module.result[7] = -EIO;
	assert_int_equal(order(0, ALL, 0), -EIO);
	assert_string_equal(module.told, "release 7;release 8;");
}

static void queues_held_one_by_one_are_released(void **state)
{
	add_queue(7, 0, GPREEMPT_QUEUE_F_MANUAL);
	add_queue(7, 1, GPREEMPT_QUEUE_F_SCHED);
	add_queue(8, 2, GPREEMPT_QUEUE_F_MANUAL);
	assert_int_equal(order(7, 0, 0), 0);
	assert_string_equal(module.told, "release 7/0;");
	assert_int_equal(order(0, ALL, 0), 0);
	assert_string_equal(module.told, "release 7;release 8;release 7/0;release 8/2;");
}

/* Each attribute another value. */
static struct gpreempt_attr full_attr(void)
{
	struct gpreempt_attr a = { .group = "team" };
	u32 i = 3;

#define X(name, text, member, ...) \
	a.member = i++;            \
	a.valid |= GPREEMPT_ATTR_##name;
	GP_ATTRS(X)
#undef X
	return a;
}

static void attributes_reach_the_module_and_come_back(void **state)
{
	struct gpreempt_attr a = full_attr(), back = { 0 };

	a.valid |= GPREEMPT_ATTR_GROUP;
	assert_int_equal(lib_module_set_attr(0, 0, &a), 0);
	assert_int_equal(module.attr.size, sizeof(module.attr));
	assert_int_equal(module.attr.pidfd, -1);
	assert_int_equal(module.attr.flags, 0);
	assert_int_equal(module.attr.valid, GP_ATTR_ALL | GPREEMPT_ATTR_F_GROUP);
	assert_true(module.attr.group == gp_group_number("team"));
	assert_int_equal(module.attr.prio, 3);
	assert_int_equal(module.attr.deadline_ns, 6);
	assert_int_equal(lib_module_get_attr(0, (uint32_t)getpid(), &back), 0);
	/* The module has the number of a group alone. */
	a.valid &= ~GPREEMPT_ATTR_GROUP;
	memset(a.group, 0, sizeof(a.group));
	assert_memory_equal(&back, &a, sizeof(a));
}

static void one_attribute_is_one_bit(void **state)
{
#define X(name, text, member, ...)                                                       \
	module.attr.valid = 0;                                                           \
	assert_int_equal(lib_module_set_attr(0, 0, &(struct gpreempt_attr){              \
						   .valid = GPREEMPT_ATTR_##name }), 0); \
	assert_int_equal(module.attr.valid, GPREEMPT_ATTR_F_##name);
	GP_ATTRS(X)
#undef X
}

/* The module refuses 263; it must not hear of 7. */
static void a_priority_that_is_too_large_is_no_other(void **state)
{
	struct gpreempt_attr a = { .valid = GPREEMPT_ATTR_PRIO, .prio = 256 + 7 };

	assert_int_equal(lib_module_set_attr(0, 0, &a), 0);
	assert_true(module.attr.prio > GPREEMPT_PRIO_MAX);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_process_is_held_once_on_each_node, begin),
		cmocka_unit_test_setup(one_node_that_fails_is_told, begin),
		cmocka_unit_test_setup(a_process_without_queues_is_released, begin),
		cmocka_unit_test_setup(queues_held_one_by_one_are_released, begin),
		cmocka_unit_test_setup(attributes_reach_the_module_and_come_back, begin),
		cmocka_unit_test_setup(one_attribute_is_one_bit, begin),
		cmocka_unit_test_setup(a_priority_that_is_too_large_is_no_other, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
