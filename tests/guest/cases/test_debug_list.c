// SPDX-License-Identifier: MIT
/*
 * Lists of queues in AMDKFD_IOC_DBG_TRAP: what SUSPEND_QUEUES and RESUME_QUEUES make of
 * each id, what else keeps a queue off the GPU, and what the snapshots tell.
 */
#define _GNU_SOURCE
#include "gt/gt_debug.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define TINY "profile=tiny"
#define GRACE 1
#define MAX_IDS 1024	/* KFD_MAX_NUM_OF_QUEUES_PER_PROCESS */
#define PAGE 4096ul
#define NO_QUEUE 77u
#define INVALID KFD_DBG_QUEUE_INVALID_MASK
#define DELETE KFD_EC_MASK(EC_DEVICE_QUEUE_DELETE)

static const struct gt_shape endless = {
	.groups = 4, .waves = 1, .vgprs = 8, .steps = 0, .step_ns = 100000, .seed = 1,
};

/**
 * struct scene - a process that debugs itself, with two queues that are not new
 * @ids: theirs, to be spoiled
 */
struct scene {
	struct gt_gpu gpu;
	struct gt_session s;
	struct gt_queue q[2];
	struct gt_kernel k;
	uint32_t ids[2];
};

static void set_ids(struct scene *c)
{
	c->ids[0] = c->q[0].id;
	c->ids[1] = c->q[1].id;
}

static void set_up(struct scene *c)
{
	gt_gpu_open(&c->gpu, 0);
	c->s = gt_debug_self(&c->gpu);
	gt_queue_create(&c->gpu, 7, &c->q[0]);
	gt_queue_create(&c->gpu, 7, &c->q[1]);
	gt_kernel_create(&c->gpu, &endless, &c->k);
	gt_debug_clear_new(&c->s);
	set_ids(c);
}

/* The first queue has four waves on the GPU. */
static void run_first(struct scene *c)
{
	gt_kernel_launch(&c->k, &c->q[0]);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not running");
}

static void expect_waves(uint64_t nr)
{
	gt_sleep_us(100000);
	GT_CHECK(gt_stat(0, "waves") == nr, "%lu waves", gt_stat(0, "waves"));
}

static void lists_are_checked(void)
{
	static uint32_t many[MAX_IDS + 1];
	struct scene c = {};
	int i, r;

	set_up(&c);
	for (i = 0; i <= MAX_IDS; i++)
		many[i] = 1000 + i;
	r = gt_debug_suspend(&c.s, many, MAX_IDS + 1, GRACE);
	GT_CHECK(r == -EINVAL && many[0] == 1000, "suspend too many: %d", r);
	r = gt_debug_resume(&c.s, many, MAX_IDS + 1);
	GT_CHECK(r == -EINVAL && many[0] == 1000, "resume too many: %d", r);
	r = gt_debug_suspend(&c.s, many, MAX_IDS, GRACE);
	GT_CHECK(r == 0, "suspend as many as there can be: %d", r);
	for (i = 0; i < MAX_IDS; i++)
		GT_CHECK(many[i] == ((1000u + i) | INVALID), "%d: %x", i, many[i]);
	GT_CHECK(many[MAX_IDS] == 1000 + MAX_IDS, "one too many");
	r = gt_debug_suspend(&c.s, NULL, 1, GRACE);
	GT_CHECK(r == -EINVAL, "suspend, no list: %d", r);
	r = gt_debug_suspend(&c.s, (void *)8, 1, GRACE);
	GT_CHECK(r == -EFAULT, "suspend, no memory: %d", r);
	r = gt_debug_resume(&c.s, (void *)8, 1);
	GT_CHECK(r == -EFAULT, "resume, no memory: %d", r);
	r = gt_debug_suspend(&c.s, c.ids, 0, GRACE);
	GT_CHECK(r == 0, "suspend nothing: %d", r);
	GT_CHECK(!gt_debug_disable(&c.s), "disable");
}

/* The first of two equal ids is the queue, the second none. */
static void second_of_two_equal_ids_is_nobody(void)
{
	struct scene c = {};
	int r;

	set_up(&c);
	c.ids[1] = c.ids[0];
	r = gt_debug_suspend(&c.s, c.ids, 2, GRACE);
	GT_CHECK(r == 1, "suspended %d", r);
	GT_CHECK(c.ids[0] == c.q[0].id && c.ids[1] == (c.q[0].id | INVALID), "%x %x", c.ids[0],
		 c.ids[1]);
	c.ids[1] = c.ids[0];
	r = gt_debug_resume(&c.s, c.ids, 2);
	GT_CHECK(r == 1, "resumed %d", r);
	GT_CHECK(c.ids[0] == c.q[0].id && c.ids[1] == (c.q[0].id | INVALID), "%x %x", c.ids[0],
		 c.ids[1]);
	c.ids[0] = NO_QUEUE;
	r = gt_debug_resume(&c.s, c.ids, 1);
	GT_CHECK(r == 0 && c.ids[0] == (NO_QUEUE | INVALID), "resumed %d, id %x", r, c.ids[0]);
	GT_CHECK(!gt_debug_disable(&c.s), "disable");
}

static void resume_without_a_list_is_for_all(void)
{
	struct scene c = {};
	int r;

	set_up(&c);
	run_first(&c);
	r = gt_debug_suspend(&c.s, c.ids, 2, GRACE);
	GT_CHECK(r == 2, "suspended %d", r);
	GT_CHECK(!gt_stat_wait(0, "mapped", 0), "%lu mapped", gt_stat(0, "mapped"));
	r = gt_debug_resume(&c.s, NULL, 0);
	GT_CHECK(r == 2, "resumed %d", r);
	GT_CHECK(!gt_stat_wait(0, "mapped", 2), "%lu mapped", gt_stat(0, "mapped"));
	expect_waves(4);
	GT_CHECK(!gt_debug_disable(&c.s), "disable");
}

/* Suspended and disabled: both must be undone, in any order. */
static void update_does_not_resume(void)
{
	struct scene c = {};
	int r;

	set_up(&c);
	run_first(&c);
	GT_CHECK(!gt_queue_update(&c.q[0], 0), "disable the queue");
	r = gt_debug_suspend(&c.s, c.ids, 1, GRACE);
	GT_CHECK(r == 1 && c.ids[0] == c.q[0].id, "suspended %d, id %x", r, c.ids[0]);
	GT_CHECK(!gt_queue_update(&c.q[0], 100), "enable the queue");
	expect_waves(0);
	r = gt_debug_resume(&c.s, c.ids, 1);
	GT_CHECK(r == 1, "resumed %d", r);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "%lu waves", gt_stat(0, "waves"));
	GT_CHECK(gt_debug_suspend(&c.s, c.ids, 1, GRACE) == 1, "suspend");
	GT_CHECK(!gt_queue_update(&c.q[0], 0), "disable the queue");
	r = gt_debug_resume(&c.s, c.ids, 1);
	GT_CHECK(r == 1, "resumed %d", r);
	expect_waves(0);
	GT_CHECK(!gt_queue_update(&c.q[0], 100), "enable the queue");
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "%lu waves", gt_stat(0, "waves"));
	GT_CHECK(!gt_debug_disable(&c.s), "disable");
}

/* The restore comes 100 ms after the eviction (PROCESS_RESTORE_TIME_MS). */
static void evicted_and_suspended_are_independent(void)
{
	struct scene c = {};
	int r;

	set_up(&c);
	run_first(&c);
	gt_evict(getpid());
	GT_CHECK(!gt_stat_wait(0, "mapped", 0), "not evicted");
	r = gt_debug_suspend(&c.s, c.ids, 1, GRACE);
	GT_CHECK(r == 1 && c.ids[0] == c.q[0].id, "suspended %d, id %x", r, c.ids[0]);
	gt_sleep_us(500000);
	GT_CHECK(!gt_stat(0, "waves"), "the restore resumed a suspended queue");
	GT_CHECK(gt_stat(0, "mapped") == 1, "the other queue: %lu mapped", gt_stat(0, "mapped"));
	gt_evict(getpid());
	GT_CHECK(!gt_stat_wait(0, "mapped", 0), "not evicted");
	r = gt_debug_resume(&c.s, c.ids, 1);
	GT_CHECK(r == 1, "resumed %d", r);
	GT_CHECK(!gt_stat(0, "waves"), "a resumed queue of an evicted process runs");
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "not restored");
	GT_CHECK(!gt_debug_disable(&c.s), "disable");
}

/* 0 is taken for 1; all bits set for "as it is". Both save a kernel without an end. */
static void grace_0_and_default_save(void)
{
	static const uint32_t grace[] = { 0, UINT32_MAX, 255 };
	struct scene c = {};
	uint64_t saves;
	int i, r;

	set_up(&c);
	run_first(&c);
	for (i = 0; i < 3; i++) {
		saves = gt_stat(0, "saves");
		r = gt_debug_suspend(&c.s, c.ids, 1, grace[i]);
		GT_CHECK(r == 1, "suspended %d", r);
		GT_CHECK(gt_stat(0, "saves") == saves + 1, "grace %x: %lu saves", grace[i],
			 gt_stat(0, "saves") - saves);
		GT_CHECK(gt_debug_resume(&c.s, c.ids, 1) == 1, "resume");
		GT_CHECK(!gt_stat_wait(0, "waves", 4), "%lu waves", gt_stat(0, "waves"));
	}
	GT_CHECK(!gt_debug_disable(&c.s), "disable");
}

/* copy_context_work_handler(): of every queue of the process, suspended or not. */
static void save_areas_get_their_headers(void)
{
	struct kfd_context_save_area_header *header[2];
	struct scene c = {};
	int i, r;

	set_up(&c);
	run_first(&c);
	for (i = 0; i < 2; i++) {
		header[i] = (void *)c.q[i].save_area;
		memset(header[i], 0x5a, sizeof(*header[i]));
	}
	r = gt_debug_suspend(&c.s, c.ids, 1, GRACE);
	GT_CHECK(r == 1, "suspended %d", r);
	GT_CHECK(header[0]->wave_state.control_stack_size &&
		 header[0]->wave_state.control_stack_size < 1 << 20, "%x",
		 header[0]->wave_state.control_stack_size);
	GT_CHECK(header[0]->wave_state.wave_state_size &&
		 header[0]->wave_state.wave_state_size < 1 << 24, "%x",
		 header[0]->wave_state.wave_state_size);
	GT_CHECK(!header[1]->wave_state.control_stack_size, "%x",
		 header[1]->wave_state.control_stack_size);
	GT_CHECK(!header[1]->wave_state.wave_state_size, "%x",
		 header[1]->wave_state.wave_state_size);
	/* The rest of it is the client's. */
	for (i = 0; i < 2; i++)
		GT_CHECK(header[i]->debug_offset == 0x5a5a5a5a &&
			 header[i]->err_event_id == 0x5a5a5a5a, "header %d", i);
	GT_CHECK(!gt_debug_disable(&c.s), "disable");
}

static int suspend_clearing(const struct scene *c, uint32_t *ids, uint32_t nr, uint64_t clear)
{
	struct kfd_ioctl_dbg_trap_args args = {};

	args.suspend_queues.exception_mask = clear;
	args.suspend_queues.queue_array_ptr = (uintptr_t)ids;
	args.suspend_queues.num_queues = nr;
	args.suspend_queues.grace_period = GRACE;
	return gt_debug_trap(&c->s, KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, &args);
}

/*
 * suspend_queues(): a new queue is skipped before the mask is looked at, and the mask is
 * only looked at if some queue of the GPU was suspended. Then it works on the new one too.
 */
static void mask_of_suspend_comes_too_late_for_new_queues(void)
{
	struct scene c = {};
	struct gt_queue q;
	uint32_t ids[2];
	int i, r;

	set_up(&c);
	gt_queue_create(&c.gpu, 7, &q);
	for (i = 0; i < 2; i++) {
		ids[0] = q.id;
		r = suspend_clearing(&c, ids, 1, GT_NEW);
		GT_CHECK(r == 0 && ids[0] == (q.id | INVALID), "alone: %d, id %x", r, ids[0]);
	}
	ids[0] = q.id;
	ids[1] = c.q[0].id;
	r = suspend_clearing(&c, ids, 2, GT_NEW);
	GT_CHECK(r == 1 && ids[0] == (q.id | INVALID) && ids[1] == c.q[0].id,
		 "with an old one: %d, ids %x %x", r, ids[0], ids[1]);
	ids[0] = q.id;
	r = gt_debug_suspend(&c.s, ids, 1, GRACE);
	GT_CHECK(r == 1 && ids[0] == q.id, "after that: %d, id %x", r, ids[0]);
	GT_CHECK(!gt_debug_disable(&c.s), "disable");
}

/* That is why a new queue is refused: its id may have been another's. */
static void recycled_id_is_new_again(void)
{
	struct scene c = {};
	uint32_t id;
	int r;

	set_up(&c);
	id = c.q[1].id;
	r = gt_debug_suspend(&c.s, &id, 1, GRACE);
	GT_CHECK(r == 1, "suspended %d", r);
	GT_CHECK(gt_debug_resume(&c.s, &id, 1) == 1, "resume");
	GT_CHECK(!gt_queue_destroy(&c.q[1]), "destroy");
	gt_queue_create(&c.gpu, 7, &c.q[1]);
	GT_CHECK(c.q[1].id == id, "another id: %u", c.q[1].id);
	r = gt_debug_suspend(&c.s, &id, 1, GRACE);
	GT_CHECK(r == 0 && id == (c.q[1].id | INVALID), "suspended %d, id %x", r, id);
	GT_CHECK(!gt_debug_disable(&c.s), "disable");
}

static void two_gpus_in_one_list(void)
{
	struct gt_kernel k[2];
	struct gt_gpu gpu[2];
	struct gt_queue q[2];
	struct gt_session s;
	uint32_t ids[3];
	int i, r;

	gt_gpu_open(&gpu[0], 0);
	s = gt_debug_self(&gpu[0]);
	gt_gpu_open(&gpu[1], 1);
	for (i = 0; i < 2; i++) {
		gt_queue_create(&gpu[i], 7, &q[i]);
		gt_kernel_create(&gpu[i], &endless, &k[i]);
		gt_kernel_launch(&k[i], &q[i]);
		GT_CHECK(!gt_stat_wait(i, "waves", 4), "GPU %d: not running", i);
		ids[i] = q[i].id;
	}
	ids[2] = NO_QUEUE;
	gt_debug_clear_new(&s);
	r = gt_debug_suspend(&s, ids, 3, GRACE);
	GT_CHECK(r == 2, "suspended %d", r);
	GT_CHECK(ids[0] == q[0].id && ids[1] == q[1].id && ids[2] == (NO_QUEUE | INVALID),
		 "%x %x %x", ids[0], ids[1], ids[2]);
	for (i = 0; i < 2; i++)
		GT_CHECK(!gt_stat_wait(i, "waves", 0), "GPU %d: runs", i);
	/* One of them only. */
	r = gt_debug_resume(&s, &ids[1], 1);
	GT_CHECK(r == 1, "resumed %d", r);
	GT_CHECK(!gt_stat_wait(1, "waves", 4), "GPU 1: not resumed");
	GT_CHECK(!gt_stat(0, "waves"), "GPU 0: resumed");
	GT_CHECK(!gt_debug_disable(&s), "disable");
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "GPU 0: not resumed");
}

/* It has no waves to save; it just is not there. */
static void copy_queue_is_suspended(void)
{
	struct kfd_ioctl_create_queue_args args = {
		.ring_size = PAGE,
		.queue_type = KFD_IOC_QUEUE_TYPE_SDMA,
		.queue_percentage = 100,
		.queue_priority = 7,
	};
	struct kfd_queue_snapshot_entry entry[3];
	struct scene c = {};
	uint64_t saves;
	uint32_t id;
	int r;

	set_up(&c);
	args.gpu_id = c.gpu.id;
	args.ring_base_address = (uintptr_t)gt_alloc(&c.gpu, PAGE);
	args.read_pointer_address = (uintptr_t)gt_alloc(&c.gpu, PAGE);
	args.write_pointer_address = (uintptr_t)gt_alloc(&c.gpu, PAGE);
	GT_CHECK(!ioctl(c.gpu.kfd, AMDKFD_IOC_CREATE_QUEUE, &args), "%s", strerror(errno));
	GT_CHECK(gt_debug_snapshot(&c.s, entry, 3, GT_NEW) == 3, "snapshot");
	GT_CHECK(entry[0].queue_type == KFD_IOC_QUEUE_TYPE_SDMA, "%u", entry[0].queue_type);
	GT_CHECK(!entry[0].ctx_save_restore_address, "%llx", entry[0].ctx_save_restore_address);
	saves = gt_stat(0, "saves");
	id = args.queue_id;
	r = gt_debug_suspend(&c.s, &id, 1, GRACE);
	GT_CHECK(r == 1 && id == args.queue_id, "suspended %d, id %x", r, id);
	GT_CHECK(gt_stat(0, "saves") == saves, "%lu saves", gt_stat(0, "saves") - saves);
	GT_CHECK(gt_debug_resume(&c.s, &id, 1) == 1, "resume");
	GT_CHECK(!gt_debug_disable(&c.s), "disable");
}

static int snapshot(const struct scene *c, void *buffer, uint32_t *nr, uint32_t *bytes)
{
	struct kfd_ioctl_dbg_trap_args args = {};
	int r;

	args.queue_snapshot.snapshot_buf_ptr = (uintptr_t)buffer;
	args.queue_snapshot.num_queues = *nr;
	args.queue_snapshot.entry_size = *bytes;
	r = gt_debug_trap(&c->s, KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT, &args);
	*nr = args.queue_snapshot.num_queues;
	*bytes = args.queue_snapshot.entry_size;
	return r;
}

static void expect_entry(const struct kfd_queue_snapshot_entry *e, const struct gt_queue *q)
{
	GT_CHECK(e->queue_id == q->id && e->gpu_id == q->gpu->id, "%u", e->queue_id);
	GT_CHECK(e->ring_base_address == (uintptr_t)q->ring, "ring");
	GT_CHECK(e->ring_size == q->ring_bytes, "%u", e->ring_size);
	GT_CHECK(e->write_pointer_address == (uintptr_t)q->wptr, "write pointer");
	GT_CHECK(e->read_pointer_address == (uintptr_t)q->rptr, "read pointer");
	GT_CHECK(e->ctx_save_restore_address == (uintptr_t)q->save_area, "save area");
	GT_CHECK(e->ctx_save_restore_area_size == gt_gpu_prop(q->gpu, "cwsr_size"), "%u",
		 e->ctx_save_restore_area_size);
	GT_CHECK(e->queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, "%u", e->queue_type);
	GT_CHECK(!e->exception_status, "%llx", e->exception_status);
}

static void snapshot_strides_by_the_callers_size(void)
{
	struct wide {
		struct kfd_queue_snapshot_entry e;
		uint64_t rest;
	} wide[2];
	struct kfd_queue_snapshot_entry one;
	struct scene c = {};
	uint32_t nr = 0, bytes = sizeof(one);
	int r;

	set_up(&c);
	r = snapshot(&c, NULL, &nr, &bytes);
	GT_CHECK(!r && nr == 2, "only the number: %d, %u", r, nr);
	nr = 1;
	r = snapshot(&c, &one, &nr, &bytes);
	GT_CHECK(!r && nr == 2 && bytes == sizeof(one), "%d, %u queues, %u bytes", r, nr, bytes);
	expect_entry(&one, &c.q[1]);
	memset(wide, 0x5a, sizeof(wide));
	bytes = sizeof(wide[0]);
	r = snapshot(&c, wide, &nr, &bytes);
	GT_CHECK(!r && bytes == sizeof(one), "%d, %u bytes", r, bytes);
	expect_entry(&wide[0].e, &c.q[1]);
	expect_entry(&wide[1].e, &c.q[0]);
	GT_CHECK(wide[0].rest == 0x5a5a5a5a5a5a5a5a, "written between the entries");
	/* A caller that knows less gets less. */
	memset(&one, 0x5a, sizeof(one));
	nr = 1;
	bytes = 16;
	r = snapshot(&c, &one, &nr, &bytes);
	GT_CHECK(!r && bytes == 16, "%d, %u bytes", r, bytes);
	GT_CHECK(one.ring_base_address == (uintptr_t)c.q[1].ring &&
		 one.write_pointer_address == 0x5a5a5a5a5a5a5a5a, "not 16 bytes");
	bytes = 0;
	r = snapshot(&c, &one, &nr, &bytes);
	GT_CHECK(r == -EINVAL, "entries of nothing: %d", r);
	nr = 1;
	bytes = sizeof(one);
	r = snapshot(&c, (void *)8, &nr, &bytes);
	GT_CHECK(r == -EFAULT, "no memory: %d", r);
	GT_CHECK(!gt_debug_disable(&c.s), "disable");
}

static void device_snapshot_is_the_topology(void)
{
	struct kfd_dbg_device_info_entry info[2] = {};
	struct kfd_ioctl_dbg_trap_args args = {};
	struct scene c = {};
	int r;

	set_up(&c);
	args.device_snapshot.snapshot_buf_ptr = (uintptr_t)info;
	args.device_snapshot.num_devices = 2;
	args.device_snapshot.entry_size = sizeof(info[0]);
	r = gt_debug_trap(&c.s, KFD_IOC_DBG_TRAP_GET_DEVICE_SNAPSHOT, &args);
	GT_CHECK(!r && args.device_snapshot.num_devices == 1, "%d, %u", r,
		 args.device_snapshot.num_devices);
	GT_CHECK(args.device_snapshot.entry_size == 120, "%u", args.device_snapshot.entry_size);
	GT_CHECK(info[0].gpu_id == c.gpu.id, "%u", info[0].gpu_id);
	GT_CHECK(info[0].num_xcc == gt_gpu_prop(&c.gpu, "num_xcc"), "%u", info[0].num_xcc);
	GT_CHECK(info[0].simd_count == gt_gpu_prop(&c.gpu, "simd_count"), "%u",
		 info[0].simd_count);
	GT_CHECK(info[0].capability == gt_gpu_prop(&c.gpu, "capability"), "%x",
		 info[0].capability);
	GT_CHECK(info[0].gfx_target_version == gt_gpu_prop(&c.gpu, "gfx_target_version"), "%u",
		 info[0].gfx_target_version);
	GT_CHECK(!info[0].exception_status && !info[1].gpu_id, "more than there is");
	GT_CHECK(!gt_debug_disable(&c.s), "disable");
}

/* An event of the GPU: the queue that is gone has none. */
static void destroyed_queue_is_told(void)
{
	struct gt_session s = { .exceptions = DELETE };
	struct kfd_ioctl_dbg_trap_args args;
	struct gt_queue q;
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 0);
	gt_debug_attach_self(&gpu, &s);
	gt_queue_create(&gpu, 7, &q);
	GT_CHECK(!gt_debug_dots(&s), "told of a new one");
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
	GT_CHECK(gt_debug_dots(&s) == 1, "not told");
	r = gt_debug_query(&s, DELETE, &args);
	GT_CHECK(!r && args.query_debug_event.exception_mask == DELETE, "%d: %llx", r,
		 args.query_debug_event.exception_mask);
	GT_CHECK(args.query_debug_event.gpu_id == gpu.id && !args.query_debug_event.queue_id,
		 "gpu %u queue %u", args.query_debug_event.gpu_id,
		 args.query_debug_event.queue_id);
	r = gt_debug_query(&s, 0, &args);
	GT_CHECK(r == -EAGAIN, "still there: %d", r);
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

static void *destroy_thread(void *arg)
{
	return (void *)(intptr_t)gt_queue_destroy(arg);
}

static void nothing(int sig)
{
}

/* A signal ends the wait for RESUME_QUEUES, and the queue is as before. */
static void waiting_destroy_is_interrupted(void)
{
	struct sigaction action = { .sa_handler = nothing };
	struct scene c = {};
	pthread_t thread;
	void *result;
	int r;

	set_up(&c);
	run_first(&c);
	r = gt_debug_suspend(&c.s, c.ids, 1, GRACE);
	GT_CHECK(r == 1, "suspended %d", r);
	GT_CHECK(!sigaction(SIGUSR1, &action, NULL), "sigaction");
	GT_CHECK(!pthread_create(&thread, NULL, destroy_thread, &c.q[0]), "thread");
	gt_sleep_us(200000);
	/* The second one is not let in. */
	r = gt_queue_destroy(&c.q[0]);
	GT_CHECK(r == -EBUSY, "destroyed twice: %d", r);
	GT_CHECK(!pthread_kill(thread, SIGUSR1), "kill");
	GT_CHECK(!pthread_join(thread, &result), "join");
	GT_CHECK((intptr_t)result == -EINTR, "%ld", (long)(intptr_t)result);
	r = gt_debug_resume(&c.s, c.ids, 1);
	GT_CHECK(r == 1 && c.ids[0] == c.q[0].id, "resumed %d, id %x", r, c.ids[0]);
	GT_CHECK(!gt_stat_wait(0, "waves", 4), "it did not go on");
	GT_CHECK(!gt_queue_destroy(&c.q[0]), "destroy");
	GT_CHECK(!gt_debug_disable(&c.s), "disable");
}

static const struct gt_case cases[] = {
	{ "lists_are_checked", lists_are_checked, TINY, 10 },
	{ "second_of_two_equal_ids_is_nobody", second_of_two_equal_ids_is_nobody, TINY, 10 },
	{ "resume_without_a_list_is_for_all", resume_without_a_list_is_for_all, TINY, 10 },
	{ "update_does_not_resume", update_does_not_resume, TINY, 10 },
	{ "evicted_and_suspended_are_independent", evicted_and_suspended_are_independent, TINY,
	  10 },
	{ "grace_0_and_default_save", grace_0_and_default_save, TINY, 10 },
	{ "save_areas_get_their_headers", save_areas_get_their_headers, TINY, 10 },
	{ "mask_of_suspend_comes_too_late_for_new_queues",
	  mask_of_suspend_comes_too_late_for_new_queues, TINY, 10 },
	{ "recycled_id_is_new_again", recycled_id_is_new_again, TINY, 10 },
	{ "copy_queue_is_suspended", copy_queue_is_suspended, TINY, 10 },
	{ "snapshot_strides_by_the_callers_size", snapshot_strides_by_the_callers_size, TINY, 10 },
	{ "device_snapshot_is_the_topology", device_snapshot_is_the_topology, TINY, 10 },
	{ "destroyed_queue_is_told", destroyed_queue_is_told, TINY, 10 },
	{ "waiting_destroy_is_interrupted", waiting_destroy_is_interrupted, TINY, 10 },
	{ "two_gpus_in_one_list", two_gpus_in_one_list, TINY " gpus=2", 10 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
