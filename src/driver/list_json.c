// SPDX-License-Identifier: MIT
#include "driver/list_json.h"

#include "driver/discover.h"
#include "driver/kfd.h"

json_t *drv_json_held(uint32_t held)
{
	json_t *out = json_array();

#define X(name, text)                    \
	if (held & GPREEMPT_HELD_##name) \
		json_array_append_new(out, json_string(text));
	DRV_HELD(X)
#undef X
	return out;
}

static json_t *value_json(const struct gpreempt_value *v)
{
	return drv_json_known(v->source, v->value);
}

static json_t *render_json(const struct gpreempt_node *n)
{
	return n->render_minor ? json_sprintf("renderD%u", n->render_minor) : json_null();
}

json_t *drv_json_node(const struct gpreempt_node *n)
{
	char pci[GPREEMPT_NAME_LEN], uuid[GPREEMPT_NAME_LEN];

	return json_pack("{s:I, s:o, s:o, s:o, s:I, s:I, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:b, "
			 "s:o, s:n}", "gpu", (json_int_t)n->gpu, "pci",
			 drv_json_text(drv_node_pci(n, pci)), "uuid",
			 drv_json_text(drv_node_uuid(n, uuid)), "render", render_json(n), "gpu_id",
			 (json_int_t)n->gpu_id, "index", (json_int_t)n->index, "name",
			 drv_json_text(n->name), "simulated", 0, "gfx_target",
			 value_json(&n->gfx_target), "nr_xcc", value_json(&n->nr_xcc), "nr_cu",
			 value_json(&n->nr_cu), "cwsr",
			 n->cwsr_bytes.source ? json_boolean(n->cwsr_bytes.value) : json_null(),
			 "policy", drv_json_text(n->policy), "enabled", n->enabled, "breaker",
			 drv_json_text(n->breaker), "breaker_reason");
}

/* The kernel cuts names at a byte, and a process can call itself anything. */
static json_t *name_json(const char *name)
{
	json_t *out = drv_json_text(name);
	char plain[GPREEMPT_NAME_LEN];
	size_t i;

	for (i = 0; !out && name[i] && i < sizeof(plain); i++)
		plain[i] = (unsigned char)name[i] < 0x80 ? name[i] : '?';
	return out ? out : json_stringn(plain, i);
}

json_t *drv_json_process(const struct gpreempt_process *p, const char *mechanism)
{
	return json_pack("{s:I, s:o, s:o, s:s, s:n, s:n, s:I, s:o, s:s, s:[], s:[], s:[]}", "pid",
			 (json_int_t)p->pid, "uid", value_json(&p->uid), "comm", name_json(p->comm),
			 "mechanism", mechanism, "client", "attributes", "nr_queues",
			 (json_int_t)p->nr_queues, "nr_busy", value_json(&p->nr_busy), "state",
			 *p->state ? p->state : "unknown", "held", "sees", "notes");
}

static json_t *number_json(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *flag_json(uint64_t value)
{
	return json_boolean(value);
}

static json_t *type_json(uint64_t value)
{
	const char *name = drv_kfd_queue_type_name((uint32_t)value);

	return json_string(name ? name : "other");
}

json_t *drv_json_queue(const struct gpreempt_queue *q, const char *mechanism, const char *state,
		       enum gpreempt_source by)
{
	json_t *source = json_object();
	json_t *out = json_pack("{s:I, s:I, s:I, s:o, s:s, s:s, s:o}", "pid", (json_int_t)q->pid,
				"gpu_id", (json_int_t)q->gpu_id, "queue_id",
				(json_int_t)q->queue_id, "held", drv_json_held(q->held), "state",
				state, "mechanism", mechanism, "source", source);

#define X(key, member, kind)                                                                \
	json_object_set_new(out, key,                                                       \
			    q->member.source ? kind##_json(q->member.value) : json_null()); \
	if (q->member.source)                                                               \
		json_object_set_new(source, key, json_string(drv_source_name(q->member.source)));
	DRV_QUEUE_VALUES(X)
#undef X
	if (by) {
		json_object_set_new(source, "state", json_string(drv_source_name(by)));
		json_object_set_new(source, "held", json_string(drv_source_name(by)));
	}
	return out;
}
