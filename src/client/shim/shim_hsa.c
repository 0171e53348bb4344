// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "client/shim/shim_hsa.h"

#include <dlfcn.h>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <string.h>

#include "client/shim/shim_part.h"

#define EXPORT __attribute__((visibility("default")))
#define LIBRARY "libhsa-runtime64.so.1"

typedef void (*store_fn)(hsa_signal_t signal, hsa_signal_value_t value);
typedef hsa_status_t (*queue_create_fn)(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
					void (*callback)(hsa_status_t, hsa_queue_t *, void *),
					void *data, uint32_t private_bytes, uint32_t group_bytes,
					hsa_queue_t **out);

EXPORT const uint32_t HSA_AMD_TOOL_PRIORITY = 50;

/* ROCr's own, from the table. Written in OnLoad, before any queue exists. */
static void *real[SHIM_HSA_NR_CORE];
static struct shim_hsa_calls calls;
static bool has_table;

/* Not 0: an idle queue may be behind this signal. Ordinary signals have kind 1. */
static inline uint32_t may_be_idle(const amd_signal_t *signal)
{
	if (signal->kind >= 0)
		return 0;
	return __atomic_load_n(&shim_slots[shim_slot((uintptr_t)
						     signal->hardware_doorbell_ptr)],
			       __ATOMIC_RELAXED);
}

static __attribute__((noinline, cold)) void tell(const amd_signal_t *signal)
{
	shim_detect_ring(&shim_self, (uintptr_t)signal->hardware_doorbell_ptr,
			 (uintptr_t)&signal->queue_ptr->write_dispatch_id);
}

/*
 * The state is loaded before the ring and told after it: see shim_part.h. The GPU
 * must not wait for the shim.
 */
#define STORE(name, index)                                                             \
	static void name(hsa_signal_t signal, hsa_signal_value_t value)                 \
	{                                                                              \
		const amd_signal_t *s = (amd_signal_t *)(uintptr_t)signal.handle;       \
		uint32_t idle = may_be_idle(s);                                         \
		((store_fn)real[index])(signal, value);                                 \
		if (__builtin_expect(idle, 0))                                          \
			tell(s);                                                       \
	}

STORE(store_relaxed, SHIM_HSA_SIGNAL_STORE_RELAXED)
STORE(store_screlease, SHIM_HSA_SIGNAL_STORE_SCRELEASE)
STORE(silent_store_relaxed, SHIM_HSA_SIGNAL_SILENT_STORE_RELAXED)
STORE(silent_store_screlease, SHIM_HSA_SIGNAL_SILENT_STORE_SCRELEASE)

static hsa_status_t queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
				 void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
				 uint32_t private_bytes, uint32_t group_bytes, hsa_queue_t **out)
{
	hsa_status_t r = ((queue_create_fn)real[SHIM_HSA_QUEUE_CREATE])(
		agent, size, type, callback, data, private_bytes, group_bytes, out);

	if (r == HSA_STATUS_SUCCESS)
		shim_hsa_queue_attach(&shim_self, *out, agent, &calls);
	return r;
}

static hsa_status_t queue_destroy(hsa_queue_t *queue)
{
	struct shim_hsa_queue *h = shim_hsa_queue_detach(&shim_self, queue);
	hsa_status_t r = ((hsa_status_t(*)(hsa_queue_t *))real[SHIM_HSA_QUEUE_DESTROY])(queue);

	if (h)
		shim_hsa_queue_free(h);
	return r;
}

/* Before the first index is stored: no barrier packet was put in yet. */
static inline void note_store(const hsa_queue_t *queue)
{
	if (queue->type == HSA_QUEUE_TYPE_MULTI &&
	    !__atomic_load_n(&shim_self.stores_index, __ATOMIC_RELAXED))
		__atomic_store_n(&shim_self.stores_index, true, __ATOMIC_RELAXED);
}

#define STORE_INDEX(name, index)                                                       \
	static void name(const hsa_queue_t *queue, uint64_t value)                      \
	{                                                                              \
		note_store(queue);                                                      \
		((void (*)(const hsa_queue_t *, uint64_t))real[index])(queue, value);   \
	}

STORE_INDEX(store_index_relaxed, SHIM_HSA_QUEUE_STORE_WRITE_INDEX_RELAXED)
STORE_INDEX(store_index_screlease, SHIM_HSA_QUEUE_STORE_WRITE_INDEX_SCRELEASE)

/*
 * Calls inside which ROCr rings queues of its own: before, because it rings and waits
 * inside; after, because idle may have been proven before it rang.
 */
#define RINGS_INSIDE(name, index, params, args)                                        \
	static hsa_status_t name params                                                 \
	{                                                                              \
		hsa_status_t r;                                                         \
		shim_detect_api(&shim_self);                                            \
		r = ((hsa_status_t(*) params)real[index])args;                          \
		shim_detect_api(&shim_self);                                            \
		return r;                                                               \
	}

RINGS_INSIDE(memory_copy, SHIM_HSA_MEMORY_COPY, (void *to, const void *from, size_t bytes),
	     (to, from, bytes))
RINGS_INSIDE(executable_freeze, SHIM_HSA_EXECUTABLE_FREEZE,
	     (hsa_executable_t e, const char *options), (e, options))
RINGS_INSIDE(load_code_object, SHIM_HSA_EXECUTABLE_LOAD_CODE_OBJECT,
	     (hsa_executable_t e, hsa_agent_t agent, hsa_code_object_t code, const char *options),
	     (e, agent, code, options))
RINGS_INSIDE(load_agent_code_object, SHIM_HSA_EXECUTABLE_LOAD_AGENT_CODE_OBJECT,
	     (hsa_executable_t e, hsa_agent_t agent, hsa_code_object_reader_t reader,
	      const char *options, hsa_loaded_code_object_t *out),
	     (e, agent, reader, options, out))

static const struct {
	enum shim_hsa_core place;
	void *fn;
} wrapped[] = {
	{ SHIM_HSA_QUEUE_CREATE, queue_create },
	{ SHIM_HSA_QUEUE_DESTROY, queue_destroy },
	{ SHIM_HSA_QUEUE_STORE_WRITE_INDEX_RELAXED, store_index_relaxed },
	{ SHIM_HSA_QUEUE_STORE_WRITE_INDEX_SCRELEASE, store_index_screlease },
	{ SHIM_HSA_MEMORY_COPY, memory_copy },
	{ SHIM_HSA_SIGNAL_STORE_RELAXED, store_relaxed },
	{ SHIM_HSA_SIGNAL_STORE_SCRELEASE, store_screlease },
	{ SHIM_HSA_EXECUTABLE_LOAD_CODE_OBJECT, load_code_object },
	{ SHIM_HSA_EXECUTABLE_FREEZE, executable_freeze },
	{ SHIM_HSA_SIGNAL_SILENT_STORE_RELAXED, silent_store_relaxed },
	{ SHIM_HSA_SIGNAL_SILENT_STORE_SCRELEASE, silent_store_screlease },
	{ SHIM_HSA_EXECUTABLE_LOAD_AGENT_CODE_OBJECT, load_agent_code_object },
};

EXPORT bool OnLoad(struct shim_hsa_table *table, uint64_t runtime_version, uint64_t nr_failed,
		   const char *const *failed)
{
	struct shim_hsa_core_table *core = table->core;
	size_t i;

	/* A table that is too small is not a known one. */
	if (core->version.minor < sizeof(*core))
		return true;
	/* A table that was never reset has the functions of the shim in it. */
	if (core->fn[SHIM_HSA_QUEUE_CREATE] == (void *)queue_create)
		return true;
	memcpy(real, core->fn, sizeof(real));
	calls.cas_write_index = real[SHIM_HSA_QUEUE_CAS_WRITE_INDEX_SCACQ_SCREL];
	calls.signal_create = real[SHIM_HSA_SIGNAL_CREATE];
	calls.signal_destroy = real[SHIM_HSA_SIGNAL_DESTROY];
	calls.store = real[SHIM_HSA_SIGNAL_STORE_SCRELEASE];
	for (i = 0; i < sizeof(wrapped) / sizeof(wrapped[0]); i++)
		core->fn[wrapped[i].place] = wrapped[i].fn;
	__atomic_store_n(&has_table, true, __ATOMIC_RELEASE);
	shim_self.sees |= WIRE_SEES_TABLE;
	shim_debug("ROCr %u: table", core->version.major);
	return true;
}

/* The application may still call the wrapped functions: real[] stays. */
EXPORT void OnUnload(void)
{
	__atomic_store_n(&has_table, false, __ATOMIC_RELEASE);
	shim_self.sees &= ~WIRE_SEES_TABLE;
	shim_hsa_queue_detach_all(&shim_self);
}

/* Programs load ROCr where RTLD_NEXT does not look. */
static store_fn find_store(store_fn *cache, const char *name)
{
	void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
	store_fn fn = NULL;

	if (library) {
		fn = (store_fn)dlsym(library, name);
		dlclose(library);
	}
	if (!fn)
		fn = (store_fn)dlsym(RTLD_NEXT, name);
	__atomic_store_n(cache, fn, __ATOMIC_RELEASE);
	return fn;
}

/* With a table ROCr calls the wrapped store through it. */
static inline void store_by_name(store_fn *cache, const char *name, hsa_signal_t signal,
				 hsa_signal_value_t value)
{
	const amd_signal_t *s = (amd_signal_t *)(uintptr_t)signal.handle;
	store_fn fn = __atomic_load_n(cache, __ATOMIC_ACQUIRE);
	uint32_t idle = 0;

	if (!fn)
		fn = find_store(cache, name);
	if (!__atomic_load_n(&has_table, __ATOMIC_RELAXED)) {
		idle = may_be_idle(s);
		if (s->kind < 0 && !(shim_self.sees & WIRE_SEES_SYMBOL))
			shim_self.sees |= WIRE_SEES_SYMBOL;
	}
	fn(signal, value);
	if (__builtin_expect(idle, 0))
		tell(s);
}

EXPORT void hsa_signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value)
{
	static store_fn fn;

	store_by_name(&fn, "hsa_signal_store_relaxed", signal, value);
}

EXPORT void hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value)
{
	static store_fn fn;

	store_by_name(&fn, "hsa_signal_store_screlease", signal, value);
}
