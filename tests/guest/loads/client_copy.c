// SPDX-License-Identifier: MIT
/*
 * An ordinary ROCr program: copies to memory of the GPU and back, which ROCr does
 * with its SDMA queues.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#define BYTES (1ul << 20)

struct agents {
	hsa_agent_t gpu;
	hsa_agent_t cpu;
};

static void must(hsa_status_t status, const char *what)
{
	const char *text = "unknown";

	if (status == HSA_STATUS_SUCCESS)
		return;
	hsa_status_string(status, &text);
	printf("%s: %s\n", what, text);
	exit(1);
}

static hsa_status_t take_agent(hsa_agent_t agent, void *data)
{
	struct agents *agents = data;
	hsa_device_type_t type;

	must(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type), "agent");
	if (type == HSA_DEVICE_TYPE_GPU)
		agents->gpu = agent;
	else if (type == HSA_DEVICE_TYPE_CPU)
		agents->cpu = agent;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void *data)
{
	hsa_amd_segment_t segment;
	bool can_allocate = false;

	hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
	hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED,
				     &can_allocate);
	if (segment != HSA_AMD_SEGMENT_GLOBAL || !can_allocate)
		return HSA_STATUS_SUCCESS;
	*(hsa_amd_memory_pool_t *)data = pool;
	return HSA_STATUS_INFO_BREAK;
}

static void *allocate(hsa_agent_t owner, hsa_agent_t gpu)
{
	hsa_amd_memory_pool_t pool = { 0 };
	void *mem;

	hsa_amd_agent_iterate_memory_pools(owner, take_pool, &pool);
	must(hsa_amd_memory_pool_allocate(pool, BYTES, 0, &mem), "allocate");
	must(hsa_amd_agents_allow_access(1, &gpu, NULL, mem), "allow access");
	return mem;
}

static void copy(void *dst, hsa_agent_t dst_agent, const void *src, hsa_agent_t src_agent)
{
	hsa_signal_t done;

	must(hsa_signal_create(1, 0, NULL, &done), "signal");
	must(hsa_amd_memory_async_copy(dst, dst_agent, src, src_agent, BYTES, 0, NULL, done),
	     "copy");
	if (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, 10000000000ull,
				      HSA_WAIT_STATE_BLOCKED)) {
		printf("the copy did not complete\n");
		exit(1);
	}
	must(hsa_signal_destroy(done), "signal");
}

int main(void)
{
	struct agents agents = { { 0 }, { 0 } };
	uint32_t *to, *from;
	void *vram;
	size_t i;

	must(hsa_init(), "hsa_init");
	must(hsa_iterate_agents(take_agent, &agents), "agents");
	to = allocate(agents.cpu, agents.gpu);
	from = allocate(agents.cpu, agents.gpu);
	vram = allocate(agents.gpu, agents.gpu);
	for (i = 0; i < BYTES / 4; i++)
		to[i] = i * 2654435761u;
	memset(from, 0, BYTES);
	copy(vram, agents.gpu, to, agents.cpu);
	copy(from, agents.cpu, vram, agents.gpu);
	if (memcmp(to, from, BYTES)) {
		printf("the data differ\n");
		return 1;
	}
	must(hsa_shut_down(), "hsa_shut_down");
	printf("%lu bytes there and back\n", BYTES);
	return 0;
}
