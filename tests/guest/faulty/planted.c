// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Four errors that the debug kernel must find, made when the module is loaded: see
 * `vehicle/run --kernel debug --planted`. For the guest only.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DEFINE_SPINLOCK(lock);

/* KASAN: one byte behind the end. After it lockdep is off. */
static void write_behind(void)
{
	char *p = kmalloc(13, GFP_KERNEL);
	size_t len = 13;

	if (!p)
		return;
	OPTIMIZER_HIDE_VAR(len);
	WRITE_ONCE(p[len], 1);
	kfree(p);
}

/* DEBUG_ATOMIC_SLEEP: the sleep need not come about. */
static void sleep_locked(void)
{
	spin_lock(&lock);
	might_sleep();
	spin_unlock(&lock);
}

/* kmemleak: enough of them that stale copies of a pointer cannot hide all. */
static void leak(void)
{
	int i;

	for (i = 0; i < 16; i++) {
		char *p = kmalloc(512, GFP_KERNEL);

		OPTIMIZER_HIDE_VAR(p);
	}
}

/* PROVE_LOCKING: both orders, never at the same time. */
static void invert(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static int __init planted_init(void)
{
	sleep_locked();
	invert();
	write_behind();
	leak();
	return 0;
}
module_init(planted_init);

static void __exit planted_exit(void)
{
}
module_exit(planted_exit);

MODULE_DESCRIPTION("errors that a debug kernel finds");
MODULE_LICENSE("Dual MIT/GPL");
