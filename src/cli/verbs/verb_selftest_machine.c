// SPDX-License-Identifier: MIT
#include "cli/verbs/verb_check.h"
#include "cli/verbs/verb_selftest.h"

#include "driver/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 20

/**
 * struct known - what is known to be bad
 * @gfx_from: first of the parts, gfx_target_version
 * @gfx_to: last of them
 * @before_major: only kernels before this one; 0 = all
 * @before_minor: same
 * @text: what happens, with its source
 * @remedy: what to do
 */
struct known {
	u32 gfx_from;
	u32 gfx_to;
	u32 before_major;
	u32 before_minor;
	const char *text;
	const char *remedy;
};

/* What stops the ladder before anything runs. Reports extend it. */
static const struct known known_bad[] = {
	{ 110501, 110501, 7, 0,
	  "gfx1151 before Linux 7.0: the driver's save area is too small for its registers, and "
	  "preemption hangs the GPU (ROCm issue 5590)",
	  "Linux 7.0 or newer" },
};

static bool is_before(const char *release, const struct known *k)
{
	u32 major, minor;

	if (!k->before_major)
		return true;
	if (sscanf(release, "%u.%u", &major, &minor) != 2)
		return false;
	return major < k->before_major ||
	       (major == k->before_major && minor < k->before_minor);
}

static const struct known *find_known(const struct drv_node *node, const struct drv_system *s)
{
	u32 gfx = (u32)node->gfx_target.value;

	for (u32 i = 0; i < ARRAY_SIZE(known_bad); i++)
		if (gfx >= known_bad[i].gfx_from && gfx <= known_bad[i].gfx_to &&
		    is_before(s->kernel, &known_bad[i]))
			return &known_bad[i];
	return NULL;
}

/* The first finding of gpreempt check that makes preemption on this GPU impossible. */
static const json_t *find_failure(const struct cli_check *c, const struct drv_node *n)
{
	char own[32];

	snprintf(own, sizeof(own), "gpu:%u", n->gpu_id);
	for (size_t i = 0; i < json_array_size(c->list); i++) {
		const json_t *row = json_array_get(c->list, i);
		const char *name = cli_text(row, "name");

		if (!strcmp(cli_text(row, "result"), "fail") &&
		    (strncmp(name, "gpu:", 4) || !strcmp(name, own)))
			return row;
	}
	return NULL;
}

static void rung_machine(const struct kit_climb *climb, struct kit_report *r)
{
	const struct drv_node *n = climb->node;
	struct cli_check c = { .list = json_array() };
	const struct known *known;
	const json_t *failure;
	struct drv_system s;

	drv_system_read(climb->root, &s);
	cli_check_machine(&c, climb->root);
	known = find_known(n, &s);
	failure = find_failure(&c, n);
	if (failure)
		kit_say(r, KIT_FAIL, cli_text(failure, "remedy"), "%s: %s",
			cli_text(failure, "name"), cli_text(failure, "text"));
	else if (known)
		kit_say(r, KIT_FAIL, known->remedy, "%s", known->text);
	else if (kit_stage_object(climb, r))
		kit_say(r, KIT_OK, NULL, "%s, %llu XCC, %llu CUs, MEC firmware %llu; Linux %s, "
			"ioctl %llu.%llu", n->name, (unsigned long long)n->nr_xcc.value,
			(unsigned long long)n->nr_cu.value, (unsigned long long)n->mec_fw.value,
			s.kernel, (unsigned long long)s.kfd_major.value,
			(unsigned long long)s.kfd_minor.value);
	json_decref(c.list);
}

const struct kit_rung cli_rung_machine = {
	.name = "machine",
	.doc = "driver, firmware, kernel, permission",
	.seconds = SECONDS,
	.run = rung_machine,
};
