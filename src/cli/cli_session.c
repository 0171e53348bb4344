// SPDX-License-Identifier: MIT
#include "cli/cli_session.h"

#include "driver/address.h"

#include <stdlib.h>
#include <string.h>

static void socket_path(const struct cli_options *o, char *out, size_t size)
{
	if (o->socket)
		snprintf(out, size, "%s", o->socket);
	else
		drv_address_find(out, size);
}

static int cannot_open(const struct cli_options *o, int err)
{
	char path[DRV_ADDRESS_MAX + 1] = "";

	socket_path(o, path, sizeof(path));
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

int cli_session_open(struct cli_session *s, const struct cli_options *o, bool may_be_direct)
{
	int err = gpreempt_open(&s->g, GPREEMPT_OPEN_DAEMON, o->socket);

	s->is_direct = (err == -ENOENT || err == -ECONNREFUSED) && may_be_direct;
	if (s->is_direct)
		err = gpreempt_open(&s->g, GPREEMPT_OPEN_DIRECT, NULL);
	if (!err)
		return CLI_GO_ON;
	s->g = NULL;
	return cannot_open(o, err);
}

void cli_session_close(struct cli_session *s)
{
	gpreempt_close(s->g);
	s->g = NULL;
}

int cli_session_fail(struct cli_session *s, const char *object, int err)
{
	const char *text = gpreempt_strerror(s->g);

	cli_error(object, "%s", *text ? text : strerror(-err));
	return cli_exit_of(err);
}

/* "Failed" may say with which errno. */
static int precise(int err, const json_t *reply)
{
	json_int_t number = json_integer_value(json_object_get(reply, "errno"));

	return err == -EIO && number > 0 && number < 4096 ? -(int)number : err;
}

int cli_session_call(struct cli_session *s, const char *object, const char *method,
		     json_t *parameters, json_t **reply)
{
	char *in = parameters ? json_dumps(parameters, JSON_COMPACT) : NULL;
	char *out = NULL;
	int err = gpreempt_call(s->g, method, in, &out);

	free(in);
	json_decref(parameters);
	*reply = out ? json_loads(out, 0, NULL) : NULL;
	gpreempt_free(out);
	if (!err && *reply)
		return CLI_GO_ON;
	err = err ? precise(err, *reply) : -ENOMEM;
	json_decref(*reply);
	*reply = NULL;
	return cli_session_fail(s, object ? object : method, err);
}

static int call_list(struct cli_session *s, const char *method, const char *key, json_t **out)
{
	json_t *reply, *list;
	int ret = cli_session_call(s, NULL, method, NULL, &reply);

	if (ret != CLI_GO_ON)
		return ret;
	list = json_object_get(reply, key);
	*out = json_is_array(list) ? json_incref(list) : NULL;
	json_decref(reply);
	if (*out)
		return CLI_GO_ON;
	cli_error(method, "the daemon's answer has no %s", key);
	return CLI_EXIT_FAILED;
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

static json_t *sources_json(const struct gpreempt_queue *q)
{
	const struct {
		const char *key;
		const struct gpreempt_value *value;
	} values[] = {
		{ "type", &q->type }, { "priority", &q->prio }, { "ring_addr", &q->ring_addr },
		{ "ring_bytes", &q->ring_bytes }, { "rptr_addr", &q->rptr_addr },
		{ "wptr_addr", &q->wptr_addr }, { "rptr", &q->rptr }, { "wptr", &q->wptr },
		{ "busy", &q->busy },
	};
	json_t *out = json_object();

	for (u32 i = 0; i < ARRAY_SIZE(values); i++) {
		enum gpreempt_source source = (enum gpreempt_source)values[i].value->source;

		if (source)
			json_object_set_new(out, values[i].key,
					    json_string(gpreempt_source_name(source)));
	}
	return out;
}

static json_t *type_json(const struct gpreempt_value *v)
{
	static const char *const names[] = { "pm4", "sdma", "aql", "sdma_xgmi" };

	if (!v->source)
		return json_null();
	return json_string(v->value < ARRAY_SIZE(names) ? names[v->value] : "other");
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
	bool by_module = q->busy.source == GPREEMPT_SOURCE_KERNEL;
	json_t *o = json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "pid",
			      (json_int_t)q->pid, "gpu_id", (json_int_t)q->gpu_id, "queue_id",
			      (json_int_t)q->queue_id, "type", type_json(&q->type), "priority",
			      value_json(&q->prio), "ring_addr", value_json(&q->ring_addr),
			      "ring_bytes", value_json(&q->ring_bytes), "rptr_addr",
			      value_json(&q->rptr_addr), "wptr_addr", value_json(&q->wptr_addr),
			      "rptr", value_json(&q->rptr), "wptr", value_json(&q->wptr));

	if (o) {
		json_object_set_new(o, "busy", q->busy.source ? json_boolean(q->busy.value) :
								json_null());
		json_object_set_new(o, "held", held_json(q->held));
		json_object_set_new(o, "state", json_string("unknown"));
		json_object_set_new(o, "mechanism", json_string(by_module ? "kernel" : "none"));
		json_object_set_new(o, "source", sources_json(q));
	}
	return o;
}

int cli_session_nodes(struct cli_session *s, json_t **out)
{
	struct gpreempt_node *list;
	size_t nr;
	int err;

	if (!s->is_direct)
		return call_list(s, "ListNodes", "nodes", out);
	err = gpreempt_get_nodes(s->g, &list, &nr);
	if (err)
		return cli_session_fail(s, "devices", err);
	*out = json_array();
	for (size_t i = 0; i < nr; i++)
		json_array_append_new(*out, node_json(&list[i]));
	gpreempt_free(list);
	return CLI_GO_ON;
}

int cli_session_processes(struct cli_session *s, json_t **out)
{
	struct gpreempt_process *list;
	size_t nr;
	int err;

	if (!s->is_direct)
		return call_list(s, "ListProcesses", "processes", out);
	err = gpreempt_get_processes(s->g, &list, &nr);
	if (err)
		return cli_session_fail(s, "processes", err);
	*out = json_array();
	for (size_t i = 0; i < nr; i++)
		json_array_append_new(*out, process_json(&list[i]));
	gpreempt_free(list);
	return CLI_GO_ON;
}

int cli_session_queues(struct cli_session *s, json_t **out)
{
	struct gpreempt_queue *list;
	size_t nr;
	int err;

	if (!s->is_direct)
		return call_list(s, "ListQueues", "queues", out);
	err = gpreempt_get_all_queues(s->g, &list, &nr);
	if (err)
		return cli_session_fail(s, "queues", err);
	*out = json_array();
	for (size_t i = 0; i < nr; i++)
		json_array_append_new(*out, queue_json(&list[i]));
	gpreempt_free(list);
	return CLI_GO_ON;
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

int cli_print_json(json_t *object, bool is_line)
{
	int bad = json_dumpf(object, stdout, is_line ? JSON_COMPACT : JSON_INDENT(2));

	json_decref(object);
	putchar('\n');
	if (bad && !ferror(stdout)) {
		cli_error("standard output", "%s", strerror(ENOMEM));
		return CLI_EXIT_FAILED;
	}
	return cli_finish(CLI_EXIT_OK);
}
