// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_client.h"
#include "rules/right.h"
#include "driver/module.h"
#include "daemon/control/gpd_peer.h"
#include "daemon/gpd_grant.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

static bool peer_is_in(int fd, gid_t gid)
{
	gid_t few[64];
	gid_t *groups = few;
	socklen_t len = sizeof(few);
	bool found = false;
	size_t i;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len)) {
		if (errno != ERANGE || !(groups = malloc(len)))
			return false;
		if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len))
			len = 0;
	}
	for (i = 0; i < len / sizeof(*groups); i++)
		found |= groups[i] == gid;
	if (groups != few)
		free(groups);
	return found;
}

/*
 * A descriptor of the process that connected: its number may be another process's by now. Where
 * the kernel has none, one of the process with that number, and *is_proven is false. -errno
 */
static int open_peer(int fd, pid_t pid, bool *is_proven)
{
	socklen_t len = sizeof(int);
	int pidfd = -1;

	*is_proven = !getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &len);
	if (*is_proven)
		return pidfd;
	return errno == ENOPROTOOPT ? drv_module_pidfd(pid) : -errno;
}

/* What was read of its number may be of another process. Closes @pidfd. */
static bool has_ended(int pidfd)
{
	struct pollfd ended = { .fd = pidfd, .events = POLLIN };
	bool has = pidfd < 0 || poll(&ended, 1, 0);

	if (pidfd >= 0)
		close(pidfd);
	return has;
}

int gpd_auth_peer(const struct gpd *d, int fd, struct gpd_cred *cred)
{
	const struct gpd_config *config = d->config;
	struct ucred peer;
	socklen_t len = sizeof(peer);
	struct gpd_proc proc;
	bool is_proven, is_it;
	int pidfd;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return -errno;
	pidfd = open_peer(fd, peer.pid, &is_proven);
	if (pidfd == -EMFILE || pidfd == -ENFILE || pidfd == -ENOMEM)
		return pidfd;
	cred->pid = peer.pid;
	cred->start_time = gpd_proc_read(peer.pid, &proc) ? 0 : proc.start_time;
	gpd_trust_owner(d, peer.pid, peer.uid, &cred->owner);
	is_it = is_proven || cred->owner.is_foreign || gpd_peer_is(fd, peer.pid, peer.uid);
	if (has_ended(pidfd)) {
		is_it = false;
		cred->start_time = 0;
	}
	if (!is_it) {
		gpd_trust_owner(d, 0, peer.uid, &cred->owner);
		cred->owner.is_foreign = true;
	}
	cred->privileged = gpd_trust_is_root(&cred->owner) ||
			   (!cred->owner.is_foreign && config->gid != (gid_t)-1 &&
			    (peer.gid == config->gid || peer_is_in(fd, config->gid)));
	return 0;
}

static const struct gpd_class *open_class(const struct gpd_config *config, const char *name)
{
	const struct gpd_class *k = gpd_config_class(config, name);

	return k && k->open ? k : NULL;
}

/*
 * Which attributes go beyond what its grant, or every process and an open class, and the process
 * itself has.
 */
static uint32_t excess(const struct gpd_config *config, const struct gpd_grant *grant,
		       const struct gp_attr *old, const char *klass, const struct gp_attr *wish)
{
	const struct gpd_class *k = open_class(config, klass);
	struct gp_attr most;
	uint32_t too_much;

	gp_attr_default(&most);
	too_much = gp_right_excess(wish, grant ? &grant->attrs.core : &most);
	if (k && !grant)
		too_much &= gp_right_excess(wish, &k->attr);
	if (old)
		too_much &= gp_right_excess(wish, old);
	return too_much;
}

bool gpd_auth_check(const struct gpd_config *config, const struct gpd_cred *cred,
		    const struct gpd_grant *grant, const struct gpd_attrs *old,
		    const struct gpd_attrs *new, char *why, size_t size)
{
	bool same_class = old && !strcmp(old->klass, new->klass);
	uint32_t too_much;

	if (cred->privileged)
		return true;
	if (!open_class(config, new->klass) && !same_class &&
	    !(grant && !strcmp(grant->attrs.klass, new->klass))) {
		snprintf(why, size, "this class is not open to all");
		return false;
	}
	if (grant && grant->attrs.group[0] && strcmp(grant->attrs.group, new->group)) {
		snprintf(why, size, "its group is granted");
		return false;
	}
	too_much = excess(config, grant, old ? &old->core : NULL, new->klass, &new->core);
	if (too_much)
		snprintf(why, size, "%s above what %s is a privilege", gp_attr_name(too_much),
			 grant ? "is granted" : "every user has");
	return !too_much;
}

bool gpd_auth_class(const struct gpd_config *config, const char *name, struct gpd_attrs *attrs)
{
	const struct gpd_class *k = gpd_config_class(config, name);

	if (!k)
		return false;
	attrs->core = k->attr;
	memcpy(attrs->klass, k->name, sizeof(attrs->klass));
	return true;
}

static void choose_class(struct gpd_client *c, const struct wire_hello *m)
{
	const struct gpd_config *config = c->d->config;
	const struct gpd_class *k = m->klass[0] ? gpd_config_class(config, m->klass) : NULL;

	gpd_auth_class(config, GPD_DEFAULT_CLASS, &c->attrs);
	if (c->grant)
		c->attrs = c->grant->attrs;
	if (m->klass[0] && !k)
		gpd_client_note(c, "wished for class %s, which there is not", m->klass);
	else if (k && c->grant && gp_right_excess(&k->attr, &c->grant->attrs.core))
		gpd_client_note(c, "wished for class %s, which is more than was granted", m->klass);
	else if (k && !c->grant && !k->open && !c->cred.privileged)
		gpd_client_note(c, "wished for class %s, which is not open to all", m->klass);
	else if (k)
		gpd_auth_class(config, m->klass, &c->attrs);
}

/* The wishes of a HELLO, on top of the class. */
static void read_wishes(const struct wire_hello *m, struct gp_attr *wish)
{
	if (m->slice_ns)
		wish->slice_ns = m->slice_ns;
	if (m->deadline_ns)
		wish->deadline_ns = m->deadline_ns;
	if (m->prio != WIRE_PRIO_UNSET)
		wish->prio = m->prio;
	if (m->weight)
		wish->weight = m->weight;
	wish->latency_critical |= !!(m->attr_flags & WIRE_ATTR_LATENCY_CRITICAL);
}

/* A priority that is too high becomes the highest there is for the asking. */
static uint8_t highest(const struct gpd_config *config, const char *klass)
{
	const struct gpd_class *k = open_class(config, klass);

	return k && k->attr.prio > GP_PRIO_DEFAULT ? k->attr.prio : GP_PRIO_DEFAULT;
}

void gpd_auth_wishes(struct gpd_client *c, const struct wire_hello *m)
{
	const struct gpd_config *config = c->d->config;
	struct gp_attr wish;
	uint32_t too_much;
	uint32_t bit;

	gpd_grant_give(c, gpd_grant_find(c->d, &c->way, c->pid, c->start_time));
	choose_class(c, m);
	if (!c->grant || !c->grant->attrs.group[0])
		memcpy(c->attrs.group, m->group, sizeof(c->attrs.group));
	wish = c->attrs.core;
	read_wishes(m, &wish);
	too_much = c->cred.privileged && !c->grant ? 0 :
		   excess(config, c->grant, &c->attrs.core, c->attrs.klass, &wish);
	for (bit = 1; bit & GP_ATTR_ALL; bit <<= 1)
		if (too_much & bit)
			gpd_client_note(c, "wished for more %s than it may have",
					gp_attr_name(bit));
	/* Each wish by itself: the others are granted. */
	gp_attr_copy(&c->attrs.core, &wish, GP_ATTR_ALL & ~too_much);
	if (too_much & GP_ATTR_PRIO)
		c->attrs.core.prio = c->grant ? c->grant->attrs.core.prio :
						highest(config, c->attrs.klass);
}
