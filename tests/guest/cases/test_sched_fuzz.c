// SPDX-License-Identifier: MIT
/*
 * /dev/gpreempt under nonsense: calls that are almost right, by root and by an ordinary
 * user, from several threads that close the file under each other, while queues come and
 * go. They give errors, and the scheduler works afterwards. The kernel's log is judged by
 * vehicle/run. What the calls gave is counted: good ones must succeed, and each
 * kind of refusal must have been met.
 *
 * Variant: hooks
 */
#define _GNU_SOURCE
#include "gt/gt_job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TINY "profile=tiny poll_us=1000"
#define SEED gt_argument("seed", 20261116)
#define NR_FULL 1000000
#define NR_SHORT 20000
#define NR_THREADS 2
#define NR_FILES 4
#define NR_IOCTLS 14	/* two more than there are */
#define NR_ERRNO 134
#define PAGE 4096ul
#define ROOM (1ul << 20)	/* more than all entries that there can be */
#define USER 1000
#define MS 30000

static const struct gt_shape quick = {
	.groups = 8, .waves = 2, .vgprs = 32, .lds_bytes = 4096,
	.steps = 300, .step_ns = 1000000, .seed = 9,
};

/**
 * struct fuzz - what the threads of all fuzzing processes share
 * @count: by call and errno; index NR_ERRNO - 1 = any other
 * @reference: the same of results in references
 */
struct fuzz {
	uint64_t count[NR_IOCTLS][NR_ERRNO];
	uint64_t reference[NR_ERRNO];
};

static struct fuzz *fuzz;
static uint32_t gpu_id;
static int files[NR_FILES];
static int victim;	/* pidfd of a job */

/**
 * struct source - random numbers, and memory that ends at an unmapped page
 */
struct source {
	uint64_t state;
	uint8_t *edge;
	uint8_t *room;
	uint64_t nr;
};

static uint64_t any(struct source *s, uint64_t below)
{
	s->state ^= s->state >> 12;
	s->state ^= s->state << 25;
	s->state ^= s->state >> 27;
	return (s->state * 0x2545f4914f6cdd1dull >> 16) % below;
}

static bool one_in(struct source *s, uint64_t nr)
{
	return !any(s, nr);
}

static uint64_t wild_pointer(struct source *s)
{
	static const uint64_t pointers[] = {
		0, 1, 8, 0x1000, 0x7ffffffff000, 0x800000000000, 0xffff888000000000,
		0xffffffff81000000, 0xffffffffffffffff, 0xfffffffffffff000,
	};

	return pointers[any(s, sizeof(pointers) / sizeof(pointers[0]))];
}

static int some_pidfd(struct source *s)
{
	switch (any(s, 8)) {
	case 0:
		return files[any(s, NR_FILES)];
	case 1:
		return (int)any(s, 64);
	case 2:
		return -2;
	case 3:
		return (int)any(s, UINT32_MAX);
	case 4:
	case 5:
		return victim;
	default:
		return -1;
	}
}

static uint32_t some_gpu(struct source *s)
{
	return one_in(s, 8) ? (uint32_t)any(s, UINT32_MAX) : gpu_id;
}

static void some_name(struct source *s, char *name)
{
	static const char *const names[] = {
		"prio", "fair", "slice", "edf", "laxity", "mlfq", "min_run_ns", "hysteresis_ns",
		"max_wait_ns", "rate_per_s", "slice.width", "nonsense", "",
	};
	uint32_t i;

	strncpy(name, names[any(s, sizeof(names) / sizeof(names[0]))], GPREEMPT_ABI_NAME_LEN);
	for (i = 0; one_in(s, 20) && i < GPREEMPT_ABI_NAME_LEN; i++)
		name[i] = (char)any(s, 256);
	/* Sometimes without an end. */
	if (one_in(s, 30))
		memset(name, 'x', GPREEMPT_ABI_NAME_LEN);
}

#define MAX_REFS 8
#define UNTOUCHED 12345

static void make_switch(struct source *s, struct gpreempt_ioc_switch *a,
			struct gpreempt_ioc_ref *refs)
{
	uint32_t i;

	a->gpu_id = some_gpu(s);
	a->nr_out = (uint32_t)any(s, MAX_REFS / 2);
	a->nr_in = (uint32_t)any(s, MAX_REFS / 2);
	a->lease_ms = (uint32_t)any(s, 20);
	a->grace = one_in(s, 10) ? (uint32_t)any(s, 1000) : 0;
	a->refs = one_in(s, 16) ? wild_pointer(s) : (uintptr_t)refs;
	a->ref_size = one_in(s, 16) ? (uint32_t)any(s, 512) : sizeof(*refs);
	if (one_in(s, 50))
		a->nr_out = (uint32_t)any(s, UINT32_MAX);
	for (i = 0; i < MAX_REFS; i++)
		refs[i] = (struct gpreempt_ioc_ref){
			.pidfd = some_pidfd(s),
			.queue_id = one_in(s, 2) ? GPREEMPT_ABI_QUEUE_ALL : (uint32_t)any(s, 4),
			.gpu_id = one_in(s, 16) ? some_gpu(s) : a->gpu_id,
			.result = one_in(s, 2) ? UNTOUCHED : 0,
		};
}

static void make_attr(struct source *s, struct gpreempt_ioc_attr *a)
{
	a->pidfd = some_pidfd(s);
	a->flags = one_in(s, 4);
	a->valid = (uint32_t)any(s, 128);
	a->prio = (uint32_t)any(s, 17);
	a->weight = (uint32_t)any(s, 10002);
	a->latency_critical = (uint8_t)any(s, 2);
	a->no_preempt = (uint8_t)any(s, 2);
	a->detect = (uint8_t)any(s, 4);
	a->slice_ns = any(s, 1ull << any(s, 47));
	a->deadline_ns = any(s, 1ull << any(s, 47));
}

static void make_policy(struct source *s, struct gpreempt_ioc_policy *a)
{
	a->gpu_id = one_in(s, 2) ? 0 : some_gpu(s);
	a->valid = (uint32_t)any(s, 8);
	/* Mostly on, or nothing happens. */
	a->enabled = !one_in(s, 8);
	some_name(s, a->policy);
	some_name(s, a->param);
	a->value = any(s, 1ull << any(s, 40));
}

static void make_list(struct source *s, struct gpreempt_ioc_list *a, void *room)
{
	a->gpu_id = one_in(s, 2) ? 0 : some_gpu(s);
	a->nr = one_in(s, 20) ? (uint32_t)any(s, 100000) : (uint32_t)any(s, 8);
	a->entry_size = one_in(s, 4) ? (uint32_t)any(s, 5000) : sizeof(struct gpreempt_ioc_queue);
	a->queues = one_in(s, 16) || a->nr > 8 || a->entry_size > 256 ? wild_pointer(s) :
									(uintptr_t)room;
}

static void make_hist(struct source *s, struct gpreempt_ioc_hist *a, void *room)
{
	a->gpu_id = some_gpu(s);
	a->which = (uint32_t)any(s, 5);
	a->nr = one_in(s, 8) ? (uint32_t)any(s, 100000) : (uint32_t)any(s, 8);
	a->buckets = one_in(s, 16) || a->nr > 8 ? wild_pointer(s) : (uintptr_t)room;
}

static void make_cgroup(struct source *s, struct gpreempt_ioc_cgroup *a)
{
	a->cgroup_fd = one_in(s, 4) ? (int)any(s, UINT32_MAX) : (int)any(s, 16);
	a->gpu_id = one_in(s, 2) ? some_gpu(s) : 0;
	a->valid = (uint32_t)any(s, 16);
	a->weight = (uint32_t)any(s, 10002);
	a->idle = (uint32_t)any(s, 2);
	a->quota_ns = any(s, 1ull << any(s, 47));
	a->period_ns = any(s, 1ull << any(s, 35));
	a->latency_ns = any(s, 1ull << any(s, 47));
}

/* A struct that is right but for chance. Return: its size. */
static uint32_t make(struct source *s, uint32_t nr, void *arg, void *room)
{
	switch (nr) {
	case _IOC_NR(GPREEMPT_IOC_CAPS):
		return sizeof(struct gpreempt_ioc_caps);
	case _IOC_NR(GPREEMPT_IOC_LIST):
		make_list(s, arg, room);
		return sizeof(struct gpreempt_ioc_list);
	case _IOC_NR(GPREEMPT_IOC_GET_ATTR):
	case _IOC_NR(GPREEMPT_IOC_SET_ATTR):
		make_attr(s, arg);
		return sizeof(struct gpreempt_ioc_attr);
	case _IOC_NR(GPREEMPT_IOC_GET_POLICY):
	case _IOC_NR(GPREEMPT_IOC_SET_POLICY):
		make_policy(s, arg);
		return sizeof(struct gpreempt_ioc_policy);
	case _IOC_NR(GPREEMPT_IOC_SWITCH):
		make_switch(s, arg, room);
		return sizeof(struct gpreempt_ioc_switch);
	case _IOC_NR(GPREEMPT_IOC_TRIGGER):
		*(struct gpreempt_ioc_trigger *)arg = (struct gpreempt_ioc_trigger){
			.gpu_id = some_gpu(s), .pidfd = some_pidfd(s) };
		return sizeof(struct gpreempt_ioc_trigger);
	case _IOC_NR(GPREEMPT_IOC_STATS):
		((struct gpreempt_ioc_stats *)arg)->gpu_id = some_gpu(s);
		return sizeof(struct gpreempt_ioc_stats);
	case _IOC_NR(GPREEMPT_IOC_SET_CGROUP):
	case _IOC_NR(GPREEMPT_IOC_GET_CGROUP):
		make_cgroup(s, arg);
		return sizeof(struct gpreempt_ioc_cgroup);
	default:
		make_hist(s, arg, room);
		return sizeof(struct gpreempt_ioc_hist);
	}
}

/* The size it claims: as it is, shorter, longer, nonsense. */
static uint32_t claim(struct source *s, uint32_t size)
{
	switch (any(s, 16)) {
	case 0:
		return (uint32_t)any(s, size);
	case 1:
		return size + 8 * (uint32_t)any(s, 8);
	case 2:
		return PAGE + (uint32_t)any(s, 3) - 1;
	case 3:
		return (uint32_t)any(s, UINT32_MAX);
	default:
		return size;
	}
}

static void count(uint64_t *counts, int error)
{
	if (error < 0 || error >= NR_ERRNO)
		error = NR_ERRNO - 1;
	__atomic_add_fetch(&counts[error], 1, __ATOMIC_RELAXED);
}

static void count_references(const struct gpreempt_ioc_switch *a, uint64_t room)
{
	const struct gpreempt_ioc_ref *refs = (void *)(uintptr_t)a->refs;
	uint32_t i;

	if (a->refs != room || a->ref_size != sizeof(*refs))
		return;
	/* A struct that was claimed to be shorter names fewer of them. */
	for (i = 0; i < a->nr_out + a->nr_in && i < MAX_REFS; i++)
		if (refs[i].result != UNTOUCHED)
			count(fuzz->reference, -refs[i].result);
}

/* A bit of it, reserved members and flags too. */
static void flip(struct source *s, uint32_t nr, uint8_t *arg, uint32_t size)
{
	uint32_t at = 4 + (uint32_t)any(s, size + 16);
	uint32_t pointer = nr == _IOC_NR(GPREEMPT_IOC_LIST) || nr == _IOC_NR(GPREEMPT_IOC_SWITCH) ?
				   8 : nr == _IOC_NR(GPREEMPT_IOC_HIST) ? 16 : UINT32_MAX;
	/* Nor a number of answers. */
	bool is_nr = nr == _IOC_NR(GPREEMPT_IOC_HIST) && at >= 12 && at < 16;

	/* An answer at an address that is almost right would hit this process itself. */
	if (one_in(s, 8) && !is_nr && !(at >= pointer && at < pointer + 8))
		arg[at] ^= (uint8_t)(1u << any(s, 8));
}

static void one_ioctl(struct source *s)
{
	uint32_t nr = (uint32_t)any(s, NR_IOCTLS), size, claimed;
	uint8_t arg[2 * PAGE] = {};
	uint8_t *at = arg;
	int r;

	size = make(s, nr, arg, s->room);
	claimed = claim(s, size);
	memcpy(arg, &claimed, sizeof(claimed));
	flip(s, nr, arg, size);
	/* At the end of what is mapped, or beyond it. */
	if (one_in(s, 16)) {
		at = s->edge + PAGE - any(s, size + 8);
		memcpy(at, arg, size < (size_t)(s->edge + PAGE - at) ?
					size : (size_t)(s->edge + PAGE - at));
	}
	if (one_in(s, 40))
		at = (uint8_t *)(uintptr_t)wild_pointer(s);
	r = ioctl(files[any(s, NR_FILES)],
		  _IOC(_IOC_READ | _IOC_WRITE, one_in(s, 200) ? 'x' : GPREEMPT_IOC_MAGIC, nr, size),
		  at) ? errno : 0;
	count(fuzz->count[nr], r);
	if (!r && nr == _IOC_NR(GPREEMPT_IOC_SWITCH) && at == arg)
		count_references((void *)arg, (uintptr_t)s->room);
}

/* The other calls of a file. */
static void one_call(struct source *s)
{
	struct pollfd p = { .fd = files[any(s, NR_FILES)], .events = POLLIN };
	uint8_t room[512];

	switch (any(s, 4)) {
	case 0:
		if (read(p.fd, one_in(s, 4) ? (void *)(uintptr_t)wild_pointer(s) : room,
			 any(s, sizeof(room))) < 0)
			return;
		break;
	case 1:
		poll(&p, 1, 0);
		break;
	case 2:
		if (mmap(NULL, PAGE, PROT_READ, MAP_SHARED, p.fd, 0) != MAP_FAILED)
			gt_fail("it can be mapped");
		break;
	default:
		/* Under the task that uses it now. */
		close(p.fd);
		p.fd = open("/dev/gpreempt", O_RDWR | O_CLOEXEC | O_NONBLOCK);
		if (p.fd >= 0)
			files[any(s, NR_FILES)] = p.fd;
	}
}

static void *fuzz_thread(void *data)
{
	struct source *s = data;
	uint64_t i;

	s->edge = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(s->edge + PAGE, PAGE);
	s->room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < s->nr; i++) {
		one_ioctl(s);
		if (one_in(s, 16))
			one_call(s);
	}
	return NULL;
}

/* Closes what is left open by tasks that lost a race for a place in the table. */
static void fuzz_process(uint64_t seed, uint64_t nr, uid_t uid)
{
	struct source sources[NR_THREADS];
	pthread_t threads[NR_THREADS];
	struct gt_queue q;
	struct gt_gpu gpu;
	unsigned int i;

	if (uid)
		GT_CHECK(!setresgid(uid, uid, uid) && !setresuid(uid, uid, uid), "user");
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &q);
	for (i = 0; i < NR_FILES; i++)
		files[i] = open("/dev/gpreempt", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	for (i = 0; i < NR_THREADS; i++) {
		sources[i] = (struct source){ .state = seed + i * 7919, .nr = nr / NR_THREADS };
		GT_CHECK(!pthread_create(&threads[i], NULL, fuzz_thread, &sources[i]), "thread");
	}
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

/* Queues come and go, memory is taken, and the module is asked to unload. */
static void disturb(void)
{
	struct gt_gpu gpu;
	struct gt_queue q;

	gt_gpu_open(&gpu, 0);
	for (;;) {
		gt_queue_create(&gpu, 7, &q);
		if (!syscall(SYS_delete_module, "gpreempt", O_NONBLOCK))
			gt_fail("unloaded while its files are open");
		gt_sleep_us(20000);
		GT_CHECK(!gt_queue_destroy(&q), "destroy");
		gt_sleep_us(20000);
	}
}

static void check_counts(void)
{
	static const int refusals[] = { EFAULT, EINVAL, E2BIG, ENODEV, ENOTTY, EBADF, EPERM,
					ESRCH };
	static const int known[] = { 0, EFAULT, EINVAL, E2BIG, ENODEV, ENOTTY, EBADF, EPERM, ESRCH,
				     ENOENT, ENOMEM, ERANGE };
	uint64_t total = 0, by_errno[NR_ERRNO] = {};
	uint32_t nr, e, i;
	bool is_known;

	for (nr = 0; nr < NR_IOCTLS; nr++)
		for (e = 0; e < NR_ERRNO; e++) {
			total += fuzz->count[nr][e];
			by_errno[e] += fuzz->count[nr][e];
		}
	gt_note("seed %lu: %lu calls, %lu succeeded, %lu references done", SEED, total,
		by_errno[0], fuzz->reference[0]);
	for (e = 1; e < NR_ERRNO; e++) {
		if (!by_errno[e] && !fuzz->reference[e])
			continue;
		gt_note("%s: %lu calls, %lu references", strerror((int)e), by_errno[e],
			fuzz->reference[e]);
		is_known = false;
		for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			is_known |= known[i] == (int)e;
		GT_CHECK(is_known, "an unforeseen error: %u", e);
	}
	for (nr = 0; nr < 10; nr++)
		GT_CHECK(fuzz->count[nr][0], "call %u never succeeded", nr);
	GT_CHECK(fuzz->reference[0], "nothing was preempted by hand");
	for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		GT_CHECK(by_errno[refusals[i]] + fuzz->reference[refusals[i]], "%s was never met",
			 strerror(refusals[i]));
}

static void errors_and_nothing_else(void)
{
	uint64_t nr = gt_scaled(100) > 10 ? gt_scaled(NR_FULL) : NR_SHORT;
	struct gt_job j;
	pid_t pids[2], disturber;
	int i, status;

	fuzz = mmap(NULL, sizeof(*fuzz), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	gt_gpk_load("");
	gpu_id = gt_gpk_gpu_id();
	GT_CHECK(!chmod("/dev/gpreempt", 0666) && !chmod("/dev/kfd", 0666) &&
		 !chmod("/dev/dri/renderD128", 0666), "chmod: %s", strerror(errno));
	gt_job_begin(&j, &quick);
	victim = syscall(SYS_pidfd_open, j.pid, 0);
	disturber = fork();
	if (!disturber)
		disturb();
	for (i = 0; i < 2; i++) {
		pids[i] = fork();
		if (!pids[i])
			fuzz_process(SEED + i, nr / 2, i ? USER : 0);
	}
	for (i = 0; i < 2; i++) {
		GT_CHECK(waitpid(pids[i], &status, 0) == pids[i], "wait");
		GT_CHECK(!status, "fuzzer %d ended with %x", i, status);
	}
	GT_CHECK(!waitpid(disturber, &status, WNOHANG), "the disturber ended with %x", status);
	kill(disturber, SIGKILL);
	waitpid(disturber, NULL, 0);
	check_counts();
	/* Whatever was set: all leases end, and everything goes on. */
	gt_job_finish(&j, MS);
	gt_gpk_check_left();
	gt_gpk_unload();
}

static const struct gt_case cases[] = {
	{ "errors_and_nothing_else", errors_and_nothing_else, TINY, 3000 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
