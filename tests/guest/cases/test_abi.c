// SPDX-License-Identifier: MIT
/*
 * Our own declarations of amdkfd's debugger ABI against the header of the kernel that runs:
 * most of the test is that this file compiles.
 *
 * Clock: both
 */
#include "gt/gt_debug.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "driver/kfd.h"

#define SAME_SIZE(ours, theirs) \
	_Static_assert(sizeof(struct ours) == sizeof(struct theirs), #ours)
#define SAME(ours, member, theirs, their_member)                                        \
	_Static_assert(offsetof(struct ours, member) == offsetof(struct theirs, their_member) && \
			       sizeof(((struct ours *)0)->member) ==                     \
				       sizeof(((struct theirs *)0)->their_member),        \
		       #ours "." #member)
#define SAME_VALUE(ours, theirs) \
	_Static_assert((unsigned long)(ours) == (unsigned long)(theirs), #ours)

#define RUNTIME(ours, theirs) \
	SAME(drv_kfd_runtime_enable, ours, kfd_ioctl_runtime_enable_args, theirs)
SAME_SIZE(drv_kfd_runtime_enable, kfd_ioctl_runtime_enable_args);
RUNTIME(r_debug, r_debug);
RUNTIME(mode, mode_mask);
RUNTIME(capabilities, capabilities_mask);
SAME_SIZE(drv_kfd_runtime_info, kfd_runtime_info);
SAME(drv_kfd_runtime_info, r_debug, kfd_runtime_info, r_debug);
SAME(drv_kfd_runtime_info, state, kfd_runtime_info, runtime_state);
SAME(drv_kfd_runtime_info, ttmp_setup, kfd_runtime_info, ttmp_setup);
SAME_VALUE(DRV_KFD_RUNTIME_ENABLE, KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK);
SAME_VALUE(DRV_KFD_RUNTIME_STATE_DISABLED, DEBUG_RUNTIME_STATE_DISABLED);
SAME_VALUE(DRV_KFD_RUNTIME_STATE_ENABLED, DEBUG_RUNTIME_STATE_ENABLED);
SAME_VALUE(DRV_KFD_RUNTIME_STATE_BUSY, DEBUG_RUNTIME_STATE_ENABLED_BUSY);
SAME_VALUE(DRV_KFD_RUNTIME_STATE_ERROR, DEBUG_RUNTIME_STATE_ENABLED_ERROR);

#define QUEUE(ours, theirs) SAME(drv_kfd_queue_entry, ours, kfd_queue_snapshot_entry, theirs)
SAME_SIZE(drv_kfd_queue_entry, kfd_queue_snapshot_entry);
QUEUE(exceptions, exception_status);
QUEUE(ring_addr, ring_base_address);
QUEUE(wptr_addr, write_pointer_address);
QUEUE(rptr_addr, read_pointer_address);
QUEUE(save_addr, ctx_save_restore_address);
QUEUE(queue_id, queue_id);
QUEUE(gpu_id, gpu_id);
QUEUE(ring_bytes, ring_size);
QUEUE(type, queue_type);
QUEUE(save_bytes, ctx_save_restore_area_size);
QUEUE(reserved, reserved);

#define DBG(ours, theirs) SAME(drv_kfd_dbg_trap, ours, kfd_ioctl_dbg_trap_args, theirs)
SAME_SIZE(drv_kfd_dbg_trap, kfd_ioctl_dbg_trap_args);
DBG(pid, pid);
DBG(op, op);
DBG(enable.exceptions, enable.exception_mask);
DBG(enable.info_ptr, enable.rinfo_ptr);
DBG(enable.info_bytes, enable.rinfo_size);
DBG(enable.fd, enable.dbg_fd);
DBG(event.exceptions, send_runtime_event.exception_mask);
DBG(event.gpu_id, send_runtime_event.gpu_id);
DBG(event.queue_id, send_runtime_event.queue_id);
DBG(event.exceptions, query_debug_event.exception_mask);
DBG(event.gpu_id, query_debug_event.gpu_id);
DBG(event.queue_id, query_debug_event.queue_id);
DBG(suspend.exceptions, suspend_queues.exception_mask);
DBG(suspend.ids_ptr, suspend_queues.queue_array_ptr);
DBG(suspend.nr, suspend_queues.num_queues);
DBG(suspend.grace, suspend_queues.grace_period);
DBG(resume.ids_ptr, resume_queues.queue_array_ptr);
DBG(resume.nr, resume_queues.num_queues);
DBG(snapshot.exceptions, queue_snapshot.exception_mask);
DBG(snapshot.buf_ptr, queue_snapshot.snapshot_buf_ptr);
DBG(snapshot.nr, queue_snapshot.num_queues);
DBG(snapshot.entry_bytes, queue_snapshot.entry_size);
DBG(snapshot.buf_ptr, device_snapshot.snapshot_buf_ptr);
DBG(snapshot.nr, device_snapshot.num_devices);
DBG(snapshot.entry_bytes, device_snapshot.entry_size);
SAME_VALUE(DRV_KFD_DBG_ENABLE, KFD_IOC_DBG_TRAP_ENABLE);
SAME_VALUE(DRV_KFD_DBG_DISABLE, KFD_IOC_DBG_TRAP_DISABLE);
SAME_VALUE(DRV_KFD_DBG_SEND_RUNTIME_EVENT, KFD_IOC_DBG_TRAP_SEND_RUNTIME_EVENT);
SAME_VALUE(DRV_KFD_DBG_SUSPEND_QUEUES, KFD_IOC_DBG_TRAP_SUSPEND_QUEUES);
SAME_VALUE(DRV_KFD_DBG_RESUME_QUEUES, KFD_IOC_DBG_TRAP_RESUME_QUEUES);
SAME_VALUE(DRV_KFD_DBG_QUERY_EVENT, KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT);
SAME_VALUE(DRV_KFD_DBG_QUEUE_SNAPSHOT, KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT);
SAME_VALUE(DRV_KFD_DBG_QUEUE_ERROR, (uint32_t)KFD_DBG_QUEUE_ERROR_MASK);
SAME_VALUE(DRV_KFD_DBG_QUEUE_INVALID, (uint32_t)KFD_DBG_QUEUE_INVALID_MASK);
SAME_VALUE(DRV_KFD_EC_QUEUE_NEW, KFD_EC_MASK(EC_QUEUE_NEW));
SAME_VALUE(DRV_KFD_EC_QUEUE_DELETE, KFD_EC_MASK(EC_DEVICE_QUEUE_DELETE));
SAME_VALUE(DRV_KFD_EC_PROCESS_RUNTIME, KFD_EC_MASK(EC_PROCESS_RUNTIME));

SAME_VALUE(DRV_KFD_QUEUE_SDMA_BY_ENGINE, KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID);

SAME_VALUE(DRV_KFD_IOC_RUNTIME_ENABLE, AMDKFD_IOC_RUNTIME_ENABLE);
SAME_VALUE(DRV_KFD_IOC_DBG_TRAP, AMDKFD_IOC_DBG_TRAP);

static void version_is_the_headers(void)
{
	struct kfd_ioctl_get_version_args v = {};
	int fd = drv_kfd_open();

	GT_CHECK(fd >= 0, "%s", strerror(-fd));
	GT_CHECK(!drv_kfd_get_version(fd, &v), "version");
	GT_CHECK(v.major_version == KFD_IOCTL_MAJOR_VERSION &&
		 v.minor_version == KFD_IOCTL_MINOR_VERSION,
		 "%u.%u", v.major_version, v.minor_version);
	GT_CHECK(drv_kfd_version_has_debug(&v), "%u.%u has no debugger calls?", v.major_version,
		 v.minor_version);
	close(fd);
	GT_CHECK(drv_kfd_get_version(fd, &v) == -EBADF, "a closed descriptor answers");
}

static void without_a_driver_there_is_none(void)
{
	int fd = drv_kfd_open();

	GT_CHECK(fd == -ENOENT || fd == -ENODEV, "%d", fd);
}

/* A batch of one good queue, one that is new, one that does not exist. */
static void batch_says_what_became_of_each(void)
{
	struct drv_kfd_queue_entry entry[3] = {};
	struct gt_session s;
	struct gt_queue q[2];
	struct gt_gpu gpu;
	uint32_t ids[3];
	int r;

	gt_gpu_open(&gpu, 0);
	s = gt_debug_self(&gpu);
	gt_queue_create(&gpu, 7, &q[0]);
	r = drv_kfd_dbg_queues(gpu.kfd, s.pid, entry, 3, DRV_KFD_EC_QUEUE_NEW);
	GT_CHECK(r == 1 && entry[0].queue_id == q[0].id && entry[0].gpu_id == gpu.id, "%d", r);
	GT_CHECK(entry[0].ring_addr == (uintptr_t)q[0].ring && entry[0].type == DRV_KFD_QUEUE_AQL,
		 "ring %lx, type %u", entry[0].ring_addr, entry[0].type);
	gt_queue_create(&gpu, 7, &q[1]);
	ids[0] = q[0].id;
	ids[1] = q[1].id;
	ids[2] = 77;
	r = drv_kfd_dbg_suspend(gpu.kfd, s.pid, ids, 3, 1000);
	GT_CHECK(r == 1, "suspended %d", r);
	GT_CHECK(!drv_kfd_dbg_result(ids[0]) && drv_kfd_dbg_result(ids[1]) == -ESRCH &&
		 drv_kfd_dbg_result(ids[2]) == -ESRCH, "%x %x %x", ids[0], ids[1], ids[2]);
	GT_CHECK(drv_kfd_dbg_id(ids[1]) == q[1].id, "%x", ids[1]);
	r = drv_kfd_dbg_resume(gpu.kfd, s.pid, NULL, 0);
	GT_CHECK(r == 2, "resumed %d", r);
	GT_CHECK(!drv_kfd_dbg_disable(gpu.kfd, s.pid), "disable");
}

static const struct gt_case cases[] = {
	{ "version_is_the_headers", version_is_the_headers, "profile=tiny", 10 },
	{ "batch_says_what_became_of_each", batch_says_what_became_of_each, "profile=tiny", 10 },
	{ "without_a_driver_there_is_none", without_a_driver_there_is_none, NULL, 10 },
};

int main(void)
{
	return gt_main(cases, sizeof(cases) / sizeof(cases[0]));
}
