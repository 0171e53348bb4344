// SPDX-License-Identifier: MIT
#include "daemon/control/gpd_auth.h"
#include "daemon/clients/gpd_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define DEFAULT_CLASS "default"

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
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

int gpd_auth_peer(const struct gpd_config *config, int fd, struct gpd_cred *cred)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return -errno;
	cred->pid = peer.pid;
	cred->uid = peer.uid;
	cred->gid = peer.gid;
	cred->privileged = peer.uid == 0 || peer.uid == geteuid() ||
			   (config->gid != (gid_t)-1 &&
			    (peer.gid == config->gid || peer_is_in(fd, config->gid)));
	return 0;
}

bool gpd_auth_may_touch(const struct gpd_cred *cred, uid_t uid)
{
	return cred->privileged || cred->uid == uid;
}

static const struct gpd_class *open_class(const struct gpd_config *config, const char *name)
{
	const struct gpd_class *k = gpd_config_class(config, name);

	return k && k->open ? k : NULL;
}

static uint8_t ceiling(const struct gpd_config *config, const char *klass)
{
	const struct gpd_class *k = open_class(config, klass);

	return k && k->attr.prio > GP_PRIO_DEFAULT ? k->attr.prio : GP_PRIO_DEFAULT;
}

bool gpd_auth_check(const struct gpd_config *config, const struct gpd_cred *cred,
		    const struct gpd_attrs *old, const struct gpd_attrs *new, const char **why)
{
	const struct gpd_class *k = open_class(config, new->klass);
	bool same_class = old && !strcmp(old->klass, new->klass);

	if (cred->privileged)
		return true;
	if (!k && !same_class)
		*why = "this class is not open to everybody";
	else if (new->core.prio > ceiling(config, new->klass) &&
		 !(old && new->core.prio <= old->core.prio))
		*why = "this priority is above the default";
	else if (new->core.latency_critical && !(k && k->attr.latency_critical) &&
		 !(old && old->core.latency_critical))
		*why = "latency_critical is a privilege";
	else if (new->core.no_preempt && !(k && k->attr.no_preempt) &&
		 !(old && old->core.no_preempt))
		*why = "no_preempt is a privilege";
	else if (new->core.weight > GP_WEIGHT_DEFAULT &&
		 !(k && new->core.weight <= k->attr.weight) &&
		 !(old && new->core.weight <= old->core.weight))
		*why = "this weight is above the default";
	else
		return true;
	return false;
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

static void choose_class(struct gpd_client *c, const struct gp_wire_hello *m)
{
	const struct gpd_config *config = c->d->config;
	const struct gpd_class *k = m->klass[0] ? gpd_config_class(config, m->klass) : NULL;

	gpd_auth_class(config, DEFAULT_CLASS, &c->attrs);
	if (m->klass[0] && !k)
		gpd_client_note(c, "wished for class %s, which there is not", m->klass);
	else if (k && !k->open && !c->cred.privileged)
		gpd_client_note(c, "wished for class %s, which is not open to everybody", m->klass);
	else if (k)
		gpd_auth_class(config, m->klass, &c->attrs);
}

/* Take one wish back if it goes too far; the others may still be granted. */
static void grant(struct gpd_client *c, struct gpd_attrs *wish, const struct gpd_attrs *base)
{
	const char *why;

	if (gpd_auth_check(c->d->config, &c->cred, base, wish, &why))
		c->attrs = *wish;
	else
		gpd_client_note(c, "wished for more than it may have: %s", why);
}

void gpd_auth_wishes(struct gpd_client *c, const struct gp_wire_hello *m)
{
	struct gpd_attrs base;
	struct gpd_attrs wish;

	choose_class(c, m);
	memcpy(c->attrs.group, m->group, sizeof(c->attrs.group));
	if (m->slice_ns)
		c->attrs.core.slice_ns = m->slice_ns;
	if (m->deadline_ns)
		c->attrs.core.deadline_ns = m->deadline_ns;
	base = c->attrs;
	if (m->prio != GP_WIRE_PRIO_UNSET) {
		uint8_t most = ceiling(c->d->config, c->attrs.klass);

		wish = c->attrs;
		wish.core.prio = m->prio;
		grant(c, &wish, &base);
		if (c->attrs.core.prio != m->prio && c->attrs.core.prio < most)
			c->attrs.core.prio = most;
	}
	wish = c->attrs;
	wish.core.latency_critical |= !!(m->attr_flags & GP_WIRE_ATTR_LATENCY_CRITICAL);
	if (wish.core.latency_critical != c->attrs.core.latency_critical)
		grant(c, &wish, &base);
	wish = c->attrs;
	wish.core.weight = m->weight ? m->weight : wish.core.weight;
	if (wish.core.weight != c->attrs.core.weight)
		grant(c, &wish, &base);
}
