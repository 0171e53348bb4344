// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_lease.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/clients/gpd_client_msg.h"
#include "daemon/gpd_util.h"

static void renew_members(struct gpd_client *c)
{
	struct gpd_member *m;

	LIST_FOREACH(m, &c->members, of_client) {
		struct wire_order o = {
			.epoch = m->hold_epoch,
			.gpu_id = m->node->gpu_id,
			.queue_id = WIRE_QUEUE_ALL,
			.holder = WIRE_HOLDER_SCHED,
			.lease_ns = c->d->config->lease_ns,
		};

		if (m->held)
			gpd_client_order(c, &o, WIRE_RENEW);
	}
}

static void start(struct gpd *d)
{
	uint64_t usec = (gpd_now_ns() + d->config->lease_ns / 3) / 1000;

	sd_event_source_set_time(d->renew, usec);
	sd_event_source_set_enabled(d->renew, SD_EVENT_ONESHOT);
}

static int on_renew(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd *d = data;
	struct gpd_client *c;

	LIST_FOREACH(c, &d->clients, link) {
		/* Something is held: for work that is there, or not any more. */
		gpd_client_look(c);
		renew_members(c);
	}
	if (d->nr_held)
		start(d);
	return 0;
}

int gpd_lease_init(struct gpd *d)
{
	int err = sd_event_add_time(d->event, &d->renew, CLOCK_MONOTONIC, 0, 1, on_renew, d);

	if (err < 0)
		return err;
	sd_event_source_set_description(d->renew, "lease");
	return sd_event_source_set_enabled(d->renew, SD_EVENT_OFF);
}

void gpd_lease_fini(struct gpd *d)
{
	d->renew = sd_event_source_unref(d->renew);
}

void gpd_lease_update(struct gpd *d)
{
	int enabled = SD_EVENT_OFF;

	/* It ends by itself: a hold that comes and goes does not touch the timer. */
	if (!d->nr_held)
		return;
	sd_event_source_get_enabled(d->renew, &enabled);
	if (enabled == SD_EVENT_OFF)
		start(d);
}
