// SPDX-License-Identifier: MIT
#include "driver/discover.h"
#include "driver/kfd.h"
#include "daemon/gpd_engine.h"
#include "daemon/module/gpd_module.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_state.h"
#include "daemon/gpd_util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK_NS GPD_NS_PER_SEC

static struct gpd_node *lookup(struct gpd *d, uint32_t gpu_id)
{
	uint32_t i;

	for (i = 0; i < d->nr_nodes; i++)
		if (d->node[i].gpu_id == gpu_id)
			return &d->node[i];
	return NULL;
}

static struct gpd_node *add(struct gpd *d, uint32_t gpu_id)
{
	struct gpd_node *n;

	if (d->nr_nodes == GPD_NODES_MAX)
		return NULL;
	n = &d->node[d->nr_nodes];
	n->d = d;
	n->index = d->nr_nodes++;
	n->gpu_id = gpu_id;
	n->about = (struct gpreempt_node){ .gpu_id = gpu_id };
	n->enabled = true;
	return n;
}

static void add_simulated(struct gpd *d)
{
	uint32_t i;

	for (i = 0; i < d->config->nr_sim; i++) {
		struct gpd_node *n = add(d, i + 1);

		if (!n)
			return;
		n->simulated = true;
		n->about.index = i;
		strcpy(n->about.name, "simulated");
	}
}

/* Those of the driver that are not known yet. */
static void add_real(struct gpd *d, uint32_t max)
{
	struct drv_node *found;
	size_t nr;
	size_t i;

	if (drv_discover_nodes(NULL, &found, &nr))
		return;
	for (i = 0; i < nr && d->nr_nodes < max; i++) {
		struct gpd_node *n = lookup(d, found[i].gpu_id) ? NULL : add(d, found[i].gpu_id);

		if (n)
			n->about = drv_node_public(&found[i]);
	}
	free(found);
}

void gpd_nodes_init(struct gpd *d)
{
	uint32_t i;

	add_simulated(d);
	add_real(d, GPD_NODES_MAX);
	/* Real ones are counted as other tools count them. */
	for (i = 0; i < d->nr_nodes && d->node[i].simulated; i++)
		d->node[i].about.gpu = d->nr_nodes - d->config->nr_sim + i;
	d->max_nodes = d->nr_nodes + GPD_NODES_SPARE;
	if (d->max_nodes > GPD_NODES_MAX)
		d->max_nodes = GPD_NODES_MAX;
}

static void tell(const struct gpd_node *n, int level, const char *text)
{
	gpd_log(level, "node %" PRIu32 ": %s", n->gpu_id, text);
	gpd_monitor_event(n->d, "report", 0, n->gpu_id, WIRE_QUEUE_ALL, "%s", text);
}

/* The driver tells every process that may open it. */
static int on_reset(sd_event_source *s, int fd, uint32_t events, void *data)
{
	struct gpd_node *n = data;
	int heard = drv_kfd_smi_read(fd);

	if (heard < 0) {
		sd_event_source_set_enabled(s, SD_EVENT_OFF);
		return 0;
	}
	/* Of a reset that is over, both may be heard at once. */
	if (heard & 1 << KFD_SMI_EVENT_GPU_PRE_RESET) {
		tell(n, LOG_ERR, "the GPU is being reset");
		gpd_engine_lost(n);
	}
	if (heard & 1 << KFD_SMI_EVENT_GPU_POST_RESET) {
		tell(n, LOG_NOTICE, "the GPU was reset");
		gpd_engine_back(n);
	}
	return 0;
}

/* Without the permission to open the driver nothing is heard; that is said once in the log. */
static void watch_resets(struct gpd_node *n)
{
	int kfd = n->simulated ? -1 : drv_kfd_open();
	int fd;

	if (n->simulated)
		return;
	fd = kfd < 0 ? kfd : drv_kfd_smi_open(kfd, n->gpu_id);
	if (kfd >= 0)
		close(kfd);
	if (fd >= 0 && sd_event_add_io(n->d->event, &n->reset, fd, EPOLLIN, on_reset, n) >= 0) {
		sd_event_source_set_io_fd_own(n->reset, true);
		return;
	}
	gpd_log(LOG_INFO, "node %" PRIu32 ": resets are not heard of: %s", n->gpu_id,
		strerror(fd < 0 ? -fd : EIO));
	if (fd >= 0)
		close(fd);
}

void gpd_nodes_begin(struct gpd_node *n)
{
	gpd_reload_apply_node(n, NULL);
	gpd_state_apply_node(n);
	watch_resets(n);
}

/* A driver that was loaded later, a GPU that came back. */
static void look_again(struct gpd *d)
{
	uint32_t old = d->nr_nodes;

	add_real(d, d->max_nodes);
	for (; old < d->nr_nodes; old++) {
		gpd_log(LOG_INFO, "node %" PRIu32 " appeared", d->node[old].gpu_id);
		if (gpd_engine_node(&d->node[old]) < 0) {
			d->nr_nodes = old;
			return;
		}
		gpd_nodes_begin(&d->node[old]);
		gpd_module_take_node(&d->node[old]);
	}
}

struct gpd_node *gpd_nodes_find(struct gpd *d, uint32_t gpu_id)
{
	struct gpd_node *n = lookup(d, gpu_id);
	uint64_t now_ns = gpd_now_ns();

	/* A client may ask for what there is not all day long. */
	if (n || now_ns < d->look_ns)
		return n;
	d->look_ns = now_ns + LOOK_NS;
	look_again(d);
	return lookup(d, gpu_id);
}

bool gpd_nodes_have_gfx942(const struct gpd *d)
{
	uint32_t i;

	for (i = 0; i < d->nr_nodes; i++)
		if (d->node[i].about.gfx_target.value / 100 == 904)
			return true;
	return false;
}

void gpd_nodes_fini(struct gpd *d)
{
	uint32_t i;

	for (i = 0; i < d->nr_nodes; i++)
		d->node[i].reset = sd_event_source_unref(d->node[i].reset);
}
