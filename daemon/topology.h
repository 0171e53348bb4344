/* SPDX-License-Identifier: MIT */
/*
 * GPUs as amdkfd lists them in sysfs.
 */
#ifndef GPD_TOPOLOGY_H
#define GPD_TOPOLOGY_H

#include <stdint.h>

#define GPD_TOPOLOGY "/sys/class/kfd/kfd/topology/nodes"

/**
 * struct gpd_topology_node - a GPU of the topology
 * @gpu_id: gpu_id
 * @index: number of its node
 * @name: for people, "" = unknown
 * @gfx_target: gfx_target_version, 0 = unknown
 * @nr_xcc: dies, 0 = unknown
 * @nr_cu: compute units, 0 = unknown
 * @cwsr: 1 waves can be saved, 0 no, -1 unknown
 */
struct gpd_topology_node {
	uint32_t gpu_id;
	uint32_t index;
	char name[64];
	uint32_t gfx_target;
	uint32_t nr_xcc;
	uint32_t nr_cu;
	int cwsr;
};

/**
 * gpd_topology_read() - list the GPUs
 * @folder: GPD_TOPOLOGY, or another one for a test
 * @nodes: output
 * @max: its size
 *
 * Nodes without a gpu_id are processors and not listed.
 *
 * Return: how many; 0 also if there is no driver.
 */
uint32_t gpd_topology_read(const char *folder, struct gpd_topology_node *nodes, uint32_t max);

#endif
