/* SPDX-License-Identifier: MIT */
/*
 * What is asked on the control socket, checked against the interface
 * (io.gpreempt.varlink). The only place that looks at bytes of that socket; has no
 * state and touches nothing but its arguments (it is fuzzed).
 */
#ifndef GPD_CONTROL_DECODE_H
#define GPD_CONTROL_DECODE_H

#include "client/wire.h"
#include "daemon/gpd_config.h"
#include "rules/right.h"

#include <jansson.h>
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
/* Longest path of a cgroup, with its zero. */
#define GPD_CGROUP_LEN 512

/* X(NAME, "Method"): the methods of the interface. */
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
	X(RELOAD, "Reload")                \
	X(GRANT, "Grant")                  \
	X(REVOKE, "Revoke")                \
	X(LIST_GRANTS, "ListGrants")       \
	X(LIST_TOTALS, "ListTotals")         \
	X(SET_CGROUP, "SetCgroup")         \
	X(LIST_CGROUPS, "ListCgroups")

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
#define GPD_HAS_CGROUP (1u << 12)
#define GPD_HAS_GROUP (1u << 13)
#define GPD_HAS_SETTINGS (1u << 14)

/* gpd_attr_change.has, above enum gp_attr_bit */
#define GPD_ATTR_CLASS (GP_ATTR_ALL + 1u)
#define GPD_ATTR_GROUP (2 * GPD_ATTR_CLASS)

/* Attributes to be changed. */
struct gpd_attr_change {
	uint32_t has; /* which were given: enum gp_attr_bit, GPD_ATTR_* */
	struct gp_attr attr;
	char klass[WIRE_NAME_LEN];
	char group[WIRE_NAME_LEN]; /* "" = none */
};

/* What to suspend or resume. */
struct gpd_target {
	uint64_t pid;
	uint64_t gpu_id;   /* 0 = all of the process */
	uint64_t queue_id; /* WIRE_QUEUE_ALL = all compute queues */
};

/* A request; the interface says what the parameters mean. */
struct gpd_request {
	enum gpd_method method;
	bool more;    /* several replies are wanted */
	bool oneway;  /* no reply is wanted */
	uint32_t has; /* GPD_HAS_* */
	uint64_t pid;
	uint64_t gpu_id;
	uint64_t lease_ms;
	uint64_t timeout_ms;
	bool keep;
	bool dry_run;
	bool enabled;
	bool trace;
	char policy[WIRE_NAME_LEN];
	char cgroup[GPD_CGROUP_LEN];
	char group[WIRE_NAME_LEN];
	struct gp_cgroup_attr settings;
	uint32_t clear; /* enum gp_cgroup_bit of settings that are taken back */
	struct gpd_attr_change attributes;
	struct gpd_target targets[GPD_TARGETS_MAX];
	uint32_t nr_targets;
	struct gpd_param parameters[GPD_CHANGES_MAX];
	uint32_t nr_parameters;
};

/* Why a request cannot be understood. */
struct gpd_refusal {
	const char *error; /* full name of the error */
	const char *key;   /* key of its parameter: "parameter", "method", ... */
	char value[128];   /* its value, for people */
};

/*
 * Check one request. 0; -EBADMSG not a request at all, the connection is not worth keeping;
 * -EINVAL with @refusal to be sent back, and @r->oneway filled in.
 */
int gpd_control_decode(const char *text, size_t len, struct gpd_request *r,
		       struct gpd_refusal *refusal);

/*
 * Check Attributes of the interface; those that are null are left out. @a is all zero before.
 * 0, -EINVAL; with @refusal unless @value is no object at all.
 */
int gpd_control_read_attributes(json_t *value, struct gpd_attr_change *a,
				struct gpd_refusal *refusal);

/* "GetInfo", …; NULL outside. */
const char *gpd_method_name(enum gpd_method method);

#endif
