// SPDX-License-Identifier: MIT
#include "lib/lib_handle.h"

#include "driver/discover.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lib_begin(struct gpreempt *g)
{
	g->error[0] = '\0';
	g->remote_errno = 0;
}

int lib_fail(struct gpreempt *g, int ret, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(g->error, sizeof(g->error), format, args);
	va_end(args);
	return ret;
}

int lib_no_memory(struct gpreempt *g)
{
	return lib_fail(g, -ENOMEM, "%s", strerror(ENOMEM));
}

int lib_begin_daemon(struct gpreempt *g)
{
	lib_begin(g);
	if (g->direct)
		return lib_fail(g, -EOPNOTSUPP, "this needs the daemon");
	if (g->is_monitor)
		return lib_fail(g, -EBUSY, "the handle is an event stream");
	return 0;
}

static int set_socket(struct gpreempt *g, const char *socket)
{
	if (!socket)
		return drv_address_find(g->socket, sizeof(g->socket));
	if (strlen(socket) >= sizeof(g->socket))
		return -ENAMETOOLONG;
	strcpy(g->socket, socket);
	return 0;
}

static int open_handle(struct gpreempt *g, unsigned int flags)
{
	int ret = -ENOENT;

	if (!(flags & GPREEMPT_OPEN_DIRECT))
		ret = lib_connect(g, lib_deadline(LIB_TIMEOUT_NS));
	if (!ret || (flags & GPREEMPT_OPEN_DAEMON))
		return ret;
	if (!(flags & GPREEMPT_OPEN_DIRECT) && ret != -ENOENT && ret != -ECONNREFUSED)
		return ret;
	return lib_direct_open(&g->direct);
}

int gpreempt_open(struct gpreempt **out, unsigned int flags, const char *socket)
{
	const unsigned int both = GPREEMPT_OPEN_DAEMON | GPREEMPT_OPEN_DIRECT;
	struct gpreempt *g;
	int ret;

	if (!out || (flags & ~both) || flags == both)
		return -EINVAL;
	g = calloc(1, sizeof(*g));
	if (!g)
		return -ENOMEM;
	lib_conn_init(&g->conn);
	ret = set_socket(g, socket);
	if (!ret)
		ret = open_handle(g, flags);
	if (ret) {
		gpreempt_close(g);
		return ret;
	}
	*out = g;
	return 0;
}

void gpreempt_close(struct gpreempt *g)
{
	if (!g)
		return;
	lib_conn_close(&g->conn);
	lib_direct_close(g->direct);
	free(g);
}

const char *gpreempt_strerror(const struct gpreempt *g)
{
	return g ? g->error : "";
}

void gpreempt_free(void *p)
{
	free(p);
}

const char *gpreempt_source_name(enum gpreempt_source source)
{
	return drv_source_name((uint32_t)source);
}

size_t gpreempt_sizeof(const char *name)
{
	static const struct {
		const char *name;
		size_t size;
	} structs[] = {
		{ "gpreempt_value", sizeof(struct gpreempt_value) },
		{ "gpreempt_caps", sizeof(struct gpreempt_caps) },
		{ "gpreempt_node", sizeof(struct gpreempt_node) },
		{ "gpreempt_attr", sizeof(struct gpreempt_attr) },
		{ "gpreempt_process", sizeof(struct gpreempt_process) },
		{ "gpreempt_total", sizeof(struct gpreempt_total) },
		{ "gpreempt_queue", sizeof(struct gpreempt_queue) },
		{ "gpreempt_ref", sizeof(struct gpreempt_ref) },
		{ "gpreempt_stats", sizeof(struct gpreempt_stats) },
		{ "gpreempt_event", sizeof(struct gpreempt_event) },
	};

	for (size_t i = 0; name && i < sizeof(structs) / sizeof(structs[0]); i++) {
		if (!strcmp(structs[i].name, name))
			return structs[i].size;
	}
	return 0;
}
