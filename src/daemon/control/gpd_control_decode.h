/* SPDX-License-Identifier: MIT */
/*
 * What is asked on the control socket, checked against the interface
 * (io.gpreempt.varlink). The only place that looks at bytes of that socket; has no
 * state and touches nothing but its arguments (it is fuzzed).
 */
#ifndef GPD_CONTROL_DECODE_H
#define GPD_CONTROL_DECODE_H

#include "client/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPD_INTERFACE "io.gpreempt"
/* Longest request, without the NUL byte at its end. */
#define GPD_REQUEST_MAX 65536
/* The same for a connection without privileges: reading a request is one step of the daemon. */
#define GPD_REQUEST_USER_MAX (8u << 10)
#define GPD_TARGETS_MAX 1024
#define GPD_CHANGES_MAX 64
#define GPD_PARAM_NAME_LEN 64

/* X(NAME, "Method", has more): the methods of the interface. */
#define GPD_METHODS(X)                     \
	X(GET_INFO, "GetInfo")             \
	X(LIST_NODES, "ListNodes")         \
	X(LIST_PROCESSES, "ListProcesses") \
	X(LIST_QUEUES, "ListQueues")       \
	X(SET_ATTRIBUTES, "SetAttributes") \
	X(SUSPEND, "Suspend")              \
	X(RESUME, "Resume")                \
	X(GET_POLICY, "GetPolicy")         \
	X(SET_POLICY, "SetPolicy")         \
	X(GET_STATISTICS, "GetStatistics") \
	X(GET_METRICS, "GetMetrics")       \
	X(MONITOR, "Monitor")              \
	X(ATTACH, "Attach")                \
	X(DETACH, "Detach")                \
	X(GET_CONFIG, "GetConfig")         \
	X(RELOAD, "Reload")

enum gpd_method {
#define X(name, text) GPD_METHOD_##name,
	GPD_METHODS(X)
#undef X
	GPD_METHOD_COUNT
};

/* Parameters that were given and are not null: gpd_request.has */
#define GPD_HAS_PID (1u << 0)
#define GPD_HAS_GPU_ID (1u << 1)
#define GPD_HAS_ATTRIBUTES (1u << 2)
#define GPD_HAS_TARGETS (1u << 3)
#define GPD_HAS_LEASE (1u << 4)
#define GPD_HAS_TIMEOUT (1u << 5)
#define GPD_HAS_KEEP (1u << 6)
#define GPD_HAS_DRY_RUN (1u << 7)
#define GPD_HAS_POLICY (1u << 8)
#define GPD_HAS_ENABLED (1u << 9)
#define GPD_HAS_PARAMETERS (1u << 10)
#define GPD_HAS_TRACE (1u << 11)

/* Attributes that were given: gpd_attr_change.has */
#define GPD_ATTR_CLASS (1u << 0)
#define GPD_ATTR_PRIORITY (1u << 1)
#define GPD_ATTR_WEIGHT (1u << 2)
#define GPD_ATTR_SLICE (1u << 3)
#define GPD_ATTR_DEADLINE (1u << 4)
#define GPD_ATTR_LATENCY_CRITICAL (1u << 5)
#define GPD_ATTR_NO_PREEMPT (1u << 6)
#define GPD_ATTR_GROUP (1u << 7)

/**
 * struct gpd_attr_change - attributes to be changed
 * @has: GPD_ATTR_*
 * @latency_critical: value
 * @no_preempt: value
 * @priority: value
 * @weight: value
 * @slice_ns: value
 * @deadline_ns: value
 * @klass: value
 * @group: value, "" = none
 */
struct gpd_attr_change {
	uint32_t has;
	bool latency_critical;
	bool no_preempt;
	uint64_t priority;
	uint64_t weight;
	uint64_t slice_ns;
	uint64_t deadline_ns;
	char klass[WIRE_NAME_LEN];
	char group[WIRE_NAME_LEN];
};

/**
 * struct gpd_target - what to suspend or resume
 * @pid: process
 * @gpu_id: node, 0 = all of the process
 * @queue_id: queue, WIRE_QUEUE_ALL = all compute queues
 */
struct gpd_target {
	uint64_t pid;
	uint64_t gpu_id;
	uint64_t queue_id;
};

/**
 * struct gpd_change - a parameter of the core to be changed
 * @name: name
 * @value: value
 */
struct gpd_change {
	char name[GPD_PARAM_NAME_LEN];
	uint64_t value;
};

/**
 * struct gpd_request - a request
 * @method: method
 * @more: several replies are wanted
 * @oneway: no reply is wanted
 * @has: GPD_HAS_*
 * @pid: parameter
 * @gpu_id: parameter
 * @lease_ms: parameter
 * @timeout_ms: parameter
 * @keep: parameter
 * @dry_run: parameter
 * @enabled: parameter
 * @trace: parameter
 * @policy: parameter
 * @attributes: parameter
 * @targets: parameter
 * @nr_targets: how many
 * @parameters: parameter
 * @nr_parameters: how many
 */
struct gpd_request {
	enum gpd_method method;
	bool more;
	bool oneway;
	uint32_t has;
	uint64_t pid;
	uint64_t gpu_id;
	uint64_t lease_ms;
	uint64_t timeout_ms;
	bool keep;
	bool dry_run;
	bool enabled;
	bool trace;
	char policy[WIRE_NAME_LEN];
	struct gpd_attr_change attributes;
	struct gpd_target targets[GPD_TARGETS_MAX];
	uint32_t nr_targets;
	struct gpd_change parameters[GPD_CHANGES_MAX];
	uint32_t nr_parameters;
};

/**
 * struct gpd_refusal - why a request cannot be understood
 * @error: full name of the error
 * @key: key of its parameter: "parameter", "method", "interface"
 * @value: its value, for people
 */
struct gpd_refusal {
	const char *error;
	const char *key;
	char value[128];
};

/**
 * gpd_control_decode() - check one request
 * @text: JSON, not ended
 * @len: its length
 * @r: output
 * @refusal: output if it is refused
 *
 * Return: 0; -EBADMSG not a request at all, the connection is not worth keeping;
 * -EINVAL with @refusal to be sent back, and @r->oneway filled in.
 */
int gpd_control_decode(const char *text, size_t len, struct gpd_request *r,
		       struct gpd_refusal *refusal);

/* "GetInfo", …; NULL outside. */
const char *gpd_method_name(enum gpd_method method);

#endif
