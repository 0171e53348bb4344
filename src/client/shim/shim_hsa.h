/* SPDX-License-Identifier: MIT */
/*
 * The side of ROCr: the functions it calls in a tool, the wrapped doorbell stores, and
 * stores that programs bind to by name, for a ROCr that hands out no table.
 */
#ifndef GP_SHIM_HSA_H
#define GP_SHIM_HSA_H

#include <hsa/hsa.h>

#include "client/shim/shim.h"

/*
 * struct HsaApiTable and struct CoreApiTable of hsa_api_trace.h, which is C++: a
 * version of four words, then pointers. The place of each function in the core table
 * is the same from 5.2 to 6.4; a test compares it with the installed header.
 */
#define SHIM_HSA_NR_CORE 125

enum shim_hsa_core {
	SHIM_HSA_QUEUE_CREATE = 7,
	SHIM_HSA_QUEUE_DESTROY = 9,
	SHIM_HSA_QUEUE_STORE_WRITE_INDEX_RELAXED = 15,
	SHIM_HSA_QUEUE_STORE_WRITE_INDEX_SCRELEASE = 16,
	SHIM_HSA_QUEUE_CAS_WRITE_INDEX_SCACQ_SCREL = 17,
	SHIM_HSA_MEMORY_COPY = 35,
	SHIM_HSA_SIGNAL_CREATE = 37,
	SHIM_HSA_SIGNAL_DESTROY = 38,
	SHIM_HSA_SIGNAL_STORE_RELAXED = 41,
	SHIM_HSA_SIGNAL_STORE_SCRELEASE = 42,
	SHIM_HSA_EXECUTABLE_LOAD_CODE_OBJECT = 85,
	SHIM_HSA_EXECUTABLE_FREEZE = 86,
	SHIM_HSA_SIGNAL_SILENT_STORE_RELAXED = 102,
	SHIM_HSA_SIGNAL_SILENT_STORE_SCRELEASE = 103,
	SHIM_HSA_EXECUTABLE_LOAD_AGENT_CODE_OBJECT = 120,
};

/**
 * struct shim_hsa_version - of a table
 * @major: layout
 * @minor: bytes of the table
 * @step: not used
 * @reserved: not used
 */
struct shim_hsa_version {
	uint32_t major;
	uint32_t minor;
	uint32_t step;
	uint32_t reserved;
};

/**
 * struct shim_hsa_core_table - core functions
 * @version: its size is in @version.minor
 * @fn: by enum shim_hsa_core
 */
struct shim_hsa_core_table {
	struct shim_hsa_version version;
	void *fn[SHIM_HSA_NR_CORE];
};

/**
 * struct shim_hsa_table - what ROCr hands to a tool
 * @version: of this
 * @core: the only part used
 */
struct shim_hsa_table {
	struct shim_hsa_version version;
	struct shim_hsa_core_table *core;
};

/* Load order among tools that ROCr finds by this name: low = near to ROCr. */
extern const uint32_t HSA_AMD_TOOL_PRIORITY;

/**
 * OnLoad() - ROCr begins
 * @table: functions, to be replaced
 * @runtime_version: not used
 * @nr_failed: not used
 * @failed: not used
 *
 * Return: true, else the library would be unloaded.
 */
bool OnLoad(struct shim_hsa_table *table, uint64_t runtime_version, uint64_t nr_failed,
	    const char *const *failed);

/* ROCr ends. Queues inside it are still there. */
void OnUnload(void);

#endif
