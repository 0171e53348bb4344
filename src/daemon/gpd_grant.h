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
 * A parent is a file: a client says HELLO, and an attacker has a process with many. So the way up
 * takes several turns of the loop (struct gpd_climb). When grants change, all clients are looked
 * at in the same way; the request is answered then.
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
	/* When it was made, or changed: clients that have it may not have its attributes yet. */
	struct gpd_round since;
	bool has_ended;		      /* only clients have it still */
};

/* Before the state is read. 0 or -errno. */
int gpd_grant_init(struct gpd *d);

void gpd_grant_free(struct gpd *d);

/*
 * Some steps of the way up from a process that began then, from the first on if grants have
 * changed. Return: it was done before; gpd_grant_find() is told by it until the loop goes on.
 */
bool gpd_grant_climb(const struct gpd *d, struct gpd_climb *way, pid_t pid, uint64_t start_time);

/* The grant of that process, NULL = none. What is not done of the way is done now. */
struct gpd_grant *gpd_grant_find(const struct gpd *d, struct gpd_climb *way, pid_t pid,
				 uint64_t start_time);

/* A client has another grant from now on, NULL = none; its attributes stay. */
void gpd_grant_give(struct gpd_client *c, struct gpd_grant *g);

/* A connection that may wait for an answer is gone. */
void gpd_grant_forget(struct gpd *d, const struct gpd_conn *conn);

/* For the state file, and out of it. */
json_t *gpd_grant_save(struct gpd *d);
void gpd_grant_load(struct gpd *d, const json_t *grants);

/* The methods. */
void gpd_grant_call(struct gpd_conn *conn, const struct gpd_request *r);
void gpd_grant_revoke(struct gpd_conn *conn, const struct gpd_request *r);
void gpd_grant_list(struct gpd_conn *conn, const struct gpd_request *r);

#endif
