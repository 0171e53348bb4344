// SPDX-License-Identifier: MIT
#include "lib/lib_decode.h"
#include "lib/lib_handle.h"

#include <errno.h>
#include <string.h>

#define NS_PER_MS 1000000ull

/* From best to worst: a reference that names several queues gets the worst of theirs. */
static const struct {
	const char *name;
	int ret;
} results[] = {
	{ "ok", 0 },
	{ "gone", -ESRCH },
	{ "busy", -EBUSY },
	{ "refused", -EPERM },
	{ "error", -EIO },
};

static int rank_of(const char *name)
{
	for (int i = 0; name && i < (int)(sizeof(results) / sizeof(results[0])); i++) {
		if (!strcmp(results[i].name, name))
			return i;
	}
	return -1;
}

static json_t *encode_refs(const struct gpreempt_ref *refs, size_t nr)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < nr; i++) {
		json_t *t = json_pack("{s:I}", "pid", (json_int_t)refs[i].pid);

		if (t && refs[i].gpu_id)
			json_object_set_new(t, "gpu_id", json_integer(refs[i].gpu_id));
		if (t && refs[i].queue_id != GPREEMPT_QUEUE_ALL)
			json_object_set_new(t, "queue_id", json_integer(refs[i].queue_id));
		if (json_array_append_new(out, t)) {
			json_decref(out);
			return NULL;
		}
	}
	return out;
}

/* Does a result belong to this reference? */
static bool is_of(const json_t *result, const struct gpreempt_ref *ref)
{
	uint32_t v;

	if (lib_decode_u32(result, "pid", &v) || (ref->pid && v != ref->pid))
		return false;
	if (ref->gpu_id && !lib_decode_u32(result, "gpu_id", &v) && v != ref->gpu_id)
		return false;
	if (ref->queue_id != GPREEMPT_QUEUE_ALL && !lib_decode_u32(result, "queue_id", &v) &&
	    v != ref->queue_id)
		return false;
	return true;
}

static void decode_ref(struct gpreempt *g, const json_t *list, struct gpreempt_ref *ref)
{
	int worst = -1;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *r = json_array_get(list, i);
		const char *reason = json_string_value(json_object_get(r, "reason"));
		int rank = rank_of(json_string_value(json_object_get(r, "result")));

		if (!is_of(r, ref) || rank <= worst)
			continue;
		worst = rank;
		if (rank > 0)
			lib_fail(g, 0, "%u: %s", ref->pid, reason ? reason : results[rank].name);
	}
	ref->result = worst < 0 ? -EIO : results[worst].ret;
}

/* 0, or why the call cannot be made. */
static int check_call(struct gpreempt *g, const struct gpreempt_ref *refs, size_t nr)
{
	if (!g || (nr && !refs) || nr > INT32_MAX)
		return -EINVAL;
	lib_begin(g);
	for (size_t i = 0; i < nr; i++) {
		if (!refs[i].pid || refs[i].pid > INT32_MAX)
			return lib_fail(g, -EINVAL, "%u is no process id", refs[i].pid);
	}
	return 0;
}

static int order_daemon(struct gpreempt *g, bool is_suspend, struct gpreempt_ref *refs, size_t nr,
			uint64_t lease_ns, uint64_t timeout_ns)
{
	uint64_t ms = timeout_ns / NS_PER_MS;
	uint64_t lease_ms = lease_ns / NS_PER_MS + !!(lease_ns % NS_PER_MS);
	json_t *parameters = json_pack("{s:o, s:I}", "targets", encode_refs(refs, nr), "timeout_ms",
				       (json_int_t)(ms ? ms : 1));
	json_t *reply, *list;
	int ret, done = 0;

	if (!parameters)
		return lib_no_memory(g);
	if (lease_ms)
		json_object_set_new(parameters, "lease_ms", json_integer((json_int_t)lease_ms));
	ret = lib_call(g, is_suspend ? "Suspend" : "Resume", parameters,
		       lib_deadline(lib_patience(timeout_ns)), &reply);
	if (ret)
		return ret == -ENOENT ? -ESRCH : ret;
	list = json_object_get(reply, "results");
	for (size_t i = 0; json_is_array(list) && i < nr; i++) {
		decode_ref(g, list, &refs[i]);
		done += !refs[i].result;
	}
	if (!json_is_array(list))
		done = lib_fail(g, -EPROTO, "the daemon's answer has no results");
	json_decref(reply);
	return done;
}

int lib_order_self(struct gpreempt *g, bool is_suspend, uint64_t lease_ns)
{
	struct gpreempt_ref ref = { .queue_id = GPREEMPT_QUEUE_ALL };
	int ret = lib_begin_daemon(g);

	if (!ret)
		ret = order_daemon(g, is_suspend, &ref, 1, lease_ns, LIB_TIMEOUT_NS);
	return ret < 0 ? ret : ref.result;
}

static int order(struct gpreempt *g, bool is_suspend, struct gpreempt_ref *refs, size_t nr,
		 uint64_t lease_ns, uint64_t timeout_ns)
{
	int ret = check_call(g, refs, nr);

	if (ret || !nr)
		return ret;
	if (!timeout_ns)
		timeout_ns = LIB_TIMEOUT_NS;
	if (g->direct)
		return lib_direct_order(g, is_suspend, refs, nr, lease_ns, timeout_ns);
	ret = lib_begin_daemon(g);
	return ret ? ret : order_daemon(g, is_suspend, refs, nr, lease_ns, timeout_ns);
}

int gpreempt_suspend_queues(struct gpreempt *g, struct gpreempt_ref *refs, size_t nr,
			    uint64_t lease_ns, uint64_t timeout_ns)
{
	return order(g, true, refs, nr, lease_ns, timeout_ns);
}

int gpreempt_resume_queues(struct gpreempt *g, struct gpreempt_ref *refs, size_t nr,
			   uint64_t timeout_ns)
{
	return order(g, false, refs, nr, 0, timeout_ns);
}
