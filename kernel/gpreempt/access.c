// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Who may do what to whom. Stopping others' work is a denial of service: it takes what
 * attaching a debugger would take. ptrace_may_access() is not there for modules, so
 * its rule is written out: the same user in every respect and a process that may be
 * dumped, or CAP_SYS_PTRACE over it.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "access.h"
#include "gpk.h"

struct pid *gpk_pidfd_get(int pidfd)
{
	struct pid *pid;
	struct fd f;

	if (pidfd == -1)
		return get_pid(task_tgid(current));
	f = fdget(pidfd);
	if (!fd_file(f))
		return ERR_PTR(-EBADF);
	/* pidfd_pid() is not there for modules; only pidfds live in this file system. */
	if (file_inode(fd_file(f))->i_sb->s_magic == PID_FS_MAGIC)
		pid = get_pid(file_inode(fd_file(f))->i_private);
	else
		pid = ERR_PTR(-EBADF);
	fdput(f);
	return pid;
}

static bool is_same_user(const struct cred *mine, const struct cred *theirs)
{
	return uid_eq(mine->uid, theirs->euid) && uid_eq(mine->uid, theirs->suid) &&
	       uid_eq(mine->uid, theirs->uid) && gid_eq(mine->gid, theirs->egid) &&
	       gid_eq(mine->gid, theirs->sgid) && gid_eq(mine->gid, theirs->gid);
}

static bool is_dumpable(struct task_struct *task)
{
	struct mm_struct *mm = get_task_mm(task);
	bool dumpable = mm && get_dumpable(mm) == SUID_DUMP_USER;

	if (mm)
		mmput(mm);
	return dumpable;
}

int gpk_may_control(struct pid *pid)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	const struct cred *theirs;
	int ret = -EPERM;

	if (!task)
		return -ESRCH;
	if (same_thread_group(task, current)) {
		ret = 0;
		goto out;
	}
	rcu_read_lock();
	theirs = __task_cred(task);
	if (ns_capable(theirs->user_ns, CAP_SYS_PTRACE))
		ret = 0;
	else if (is_same_user(current_cred(), theirs))
		ret = 1;
	rcu_read_unlock();
	if (ret == 1)
		ret = is_dumpable(task) ? 0 : -EPERM;
out:
	put_task_struct(task);
	return ret;
}

int gpk_may_govern(void)
{
	return capable(CAP_SYS_NICE) ? 0 : -EPERM;
}

int gpk_may_set(const struct gpreempt_ioc_attr *arg)
{
	bool raises = ((arg->valid & GPREEMPT_ATTR_F_PRIO) && arg->prio > GP_PRIO_DEFAULT) ||
		      ((arg->valid & GPREEMPT_ATTR_F_WEIGHT) && arg->weight > GP_WEIGHT_DEFAULT) ||
		      ((arg->valid & GPREEMPT_ATTR_F_LATENCY_CRITICAL) && arg->latency_critical) ||
		      ((arg->valid & GPREEMPT_ATTR_F_NO_PREEMPT) && arg->no_preempt) ||
		      ((arg->valid & GPREEMPT_ATTR_F_DEADLINE) && arg->deadline_ns) ||
		      ((arg->valid & GPREEMPT_ATTR_F_SLICE) && arg->slice_ns) ||
		      ((arg->valid & GPREEMPT_ATTR_F_DETECT) &&
		       (arg->detect == GPREEMPT_DETECT_CRITICAL ||
			arg->detect == GPREEMPT_DETECT_DOORBELL));

	return raises ? gpk_may_govern() : 0;
}
