// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_reset.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/gpd_engine.h"
#include "driver/kfd.h"
#include "daemon/control/gpd_monitor.h"
#include "daemon/gpd_util.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static int on_event(sd_event_source *s, int fd, uint32_t events, void *data)
{
	struct gpd_node *n = data;
	int heard = drv_kfd_smi_read(fd);

	if (heard < 0) {
		sd_event_source_set_enabled(s, SD_EVENT_OFF);
		return 0;
	}
	/* Of a reset that is over, both may be heard at once. */
	if (heard & 1 << KFD_SMI_EVENT_GPU_PRE_RESET) {
		gpd_log(LOG_ERR, "node %" PRIu32 ": the GPU is being reset", n->gpu_id);
		gpd_monitor_event(n->d, "report", 0, n->gpu_id, WIRE_QUEUE_ALL,
				  "the GPU is being reset");
		gpd_engine_lost(n);
	}
	if (heard & 1 << KFD_SMI_EVENT_GPU_POST_RESET) {
		gpd_log(LOG_NOTICE, "node %" PRIu32 ": the GPU was reset", n->gpu_id);
		gpd_monitor_event(n->d, "report", 0, n->gpu_id, WIRE_QUEUE_ALL,
				  "the GPU was reset");
		gpd_engine_back(n);
	}
	return 0;
}

void gpd_reset_watch(struct gpd_node *n)
{
	int kfd = n->simulated ? -1 : drv_kfd_open();
	int fd;

	if (n->simulated)
		return;
	fd = kfd < 0 ? kfd : drv_kfd_smi_open(kfd, n->gpu_id);
	if (kfd >= 0)
		close(kfd);
	if (fd >= 0 && sd_event_add_io(n->d->event, &n->reset, fd, EPOLLIN, on_event, n) >= 0) {
		sd_event_source_set_io_fd_own(n->reset, true);
		return;
	}
	gpd_log(LOG_INFO, "node %" PRIu32 ": resets are not heard of: %s", n->gpu_id,
		strerror(fd < 0 ? -fd : EIO));
	if (fd >= 0)
		close(fd);
}

void gpd_reset_fini(struct gpd *d)
{
	uint32_t i;

	for (i = 0; i < d->nr_nodes; i++)
		d->node[i].reset = sd_event_source_unref(d->node[i].reset);
}
