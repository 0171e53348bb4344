// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gt/gt_debug.h"

#define BEGIN_MS 20000
#define WAIT_MS 30000
#define MAX_QUEUES 2

/**
 * struct world - what the process has
 * @digest: of an undisturbed run
 * @nr: queues with a kernel each
 */
struct world {
	struct gt_gpu gpu;
	struct gt_session session;
	const struct gt_shape *shape;
	struct gt_queue q[MAX_QUEUES];
	struct gt_kernel k[MAX_QUEUES];
	uint64_t digest;
	unsigned int nr;
};

static void add(struct world *w)
{
	gt_queue_create(&w->gpu, 7, &w->q[w->nr]);
	gt_kernel_create(&w->gpu, w->shape, &w->k[w->nr]);
	gt_kernel_launch(&w->k[w->nr], &w->q[w->nr]);
	w->nr++;
}

static int wait_all(struct world *w)
{
	unsigned int i;

	for (i = 0; i < w->nr; i++) {
		if (gt_kernel_wait(&w->k[i], WAIT_MS))
			return -ETIME;
		if (gt_kernel_check(&w->k[i]) || gt_kernel_digest(&w->k[i]) != w->digest)
			return -EBADMSG;
	}
	return 0;
}

static int set_cu_mask(struct gt_queue *q)
{
	uint32_t mask[16] = { 1 };
	struct kfd_ioctl_set_cu_mask_args args = {
		.queue_id = q->id, .num_cu_mask = 32, .cu_mask_ptr = (uintptr_t)mask,
	};

	return ioctl(q->gpu->kfd, AMDKFD_IOC_SET_CU_MASK, &args) ? -errno : 0;
}

static int update(struct gt_queue *q)
{
	int r = gt_queue_update(q, 0);

	return r ? r : gt_queue_update(q, 100);
}

static int suspend(struct world *w, bool suspend)
{
	uint32_t id = w->q[0].id;
	int r = suspend ? gt_debug_suspend(&w->session, &id, 1, 0) :
			  gt_debug_resume(&w->session, &id, 1);

	return r < 0 ? r : r == 1 ? 0 : -EBUSY;
}

static int obey(struct world *w, enum gt_job_order order)
{
	switch (order) {
	case GT_JOB_WAIT:
		return wait_all(w);
	case GT_JOB_LAUNCH:
		gt_kernel_launch(&w->k[0], &w->q[0]);
		return 0;
	case GT_JOB_ADD:
		add(w);
		return 0;
	case GT_JOB_DESTROY:
		return gt_queue_destroy(&w->q[0]);
	case GT_JOB_CU_MASK:
		return set_cu_mask(&w->q[0]);
	case GT_JOB_UPDATE:
		return update(&w->q[0]);
	case GT_JOB_REFUSE:
		gt_fault(0, "refuse %u", gt_queue_doorbell(&w->q[0]));
		return 0;
	case GT_JOB_SUSPEND:
	case GT_JOB_RESUME:
		return suspend(w, order == GT_JOB_SUSPEND);
	case GT_JOB_DETACH:
		return gt_debug_disable(&w->session);
	case GT_JOB_EXIT:
		_exit(0);
	}
	return -EINVAL;
}

/* The same steps, each a thousand times shorter: the result is the same. */
static void run_undisturbed(struct world *w)
{
	struct gt_shape quick = *w->shape;
	struct gt_kernel k;
	struct gt_queue q;

	quick.step_ns = quick.step_ns / 1000 + 1;
	gt_queue_create(&w->gpu, 7, &q);
	gt_kernel_create(&w->gpu, &quick, &k);
	gt_kernel_launch(&k, &q);
	GT_CHECK(!gt_kernel_wait(&k, WAIT_MS), "the undisturbed run does not end");
	w->digest = gt_kernel_digest(&k);
	GT_CHECK(!gt_queue_destroy(&q), "destroy");
}

/**
 * struct kind - what kind of job
 */
struct kind {
	bool is_debugged;
	void (*become)(void);
};

static void job_main(const struct gt_shape *shape, const struct kind *kind, int orders, int answers)
{
	struct gt_shape slowed = *shape;
	struct world w = { .shape = &slowed };
	enum gt_job_order order;
	int r;

	/* Or it ends before the test has done what it wants to do meanwhile. */
	slowed.step_ns *= gt_slowness();
	if (kind->become)
		kind->become();
	gt_gpk_set_attr(2, -1);
	/* Or the file stays open when the test closes it. */
	close(gt_gpk_dev);
	gt_gpu_open(&w.gpu, 0);
	if (kind->is_debugged)
		w.session = gt_debug_self(&w.gpu);
	if (shape->steps)
		run_undisturbed(&w);
	add(&w);
	if (kind->is_debugged)
		gt_debug_clear_new(&w.session);
	if (write(answers, &w.q[0].id, sizeof(w.q[0].id)) != sizeof(w.q[0].id))
		_exit(1);
	while (read(orders, &order, sizeof(order)) == sizeof(order)) {
		r = obey(&w, order);
		if (write(answers, &r, sizeof(r)) != sizeof(r))
			_exit(1);
	}
	_exit(0);
}

/* Return: 0 or -ETIMEDOUT, -EPIPE. */
static int read_answer(const struct gt_job *j, void *to, size_t bytes, unsigned int ms)
{
	struct pollfd p = { .fd = j->answers, .events = POLLIN };

	if (poll(&p, 1, (int)(ms * gt_slowness())) != 1)
		return -ETIMEDOUT;
	return read(j->answers, to, bytes) == (ssize_t)bytes ? 0 : -EPIPE;
}

static void begin(struct gt_job *j, const struct gt_shape *shape, struct kind kind)
{
	int orders[2], answers[2];

	GT_CHECK(!pipe2(orders, O_CLOEXEC) && !pipe2(answers, O_CLOEXEC), "pipe");
	j->pid = fork();
	GT_CHECK(j->pid >= 0, "fork");
	if (!j->pid) {
		close(orders[1]);
		close(answers[0]);
		job_main(shape, &kind, orders[0], answers[1]);
	}
	close(orders[0]);
	close(answers[1]);
	j->orders = orders[1];
	j->answers = answers[0];
	GT_CHECK(!read_answer(j, &j->queue_id, sizeof(j->queue_id), BEGIN_MS),
		 "the job did not begin");
}

void gt_job_begin(struct gt_job *j, const struct gt_shape *shape)
{
	begin(j, shape, (struct kind){});
}

void gt_job_start(struct gt_job *j, const struct gt_shape *shape)
{
	begin(j, shape, (struct kind){});
	gt_gpk_wait_waves(1, 5000);
}

void gt_job_start_debugged(struct gt_job *j, const struct gt_shape *shape)
{
	begin(j, shape, (struct kind){ .is_debugged = true });
	gt_gpk_wait_waves(1, 5000);
}

void gt_job_start_as(struct gt_job *j, const struct gt_shape *shape, void (*become)(void))
{
	begin(j, shape, (struct kind){ .become = become });
	gt_gpk_wait_waves(1, 5000);
}

int gt_job_tell(struct gt_job *j, enum gt_job_order order, unsigned int ms)
{
	int r, answer;

	if (write(j->orders, &order, sizeof(order)) != sizeof(order))
		return -EPIPE;
	r = read_answer(j, &answer, sizeof(answer), ms);
	return r ? r : answer;
}

void gt_job_finish(struct gt_job *j, unsigned int ms)
{
	int status, r = gt_job_tell(j, GT_JOB_WAIT, ms);

	GT_CHECK(!r, "the job's result: %s", strerror(-r));
	GT_CHECK(gt_job_tell(j, GT_JOB_EXIT, ms) == -EPIPE, "the job stays");
	close(j->orders);
	close(j->answers);
	GT_CHECK(waitpid(j->pid, &status, 0) == j->pid && !status, "the job ended with %x", status);
}

void gt_job_kill(struct gt_job *j)
{
	kill(j->pid, SIGKILL);
	GT_CHECK(waitpid(j->pid, NULL, 0) == j->pid, "wait");
	close(j->orders);
	close(j->answers);
}
