// SPDX-License-Identifier: MIT
#include "topology.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More nodes than any machine has. */
#define NODES_MAX 256

static FILE *open_file(const char *folder, uint32_t index, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%" PRIu32 "/%s", folder, index, name);
	return fopen(path, "re");
}

static uint32_t read_gpu_id(const char *folder, uint32_t index)
{
	FILE *f = open_file(folder, index, "gpu_id");
	uint32_t gpu_id = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%" SCNu32, &gpu_id) != 1)
		gpu_id = 0;
	fclose(f);
	return gpu_id;
}

static void read_name(const char *folder, struct gpd_topology_node *n)
{
	FILE *f = open_file(folder, n->index, "name");

	if (!f)
		return;
	if (!fgets(n->name, sizeof(n->name), f))
		n->name[0] = '\0';
	n->name[strcspn(n->name, "\n")] = '\0';
	fclose(f);
}

/* Lines of a key and a number. */
static void read_properties(const char *folder, struct gpd_topology_node *n)
{
	FILE *f = open_file(folder, n->index, "properties");
	uint64_t simds = 0;
	uint64_t simds_per_cu = 0;
	uint64_t value;
	char key[64];

	if (!f)
		return;
	while (fscanf(f, "%63s %" SCNu64, key, &value) == 2) {
		if (!strcmp(key, "simd_count"))
			simds = value;
		else if (!strcmp(key, "simd_per_cu"))
			simds_per_cu = value;
		else if (!strcmp(key, "num_xcc"))
			n->nr_xcc = (uint32_t)value;
		else if (!strcmp(key, "gfx_target_version"))
			n->gfx_target = (uint32_t)value;
		else if (!strcmp(key, "cwsr_size"))
			n->cwsr = value > 0;
	}
	if (simds_per_cu)
		n->nr_cu = (uint32_t)(simds / simds_per_cu);
	fclose(f);
}

uint32_t gpd_topology_read(const char *folder, struct gpd_topology_node *nodes, uint32_t max)
{
	uint32_t nr = 0;
	uint32_t i;

	for (i = 0; i < NODES_MAX && nr < max; i++) {
		uint32_t gpu_id = read_gpu_id(folder, i);
		struct gpd_topology_node *n = &nodes[nr];

		if (!gpu_id)
			continue;
		*n = (struct gpd_topology_node){ .gpu_id = gpu_id, .index = i, .cwsr = -1 };
		read_name(folder, n);
		read_properties(folder, n);
		nr++;
	}
	return nr;
}
