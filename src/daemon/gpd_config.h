/* SPDX-License-Identifier: MIT */
/*
 * The configuration: values with their origin. A struct gpd_config is read as a
 * whole, checked as a whole, and then either replaces the one in force or is thrown
 * away; nothing changes one in place but gpd_config_set().
 */
#ifndef GPD_CONFIG_H
#define GPD_CONFIG_H

#include "core/sched.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define GPD_CONFIG_FILE "/etc/gpreempt/gpreemptd.conf"
#define GPD_NAME_LEN 32
#define GPD_CLASSES_MAX 32
#define GPD_PARAMS_MAX 64
#define GPD_SETTINGS_MAX 256
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

/**
 * struct gpd_class - a class of processes
 * @name: name
 * @attr: what a process of this class gets
 * @open: everybody may say that he belongs to it
 */
struct gpd_class {
	char name[GPD_NAME_LEN];
	struct gp_attr attr;
	bool open;
};

/**
 * struct gpd_param - a parameter of the core to be set on every node
 * @name: name
 * @value: value
 */
struct gpd_param {
	char name[64];
	uint64_t value;
};

/**
 * struct gpd_setting - one value as it was written
 * @section: section, "class NAME" for a class
 * @key: key
 * @value: value
 * @origin: "FILE:LINE", "default", "command line" or "run time"
 */
struct gpd_setting {
	char section[GPD_NAME_LEN + 8];
	char key[64];
	char value[GPD_VALUE_LEN];
	char origin[GPD_ORIGIN_LEN];
};

/**
 * struct gpd_config - the configuration
 * @socket: path of the control socket
 * @state_dir: where the state file is; "" = beside the socket
 * @tracer: path of gpreempt-tracer; "" = where it was installed
 * @group: name of the group whose members are privileged; "" = none
 * @gid: its number, (gid_t)-1 = none
 * @socket_mode: of the control socket
 * @client_mode: of the client socket
 * @socket_group: name of the group of both; "" = that of the daemon
 * @socket_gid: its number, (gid_t)-1 = that of the daemon
 * @lease_ns: lease of a hold
 * @poll_ns: how often clients look at pointers
 * @quiet_ns: how long a queue is quiet before idle is to be proven
 * @http_port: port of metrics on loopback, 0 = off
 * @mechanism: what schedules
 * @dbg: whom to trace
 * @self_dbg: clients may stop several queues by one DBG_TRAP on themselves
 * @max_clients: most clients
 * @max_connections: most control connections
 * @message_rate: messages a second and client
 * @message_burst: messages at once
 * @edge_rate: edges a second and client
 * @edge_burst: edges at once
 * @nr_sim: simulated nodes
 * @policy: policy of every node
 * @params: parameters of every node
 * @nr_params: how many
 * @classes: classes
 * @nr_classes: how many
 * @settings: every value with its origin
 * @nr_settings: how many
 */
struct gpd_config {
	char socket[PATH_MAX];
	char state_dir[PATH_MAX];
	char tracer[PATH_MAX];
	char group[GPD_NAME_LEN];
	gid_t gid;
	uint64_t socket_mode;
	uint64_t client_mode;
	char socket_group[GPD_NAME_LEN];
	gid_t socket_gid;
	uint64_t lease_ns;
	uint64_t poll_ns;
	uint64_t quiet_ns;
	uint64_t http_port;
	enum gpd_mechanism mechanism;
	enum gpd_dbg_mode dbg;
	bool self_dbg;
	uint64_t max_clients;
	uint64_t max_connections;
	uint64_t message_rate;
	uint64_t message_burst;
	uint64_t edge_rate;
	uint64_t edge_burst;
	uint32_t nr_sim;
	char policy[GPD_NAME_LEN];
	struct gpd_param params[GPD_PARAMS_MAX];
	uint32_t nr_params;
	struct gpd_class classes[GPD_CLASSES_MAX];
	uint32_t nr_classes;
	struct gpd_setting settings[GPD_SETTINGS_MAX];
	uint32_t nr_settings;
};

/**
 * gpd_config_default() - what holds if nothing is said
 * @c: output
 */
void gpd_config_default(struct gpd_config *c);

/**
 * gpd_config_set() - set one value
 * @c: configuration
 * @section: "daemon", "policy" or "class NAME"
 * @key: key
 * @value: value
 * @origin: where it was said
 * @error: output: what is wrong, without the origin
 * @size: of @error
 *
 * Return: 0, -EINVAL with @error.
 */
int gpd_config_set(struct gpd_config *c, const char *section, const char *key, const char *value,
		   const char *origin, char *error, size_t size);

/**
 * gpd_config_load() - read the file and its drop-ins
 * @c: configuration with the defaults
 * @file: the file; drop-ins are FILE.d/NAME.conf in the order of their names
 * @required: it is an error if @file is not there
 * @error: output: "FILE:LINE: what"
 * @size: of @error
 *
 * Return: 0, -EINVAL, -ENOENT, -EIO, with @error.
 */
int gpd_config_load(struct gpd_config *c, const char *file, bool required, char *error,
		    size_t size);

/**
 * gpd_config_finish() - check what only shows in the whole, and look up the group
 * @c: configuration
 * @error: output
 * @size: of @error
 *
 * Return: 0, -EINVAL with @error.
 */
int gpd_config_finish(struct gpd_config *c, char *error, size_t size);

/**
 * gpd_config_class() - a class by name
 * @c: configuration
 * @name: name
 *
 * Return: the class, NULL if there is none.
 */
const struct gpd_class *gpd_config_class(const struct gpd_config *c, const char *name);

#endif
