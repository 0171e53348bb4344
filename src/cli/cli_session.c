// SPDX-License-Identifier: MIT
#include "cli/cli_session.h"

#include "driver/address.h"
#include "driver/list_json.h"

#include <stdlib.h>
#include <string.h>

void cli_session_socket(const struct cli_options *o, char *out, size_t size)
{
	if (o->socket)
		snprintf(out, size, "%s", o->socket);
	else
		drv_address_find(out, size);
}

static int cannot_open(const struct cli_options *o, int err)
{
	char path[DRV_ADDRESS_MAX + 1] = "";

	cli_session_socket(o, path, sizeof(path));
	if (err == -EACCES || err == -EPERM) {
		cli_error(path, "%s; try the group that the daemon was configured with",
			  strerror(-err));
		return CLI_EXIT_DENIED;
	}
	if (err == -ETIMEDOUT) {
		cli_error(path, "the daemon does not answer");
		return CLI_EXIT_TIMEOUT;
	}
	if (err == -ENODEV)
		cli_error("gpreemptd",
			  "cannot be reached (%s), and there is no AMD GPU driver here; try "
			  "gpreempt check, or gpreempt sim demo",
			  path);
	else
		cli_error("gpreemptd", "cannot be reached: %s: %s; try gpreempt check", path,
			  strerror(-err));
	return CLI_EXIT_NO_DAEMON;
}

int cli_session_open(struct cli_session *s, bool may_be_direct)
{
	int err = gpreempt_open(&s->g, GPREEMPT_OPEN_DAEMON, s->o.socket);

	s->is_direct = (err == -ENOENT || err == -ECONNREFUSED) && may_be_direct;
	if (s->is_direct)
		err = gpreempt_open(&s->g, GPREEMPT_OPEN_DIRECT, NULL);
	return err ? cannot_open(&s->o, err) : CLI_GO_ON;
}

bool cli_is_module(const json_t *info)
{
	return !strcmp(cli_text(info, "scheduler"), "kernel");
}

int cli_session_fail(struct cli_session *s, const char *object, int err)
{
	cli_fail(object, err, gpreempt_strerror(s->g));
	return cli_exit_of(err);
}

int cli_session_ask(struct gpreempt *g, const char *method, json_t *parameters, json_t **reply)
{
	char *in = parameters ? json_dumps(parameters, JSON_COMPACT) : NULL;
	char *out = NULL;
	int err = gpreempt_call(g, method, in, &out);

	free(in);
	json_decref(parameters);
	*reply = out ? json_loads(out, 0, NULL) : NULL;
	gpreempt_free(out);
	return err ? err : *reply ? 0
				  : -ENOMEM;
}

/* "Failed" may say with which errno. */
static int precise(int err, const json_t *reply)
{
	json_int_t number = cli_number(reply, "errno");

	return err == -EIO && number > 0 && number < 4096 ? -(int)number : err;
}

int cli_session_call(struct cli_session *s, const char *object, const char *method,
		     json_t *parameters, json_t **reply)
{
	int err = cli_session_ask(s->g, method, parameters, reply);

	if (!err)
		return CLI_GO_ON;
	err = precise(err, *reply);
	json_decref(*reply);
	*reply = NULL;
	return cli_session_fail(s, object ? object : method, err);
}

/* Without the daemon the module is the only mechanism. */
static const char *mechanism(bool is_of_module)
{
	return is_of_module ? "kernel" : "none";
}

static int add_nodes(struct gpreempt *g, json_t *out)
{
	struct gpreempt_node *list = NULL;
	size_t nr = 0;
	int err = gpreempt_get_nodes(g, &list, &nr);

	for (size_t i = 0; !err && i < nr; i++)
		json_array_append_new(out, drv_json_node(&list[i]));
	gpreempt_free(list);
	return err;
}

static int add_processes(struct gpreempt *g, json_t *out)
{
	struct gpreempt_process *list = NULL;
	size_t nr = 0;
	int err = gpreempt_get_processes(g, &list, &nr);

	for (size_t i = 0; !err && i < nr; i++) {
		const char *by = mechanism(list[i].mechanism & GPREEMPT_MECH_KERNEL);

		json_array_append_new(out, drv_json_process(&list[i], by));
	}
	gpreempt_free(list);
	return err;
}

static int add_queues(struct gpreempt *g, json_t *out)
{
	struct gpreempt_queue *list = NULL;
	size_t nr = 0;
	int err = gpreempt_get_all_queues(g, &list, &nr);

	for (size_t i = 0; !err && i < nr; i++) {
		const char *by = mechanism(list[i].busy.source == GPREEMPT_SOURCE_KERNEL);

		json_array_append_new(out, drv_json_queue(&list[i], by, "unknown",
							  GPREEMPT_SOURCE_UNKNOWN));
	}
	gpreempt_free(list);
	return err;
}

int cli_session_list(struct cli_session *s, enum cli_list what, json_t **out)
{
	static const struct {
		const char *method;
		const char *key;
		const char *object;
		int (*add)(struct gpreempt *g, json_t *out); /* NULL = the daemon alone knows */
	} lists[] = {
		[CLI_LIST_NODES] = { "ListNodes", "nodes", "devices", add_nodes },
		[CLI_LIST_PROCESSES] = { "ListProcesses", "processes", "processes", add_processes },
		[CLI_LIST_QUEUES] = { "ListQueues", "queues", "queues", add_queues },
		[CLI_LIST_TOTALS] = { "ListTotals", "totals", "totals", NULL },
	};
	json_t *reply;
	int ret;

	if (s->is_direct && !lists[what].add) {
		cli_error(lists[what].object, "this needs the daemon");
		return cli_exit_of(-EOPNOTSUPP);
	}
	if (s->is_direct) {
		*out = json_array();
		ret = lists[what].add(s->g, *out);
		return ret ? cli_session_fail(s, lists[what].object, ret) : CLI_GO_ON;
	}
	ret = cli_session_call(s, NULL, lists[what].method, NULL, &reply);
	if (ret != CLI_GO_ON)
		return ret;
	*out = json_incref(json_object_get(reply, lists[what].key));
	json_decref(reply);
	if (json_is_array(*out))
		return CLI_GO_ON;
	cli_error(lists[what].method, "the daemon's answer has no %s", lists[what].key);
	return CLI_EXIT_FAILED;
}

json_t *cli_session_device(const struct cli_session *s)
{
	return s->o.device ? json_pack("{s:I}", "gpu_id", (json_int_t)s->o.device) : json_object();
}

json_t *cli_schema(const char *verb, json_t *rest)
{
	char name[64];
	json_t *out;

	snprintf(name, sizeof(name), "gpreempt.%s/1", verb);
	out = json_pack("{s:s}", "schema", name);
	json_object_update(out, rest);
	json_decref(rest);
	return out;
}

int cli_print_json(const char *verb, json_t *rest, bool is_line)
{
	json_t *object = cli_schema(verb, rest);
	int bad = json_dumpf(object, stdout, is_line ? JSON_COMPACT : JSON_INDENT(2));

	json_decref(object);
	putchar('\n');
	if (bad && !ferror(stdout))
		return cli_fail("standard output", -ENOMEM, NULL);
	return cli_finish(CLI_EXIT_OK);
}

int cli_session_show(struct cli_session *s, const char *verb, json_t *rest, const char *key,
		     json_t *rows)
{
	if (s->o.is_json) {
		json_object_set_new(rest, key, cli_view_json(&s->view, rows, &s->o));
		return cli_print_json(verb, rest, s->is_repeated);
	}
	json_decref(rest);
	cli_view_print(&s->view, rows, &s->o);
	json_decref(rows);
	return cli_finish(CLI_EXIT_OK);
}
