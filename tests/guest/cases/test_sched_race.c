// SPDX-License-Identifier: MIT
/*
 * Armed doorbells on two processors: a store against arming loses no wake-up, and whatever
 * a process does to the mapping of its doorbells meanwhile does no harm. Two planted
 * errors show that a lost wake-up is seen here.
 *
 * Variant: hooks
 * Clock: host, its threads spin and need two processors
 */
#define _GNU_SOURCE
#include "gt/gt_race.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* No kernels run here: the CP need not look often. */
#define TINY "profile=tiny poll_us=5000"
/* A monitor that finds idle soon. */
#define QUICK "poll_us=100 critical_us=100 tick_us=100"
#define SEED gt_argument("seed", 20261116)
#define RACERS 6
#define SLICE 8192ul
#define NR_FULL 1000000
#define NR_SHORT 3000
#define NR_THREADS 64

/* In the suite the short form of everything, else a million tries divided by the scale. */
static bool is_full(void)
{
	return gt_scaled(100) > 10;
}

static void begin(void)
{
	gt_gpk_load(QUICK);
	gt_gpk_module_param("kfdsim", "gpreempt_fault", 0);
}

/**
 * struct field - where the racers run
 * @places: one each
 * @tries: of each
 * @nr_running: racers that have not ended
 * @stop: one has lost
 */
struct field {
	struct gt_place places[RACERS];
	volatile uint64_t tries[RACERS];
	volatile uint32_t nr_running;
	volatile bool stop;
};

/* Return: 1 if a wake-up was lost, else 0. */
static int race(struct field *f, unsigned int index, uint64_t nr)
{
	struct gt_racer r;

	gt_racer_init(&r, SEED + index, &f->places[index]);
	/* A new queue lets the driver map all of them again: none is armed yet. */
	gt_sleep_us(300000);
	while (r.tries < nr && !f->stop) {
		if (gt_racer_round(&r)) {
			f->stop = true;
			return 1;
		}
		f->tries[index] = r.tries;
	}
	return 0;
}

static void race_and_end(struct field *f, unsigned int index, uint64_t nr)
{
	int lost = race(f, index, nr);

	__atomic_sub_fetch(&f->nr_running, 1, __ATOMIC_SEQ_CST);
	_exit(lost);
}

/* Return: how many racers lost a wake-up in @nr tries together. */
static unsigned int run_race(uint64_t nr, uint64_t *done)
{
	struct field *f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int i, lost = 0;
	pid_t pids[RACERS];
	int status;

	f->nr_running = RACERS;
	for (i = 0; i < RACERS; i++) {
		pids[i] = fork();
		GT_CHECK(pids[i] >= 0, "fork");
		if (!pids[i])
			race_and_end(f, i, nr / RACERS);
	}
	gt_board_run(f->places, RACERS, &f->nr_running);
	*done = 0;
	for (i = 0; i < RACERS; i++) {
		GT_CHECK(waitpid(pids[i], &status, 0) == pids[i], "wait");
		GT_CHECK(WIFEXITED(status) && WEXITSTATUS(status) <= 1, "racer %u: %x", i, status);
		lost += WEXITSTATUS(status);
		*done += f->tries[i];
	}
	return lost;
}

static void no_wake_up_is_lost(void)
{
	uint64_t tries, start = gt_now_ns();
	struct gpreempt_ioc_stats s;
	unsigned int lost;

	begin();
	lost = run_race(is_full() ? gt_scaled(NR_FULL) : NR_SHORT, &tries);
	s = gt_gpk_stats(gt_gpk_gpu_id());
	gt_note("seed %lu: %lu tries, %llu faults, %u lost, %lu s", SEED, tries, s.nr_faults,
		lost, (gt_now_ns() - start) / 1000000000);
	GT_CHECK(!lost, "%u wake-ups were lost", lost);
	/* Some were seen by the look after arming, the others faulted. */
	GT_CHECK(s.nr_faults > tries / 20, "%llu faults: nothing was armed", s.nr_faults);
	gt_gpk_unload();
}

static void check_caught(const char *what)
{
	uint64_t tries;
	unsigned int lost = run_race(NR_FULL, &tries);

	gt_note("%s: found after %lu tries", what, tries);
	GT_CHECK(lost, "%s is not found in %lu tries", what, tries);
	gt_gpk_unload();
}

static void clearing_the_flag_first_is_caught(void)
{
	begin();
	/* In its narrow form it is found after some thousand tries. */
	gt_gpk_module_param("kfdsim", "gpreempt_fault", is_full() ? 1 : 2);
	check_caught("a fault that clears the flag before it inserts the pages");
}

static void not_looking_again_is_caught(void)
{
	begin();
	gt_gpk_module_param("gpreempt", "fault", 1);
	check_caught("arming without a look at the pointers afterwards");
}

/**
 * struct crowd - threads that ring
 */
struct crowd {
	volatile uint64_t *doorbell;
	volatile bool stop;
	uint64_t rings;
};

static __thread sigjmp_buf jump;

static void on_signal(int number)
{
	siglongjmp(jump, 1);
}

/* Rings whether there is a mapping or not. */
static void *ring(void *data)
{
	struct crowd *c = data;
	uint64_t nr = 0;

	while (!c->stop) {
		if (!sigsetjmp(jump, 1))
			*c->doorbell = nr++;
		if (!(nr % 64))
			sched_yield();
		if (!(nr % 4096))
			gt_sleep_us(500);
	}
	__atomic_add_fetch(&c->rings, nr, __ATOMIC_RELAXED);
	return NULL;
}

static void crowd_start(struct crowd *c, pthread_t *threads, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		GT_CHECK(!pthread_create(&threads[i], NULL, ring, c), "thread %u", i);
}

static void crowd_end(struct crowd *c, pthread_t *threads, unsigned int nr)
{
	unsigned int i;

	c->stop = true;
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

static void ring_with_64_threads(void)
{
	unsigned int i, rounds = is_full() ? 2000 : 40;
	struct gpreempt_ioc_stats s;
	pthread_t threads[NR_THREADS];
	struct crowd c = {};
	struct gt_racer r;

	begin();
	gt_racer_init(&r, SEED, NULL);
	c.doorbell = r.doorbell;
	crowd_start(&c, threads, NR_THREADS);
	for (i = 0; i < rounds; i++)
		GT_CHECK(!gt_racer_round(&r), "round %u: not noticed", i);
	crowd_end(&c, threads, NR_THREADS);
	/* And when it is quiet again. */
	GT_CHECK(!gt_racer_round(&r), "not noticed afterwards");
	s = gt_gpk_stats(r.gpu.id);
	gt_note("%lu rings of %d threads, %lu tries, %llu faults", c.rings, NR_THREADS, r.tries,
		s.nr_faults);
	GT_CHECK(s.nr_faults, "nothing was armed");
	close(r.dev);
	gt_gpk_unload();
}

/* munmap of a part, mremap, and another mapping for a while. */
static void change_mapping(struct gt_racer *r, unsigned int how)
{
	uint8_t *at = (uint8_t *)r->gpu.doorbells;
	off_t offset = r->q.doorbell_offset & ~(SLICE - 1);
	void *p;

	switch (how) {
	case 0:
		GT_CHECK(munmap(at + SLICE / 2, SLICE / 2) && errno == EINVAL, "half of it");
		return;
	case 1:
		p = mremap(at, SLICE, SLICE, MREMAP_MAYMOVE | MREMAP_FIXED, at + 16 * SLICE);
		GT_CHECK(p == MAP_FAILED, "it was moved");
		return;
	case 2:
		GT_CHECK(mremap(at, SLICE, 2 * SLICE, MREMAP_MAYMOVE) == MAP_FAILED, "it grew");
		return;
	case 3:
		p = mmap(NULL, SLICE, PROT_READ | PROT_WRITE, MAP_SHARED, r->gpu.kfd, offset);
		GT_CHECK(p != MAP_FAILED, "mmap: %s", strerror(errno));
		*(volatile uint64_t *)p = 1;
		GT_CHECK(!munmap(p, SLICE), "munmap");
		return;
	default:
		GT_CHECK(!munmap(at, SLICE), "munmap: %s", strerror(errno));
		p = mmap(at, SLICE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, r->gpu.kfd,
			 offset);
		GT_CHECK(p == at, "mmap: %s", strerror(errno));
	}
}

/* A child has no doorbells, and does no harm to those of its parent. */
static void fork_and_exec(struct gt_racer *r, bool exec)
{
	pid_t pid = fork();
	int status;

	GT_CHECK(pid >= 0, "fork");
	if (!pid && exec) {
		execl("/bin/true", "true", NULL);
		_exit(9);
	}
	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		*r->doorbell = 1;
		_exit(9);
	}
	GT_CHECK(waitpid(pid, &status, 0) == pid, "wait");
	if (exec)
		GT_CHECK(!status, "exec: %x", status);
	else
		GT_CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "it inherited them");
}

static void mappings_against_arming(void)
{
	unsigned int i, rounds = is_full() ? 20000 : 400;
	pthread_t threads[2];
	struct crowd c = {};
	struct gt_racer r;

	begin();
	gt_racer_init(&r, SEED, NULL);
	signal(SIGSEGV, on_signal);
	signal(SIGBUS, on_signal);
	c.doorbell = r.doorbell;
	crowd_start(&c, threads, 2);
	for (i = 0; i < rounds; i++) {
		gt_racer_rearm(&r);
		change_mapping(&r, gt_racer_any(&r, 6));
		if (!(i % 50))
			fork_and_exec(&r, i % 100);
	}
	crowd_end(&c, threads, 2);
	GT_CHECK(!gt_racer_round(&r), "not noticed afterwards");
	gt_note("%u changes, %lu rings, %llu faults", rounds, c.rings,
		gt_gpk_stats(r.gpu.id).nr_faults);
	close(r.dev);
	gt_gpk_unload();
}

/* Processes that ring and are killed, or execute another program, with armed doorbells. */
static void live_and_die(unsigned int index)
{
	pthread_t threads[2];
	struct crowd c = {};
	struct gt_racer r;
	struct gt_queue q;

	gt_racer_init(&r, SEED + index, NULL);
	signal(SIGSEGV, on_signal);
	c.doorbell = r.doorbell;
	crowd_start(&c, threads, 2);
	gt_racer_rearm(&r);
	gt_queue_create(&r.gpu, 7, &q);
	gt_racer_rearm(&r);
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
	gt_racer_rearm(&r);
	if (index % 3 == 0)
		execl("/bin/true", "true", NULL);
	if (index % 3 == 1)
		_exit(0);
	raise(SIGKILL);
}

static void lives_against_arming(void)
{
	unsigned int i, rounds = is_full() ? 1000 : 24;
	int status;
	pid_t pid;

	begin();
	for (i = 0; i < rounds; i++) {
		pid = fork();
		GT_CHECK(pid >= 0, "fork");
		if (!pid)
			live_and_die(i);
		GT_CHECK(waitpid(pid, &status, 0) == pid, "wait");
		if (i % 3 == 2)
			GT_CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "%x", status);
		else
			GT_CHECK(!status, "process %u: %x", i, status);
	}
	gt_gpk_check_left();
	gt_gpk_unload();
}

/* A mapping that cannot be armed: it is found by polling, and the others too. */
static void private_mapping_is_polled(void)
{
	struct gpreempt_ioc_stats a, b;
	struct gt_racer r;
	void *p;

	begin();
	gt_racer_init(&r, SEED, NULL);
	p = mmap(NULL, SLICE, PROT_READ | PROT_WRITE, MAP_PRIVATE, r.gpu.kfd,
		 r.q.doorbell_offset & ~(SLICE - 1));
	GT_CHECK(p != MAP_FAILED, "mmap: %s", strerror(errno));
	a = gt_gpk_stats(r.gpu.id);
	GT_CHECK(!gt_racer_round(&r), "not noticed");
	b = gt_gpk_stats(r.gpu.id);
	GT_CHECK(a.nr_faults == b.nr_faults, "it was armed");
	GT_CHECK(b.nr_timer_wakeups > a.nr_timer_wakeups, "it was not polled");
	close(r.dev);
	gt_gpk_unload();
}

static const struct gt_case cases[] = {
	{ "no_wake_up_is_lost", no_wake_up_is_lost, TINY, 3000 },
	{ "clearing_the_flag_first_is_caught", clearing_the_flag_first_is_caught, TINY, 3000 },
	{ "not_looking_again_is_caught", not_looking_again_is_caught, TINY, 3000 },
	{ "ring_with_64_threads", ring_with_64_threads, TINY, 600 },
	{ "mappings_against_arming", mappings_against_arming, TINY, 600 },
	{ "lives_against_arming", lives_against_arming, TINY, 600 },
	{ "private_mapping_is_polled", private_mapping_is_polled, TINY, 60 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
