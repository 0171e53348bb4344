// SPDX-License-Identifier: MIT
/*
 * An ordinary ROCr program that computes: kernels that fill the GPU, one after the
 * other, each result compared with what an undisturbed run leaves. Its kernels are
 * programs of the GPU model (client_code has machine code). It knows nothing of
 * gpreempt.
 *
 *   client_kernel [COUNT [MILLISECONDS [PAUSE_MILLISECONDS]]]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hsa/hsa.h>

#include "gpu/aql.h"
#include "gt/expect.h"
#include "loads/client_hsa.h"

#define STEPS 20
#define VGPRS 8
#define LDS_BYTES (64 << 10)
#define WAIT_NS 60000000000ull
#define MAX_GROUPS 512

/* Memory that both sides see; one page is enough. */
struct page {
	struct gpu_kernel_desc desc;
	struct gpu_program program;
	struct gpu_kernarg kernarg;
	uint64_t tally[2];
	uint64_t out[MAX_GROUPS];
	uint64_t count[MAX_GROUPS];
} __attribute__((aligned(256)));

static struct page *make_kernel(hsa_agent_t cpu, uint64_t ms)
{
	hsa_region_t region = { 0 };
	struct page *p;

	hsa_agent_iterate_regions(cpu, take_kernarg_region, &region);
	must(hsa_memory_allocate(region, sizeof(*p), (void **)&p), "memory");
	memset(p, 0, sizeof(*p));
	p->desc.entry_offset = offsetof(struct page, program) - offsetof(struct page, desc);
	p->desc.group_segment_bytes = LDS_BYTES;
	p->desc.rsrc1 = VGPRS / 8 - 1;
	p->program.magic = GPU_PROGRAM_MAGIC;
	p->program.steps = STEPS;
	p->program.step_ns = ms * 1000000 / STEPS;
	p->kernarg.tally = (uintptr_t)p->tally;
	p->kernarg.out = (uintptr_t)p->out;
	p->kernarg.count = (uintptr_t)p->count;
	p->kernarg.seed = 11;
	return p;
}

static void dispatch(hsa_queue_t *queue, struct page *p, uint32_t groups, hsa_signal_t done)
{
	uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
	hsa_kernel_dispatch_packet_t *packet =
		(hsa_kernel_dispatch_packet_t *)queue->base_address + index % queue->size;
	uint16_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
			  1 << HSA_PACKET_HEADER_BARRIER;

	memset((uint8_t *)packet + 2, 0, sizeof(*packet) - 2);
	packet->setup = 1;
	packet->workgroup_size_x = 64;
	packet->workgroup_size_y = 1;
	packet->workgroup_size_z = 1;
	packet->grid_size_x = 64 * groups;
	packet->grid_size_y = 1;
	packet->grid_size_z = 1;
	packet->group_segment_size = LDS_BYTES;
	packet->kernel_object = (uintptr_t)&p->desc;
	packet->kernarg_address = &p->kernarg;
	packet->completion_signal = done;
	__atomic_store_n(&packet->header, header, __ATOMIC_RELEASE);
	hsa_signal_store_screlease(queue->doorbell_signal, index);
}

static void run(hsa_queue_t *queue, struct page *p, uint32_t groups, const uint64_t *expected)
{
	hsa_signal_t done;
	uint32_t i;

	memset(p->tally, 0, sizeof(p->tally));
	memset(p->out, 0, sizeof(p->out));
	memset(p->count, 0, sizeof(p->count));
	must(hsa_signal_create(1, 0, NULL, &done), "signal");
	dispatch(queue, p, groups, done);
	if (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, WAIT_NS,
				      HSA_WAIT_STATE_BLOCKED)) {
		printf("a kernel did not end\n");
		exit(1);
	}
	for (i = 0; i < groups; i++)
		if (p->out[i] != expected[i] || p->count[i] != 1) {
			printf("workgroup %u: a wrong result\n", i);
			exit(1);
		}
	must(hsa_signal_destroy(done), "signal");
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 10;
	uint64_t ms = argc > 2 ? strtoull(argv[2], NULL, 0) : 20;
	uint64_t pause_ms = argc > 3 ? strtoull(argv[3], NULL, 0) : 0;
	struct expect_shape shape = { 0, 1, VGPRS, LDS_BYTES, STEPS, 11 };
	hsa_agent_t agents[2] = { { 0 }, { 0 } };
	uint64_t *expected, i;
	hsa_queue_t *queue;
	struct page *p;

	must(hsa_init(), "hsa_init");
	hsa_iterate_agents(take_agent, agents);
	must(hsa_agent_get_info(agents[1], 0xa002 /* HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT */,
				&shape.groups), "compute units");
	must(hsa_queue_create(agents[1], 256, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX,
			      UINT32_MAX, &queue), "hsa_queue_create");
	p = make_kernel(agents[0], ms);
	expected = expect_results(&shape);
	for (i = 0; i < count; i++) {
		run(queue, p, shape.groups, expected);
		printf("completed %llu\n", (unsigned long long)i + 1);
		fflush(stdout);
		usleep(pause_ms * 1000);
	}
	free(expected);
	must(hsa_memory_free(p), "memory");
	must(hsa_queue_destroy(queue), "hsa_queue_destroy");
	must(hsa_shut_down(), "hsa_shut_down");
	printf("exact 1\n");
	return 0;
}
