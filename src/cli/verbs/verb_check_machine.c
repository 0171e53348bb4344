// SPDX-License-Identifier: MIT
#include "cli/verbs/verb_check.h"

#include "driver/discover.h"
#include "driver/kfd.h"
#include "driver/system.h"

#include <grp.h>
#include <stdlib.h>
#include <string.h>

static void check_kernel(struct cli_check *c, const struct drv_system *s)
{
	if (s->kernel[0])
		cli_check_add(c, CLI_CHECK_OK, "kernel", NULL, "Linux %s", s->kernel);
	else
		cli_check_add(c, CLI_CHECK_WARN, "kernel", NULL, "its release cannot be read");
}

static bool check_driver(struct cli_check *c, const struct drv_system *s, int err, size_t nr)
{
	if (!err && nr) {
		cli_check_add(c, CLI_CHECK_OK, "driver", NULL, "amdkfd in %s %s, %zu GPU%s",
			      s->module[0] ? s->module : "the kernel",
			      s->module_version[0] ? s->module_version : "of this kernel", nr,
			      nr == 1 ? "" : "s");
		return true;
	}
	if (s->module[0] || !err)
		cli_check_add(c, CLI_CHECK_FAIL, "gpu",
			      "gpreempt sim demo, which has a simulated one",
			      "there is no AMD GPU that amdkfd can use on this machine%s",
			      s->module[0] ? ", though its driver is loaded" : "");
	else
		cli_check_add(c, CLI_CHECK_FAIL, "gpu",
			      "modprobe amdgpu if there is one, or gpreempt sim demo for a "
			      "simulated one",
			      "there is no AMD GPU on this machine, or its driver is not loaded");
	return false;
}

static void check_access(struct cli_check *c, const struct drv_system *s)
{
	const struct group *g = s->kfd_gid.source ? getgrgid((gid_t)s->kfd_gid.value) : NULL;
	char remedy[96];

	snprintf(remedy, sizeof(remedy), "usermod -aG %s USER, then log in again",
		 g ? g->gr_name : "render");
	if (!s->kfd)
		cli_check_add(c, CLI_CHECK_OK, "permissions", NULL, "/dev/kfd can be opened");
	else
		cli_check_add(c, CLI_CHECK_FAIL, "permissions", s->kfd == -EACCES ? remedy : NULL,
			      "/dev/kfd: %s", strerror(-s->kfd));
}

static void check_uapi(struct cli_check *c, const struct drv_system *s)
{
	struct kfd_ioctl_get_version_args v = { (u32)s->kfd_major.value, (u32)s->kfd_minor.value };

	if (!s->kfd_major.source)
		cli_check_add(c, CLI_CHECK_WARN, "uapi", NULL, "the ioctl version is not known");
	else if (drv_kfd_version_has_debug(&v))
		cli_check_add(c, CLI_CHECK_OK, "uapi", NULL, "ioctl version %u.%u, with DBG_TRAP",
			      v.major_version, v.minor_version);
	else
		cli_check_add(c, CLI_CHECK_WARN, "uapi", "Linux 6.5 or newer",
			      "ioctl version %u.%u has no DBG_TRAP: only programs started with "
			      "gpreempt run can be stopped", v.major_version, v.minor_version);
}

static void check_scheduler(struct cli_check *c, const struct drv_system *s)
{
	if (!s->sched_policy.source)
		cli_check_add(c, CLI_CHECK_WARN, "scheduler", NULL, "its mode is not known");
	else if (s->sched_policy.value == DRV_SCHED_POLICY_NO_HWS)
		cli_check_add(c, CLI_CHECK_WARN, "scheduler",
			      "to boot without amdgpu.sched_policy=2",
			      "the firmware scheduler is off: DBG_TRAP is refused, only programs "
			      "started with gpreempt run can be stopped");
	else
		cli_check_add(c, CLI_CHECK_OK, "scheduler", NULL, "firmware scheduler (HWS)%s",
			      s->sched_policy.value ? ", without oversubscription" : "");
}

static void check_cwsr(struct cli_check *c, const struct drv_system *s)
{
	if (!s->cwsr_enable.source)
		cli_check_add(c, CLI_CHECK_WARN, "cwsr", NULL, "not known whether waves are saved");
	else if (s->cwsr_enable.value)
		cli_check_add(c, CLI_CHECK_OK, "cwsr", NULL, "on: running waves are saved");
	else
		cli_check_add(c, CLI_CHECK_FAIL, "cwsr", "to boot without amdgpu.cwsr_enable=0",
			      "off: a running kernel cannot be stopped, only waited for");
}

static void check_ptrace(struct cli_check *c, const struct drv_system *s)
{
	const u64 scope = s->ptrace_scope.value;

	if (!s->ptrace_scope.source || !scope)
		cli_check_add(c, CLI_CHECK_OK, "ptrace", NULL, "a user may trace own processes");
	else if (scope == 3)
		cli_check_add(c, CLI_CHECK_WARN, "ptrace",
			      "to reboot with kernel.yama.ptrace_scope=0",
			      "no process may be traced: gpreempt attach cannot work");
	else
		cli_check_add(c, CLI_CHECK_WARN, "ptrace",
			      "sysctl kernel.yama.ptrace_scope=0, or gpreemptd as root",
			      "scope %llu: gpreempt attach works for root's daemon alone",
			      (unsigned long long)scope);
}

static void check_debugfs(struct cli_check *c, const struct drv_system *s)
{
	if (!s->debugfs)
		cli_check_add(c, CLI_CHECK_OK, "debugfs", NULL, "kfd/mqds can be read");
	else
		cli_check_add(c, CLI_CHECK_OK, "debugfs", NULL,
			      "kfd/mqds cannot be read (%s): hardware priorities of others stay "
			      "unknown", strerror(-s->debugfs));
}

static void check_node(struct cli_check *c, const struct drv_node *n)
{
	double mib = (double)n->cwsr_bytes.value / (1 << 20);
	char name[32];

	snprintf(name, sizeof(name), "gpu:%u", n->gpu_id);
	if (!n->cwsr_bytes.source || !n->cwsr_bytes.value)
		cli_check_add(c, CLI_CHECK_FAIL, name, NULL, "%s: %s", n->name,
			      n->cwsr_bytes.source ? "waves cannot be saved on it" :
						    "size of the save area unknown");
	else
		cli_check_add(c, CLI_CHECK_OK, name, NULL,
			      "%s, %llu compute units, %llu XCC, save area %.1f MiB a queue",
			      n->name, (unsigned long long)n->nr_cu.value,
			      (unsigned long long)n->nr_xcc.value,
			      mib * (double)max(n->nr_xcc.value, (uint64_t)1));
	if (!n->mec_fw.source || !n->mec_fw.value)
		cli_check_add(c, CLI_CHECK_WARN, "firmware", NULL, "%s: version of the MEC unknown",
			      name);
	else if (n->capability.source && !(n->capability.value & DRV_NODE_CAP_DEBUG_FIRMWARE))
		cli_check_add(c, CLI_CHECK_WARN, "firmware", "a newer linux-firmware",
			      "%s: MEC firmware %llu does not support debugging: gpreempt attach "
			      "may not work", name, (unsigned long long)n->mec_fw.value);
	else
		cli_check_add(c, CLI_CHECK_OK, "firmware", NULL, "%s: MEC %llu, SDMA %llu", name,
			      (unsigned long long)n->mec_fw.value,
			      (unsigned long long)n->sdma_fw.value);
}

bool cli_check_machine(struct cli_check *c, const char *root)
{
	struct drv_node *nodes = NULL;
	struct drv_system s;
	size_t nr = 0;
	int err;

	drv_system_read(root, &s);
	check_kernel(c, &s);
	err = drv_discover_nodes(root, &nodes, &nr);
	if (!check_driver(c, &s, err, nr))
		return false;
	check_access(c, &s);
	check_uapi(c, &s);
	check_scheduler(c, &s);
	check_cwsr(c, &s);
	for (size_t i = 0; i < nr; i++)
		check_node(c, &nodes[i]);
	check_ptrace(c, &s);
	check_debugfs(c, &s);
	free(nodes);
	return true;
}
