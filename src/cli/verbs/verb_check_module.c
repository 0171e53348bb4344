// SPDX-License-Identifier: MIT
/*
 * The scheduler in the kernel: whether the driver has the hooks, whether the module is
 * loaded, and what schedules.
 */
#include "cli/verbs/verb_check.h"

#include "driver/module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOOK "kfd_gpreempt_register"

/* Every user sees the names of symbols, but not their addresses. */
static bool has_hooks(const char *root)
{
	char path[512], *line = NULL;
	bool found = false;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/kallsyms", root ? root : "");
	f = fopen(path, "re");
	while (f && !found && getline(&line, &size, f) > 0) {
		const char *name = strstr(line, " " HOOK);

		found = name && strchr("\t\n ", name[sizeof(HOOK)]);
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

static void say_caps(struct cli_check *c, const struct gpreempt_ioc_caps *caps)
{
	cli_check_add(c, CLI_CHECK_OK, "module", NULL,
		      "gpreempt.ko with ABI %u on %u GPU%s; detection: poll, critical, %smanual%s",
		      caps->version, caps->nr_nodes, caps->nr_nodes == 1 ? "" : "s",
		      caps->caps & GPREEMPT_CAP_DOORBELL ? "doorbell, " : "",
		      caps->caps & GPREEMPT_CAP_VERIFY ? "; saved state is verified" : "");
}

static void say_refused(struct cli_check *c, int err)
{
	if (err == -EACCES || err == -EPERM)
		cli_check_add(c, CLI_CHECK_OK, "module", NULL,
			      "gpreempt.ko is loaded; this user asks it through the daemon");
	else if (err == -EPROTO)
		cli_check_add(c, CLI_CHECK_FAIL, "module", "module and programs of one release",
			      "gpreempt.ko speaks another version of its ABI than this command");
	else
		cli_check_add(c, CLI_CHECK_FAIL, "module", "rmmod gpreempt; modprobe gpreempt",
			      DRV_MODULE_DEVICE ": %s", strerror(-err));
}

bool cli_check_module(struct cli_check *c, const char *root)
{
	bool hooks = has_hooks(root);
	struct gpreempt_ioc_caps caps;
	/* The device is this machine's. */
	int fd = root ? -ENOENT : drv_module_open();
	int err = fd < 0 ? fd : drv_module_caps(fd, &caps);

	if (hooks)
		cli_check_add(c, CLI_CHECK_OK, "hooks", NULL,
			      "amdkfd is patched: the kernel module can schedule");
	else
		cli_check_add(c, CLI_CHECK_OK, "hooks", NULL,
			      "amdkfd is not patched: gpreemptd schedules, by shim and dbg");
	if (!err)
		say_caps(c, &caps);
	else if (err != -ENOENT)
		say_refused(c, err);
	else if (hooks)
		cli_check_add(c, CLI_CHECK_WARN, "module", "modprobe gpreempt",
			      "gpreempt.ko is not loaded, though the driver has the hooks for it");
	if (fd >= 0)
		close(fd);
	return err != -ENOENT;
}
