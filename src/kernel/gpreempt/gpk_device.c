// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * /dev/gpreempt: see include/uapi/linux/gpreempt.h. What concerns a node is done by its
 * monitor; in these files arguments are checked, and nothing else is trusted.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "gpk_event.h"
#include "gpk.h"
#include "gpk_ioc.h"

int gpk_get_arg(void *to, size_t size, void __user *arg, u32 *user_size)
{
	if (get_user(*user_size, (u32 __user *)arg))
		return -EFAULT;
	if (*user_size < 2 * sizeof(u32) || *user_size > PAGE_SIZE)
		return -EINVAL;
	return copy_struct_from_user(to, size, arg, *user_size);
}

int gpk_put_arg(void __user *arg, const void *from, size_t size, u32 user_size)
{
	return copy_to_user(arg, from, min_t(size_t, size, user_size)) ? -EFAULT : 0;
}

/* By number: the size in the code is that of the caller's struct. */
static long gpk_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *uarg = (void __user *)arg;

	if (_IOC_TYPE(cmd) != GPREEMPT_IOC_MAGIC)
		return -ENOTTY;
	switch (_IOC_NR(cmd)) {
	case _IOC_NR(GPREEMPT_IOC_CAPS):
		return gpk_ioc_caps(uarg);
	case _IOC_NR(GPREEMPT_IOC_LIST):
		return gpk_ioc_list(uarg);
	case _IOC_NR(GPREEMPT_IOC_GET_ATTR):
		return gpk_ioc_attr(uarg, false);
	case _IOC_NR(GPREEMPT_IOC_SET_ATTR):
		return gpk_ioc_attr(uarg, true);
	case _IOC_NR(GPREEMPT_IOC_GET_POLICY):
		return gpk_ioc_policy(uarg, false);
	case _IOC_NR(GPREEMPT_IOC_SET_POLICY):
		return gpk_ioc_policy(uarg, true);
	case _IOC_NR(GPREEMPT_IOC_SWITCH):
		return gpk_ioc_switch(file->private_data, uarg);
	case _IOC_NR(GPREEMPT_IOC_TRIGGER):
		return gpk_ioc_trigger(uarg);
	case _IOC_NR(GPREEMPT_IOC_STATS):
		return gpk_ioc_stats(uarg);
	case _IOC_NR(GPREEMPT_IOC_HIST):
		return gpk_ioc_hist(uarg);
	default:
		return -ENOTTY;
	}
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

/*
 * struct owner_command - a file is closed
 */
struct owner_command {
	struct gpk_command cmd;
	const void *owner;
};

static int run_drop(struct gpk_node *n, struct gpk_command *cmd)
{
	gpk_hold_drop_owner(n, container_of(cmd, struct owner_command, cmd)->owner);
	return 0;
}

static int gpk_release(struct inode *inode, struct file *file)
{
	struct owner_command c = { .cmd.run = run_drop, .owner = file->private_data };
	u32 i;

	for (i = 0; i < gpk_nr_nodes(); i++)
		gpk_command(gpk_node_at(i), &c.cmd);
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
