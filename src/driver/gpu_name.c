// SPDX-License-Identifier: MIT
/*
 * The names that a GPU has in other tools.
 */
#define _GNU_SOURCE
#include "driver/discover.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UUID "GPU-"
#define RENDER "renderD"
#define ID "gpu:"

const char *drv_node_pci(const struct gpreempt_node *n, char out[GPREEMPT_NAME_LEN])
{
	uint32_t a = n->pci_address;

	out[0] = '\0';
	if (a)
		snprintf(out, GPREEMPT_NAME_LEN, "%04x:%02x:%02x.%x", n->pci_domain, a >> 8 & 0xff,
			 a >> 3 & 0x1f, a & 7);
	return out;
}

const char *drv_node_uuid(const struct gpreempt_node *n, char out[GPREEMPT_NAME_LEN])
{
	out[0] = '\0';
	if (n->unique_id)
		snprintf(out, GPREEMPT_NAME_LEN, UUID "%016" PRIx64, n->unique_id);
	return out;
}

/* A number and nothing behind it. */
static bool is_number(const char *text, uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	*out = strtoull(text, &end, 10);
	return !*end && *out <= UINT32_MAX;
}

static bool is_after(const char *text, const char *prefix, uint64_t *out)
{
	return !strncmp(text, prefix, strlen(prefix)) && is_number(text + strlen(prefix), out);
}

static bool is_pci(const char *text, struct gpreempt_node *n)
{
	unsigned int bus, device, function;
	int end = 0;

	if (sscanf(text, "%8" SCNx32 ":%2x:%2x.%1x%n", &n->pci_domain, &bus, &device, &function,
		   &end) != 4) {
		n->pci_domain = 0;
		if (sscanf(text, "%2x:%2x.%1x%n", &bus, &device, &function, &end) != 3)
			return false;
	}
	n->pci_address = bus << 8 | device << 3 | function;
	return end && !text[end] && device < 32 && function < 8;
}

bool drv_is_gpu_name(const char *name)
{
	struct gpreempt_node any;
	uint64_t number;

	return is_number(name, &number) || is_after(name, ID, &number) ||
	       is_after(name, RENDER, &number) || is_pci(name, &any) ||
	       (!strncasecmp(name, UUID, strlen(UUID)) && name[strlen(UUID)]);
}

bool drv_node_is_named(const struct gpreempt_node *n, const char *name)
{
	struct gpreempt_node meant;
	char uuid[GPREEMPT_NAME_LEN];
	uint64_t number;

	if (is_number(name, &number))
		return n->gpu == number;
	if (is_after(name, ID, &number))
		return n->gpu_id == number;
	if (is_after(name, RENDER, &number))
		return number && n->render_minor == number;
	if (is_pci(name, &meant))
		return n->pci_address && n->pci_domain == meant.pci_domain &&
		       n->pci_address == meant.pci_address;
	return *drv_node_uuid(n, uuid) && !strcasecmp(uuid, name);
}
