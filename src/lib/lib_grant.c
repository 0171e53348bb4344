// SPDX-License-Identifier: MIT
/*
 * What a process may be, said before it uses the GPU.
 */
#include "lib/lib_decode.h"
#include "lib/lib_handle.h"

#include <errno.h>
#include <string.h>

/* Takes @parameters. */
static int call(struct gpreempt *g, const char *method, json_t *parameters, uint32_t pid,
		const char *cgroup)
{
	json_t *reply;
	int ret;

	if (pid)
		json_object_set_new(parameters, "pid", json_integer(pid));
	else
		json_object_set_new(parameters, "cgroup", json_string(cgroup));
	ret = lib_call(g, method, parameters, lib_deadline(LIB_TIMEOUT_NS), &reply);
	if (!ret)
		json_decref(reply);
	return ret == -ENOENT ? -ESRCH : ret;
}

/* One of the two is named. */
static bool is_scope(const struct gpreempt *g, uint32_t pid, const char *cgroup)
{
	return g && !pid == !!cgroup && pid <= INT32_MAX;
}

int gpreempt_grant(struct gpreempt *g, uint32_t pid, const char *cgroup,
		   const struct gpreempt_attr *attr, uint64_t lease_ns)
{
	uint64_t lease_ms = lease_ns / 1000000 + !!(lease_ns % 1000000);
	json_t *attributes;
	int ret;

	if (!is_scope(g, pid, cgroup) || !attr)
		return -EINVAL;
	/* To the module what a privileged caller says is a grant: uapi/linux/gpreempt.h, Limits. */
	if (g->direct && pid && !lease_ns)
		return gpreempt_set_attr(g, pid, attr);
	ret = lib_begin_daemon(g);
	if (ret)
		return ret;
	attributes = lib_encode_attr(attr);
	if (!attributes)
		return lib_no_memory(g);
	return call(g, "Grant", json_pack("{s:o, s:I}", "attributes", attributes, "lease_ms",
					  (json_int_t)lease_ms), pid, cgroup);
}

int gpreempt_revoke(struct gpreempt *g, uint32_t pid, const char *cgroup)
{
	int ret;

	if (!is_scope(g, pid, cgroup))
		return -EINVAL;
	ret = lib_begin_daemon(g);
	return ret ? ret : call(g, "Revoke", json_object(), pid, cgroup);
}
