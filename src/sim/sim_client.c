// SPDX-License-Identifier: MIT
/*
 * Client processes: requests arrive, their kernels are written to a ring as far
 * as there is room and launches are not held back, completions end requests.
 */
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>

/* Workgroups of this kernel that fit on one CU at a time. */
static u64 workgroups_per_cu(const struct gpu_profile *p, const struct sim_kernel_spec *k)
{
	u64 waves = (k->workgroup_size + 63) / 64;
	u64 vgpr_bytes = waves * ((k->vgprs + 7) / 8 * 8) * 64 * 4;
	u64 n = (u64)p->simd_per_cu * p->waves_per_simd / waves;

	n = min(n, p->vgpr_bytes_per_cu / vgpr_bytes);
	if (k->lds_bytes)
		n = min(n, (u64)(p->lds_bytes_per_cu / k->lds_bytes));
	return n;
}

u64 sim_kernel_room(const struct gpu_profile *p, const struct sim_kernel_spec *k)
{
	return workgroups_per_cu(p, k) * p->cu_per_xcc * p->nr_xcc;
}

static u64 grid_workgroups(const struct gpu_profile *p, const struct sim_kernel_spec *k)
{
	if (!k->fill_ppm)
		return k->workgroups;
	return max((u64)1, sim_kernel_room(p, k) * k->fill_ppm / 1000000);
}

static int load_kernel(struct sim_proc *proc, struct sim_kernel_image *img,
		       const struct sim_kernel_spec *k, u64 duration_ns)
{
	struct gpu_kernel_desc desc = {
		.group_segment_bytes = k->lds_bytes,
		.kernarg_bytes = sizeof(struct gpu_kernarg),
		.entry_offset = sizeof(desc),
		/* SGPRs: 6 granules of 16 = 112 with VCC, what a usual kernel has. */
		.rsrc1 = ((k->vgprs + 7) / 8 - 1) | 12u << 6,
	};
	struct gpu_program prog = {
		.magic = GPU_PROGRAM_MAGIC,
		.flags = k->endless ? GPU_PROGRAM_ENDLESS : 0,
		.steps = 1,
		.step_ns = duration_ns,
	};
	u64 va;
	u8 *mem;

	if (k->is_barrier) {
		*img = (struct sim_kernel_image){ .spec = k };
		return 0;
	}
	va = sim_space_alloc(&proc->space, sizeof(desc) + sizeof(prog), 256);
	mem = va ? sim_space_ptr(&proc->space, va, sizeof(desc) + sizeof(prog)) : NULL;
	if (!mem)
		return -ENOMEM;
	/* The state engine needs steps to stop between; a thousand will do. */
	if (!strcmp(proc->sim->sc->engine, "state")) {
		prog.steps = (u32)min(duration_ns / GPU_PROGRAM_MIN_STEP_NS, (u64)1000);
		prog.step_ns = duration_ns / prog.steps;
	}
	if (k->endless) {
		prog.steps = 1;
		prog.step_ns = 1000;
	}
	memcpy(mem, &desc, sizeof(desc));
	memcpy(mem + sizeof(desc), &prog, sizeof(prog));
	*img = (struct sim_kernel_image){
		.object_va = va,
		.nr_workgroups = grid_workgroups(proc->sim->profile, k),
		.workgroup_ns = k->endless ? U64_MAX : prog.steps * prog.step_ns,
		.spec = k,
	};
	return 0;
}

/* Length @i of a kernel: evenly spread over the logarithm. */
static u64 length_ns(const struct sim_kernel_spec *k, u32 i)
{
	double ratio = (double)k->longest_ns / (double)k->duration_ns;

	if (!k->longest_ns || k->endless)
		return k->duration_ns;
	return (u64)((double)k->duration_ns * pow(ratio, (i + 0.5) / SIM_LENGTHS));
}

static int load_kernels(struct sim_proc *proc)
{
	const struct sim_class_spec *spec = proc->spec;

	proc->kernels = calloc(spec->nr_kernels, SIM_LENGTHS * sizeof(*proc->kernels));
	if (!proc->kernels)
		return -ENOMEM;
	for (u32 i = 0; i < spec->nr_kernels * SIM_LENGTHS; i++) {
		const struct sim_kernel_spec *k = &spec->kernels[i / SIM_LENGTHS];

		if (i % SIM_LENGTHS && !k->longest_ns)
			continue;
		if (load_kernel(proc, &proc->kernels[i], k, length_ns(k, i % SIM_LENGTHS)))
			return -ENOMEM;
	}
	return 0;
}

static u64 kernel_bytes(const struct sim_class_spec *spec)
{
	u64 nr = 0;

	for (u32 i = 0; i < spec->nr_kernels; i++)
		nr += spec->kernels[i].longest_ns ? SIM_LENGTHS : 1;
	return nr * 256;
}

int sim_proc_init(struct sim_proc *proc, struct sim *sim, u32 class_index, u32 number)
{
	const struct sim_class_spec *spec = &sim->sc->classes[class_index];
	u64 bytes = sim_queue_bytes(sim, spec) * spec->queues + kernel_bytes(spec) + 65536;
	int ret;

	proc->sim = sim;
	proc->spec = spec;
	proc->result = &sim->result->classes[class_index];
	proc->number = number;
	proc->pasid = 0x8000 + proc->index;
	sim_rng_seed(&proc->rng, sim->sc->seed * 7919 + proc->index);
	ret = sim_space_init(&proc->space, proc->pasid, bytes);
	if (ret)
		return ret;
	ret = load_kernels(proc);
	for (u32 i = 0; !ret && i < spec->queues; i++) {
		struct sim_queue *q = &proc->queues[i];

		ret = sim_queue_init(q, proc, (u32)(q - sim->queues));
	}
	return ret;
}

void sim_proc_fini(struct sim_proc *proc)
{
	if (!proc->spec)
		return;
	for (u32 i = 0; i < proc->spec->queues; i++)
		sim_queue_fini(&proc->queues[i]);
	free(proc->kernels);
	sim_space_fini(&proc->space);
}

static int grow_requests(struct sim_queue *q)
{
	u32 cap = q->cap ? q->cap * 2 : 16;
	struct sim_request *r = malloc(cap * sizeof(*r));

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

static struct sim_request *request_at(struct sim_queue *q, u32 i)
{
	return &q->requests[(q->head + i) & (q->cap - 1)];
}

/* Time since then, as far as requests come. */
static u64 active_ns(const struct sim *sim, u64 since_ns)
{
	return min(sim->now_ns, sim->end_ns) - min(since_ns, sim->end_ns);
}

/**
 * sim_proc_set_active() - a process has requests outstanding, or none any more
 * @proc: process
 * @is_active: which
 */
void sim_proc_set_active(struct sim_proc *proc, bool is_active)
{
	struct sim *sim = proc->sim;

	if (is_active) {
		proc->active_since_ns = sim->now_ns;
		if (!sim->nr_active++)
			sim->active_since_ns = sim->now_ns;
		return;
	}
	proc->result->alone_active_ns += active_ns(sim, proc->active_since_ns);
	if (!--sim->nr_active)
		sim->result->active_ns += active_ns(sim, sim->active_since_ns);
}

static void add_request(struct sim_queue *q)
{
	struct sim_proc *proc = q->proc;
	struct sim *sim = proc->sim;

	if (q->nr_requests == q->cap && grow_requests(q)) {
		sim->error = -ENOMEM;
		return;
	}
	*request_at(q, q->nr_requests++) = (struct sim_request){
		.arrival_ns = sim->now_ns,
		.ready_ns = sim->now_ns + proc->spec->host_ns,
	};
	q->unwritten++;
	proc->result->requests++;
	if (!proc->outstanding++)
		sim_proc_set_active(proc, true);
	if (proc->spec->has_hint)
		sim_detect_hint(q);
	if (proc->spec->host_ns)
		sim_at(sim, sim->now_ns + proc->spec->host_ns, SIM_EV_PUMP, q->index, 0);
	else
		sim_queue_pump(q);
}

static struct sim_queue *next_queue(struct sim_proc *proc)
{
	struct sim_queue *q = &proc->queues[proc->next_queue];

	proc->next_queue = (proc->next_queue + 1) % proc->spec->queues;
	return q;
}

/* May this queue write another packet now? */
static bool may_write(const struct sim_queue *q)
{
	const struct sim_costs *costs = &q->proc->sim->sc->costs;
	u64 in_flight = sim_queue_outstanding(q);

	if (in_flight >= q->nr_packets)
		return false;
	if (q->proc->sim->sc->mechanism != SIM_MECH_LAUNCH_BLOCK)
		return true;
	return !q->proc->blocked && in_flight < costs->block_threshold;
}

/*
 * The last kernel of a request tells its end, and one before a barrier that the rank has come
 * there. Under launch-block the worker also synchronises after every batch, to know what is
 * in flight, and no later than when it may not launch any more.
 */
static bool wants_event(const struct sim_queue *q, u32 kernel)
{
	const struct sim *sim = q->proc->sim;
	const struct sim_costs *costs = &sim->sc->costs;

	const struct sim_class_spec *spec = q->proc->spec;

	if (kernel + 1 == spec->nr_kernels || spec->kernels[kernel + 1].is_barrier)
		return true;
	return sim->sc->mechanism == SIM_MECH_LAUNCH_BLOCK &&
	       (sim_queue_written(q) + 1) %
			       min(costs->block_batch, costs->block_threshold) == 0;
}

static const struct sim_kernel_image *choose_length(struct sim_proc *proc, u32 kernel)
{
	u64 which = 0;

	if (proc->spec->kernels[kernel].longest_ns)
		which = sim_rng_below(&proc->rng, SIM_LENGTHS);
	return &proc->kernels[kernel * SIM_LENGTHS + which];
}

static void write_kernel(struct sim_queue *q)
{
	struct sim_request *r = request_at(q, q->nr_requests - q->unwritten);
	u32 kernel = r->nr_written++;

	if (!kernel)
		r->first = sim_queue_written(q);
	sim_queue_write(q, choose_length(q->proc, kernel), wants_event(q, kernel));
	if (r->nr_written == q->proc->spec->nr_kernels)
		q->unwritten--;
}

/* After the end what has begun is finished, and nothing else is begun. */
static bool has_kernel_to_write(struct sim_queue *q)
{
	const struct sim_request *r;

	if (!q->unwritten)
		return false;
	r = request_at(q, q->nr_requests - q->unwritten);
	if (r->ready_ns > q->proc->sim->now_ns)
		return false;
	return !q->proc->sim->stopping || r->nr_written;
}

/**
 * sim_queue_pump() - submit what can be submitted
 * @q: queue
 *
 * With a launch time, one kernel at a time; else as many as there is room for,
 * behind one doorbell.
 */
void sim_queue_pump(struct sim_queue *q)
{
	u64 launch_ns = q->proc->spec->launch_ns;
	u64 before = sim_queue_written(q);

	if (q->launching || q->proc->gone)
		return;
	while (has_kernel_to_write(q) && may_write(q)) {
		write_kernel(q);
		if (launch_ns)
			break;
	}
	if (sim_queue_written(q) == before)
		return;
	sim_queue_ring(q);
	sim_team_look(q);
	if (launch_ns && has_kernel_to_write(q)) {
		q->launching = true;
		sim_at(q->proc->sim, q->proc->sim->now_ns + launch_ns, SIM_EV_PUMP, q->index, 1);
	}
}

/* A request ended after @ns, or has not ended for so long. */
static void note_miss(struct sim_proc *proc, u64 ns)
{
	u64 deadline_ns = proc->spec->attr.deadline_ns;

	proc->result->missed += deadline_ns && ns > deadline_ns;
}

static void end_request(struct sim_queue *q)
{
	struct sim_proc *proc = q->proc;
	struct sim *sim = proc->sim;
	struct sim_class_result *res = proc->result;
	struct sim_request *r = request_at(q, 0);

	note_miss(proc, min(sim->now_ns, sim->end_ns) - r->arrival_ns);
	sim_watch_request(q, r->arrival_ns);
	if (sim->now_ns <= sim->end_ns) {
		res->completed++;
		if (sim_samples_add(&res->samples, sim->now_ns - r->arrival_ns))
			sim->error = -ENOMEM;
	} else if (sim_samples_add(&res->waiting, sim->end_ns - r->arrival_ns)) {
		sim->error = -ENOMEM;
	}
	q->head = (q->head + 1) & (q->cap - 1);
	q->nr_requests--;
	if (!--proc->outstanding)
		sim_proc_set_active(proc, false);
	if (proc->spec->arrival.kind == SIM_ARRIVAL_CLOSED)
		sim_at(sim, sim->now_ns + sim_model_irq_ns(sim) + proc->spec->arrival.think_ns,
		       SIM_EV_ARRIVAL, proc->index, q->index + 1);
}

/**
 * sim_queue_completed() - an interrupt: the packet in a slot, and all before it, ended
 * @q: queue
 * @slot: ring slot
 *
 * Called out of the GPU: nothing here may call back into it.
 */
void sim_queue_completed(struct sim_queue *q, u32 slot)
{
	struct sim_proc *proc = q->proc;
	struct sim *sim = proc->sim;
	u64 last = q->done + ((slot - q->done) & (q->nr_packets - 1));

	if (proc->gone)
		return;
	while (q->done <= last && q->nr_requests) {
		struct sim_request *r = request_at(q, 0);
		u64 kernel = q->done - r->first;

		sim_verify_packet(q, q->done);
		q->done++;
		if (kernel + 1 == proc->spec->nr_kernels)
			end_request(q);
	}
	if (q->unwritten)
		sim_at(sim, sim->now_ns + sim_model_irq_ns(sim), SIM_EV_PUMP, q->index, 0);
	sim_team_look(q);
	if (!sim_queue_outstanding(q))
		sim_detect_quiet(q);
	else
		sim_detect_progress(q);
}

/* Schedule the first requests. */
void sim_proc_start(struct sim_proc *proc)
{
	const struct sim_class_spec *spec = proc->spec;
	struct sim *sim = proc->sim;
	u64 start_ns = max(spec->start_ns, spec->joins_ns);

	if (spec->arrival.kind == SIM_ARRIVAL_CLOSED) {
		for (u32 i = 0; i < spec->arrival.concurrency; i++)
			sim_at(sim, start_ns, SIM_EV_ARRIVAL, proc->index,
			       next_queue(proc)->index + 1);
		return;
	}
	sim_arrival_init(&proc->arrivals, &spec->arrival, start_ns,
			 spec->arrival.period_ns * proc->number / spec->processes,
			 sim->sc->seed * 1000003 + proc->index);
	sim_at(sim, sim_arrival_next(&proc->arrivals), SIM_EV_ARRIVAL, proc->index, 0);
}

/**
 * sim_proc_arrival() - a request comes, and the next one is scheduled
 * @proc: process of an open arrival process
 */
void sim_proc_arrival(struct sim_proc *proc)
{
	struct sim *sim = proc->sim;

	if (sim->now_ns >= sim->end_ns || sim->now_ns > proc->spec->stop_ns || proc->gone)
		return;
	add_request(next_queue(proc));
	sim_at(sim, sim_arrival_next(&proc->arrivals), SIM_EV_ARRIVAL, proc->index, 0);
}

/**
 * sim_proc_arrival_closed() - a closed loop goes round
 * @q: queue the request belongs to
 */
void sim_proc_arrival_closed(struct sim_queue *q)
{
	struct sim *sim = q->proc->sim;

	if (sim->now_ns < sim->end_ns && sim->now_ns <= q->proc->spec->stop_ns && !q->proc->gone)
		add_request(q);
}

/**
 * sim_queue_take_waiting() - note what has not ended at all
 * @q: queue
 * @end_ns: end of the run
 *
 * Return: 0 or -ENOMEM.
 */
int sim_queue_take_waiting(struct sim_queue *q, u64 end_ns)
{
	for (u32 i = 0; i < q->nr_requests; i++) {
		u64 since_ns = request_at(q, i)->arrival_ns;

		note_miss(q->proc, end_ns - since_ns);
		if (sim_samples_add(&q->proc->result->waiting, end_ns - since_ns))
			return -ENOMEM;
	}
	return 0;
}
