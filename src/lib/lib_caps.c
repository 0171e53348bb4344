// SPDX-License-Identifier: MIT
#include "lib/lib_decode.h"
#include "lib/lib_direct.h"
#include "lib/lib_handle.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The daemon knows what it may use; the rest is this machine's. */
static int ask_daemon(struct gpreempt *g, struct gpreempt_caps *c)
{
	json_t *reply, *list;
	int ret = lib_begin_daemon(g);

	if (!ret)
		ret = lib_call(g, "GetInfo", NULL, lib_deadline(LIB_TIMEOUT_NS), &reply);
	if (ret)
		return ret;
	c->daemon = true;
	c->privileged = json_is_true(json_object_get(reply, "privileged"));
	c->mechanisms = 0;
	list = json_object_get(reply, "mechanisms");
	for (size_t i = 0; i < json_array_size(list); i++)
		c->mechanisms |= lib_decode_mechanism(json_string_value(json_array_get(list, i)));
	if (lib_decode_u32(reply, "nr_nodes", &c->nr_nodes))
		ret = lib_fail(g, -EPROTO, "the daemon's answer makes no sense");
	json_decref(reply);
	return ret;
}

int gpreempt_get_caps(struct gpreempt *g, struct gpreempt_caps *caps)
{
	struct gpreempt_caps c = { .size = sizeof(c), .privileged = geteuid() == 0 };
	int ret = 0;

	if (!g || !caps || caps->size < 2 * sizeof(uint32_t))
		return -EINVAL;
	lib_begin(g);
	lib_direct_probe(&c);
	if (!g->direct)
		ret = ask_daemon(g, &c);
	if (ret)
		return ret;
	if (caps->size < c.size)
		c.size = caps->size;
	memcpy(caps, &c, c.size);
	return 0;
}
