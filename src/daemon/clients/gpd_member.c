// SPDX-License-Identifier: MIT
#include "daemon/gpd_engine.h"
#include "daemon/gpd_cgroup.h"
#include "daemon/gpd_gang.h"
#include "daemon/gpd_tally.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_trust.h"
#include "daemon/gpd_user.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void key_of(const struct gpd_client *c, struct gp_group_key *key)
{
	*key = (struct gp_group_key){
		.user = c->owner.account,
		.group = gp_group_number(c->attrs.group),
		.share = c->cgroup ? c->cgroup->number : 0,
		.attr = c->attrs.core,
		/* It cannot be stopped, or does not let itself be stopped. */
		.is_alone = c->mute || c->refused,
	};
	if (c->cgroup)
		gp_cgroup_apply(&c->cgroup->all, &key->attr);
}

static void attr_of(const struct gpd_entity *e, struct gp_attr *attr)
{
	*attr = e->group.key.attr;
	attr->no_preempt |= e->group.key.is_alone;
}

/* One that nothing else has its key is open to others. */
static void set_key(struct gpd_entity *e, const struct gp_group_key *key)
{
	struct gp_groups *groups = &e->node->groups;
	const char *name = LIST_FIRST(&e->members)->client->attrs.group;

	gpd_gang_leave(e);
	gp_groups_remove(groups, &e->group);
	e->group.key = *key;
	e->is_apart = gp_groups_add(groups, &e->group);
	gpd_gang_join(e, name);
}

static int add_to_core(struct gpd_entity *e, bool is_out)
{
	struct gpd_node *n = e->node;
	struct gp_attr attr;

	attr_of(e, &attr);
	return (is_out ? gp_sched_entity_add_out : gp_sched_entity_add)(
		n->d->sched, n->index, &attr, (u64)(uintptr_t)e, gpd_now_ns(), &n->act.acts,
		&e->id);
}

static int make_entity(struct gpd_member *m, const struct gp_group_key *key)
{
	struct gpd_entity *e = calloc(1, sizeof(*e));
	int err;

	if (!e)
		return -ENOMEM;
	e->node = m->node;
	e->group.key = *key;
	LIST_INSERT_HEAD(&e->members, m, of_entity);
	err = gpd_user_take(m->client->user, GPD_BUDGET_ENTITIES) ? 0 : -EDQUOT;
	if (!err) {
		err = add_to_core(e, m->held);
		if (err)
			gpd_user_give(m->client->user, GPD_BUDGET_ENTITIES);
	}
	if (err) {
		LIST_REMOVE(m, of_entity);
		free(e);
		return err;
	}
	e->user = gpd_user_ref(m->client->user);
	LIST_INSERT_HEAD(&m->node->entities, e, link);
	set_key(e, key);
	m->entity = e;
	gpd_tally_join(e);
	return 0;
}

int gpd_member_join(struct gpd_member *m)
{
	struct gp_group_key key;
	struct gp_group *g;

	key_of(m->client, &key);
	g = m->held ? NULL : gp_groups_find(&m->node->groups, &key);
	if (!g)
		return make_entity(m, &key);
	m->entity = container_of(g, struct gpd_entity, group);
	LIST_INSERT_HEAD(&m->entity->members, m, of_entity);
	return 0;
}

/*
 * Whether all other members of its entity have changed in the same way. One that has not is the
 * first to be looked at the next time: a change of a whole group asks for each of its members.
 */
static bool others_have(const struct gpd_member *m, const struct gp_group_key *key)
{
	struct gpd_member *other;
	struct gp_group_key of_other;

	LIST_FOREACH(other, &m->entity->members, of_entity) {
		key_of(other->client, &of_other);
		if (other == m || gp_group_is_one(&of_other, key))
			continue;
		LIST_REMOVE(other, of_entity);
		LIST_INSERT_HEAD(&m->entity->members, other, of_entity);
		return false;
	}
	return true;
}

bool gpd_member_change(struct gpd_member *m)
{
	struct gpd_entity *e = m->entity;
	struct gpd_node *n = e->node;
	struct gp_group_key key;
	struct gp_attr attr;
	bool is_other_group;

	key_of(m->client, &key);
	/* Its entity has changed with another member, or it has come back to the GPU. */
	if (gp_group_is_one(&e->group.key, &key))
		return m->held || !e->is_apart;
	if (!others_have(m, &key) || (!m->held && gp_groups_find(&n->groups, &key)))
		return false;
	is_other_group = e->group.key.group != key.group;
	if (is_other_group)
		gpd_tally_leave(e);
	set_key(e, &key);
	if (is_other_group)
		gpd_tally_join(e);
	attr_of(e, &attr);
	gp_sched_entity_set_attr(n->d->sched, e->id, &attr, gpd_now_ns(), &n->act.acts);
	return true;
}

void gpd_member_leave(struct gpd_member *m)
{
	struct gpd_entity *e = m->entity;

	if (!e)
		return;
	LIST_REMOVE(m, of_entity);
	m->entity = NULL;
	if (!LIST_EMPTY(&e->members))
		return;
	gpd_tally_leave(e);
	gp_groups_remove(&e->node->groups, &e->group);
	LIST_REMOVE(e, link);
	gp_sched_entity_remove(e->node->d->sched, e->id, gpd_now_ns(), &e->node->act.acts);
	gpd_gang_leave(e);
	gpd_user_give(e->user, GPD_BUDGET_ENTITIES);
	gpd_user_put(e->user);
	free(e);
}

struct gpd_member *gpd_member_find(struct gpd_client *c, const struct gpd_node *n)
{
	struct gpd_member *m;

	LIST_FOREACH(m, &c->members, of_client)
		if (m->node == n)
			return m;
	return NULL;
}

struct gpd_member *gpd_member_get(struct gpd_client *c, struct gpd_node *n, int *err)
{
	struct gpd_member *m = gpd_member_find(c, n);

	if (m)
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

void gpd_member_put(struct gpd_member *m)
{
	gpd_member_let_go(m);
	gpd_member_leave(m);
	LIST_REMOVE(m, of_client);
	free(m);
}

static void set_held(struct gpd_member *m, bool held)
{
	if (m->held == held)
		return;
	m->held = held;
	m->node->nr_held += held ? 1 : (uint32_t)-1;
	if (held)
		LIST_INSERT_HEAD(&m->node->d->held, m, of_held);
	else
		LIST_REMOVE(m, of_held);
}

static int send_order(struct gpd_member *m, uint16_t type)
{
	struct wire_order o = {
		.epoch = m->order_epoch,
		.gpu_id = m->node->gpu_id,
		.queue_id = WIRE_QUEUE_ALL,
		.holder = WIRE_HOLDER_SCHED,
		.lease_ns = type == WIRE_RELEASE ? 0 : m->client->d->config->lease_ns,
	};
	int err = gpd_client_order(m->client, &o, type);

	m->order_epoch = o.epoch;
	m->order_ns = o.hdr.time_ns;
	return err;
}

int gpd_member_order(struct gpd_member *m, bool release)
{
	int err = send_order(m, release ? WIRE_RELEASE : WIRE_HOLD);

	set_held(m, !err && !release);
	m->is_released = !err && release;
	m->owed_epoch = err ? 0 : m->order_epoch;
	return err;
}

void gpd_member_let_go(struct gpd_member *m)
{
	if (m->held)
		gpd_member_order(m, true);
}

bool gpd_member_has_others(const struct gpd_member *m)
{
	return LIST_FIRST(&m->entity->members) != m || LIST_NEXT(m, of_entity);
}

static int on_renew(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd *d = data;
	struct gpd_member *m;

	LIST_FOREACH(m, &d->held, of_held)
		send_order(m, WIRE_RENEW);
	/* Something is held: for work that is there, or not any more. */
	sd_event_source_set_enabled(d->look, SD_EVENT_ONESHOT);
	gpd_lease_update(d);
	return 0;
}

int gpd_lease_init(struct gpd *d)
{
	return gpd_timer_add(d->event, &d->renew, on_renew, d);
}

void gpd_lease_update(struct gpd *d)
{
	/* It ends by itself: a hold that comes and goes does not touch the timer. */
	if (!LIST_EMPTY(&d->held) && !gpd_timer_is_on(d->renew))
		gpd_timer_set(d->renew, gpd_now_ns() + d->config->lease_ns / 3);
}
