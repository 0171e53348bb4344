// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/discover.h"

#define GPU 63766
#define PID 148

/* The snapshot that was taken beside the fixture. */
static const struct drv_kfd_queue_entry snapshot[] = {
	{ .queue_id = 2, .gpu_id = GPU, .type = DRV_KFD_QUEUE_SDMA, .ring_addr = 0x112805d88000,
	  .ring_bytes = 4096, .rptr_addr = 0x112805d89000, .wptr_addr = 0x112805d89040 },
	{ .queue_id = 1, .gpu_id = GPU, .type = DRV_KFD_QUEUE_PM4, .ring_addr = 0x112802ec4000,
	  .ring_bytes = 65536, .rptr_addr = 0x112802ed4000, .wptr_addr = 0x112802ed5000 },
	{ .queue_id = 0, .gpu_id = GPU, .type = DRV_KFD_QUEUE_AQL, .ring_addr = 0x112800000000,
	  .ring_bytes = 65536, .rptr_addr = 0x112800010000, .wptr_addr = 0x112800011000 },
};

static void expect(const struct gpreempt_value *v, enum gpreempt_source source, uint64_t value)
{
	assert_int_equal(v->source, source);
	assert_int_equal(v->value, value);
}

static void expect_unknown(const struct gpreempt_value *v)
{
	expect(v, GPREEMPT_SOURCE_UNKNOWN, 0);
}

static void node_of_the_guest_is_read(void **state)
{
	struct drv_node *n;
	size_t nr;

	assert_int_equal(drv_discover_nodes(FIXTURE, &n, &nr), 0);
	/* Node 0 is the processor. */
	assert_int_equal(nr, 1);
	assert_int_equal(n->gpu_id, GPU);
	assert_int_equal(n->index, 1);
	assert_string_equal(n->name, "gfx942");
	expect(&n->gfx_target, GPREEMPT_SOURCE_SYSFS, 90402);
	expect(&n->nr_xcc, GPREEMPT_SOURCE_SYSFS, 4);
	expect(&n->nr_cu, GPREEMPT_SOURCE_SYSFS, 80);
	expect(&n->cwsr_bytes, GPREEMPT_SOURCE_SYSFS, 12214272);
	expect(&n->mec_fw, GPREEMPT_SOURCE_SYSFS, 78);
	assert_true(n->capability.value & DRV_NODE_CAP_DEBUG);
	free(n);
}

static void node_has_the_names_of_other_tools(void **state)
{
	static const char *const its[] = { "0", "gpu:63766", "0000:80:00.0", "80:00.0",
					   "renderD128", "GPU-6770000000000000" };
	static const char *const others[] = { "1", "gpu:1", "0001:80:00.0", "80:00.1",
					      "renderD129", "GPU-6770000000000001", "63766" };
	static const char *const none[] = { "", "gpu:", "80:00", "80:00.8", "80:20.0", "80:00.0x",
					    "renderD", "GPU-", "first", "-1", "99999999999" };
	char text[GPREEMPT_NAME_LEN];
	struct gpreempt_node node;
	struct drv_node *n;
	size_t i, nr;

	assert_int_equal(drv_discover_nodes(FIXTURE, &n, &nr), 0);
	node = drv_node_public(n);
	assert_string_equal(drv_node_pci(&node, text), "0000:80:00.0");
	assert_string_equal(drv_node_uuid(&node, text), its[5]);
	for (i = 0; i < sizeof(its) / sizeof(its[0]); i++)
		assert_true(drv_is_gpu_name(its[i]) && drv_node_is_named(&node, its[i]));
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_true(drv_is_gpu_name(others[i]) && !drv_node_is_named(&node, others[i]));
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(drv_is_gpu_name(none[i]));
	/* One that has none is named by its numbers alone. */
	node = (struct gpreempt_node){ .gpu_id = 7, .gpu = 3 };
	assert_true(drv_node_is_named(&node, "3") && drv_node_is_named(&node, "gpu:7"));
	assert_false(drv_node_is_named(&node, "00:00.0") || drv_node_is_named(&node, "renderD0") ||
		     drv_node_is_named(&node, "GPU-0000000000000000"));
	free(n);
}

static void put_node(const char *root, unsigned int index, const char *properties)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "mkdir -p %s/sys/class/kfd/kfd/topology/nodes/%u", root,
		 index);
	assert_int_equal(system(path), 0);
	snprintf(path, sizeof(path), "%s/sys/class/kfd/kfd/topology/nodes/%u/gpu_id", root, index);
	f = fopen(path, "w");
	fprintf(f, "%u\n", 1000 + index);
	fclose(f);
	snprintf(path, sizeof(path), "%s/sys/class/kfd/kfd/topology/nodes/%u/properties", root,
		 index);
	f = fopen(path, "w");
	fputs(properties, f);
	fclose(f);
}

/* The topology has its own order; partitions of one GPU have one address. */
static void gpus_are_counted_in_the_order_of_their_addresses(void **state)
{
	static const uint32_t wanted[] = { 4, 2, 1, 0, 3 };
	char root[] = "/tmp/gp-discover-XXXXXX", text[64];
	struct drv_node *n;
	size_t i, nr;

	assert_non_null(mkdtemp(root));
	put_node(root, 1, "domain 1\nlocation_id 256\n");
	put_node(root, 2, "domain 0\nlocation_id 268484864\n"); /* partition 1 of c1:00.0 */
	put_node(root, 3, "domain 0\nlocation_id 49408\n");
	put_node(root, 4, "domain 0\nlocation_id 768\n");
	put_node(root, 5, "domain 0\nlocation_id 536920320\n");
	assert_int_equal(drv_discover_nodes(root, &n, &nr), 0);
	assert_int_equal(nr, 5);
	for (i = 0; i < nr; i++)
		assert_int_equal(n[i].gpu, wanted[i]);
	free(n);
	snprintf(text, sizeof(text), "rm -r %s", root);
	assert_int_equal(system(text), 0);
}

static void queues_from_sysfs_have_names_and_little_else(void **state)
{
	struct drv_queues list;
	struct gpreempt_queue *q;

	assert_int_equal(drv_discover_queues(FIXTURE, &list), 0);
	assert_int_equal(list.nr, 3);
	q = &list.queues[0];
	assert_int_equal(q->pid, PID);
	assert_int_equal(q->gpu_id, GPU);
	assert_int_equal(q->queue_id, 0);
	expect(&q->compute, GPREEMPT_SOURCE_SYSFS, 1);
	expect(&q->ring_bytes, GPREEMPT_SOURCE_SYSFS, 65536);
	expect_unknown(&q->type);
	expect_unknown(&q->prio);
	expect_unknown(&q->ring_addr);
	expect_unknown(&q->busy);
	expect(&list.queues[2].compute, GPREEMPT_SOURCE_SYSFS, 0);
	expect(&list.queues[2].type, GPREEMPT_SOURCE_SYSFS, DRV_KFD_QUEUE_SDMA);
	drv_queues_fini(&list);
	assert_null(list.queues);
}

static void snapshot_adds_addresses_and_debugfs_priorities(void **state)
{
	struct drv_queues list;
	struct gpreempt_queue *q;

	assert_int_equal(drv_discover_queues(FIXTURE, &list), 0);
	assert_int_equal(drv_discover_add_snapshot(&list, PID, snapshot, 3), 0);
	assert_int_equal(drv_discover_add_mqds(FIXTURE, &list), 0);
	assert_int_equal(list.nr, 3);
	q = &list.queues[1];
	expect(&q->type, GPREEMPT_SOURCE_SNAPSHOT, DRV_KFD_QUEUE_PM4);
	expect(&q->ring_addr, GPREEMPT_SOURCE_SNAPSHOT, 0x112802ec4000);
	expect(&q->wptr_addr, GPREEMPT_SOURCE_SNAPSHOT, 0x112802ed5000);
	expect(&q->prio, GPREEMPT_SOURCE_DEBUGFS, 11);
	expect(&list.queues[0].prio, GPREEMPT_SOURCE_DEBUGFS, 7);
	expect_unknown(&list.queues[2].prio);
	drv_queues_fini(&list);
}

/* Queues 0 and 1 cannot be told apart without their rings, the copy queue can. */
static void debugfs_alone_does_not_guess(void **state)
{
	struct drv_queues list;

	assert_int_equal(drv_discover_queues(FIXTURE, &list), 0);
	assert_int_equal(drv_discover_add_mqds(FIXTURE, &list), 0);
	expect_unknown(&list.queues[0].prio);
	expect_unknown(&list.queues[0].type);
	expect_unknown(&list.queues[1].ring_addr);
	expect(&list.queues[2].ring_addr, GPREEMPT_SOURCE_DEBUGFS, 0x112805d88000);
	/* If only one has its ring, the other is what remains only in the list. */
	assert_int_equal(drv_discover_add_snapshot(&list, PID, &snapshot[1], 1), 0);
	assert_int_equal(drv_discover_add_mqds(FIXTURE, &list), 0);
	expect(&list.queues[1].prio, GPREEMPT_SOURCE_DEBUGFS, 11);
	expect_unknown(&list.queues[0].prio);
	drv_queues_fini(&list);
}

static void queue_that_sysfs_did_not_show_is_added(void **state)
{
	struct drv_queues list = {};

	assert_int_equal(drv_discover_add_snapshot(&list, PID, snapshot, 3), 0);
	assert_int_equal(list.nr, 3);
	assert_int_equal(list.queues[0].queue_id, 0);
	/* A ring of another process at the same address is another ring. */
	list.queues[0].pid = PID + 1;
	assert_int_equal(drv_discover_add_mqds(FIXTURE, &list), 0);
	expect_unknown(&list.queues[0].prio);
	expect(&list.queues[1].prio, GPREEMPT_SOURCE_DEBUGFS, 11);
	drv_queues_fini(&list);
}

static void process_is_listed_once(void **state)
{
	struct gpreempt_process *p;
	struct drv_queues list;
	size_t nr;

	assert_int_equal(drv_discover_queues(FIXTURE, &list), 0);
	assert_int_equal(drv_discover_processes(FIXTURE, &list, &p, &nr), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(p->pid, PID);
	assert_int_equal(p->nr_queues, 3);
	assert_string_equal(p->comm, "capture");
	assert_int_equal(p->uid.source, GPREEMPT_SOURCE_SYSFS);
	free(p);
	drv_queues_fini(&list);
}

/* A root with the memory of one process: its indices at 64 and 128. */
static void write_memory(char *root, uint64_t rptr, uint64_t wptr)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/proc", root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/proc/7", root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/proc/7/mem", root);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &rptr, 8, 64), 8);
	assert_int_equal(pwrite(fd, &wptr, 8, 128), 8);
	close(fd);
}

static void remove_memory(char *root)
{
	static const char *const parts[] = { "/proc/7/mem", "/proc/7", "/proc", "" };
	char path[256];
	size_t i;

	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s%s", root, parts[i]);
		assert_int_equal(remove(path), 0);
	}
}

static void indices_come_from_memory(void **state)
{
	struct drv_kfd_queue_entry e = { .queue_id = 1, .type = DRV_KFD_QUEUE_AQL, .rptr_addr = 64,
					.wptr_addr = 128 };
	char root[] = "/tmp/gp-discover-XXXXXX";
	struct drv_queues list = {};

	assert_non_null(mkdtemp(root));
	write_memory(root, 5, 9);
	assert_int_equal(drv_discover_add_snapshot(&list, 7, &e, 1), 0);
	/* One that cannot be looked into, and an address that is not there. */
	assert_int_equal(drv_discover_add_snapshot(&list, 8, &e, 1), 0);
	e.queue_id = 2;
	e.wptr_addr = 4096;
	assert_int_equal(drv_discover_add_snapshot(&list, 7, &e, 1), 0);
	drv_discover_add_pointers(root, &list);
	expect(&list.queues[0].rptr, GPREEMPT_SOURCE_MEMORY, 5);
	expect(&list.queues[0].wptr, GPREEMPT_SOURCE_MEMORY, 9);
	expect(&list.queues[0].busy, GPREEMPT_SOURCE_MEMORY, 1);
	expect_unknown(&list.queues[1].wptr);
	expect_unknown(&list.queues[1].busy);
	expect_unknown(&list.queues[2].rptr);
	drv_queues_fini(&list);
	remove_memory(root);
}

static void equal_indices_prove_nothing(void **state)
{
	struct drv_kfd_queue_entry e = { .queue_id = 1, .rptr_addr = 64, .wptr_addr = 128 };
	char root[] = "/tmp/gp-discover-XXXXXX";
	struct drv_queues list = {};

	assert_non_null(mkdtemp(root));
	write_memory(root, 9, 9);
	assert_int_equal(drv_discover_add_snapshot(&list, 7, &e, 1), 0);
	drv_discover_add_pointers(root, &list);
	expect(&list.queues[0].wptr, GPREEMPT_SOURCE_MEMORY, 9);
	expect_unknown(&list.queues[0].busy);
	drv_queues_fini(&list);
	remove_memory(root);
}

static void occupancy_is_read_where_there_is_one(void **state)
{
	uint64_t value = 77;

	assert_int_equal(drv_discover_occupancy(FIXTURE, PID, GPU, &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(drv_discover_occupancy(FIXTURE, PID, 1, &value), -ENOENT);
}

static void without_amdkfd_there_is_nothing(void **state)
{
	struct drv_queues list;
	struct drv_node *n;
	size_t nr;

	assert_int_equal(drv_discover_nodes(FIXTURE "/nowhere", &n, &nr), -ENOENT);
	assert_int_equal(drv_discover_queues(FIXTURE "/nowhere", &list), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(node_of_the_guest_is_read),
		cmocka_unit_test(node_has_the_names_of_other_tools),
		cmocka_unit_test(gpus_are_counted_in_the_order_of_their_addresses),
		cmocka_unit_test(queues_from_sysfs_have_names_and_little_else),
		cmocka_unit_test(snapshot_adds_addresses_and_debugfs_priorities),
		cmocka_unit_test(debugfs_alone_does_not_guess),
		cmocka_unit_test(queue_that_sysfs_did_not_show_is_added),
		cmocka_unit_test(process_is_listed_once),
		cmocka_unit_test(indices_come_from_memory),
		cmocka_unit_test(equal_indices_prove_nothing),
		cmocka_unit_test(occupancy_is_read_where_there_is_one),
		cmocka_unit_test(without_amdkfd_there_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
