// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "client/shim/shim_part.h"
#include "client/shim/shim_queue.h"

/* What every version of CREATE_QUEUE has. */
#define CREATE_BYTES offsetof(struct kfd_ioctl_create_queue_args, eop_buffer_address)
#define ARGS_MAX 256

/*
 * Sizes of arguments differ between versions: up to what the caller gives. A bad
 * address is the driver's to refuse.
 */
static bool copy_in(struct shim *s, unsigned long request, const void *arg, void *to,
		    size_t bytes)
{
	struct shim_piece piece = { (uintptr_t)arg, to, bytes, 0 };

	if (_IOC_SIZE(request) < bytes)
		return false;
	s->sys->read_memory(&piece, 1);
	return !piece.error;
}

static void tell_created(struct shim *s, const struct kfd_ioctl_create_queue_args *args,
			 uint32_t percentage)
{
	struct shim_view first;
	bool is_readable = shim_queue_try(s, args, &first);
	struct shim_queue *q;
	struct shim_guard guard;

	shim_guard_lock(s, &guard);
	q = shim_queue_add_locked(s, args, percentage, is_readable ? &first : NULL);
	if (q) {
		shim_detect_new_locked(s, q);
		if (s->is_welcome)
			shim_conn_queue_locked(s, q);
	} else {
		s->sees |= WIRE_SEES_NOT_ALL;
	}
	shim_control_wake_locked(s);
	shim_guard_unlock(s, &guard);
}

/*
 * While its node is held a queue is born with percentage 0, which costs no cycle. The driver
 * gets a copy: the caller's arguments keep the percentage, and may be read-only.
 */
static int create_stopped(struct shim *s, int fd, unsigned long request, void *arg)
{
	union {
		struct kfd_ioctl_create_queue_args args;
		uint8_t bytes[ARGS_MAX];
	} copy;
	size_t bytes = _IOC_SIZE(request);
	uint32_t wished;
	int r;

	if (!copy_in(s, request, arg, &copy, bytes))
		return s->sys->ioctl(fd, request, arg);
	wished = copy.args.queue_percentage;
	copy.args.queue_percentage &= ~DRV_KFD_PERCENT_MASK;
	r = s->sys->ioctl(fd, request, &copy);
	copy.args.queue_percentage = wished;
	if (!s->sys->write_memory((uintptr_t)arg, &copy, bytes))
		return r;
	errno = EFAULT;
	return -1;
}

/* One of a size that no driver has is stopped as soon as it has work. */
static bool is_born_stopped(struct shim *s, unsigned long request,
			    const struct kfd_ioctl_create_queue_args *args)
{
	const struct shim_queue q = { .gpu_id = args->gpu_id, .type = args->queue_type,
				      .queue_id = WIRE_QUEUE_ALL };

	return shim_pause_is_held(s, &q) &&
	       !shim_pause_is_lost(s, args->gpu_id) &&
	       _IOC_SIZE(request) <= ARGS_MAX;
}

static int create_queue(struct shim *s, int fd, unsigned long request, void *arg)
{
	struct kfd_ioctl_create_queue_args args = {};
	uint32_t wished;
	bool stopped;
	int r;

	if (!copy_in(s, request, arg, &args, CREATE_BYTES))
		return s->sys->ioctl(fd, request, arg);
	wished = args.queue_percentage;
	pthread_mutex_lock(&s->call_lock);
	stopped = is_born_stopped(s, request, &args);
	if (stopped)
		r = create_stopped(s, fd, request, arg);
	else
		r = s->sys->ioctl(fd, request, arg);
	if (!r) {
		memcpy(&args, arg, CREATE_BYTES);
		if (stopped)
			args.queue_percentage &= ~DRV_KFD_PERCENT_MASK;
		tell_created(s, &args, wished);
	} else if (errno == EFAULT) {
		/* The driver made it and could not say so. */
		s->sees |= WIRE_SEES_NOT_ALL;
	}
	pthread_mutex_unlock(&s->call_lock);
	if (!r)
		shim_control_start(s, fd);
	return r;
}

/* After a hang or during a reset amdkfd removes the queue and says so. */
static bool is_gone(int r)
{
	return !r || errno == ETIME || errno == EIO;
}

static int destroy_queue(struct shim *s, int fd, unsigned long request, void *arg)
{
	struct kfd_ioctl_destroy_queue_args args = {};
	struct wire_done ignored = {};
	struct shim_queue *q;
	struct shim_guard guard;
	int r;

	if (!copy_in(s, request, arg, &args, sizeof(args.queue_id)))
		return s->sys->ioctl(fd, request, arg);
	pthread_mutex_lock(&s->call_lock);
	q = shim_queue_find(s, args.queue_id);
	/* The driver would wait for a debugger to resume it. */
	if (q)
		shim_selfdbg_resume(s, &q, 1, &ignored);
	r = s->sys->ioctl(fd, request, arg);
	if (q && is_gone(r)) {
		shim_guard_lock(s, &guard);
		if (s->is_welcome)
			shim_conn_edge_locked(s, WIRE_QUEUE_REMOVE, q);
		shim_queue_remove_locked(s, q);
		shim_guard_unlock(s, &guard);
	}
	pthread_mutex_unlock(&s->call_lock);
	return r;
}

/* What the driver would refuse is left to it. */
static bool is_plausible(const struct kfd_ioctl_update_queue_args *args)
{
	return (args->queue_percentage & DRV_KFD_PERCENT_MASK) <= KFD_MAX_QUEUE_PERCENTAGE &&
	       args->queue_priority <= KFD_MAX_QUEUE_PRIORITY;
}

static int update_queue(struct shim *s, int fd, unsigned long request, void *arg)
{
	struct kfd_ioctl_update_queue_args args;
	struct shim_queue *q;
	int r;

	if (!copy_in(s, request, arg, &args, sizeof(args)) || !is_plausible(&args))
		return s->sys->ioctl(fd, request, arg);
	pthread_mutex_lock(&s->call_lock);
	q = shim_queue_find(s, args.queue_id);
	if (q)
		r = shim_pause_wish(s, q, fd, &args);
	else
		r = s->sys->ioctl(fd, request, arg);
	pthread_mutex_unlock(&s->call_lock);
	return r;
}

/* No lock: threads sleep in here. */
static int wait_events(struct shim *s, int fd, unsigned long request, void *arg)
{
	int r = s->sys->ioctl(fd, request, arg);

	if (!r && _IOC_SIZE(request) >= sizeof(struct kfd_ioctl_wait_events_args) &&
	    ((struct kfd_ioctl_wait_events_args *)arg)->wait_result == KFD_IOC_WAIT_RESULT_COMPLETE)
		__atomic_store_n(&s->waited_ns, s->sys->now_ns(), __ATOMIC_RELEASE);
	return r;
}

static int runtime_enable(struct shim *s, int fd, unsigned long request, void *arg)
{
	struct drv_kfd_runtime_enable args = {};
	bool is_known = copy_in(s, request, arg, &args, offsetof(struct drv_kfd_runtime_enable,
								 capabilities));
	int r;

	/* Ends with it; and the driver waits for the debugger while one is there. */
	if (is_known && !(args.mode & DRV_KFD_RUNTIME_ENABLE))
		shim_pause_end_dbg(s);
	r = s->sys->ioctl(fd, request, arg);
	if (!r && is_known)
		s->has_runtime = args.mode & DRV_KFD_RUNTIME_ENABLE;
	return r;
}

/* The application debugs itself: then the shim must not. */
static int dbg_trap(struct shim *s, int fd, unsigned long request, void *arg)
{
	struct drv_kfd_dbg_trap args = {};

	if (copy_in(s, request, arg, &args, offsetof(struct drv_kfd_dbg_trap, enable)) &&
	    args.pid == (uint32_t)getpid())
		shim_pause_end_dbg(s);
	return s->sys->ioctl(fd, request, arg);
}

static int call(struct shim *s, int fd, unsigned long request, void *arg)
{
	switch (_IOC_NR(request)) {
	case _IOC_NR(AMDKFD_IOC_CREATE_QUEUE):
		return create_queue(s, fd, request, arg);
	case _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE):
		return destroy_queue(s, fd, request, arg);
	case _IOC_NR(AMDKFD_IOC_UPDATE_QUEUE):
		return update_queue(s, fd, request, arg);
	case _IOC_NR(DRV_KFD_IOC_RUNTIME_ENABLE):
		return runtime_enable(s, fd, request, arg);
	default:
		return dbg_trap(s, fd, request, arg);
	}
}

/* The driver may let the other calls wait until a signal comes. */
static bool is_short(unsigned long request)
{
	return _IOC_NR(request) == _IOC_NR(AMDKFD_IOC_CREATE_QUEUE) ||
	       _IOC_NR(request) == _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE) ||
	       _IOC_NR(request) == _IOC_NR(AMDKFD_IOC_UPDATE_QUEUE);
}

/* ioctl() is no cancellation point; what is called here may be one. */
static int call_guarded(struct shim *s, int fd, unsigned long request, void *arg)
{
	struct shim_guard guard;
	int r;

	shim_guard_begin(&guard);
	if (!is_short(request))
		pthread_sigmask(SIG_SETMASK, &guard.mask, NULL);
	r = call(s, fd, request, arg);
	shim_guard_end(&guard);
	return r;
}

int shim_ioctl_call(struct shim *s, int fd, unsigned long request, void *arg)
{
	int before = errno, r;

	if (_IOC_NR(request) == _IOC_NR(AMDKFD_IOC_WAIT_EVENTS))
		r = wait_events(s, fd, request, arg);
	else
		r = call_guarded(s, fd, request, arg);
	if (r >= 0)
		errno = before;
	return r;
}
