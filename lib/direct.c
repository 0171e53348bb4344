// SPDX-License-Identifier: MIT
#include "direct.h"

#include "handle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int gp_direct_open(struct gp_direct **out)
{
	return -ENODEV;
}

void gp_direct_close(struct gp_direct *d)
{
	free(d);
}

int gp_direct_nodes(struct gpreempt *g, struct gpreempt_node **out, size_t *nr)
{
	return gp_fail(g, -ENODEV, "no amdkfd here");
}

int gp_direct_processes(struct gpreempt *g, struct gpreempt_process **out, size_t *nr)
{
	return gp_fail(g, -ENODEV, "no amdkfd here");
}

int gp_direct_queues(struct gpreempt *g, struct gpreempt_queue **out, size_t *nr)
{
	return gp_fail(g, -ENODEV, "no amdkfd here");
}

int gp_direct_suspend(struct gpreempt *g, struct gpreempt_ref *refs, size_t nr, uint64_t lease_ns,
		      uint64_t timeout_ns)
{
	return gp_fail(g, -ENODEV, "no amdkfd here");
}

int gp_direct_resume(struct gpreempt *g, struct gpreempt_ref *refs, size_t nr,
		     uint64_t timeout_ns)
{
	return gp_fail(g, -ENODEV, "no amdkfd here");
}

void gp_direct_probe(struct gpreempt_caps *caps)
{
	caps->hws = -1;
	caps->cwsr = -1;
	caps->ptrace_scope = -1;
}
