// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * /dev/gpreempt: see include/uapi/linux/gpreempt.h. What concerns a node is done by its
 * monitor; in these files arguments are checked, and nothing else is trusted.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "gpk_event.h"
#include "gpk.h"
#include "gpk_ioc.h"

/* A call by its number: the size in the code is that of the caller's struct. */
static const struct {
	u32 size;     /* of the argument here */
	bool answers; /* it is copied back */
	int (*run)(const void *owner, union gpk_arg *arg);
} calls[] = {
#define X(nr, type, function, does_answer)                                   \
	[_IOC_NR(GPREEMPT_IOC_##nr)] = { sizeof(struct gpreempt_ioc_##type), \
					 does_answer, function },
	GPK_CALLS(X)
#undef X
};

static long gpk_ioctl(struct file *file, unsigned int cmd, unsigned long user)
{
	void __user *uarg = (void __user *)user;
	u32 size, nr = _IOC_NR(cmd);
	union gpk_arg arg;
	int ret;

	if (_IOC_TYPE(cmd) != GPREEMPT_IOC_MAGIC || nr >= ARRAY_SIZE(calls))
		return -ENOTTY;
	nr = array_index_nospec(nr, ARRAY_SIZE(calls));
	if (get_user(size, (u32 __user *)uarg))
		return -EFAULT;
	if (size < 2 * sizeof(u32) || size > PAGE_SIZE)
		return -EINVAL;
	ret = copy_struct_from_user(&arg, calls[nr].size, uarg, size);
	if (!ret)
		ret = calls[nr].run(file->private_data, &arg);
	if (ret || !calls[nr].answers)
		return ret;
	return copy_to_user(uarg, &arg, min(calls[nr].size, size)) ? -EFAULT : 0;
}

static int gpk_open(struct inode *inode, struct file *file)
{
	struct gpk_stream *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!s)
		return -ENOMEM;
	ret = gpk_stream_init(s);
	if (ret) {
		kfree(s);
		return ret;
	}
	file->private_data = s;
	return stream_open(inode, file);
}

static int run_drop(struct gpk_node *n, void *owner)
{
	gpk_hold_drop_owner(n, owner);
	return 0;
}

static int gpk_release(struct inode *inode, struct file *file)
{
	u32 i;

	for (i = 0; i < gpk_nr_nodes(); i++)
		gpk_command(gpk_node_at(i), run_drop, file->private_data);
	gpk_stream_fini(file->private_data);
	kfree(file->private_data);
	return 0;
}

/* Return: bytes copied, or -EFAULT, -ERESTARTSYS. What could not be copied is there next time. */
static ssize_t take_events(struct gpk_stream *s, char __user *to, size_t room)
{
	struct gpreempt_abi_event event;
	size_t done = 0;
	int ret = 0;

	if (mutex_lock_interruptible(&s->read_mutex))
		return -ERESTARTSYS;
	while (room - done >= sizeof(event) && gpk_stream_peek(s, &event)) {
		if (copy_to_user(to + done, &event, sizeof(event))) {
			ret = -EFAULT;
			break;
		}
		gpk_stream_drop(s, &event);
		done += sizeof(event);
	}
	mutex_unlock(&s->read_mutex);
	return done ? done : ret;
}

static ssize_t gpk_read(struct file *file, char __user *to, size_t room, loff_t *pos)
{
	struct gpk_stream *s = file->private_data;
	ssize_t ret;

	if (room < GPREEMPT_ABI_READ_MIN)
		return -EINVAL;
	gpk_stream_listen(s);
	/* Again if another reader was faster. */
	for (;;) {
		ret = take_events(s, to, room);
		if (ret)
			return ret;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(s->wait, gpk_stream_ready(s));
		if (ret)
			return ret;
	}
}

static __poll_t gpk_poll(struct file *file, poll_table *table)
{
	struct gpk_stream *s = file->private_data;

	gpk_stream_listen(s);
	poll_wait(file, &s->wait, table);
	return gpk_stream_ready(s) ? EPOLLIN | EPOLLRDNORM : 0;
}

static const struct file_operations gpk_fops = {
	.owner = THIS_MODULE,
	.open = gpk_open,
	.release = gpk_release,
	.read = gpk_read,
	.poll = gpk_poll,
	.unlocked_ioctl = gpk_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice gpk_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "gpreempt",
	.mode = 0660,
	.fops = &gpk_fops,
};

int gpk_device_init(void)
{
	return misc_register(&gpk_device);
}

void gpk_device_fini(void)
{
	misc_deregister(&gpk_device);
}
