// SPDX-License-Identifier: MIT
#include "daemon/clients/gpd_client.h"
#include "daemon/clients/gpd_dbg.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

static const struct gpd_mech_ops shim_mech_ops = {
	.name = "shim",
};

static const struct gpd_mech_ops sim_mech_ops = {
	.name = "sim",
};

static int refuse(char *why, size_t size, const char *reason, int err)
{
	snprintf(why, size, "%s", reason);
	return err;
}

/*
 * A simulated process is the one that connected, or one with a number that no
 * real process can have.
 */
static int admit_sim(struct gpd_client *c, const struct wire_hello *m, char *why, size_t size)
{
	if (!c->d->config->nr_sim)
		return refuse(why, size, "there are no simulated nodes", -EOPNOTSUPP);
	c->ops = &sim_mech_ops;
	if (!m->pid || m->pid == (uint32_t)c->cred.pid)
		return 0;
	if (m->pid <= GPD_PID_MAX || m->pid > INT_MAX)
		return refuse(why, size, "says that it is another process", -EPERM);
	if (gpd_client_find(c->d, (pid_t)m->pid))
		return refuse(why, size, "there is a simulated process with this number", -EEXIST);
	c->pid = (pid_t)m->pid;
	return 0;
}

/* Its own number for itself may differ, in a container: credentials say which it is. */
static int admit_shim(struct gpd_client *c, const struct wire_hello *m, char *why, size_t size)
{
	struct gpd_client *other = gpd_client_find(c->d, c->cred.pid);

	c->ops = &shim_mech_ops;
	/* From inside it is cheaper, and both at once would get into each other's way. */
	if (other && gpd_mech_is_dbg(other))
		gpd_client_close(other);
	if (m->pid && m->pid != (uint32_t)c->cred.pid)
		gpd_client_note(c, "calls itself process %" PRIu32, m->pid);
	return 0;
}

int gpd_mech_admit(struct gpd_client *c, const struct wire_hello *m, char *why, size_t size)
{
	if (gpd_mech_is_dbg(c))
		return gpd_dbg_admit(c, m, why, size);
	/* A child may have its socket, and another process its number. */
	if (!gpd_proc_is(c->cred.pid, c->cred.start_time))
		return refuse(why, size, "the process that connected is gone", -ESRCH);
	switch (m->mech) {
	case WIRE_MECH_SIM:
		return admit_sim(c, m, why, size);
	case WIRE_MECH_SHIM:
		return admit_shim(c, m, why, size);
	default:
		return refuse(why, size, "only the daemon starts tracers", -EPERM);
	}
}

bool gpd_mech_is_sim(const struct gpd_client *c)
{
	return c->ops == &sim_mech_ops;
}

bool gpd_mech_is_dbg(const struct gpd_client *c)
{
	return c->ops == &gpd_dbg_ops;
}
