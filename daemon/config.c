// SPDX-License-Identifier: MIT
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void add_class(struct gpd_config *c, const char *name, u8 prio, bool critical, bool open)
{
	struct gpd_class *k = &c->classes[c->nr_classes++];

	gp_attr_default(&k->attr);
	snprintf(k->name, sizeof(k->name), "%s", name);
	k->attr.prio = prio;
	k->attr.latency_critical = critical;
	k->open = open;
}

void gpd_config_default(struct gpd_config *c)
{
	memset(c, 0, sizeof(*c));
	c->gid = (gid_t)-1;
	c->lease_ns = 1000000000;
	c->poll_ns = 1000000;
	c->quiet_ns = 200000;
	c->dbg = GPD_DBG_MANUAL;
	c->self_dbg = true;
	c->max_clients = 1024;
	c->max_connections = 64;
	c->message_rate = 50000;
	c->message_burst = 10000;
	c->edge_rate = 20000;
	c->edge_burst = 4000;
	snprintf(c->policy, sizeof(c->policy), "prio");
	add_class(c, "realtime", 12, true, false);
	add_class(c, "default", GP_PRIO_DEFAULT, false, true);
	add_class(c, "besteffort", 2, false, true);
}

const struct gpd_class *gpd_config_class(const struct gpd_config *c, const char *name)
{
	uint32_t i;

	for (i = 0; i < c->nr_classes; i++)
		if (!strcmp(c->classes[i].name, name))
			return &c->classes[i];
	return NULL;
}
