// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * debugfs kfdsim/N/: what the simulated GPU has done ("stats"), what is in its queue
 * slots ("slots"), eviction ("evict"), and faults on command ("fault"): a line
 * "NAME NUMBER" of the table below, or "lock_out 1": nothing gets at the hardware, as in a
 * reset, but none follows; until "lock_out 0", or for ten seconds; or "reset 1": one does.
 */
#include "kfdsim.h"

#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "gpu/inspect.h"

static struct dentry *top;

static const struct {
	const char *name;
	enum gpu_fault fault;
} faults[] = {
	{ "refuse", GPU_FAULT_REFUSE },		/* doorbell, dword index in the BAR */
	{ "lose_fence", GPU_FAULT_LOSE_FENCE }, /* how many */
	{ "hang", GPU_FAULT_HANG },		/* 1, or 0 to end it */
	{ "corrupt", GPU_FAULT_CORRUPT },	/* byte of the next save */
	{ "shift", GPU_FAULT_SHIFT },		/* byte of the next save where it begins */
	{ "slow", GPU_FAULT_SLOW },		/* factor */
	{ "dead", GPU_FAULT_DEAD },		/* 1, or 0 to end it */
	{ "clear", GPU_FAULT_CLEAR },
};

static int inject(struct kfdsim_device *kdev, const char *name, u64 arg)
{
	u32 i;

	if (!strcmp(name, "lock_out"))
		return kfdsim_reset_lock_out(kdev, arg);
	if (!strcmp(name, "reset")) {
		amdgpu_amdkfd_gpu_reset(&kdev->adev);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (strcmp(faults[i].name, name))
			continue;
		guard(mutex)(&kdev->cp.lock);
		kfdsim_cp_kick(kdev);
		return gpu_inject(kdev->cp.gpu, faults[i].fault, arg);
	}
	return -EINVAL;
}

static ssize_t fault_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	char line[64] = {};
	char name[16];
	u64 arg = 0;
	int r;

	if (len >= sizeof(line) || copy_from_user(line, buf, len))
		return -EINVAL;
	/* Only "clear" needs no number: "hang" alone would end a hang. */
	r = sscanf(line, "%15s %llu", name, &arg);
	if (r < 1 || (r == 1 && strcmp(name, "clear")))
		return -EINVAL;
	r = inject(file_inode(file)->i_private, name, arg);
	return r ? r : len;
}

static const struct file_operations fault_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = fault_write,
};

/* A PASID: evict that process, as memory pressure would. */
static ssize_t evict_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	u32 pasid;
	int r = kstrtou32_from_user(buf, len, 0, &pasid);

	if (!r)
		r = kfdsim_process_evict(file_inode(file)->i_private, pasid);
	return r ? r : len;
}

static const struct file_operations evict_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = evict_write,
};

static void show_model(struct seq_file *m, const struct gpu_stats *s)
{
	seq_printf(m, "hiq_packets %llu\n", s->nr_hiq_packets);
	seq_printf(m, "runlists %llu\n", s->nr_runlists);
	seq_printf(m, "unmaps %llu\n", s->nr_unmaps);
	seq_printf(m, "rotations %llu\n", s->nr_rotations);
	seq_printf(m, "saves %llu\n", s->nr_saves);
	seq_printf(m, "restores %llu\n", s->nr_restores);
	seq_printf(m, "save_bytes %llu\n", s->save_bytes);
	seq_printf(m, "restore_bytes %llu\n", s->restore_bytes);
	seq_printf(m, "packets %llu\n", s->nr_packets);
	seq_printf(m, "dispatches %llu\n", s->nr_dispatches);
	seq_printf(m, "workgroups %llu\n", s->nr_workgroups);
	seq_printf(m, "killed %llu\n", s->nr_killed);
	seq_printf(m, "faults %llu\n", s->nr_faults);
	seq_printf(m, "max_slots_used %u\n", s->max_slots_used);
	seq_printf(m, "busy_cu_ns %llu\n", s->busy_cu_ns);
	seq_printf(m, "instructions %llu\n", s->nr_instructions);
}

static int stats_show(struct seq_file *m, void *unused)
{
	struct kfdsim_device *kdev = m->private;

	guard(mutex)(&kdev->cp.lock);
	show_model(m, gpu_stats(kdev->cp.gpu));
	seq_printf(m, "mapped %u\n", kdev->cp.nr_mapped);
	seq_printf(m, "waves %u\n", gpu_waves(kdev->cp.gpu, 0));
	seq_printf(m, "rounds %llu\n", kdev->cp.nr_rounds);
	seq_printf(m, "rings %llu\n", kdev->cp.nr_rings);
	seq_printf(m, "occupancy_reads %llu\n", kdev->cp.nr_occupancy);
	seq_printf(m, "doorbell_faults %lld\n", (s64)atomic64_read(&kdev->arm.nr_faults));
	seq_printf(m, "vram_used %lld\n", (s64)atomic64_read(&kdev->vram_used));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static void show_slot(struct seq_file *m, struct kfdsim_device *kdev, u32 slot)
{
	struct gpu_slot_content info;

	if (!gpu_slot_info(kdev->cp.gpu, slot, &info))
		return;
	seq_printf(m, "slot %u doorbell %u ring %llx pasid %x vmid %u waves %u\n", slot,
		   info.doorbell, info.ring, info.pasid, info.vmid,
		   gpu_waves(kdev->cp.gpu, info.doorbell));
}

static int slots_show(struct seq_file *m, void *unused)
{
	struct kfdsim_device *kdev = m->private;
	u32 slot;

	guard(mutex)(&kdev->cp.lock);
	for (slot = 0; slot < GPU_MAX_SLOTS; slot++)
		show_slot(m, kdev, slot);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(slots);

void kfdsim_debugfs_add(struct kfdsim_device *kdev)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", kdev->index);
	kdev->debugfs = debugfs_create_dir(name, top);
	debugfs_create_file("stats", 0444, kdev->debugfs, kdev, &stats_fops);
	debugfs_create_file("slots", 0444, kdev->debugfs, kdev, &slots_fops);
	debugfs_create_file("evict", 0200, kdev->debugfs, kdev, &evict_fops);
	debugfs_create_file("fault", 0200, kdev->debugfs, kdev, &fault_fops);
}

void kfdsim_debugfs_remove(struct kfdsim_device *kdev)
{
	debugfs_remove_recursive(kdev->debugfs);
}

void kfdsim_debugfs_init(void)
{
	top = debugfs_create_dir("kfdsim", NULL);
}

void kfdsim_debugfs_exit(void)
{
	debugfs_remove_recursive(top);
}
