// SPDX-License-Identifier: MIT
#include "daemon/gpd_waits.h"
#include "daemon/gpd_tally.h"
#include "daemon/gpreemptd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The one of a class; NULL = out of memory. Classes are few: the configuration names them. */
static struct gp_small_hist *of_class(struct gpd_node *n, const char *klass)
{
	struct gpd_class_waits *k;

	LIST_FOREACH(k, &n->class_waits, link)
		if (!strcmp(k->klass, klass))
			return &k->waits;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	snprintf(k->klass, sizeof(k->klass), "%s", klass);
	LIST_INSERT_HEAD(&n->class_waits, k, link);
	return &k->waits;
}

void gpd_waits_note(struct gpd_entity *e, uint64_t ns)
{
	struct gpd_member *m = LIST_FIRST(&e->members);
	struct gp_small_hist *w = m ? of_class(e->node, m->client->attrs.klass) : NULL;

	gp_small_hist_add(&e->waits, ns);
	gp_small_hist_add(&e->user->waits, ns);
	if (e->tally)
		gp_small_hist_add(&e->tally->waits, ns);
	if (w)
		gp_small_hist_add(w, ns);
}

void gpd_waits_fini(struct gpd_node *n)
{
	struct gpd_class_waits *k;

	while ((k = LIST_FIRST(&n->class_waits))) {
		LIST_REMOVE(k, link);
		free(k);
	}
}
