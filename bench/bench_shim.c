// SPDX-License-Identifier: MIT
/*
 * The wrapped store is entered as ROCr enters it, through its table of functions; below
 * it is a function that stores to memory, as there is no doorbell here: on hardware the
 * store is uncached and takes longer, with and without the wrapper.
 */
#include "bench_shim.h"

#include <errno.h>
#include <hsa/amd_hsa_signal.h>

#include "bench.h"
#include "client/shim/shim_hsa.h"
#include "client/shim/shim.h"

#define STORES 2000000
#define NR_ROUNDS 15
#define BOUND_NS 20.0

struct shim shim_self;

typedef void (*store_fn)(hsa_signal_t signal, hsa_signal_value_t value);

static uint64_t page[1024] __attribute__((aligned(8192)));
static amd_queue_t queue;

static __attribute__((noinline)) void store(hsa_signal_t signal, hsa_signal_value_t value)
{
	amd_signal_t *s = (amd_signal_t *)(uintptr_t)signal.handle;

	if (s->kind == AMD_SIGNAL_KIND_DOORBELL)
		__atomic_store_n(s->hardware_doorbell_ptr, (uint64_t)value, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&s->value, value, __ATOMIC_RELEASE);
}

/* Return: ns per store. */
static double measure(volatile store_fn *fn, amd_signal_t *signal)
{
	hsa_signal_t handle = { (uintptr_t)signal };
	uint64_t start = bench_cpu_ns();
	int i;

	for (i = 0; i < STORES; i++)
		(*fn)(handle, i);
	return (double)(bench_cpu_ns() - start) / STORES;
}

/* Both in turns, so that what else the machine does meets both. */
static int compare(struct bench *b, const char *name, volatile store_fn *wrapped,
		   amd_signal_t *signal)
{
	struct bench_result r = { .bench = "shim.doorbell", .name = name, .unit = "ns added",
				     .bound = BOUND_NS, .kind = BENCH_AT_MOST };
	double plain[NR_ROUNDS], with[NR_ROUNDS];
	volatile store_fn bare = store;
	int i;

	for (i = 0; i < NR_ROUNDS; i++) {
		plain[i] = measure(&bare, signal);
		with[i] = measure(wrapped, signal);
	}
	r.baseline = bench_median(plain, NR_ROUNDS);
	r.has_baseline = true;
	r.value = bench_median(with, NR_ROUNDS) - r.baseline;
	return bench_report(b, &r);
}

int bench_shim(struct bench *b)
{
	static struct shim_hsa_core_table core;
	struct shim_hsa_table table = { .core = &core };
	amd_signal_t doorbell = { .kind = AMD_SIGNAL_KIND_DOORBELL, .hardware_doorbell_ptr = page,
				  .queue_ptr = &queue };
	amd_signal_t other = { .kind = AMD_SIGNAL_KIND_USER };
	volatile store_fn wrapped;
	int err;

	core.version.minor = sizeof(core);
	core.fn[SHIM_HSA_SIGNAL_STORE_SCRELEASE] = store;
	OnLoad(&table, 1, 0, NULL);
	wrapped = (store_fn)core.fn[SHIM_HSA_SIGNAL_STORE_SCRELEASE];
	if (wrapped == store)
		return -ENOSYS;
	err = compare(b, "doorbell of a busy queue", &wrapped, &doorbell);
	return err ? err : compare(b, "another signal", &wrapped, &other);
}
