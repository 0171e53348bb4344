// SPDX-License-Identifier: MIT
/*
 * Cgroups in the simulator: each that a class names, and each above it, is a share. Of those
 * that nothing is said of the weight is the default, as of any cgroup.
 */
#include "sim/sim.h"
#include "sim/sim_scenario_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One cgroup. */
struct sim_share {
	char path[SIM_CGROUP_LEN];
	u64 id; /* of its share */
};

/* All that [cgroup] says of a path, in the order of the file. */
static void said_of(const struct sim_scenario *sc, const char *path, struct gp_cgroup_attr *a)
{
	gp_cgroup_default(a);
	for (u32 i = 0; i < sc->nr_cgroups; i++)
		if (gp_cgroup_matches(sc->cgroups[i].path, path))
			gp_cgroup_merge(a, &sc->cgroups[i].attr, true);
}

/* "/pods/<star>" stands for a cgroup of each process. */
static void path_of(const struct sim_class_spec *class, u32 process, char *path)
{
	size_t len = strcspn(class->cgroup, "*");

	if (class->cgroup[len])
		snprintf(path, SIM_CGROUP_LEN, "%.*s%u", (int)min(len, (size_t)SIM_CGROUP_LEN - 16),
			 class->cgroup, process);
	else
		strcpy(path, class->cgroup);
}

/* The cgroups above, and at last the one itself; @end is 0 at first. */
static bool next_above(const char *path, size_t *end, char *above)
{
	if (!path[*end] || !path[*end + 1])
		return false;
	*end += 1 + strcspn(path + *end + 1, "/");
	snprintf(above, SIM_CGROUP_LEN, "%.*s", (int)*end, path);
	return true;
}

void sim_share_attrs(struct sim_scenario *sc)
{
	for (u32 i = 0; i < sc->nr_classes; i++) {
		char path[SIM_CGROUP_LEN], above[SIM_CGROUP_LEN];
		struct gp_cgroup_attr a, all;
		size_t end = 0;

		gp_cgroup_default(&all);
		path_of(&sc->classes[i], 0, path);
		while (next_above(path, &end, above)) {
			said_of(sc, above, &a);
			gp_cgroup_inherit(&all, &a);
		}
		gp_cgroup_apply(&all, &sc->classes[i].attr);
	}
}

u32 sim_share_count(const struct sim_scenario *sc)
{
	u32 nr = 0;

	for (u32 i = 0; i < sc->nr_classes; i++)
		if (sc->classes[i].cgroup[0])
			nr += GP_SHARE_DEPTH_MAX + sc->classes[i].processes;
	return nr;
}

static int find_or_add(struct sim *sim, const char *path, u64 parent, u64 *id)
{
	struct gp_cgroup_attr a;
	struct gp_share_attr share;
	int ret;

	for (u32 i = 0; i < sim->nr_shares; i++) {
		*id = sim->shares[i].id;
		if (!strcmp(sim->shares[i].path, path))
			return 0;
	}
	said_of(sim->sc, path, &a);
	gp_cgroup_share(&a, &share);
	ret = gp_sched_share_add(sim->sched, 0, parent, &share, sim->nr_shares, sim->now_ns,
				 &sim->act.acts, id);
	if (ret)
		return ret;
	gp_act_run(&sim->act);
	strcpy(sim->shares[sim->nr_shares].path, path);
	sim->shares[sim->nr_shares++].id = *id;
	return 0;
}

int sim_share_join(struct sim_proc *proc)
{
	struct sim *sim = proc->sim;
	char path[SIM_CGROUP_LEN], above[SIM_CGROUP_LEN];
	u64 id = GP_ID_NONE;
	size_t end = 0;
	int ret = 0;

	if (!proc->spec->cgroup[0])
		return 0;
	path_of(proc->spec, proc->number, path);
	while (!ret && next_above(path, &end, above))
		ret = find_or_add(sim, above, id, &id);
	if (!ret)
		ret = gp_sched_entity_join(sim->sched, proc->core_id, id, sim->now_ns,
					   &sim->act.acts);
	if (!ret)
		gp_act_run(&sim->act);
	return ret;
}

int sim_share_init(struct sim *sim)
{
	u32 nr = sim_share_count(sim->sc);

	sim->shares = nr ? calloc(nr, sizeof(*sim->shares)) : NULL;
	return nr && !sim->shares ? -ENOMEM : 0;
}

void sim_share_fini(struct sim *sim)
{
	free(sim->shares);
}
