// SPDX-License-Identifier: MIT
/*
 * Without the daemon. Lists are begun from sysfs, joined with what tracers of this
 * handle, debugfs and the kernel module know; holds go through the module where it is
 * there, else through a tracer per process.
 */
#define _GNU_SOURCE
#include "lib/lib_handle.h"

#include "driver/discover.h"
#include "driver/kfd.h"
#include "driver/system.h"
#include "lib/lib_module.h"
#include "lib/lib_tracer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Neither tracers nor the module hold longer without being asked again. */
#define LEASE_MAX_NS 60000000000ull
#define NODES_MAX 64
#define STOP_NS 2000000000ull

struct lib_direct {
	struct lib_tracer_link **tracers;	/* one for each process it has stopped */
	size_t nr;
	int module;	/* device that the module's holds hang on, -1 = there are none */
};

int lib_direct_open(struct lib_direct **out)
{
	struct drv_node *nodes;
	size_t nr;
	int ret = drv_discover_nodes(NULL, &nodes, &nr);

	if (ret == -ENOMEM)
		return ret;
	if (ret || !nr)
		return -ENODEV;
	free(nodes);
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->module = -1;
	return 0;
}

void lib_direct_close(struct lib_direct *d)
{
	if (!d)
		return;
	lib_tracer_stop(d->tracers, d->nr, lib_deadline(STOP_NS));
	for (size_t i = 0; i < d->nr; i++)
		free(d->tracers[i]);
	if (d->module >= 0)
		close(d->module);
	free(d->tracers);
	free(d);
}

int lib_direct_nodes(struct gpreempt *g, void **out, size_t *nr)
{
	struct gpreempt_node *list;
	struct drv_node *nodes;
	int ret = drv_discover_nodes(NULL, &nodes, nr);

	if (ret)
		return lib_fail(g, ret, "topology: %s", strerror(-ret));
	list = calloc(*nr + 1, sizeof(*list));
	for (size_t i = 0; list && i < *nr; i++)
		list[i] = drv_node_public(&nodes[i]);
	free(nodes);
	if (!list)
		return lib_no_memory(g);
	lib_module_add_nodes(list, *nr);
	*out = list;
	return 0;
}

static void drop_tracer(struct lib_direct *d, size_t i, uint64_t deadline_ns)
{
	lib_tracer_stop(&d->tracers[i], 1, deadline_ns);
	free(d->tracers[i]);
	d->tracers[i] = d->tracers[--d->nr];
}

/* Reads what the tracers told; of those that are gone nothing remains. */
static void catch_up(struct lib_direct *d)
{
	for (size_t i = d->nr; i-- > 0;) {
		lib_tracer_catch_up(d->tracers[i]);
		if (lib_tracer_is_over(d->tracers[i]))
			drop_tracer(d, i, 0);
	}
}

static void mark_held(const struct lib_tracer_link *t, struct drv_queues *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		struct gpreempt_queue *q = &list->queues[i];

		if (q->pid == t->pid && client_holds_covers(&t->held, q->gpu_id, q->queue_id))
			q->held |= GPREEMPT_HELD_MANUAL;
	}
}

static int get_queues(struct gpreempt *g, struct drv_queues *list)
{
	struct lib_direct *d = g->direct;
	int ret = drv_discover_queues(NULL, list);

	catch_up(d);
	for (size_t i = 0; !ret && i < d->nr; i++)
		ret = drv_discover_add_snapshot(list, d->tracers[i]->pid, d->tracers[i]->queues,
						d->tracers[i]->nr_queues);
	if (!ret)
		ret = lib_module_add_queues(list);
	if (ret) {
		drv_queues_fini(list);
		return lib_fail(g, ret, "queues: %s", strerror(-ret));
	}
	for (size_t i = 0; i < d->nr; i++)
		mark_held(d->tracers[i], list);
	/* Not every user may read it: what cannot be read stays unknown. */
	drv_discover_add_mqds(NULL, list);
	drv_discover_add_pointers(NULL, list);
	return 0;
}

int lib_direct_queues(struct gpreempt *g, void **out, size_t *nr)
{
	struct drv_queues list = { 0 };
	int ret = get_queues(g, &list);

	if (ret)
		return ret;
	if (!list.queues)
		list.queues = calloc(1, sizeof(*list.queues));
	if (!list.queues)
		return lib_no_memory(g);
	*out = list.queues;
	*nr = list.nr;
	return 0;
}

int lib_direct_processes(struct gpreempt *g, void **out, size_t *nr)
{
	struct drv_queues list = { 0 };
	struct gpreempt_process *processes = NULL;
	int ret = get_queues(g, &list);

	if (ret)
		return ret;
	ret = drv_discover_processes(NULL, &list, &processes, nr);
	drv_queues_fini(&list);
	if (!ret && !processes)
		processes = calloc(1, sizeof(*processes));
	if (ret || !processes)
		return lib_no_memory(g);
	lib_module_add_processes(processes, *nr);
	*out = processes;
	return 0;
}

static struct lib_tracer_link *find_tracer(struct lib_direct *d, uint32_t pid)
{
	for (size_t i = 0; i < d->nr; i++) {
		if (d->tracers[i]->pid == pid && d->tracers[i]->fd >= 0)
			return d->tracers[i];
	}
	return NULL;
}

/* Only one can trace a process: the tracer before has to be gone. */
static void drop_former(struct lib_direct *d, uint32_t pid, uint64_t deadline_ns)
{
	for (size_t i = d->nr; i-- > 0;) {
		if (d->tracers[i]->pid == pid && d->tracers[i]->fd < 0)
			drop_tracer(d, i, deadline_ns);
	}
}

static int start_tracer(struct gpreempt *g, uint32_t pid, uint64_t deadline_ns,
			struct lib_tracer_link **out)
{
	struct lib_direct *d = g->direct;
	struct lib_tracer_link **mem = realloc(d->tracers, (d->nr + 1) * sizeof(*mem));
	struct lib_tracer_link *t = calloc(1, sizeof(*t));
	const char *program = secure_getenv("GPREEMPT_TRACER");
	int ret;

	if (mem)
		d->tracers = mem;
	if (!mem || !t) {
		free(t);
		return lib_no_memory(g);
	}
	drop_former(d, pid, deadline_ns);
	/* Also if it fails: the next call, or the last one, looks whether it has ended. */
	d->tracers[d->nr++] = t;
	ret = lib_tracer_start(t, program && *program ? program : GP_TRACER_PATH, pid,
			       deadline_ns);
	*out = t;
	if (!ret)
		return 0;
	lib_fail(g, ret, "%u: %s", pid,
		 t->reason[0] ? t->reason :
		 ret == -ENOENT ? "gpreempt-tracer is not installed" : strerror(-ret));
	/* In the words of struct gpreempt_ref; -EAGAIN: the process has no queues now. */
	return ret == -ENOENT ? -EOPNOTSUPP : ret == -EAGAIN ? -EBUSY :
	       ret == -EPIPE || ret == -EPROTO ? -EIO : ret;
}

static size_t add_node(uint32_t *nodes, size_t nr, uint32_t gpu_id)
{
	size_t n = 0;

	while (n < nr && nodes[n] != gpu_id)
		n++;
	if (n == nr && nr < NODES_MAX)
		nodes[nr++] = gpu_id;
	return nr;
}

/*
 * The nodes a reference means: the one it names, or all that the tracer saw queues on or
 * holds. A hold of all queues outlasts them: it is for those to come too.
 */
static size_t list_nodes(const struct lib_tracer_link *t, const struct gpreempt_ref *ref,
			 uint32_t *out)
{
	const struct gp_hold *h;
	size_t nr = 0;

	if (ref->gpu_id)
		return add_node(out, 0, ref->gpu_id);
	for (size_t i = 0; i < t->nr_queues; i++)
		nr = add_node(out, nr, t->queues[i].gpu_id);
	if (ref->queue_id == GPREEMPT_QUEUE_ALL)
		for (h = gp_holds_first(&t->held.set); h; h = gp_holds_next(h))
			nr = add_node(out, nr, (uint32_t)h->target.node);
	return nr;
}

static int order_ref(struct lib_tracer_link *t, enum wire_type type,
		     const struct gpreempt_ref *ref, uint64_t lease_ns, uint64_t deadline_ns)
{
	uint32_t nodes[NODES_MAX];
	size_t nr = list_nodes(t, ref, nodes);
	/* Without a node nothing is held. */
	int worst = nr || type == WIRE_RELEASE ? 0 : -ESRCH;

	for (size_t i = 0; i < nr; i++) {
		int ret = lib_tracer_order(t, type, nodes[i], ref->queue_id, lease_ns, deadline_ns);

		if (ret)
			worst = ret;
	}
	return worst;
}

static int suspend(struct gpreempt *g, const struct gpreempt_ref *ref, uint64_t lease_ns,
		   uint64_t deadline_ns)
{
	uint32_t lease_ms = (uint32_t)((lease_ns + 999999) / 1000000);
	int ret = lib_module_order(&g->direct->module, ref, lease_ms);
	struct lib_tracer_link *t = find_tracer(g->direct, ref->pid);

	if (ret == -EOPNOTSUPP) {
		ret = t ? 0 : start_tracer(g, ref->pid, deadline_ns, &t);
		if (!ret) {
			ret = order_ref(t, WIRE_HOLD, ref, lease_ns, deadline_ns);
			/* It ends with its process; if not, the next call starts another one. */
			ret = t->fd < 0 ? -ESRCH : ret;
		}
	}
	if (ret && !g->error[0])
		lib_fail(g, ret, "%u: %s", ref->pid, strerror(-ret));
	return ret;
}

static int resume(struct lib_direct *d, const struct gpreempt_ref *ref, uint64_t deadline_ns)
{
	/* Without a device and a tracer this handle holds nothing. */
	int ret = d->module >= 0 ? lib_module_order(&d->module, ref, 0) : 0, ret_tracer;
	struct lib_tracer_link *t = find_tracer(d, ref->pid);

	/* Both may hold it, and what one cannot release the other may. */
	ret_tracer = t ? order_ref(t, WIRE_RELEASE, ref, 0, deadline_ns) : 0;
	/* What a tracer held goes on without it. */
	if (t && t->fd < 0)
		ret_tracer = 0;
	return ret ? ret : ret_tracer;
}

int lib_direct_order(struct gpreempt *g, bool is_suspend, struct gpreempt_ref *refs, size_t nr,
		     uint64_t lease_ns, uint64_t timeout_ns)
{
	uint64_t deadline_ns = lib_deadline(timeout_ns);
	int done = 0;

	if (!lease_ns || lease_ns > LEASE_MAX_NS)
		lease_ns = LEASE_MAX_NS;
	catch_up(g->direct);
	for (size_t i = 0; i < nr; i++) {
		refs[i].result = is_suspend ? suspend(g, &refs[i], lease_ns, deadline_ns) :
					      resume(g->direct, &refs[i], deadline_ns);
		done += !refs[i].result;
	}
	return done;
}

/* 1 on all, 0 not on one, -1 not known. */
static int32_t all_save(const struct drv_node *nodes, size_t nr)
{
	int32_t all = nr ? 1 : -1;

	for (size_t i = 0; i < nr; i++) {
		if (!nodes[i].cwsr_bytes.source)
			return -1;
		if (!nodes[i].cwsr_bytes.value)
			all = 0;
	}
	return all;
}

void lib_direct_probe(struct gpreempt_caps *c)
{
	struct drv_node *nodes = NULL;
	struct kfd_ioctl_get_version_args v;
	struct drv_system s;
	size_t nr = 0;

	drv_discover_nodes(NULL, &nodes, &nr);
	c->nr_nodes = (uint32_t)nr;
	c->cwsr = all_save(nodes, nr);
	free(nodes);
	drv_system_read(NULL, &s);
	c->kfd_major = v.major_version = (uint32_t)s.kfd_major.value;
	c->kfd_minor = v.minor_version = (uint32_t)s.kfd_minor.value;
	c->hws = s.sched_policy.source ? s.sched_policy.value != DRV_SCHED_POLICY_NO_HWS : -1;
	if (s.cwsr_enable.source && !s.cwsr_enable.value)
		c->cwsr = 0;
	c->ptrace_scope = s.ptrace_scope.source ? (int32_t)s.ptrace_scope.value : -1;
	if (s.kfd)
		return;
	if (lib_module_is_there())
		c->mechanisms |= GPREEMPT_MECH_KERNEL;
	c->mechanisms |= GPREEMPT_MECH_SHIM;
	if (c->hws && drv_kfd_version_has_debug(&v))
		c->mechanisms |= GPREEMPT_MECH_DBG;
}
