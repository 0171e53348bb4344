// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_member.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void gpd_member_attr(const struct gpd_entity *e, struct gp_attr *attr)
{
	const struct gpd_member *best = LIST_FIRST(&e->members);
	const struct gpd_member *m;
	bool fixed = false;

	LIST_FOREACH(m, &e->members, of_entity) {
		if (m->client->attrs.core.prio >= best->client->attrs.core.prio)
			best = m;
		fixed |= m->client->mute || m->client->refused || m->client->attrs.core.no_preempt;
	}
	*attr = best->client->attrs.core;
	attr->no_preempt = fixed;
}

static struct gpd_entity *find_group(const struct gpd_member *m)
{
	const struct gpd_client *c = m->client;
	struct gpd_entity *e;

	if (!c->attrs.group[0])
		return NULL;
	LIST_FOREACH(e, &m->node->entities, link)
		if (e->uid == c->uid && !strcmp(e->group, c->attrs.group))
			return e;
	return NULL;
}

static int make_entity(struct gpd_member *m)
{
	struct gpd *d = m->client->d;
	struct gpd_entity *e = calloc(1, sizeof(*e));
	struct gp_attr attr;
	int err;

	if (!e)
		return -ENOMEM;
	e->node = m->node;
	e->uid = m->client->uid;
	memcpy(e->group, m->client->attrs.group, sizeof(e->group));
	LIST_INSERT_HEAD(&e->members, m, of_entity);
	gpd_member_attr(e, &attr);
	err = gp_sched_entity_add(d->sched, m->node->index, &attr, (u64)(uintptr_t)e, gpd_now_ns(),
				  &d->out, &e->id);
	if (err) {
		LIST_REMOVE(m, of_entity);
		free(e);
		return err;
	}
	LIST_INSERT_HEAD(&m->node->entities, e, link);
	m->entity = e;
	return 0;
}

static void tell_attr(struct gpd_entity *e)
{
	struct gp_attr attr;

	gpd_member_attr(e, &attr);
	gp_sched_entity_set_attr(e->node->d->sched, e->id, &attr, gpd_now_ns(), &e->node->d->out);
}

int gpd_member_join(struct gpd_member *m)
{
	struct gpd_entity *e = find_group(m);

	if (!e)
		return make_entity(m);
	LIST_INSERT_HEAD(&e->members, m, of_entity);
	m->entity = e;
	tell_attr(e);
	return 0;
}

void gpd_member_leave(struct gpd_member *m)
{
	struct gpd_entity *e = m->entity;

	if (!e)
		return;
	LIST_REMOVE(m, of_entity);
	m->entity = NULL;
	if (!LIST_EMPTY(&e->members)) {
		tell_attr(e);
		return;
	}
	LIST_REMOVE(e, link);
	gp_sched_entity_remove(e->node->d->sched, e->id, gpd_now_ns(), &e->node->d->out);
	free(e);
}

struct gpd_member *gpd_member_get(struct gpd_client *c, struct gpd_node *n, int *err)
{
	struct gpd_member *m;

	LIST_FOREACH(m, &c->members, of_client)
		if (m->node == n)
			return m;
	*err = -ENOMEM;
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->client = c;
	m->node = n;
	*err = gpd_member_join(m);
	if (*err) {
		free(m);
		return NULL;
	}
	LIST_INSERT_HEAD(&c->members, m, of_client);
	return m;
}

static void set_held(struct gpd_member *m, bool held)
{
	if (m->held == held)
		return;
	m->held = held;
	m->node->nr_held += held ? 1 : (uint32_t)-1;
	m->node->d->nr_held += held ? 1 : (uint32_t)-1;
}

void gpd_member_put(struct gpd_member *m)
{
	gpd_member_let_go(m);
	gpd_member_leave(m);
	LIST_REMOVE(m, of_client);
	free(m);
}

int gpd_member_order(struct gpd_member *m, struct gp_wire_order *o, bool release)
{
	int err;

	o->lease_ns = release ? 0 : m->client->d->config->lease_ns;
	err = gpd_client_order(m->client, o, release ? GP_WIRE_RELEASE : GP_WIRE_HOLD);
	set_held(m, !err && !release);
	m->is_released = !err && release;
	if (m->held)
		m->hold_epoch = o->epoch;
	return err;
}

void gpd_member_let_go(struct gpd_member *m)
{
	struct gp_wire_order o = {
		.gpu_id = m->node->gpu_id,
		.queue_id = GP_WIRE_QUEUE_ALL,
		.holder = GP_WIRE_HOLDER_SCHED,
	};

	if (m->held)
		gpd_member_order(m, &o, true);
}

void gpd_member_let_go_all(struct gpd_entity *e)
{
	struct gpd_member *m;

	LIST_FOREACH(m, &e->members, of_entity)
		gpd_member_let_go(m);
}

bool gpd_member_has_others(const struct gpd_member *m)
{
	return LIST_FIRST(&m->entity->members) != m || LIST_NEXT(m, of_entity);
}

void gpd_member_done(struct gpd_member *m, const struct gp_wire_done *done)
{
	if (done->result == GP_WIRE_OK)
		return;
	gpd_client_note(m->client, "could not %s on node %" PRIu32 ": %s",
			m->wait_release ? "continue" : "stop", m->node->gpu_id,
			done->error ? strerror((int)done->error) :
				      gp_result_name((enum gp_result)done->result));
	if (m->wait_release)
		return;
	if (done->result == GP_WIRE_GONE)
		gpd_member_let_go(m);
	else
		gpd_member_let_go_all(m->entity);
}
