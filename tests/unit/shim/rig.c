// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "rig.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "client/shim/shim_part.h"
#include "client/shim/shim_queue.h"

struct rig rig;
struct shim shim_self;

static pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;

/* A thread that rings would have to wait. The owner is glibc's to know. */
static void assert_unlocked(void)
{
	assert_int_not_equal(shim_self.lock.__data.__owner, syscall(SYS_gettid));
}

static int refuse(int error)
{
	errno = error;
	return -1;
}

static bool is_active(const struct rig_queue *q)
{
	return q->percentage & 0xff && q->ring_addr && !q->is_suspended;
}

static int create(struct kfd_ioctl_create_queue_args *a)
{
	uint32_t id;

	if ((a->queue_percentage & 0xff) > 100 || a->queue_priority > 15)
		return refuse(EINVAL);
	for (id = 0; rig.queues[id].used; id++)
		if (id == RIG_MAX - 1)
			return refuse(ENOMEM);
	rig.queues[id] = (struct rig_queue){ .used = true, .is_new = true };
	a->queue_id = id;
	a->doorbell_offset = 0x8000000000000000ull | id * 8;
	rig.queues[id].made = *a;
	rig.queues[id].percentage = a->queue_percentage;
	rig.queues[id].prio = a->queue_priority;
	rig.queues[id].ring_addr = a->ring_base_address;
	rig.nr_cycles += is_active(&rig.queues[id]);
	return 0;
}

static int update(const struct kfd_ioctl_update_queue_args *a)
{
	struct rig_queue *q = &rig.queues[a->queue_id % RIG_MAX];

	if (rig.update_error)
		return refuse(rig.update_error);
	if ((a->queue_percentage & 0xff) > 100 || a->queue_priority > 15)
		return refuse(EINVAL);
	if (a->queue_id >= RIG_MAX || !q->used)
		return refuse(EINVAL);
	q->percentage = a->queue_percentage;
	q->prio = a->queue_priority;
	q->ring_addr = a->ring_base_address;
	rig.nr_cycles++;
	return 0;
}

static int destroy(const struct kfd_ioctl_destroy_queue_args *a)
{
	struct rig_queue *q = &rig.queues[a->queue_id % RIG_MAX];

	if (a->queue_id >= RIG_MAX || !q->used)
		return refuse(EINVAL);
	/* The real one would wait for ever. */
	assert_false(q->is_suspended);
	rig.nr_cycles += is_active(q);
	/* After these two it is gone all the same. */
	if (!rig.destroy_error || rig.destroy_error == ETIME || rig.destroy_error == EIO)
		q->used = false;
	return rig.destroy_error ? refuse(rig.destroy_error) : 0;
}

static int change_suspended(uint64_t ids_ptr, uint32_t nr, bool suspend)
{
	uint32_t *ids = (uint32_t *)(uintptr_t)ids_ptr, i;
	int n = 0;

	if (suspend && rig.suspend_error)
		return refuse(rig.suspend_error);
	for (i = 0; i < nr; i++) {
		struct rig_queue *q = &rig.queues[ids[i] % RIG_MAX];

		if (!q->used || (suspend && q->is_new)) {
			ids[i] |= DRV_KFD_DBG_QUEUE_INVALID;
			continue;
		}
		q->is_suspended = suspend;
		n++;
	}
	rig.nr_cycles += n > 0;
	return n;
}

static int trap(struct drv_kfd_dbg_trap *a)
{
	struct drv_kfd_runtime_info *info = (void *)(uintptr_t)a->enable.info_ptr;
	uint32_t i;

	if (!rig.has_session && a->op != DRV_KFD_DBG_ENABLE)
		return refuse(EINVAL);
	switch (a->op) {
	case DRV_KFD_DBG_ENABLE:
		rig.has_session = true;
		info->state = DRV_KFD_RUNTIME_STATE_ENABLED;
		return 0;
	case DRV_KFD_DBG_DISABLE:
		rig.has_session = false;
		for (i = 0; i < RIG_MAX; i++)
			rig.queues[i].is_suspended = false;
		return 0;
	case DRV_KFD_DBG_QUEUE_SNAPSHOT:
		for (i = 0; i < RIG_MAX; i++)
			rig.queues[i].is_new &= !(a->snapshot.exceptions & DRV_KFD_EC_QUEUE_NEW);
		return 0;
	case DRV_KFD_DBG_SUSPEND_QUEUES:
		return change_suspended(a->suspend.ids_ptr, a->suspend.nr, true);
	case DRV_KFD_DBG_RESUME_QUEUES:
		return change_suspended(a->resume.ids_ptr, a->resume.nr, false);
	}
	return refuse(EINVAL);
}

static int driver(unsigned long request, void *arg)
{
	switch (_IOC_NR(request)) {
	case _IOC_NR(AMDKFD_IOC_CREATE_QUEUE):
		return create(arg);
	case _IOC_NR(AMDKFD_IOC_UPDATE_QUEUE):
		return update(arg);
	case _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE):
		return destroy(arg);
	case _IOC_NR(DRV_KFD_IOC_DBG_TRAP):
		return trap(arg);
	}
	return 0;
}

/* Copies a piece of memory as the kernel does. */
typedef ssize_t (*copy_fn)(pid_t pid, const struct iovec *local, unsigned long nr_local,
			   const struct iovec *remote, unsigned long nr_remote,
			   unsigned long flags);

static int copy(copy_fn fn, uint64_t addr, const void *here, size_t bytes)
{
	struct iovec local = { (void *)here, bytes };
	struct iovec remote = { (void *)(uintptr_t)addr, bytes };

	return fn(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes ? 0 : -EFAULT;
}

/* As kfd_ioctl(): a copy in, the call, a copy out that may fail when all is done. */
static int fake_ioctl(int fd, unsigned long request, void *arg)
{
	_Alignas(8) uint8_t args[256];
	int r;

	assert_unlocked();
	assert_true(_IOC_SIZE(request) <= sizeof(args));
	if (copy(process_vm_readv, (uintptr_t)arg, args, _IOC_SIZE(request)))
		return refuse(EFAULT);
	pthread_mutex_lock(&driver_lock);
	rig.nr_calls++;
	rig.last_fd = fd;
	r = driver(request, args);
	pthread_mutex_unlock(&driver_lock);
	if (copy(process_vm_writev, (uintptr_t)arg, args, _IOC_SIZE(request)))
		r = refuse(EFAULT);
	if (rig.on_call)
		rig.on_call();
	return r;
}

static int fake_open(void)
{
	assert_unlocked();
	return rig.open_fd;
}

static int fake_connect(void)
{
	int fds[2];

	assert_unlocked();
	if (rig.connect_error)
		return -rig.connect_error;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds),
			 0);
	if (rig.daemon >= 0)
		close(rig.daemon);
	rig.daemon = fds[1];
	rig.nr_connects++;
	return fds[0];
}

static uint64_t fake_now(void)
{
	if (rig.on_now)
		rig.on_now();
	return rig.now_ns;
}

static void fake_read(struct shim_piece *pieces, uint32_t nr)
{
	uint32_t i;

	assert_unlocked();
	/* The rings of most queues are not there. */
	for (i = 0; i < nr; i++)
		pieces[i].error = pieces[i].addr < 16 << 20 ? -EFAULT :
			copy(process_vm_readv, pieces[i].addr, pieces[i].to, pieces[i].bytes);
}

static int fake_write(uint64_t addr, const void *from, size_t bytes)
{
	return copy(process_vm_writev, addr, from, bytes);
}

static int fake_occupancy(uint32_t gpu_id)
{
	assert_unlocked();
	return rig.occupancy;
}

static const struct shim_sys sys = {
	.ioctl = fake_ioctl,
	.open_kfd = fake_open,
	.connect = fake_connect,
	.now_ns = fake_now,
	.read_memory = fake_read,
	.write_memory = fake_write,
	.occupancy = fake_occupancy,
};

int rig_setup(void **state)
{
	memset(&rig, 0, sizeof(rig));
	memset(shim_slots, 0, sizeof(shim_slots));
	rig.daemon = -1;
	rig.open_fd = -ENOENT;
	rig.now_ns = 1000 * MS;
	shim_init(&shim_self, &sys);
	/* No thread: rig_step() is called instead. */
	shim_self.is_started = true;
	shim_self.kfd = RIG_KFD;
	shim_self.backoff_ns = 50 * MS;
	return 0;
}

int rig_teardown(void **state)
{
	if (rig.daemon >= 0)
		close(rig.daemon);
	if (shim_self.sock >= 0)
		close(shim_self.sock);
	return 0;
}

static uint32_t create_with(uint32_t gpu_id, uint32_t type, uint64_t *wptr, uint64_t *rptr)
{
	struct kfd_ioctl_create_queue_args a = {
		.ring_base_address = 0x100000,
		.ring_size = 4096,
		.gpu_id = gpu_id,
		.queue_type = type,
		.queue_percentage = 100,
		.queue_priority = 7,
	};
	uint32_t id;

	for (id = 0; rig.queues[id].used; id++)
		;
	a.write_pointer_address = (uintptr_t)(wptr ? wptr : &rig.queues[id].wptr);
	a.read_pointer_address = (uintptr_t)(rptr ? rptr : &rig.queues[id].rptr);
	assert_int_equal(shim_ioctl_call(&shim_self, 3, AMDKFD_IOC_CREATE_QUEUE, &a), 0);
	assert_int_equal(a.queue_id, id);
	assert_int_equal(a.queue_percentage, 100);
	return a.queue_id;
}

uint32_t rig_create_on(uint32_t gpu_id, uint32_t type)
{
	return create_with(gpu_id, type, NULL, NULL);
}

uint32_t rig_create_at(uint64_t *wptr, uint64_t *rptr)
{
	return create_with(RIG_GPU, DRV_KFD_QUEUE_AQL, wptr, rptr);
}

uint32_t rig_create(void)
{
	return rig_create_on(RIG_GPU, DRV_KFD_QUEUE_AQL);
}

uint32_t rig_create_busy(void)
{
	uint32_t id = rig_create();

	rig_write(id);
	return id;
}

int rig_update(uint32_t id, uint32_t percentage, uint32_t prio)
{
	struct kfd_ioctl_update_queue_args a = {
		.ring_base_address = 0x100000,
		.queue_id = id,
		.ring_size = 4096,
		.queue_percentage = percentage,
		.queue_priority = prio,
	};

	return shim_ioctl_call(&shim_self, 3, AMDKFD_IOC_UPDATE_QUEUE, &a);
}

int rig_destroy(uint32_t id)
{
	struct kfd_ioctl_destroy_queue_args a = { .queue_id = id };

	return shim_ioctl_call(&shim_self, 3, AMDKFD_IOC_DESTROY_QUEUE, &a);
}

void rig_write(uint32_t id)
{
	__atomic_fetch_add(&rig.queues[id].wptr, 1, __ATOMIC_RELEASE);
}

/* Address of a doorbell in a slice that is mapped somewhere. */
static uintptr_t doorbell_of(uint32_t id)
{
	return 0x7f0000004000ull + id * 8;
}

void rig_ring(uint32_t id)
{
	uint32_t idle;

	rig_write(id);
	idle = __atomic_load_n(&shim_slots[shim_slot(doorbell_of(id))], __ATOMIC_RELAXED);
	if (idle)
		shim_detect_ring(&shim_self, doorbell_of(id), (uintptr_t)&rig.queues[id].wptr);
}

void rig_complete(uint32_t id)
{
	rig.queues[id].rptr = rig.queues[id].wptr;
}

void rig_wait(void)
{
	struct kfd_ioctl_wait_events_args a = {};

	assert_int_equal(shim_ioctl_call(&shim_self, 3, AMDKFD_IOC_WAIT_EVENTS, &a), 0);
}

void rig_make_seen(uint32_t id)
{
	shim_self.queues[id].is_watched = false;
	if (!shim_self.queues[id].is_busy)
		shim_self.queues[id].look_ns = UINT64_MAX;
}

void rig_step(void)
{
	shim_control_step(&shim_self);
}

void rig_advance(uint64_t ns)
{
	rig.now_ns += ns;
}

void rig_run(uint64_t ns)
{
	uint64_t end = rig.now_ns + ns;
	uint64_t next;
	int steps = 0;

	do {
		next = shim_control_step(&shim_self);
		if (next > rig.now_ns)
			rig.now_ns = next < end ? next : end;
		assert_true(++steps < 100000);
	} while (rig.now_ns < end);
	shim_control_step(&shim_self);
}

void rig_send(const void *message, size_t bytes)
{
	assert_int_equal(send(rig.daemon, message, bytes, MSG_NOSIGNAL), bytes);
}

void rig_welcome(uint32_t flags)
{
	struct wire_welcome m = {
		.hdr = { WIRE_MAGIC, WIRE_WELCOME, sizeof(m), rig.now_ns },
		.client = 1,
		.lease_ns = 1000 * MS,
		.poll_ns = 1 * MS,
		.quiet_ns = 200 * US,
		.flags = flags,
	};

	rig_send(&m, sizeof(m));
}

void rig_order_by(uint16_t type, uint64_t epoch, uint32_t queue_id, uint32_t holder,
		  uint64_t lease_ns)
{
	struct wire_order m = {
		.hdr = { WIRE_MAGIC, type, sizeof(m), rig.now_ns },
		.epoch = epoch,
		.gpu_id = RIG_GPU,
		.queue_id = queue_id,
		.holder = holder,
		.lease_ns = lease_ns,
	};

	rig_send(&m, sizeof(m));
	rig_step();
}

void rig_order(uint16_t type, uint64_t epoch, uint32_t queue_id)
{
	rig_order_by(type, epoch, queue_id, WIRE_HOLDER_SCHED, 1000 * MS);
}

bool rig_expect(uint16_t type, void *out, size_t bytes)
{
	union {
		struct wire_hdr hdr;
		uint8_t bytes[WIRE_MAX];
	} m;
	ssize_t n;

	while ((n = recv(rig.daemon, &m, sizeof(m), MSG_DONTWAIT)) > 0) {
		assert_int_equal(m.hdr.magic, WIRE_MAGIC);
		assert_int_equal(m.hdr.size, n);
		if (m.hdr.type != type)
			continue;
		if (out) {
			assert_int_equal(n, bytes);
			memcpy(out, &m, bytes);
		}
		return true;
	}
	return false;
}

bool rig_has(uint16_t type)
{
	return rig_expect(type, NULL, 0);
}

void rig_drain(void)
{
	while (rig_has(WIRE_HELLO))
		;
}

void rig_connect(void)
{
	rig_step();
	assert_true(rig.daemon >= 0);
	rig_welcome(0);
	rig_step();
	assert_true(shim_self.is_welcome);
}
