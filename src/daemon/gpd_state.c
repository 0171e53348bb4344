// SPDX-License-Identifier: MIT
#include "daemon/gpd_state.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/control/gpd_control.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_cgroup.h"
#include "daemon/gpd_grant.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_ops.h"
#include "daemon/gpd_tally.h"
#include "daemon/gpd_util.h"
#include "driver/sysfile.h"
#include "rules/text.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "state.json"
#define FORMAT 1
#define RUNNING "running"

/* What was read, and where. */
struct gpd_state {
	char path[PATH_MAX + 32];
	json_t *root;		/* an object; processes that came back are taken out of it */
	sd_event_source *later; /* writes what users have changed */
};

static void find_path(const struct gpd_config *config, char *path, size_t size)
{
	const char *slash = strrchr(config->socket, '/');

	if (config->state_dir[0])
		snprintf(path, size, "%s/%s", config->state_dir, FILE_NAME);
	else
		snprintf(path, size, "%.*s%s", slash ? (int)(slash + 1 - config->socket) : 0,
			 config->socket, FILE_NAME);
}

/* Numbers of processes mean something until the machine starts anew. */
static void boot_id(char *id, size_t size)
{
	if (drv_sysfile_text("/proc/sys/kernel/random/boot_id", id, size) < 0)
		id[0] = '\0';
}

static uint64_t number(json_t *entry, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(entry, key));
}

static void read_exit(struct gpd *d, json_t *root)
{
	const char *text = json_string_value(json_object_get(root, "exit"));

	if (!text)
		return;
	if (!strcmp(text, RUNNING))
		text = "ended without a word: killed or crashed";
	gpd_text_clean(d->last_exit, sizeof(d->last_exit), text, strlen(text));
}

/* A file that another user can write says what another user wants. */
static bool is_trusted(int fd, json_error_t *error)
{
	struct stat st;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !(st.st_mode & 022) &&
	    (st.st_uid == 0 || st.st_uid == geteuid()))
		return true;
	snprintf(error->text, sizeof(error->text), "others can write it");
	return false;
}

static json_t *load(const char *path, json_error_t *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	json_t *root = NULL;

	snprintf(error->text, sizeof(error->text), "cannot be opened");
	if (fd < 0)
		return NULL;
	if (is_trusted(fd, error))
		root = json_loadfd(fd, JSON_REJECT_DUPLICATES, error);
	close(fd);
	return root;
}

static int on_later(sd_event_source *s, uint64_t usec, void *data)
{
	gpd_state_save(data);
	return 0;
}

int gpd_state_load(struct gpd *d)
{
	struct gpd_state *s = calloc(1, sizeof(*s));
	json_error_t error;
	char boot[64];
	int err;

	if (!s)
		return -ENOMEM;
	d->state = s;
	err = gpd_timer_add(d->event, &s->later, on_later, d);
	if (err < 0)
		return err;
	find_path(d->config, s->path, sizeof(s->path));
	s->root = load(s->path, &error);
	if (s->root && (!json_is_object(s->root) || number(s->root, "format") != FORMAT)) {
		json_decref(s->root);
		s->root = NULL;
		snprintf(error.text, sizeof(error.text), "not a state file");
	}
	if (!s->root) {
		if (!access(s->path, F_OK))
			gpd_log(LOG_WARNING, "%s: ignored: %s", s->path, error.text);
		s->root = json_object();
		return s->root ? 0 : -ENOMEM;
	}
	read_exit(d, s->root);
	boot_id(boot, sizeof(boot));
	if (strcmp(boot, json_string_value(json_object_get(s->root, "boot")) ?: "")) {
		json_object_del(s->root, "processes");
	} else {
		gpd_grant_load(d, json_object_get(s->root, "grants"));
		gpd_tally_load(d, json_object_get(s->root, "totals"));
	}
	gpd_cgroup_load(d, json_object_get(s->root, "cgroups"));
	return 0;
}

void gpd_state_free(struct gpd *d)
{
	if (!d->state)
		return;
	json_decref(d->state->root);
	sd_event_source_unref(d->state->later);
	free(d->state);
	d->state = NULL;
}

bool gpd_state_read_attributes(json_t *json, struct gpd_attrs *attrs)
{
	struct gpd_attr_change change = { 0 };
	struct gpd_refusal refusal = { 0 };

	if (gpd_control_read_attributes(json, &change, &refusal) ||
	    (change.has & GP_ATTR_ALL) != GP_ATTR_ALL || !json_object_get(json, "class") ||
	    !json_object_get(json, "group"))
		return false;
	gp_attr_default(&attrs->core);
	gp_attr_copy(&attrs->core, &change.attr, GP_ATTR_ALL);
	memcpy(attrs->klass, change.klass, sizeof(attrs->klass));
	memcpy(attrs->group, change.group, sizeof(attrs->group));
	return true;
}

static bool is_of(json_t *entry, pid_t pid, const struct gpd_proc *proc)
{
	return number(entry, "pid") == (uint64_t)pid && number(entry, "uid") == proc->uid &&
	       number(entry, "start_time") == proc->start_time;
}

bool gpd_state_take(struct gpd *d, pid_t pid, const struct gpd_proc *proc,
		    struct gpd_attrs *attrs)
{
	json_t *processes = d->state ? json_object_get(d->state->root, "processes") : NULL;
	json_t *entry;
	size_t i;

	json_array_foreach(processes, i, entry) {
		bool good;

		if (!is_of(entry, pid, proc))
			continue;
		good = gpd_state_read_attributes(json_object_get(entry, "attributes"), attrs);
		json_array_remove(processes, i);
		return good;
	}
	return false;
}

void gpd_state_recall(struct gpd_client *c)
{
	struct gpd_proc proc = { .start_time = c->start_time, .uid = c->owner.uid };
	struct gpd_attrs attrs;

	if (!gpd_state_take(c->d, c->pid, &proc, &attrs))
		return;
	c->attrs = attrs;
	c->by_hand = true;
	gpd_client_note(c, "has the attributes again that were set by hand");
}

static void apply_node(struct gpd_node *n, json_t *saved)
{
	const char *policy = json_string_value(json_object_get(saved, "policy"));
	json_t *enabled = json_object_get(saved, "enabled");
	const char *name;
	json_t *value;

	json_object_foreach(json_object_get(saved, "parameters"), name, value)
	{
		if (json_is_integer(value) && json_integer_value(value) >= 0)
			n->ops->set_param(n, name, (uint64_t)json_integer_value(value));
	}
	if (policy)
		n->ops->set_policy(n, policy);
	if (json_is_false(enabled))
		gpd_engine_set_enabled(n, false);
	n->by_hand = true;
}

static bool is_of_node(json_t *saved, const struct gpd_node *n)
{
	return number(saved, "gpu_id") == n->gpu_id;
}

void gpd_state_apply_node(struct gpd_node *n)
{
	json_t *nodes = n->d->state ? json_object_get(n->d->state->root, "nodes") : NULL;
	json_t *saved;
	size_t k;

	json_array_foreach(nodes, k, saved) {
		if (is_of_node(saved, n))
			apply_node(n, saved);
	}
}

static json_t *node_json(const struct gpd_node *n)
{
	json_t *params = json_object();
	const struct gp_param_desc *desc;
	char name[GP_TEXT_PARAM_MAX];
	u64 value;
	u32 i;

	for (i = 0; (desc = gp_text_param(i, name)); i++)
		if (!gp_sched_param_get(n->d->sched, n->index, name, &value) && value != desc->def)
			json_object_set_new(params, name, json_integer((json_int_t)value));
	return json_pack("{s:I, s:s, s:b, s:o}", "gpu_id", (json_int_t)n->gpu_id, "policy",
			 gp_sched_node_policy(n->d->sched, n->index), "enabled",
			 n->enabled || n->out_reason[0], "parameters", params);
}

void gpd_state_forget_nodes(struct gpd *d)
{
	json_object_del(d->state->root, "nodes");
}

/* The saved state of a node that has not come yet is kept for it. */
static bool is_here(const struct gpd *d, json_t *saved)
{
	uint32_t i;

	for (i = 0; i < d->nr_nodes; i++)
		if (is_of_node(saved, &d->node[i]))
			return true;
	return false;
}

static json_t *nodes_json(struct gpd *d)
{
	json_t *nodes = json_array();
	json_t *saved;
	uint32_t i;
	size_t k;

	for (i = 0; i < d->nr_nodes; i++)
		if (d->node[i].by_hand)
			json_array_append_new(nodes, node_json(&d->node[i]));
	json_array_foreach(json_object_get(d->state->root, "nodes"), k, saved) {
		if (!is_here(d, saved))
			json_array_append(nodes, saved);
	}
	return nodes;
}

void gpd_state_add(json_t *processes, pid_t pid, uint64_t start_time, uid_t uid,
		   const struct gpd_attrs *attrs)
{
	json_array_append_new(processes, json_pack("{s:i, s:I, s:I, s:o}", "pid", (int)pid,
						   "start_time", (json_int_t)start_time, "uid",
						   (json_int_t)uid, "attributes",
						   gpd_list_attributes(attrs)));
}

/* Those that are here, and those that may come back. */
static json_t *processes_json(struct gpd *d)
{
	json_t *waiting = json_object_get(d->state->root, "processes");
	json_t *processes = json_array();
	struct gpd_proc proc;
	json_t *entry;
	size_t i;

	d->ops->save(d, processes);
	json_array_foreach(waiting, i, entry) {
		pid_t pid = (pid_t)number(entry, "pid");

		if (pid > GPD_PID_MAX || !gpd_proc_read(pid, &proc))
			json_array_append(processes, entry);
	}
	return processes;
}

static json_t *state_json(struct gpd *d)
{
	json_t *root;
	char boot[64];

	boot_id(boot, sizeof(boot));
	root = json_pack("{s:i, s:s, s:s, s:o, s:o, s:o, s:o}", "format", FORMAT, "boot", boot,
			 "exit", d->exit_reason[0] ? d->exit_reason : RUNNING, "processes",
			 processes_json(d), "nodes", nodes_json(d), "grants", gpd_grant_save(d),
			 "cgroups", gpd_cgroup_save(d));
	/* They change all the time: only a daemon that ends has to hand them on. */
	if (d->exit_reason[0])
		json_object_set_new(root, "totals", gpd_tally_save(d));
	return root;
}

/* At once: jansson would write each word by itself, and all users wait. */
static bool write_text(int fd, const char *text)
{
	size_t len = text ? strlen(text) : 0;
	size_t done = 0;
	ssize_t n = 1;

	for (; done < len && n > 0; done += (size_t)n)
		n = write(fd, text + done, len - done);
	return len && n > 0;
}

void gpd_state_save(struct gpd *d)
{
	char path[PATH_MAX + 40];
	json_t *root;
	char *text;
	int fd;

	if (!d->state)
		return;
	snprintf(path, sizeof(path), "%s.new", d->state->path);
	root = state_json(d);
	text = json_dumps(root, JSON_INDENT(1));
	/* What waits under this name is not ours to write to. */
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || !write_text(fd, text) || rename(path, d->state->path))
		gpd_log(LOG_WARNING, "%s: not written: %s", d->state->path, strerror(errno));
	if (fd >= 0)
		close(fd);
	free(text);
	json_decref(root);
}

/* Users can change something all day long: their changes are written together. */
#define LATER_NS GPD_NS_PER_SEC

void gpd_state_soon(struct gpd *d)
{
	if (d->state && !gpd_timer_is_on(d->state->later))
		gpd_timer_set(d->state->later, gpd_now_ns() + LATER_NS);
}

void gpd_state_changed(struct gpd_conn *conn)
{
	if (conn->user->privileged)
		gpd_state_save(conn->d);
	else
		gpd_state_soon(conn->d);
}
