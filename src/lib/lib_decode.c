// SPDX-License-Identifier: MIT
#include "lib/lib_decode.h"

#include "driver/discover.h"
#include "driver/kfd.h"
#include "driver/list_json.h"
#include "rules/right.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int lib_decode_u64(const json_t *in, const char *key, uint64_t *out)
{
	const json_t *v = json_object_get(in, key);

	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return -EPROTO;
	*out = (uint64_t)json_integer_value(v);
	return 0;
}

int lib_decode_u32(const json_t *in, const char *key, uint32_t *out)
{
	uint64_t v;

	if (lib_decode_u64(in, key, &v) || v > UINT32_MAX)
		return -EPROTO;
	*out = (uint32_t)v;
	return 0;
}

/* null and missing: @otherwise. */
static int decode_optional_u32(const json_t *in, const char *key, uint32_t otherwise, uint32_t *out)
{
	const json_t *v = json_object_get(in, key);

	if (v && !json_is_null(v))
		return lib_decode_u32(in, key, out);
	*out = otherwise;
	return 0;
}

static int decode_bool(const json_t *in, const char *key, bool *out)
{
	const json_t *v = json_object_get(in, key);

	if (!json_is_boolean(v))
		return -EPROTO;
	*out = json_is_true(v);
	return 0;
}

int lib_decode_name(const json_t *in, const char *key, char *out, size_t size)
{
	const json_t *v = json_object_get(in, key);
	const char *text = json_string_value(v);
	size_t n = text ? strlen(text) : 0;

	/* Cuts at a character, not within one. */
	if (n >= size) {
		n = size - 1;
		while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
			n--;
	}
	memcpy(out, text ? text : "", n);
	out[n] = '\0';
	return !v || json_is_null(v) || text ? 0 : -EPROTO;
}

static uint32_t source_of(const json_t *in, const char *key)
{
	const json_t *sources = json_object_get(in, "source");
	const char *name = json_string_value(json_object_get(sources, key));

	for (uint32_t s = GPREEMPT_SOURCE_SYSFS; name && s <= GPREEMPT_SOURCE_KERNEL; s++) {
		if (!strcmp(drv_source_name(s), name))
			return s;
	}
	return GPREEMPT_SOURCE_DAEMON;
}

/* Integers and booleans; null is unknown. */
static int decode_value(const json_t *in, const char *key, struct gpreempt_value *out)
{
	const json_t *v = json_object_get(in, key);

	memset(out, 0, sizeof(*out));
	if (!v || json_is_null(v))
		return 0;
	if (json_is_boolean(v))
		out->value = json_is_true(v);
	else if (lib_decode_u64(in, key, &out->value))
		return -EPROTO;
	out->source = source_of(in, key);
	return 0;
}

/* Other names of a GPU; what is null or missing is 0. */
static int decode_names(const json_t *in, struct gpreempt_node *n)
{
	const char *pci = json_string_value(json_object_get(in, "pci"));
	const char *uuid = json_string_value(json_object_get(in, "uuid"));
	const char *render = json_string_value(json_object_get(in, "render"));
	unsigned int bus = 0, device = 0, function = 0;

	if (pci && sscanf(pci, "%x:%x:%x.%x", &n->pci_domain, &bus, &device, &function) != 4)
		return -EPROTO;
	n->pci_address = bus << 8 | device << 3 | function;
	if (uuid && sscanf(uuid, "GPU-%" SCNx64, &n->unique_id) != 1)
		return -EPROTO;
	if (render && sscanf(render, "renderD%" SCNu32, &n->render_minor) != 1)
		return -EPROTO;
	return decode_optional_u32(in, "gpu", 0, &n->gpu);
}

int lib_decode_node(const json_t *in, void *out)
{
	struct gpreempt_node *n = out;

	if (lib_decode_u32(in, "gpu_id", &n->gpu_id) || lib_decode_u32(in, "index", &n->index) ||
	    lib_decode_name(in, "name", n->name, sizeof(n->name)) ||
	    decode_value(in, "nr_xcc", &n->nr_xcc) ||
	    decode_value(in, "nr_cu", &n->nr_cu) ||
	    decode_value(in, "gfx_target", &n->gfx_target) ||
	    decode_bool(in, "enabled", &n->enabled) || decode_names(in, n) ||
	    lib_decode_name(in, "policy", n->policy, sizeof(n->policy)) ||
	    lib_decode_name(in, "breaker", n->breaker, sizeof(n->breaker)))
		return -EPROTO;
	return 0;
}

static int decode_attr(const json_t *in, struct gpreempt_attr *out)
{
	if (!in || json_is_null(in))
		return 0;
#define DECODE(m) _Generic(m, u32: lib_decode_u32, u64: lib_decode_u64, bool: decode_bool)
#define X(name, text, member, ...)                       \
	if (DECODE(out->member)(in, text, &out->member)) \
		return -EPROTO;                          \
	out->valid |= GPREEMPT_ATTR_##name;
	GP_ATTRS(X)
#undef X
	if (lib_decode_name(in, "class", out->klass, sizeof(out->klass)) ||
	    lib_decode_name(in, "group", out->group, sizeof(out->group)))
		return -EPROTO;
	if (out->klass[0])
		out->valid |= GPREEMPT_ATTR_CLASS;
	if (out->group[0])
		out->valid |= GPREEMPT_ATTR_GROUP;
	return 0;
}

json_t *lib_encode_attr(const struct gpreempt_attr *a)
{
	json_t *out = json_object();
	int bad = 0;

#define X(name, text, member, ...)           \
	if (a->valid & GPREEMPT_ATTR_##name) \
		bad |= json_object_set_new(out, text, drv_json_member(a->member));
	GP_ATTRS(X)
#undef X
	if (a->valid & GPREEMPT_ATTR_CLASS)
		bad |= json_object_set_new(out, "class", json_string(a->klass));
	if (a->valid & GPREEMPT_ATTR_GROUP)
		bad |= json_object_set_new(out, "group", json_string(a->group));
	if (!bad)
		return out;
	json_decref(out);
	return NULL;
}

uint32_t lib_decode_mechanism(const char *name)
{
#define X(mech, text)                    \
	if (name && !strcmp(name, text)) \
		return GPREEMPT_MECH_##mech;
	DRV_MECHS(X)
#undef X
	return 0;
}

int lib_decode_process(const json_t *in, void *out)
{
	struct gpreempt_process *p = out;

	p->mechanism = lib_decode_mechanism(json_string_value(json_object_get(in, "mechanism")));
	if (lib_decode_u32(in, "pid", &p->pid) || decode_value(in, "uid", &p->uid) ||
	    lib_decode_name(in, "comm", p->comm, sizeof(p->comm)) ||
	    lib_decode_u32(in, "nr_queues", &p->nr_queues) ||
	    decode_value(in, "nr_busy", &p->nr_busy) ||
	    lib_decode_name(in, "state", p->state, sizeof(p->state)) ||
	    decode_attr(json_object_get(in, "attributes"), &p->attr))
		return -EPROTO;
	/* null before the first one: 0. */
	lib_decode_u64(in, "wait_p50_ns", &p->wait_p50_ns);
	lib_decode_u64(in, "wait_p99_ns", &p->wait_p99_ns);
	lib_decode_u64(in, "wait_p999_ns", &p->wait_p999_ns);
	return 0;
}

int lib_decode_total(const json_t *in, void *out)
{
	struct gpreempt_total *t = out;

	if (lib_decode_name(in, "group", t->group, sizeof(t->group)) ||
	    lib_decode_u64(in, "account", &t->account) ||
	    lib_decode_u64(in, "run_ns", &t->run_ns) || lib_decode_u64(in, "off_ns", &t->off_ns) ||
	    lib_decode_u64(in, "off_max_ns", &t->off_max_ns) ||
	    lib_decode_u64(in, "nr_preempted", &t->nr_preempted) ||
	    lib_decode_u64(in, "nr_waits", &t->nr_waits) ||
	    lib_decode_u64(in, "wait_ns", &t->wait_ns))
		return -EPROTO;
	t->is_over = json_is_integer(json_object_get(in, "ended_ns"));
	lib_decode_u64(in, "wait_p99_ns", &t->wait_p99_ns);
	return 0;
}

static uint32_t decode_held(const json_t *in)
{
	const json_t *list = json_object_get(in, "held");
	uint32_t held = 0;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *by = json_string_value(json_array_get(list, i));

#define X(name, text)                \
	if (by && !strcmp(by, text)) \
		held |= GPREEMPT_HELD_##name;
		DRV_HELD(X)
#undef X
	}
	return held;
}

/* The daemon names types, the struct has the numbers of the ioctl ABI. */
static int decode_type(const json_t *in, const char *key, struct gpreempt_value *out)
{
	const char *name = json_string_value(json_object_get(in, key)), *is;

	for (uint32_t i = 0; name && (is = drv_kfd_queue_type_name(i)); i++) {
		if (!strcmp(is, name))
			*out = (struct gpreempt_value){ .value = i, .source = source_of(in, key) };
	}
	return 0;
}

#define decode_number decode_value
#define decode_flag decode_value

int lib_decode_queue(const json_t *in, void *out)
{
	struct gpreempt_queue *q = out;

	if (lib_decode_u32(in, "pid", &q->pid) || lib_decode_u32(in, "gpu_id", &q->gpu_id) ||
	    lib_decode_u32(in, "queue_id", &q->queue_id))
		return -EPROTO;
#define X(key, member, kind)                    \
	if (decode_##kind(in, key, &q->member)) \
		return -EPROTO;
	DRV_QUEUE_VALUES(X)
#undef X
	q->held = decode_held(in);
	q->compute = q->type;
	q->compute.value = q->type.source && drv_kfd_is_compute((uint32_t)q->type.value);
	return 0;
}

int lib_decode_event(const json_t *in, void *out)
{
	struct gpreempt_event *e = out;

	if (lib_decode_u64(in, "time_ns", &e->time_ns) ||
	    lib_decode_name(in, "kind", e->kind, sizeof(e->kind)) || !e->kind[0] ||
	    decode_optional_u32(in, "pid", 0, &e->pid) ||
	    decode_optional_u32(in, "gpu_id", 0, &e->gpu_id) ||
	    decode_optional_u32(in, "queue_id", GPREEMPT_QUEUE_ALL, &e->queue_id) ||
	    lib_decode_name(in, "text", e->text, sizeof(e->text)))
		return -EPROTO;
	return 0;
}

int lib_decode_stats(const json_t *in, struct gpreempt_stats *s)
{
	const json_t *sw = json_object_get(in, "switch"), *off = json_object_get(in, "off");
	const json_t *wait = json_object_get(in, "wait");

	if (!json_is_object(sw) || !json_is_object(off))
		return -EPROTO;
#define X(member)                                    \
	if (lib_decode_u64(in, #member, &s->member)) \
		return -EPROTO;
	DRV_STATS(X)
#undef X
	/* null before the first one: 0. */
	lib_decode_u64(sw, "p50_ns", &s->switch_p50_ns);
	lib_decode_u64(sw, "p99_ns", &s->switch_p99_ns);
	lib_decode_u64(off, "p50_ns", &s->off_p50_ns);
	lib_decode_u64(off, "p99_ns", &s->off_p99_ns);
	lib_decode_u64(wait, "p50_ns", &s->wait_p50_ns);
	lib_decode_u64(wait, "p99_ns", &s->wait_p99_ns);
	lib_decode_u64(wait, "p999_ns", &s->wait_p999_ns);
	return 0;
}
