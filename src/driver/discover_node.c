// SPDX-License-Identifier: MIT
/*
 * The topology: one "key value" a line in nodes/N/properties.
 */
#include "driver/discover.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "driver/sysfile.h"

#define NODES "/sys/class/kfd/kfd/topology/nodes"

/* A line of interest. */
struct property {
	const char *key; /* its first word */
	size_t offset; /* of the struct gpreempt_value in struct drv_node */
};

static const struct property properties[] = {
	{ "gfx_target_version", offsetof(struct drv_node, gfx_target) },
	{ "num_xcc", offsetof(struct drv_node, nr_xcc) },
	{ "simd_count", offsetof(struct drv_node, nr_simd) },
	{ "max_waves_per_simd", offsetof(struct drv_node, waves_per_simd) },
	{ "array_count", offsetof(struct drv_node, nr_arrays) },
	{ "simd_arrays_per_engine", offsetof(struct drv_node, arrays_per_engine) },
	{ "cwsr_size", offsetof(struct drv_node, cwsr_bytes) },
	{ "ctl_stack_size", offsetof(struct drv_node, ctl_stack_bytes) },
	{ "capability", offsetof(struct drv_node, capability) },
	{ "fw_version", offsetof(struct drv_node, mec_fw) },
	{ "sdma_fw_version", offsetof(struct drv_node, sdma_fw) },
	{ "drm_render_minor", offsetof(struct drv_node, render_minor) },
	{ "domain", offsetof(struct drv_node, domain) },
	{ "location_id", offsetof(struct drv_node, location) },
	{ "unique_id", offsetof(struct drv_node, unique_id) },
};

static void take_property(struct drv_node *n, const char *key, uint64_t value)
{
	struct gpreempt_value *v;
	size_t i;

	for (i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
		if (strcmp(key, properties[i].key))
			continue;
		v = (struct gpreempt_value *)((char *)n + properties[i].offset);
		*v = (struct gpreempt_value){ .value = value, .source = GPREEMPT_SOURCE_SYSFS };
	}
}

/* gfx942, gfx90a: the step is hexadecimal, and so is the minor. */
void drv_gfx_name(uint32_t target, char out[GPREEMPT_NAME_LEN])
{
	snprintf(out, GPREEMPT_NAME_LEN, "gfx%u%x%x", target / 10000, target / 100 % 100,
		 target % 100);
}

struct gpreempt_node drv_node_public(const struct drv_node *n)
{
	struct gpreempt_node out = {
		.gpu_id = n->gpu_id, .index = n->index, .nr_xcc = n->nr_xcc, .nr_cu = n->nr_cu,
		.gfx_target = n->gfx_target, .cwsr_bytes = n->cwsr_bytes, .gpu = n->gpu,
		.pci_domain = (uint32_t)n->domain.value,
		.pci_address = n->location.value & 0xffff,
		.render_minor = (uint32_t)n->render_minor.value, .unique_id = n->unique_id.value,
	};

	memcpy(out.name, n->name, sizeof(out.name));
	return out;
}

static int read_properties(const char *path, struct drv_node *n)
{
	FILE *f = fopen(path, "re");
	uint64_t value, simd_per_cu = 0;
	char line[128], key[64];

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63s %" SCNu64, key, &value) != 2)
			continue;
		take_property(n, key, value);
		if (!strcmp(key, "simd_per_cu"))
			simd_per_cu = value;
	}
	fclose(f);
	if (n->nr_simd.source && simd_per_cu)
		n->nr_cu = (struct gpreempt_value){ .value = n->nr_simd.value / simd_per_cu,
						    .source = GPREEMPT_SOURCE_SYSFS };
	if (n->gfx_target.source)
		drv_gfx_name((uint32_t)n->gfx_target.value, n->name);
	return 0;
}

/* Return: 1 a GPU, 0 a node without one or gone, -errno. */
static int read_node(const char *root, uint32_t index, struct drv_node *n)
{
	char path[DRV_SYSFILE_PATH_MAX];
	uint64_t gpu_id;

	*n = (struct drv_node){ .index = index };
	if (drv_sysfile_path(path, root, NODES "/%u/gpu_id", index) ||
	    drv_sysfile_number(path, &gpu_id) || !gpu_id)
		return 0;
	n->gpu_id = (uint32_t)gpu_id;
	if (drv_sysfile_path(path, root, NODES "/%u/properties", index))
		return 0;
	return read_properties(path, n) ? 0 : 1;
}

static int by_index(const void *a, const void *b)
{
	const struct drv_node *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

/* Partitions of one GPU have one address; those with none come in the order of the topology. */
static bool is_before(const struct drv_node *a, const struct drv_node *b)
{
	uint64_t x = a->domain.value << 16 | (a->location.value & 0xffff);
	uint64_t y = b->domain.value << 16 | (b->location.value & 0xffff);

	if (x != y)
		return x < y;
	x = a->location.value >> 28;
	y = b->location.value >> 28;
	return x != y ? x < y : a->index < b->index;
}

static void count_gpus(struct drv_node *all, size_t nr)
{
	size_t i, j;

	for (i = 0; i < nr; i++)
		for (j = 0; j < nr; j++)
			all[i].gpu += is_before(&all[j], &all[i]);
}

static int add_node(const char *root, uint32_t index, struct drv_node **nodes, size_t *nr)
{
	struct drv_node *bigger = realloc(*nodes, (*nr + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	*nodes = bigger;
	if (read_node(root, index, &bigger[*nr]))
		(*nr)++;
	return 0;
}

int drv_discover_nodes(const char *root, struct drv_node **nodes, size_t *nr)
{
	char path[DRV_SYSFILE_PATH_MAX];
	struct drv_node *all = NULL;
	size_t count = 0;
	uint32_t index;
	DIR *dir;
	int r = drv_sysfile_path(path, root, NODES);

	if (r)
		return r;
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!r && drv_sysfile_next(dir, &index))
		r = add_node(root, index, &all, &count);
	closedir(dir);
	if (r || !count) {
		free(all);
		all = NULL;
	}
	if (r)
		return r;
	if (count)
		qsort(all, count, sizeof(*all), by_index);
	count_gpus(all, count);
	*nodes = all;
	*nr = count;
	return 0;
}
