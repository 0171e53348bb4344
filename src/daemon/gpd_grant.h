/* SPDX-License-Identifier: MIT */
/*
 * DOC: Grants
 *
 * A grant says what processes may be before they are clients: a process and its descendants, or
 * the processes of a cgroup and of those below it. Only a privileged connection makes one. A
 * client that comes has the attributes of its grant; what it wishes, and what its user sets, can
 * only be less urgent. Without a grant the rules of gpd_auth.c decide alone.
 *
 * Of several the nearest counts: a process before a cgroup, the parent before its parent, the
 * cgroup before the one above. A descendant is one by its parents, at most GPD_GRANT_STEPS of
 * them: a process whose parent has ended belongs to a cgroup at best.
 *
 * A grant ends with Revoke and with its lease: then clients keep of it what every process may
 * have. That of a process also ends when the process and all clients that have it are gone.
 * Grants are kept in the state file.
 */
#ifndef GPD_GRANT_H
#define GPD_GRANT_H

#include "daemon/control/gpd_control.h"
#include "daemon/gpreemptd.h"

#include <jansson.h>

#define GPD_GRANTS_MAX 4096
#define GPD_GRANT_STEPS 64

/* What some processes may be. */
struct gpd_grant {
	struct gp_tree_node by_scope; /* in gpd_grants.tree */
	pid_t pid;		      /* a process and its descendants, 0 = a cgroup */
	uint64_t start_time;	      /* of that process */
	char cgroup[GPD_CGROUP_LEN];  /* path in its hierarchy, "" = a process */
	struct gpd_attrs attrs;	      /* most that they may be; group "" = any */
	uint64_t until_ns;	      /* end of its lease, U64_MAX = none */
	uint32_t nr_clients;	      /* that have it */
};

/* Before the state is read. 0 or -errno. */
int gpd_grant_init(struct gpd *d);

void gpd_grant_free(struct gpd *d);

/* The grant of a process, NULL = none. */
struct gpd_grant *gpd_grant_find(const struct gpd *d, pid_t pid);

/* A client has another grant from now on, NULL = none; its attributes stay. */
void gpd_grant_give(struct gpd_client *c, struct gpd_grant *g);

/* For the state file, and out of it. */
json_t *gpd_grant_save(struct gpd *d);
void gpd_grant_load(struct gpd *d, const json_t *grants);

/* The methods. */
void gpd_grant_call(struct gpd_conn *conn, const struct gpd_request *r);
void gpd_grant_revoke(struct gpd_conn *conn, const struct gpd_request *r);
void gpd_grant_list(struct gpd_conn *conn, const struct gpd_request *r);

#endif
