// SPDX-License-Identifier: MIT
/*
 * gpreempt.ko, and gpreemptd over it, attacked by an ordinary user and by the root of a container
 * through /dev/gpreempt and the daemon's sockets, while root works on the same GPU. What root
 * asks for is answered within five times of what it takes alone, and nothing that the others
 * do preempts root's process. The device is open to all here: administrators decide that.
 *
 * Variant: hooks
 * Needs: stack
 * Clock: virtual
 */
#define _GNU_SOURCE
#include "gt/gt_command.h"
#include "gt/gt_flood.h"
#include "gt/gt_user.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/userfaultfd.h>

#define SECONDS 120
#define ALL GPREEMPT_ABI_QUEUE_ALL
#define LEASE_MS 60000
#define FILES_MAX 1024
#define LISTENERS 400
/* A planted error of the hooks: a switch takes more than two seconds. */
#define SLOW_SWITCH 5

static uint32_t gpu_id;
static struct gt_offline job;

/* Of the attacker. */
static struct gt_gpu gpu;
static struct gt_queue queue;

static void open_to_all(void)
{
	struct rlimit many = { .rlim_cur = 4 * FILES_MAX, .rlim_max = 4 * FILES_MAX };

	GT_CHECK(!setrlimit(RLIMIT_NOFILE, &many), "%s", strerror(errno));
	GT_CHECK(!chmod("/dev/gpreempt", 0666) && !chmod("/dev/kfd", 0666) &&
		 !chmod("/dev/dri/renderD128", 0666), "chmod: %s", strerror(errno));
}

/* A process of the attacker's with a queue, and a file of its own. */
static void prepare(void)
{
	gt_gpk_reopen();
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &queue);
}

static void prepare_listeners(void)
{
	unsigned int i;

	prepare();
	for (i = 0; i < LISTENERS; i++)
		gt_gpk_events_open();
}

static void act_switches(unsigned int thread)
{
	struct gpreempt_ioc_ref ref = { .pidfd = -1, .queue_id = ALL, .gpu_id = gpu_id };
	struct gpreempt_ioc_switch arg = {
		.size = sizeof(arg), .gpu_id = gpu_id, .refs = (uintptr_t)&ref,
		.ref_size = sizeof(ref), .nr_out = !(thread % 2), .nr_in = thread % 2,
		.lease_ms = thread % 2 ? 0 : LEASE_MS,
	};

	ioctl(gt_gpk_dev, GPREEMPT_IOC_SWITCH, &arg);
}

static void act_attributes(unsigned int thread)
{
	struct gpreempt_ioc_attr arg = { .size = sizeof(arg), .pidfd = -1,
					 .valid = GPREEMPT_ATTR_F_WEIGHT | GPREEMPT_ATTR_F_GROUP,
					 .weight = 10 + thread, .group = thread };

	ioctl(gt_gpk_dev, GPREEMPT_IOC_SET_ATTR, &arg);
}

static void act_looks(unsigned int thread)
{
	struct gpreempt_ioc_stats stats = { .size = sizeof(stats), .gpu_id = gpu_id };
	struct gpreempt_ioc_hist hist = { .size = sizeof(hist), .gpu_id = gpu_id };
	struct gpreempt_ioc_list list = { .size = sizeof(list) };

	ioctl(gt_gpk_dev, GPREEMPT_IOC_LIST, &list);
	ioctl(gt_gpk_dev, GPREEMPT_IOC_STATS, &stats);
	ioctl(gt_gpk_dev, GPREEMPT_IOC_HIST, &hist);
}

static void act_triggers(unsigned int thread)
{
	struct gpreempt_ioc_trigger arg = { .size = sizeof(arg), .gpu_id = gpu_id, .pidfd = -1 };

	ioctl(gt_gpk_dev, GPREEMPT_IOC_TRIGGER, &arg);
}

static void act_files(unsigned int thread)
{
	int i, fd;

	for (i = 0; i < 4; i++) {
		fd = open("/dev/gpreempt", O_RDWR | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0)
			close(fd);
	}
}

static void act_garbage(unsigned int thread)
{
	uint32_t arg[64];
	unsigned int i;

	for (i = 0; i < 32; i++) {
		memset(arg, (int)(thread * 7 + i), sizeof(arg));
		arg[0] = 8 * (i + 1);
		ioctl(gt_gpk_dev, _IOC(_IOC_READ | _IOC_WRITE, GPREEMPT_IOC_MAGIC, i % 12, 8), arg);
	}
}

static const struct gt_attack_plan floods[] = {
	{ "switches", GT_ATTACK_THREADS, prepare, act_switches },
	{ "attributes", GT_ATTACK_THREADS, prepare, act_attributes },
	{ "looks", GT_ATTACK_THREADS, prepare, act_looks },
	{ "triggers", GT_ATTACK_THREADS, prepare, act_triggers },
	{ "files", GT_ATTACK_THREADS, prepare, act_files },
	{ "garbage", 4, prepare, act_garbage },
	{ "events that are not read", GT_ATTACK_THREADS, prepare_listeners, act_switches },
};

/* Root preempts and resumes its own process, which takes two cycles of the GPU. */
static void hold_and_release(void)
{
	GT_EXPECT(0, gt_gpk_hold(gpu_id, job.pid, ALL, LEASE_MS));
	GT_EXPECT(0, gt_gpk_release(gpu_id, job.pid, ALL));
}

static void serve(enum gt_who who, const struct gt_attack_plan *plan)
{
	gt_gpk_load("");
	gt_gpk_set_enabled(false);
	open_to_all();
	gpu_id = gt_gpk_gpu_id();
	gt_offline_start(&job, &gt_endless);
	gt_attack_judge(plan, who, hold_and_release);
	gt_offline_kill(&job);
	gt_gpk_unload();
}

#define FLOODS(X) \
	X(0, switches) X(1, attributes) X(2, looks) X(3, triggers) X(4, files) X(5, garbage) \
	X(6, unread_events)

#define X(i, name)                                       \
	static void user_##name(void)                    \
	{                                                \
		serve(GT_WHO_USER, &floods[i]);          \
	}                                                \
	static void container_##name(void)               \
	{                                                \
		serve(GT_WHO_CONTAINER, &floods[i]);     \
	}
FLOODS(X)
#undef X

/* Another user, in whose name a process asks when it is told to. */
#define NEIGHBOUR (GT_USER + 15)
static int neighbour_orders, neighbour_answers;

static void neighbour_run(int orders, int answers)
{
	char c;

	gt_user_become(NEIGHBOUR);
	prepare();
	while (write(answers, "x", 1) == 1 && read(orders, &c, 1) == 1)
		act_triggers(0);
	_exit(0);
}

static void ask_as_neighbour(void)
{
	char c;

	GT_CHECK(write(neighbour_orders, "x", 1) == 1 && read(neighbour_answers, &c, 1) == 1,
		 "the other user has gone");
}

static void begin_without_daemon(void)
{
	gt_gpk_load("");
	gt_gpk_set_enabled(false);
	open_to_all();
	gpu_id = gt_gpk_gpu_id();
}

/* Commands of users are in lanes, by the number of the user: these two have one. */
static void a_neighbour_is_served_beside_switches(void)
{
	int orders[2], answers[2];
	pid_t pid;
	char c;

	begin_without_daemon();
	GT_CHECK(!pipe(orders) && !pipe(answers), "pipe");
	pid = fork();
	if (!pid)
		neighbour_run(orders[0], answers[1]);
	GT_CHECK(read(answers[0], &c, 1) == 1, "no other user");
	neighbour_orders = orders[1];
	neighbour_answers = answers[0];
	gt_attack_judge(&floods[0], GT_WHO_USER, ask_as_neighbour);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	gt_gpk_unload();
}

/* Switches of users that take long are put off for longer: not when their callers are killed. */
static void one_that_waits_can_be_killed(void)
{
	struct gt_attack a;
	uint64_t took;

	begin_without_daemon();
	gt_gpk_module_param("kfdsim", "gpreempt_fault", SLOW_SWITCH);
	gt_attack_start(&a, &floods[0], GT_WHO_USER, false);
	gt_sleep_us(6000000);
	gt_gpk_module_param("kfdsim", "gpreempt_fault", 0);
	took = gt_now_ns();
	gt_attack_end(&a);
	took = (gt_now_ns() - took) / 1000;
	gt_note("%u threads with a switch each end after %lu us", GT_ATTACK_THREADS, took);
	GT_CHECK(took < 1000000, "%lu us", took);
	gt_gpk_unload();
}

/* A page that is not there, in place of the pointers of the queue. */
static void *lose_pointers(void)
{
	void *page = (void *)((uintptr_t)queue.wptr & ~4095ul);

	page = mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		    0);
	GT_CHECK(page != MAP_FAILED, "mmap: %s", strerror(errno));
	return page;
}

static bool are_pointers_known(void)
{
	struct gpreempt_ioc_queue q = {};
	struct gpreempt_ioc_list list = { .size = sizeof(list), .queues = (uintptr_t)&q, .nr = 1,
					  .entry_size = sizeof(q) };

	GT_CHECK(!ioctl(gt_gpk_dev, GPREEMPT_IOC_LIST, &list) && list.nr == 1, "list");
	return q.pending != UINT64_MAX;
}

static void pages_that_can_come_are_brought(void)
{
	begin_without_daemon();
	/* Nothing is looked at before. */
	gt_gpk_set_attr(7, GPREEMPT_DETECT_MANUAL);
	gt_gpk_module_param("gpreempt", "poll_us", 10000);
	gt_gpu_open(&gpu, 0);
	gt_queue_create(&gpu, 7, &queue);
	lose_pointers();
	GT_CHECK(!are_pointers_known(), "the page is there");
	gt_sleep_us(200000);
	GT_CHECK(are_pointers_known(), "the page did not come");
	gt_gpk_unload();
}

/* Its pointers are in a page that does not come: what faults there waits for ever. */
static void wait_without_page(int ready)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	GT_CHECK(fd >= 0 && !ioctl(fd, UFFDIO_API, &api), "userfaultfd: %s", strerror(errno));
	prepare();
	range.range = (struct uffdio_range){ .start = (uintptr_t)lose_pointers(), .len = 4096 };
	GT_CHECK(!ioctl(fd, UFFDIO_REGISTER, &range), "register: %s", strerror(errno));
	act_triggers(0);
	gt_gpk_close();
	GT_CHECK(write(ready, "x", 1) == 1, "pipe");
	for (;;)
		pause();
}

/* Nor does it keep the module from being unloaded. */
static void no_page_is_waited_for(void)
{
	uint64_t took;
	int ready[2];
	pid_t pid;
	char c;

	begin_without_daemon();
	GT_CHECK(!pipe(ready), "pipe");
	pid = fork();
	if (!pid)
		wait_without_page(ready[1]);
	close(ready[1]);
	GT_CHECK(read(ready[0], &c, 1) == 1, "the process has ended");
	gt_sleep_us(100000);
	took = gt_now_ns();
	gt_gpk_unload();
	took = (gt_now_ns() - took) / 1000;
	gt_note("unloaded in %lu us", took);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Over the daemon, whose answer needs the module too. */
static int control;

static void ask_for_nodes(void)
{
	static char reply[65536];
	ssize_t n;

	GT_CHECK(gt_flood_ask(control, "ListNodes", "", ""), "request: %s", strerror(errno));
	do {
		n = recv(control, reply, sizeof(reply), 0);
		GT_CHECK(n > 0, "no answer: %s", n ? strerror(errno) : "closed");
	} while (reply[n - 1]);
}

static void serve_over_the_daemon(enum gt_who who, const struct gt_attack_plan *plan)
{
	struct gt_program daemon;

	gt_command_begin(&daemon, NULL);
	open_to_all();
	control = gt_control_open();
	gt_attack_judge(plan, who, ask_for_nodes);
	close(control);
	gt_command_end(&daemon);
}

static void the_daemon_is_there_for_root(void)
{
	const struct gt_attack_plan *f;

	for (f = gt_floods; f->name; f++)
		serve_over_the_daemon(GT_WHO_USER, f);
}

static void the_daemon_is_there_for_root_beside_a_container(void)
{
	const struct gt_attack_plan *f;

	for (f = gt_floods; f->name; f++)
		serve_over_the_daemon(GT_WHO_CONTAINER, f);
}

/* Everything that an attacker may have, held until it is ended. */
static void prepare_to_use_up(void)
{
	struct gpreempt_ioc_ref ref = { .pidfd = -1, .queue_id = ALL, .gpu_id = gpu_id };
	struct gpreempt_ioc_switch arg = {
		.size = sizeof(arg), .gpu_id = gpu_id, .refs = (uintptr_t)&ref,
		.ref_size = sizeof(ref), .nr_out = 1, .lease_ms = LEASE_MS,
	};
	int fd, nr = 0;

	prepare();
	while ((fd = open("/dev/gpreempt", O_RDWR | O_CLOEXEC)) >= 0) {
		ref.queue_id = ALL;
		GT_CHECK(!ioctl(fd, GPREEMPT_IOC_SWITCH, &arg) && !ref.result, "hold %d", nr);
		nr++;
	}
	GT_CHECK(errno == EMFILE && nr >= FILES_MAX / 2, "%d files: %s", nr, strerror(errno));
}

static void act_nothing(unsigned int thread)
{
}

static void root_is_not_used_up(enum gt_who who)
{
	static const struct gt_attack_plan plan = { "all there is", 1, prepare_to_use_up,
						    act_nothing };
	struct gt_attack a;
	int fds[8], i;

	gt_gpk_load("");
	gt_gpk_set_enabled(false);
	open_to_all();
	gpu_id = gt_gpk_gpu_id();
	gt_offline_start(&job, &gt_endless);
	gt_attack_start(&a, &plan, who, false);
	for (i = 0; i < 8; i++) {
		fds[i] = open("/dev/gpreempt", O_RDWR | O_CLOEXEC);
		GT_CHECK(fds[i] >= 0, "root's file %d: %s", i, strerror(errno));
	}
	hold_and_release();
	for (i = 0; i < 8; i++)
		close(fds[i]);
	gt_attack_end(&a);
	gt_offline_kill(&job);
	gt_gpk_unload();
}

static void what_a_user_has_is_not_taken_from_root(void)
{
	root_is_not_used_up(GT_WHO_USER);
}

static void what_a_container_has_is_not_taken_from_root(void)
{
	root_is_not_used_up(GT_WHO_CONTAINER);
}

/* The target of all that follows. */
static pid_t victim;

static void prepare_to_touch(void)
{
	struct gpreempt_ioc_attr low = { .valid = GPREEMPT_ATTR_F_PRIO, .prio = 0 };
	int pidfd;

	prepare();
	/* A container has no name for it; whoever has may not. */
	pidfd = (int)syscall(SYS_pidfd_open, victim, 0);
	if (pidfd >= 0) {
		GT_EXPECT(-EPERM, gt_user_set_attr(pidfd, low));
		GT_EXPECT(-EPERM, gt_gpk_hold(gpu_id, victim, ALL, LEASE_MS));
		GT_EXPECT(-EPERM, gt_gpk_release(gpu_id, victim, ALL));
	}
	GT_EXPECT(-EPERM, gt_user_set_prio(-1, 12));
	GT_EXPECT(-EPERM, gt_user_set_attr(-1, (struct gpreempt_ioc_attr){
		.valid = GPREEMPT_ATTR_F_DEADLINE, .deadline_ns = 1 }));
}

/* Work, whatever it says of itself. */
static void act_work(unsigned int thread)
{
	static struct gt_kernel k;

	if (!k.gpu)
		gt_kernel_create(&gpu, &gt_third, &k);
	gt_kernel_launch(&k, &queue);
	act_attributes(thread);
	act_triggers(thread);
}

static bool is_order(const struct gpreempt_abi_event *e)
{
	return e->pid == job.pid && e->kind == GPREEMPT_EVENT_STATE &&
	       e->code >= GPREEMPT_STATE_PREEMPTING;
}

/* Nothing of another user preempts root's process, which has the higher priority. */
static void no_order_reaches_root(enum gt_who who)
{
	static const struct gt_attack_plan plan = { "work", 1, prepare_to_touch, act_work };
	struct gpreempt_abi_event events[GT_GPK_EVENTS];
	struct gt_attack a;
	size_t i, nr, nr_seen = 0;
	int fd;

	gt_gpk_load("");
	open_to_all();
	gpu_id = gt_gpk_gpu_id();
	gt_offline_start(&job, &gt_endless);
	GT_EXPECT(0, gt_user_set_prio(gt_user_pidfd(job.pid), 9));
	victim = job.pid;
	fd = gt_gpk_events_open();
	gt_attack_start(&a, &plan, who, false);
	gt_sleep_us(500000);
	gt_attack_end(&a);
	while ((nr = gt_gpk_events(fd, events)))
		for (i = 0; i < nr; i++, nr_seen++)
			GT_CHECK(!is_order(&events[i]), "root's process: state %u", events[i].code);
	gt_note("%zu events, none of them an order to root's process", nr_seen);
	GT_CHECK(nr_seen, "the attack was not seen at all");
	close(fd);
	gt_offline_kill(&job);
	gt_gpk_unload();
}

static void no_order_of_a_user_reaches_root(void)
{
	no_order_reaches_root(GT_WHO_USER);
}

static void no_order_of_a_container_reaches_root(void)
{
	no_order_reaches_root(GT_WHO_CONTAINER);
}

#define X(i, name)                                                                          \
	{ "root_is_served_beside_" #name, user_##name, GT_TINY, SECONDS },                  \
	{ "root_is_served_beside_" #name "_of_a_container", container_##name, GT_TINY, SECONDS },

static const struct gt_case cases[] = {
	{ "what_a_user_has_is_not_taken_from_root", what_a_user_has_is_not_taken_from_root, GT_TINY,
	  SECONDS },
	{ "what_a_container_has_is_not_taken_from_root",
	  what_a_container_has_is_not_taken_from_root, GT_TINY, SECONDS },
	{ "no_order_of_a_user_reaches_root", no_order_of_a_user_reaches_root, GT_TINY, SECONDS },
	{ "no_order_of_a_container_reaches_root", no_order_of_a_container_reaches_root, GT_TINY,
	  SECONDS },
	{ "a_neighbour_is_served_beside_switches", a_neighbour_is_served_beside_switches, GT_TINY,
	  SECONDS },
	{ "one_that_waits_can_be_killed", one_that_waits_can_be_killed, GT_TINY, SECONDS },
	{ "pages_that_can_come_are_brought", pages_that_can_come_are_brought, GT_TINY, SECONDS },
	{ "no_page_is_waited_for", no_page_is_waited_for, GT_TINY, SECONDS },
	{ "the_daemon_is_there_for_root", the_daemon_is_there_for_root, GT_TINY, 4 * SECONDS },
	{ "the_daemon_is_there_for_root_beside_a_container",
	  the_daemon_is_there_for_root_beside_a_container, GT_TINY, 4 * SECONDS },
	FLOODS(X)
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
