// SPDX-License-Identifier: MIT
#include "driver/address.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_cgroup.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_ops.h"
#include "daemon/control/gpd_metrics.h"
#include "daemon/module/gpd_module.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_state.h"
#include "daemon/gpd_util.h"
#include "rules/text.h"

#include <dirent.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most that is said of the files. */
#define ERRORS_MAX 10
/* Most of a line that is shown. */
#define SHOWN_MAX 100
/* Bytes of a section's name that inih keeps. */
#define SECTION_MAX 49

/* A file that is being read. */
struct reading {
	struct gpd_config *c;
	FILE *file;
	const char *path;
	unsigned int line;	  /* number of the line */
	char text[SHOWN_MAX + 1]; /* it, as far as it is shown */
	char *error;		  /* output: what is wrong, see gpd_reload_read() */
	size_t size;		  /* of it */
	unsigned int nr;	  /* how much is wrong */
};

/* A message more, each on a line of its own; what does not fit is left out. */
static void say(char *error, size_t size, const char *text)
{
	size_t used = strlen(error);

	if (used + strlen(text) + 2 <= size)
		snprintf(error + used, size - used, "%s%s", used ? "\n" : "", text);
}

/* The line, and a mark below the place. */
static void refuse(struct reading *r, size_t at, const char *what)
{
	char text[PATH_MAX + 400];

	if (r->nr++ >= ERRORS_MAX)
		return;
	snprintf(text, sizeof(text), "%s:%u:%zu: %s\n    %s\n    %*s", r->path, r->line, at + 1,
		 what, r->text, (int)(at < SHOWN_MAX ? at : SHOWN_MAX) + 1, "^");
	say(r->error, r->size, text);
}

static size_t blanks(const char *line)
{
	return strspn(line, " \t");
}

/* inih tells of the first such line alone, and not where the section is at fault. */
static bool is_sound(const char *line)
{
	line += blanks(line);
	if (*line == '[')
		return strchr(line, ']');
	return !*line || strchr(";#\r\n", *line) || strpbrk(line, "=:");
}

/* Counts lines for inih, which keeps the number for itself. */
static char *read_line(char *line, int size, void *data)
{
	struct reading *r = data;
	bool is_whole;

	if (!fgets(line, size, r->file))
		return NULL;
	r->line++;
	is_whole = strchr(line, '\n') || feof(r->file);
	gpd_text_clean(r->text, sizeof(r->text), line, strcspn(line, "\r\n"));
	if (!is_whole)
		refuse(r, SHOWN_MAX, "line too long");
	else if (!is_sound(line))
		refuse(r, blanks(line), "not a section, a key with its value, or a comment");
	if (is_whole && is_sound(line))
		return line;
	/* The rest of a long line is none of its own. */
	while (!is_whole && fgets(line, size, r->file) && !strchr(line, '\n'))
		;
	strcpy(line, "\n");
	return line;
}

static int on_value(void *data, const char *section, const char *key, const char *value)
{
	struct reading *r = data;
	char origin[GPD_ORIGIN_LEN];
	char error[256];
	const char *at;

	/* inih cuts what is longer, and a pattern that was cut would mean others. */
	if (strlen(section) >= SECTION_MAX) {
		refuse(r, 0, "name of a section too long");
		return 1;
	}
	snprintf(origin, sizeof(origin), "%s:%u", r->path, r->line);
	if (!gpd_config_set(r->c, section, key, value, origin, error, sizeof(error)))
		return 1;
	at = strstr(r->text, key);
	refuse(r, at ? (size_t)(at - r->text) : 0, error);
	return 1;
}

static int read_file(struct gpd_config *c, const char *path, bool required, char *error,
		     size_t size)
{
	struct reading r = { .c = c, .path = path, .error = error, .size = size };
	char text[PATH_MAX + 100];

	r.file = fopen(path, "re");
	if (!r.file) {
		if (errno == ENOENT && !required)
			return 0;
		snprintf(text, sizeof(text), "%s: %s", path, strerror(errno));
		say(error, size, text);
		return -errno;
	}
	if (ini_parse_stream(read_line, &r, on_value, &r) && !r.nr)
		refuse(&r, 0, "not a section, a key with its value, or a comment");
	fclose(r.file);
	return r.nr ? -EINVAL : 0;
}

static int is_drop_in(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && dot && !strcmp(dot, ".conf");
}

/*
 * Read a file and its drop-ins, FILE.d/NAME.conf in the order of their names, over what @c has;
 * a file that is not there is wrong if it is required. 0, -errno with @error as gpd_reload_read().
 */
static int load(struct gpd_config *c, const char *file, bool required, char *error, size_t size)
{
	char folder[PATH_MAX];
	char path[2 * PATH_MAX];
	struct dirent **names;
	int more;
	int err;
	int nr;
	int i;

	error[0] = '\0';
	err = read_file(c, file, required, error, size);
	snprintf(folder, sizeof(folder), "%s.d", file);
	nr = scandir(folder, &names, is_drop_in, alphasort);
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		more = read_file(c, path, true, error, size);
		err = err ? err : more;
		free(names[i]);
	}
	if (nr >= 0)
		free(names);
	return err;
}

int gpd_reload_read(const struct gpd_options *options, struct gpd_config *config, char *error,
		    size_t size)
{
	char path[DRV_ADDRESS_MAX];
	int err;

	gpd_config_default(config);
	if (!drv_address_listen(path, sizeof(path)))
		gpd_config_set(config, "daemon", "socket", path, "default", error, size);
	err = load(config, options->file, options->file_given, error, size);
	if (!err && options->socket[0])
		err = gpd_config_set(config, "daemon", "socket", options->socket, "command line",
				     error, size);
	config->nr_sim = options->nr_sim;
	if (!err && !config->socket[0]) {
		snprintf(error, size, "no place for a socket; try --socket PATH");
		err = -ENOENT;
	}
	return err ? err : gpd_config_finish(config, error, size);
}

static void reset_params(struct gpd_node *n)
{
	const struct gp_param_desc *desc;
	char name[GP_TEXT_PARAM_MAX];
	u32 i;

	for (i = 0; (desc = gp_text_param(i, name)); i++)
		n->ops->set_param(n, name, desc->def);
}

/* What was said at run time is over: the files say what holds. */
void gpd_reload_apply_node(struct gpd_node *n, const struct gpd_config *old)
{
	const struct gpd_config *new = n->d->config;
	uint32_t i;

	if (old)
		reset_params(n);
	for (i = 0; i < new->nr_params; i++)
		n->ops->set_param(n, new->params[i].name, new->params[i].value);
	if (strcmp(gp_sched_node_policy(n->d->sched, n->index), new->policy))
		n->ops->set_policy(n, new->policy);
	if (old && !n->enabled)
		gpd_engine_set_enabled(n, true);
	n->by_hand = false;
}

static void say_change(json_t *changed, const struct gpd_setting *s, const char *from,
		       const char *to)
{
	char text[2 * GPD_VALUE_LEN + 160];

	snprintf(text, sizeof(text), "[%s] %s: %s -> %s", s->section, s->key, from, to);
	json_array_append_new(changed, json_string(text));
}

static void compare(json_t *changed, const struct gpd_config *old, const struct gpd_config *new)
{
	const struct gpd_setting *s;
	const struct gpd_setting *was;

	for (s = new->settings; s < new->settings + new->nr_settings; s++) {
		was = gpd_config_setting(old, s->section, s->key);
		if (!was || strcmp(was->value, s->value))
			say_change(changed, s, was ? was->value : "-", s->value);
	}
	for (s = old->settings; s < old->settings + old->nr_settings; s++)
		if (!gpd_config_setting(new, s->section, s->key))
			say_change(changed, s, s->value, "-");
}

/* What cannot change while there are connections; NULL = nothing of it does. */
static const char *fixed_change(const struct gpd_config *old, const struct gpd_config *new)
{
	if (strcmp(old->socket, new->socket))
		return "socket";
	if (strcmp(old->state_dir, new->state_dir))
		return "state_dir";
	return old->socket_mode != new->socket_mode || old->client_mode != new->client_mode ||
			       old->socket_gid != new->socket_gid
		       ? "modes, group of sockets"
		       : NULL;
}

static int read_again(struct gpd *d, struct gpd_config *new, char *error, size_t size)
{
	int err = gpd_reload_read(d->options, new, error, size);
	const char *fixed = err ? NULL : fixed_change(d->config, new);

	if (fixed) {
		snprintf(error, size, "%s: cannot change without a restart", fixed);
		return -EBUSY;
	}
	return err ? err : gpd_http_change(d, new, error, size);
}

int gpd_reload(struct gpd *d, json_t *changed, char *error, size_t size)
{
	struct gpd_config *old = d->config;
	struct gpd_config *new = malloc(sizeof(*new));
	uint32_t i;
	int err;

	if (!new) {
		snprintf(error, size, "out of memory");
		return -ENOMEM;
	}
	err = read_again(d, new, error, size);
	if (err) {
		free(new);
		gpd_log(LOG_ERR, "reload refused:");
		gpd_log_lines(LOG_ERR, error);
		return err;
	}
	d->config = new;
	gpd_module_update(d);
	gpd_state_forget_nodes(d);
	for (i = 0; i < d->nr_nodes; i++)
		gpd_reload_apply_node(&d->node[i], old);
	gpd_dbg_auto_update(d);
	gpd_cgroup_changed(d);
	if (changed)
		compare(changed, old, new);
	free(old);
	gpd_state_save(d);
	gpd_log(LOG_INFO, "configuration read again");
	gpd_monitor_event(d, "policy", 0, 0, WIRE_QUEUE_ALL, "configuration read again");
	return 0;
}

void gpd_reload_call(struct gpd_conn *conn, const struct gpd_request *r)
{
	json_t *changed;
	char error[GPD_ERRORS_TEXT];

	changed = json_array();
	if (gpd_reload(conn->d, changed, error, sizeof(error))) {
		json_decref(changed);
		/* One line: the log has the rest. */
		gpd_control_error(conn, "Failed", "reason", "%.*s", (int)strcspn(error, "\n"),
				  error);
		return;
	}
	gpd_control_reply(conn, json_pack("{s:o}", "changed", changed));
}
