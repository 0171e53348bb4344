// SPDX-License-Identifier: MIT
/*
 * Client processes: requests arrive, their kernels are written to a ring as far
 * as there is room and launches are not held back, completions end requests.
 */
#include "sim/sim.h"

#include <stdlib.h>

/* Workgroups of this kernel that fit on one CU at a time. */
static u64 workgroups_per_cu(const struct gp_profile *p, const struct gp_kernel_spec *k)
{
	u64 waves = (k->workgroup_size + 63) / 64;
	u64 vgpr_bytes = waves * ((k->vgprs + 7) / 8 * 8) * 64 * 4;
	u64 n = (u64)p->simd_per_cu * p->waves_per_simd / waves;

	n = min(n, p->vgpr_bytes_per_cu / vgpr_bytes);
	if (k->lds_bytes)
		n = min(n, (u64)(p->lds_bytes_per_cu / k->lds_bytes));
	return n;
}

static u64 grid_workgroups(const struct gp_profile *p, const struct gp_kernel_spec *k)
{
	u64 room = workgroups_per_cu(p, k) * p->cu_per_xcc * p->nr_xcc;

	if (!k->fill_ppm)
		return k->workgroups;
	return max((u64)1, room * k->fill_ppm / 1000000);
}

static int load_kernel(struct gp_proc *proc, struct gp_kernel_image *img,
		       const struct gp_kernel_spec *k)
{
	struct gp_kernel_desc desc = {
		.group_segment_bytes = k->lds_bytes,
		.kernarg_bytes = sizeof(struct gp_kernarg),
		.entry_offset = sizeof(desc),
		/* SGPRs: 6 granules of 16 = 112 with VCC, what a usual kernel has. */
		.rsrc1 = ((k->vgprs + 7) / 8 - 1) | 12u << 6,
	};
	struct gp_program prog = {
		.magic = GP_PROGRAM_MAGIC,
		.flags = k->endless ? GP_PROGRAM_ENDLESS : 0,
		.steps = 1,
		.step_ns = k->duration_ns,
	};
	u64 va = gp_space_alloc(&proc->space, sizeof(desc) + sizeof(prog), 256);
	u8 *mem = va ? gp_space_ptr(&proc->space, va, sizeof(desc) + sizeof(prog)) : NULL;

	if (!mem)
		return -ENOMEM;
	/* The state engine needs steps to stop between; a thousand will do. */
	if (!strcmp(proc->sim->sc->engine, "state")) {
		prog.steps = (u32)min(k->duration_ns / GP_PROGRAM_MIN_STEP_NS, (u64)1000);
		prog.step_ns = k->duration_ns / prog.steps;
	}
	if (k->endless) {
		prog.steps = 1;
		prog.step_ns = 1000;
	}
	memcpy(mem, &desc, sizeof(desc));
	memcpy(mem + sizeof(desc), &prog, sizeof(prog));
	*img = (struct gp_kernel_image){
		.object_va = va,
		.nr_workgroups = grid_workgroups(proc->sim->profile, k),
		.workgroup_ns = k->endless ? U64_MAX : prog.steps * prog.step_ns,
		.spec = k,
	};
	return 0;
}

static int load_kernels(struct gp_proc *proc)
{
	const struct gp_class_spec *spec = proc->spec;

	proc->kernels = calloc(spec->nr_kernels, sizeof(*proc->kernels));
	if (!proc->kernels)
		return -ENOMEM;
	for (u32 i = 0; i < spec->nr_kernels; i++)
		if (load_kernel(proc, &proc->kernels[i], &spec->kernels[i]))
			return -ENOMEM;
	return 0;
}

int gp_proc_init(struct gp_proc *proc, struct gp_sim *sim, u32 class_index, u32 number)
{
	const struct gp_class_spec *spec = &sim->sc->classes[class_index];
	u64 bytes = gp_sim_queue_bytes(sim, spec) * spec->queues + spec->nr_kernels * 256 + 65536;
	int ret;

	proc->sim = sim;
	proc->spec = spec;
	proc->result = &sim->result->classes[class_index];
	proc->number = number;
	proc->pasid = 0x8000 + proc->index;
	ret = gp_space_init(&proc->space, proc->pasid, bytes);
	if (ret)
		return ret;
	ret = load_kernels(proc);
	for (u32 i = 0; !ret && i < spec->queues; i++) {
		struct gp_sim_queue *q = &proc->queues[i];

		ret = gp_sim_queue_init(q, proc, (u32)(q - sim->queues));
	}
	return ret;
}

void gp_proc_fini(struct gp_proc *proc)
{
	if (!proc->spec)
		return;
	for (u32 i = 0; i < proc->spec->queues; i++)
		gp_sim_queue_fini(&proc->queues[i]);
	free(proc->kernels);
	gp_space_fini(&proc->space);
}

static int grow_requests(struct gp_sim_queue *q)
{
	u32 cap = q->cap ? q->cap * 2 : 16;
	struct gp_request *r = malloc(cap * sizeof(*r));

	if (!r)
		return -ENOMEM;
	for (u32 i = 0; i < q->nr_requests; i++)
		r[i] = q->requests[(q->head + i) & (q->cap - 1)];
	free(q->requests);
	q->requests = r;
	q->head = 0;
	q->cap = cap;
	return 0;
}

static struct gp_request *request_at(struct gp_sim_queue *q, u32 i)
{
	return &q->requests[(q->head + i) & (q->cap - 1)];
}

static void add_request(struct gp_sim_queue *q)
{
	struct gp_proc *proc = q->proc;
	struct gp_sim *sim = proc->sim;

	if (q->nr_requests == q->cap && grow_requests(q)) {
		sim->error = -ENOMEM;
		return;
	}
	*request_at(q, q->nr_requests++) = (struct gp_request){ .arrival_ns = sim->now_ns };
	q->unwritten++;
	proc->result->requests++;
	if (!proc->outstanding++)
		proc->active_since_ns = sim->now_ns;
	gp_sim_queue_pump(q);
}

static struct gp_sim_queue *next_queue(struct gp_proc *proc)
{
	struct gp_sim_queue *q = &proc->queues[proc->next_queue];

	proc->next_queue = (proc->next_queue + 1) % proc->spec->queues;
	return q;
}

/* May this queue write another packet now? */
static bool may_write(const struct gp_sim_queue *q)
{
	const struct gp_sim_costs *costs = &q->proc->sim->sc->costs;
	u64 in_flight = gp_sim_queue_outstanding(q);

	if (in_flight >= q->nr_packets)
		return false;
	if (q->proc->sim->sc->mechanism != GP_MECH_LAUNCH_BLOCK)
		return true;
	return !q->proc->blocked && in_flight < costs->block_threshold;
}

/*
 * The last kernel of a request tells its end. Under launch-block the worker
 * also synchronises after every batch, to know what is in flight, and no later
 * than when it may not launch any more.
 */
static bool wants_event(const struct gp_sim_queue *q, u32 kernel)
{
	const struct gp_sim *sim = q->proc->sim;
	const struct gp_sim_costs *costs = &sim->sc->costs;

	if (kernel + 1 == q->proc->spec->nr_kernels)
		return true;
	return sim->sc->mechanism == GP_MECH_LAUNCH_BLOCK &&
	       (gp_sim_queue_written(q) + 1) %
			       min(costs->block_batch, costs->block_threshold) == 0;
}

static void write_kernel(struct gp_sim_queue *q)
{
	struct gp_request *r = request_at(q, q->nr_requests - q->unwritten);
	u32 kernel = r->nr_written++;

	if (!kernel)
		r->first = gp_sim_queue_written(q);
	gp_sim_queue_write(q, &q->proc->kernels[kernel], wants_event(q, kernel));
	if (r->nr_written == q->proc->spec->nr_kernels)
		q->unwritten--;
}

/* After the end what has begun is finished, and nothing else is begun. */
static bool has_kernel_to_write(struct gp_sim_queue *q)
{
	if (!q->unwritten)
		return false;
	return !q->proc->sim->stopping || request_at(q, q->nr_requests - q->unwritten)->nr_written;
}

/**
 * gp_sim_queue_pump() - submit what can be submitted
 * @q: queue
 *
 * With a launch time, one kernel at a time; else as many as there is room for,
 * behind one doorbell.
 */
void gp_sim_queue_pump(struct gp_sim_queue *q)
{
	u64 launch_ns = q->proc->spec->launch_ns;
	u64 before = gp_sim_queue_written(q);

	if (q->launching)
		return;
	while (has_kernel_to_write(q) && may_write(q)) {
		write_kernel(q);
		if (launch_ns)
			break;
	}
	if (gp_sim_queue_written(q) == before)
		return;
	gp_sim_queue_ring(q);
	if (launch_ns && has_kernel_to_write(q)) {
		q->launching = true;
		gp_sim_at(q->proc->sim, q->proc->sim->now_ns + launch_ns, GP_EV_PUMP, q->index, 1);
	}
}

static void end_request(struct gp_sim_queue *q)
{
	struct gp_proc *proc = q->proc;
	struct gp_sim *sim = proc->sim;
	struct gp_class_result *res = proc->result;
	struct gp_request *r = request_at(q, 0);

	if (sim->now_ns <= sim->end_ns) {
		res->completed++;
		if (gp_samples_add(&res->samples, sim->now_ns - r->arrival_ns))
			sim->error = -ENOMEM;
	} else if (gp_samples_add(&res->waiting, sim->end_ns - r->arrival_ns)) {
		sim->error = -ENOMEM;
	}
	q->head = (q->head + 1) & (q->cap - 1);
	q->nr_requests--;
	if (!--proc->outstanding)
		res->alone_active_ns += min(sim->now_ns, sim->end_ns) -
					min(proc->active_since_ns, sim->end_ns);
	if (proc->spec->arrival.kind == GP_ARRIVAL_CLOSED)
		gp_sim_at(sim, sim->now_ns + sim->sc->costs.irq_ns + proc->spec->arrival.think_ns,
			  GP_EV_ARRIVAL, proc->index, q->index + 1);
}

/**
 * gp_sim_queue_completed() - an interrupt: the packet in a slot, and all before it, ended
 * @q: queue
 * @slot: ring slot
 *
 * Called out of the GPU: nothing here may call back into it.
 */
void gp_sim_queue_completed(struct gp_sim_queue *q, u32 slot)
{
	struct gp_proc *proc = q->proc;
	struct gp_sim *sim = proc->sim;
	u64 last = q->done + ((slot - q->done) & (q->nr_packets - 1));

	while (q->done <= last && q->nr_requests) {
		struct gp_request *r = request_at(q, 0);
		u64 kernel = q->done - r->first;

		gp_verify_packet(q, q->done, &proc->kernels[kernel]);
		q->done++;
		if (kernel + 1 == proc->spec->nr_kernels)
			end_request(q);
	}
	if (q->unwritten)
		gp_sim_at(sim, sim->now_ns + sim->sc->costs.irq_ns, GP_EV_PUMP, q->index, 0);
	if (!gp_sim_queue_outstanding(q))
		gp_detect_quiet(q);
	else
		gp_detect_progress(q);
}

/**
 * gp_proc_start() - schedule the first requests
 * @proc: process
 */
void gp_proc_start(struct gp_proc *proc)
{
	const struct gp_class_spec *spec = proc->spec;
	struct gp_sim *sim = proc->sim;

	if (spec->arrival.kind == GP_ARRIVAL_CLOSED) {
		for (u32 i = 0; i < spec->arrival.concurrency; i++)
			gp_sim_at(sim, spec->start_ns, GP_EV_ARRIVAL, proc->index,
				  next_queue(proc)->index + 1);
		return;
	}
	gp_arrival_init(&proc->arrivals, &spec->arrival, spec->start_ns,
			spec->arrival.period_ns * proc->number / spec->processes,
			sim->sc->seed * 1000003 + proc->index);
	gp_sim_at(sim, gp_arrival_next(&proc->arrivals), GP_EV_ARRIVAL, proc->index, 0);
}

/**
 * gp_proc_arrival() - a request comes, and the next one is scheduled
 * @proc: process of an open arrival process
 */
void gp_proc_arrival(struct gp_proc *proc)
{
	struct gp_sim *sim = proc->sim;

	if (sim->now_ns >= sim->end_ns || sim->now_ns > proc->spec->stop_ns)
		return;
	add_request(next_queue(proc));
	gp_sim_at(sim, gp_arrival_next(&proc->arrivals), GP_EV_ARRIVAL, proc->index, 0);
}

/**
 * gp_proc_arrival_closed() - a closed loop goes round
 * @q: queue the request belongs to
 */
void gp_proc_arrival_closed(struct gp_sim_queue *q)
{
	struct gp_sim *sim = q->proc->sim;

	if (sim->now_ns < sim->end_ns && sim->now_ns <= q->proc->spec->stop_ns)
		add_request(q);
}

/**
 * gp_sim_queue_take_waiting() - note what has not ended at all
 * @q: queue
 * @end_ns: end of the run
 *
 * Return: 0 or -ENOMEM.
 */
int gp_sim_queue_take_waiting(struct gp_sim_queue *q, u64 end_ns)
{
	for (u32 i = 0; i < q->nr_requests; i++) {
		u64 since_ns = request_at(q, i)->arrival_ns;

		if (gp_samples_add(&q->proc->result->waiting, end_ns - since_ns))
			return -ENOMEM;
	}
	return 0;
}
