// SPDX-License-Identifier: MIT
/*
 * Machine code and memory that goes away under it: user memory that moves, memory that is
 * unmapped, freed or never was there, processes that end in the middle. The kernel of another
 * process is not disturbed by any of it.
 *
 * Needs: kernels
 * Clock: both
 */
#define _GNU_SOURCE
#include "gt/gt_code.h"
#include "gt/gt_debug.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define TINY "profile=tiny"
#define LONG 120

cpu_kernel churn;

static const struct launch steady = { "churn", { 64, 1 }, { 4, 1 }, 20000 };
/* amdkfd lets a process be for 10 ms before it evicts it (PROCESS_ACTIVE_TIME_MS). */
static const struct launch lasting = { "churn", { 64, 1 }, { 1, 1 }, 150000 };
static const struct launch brief = { "churn", { 64, 1 }, { 4, 1 }, 500 };

static void set_up(struct gt_gpu *gpu, struct gt_queue *q, struct gt_code *code,
		   const struct launch *launch, struct gt_run *run)
{
	gt_gpu_open(gpu, 0);
	gt_queue_create(gpu, 7, q);
	gt_code_load(gpu, "kernels", code);
	gt_run_create(gpu, launch, run);
	gt_run_fill(run, 9);
}

static void wait_for_waves(uint64_t nr)
{
	uint64_t end = gt_deadline_ns(20000);

	while (gt_stat(0, "waves") < nr) {
		GT_CHECK(gt_now_ns() < end, "%lu waves, not %lu", gt_stat(0, "waves"), nr);
		gt_sleep_us(20);
	}
}

/* Memory of this process that the GPU may use, at the same address. Return: its handle. */
static uint64_t give_user_memory(struct gt_gpu *gpu, void *addr, uint64_t bytes)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.va_addr = (uintptr_t)addr,
		.size = bytes,
		.mmap_offset = (uintptr_t)addr,
		.gpu_id = gpu->id,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
	};
	struct kfd_ioctl_map_memory_to_gpu_args map = {
		.device_ids_array_ptr = (uintptr_t)&gpu->id,
		.n_devices = 1,
	};

	GT_CHECK(!ioctl(gpu->kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args), "%s", strerror(errno));
	map.handle = args.handle;
	GT_CHECK(!ioctl(gpu->kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map), "%s", strerror(errno));
	return args.handle;
}

static void take_away(struct gt_gpu *gpu, uint64_t handle)
{
	struct kfd_ioctl_unmap_memory_from_gpu_args args = {
		.handle = handle,
		.device_ids_array_ptr = (uintptr_t)&gpu->id,
		.n_devices = 1,
	};

	GT_CHECK(!ioctl(gpu->kfd, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &args), "%s", strerror(errno));
}

static uint32_t *user_buffer(struct gt_gpu *gpu, uint64_t *handle)
{
	void *p = mmap(NULL, LAUNCH_BUFFER_BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	GT_CHECK(p != MAP_FAILED, "%s", strerror(errno));
	memset(p, 0, LAUNCH_BUFFER_BYTES);
	*handle = give_user_memory(gpu, p, LAUNCH_BUFFER_BYTES);
	return p;
}

/*
 * A fork takes the right to write away from both: the driver is told, and whichever writes next,
 * here the GPU, gets pages of its own.
 */
static void move_pages(uint32_t *at, unsigned int ms)
{
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	gt_sleep_us(ms * 1000);
	/* Touched here too, so that a copy is certain. */
	__atomic_fetch_add(&at[LAUNCH_BUFFER_BYTES / 4 - 1], 0, __ATOMIC_RELAXED);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void user_memory_moves_under_a_kernel(void)
{
	uint64_t handle, unmaps, end = gt_deadline_ns(100000);
	struct gt_queue q;
	struct gt_code code;
	struct gt_run run;
	struct gt_gpu gpu;
	unsigned int n;

	set_up(&gpu, &q, &code, &steady, &run);
	run.launch.n *= 3;
	for (n = 0; n < 3; n++)
		run.buffer[n] = user_buffer(&gpu, &handle);
	gt_run_fill(&run, 9);
	unmaps = gt_stat(0, "unmaps");
	gt_run_start(&run, &q, &code);
	wait_for_waves(steady.groups[0]);
	/* Each time a bit more of it runs: the driver needs some milliseconds to follow. */
	for (n = 0; run.signal->value; n++) {
		GT_CHECK(gt_now_ns() < end, "no end after %u moves", n);
		move_pages(run.buffer[2], 6 + n);
	}
	gt_note("%u moves, %lu saves", n, gt_stat(0, "saves"));
	GT_CHECK(gt_stat(0, "unmaps") > unmaps, "the queues were not stopped");
	GT_CHECK(gt_run_is_right(&run, churn), "wrong result");
}

/* What is not mapped any more is a fault that names it. */
static void expect_fault(bool is_user)
{
	struct kfd_event_data data = {};
	struct gt_queue q;
	struct gt_code code;
	struct gt_run run;
	struct gt_mem mem;
	struct gt_gpu gpu;
	uint64_t handle;
	uint32_t event;
	int r;

	set_up(&gpu, &q, &code, &steady, &run);
	run.launch.n = 100000000;
	event = gt_event_create(&gpu, KFD_IOC_EVENT_MEMORY, NULL);
	GT_CHECK(!gt_mem_alloc(&gpu, LAUNCH_BUFFER_BYTES, GT_GTT, &mem), "memory");
	run.buffer[2] = is_user ? user_buffer(&gpu, &handle) : mem.addr;
	gt_run_start(&run, &q, &code);
	wait_for_waves(steady.groups[0]);
	gt_sleep_us(1000);
	if (is_user)
		munmap(run.buffer[2], LAUNCH_BUFFER_BYTES);
	else
		take_away(&gpu, mem.handle);
	r = gt_event_wait(&gpu, event, &data, 20000);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "no event: %d", r);
	GT_CHECK(data.memory_exception_data.va == (uintptr_t)run.buffer[2], "address %llx",
		 (unsigned long long)data.memory_exception_data.va);
	GT_CHECK(run.signal->value == 1, "it ended well");
}

static void unmapped_memory_is_a_fault(void)
{
	expect_fault(false);
}

static void unmapped_user_memory_is_a_fault(void)
{
	expect_fault(true);
}

/* Allocated without the flag that says so, memory cannot be written by the GPU. */
static void memory_without_the_right_is_not_written(void)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.size = LAUNCH_BUFFER_BYTES,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE,
	};
	struct kfd_ioctl_map_memory_to_gpu_args map = { .n_devices = 1 };
	struct kfd_event_data data = {};
	struct gt_queue q;
	struct gt_code code;
	struct gt_run run;
	struct gt_gpu gpu;
	uint32_t event;
	int r;

	set_up(&gpu, &q, &code, &brief, &run);
	event = gt_event_create(&gpu, KFD_IOC_EVENT_MEMORY, NULL);
	args.gpu_id = gpu.id;
	args.va_addr = (uintptr_t)mmap(NULL, args.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
				       -1, 0);
	GT_CHECK(!ioctl(gpu.kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args), "%s", strerror(errno));
	map.handle = args.handle;
	map.device_ids_array_ptr = (uintptr_t)&gpu.id;
	GT_CHECK(!ioctl(gpu.kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map), "%s", strerror(errno));
	/* Control: it can be read. */
	run.buffer[1] = (void *)(uintptr_t)args.va_addr;
	gt_run_start(&run, &q, &code);
	GT_CHECK(!gt_run_wait(&run, 20000), "it cannot be read");
	run.buffer[2] = (void *)(uintptr_t)args.va_addr;
	gt_run_start(&run, &q, &code);
	r = gt_event_wait(&gpu, event, &data, 20000);
	GT_CHECK(r == KFD_IOC_WAIT_RESULT_COMPLETE, "no event: %d", r);
	GT_CHECK(data.memory_exception_data.va == args.va_addr, "address %llx",
		 (unsigned long long)data.memory_exception_data.va);
}

/* Of this process; a debugger, itself, is told what was wrong. */
static void illegal_instruction_has_its_code(void)
{
	static const uint32_t words[] = { 0xbf800000u, 0xffffffffu };
	struct gt_session s = { .exceptions = KFD_EC_MASK(EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION) };
	struct kfd_ioctl_dbg_trap_args args;
	uint64_t end = gt_deadline_ns(5000);
	struct gt_queue q;
	struct gt_run run;
	struct gt_gpu gpu;
	int r;

	gt_gpu_open(&gpu, 0);
	gt_debug_attach_self(&gpu, &s);
	gt_queue_create(&gpu, 7, &q);
	gt_debug_clear_new(&s);
	gt_run_create(&gpu, &brief, &run);
	gt_run_launch(&run, &q, gt_code_assemble(&gpu, words, 2));
	while ((r = gt_debug_query(&s, 0, &args)) == -EAGAIN && gt_now_ns() < end)
		gt_sleep_us(1000);
	GT_CHECK(!r, "%s", strerror(-r));
	GT_CHECK(args.query_debug_event.queue_id == q.id, "queue %u",
		 args.query_debug_event.queue_id);
	GT_CHECK(args.query_debug_event.exception_mask &
			 KFD_EC_MASK(EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION),
		 "%llx", (unsigned long long)args.query_debug_event.exception_mask);
	GT_CHECK(run.signal->value == 1, "it ended well");
	GT_CHECK(!gt_debug_disable(&s), "disable");
}

/* What a thread of a hostile process does beside its kernels. */
struct hostile {
	struct gt_gpu *gpu;
	struct gt_mem mem;
	volatile bool is_over;
};

static void *map_and_unmap(void *arg)
{
	struct hostile *h = arg;

	while (!h->is_over) {
		struct gt_mem mem;
		uint64_t handle;
		void *p;

		if (!gt_mem_alloc(h->gpu, LAUNCH_BUFFER_BYTES, GT_VRAM, &mem))
			gt_mem_free(h->gpu, &mem);
		p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		handle = give_user_memory(h->gpu, p, 65536);
		munmap(p, 65536);
		take_away(h->gpu, handle);
		gt_sleep_us(50);
	}
	return NULL;
}

/* Maps and unmaps all the time, then takes its kernel's memory away, or just ends. */
static void be_hostile(unsigned int round)
{
	struct hostile h = {};
	struct gt_queue q;
	struct gt_code code;
	struct gt_run run;
	struct gt_gpu gpu;
	pthread_t thread;

	set_up(&gpu, &q, &code, &steady, &run);
	run.launch.n = 100000000;
	h.gpu = &gpu;
	GT_CHECK(!gt_mem_alloc(&gpu, LAUNCH_BUFFER_BYTES, GT_GTT, &h.mem), "memory");
	run.buffer[2] = h.mem.addr;
	GT_CHECK(!pthread_create(&thread, NULL, map_and_unmap, &h), "thread");
	gt_run_start(&run, &q, &code);
	gt_sleep_us(2000 + round * 700);
	if (round % 3)
		gt_mem_free(&gpu, &h.mem);
	gt_sleep_us(round % 3 * 3000);
	kill(getpid(), SIGKILL);
}

static void hostile_process_disturbs_no_other(void)
{
	unsigned int round, rounds = 8, done = 0;
	struct gt_queue q;
	struct gt_code code;
	struct gt_run run;
	struct gt_gpu gpu;

	set_up(&gpu, &q, &code, &brief, &run);
	for (round = 0; round < rounds; round++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			be_hostile(round);
		do {
			gt_run_fill(&run, round);
			gt_run_start(&run, &q, &code);
			GT_CHECK(!gt_run_wait(&run, 20000), "no end");
			GT_CHECK(gt_run_is_right(&run, churn), "wrong result");
			done++;
		} while (!waitpid(pid, &status, WNOHANG));
		GT_CHECK(WIFSIGNALED(status), "the hostile process came to an end");
	}
	gt_note("%u hostile processes, %u kernels beside them", rounds, done);
	GT_CHECK(!gt_stat_wait(0, "waves", 0), "%lu waves are left", gt_stat(0, "waves"));
}

static void evicted_kernel_goes_on(void)
{
	uint64_t saves = gt_stat(0, "saves");
	struct gt_queue q;
	struct gt_code code;
	struct gt_run run;
	struct gt_gpu gpu;

	set_up(&gpu, &q, &code, &lasting, &run);
	gt_run_start(&run, &q, &code);
	wait_for_waves(1);
	gt_evict(getpid());
	GT_CHECK(!gt_stat_wait(0, "mapped", 0), "not evicted");
	GT_CHECK(gt_stat(0, "saves") == saves + 1, "not saved");
	GT_CHECK(!gt_run_wait(&run, 30000), "not restored");
	GT_CHECK(gt_run_is_right(&run, churn), "wrong result");
}

static const struct gt_case cases[] = {
	{ "user_memory_moves_under_a_kernel", user_memory_moves_under_a_kernel, TINY, LONG },
	{ "unmapped_memory_is_a_fault", unmapped_memory_is_a_fault, TINY, LONG },
	{ "unmapped_user_memory_is_a_fault", unmapped_user_memory_is_a_fault, TINY, LONG },
	{ "memory_without_the_right_is_not_written", memory_without_the_right_is_not_written,
	  TINY, LONG },
	{ "illegal_instruction_has_its_code", illegal_instruction_has_its_code, TINY, LONG },
	{ "hostile_process_disturbs_no_other", hostile_process_disturbs_no_other, TINY, LONG },
	{ "evicted_kernel_goes_on", evicted_kernel_goes_on, TINY, LONG },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
