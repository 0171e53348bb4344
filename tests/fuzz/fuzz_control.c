// SPDX-License-Identifier: MIT
/*
 * Any bytes as a request of the control socket: understood, refused with a reason
 * that can be shown, or no request at all.
 */
#include "daemon/control/gpd_control_decode.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static void check_refusal(const struct gpd_refusal *refusal)
{
	size_t i;

	assert(refusal->error && refusal->key);
	assert(memchr(refusal->value, '\0', sizeof(refusal->value)));
	for (i = 0; refusal->value[i]; i++)
		assert(refusal->value[i] >= ' ' && refusal->value[i] <= '~');
}

static void check_request(const struct gpd_request *r)
{
	uint32_t i;

	assert(gpd_method_name(r->method));
	assert(r->nr_targets <= GPD_TARGETS_MAX && r->nr_parameters <= GPD_CHANGES_MAX);
	for (i = 0; i < r->nr_targets; i++) {
		/* 0 is the process that asks. */
		assert(r->targets[i].pid <= INT32_MAX);
		assert(r->targets[i].gpu_id <= UINT32_MAX && r->targets[i].queue_id <= UINT32_MAX);
	}
	for (i = 0; i < r->nr_parameters; i++)
		assert(memchr(r->parameters[i].name, '\0', sizeof(r->parameters[i].name)));
	assert(memchr(r->policy, '\0', sizeof(r->policy)));
	assert(memchr(r->attributes.klass, '\0', sizeof(r->attributes.klass)));
	assert(memchr(r->attributes.group, '\0', sizeof(r->attributes.group)));
	assert(r->attributes.attr.prio <= 15 && r->attributes.attr.weight <= 10000);
	assert(r->pid <= INT32_MAX && r->gpu_id <= UINT32_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct gpd_request r;
	struct gpd_refusal refusal;

	switch (gpd_control_decode((const char *)data, size, &r, &refusal)) {
	case 0:
		check_request(&r);
		break;
	case -EINVAL:
		check_refusal(&refusal);
		break;
	case -EBADMSG:
		break;
	default:
		assert(0);
	}
	return 0;
}
