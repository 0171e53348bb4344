// SPDX-License-Identifier: MIT
/*
 * Holds by hand that the module carries out. They hang on a descriptor of the device, which
 * is open while there are some: if the daemon dies they end with it.
 */
#include "daemon/module/gpd_module_types.h"
#include "daemon/gpd_hold.h"
#include "daemon/gpd_trust.h"

#include <errno.h>
#include <unistd.h>

/* Start and number name a process once. Clients count their own from 1: they never meet. */
static u64 number_of(pid_t pid, uint64_t start_time)
{
	return 1ULL << 63 | start_time << 22 | (u64)pid;
}

/* An item for each node of the module that the target has queues on. */
static int aim_at(struct gpd_hold_aim *a, const struct gpd_proc *proc)
{
	struct gpd *d = a->conn->d;
	const struct gpd_target *t = a->t;
	uint32_t i;

	for (i = 0; i < d->nr_nodes; i++) {
		uint32_t gpu_id = d->node[i].gpu_id;

		if ((t->gpu_id && t->gpu_id != gpu_id) ||
		    !gpd_module_has(d, (pid_t)t->pid, gpu_id, (uint32_t)t->queue_id))
			continue;
		a->items[a->nr++] = (struct gpd_hold_item){
			.ops = &gpd_module_hold_ops,
			.process = number_of((pid_t)t->pid, proc->start_time),
			.pid = (pid_t)t->pid,
			.uid = proc->uid,
			.start_time = proc->start_time,
			.gpu_id = gpu_id,
			.queue_id = (uint32_t)t->queue_id,
		};
	}
	a->why = "no such compute queue";
	return a->nr ? 0 : -ESRCH;
}

/* A process that the module has nothing of may be a client's, on another node. */
static int aim(struct gpd_hold_aim *a)
{
	struct gpd *d = a->conn->d;
	pid_t pid = (pid_t)a->t->pid;
	struct gpd_proc proc;

	if (!gpd_module_has(d, pid, 0, WIRE_QUEUE_ALL))
		return gpd_client_hold_ops.aim(a);
	a->why = "no such process";
	if (gpd_proc_read(pid, &proc))
		return -ESRCH;
	a->why = "process of another user";
	if (!gpd_trust_may_touch_process(d, &a->conn->cred, pid, proc.uid))
		return -EPERM;
	return aim_at(a, &proc);
}

/* Nothing hangs on the descriptor any more: the module may go. */
static void close_unused(struct gpd_module *m)
{
	if (m->nr_holds || m->hold_fd < 0)
		return;
	close(m->hold_fd);
	m->hold_fd = -1;
}

static int open_process(const struct gpd_hold_item *item)
{
	struct gpd_proc proc;
	int pidfd = gpd_module_pidfd(item->pid, &proc);

	if (pidfd < 0 || (proc.uid == item->uid && proc.start_time == item->start_time))
		return pidfd;
	close(pidfd);
	return -ESRCH;
}

static int open_hold(struct gpd *d, struct gpd_hold *h, const struct gpd_hold_item *item)
{
	struct gpd_module *m = d->module;

	if (m->hold_fd < 0)
		m->hold_fd = drv_module_open();
	h->pidfd = m->hold_fd < 0 ? m->hold_fd : open_process(item);
	if (h->pidfd < 0) {
		close_unused(m);
		return h->pidfd;
	}
	m->nr_holds++;
	return 0;
}

static void close_hold(struct gpd *d, struct gpd_hold *h)
{
	close(h->pidfd);
	d->module->nr_holds--;
	close_unused(d->module);
}

static struct gpreempt_ioc_ref ref_of(const struct gpd_hold *h)
{
	u64 queue = h->h.target.queue;

	return (struct gpreempt_ioc_ref){
		.pidfd = h->pidfd,
		.gpu_id = (uint32_t)h->h.target.node,
		.queue_id = queue == GP_HOLD_ALL ? GPREEMPT_ABI_QUEUE_ALL : (uint32_t)queue,
	};
}

static uint32_t lease_ms(const struct gpd *d)
{
	return (uint32_t)(d->config->lease_ns / GPD_NS_PER_MS);
}

/* All in one cycle. */
static void order(struct gpd *d, struct gpd_hold **holds, uint32_t nr, bool release)
{
	struct gpreempt_ioc_ref refs[GPD_HOLD_ITEMS];
	uint32_t i;
	int err;

	for (i = 0; i < nr; i++)
		refs[i] = ref_of(holds[i]);
	err = drv_module_switch(d->module->hold_fd, refs, nr, release ? 0 : lease_ms(d));
	for (i = 0; i < nr; i++) {
		holds[i]->result = err ? err : refs[i].result;
		if (release && holds[i]->result == -ESRCH)
			holds[i]->result = 0;
	}
	gpd_module_forget(d);
}

static int renew(struct gpd *d, struct gpd_hold *h)
{
	struct gpreempt_ioc_ref ref = ref_of(h);

	return drv_module_hold(d->module->hold_fd, &ref, lease_ms(d));
}

const struct gpd_hold_ops gpd_module_hold_ops = {
	.says = "the kernel module: ",
	.aim = aim,
	.open = open_hold,
	.close = close_hold,
	.order = order,
	.renew = renew,
};
