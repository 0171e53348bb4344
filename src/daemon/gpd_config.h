/* SPDX-License-Identifier: MIT */
/*
 * The configuration: values with their origin. A struct gpd_config is read as a
 * whole, checked as a whole, and then either replaces the one in force or is thrown
 * away; nothing changes one in place but gpd_config_set().
 */
#ifndef GPD_CONFIG_H
#define GPD_CONFIG_H

#include "rules/cgroup.h"
#include "rules/text.h"

#include <limits.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define GPD_CONFIG_FILE "/etc/gpreempt/gpreemptd.conf"
#define GPD_DEFAULT_CLASS "default"
#define GPD_NAME_LEN 32
#define GPD_CLASSES_MAX 32
#define GPD_PARAMS_MAX 64
#define GPD_SETTINGS_MAX 256
#define GPD_PATTERNS_MAX 64
#define GPD_PATTERN_LEN 48
#define GPD_ORIGIN_LEN 160
#define GPD_VALUE_LEN 160

enum gpd_dbg_mode {
	GPD_DBG_OFF,	/* no process is traced */
	GPD_DBG_MANUAL,	/* those that are asked for */
	GPD_DBG_AUTO,	/* every process with queues that has no shim */
};

enum gpd_mechanism {
	GPD_MECHANISM_AUTO,   /* the kernel module where it is loaded */
	GPD_MECHANISM_USER,   /* never the module */
	GPD_MECHANISM_KERNEL, /* the module; it is missed if it is not loaded */
};

/* A class of processes. */
struct gpd_class {
	char name[GPD_NAME_LEN];
	struct gp_attr attr; /* what a process of this class gets */
	bool open;	     /* every process may say that it belongs to it */
};

/* What is said of the cgroups whose path matches. */
struct gpd_pattern {
	char pattern[GPD_PATTERN_LEN];
	struct gp_cgroup_attr attr;
};

/* A parameter of the core to be set on a node, or on every node. */
struct gpd_param {
	char name[GP_TEXT_PARAM_MAX];
	uint64_t value;
};

/* One value as it was written. */
struct gpd_setting {
	char section[GPD_PATTERN_LEN + 8]; /* "class NAME" for a class, "cgroup PATTERN" */
	char key[64];
	char value[GPD_VALUE_LEN];
	char origin[GPD_ORIGIN_LEN]; /* "FILE:LINE", "default" or "command line" */
};

/* The configuration; gpreemptd.conf(5) says what each value means. */
struct gpd_config {
	char socket[PATH_MAX];		 /* path of the control socket */
	char state_dir[PATH_MAX];	 /* where the state file is; "" = beside the socket */
	char tracer[PATH_MAX];		 /* gpreempt-tracer; "" = where it was installed */
	char group[GPD_NAME_LEN];	 /* its members are privileged; "" = none */
	gid_t gid;			 /* its number, (gid_t)-1 = none */
	uint64_t socket_mode;		 /* of the control socket */
	uint64_t client_mode;		 /* of the client socket */
	char socket_group[GPD_NAME_LEN]; /* group of both; "" = that of the daemon */
	gid_t socket_gid;		 /* its number, (gid_t)-1 = that of the daemon */
	uint64_t lease_ns;		 /* lease of a hold */
	uint64_t poll_ns;		 /* how often clients look at pointers */
	uint64_t quiet_ns;		 /* how long a queue is quiet before idle is to be proven */
	uint64_t http_port;		 /* port of metrics, 0 = off */
	char http_address[INET6_ADDRSTRLEN]; /* where it is */
	enum gpd_mechanism mechanism;	 /* what schedules */
	enum gpd_dbg_mode dbg;		 /* which processes are traced */
	bool self_dbg;			 /* clients may stop queues by DBG_TRAP on themselves */
	uint64_t max_clients;
	uint64_t max_connections;  /* most control connections */
	uint64_t message_rate;	   /* messages a second and client */
	uint64_t message_burst;	   /* messages at once */
	uint64_t edge_rate;	   /* edges a second and client */
	uint64_t edge_burst;	   /* edges at once */
	uint32_t nr_sim;	   /* simulated nodes */
	char policy[GPD_NAME_LEN]; /* policy of every node */
	struct gpd_param params[GPD_PARAMS_MAX];
	uint32_t nr_params;
	struct gpd_class classes[GPD_CLASSES_MAX];
	uint32_t nr_classes;
	struct gpd_pattern cgroups[GPD_PATTERNS_MAX]; /* in the order they were written */
	uint32_t nr_cgroups;
	struct gpd_setting settings[GPD_SETTINGS_MAX]; /* every value with its origin */
	uint32_t nr_settings;
};

/* What holds if nothing is said. */
void gpd_config_default(struct gpd_config *c);

/*
 * Set a value of section "daemon", "policy", "class NAME" or "cgroup PATTERN" that @origin said.
 * 0, -EINVAL with @error: what is wrong, without the origin.
 */
int gpd_config_set(struct gpd_config *c, const char *section, const char *key, const char *value,
		   const char *origin, char *error, size_t size);

/* Check what only shows in the whole, and look up the groups. 0, -EINVAL with @error. */
int gpd_config_finish(struct gpd_config *c, char *error, size_t size);

/* A class by name, NULL if there is none. */
const struct gpd_class *gpd_config_class(const struct gpd_config *c, const char *name);

/* What was written last for a key, NULL if nothing was. */
const struct gpd_setting *gpd_config_setting(const struct gpd_config *c, const char *section,
					     const char *key);

#endif
