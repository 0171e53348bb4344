// SPDX-License-Identifier: MIT
/*
 * An ordinary ROCr program that computes with machine code: ROCr loads a code object that LLVM
 * has made, finds its kernel and runs it, and each result is compared with what the processor
 * computes. It knows nothing of gpreempt.
 *
 *   client_code FILE [COUNT]
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hsa/hsa.h>

#include "loads/client_hsa.h"

#define GROUPS 8
#define ITEMS (GROUPS * 64)
#define TABLE 1024
#define ROUNDS 500
#define WAIT_NS 60000000000ull

/* What both sides see: the arguments of "churn" and what they point to. */
struct memory {
	uint32_t a[TABLE];
	uint32_t b[TABLE];
	uint32_t c[TABLE];
	struct {
		uint64_t a, b, c;
		uint32_t n;
	} args __attribute__((aligned(64)));
};

/* The address of the kernel's descriptor, as ROCr has loaded it. */
static uint64_t load(hsa_agent_t gpu, const char *path)
{
	hsa_code_object_reader_t reader;
	hsa_executable_t executable;
	hsa_executable_symbol_t symbol;
	uint64_t object;
	int fd = open(path, O_RDONLY);

	if (fd < 0) {
		perror(path);
		exit(1);
	}
	must(hsa_code_object_reader_create_from_file(fd, &reader), "code object");
	must(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
				       NULL, &executable), "executable");
	must(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL), "load");
	must(hsa_executable_freeze(executable, NULL), "freeze");
	must(hsa_executable_get_symbol_by_name(executable, "churn.kd", &gpu, &symbol), "kernel");
	must(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
					    &object), "kernel");
	return object;
}

static void dispatch(hsa_queue_t *queue, uint64_t object, struct memory *m, hsa_signal_t done)
{
	uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
	hsa_kernel_dispatch_packet_t *packet =
		(hsa_kernel_dispatch_packet_t *)queue->base_address + index % queue->size;
	uint16_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
			  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
			  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;

	memset((uint8_t *)packet + 2, 0, sizeof(*packet) - 2);
	packet->setup = 1;
	packet->workgroup_size_x = 64;
	packet->workgroup_size_y = 1;
	packet->workgroup_size_z = 1;
	packet->grid_size_x = ITEMS;
	packet->grid_size_y = 1;
	packet->grid_size_z = 1;
	packet->kernel_object = object;
	packet->kernarg_address = &m->args;
	packet->completion_signal = done;
	__atomic_store_n(&packet->header, header, __ATOMIC_RELEASE);
	hsa_signal_store_screlease(queue->doorbell_signal, index);
}

static uint32_t rotate(uint32_t x, uint32_t by)
{
	return x << by | x >> (32 - by);
}

/* churn of tests/isa/kernels/integer.cl */
static uint32_t expected(const struct memory *m, uint32_t i)
{
	uint32_t x = m->a[i], y = m->b[i], k;

	for (k = 0; k < ROUNDS; k++) {
		x = x * 1664525u + m->a[x >> 20 & 1023];
		y ^= rotate(x, 7) + k;
	}
	return x ^ y;
}

static void fill(struct memory *m, uint64_t seed)
{
	uint32_t i;

	for (i = 0; i < TABLE; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		m->a[i] = seed >> 32;
		m->b[i] = seed >> 13;
		m->c[i] = 0;
	}
	m->args.a = (uintptr_t)m->a;
	m->args.b = (uintptr_t)m->b;
	m->args.c = (uintptr_t)m->c;
	m->args.n = ROUNDS;
}

static void run(hsa_queue_t *queue, uint64_t object, struct memory *m, uint64_t seed)
{
	hsa_signal_t done;
	uint32_t i;

	fill(m, seed);
	must(hsa_signal_create(1, 0, NULL, &done), "signal");
	dispatch(queue, object, m, done);
	if (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, WAIT_NS,
				      HSA_WAIT_STATE_BLOCKED)) {
		printf("a kernel did not end\n");
		exit(1);
	}
	for (i = 0; i < ITEMS; i++)
		if (m->c[i] != expected(m, i)) {
			printf("work-item %u: a wrong result\n", i);
			exit(1);
		}
	must(hsa_signal_destroy(done), "signal");
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : 5;
	hsa_agent_t agents[2] = { { 0 }, { 0 } };
	hsa_region_t region = { 0 };
	hsa_queue_t *queue;
	struct memory *m;
	uint64_t object, i;

	if (argc < 2)
		return 2;
	/* What is said is said, also if ROCr aborts at the end. */
	setvbuf(stdout, NULL, _IONBF, 0);
	must(hsa_init(), "hsa_init");
	hsa_iterate_agents(take_agent, agents);
	hsa_agent_iterate_regions(agents[0], take_kernarg_region, &region);
	must(hsa_memory_allocate(region, sizeof(*m), (void **)&m), "memory");
	must(hsa_queue_create(agents[1], 256, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX,
			      UINT32_MAX, &queue), "hsa_queue_create");
	object = load(agents[1], argv[1]);
	for (i = 0; i < count; i++) {
		run(queue, object, m, i);
		printf("completed %llu\n", (unsigned long long)i + 1);
	}
	must(hsa_memory_free(m), "memory");
	must(hsa_queue_destroy(queue), "hsa_queue_destroy");
	must(hsa_shut_down(), "hsa_shut_down");
	printf("exact 1\n");
	return 0;
}
