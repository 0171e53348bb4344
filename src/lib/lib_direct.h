/* SPDX-License-Identifier: MIT */
/*
 * A handle without the daemon: lists from discovery, and a tracer process for each
 * process whose queues are stopped.
 */
#ifndef GP_LIB_DIRECT_H
#define GP_LIB_DIRECT_H

#include "gpreempt/gpreempt.h"

struct lib_direct;

/* 0, -ENODEV no amdkfd here, -ENOMEM. */
int lib_direct_open(struct lib_direct **out);

/* What was stopped goes on. Harmless on NULL. */
void lib_direct_close(struct lib_direct *d);

/* The public calls on a handle without a daemon; arguments are checked. */
int lib_direct_nodes(struct gpreempt *g, struct gpreempt_node **out, size_t *nr);
int lib_direct_processes(struct gpreempt *g, struct gpreempt_process **out, size_t *nr);
int lib_direct_queues(struct gpreempt *g, struct gpreempt_queue **out, size_t *nr);
int lib_direct_suspend(struct gpreempt *g, struct gpreempt_ref *refs, size_t nr, uint64_t lease_ns,
		       uint64_t timeout_ns);
int lib_direct_resume(struct gpreempt *g, struct gpreempt_ref *refs, size_t nr,
		      uint64_t timeout_ns);

/* What this machine has, daemon or not. */
void lib_direct_probe(struct gpreempt_caps *caps);

#endif
