// SPDX-License-Identifier: MIT
/*
 * An ordinary ROCr program: finds the GPU, makes a queue, sends barrier packets and
 * waits for their signals, once spinning and once asleep.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hsa/amd_hsa_queue.h>
#include <hsa/hsa.h>

#include "gpu/aql.h"

#define NR_PACKETS 10

/* The model's words are those of this ROCr. */
#define IS_AT(ours, theirs)                                                     \
	_Static_assert(offsetof(struct gpu_queue_words, ours) ==                \
			       offsetof(amd_queue_t, theirs) -                  \
				       offsetof(amd_queue_t, read_dispatch_id), \
		       #theirs)
IS_AT(queue_offset, read_dispatch_id_field_base_byte_offset);
IS_AT(tmpring, compute_tmpring_size);
IS_AT(descriptor, scratch_resource_descriptor);
IS_AT(base, scratch_backing_memory_location);
IS_AT(bytes, scratch_backing_memory_byte_size);
IS_AT(lane_bytes, scratch_wave64_lane_byte_size);
IS_AT(inactive_signal, queue_inactive_signal);

static void must(hsa_status_t status, const char *what)
{
	const char *text = "unknown";

	if (status == HSA_STATUS_SUCCESS)
		return;
	hsa_status_string(status, &text);
	printf("%s: %s\n", what, text);
	exit(1);
}

static hsa_status_t take_gpu(hsa_agent_t agent, void *data)
{
	hsa_device_type_t type;

	must(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type), "agent");
	if (type != HSA_DEVICE_TYPE_GPU)
		return HSA_STATUS_SUCCESS;
	*(hsa_agent_t *)data = agent;
	return HSA_STATUS_INFO_BREAK;
}

static void send_barrier(hsa_queue_t *queue, hsa_signal_t done)
{
	uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
	hsa_barrier_and_packet_t *packet =
		(hsa_barrier_and_packet_t *)queue->base_address + index % queue->size;
	uint16_t header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
			  1 << HSA_PACKET_HEADER_BARRIER;

	memset((uint8_t *)packet + 2, 0, sizeof(*packet) - 2);
	packet->completion_signal = done;
	__atomic_store_n(&packet->header, header, __ATOMIC_RELEASE);
	hsa_signal_store_screlease(queue->doorbell_signal, index);
}

static void run(hsa_queue_t *queue, hsa_wait_state_t how)
{
	hsa_signal_t done;
	int i;

	must(hsa_signal_create(1, 0, NULL, &done), "signal");
	for (i = 0; i < NR_PACKETS; i++) {
		hsa_signal_store_relaxed(done, 1);
		send_barrier(queue, done);
		if (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, 5000000000ull,
					      how)) {
			printf("packet %d did not complete\n", i);
			exit(1);
		}
	}
	must(hsa_signal_destroy(done), "signal");
}

int main(void)
{
	hsa_agent_t gpu = { 0 };
	hsa_queue_t *queue;
	char name[64] = "";

	must(hsa_init(), "hsa_init");
	hsa_iterate_agents(take_gpu, &gpu);
	must(hsa_agent_get_info(gpu, HSA_AGENT_INFO_NAME, name), "name");
	must(hsa_queue_create(gpu, 256, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX,
			      &queue), "hsa_queue_create");
	run(queue, HSA_WAIT_STATE_ACTIVE);
	run(queue, HSA_WAIT_STATE_BLOCKED);
	must(hsa_queue_destroy(queue), "hsa_queue_destroy");
	must(hsa_shut_down(), "hsa_shut_down");
	printf("%s: %d barriers\n", name, 2 * NR_PACKETS);
	return 0;
}
