// SPDX-License-Identifier: MIT
#include "lib/lib_decode.h"
#include "lib/lib_handle.h"

#include <errno.h>
#include <stdlib.h>

/* A list: how the daemon is asked and answers, and what gives it without the daemon. */
struct list {
	const char *method;
	const char *key;	/* of the array in the reply */
	size_t size;	/* of an element of the library */
	int (*decode)(const json_t *in, void *out);	/* makes one */
	int (*direct)(struct gpreempt *g, void **out, size_t *nr);	/* NULL = nothing does */
};

static int decode_all(const struct list *l, const json_t *array, void **out, size_t *nr)
{
	size_t n = json_array_size(array);
	char *mem = calloc(n ? n : 1, l->size);

	if (!mem)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (l->decode(json_array_get(array, i), mem + i * l->size)) {
			free(mem);
			return -EPROTO;
		}
	}
	*out = mem;
	*nr = n;
	return 0;
}

/* @out: a pointer to whichever struct it is; takes @parameters. */
static int get_some(struct gpreempt *g, const struct list *l, json_t *parameters, void *out,
		    size_t *nr)
{
	json_t *reply, *array;
	int ret;

	ret = lib_begin_daemon(g);
	if (ret)
		json_decref(parameters);
	else
		ret = lib_call(g, l->method, parameters, lib_deadline(LIB_TIMEOUT_NS), &reply);
	if (ret)
		return ret;
	array = json_object_get(reply, l->key);
	ret = json_is_array(array) ? decode_all(l, array, out, nr) : -EPROTO;
	if (ret)
		lib_fail(g, ret, "the daemon's list of %s %s", l->key,
			 ret == -EPROTO ? "makes no sense" : "needs more memory than there is");
	json_decref(reply);
	return ret;
}

static int get_list(struct gpreempt *g, const struct list *l, void *out, size_t *nr)
{
	if (!g || !out || !nr)
		return -EINVAL;
	lib_begin(g);
	return g->direct ? l->direct(g, out, nr) : get_some(g, l, NULL, out, nr);
}

int gpreempt_get_nodes(struct gpreempt *g, struct gpreempt_node **nodes, size_t *nr)
{
	static const struct list l = { "ListNodes", "nodes", sizeof(**nodes), lib_decode_node,
				       lib_direct_nodes };

	return get_list(g, &l, nodes, nr);
}

int gpreempt_get_processes(struct gpreempt *g, struct gpreempt_process **processes, size_t *nr)
{
	static const struct list l = { "ListProcesses", "processes", sizeof(**processes),
				       lib_decode_process, lib_direct_processes };

	return get_list(g, &l, processes, nr);
}

int gpreempt_get_all_queues(struct gpreempt *g, struct gpreempt_queue **queues, size_t *nr)
{
	static const struct list l = { "ListQueues", "queues", sizeof(**queues), lib_decode_queue,
				       lib_direct_queues };

	return get_list(g, &l, queues, nr);
}

int gpreempt_get_totals(struct gpreempt *g, const char *group, struct gpreempt_total **totals,
			size_t *nr)
{
	static const struct list l = { "ListTotals", "totals", sizeof(**totals), lib_decode_total,
				       NULL };

	json_t *parameters = json_object();

	/* A name that JSON does not take must not become all groups. */
	if (!g || !totals || !nr ||
	    (group && json_object_set_new(parameters, "group", json_string(group)))) {
		json_decref(parameters);
		return -EINVAL;
	}
	return get_some(g, &l, parameters, totals, nr);
}
