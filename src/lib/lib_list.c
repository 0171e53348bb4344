// SPDX-License-Identifier: MIT
#include "lib/lib_decode.h"
#include "lib/lib_direct.h"
#include "lib/lib_handle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct list - a list of the daemon
 * @method: asks for it
 * @key: of the array in the reply
 * @size: of an element of the library
 * @decode: makes one
 */
struct list {
	const char *method;
	const char *key;
	size_t size;
	int (*decode)(const json_t *in, void *out);
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

static int get_list(struct gpreempt *g, const struct list *l, void **out, size_t *nr)
{
	json_t *reply, *array;
	int ret = lib_begin_daemon(g);

	if (!ret)
		ret = lib_call(g, l->method, NULL, lib_deadline(LIB_TIMEOUT_NS), &reply);
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

int gpreempt_get_nodes(struct gpreempt *g, struct gpreempt_node **nodes, size_t *nr)
{
	static const struct list l = {
		"ListNodes", "nodes", sizeof(struct gpreempt_node), lib_decode_node,
	};
	void *out = NULL;
	int ret;

	if (!g || !nodes || !nr)
		return -EINVAL;
	if (g->direct) {
		lib_begin(g);
		return lib_direct_nodes(g, nodes, nr);
	}
	ret = get_list(g, &l, &out, nr);
	if (!ret)
		*nodes = out;
	return ret;
}

int gpreempt_get_processes(struct gpreempt *g, struct gpreempt_process **processes, size_t *nr)
{
	static const struct list l = {
		"ListProcesses", "processes", sizeof(struct gpreempt_process), lib_decode_process,
	};
	void *out = NULL;
	int ret;

	if (!g || !processes || !nr)
		return -EINVAL;
	if (g->direct) {
		lib_begin(g);
		return lib_direct_processes(g, processes, nr);
	}
	ret = get_list(g, &l, &out, nr);
	if (!ret)
		*processes = out;
	return ret;
}

int gpreempt_get_all_queues(struct gpreempt *g, struct gpreempt_queue **queues, size_t *nr)
{
	static const struct list l = {
		"ListQueues", "queues", sizeof(struct gpreempt_queue), lib_decode_queue,
	};
	void *out = NULL;
	int ret;

	if (!g || !queues || !nr)
		return -EINVAL;
	if (g->direct) {
		lib_begin(g);
		return lib_direct_queues(g, queues, nr);
	}
	ret = get_list(g, &l, &out, nr);
	if (!ret)
		*queues = out;
	return ret;
}
