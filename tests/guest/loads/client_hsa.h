/* SPDX-License-Identifier: MIT */
/*
 * What every program of ROCr does first: it finds its agents and a region for arguments, and
 * ends with a word where a call fails.
 */
#ifndef GT_CLIENT_HSA_H
#define GT_CLIENT_HSA_H

#include <stdio.h>
#include <stdlib.h>

#include <hsa/hsa.h>

static inline void must(hsa_status_t status, const char *what)
{
	const char *text = "unknown";

	if (status == HSA_STATUS_SUCCESS)
		return;
	hsa_status_string(status, &text);
	printf("%s: %s\n", what, text);
	exit(1);
}

static inline hsa_status_t take_agent(hsa_agent_t agent, void *data)
{
	hsa_agent_t *agents = data;
	hsa_device_type_t type;

	must(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type), "agent");
	agents[type == HSA_DEVICE_TYPE_GPU] = agent;
	return HSA_STATUS_SUCCESS;
}

static inline hsa_status_t take_kernarg_region(hsa_region_t region, void *data)
{
	hsa_region_global_flag_t flags = 0;
	hsa_region_segment_t segment;

	must(hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment), "region");
	if (segment != HSA_REGION_SEGMENT_GLOBAL)
		return HSA_STATUS_SUCCESS;
	must(hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags), "region");
	if (!(flags & HSA_REGION_GLOBAL_FLAG_KERNARG))
		return HSA_STATUS_SUCCESS;
	*(hsa_region_t *)data = region;
	return HSA_STATUS_INFO_BREAK;
}

#endif
