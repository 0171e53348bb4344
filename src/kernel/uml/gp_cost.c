// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Virtual time that a system call takes, for User-Mode Linux with time-travel=inf-cpu, where
 * computing takes none. vehicle/uml-kernel adds this file to arch/um/kernel and calls the
 * kernel's own handle_syscall() um_handle_syscall().
 *
 * And random numbers that are the same in every boot: Linux takes some of the host's otherwise,
 * and a program that asks for them makes two runs differ.
 *
 * Parameters of the kernel's command line:
 *   gp_syscall_ns   what every call takes
 *   gp_wake_ns      what a call takes besides when it had to sleep
 *   gp_seed         not 0: what a call takes varies, and one in 16 lets others go first for up
 *                   to 256 us; another seed is another order, the same seed the same
 *   gp_log_calls    1: the log has a line for every call, to find where two runs part
 */
#include <linux/hrtimer.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/time-internal.h>
#include <skas.h>
#include <sysdep/ptrace.h>
#include <sysdep/ptrace_user.h>

#define ONE_IN 16
#define LONGEST_PAUSE_NS (256 * NSEC_PER_USEC)

static ulong gp_syscall_ns;
core_param(gp_syscall_ns, gp_syscall_ns, ulong, 0644);
static ulong gp_wake_ns;
core_param(gp_wake_ns, gp_wake_ns, ulong, 0644);
static ulong gp_seed;
core_param(gp_seed, gp_seed, ulong, 0644);
static bool gp_log_calls;
core_param(gp_log_calls, gp_log_calls, bool, 0644);

/* The kernel's own: see above. */
asmlinkage void um_handle_syscall(struct uml_pt_regs *r);
/* For arch/um/os-Linux/util.c, instead of the host's getrandom(). */
long gp_random(void *buf, unsigned long len);

/* xorshift64: one processor, no preemption, so that nothing comes between. */
static u64 next_of(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 16;
}

static u64 next_random(void)
{
	static u64 state;

	if (!state)
		state = gp_seed * 0x9e3779b97f4a7c15ull | 1;
	return next_of(&state);
}

long gp_random(void *buf, unsigned long len)
{
	static u64 state = 0x9e3779b97f4a7c15ull;
	unsigned long i;

	for (i = 0; i < len; i++)
		((u8 *)buf)[i] = next_of(&state);
	return len;
}

/* The program that reads the log would never come to the end of it. */
static void log_call(struct uml_pt_regs *r)
{
	if (gp_log_calls && strcmp(current->comm, "cat"))
		pr_info("call %s/%d %ld\n", current->comm, current->pid,
			(long)PT_SYSCALL_NR(r->gp));
}

static void pause_for(u64 ns)
{
	ktime_t until = ktime_add_ns(ktime_get(), ns);

	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&until, HRTIMER_MODE_ABS);
}

static void charge(bool has_slept)
{
	u64 ns = gp_syscall_ns + (has_slept ? gp_wake_ns : 0);

	if (gp_seed)
		ns = ns * (next_random() % 2048) / 1024;
	if (ns)
		time_travel_ndelay(ns);
	if (gp_seed && next_random() % ONE_IN == 0)
		pause_for(next_random() % LONGEST_PAUSE_NS);
}

void handle_syscall(struct uml_pt_regs *r)
{
	unsigned long nr_sleeps = current->nvcsw;

	log_call(r);
	um_handle_syscall(r);
	if (time_travel_mode == TT_MODE_INFCPU)
		charge(current->nvcsw != nr_sleeps);
}
