// SPDX-License-Identifier: MIT
#include "cli/cli_session.h"

#include "driver/address.h"
#include "driver/kfd.h"

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
		cli_error("gpreemptd", "it does not run (%s), and there is no AMD GPU driver "
			  "here; try gpreempt check", path);
	else
		cli_error("gpreemptd", "it does not run: %s: %s; try gpreempt check", path,
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

static json_t *value_json(const struct gpreempt_value *v)
{
	return v->source ? json_integer((json_int_t)v->value) : json_null();
}

static json_t *text_json(const char *text)
{
	return *text ? json_string(text) : json_null();
}

/* The kernel cuts names at a byte, and a process can call itself anything. */
static json_t *name_json(const char *name)
{
	json_t *out = json_string(name);
	char plain[64];
	size_t i;

	for (i = 0; !out && name[i] && i + 1 < sizeof(plain); i++)
		plain[i] = (unsigned char)name[i] < 0x80 ? name[i] : '?';
	return out ? out : json_stringn(plain, i);
}

static json_t *node_json(const struct gpreempt_node *n)
{
	return json_pack("{s:I, s:I, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:n}", "gpu_id",
			 (json_int_t)n->gpu_id, "index", (json_int_t)n->index, "name", n->name,
			 "simulated", 0, "gfx_target", value_json(&n->gfx_target), "nr_xcc",
			 value_json(&n->nr_xcc), "nr_cu", value_json(&n->nr_cu), "cwsr",
			 n->cwsr_bytes.source ? json_boolean(n->cwsr_bytes.value) : json_null(),
			 "policy", text_json(n->policy), "enabled", n->enabled, "breaker",
			 text_json(n->breaker), "breaker_reason");
}

static json_t *process_json(const struct gpreempt_process *p)
{
	return json_pack("{s:I, s:o, s:o, s:s, s:n, s:n, s:I, s:o, s:s, s:[], s:[], s:[]}", "pid",
			 (json_int_t)p->pid, "uid", value_json(&p->uid), "comm", name_json(p->comm),
			 "mechanism", p->mechanism & GPREEMPT_MECH_KERNEL ? "kernel" : "none",
			 "client", "attributes", "nr_queues", (json_int_t)p->nr_queues,
			 "nr_busy", value_json(&p->nr_busy), "state",
			 *p->state ? p->state : "unknown", "held", "sees", "notes");
}

static json_t *type_json(const struct gpreempt_value *v)
{
	const char *name = drv_kfd_queue_type_name((u32)v->value);

	return v->source ? json_string(name ? name : "other") : json_null();
}

static json_t *held_json(uint32_t held)
{
	json_t *out = json_array();

	if (held & GPREEMPT_HELD_SCHED)
		json_array_append_new(out, json_string("sched"));
	if (held & GPREEMPT_HELD_MANUAL)
		json_array_append_new(out, json_string("manual"));
	return out;
}

static json_t *queue_json(const struct gpreempt_queue *q)
{
	const struct {
		const char *key;
		const struct gpreempt_value *value;
	} values[] = {
		{ "type", &q->type },
		{ "priority", &q->prio },
		{ "ring_addr", &q->ring_addr },
		{ "ring_bytes", &q->ring_bytes },
		{ "rptr_addr", &q->rptr_addr },
		{ "wptr_addr", &q->wptr_addr },
		{ "rptr", &q->rptr },
		{ "wptr", &q->wptr },
		{ "busy", &q->busy },
	};
	bool by_module = q->busy.source == GPREEMPT_SOURCE_KERNEL;
	json_t *source = json_object();
	json_t *o = json_pack("{s:I, s:I, s:I}", "pid", (json_int_t)q->pid, "gpu_id",
			      (json_int_t)q->gpu_id, "queue_id", (json_int_t)q->queue_id);

	for (u32 i = 0; i < ARRAY_SIZE(values); i++) {
		enum gpreempt_source from = (enum gpreempt_source)values[i].value->source;

		json_object_set_new(o, values[i].key, value_json(values[i].value));
		if (from)
			json_object_set_new(source, values[i].key,
					    json_string(gpreempt_source_name(from)));
	}
	json_object_set_new(o, "type", type_json(&q->type));
	if (q->busy.source)
		json_object_set_new(o, "busy", json_boolean(q->busy.value));
	json_object_set_new(o, "held", held_json(q->held));
	json_object_set_new(o, "state", json_string("unknown"));
	json_object_set_new(o, "mechanism", json_string(by_module ? "kernel" : "none"));
	json_object_set_new(o, "source", source);
	return o;
}

static int add_nodes(struct gpreempt *g, json_t *out)
{
	struct gpreempt_node *list = NULL;
	size_t nr = 0;
	int err = gpreempt_get_nodes(g, &list, &nr);

	for (size_t i = 0; !err && i < nr; i++)
		json_array_append_new(out, node_json(&list[i]));
	gpreempt_free(list);
	return err;
}

static int add_processes(struct gpreempt *g, json_t *out)
{
	struct gpreempt_process *list = NULL;
	size_t nr = 0;
	int err = gpreempt_get_processes(g, &list, &nr);

	for (size_t i = 0; !err && i < nr; i++)
		json_array_append_new(out, process_json(&list[i]));
	gpreempt_free(list);
	return err;
}

static int add_queues(struct gpreempt *g, json_t *out)
{
	struct gpreempt_queue *list = NULL;
	size_t nr = 0;
	int err = gpreempt_get_all_queues(g, &list, &nr);

	for (size_t i = 0; !err && i < nr; i++)
		json_array_append_new(out, queue_json(&list[i]));
	gpreempt_free(list);
	return err;
}

int cli_session_list(struct cli_session *s, enum cli_list what, json_t **out)
{
	static const struct {
		const char *method;
		const char *key;
		const char *object;
		int (*add)(struct gpreempt *g, json_t *out);
	} lists[] = {
		[CLI_LIST_NODES] = { "ListNodes", "nodes", "devices", add_nodes },
		[CLI_LIST_PROCESSES] = { "ListProcesses", "processes", "processes", add_processes },
		[CLI_LIST_QUEUES] = { "ListQueues", "queues", "queues", add_queues },
	};
	json_t *reply;
	int ret;

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
