// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Rights of a caller over a process. Stopping others' work is a denial of service: it takes what
 * attaching a debugger would take. ptrace_may_access() is not there for modules, so
 * its rule is written out: the same user in every respect, with no less capabilities, or
 * CAP_SYS_PTRACE over the process; and that it may be dumped, or CAP_SYS_PTRACE over its
 * memory. Security modules are not asked, as that is not there for modules either: where
 * one forbids debugging (Yama, SELinux), the mode of the device decides.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

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

static bool is_as_capable(const struct cred *mine, const struct cred *theirs)
{
	return mine->user_ns == theirs->user_ns &&
	       cap_issubset(theirs->cap_permitted, mine->cap_permitted);
}

/* A refusal to show addresses is not for the audit log. */
static bool has_cap(struct user_namespace *ns, bool audit)
{
	return audit ? ns_capable(ns, CAP_SYS_PTRACE) : ns_capable_noaudit(ns, CAP_SYS_PTRACE);
}

static bool may_touch_memory(struct task_struct *task, const struct cred *theirs, bool audit)
{
	struct mm_struct *mm = get_task_mm(task);
	bool may;

	/* It is ending. */
	if (!mm)
		return has_cap(theirs->user_ns, audit);
	may = get_dumpable(mm) == SUID_DUMP_USER || has_cap(mm->user_ns, audit);
	mmput(mm);
	return may;
}

static int may_control(struct pid *pid, bool audit)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	const struct cred *theirs, *mine = current_cred();
	int ret = 0;

	if (!task)
		return -ESRCH;
	if (same_thread_group(task, current))
		goto out;
	theirs = get_task_cred(task);
	if ((!(is_same_user(mine, theirs) && is_as_capable(mine, theirs)) &&
	     !has_cap(theirs->user_ns, audit)) ||
	    !may_touch_memory(task, theirs, audit))
		ret = -EPERM;
	put_cred(theirs);
out:
	put_task_struct(task);
	return ret;
}

int gpk_may_control(struct pid *pid)
{
	return may_control(pid, true);
}

bool gpk_may_see(struct pid *pid)
{
	return !may_control(pid, false);
}

int gpk_may_govern(void)
{
	return capable(CAP_SYS_NICE) ? 0 : -EPERM;
}

bool gpk_is_governor(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE);
}
