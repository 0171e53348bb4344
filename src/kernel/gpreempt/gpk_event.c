// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Event streams: see gpk_event.h.
 */
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "gpk_event.h"
#include "gpk.h"
#include "gpk_user.h"

/* Of a user. */
#define STREAMS_MAX 1024

/*
 * struct slot - an event in the ring
 *
 * @pid: its process, with a reference: the number depends on the reader's namespace
 */
struct slot {
	struct gpreempt_abi_event event;
	struct pid *pid;
};

static struct slot *ring;
static u64 ring_head; /* number of the next event; written under ring_lock */
static DEFINE_SPINLOCK(ring_lock);

static struct gpk_users users; /* how many streams each has; streams_mutex */
static LIST_HEAD(listeners);
static DEFINE_MUTEX(streams_mutex);
static atomic_t nr_listeners;

/* Wakes the readers, in a worker: that takes the longer, the more there are. */
static void wake_listeners(struct work_struct *work)
{
	struct gpk_stream *s;

	mutex_lock(&streams_mutex);
	list_for_each_entry(s, &listeners, listener) {
		u64 head = READ_ONCE(ring_head);

		if (s->told == head)
			continue;
		s->told = head;
		wake_up_interruptible(&s->wait);
		cond_resched();
	}
	mutex_unlock(&streams_mutex);
}

static DECLARE_WORK(wake_work, wake_listeners);

int gpk_event_init(void)
{
	ring = kvcalloc(GPK_EVENTS, sizeof(*ring), GFP_KERNEL);
	return ring ? 0 : -ENOMEM;
}

void gpk_event_fini(void)
{
	u32 i;

	cancel_work_sync(&wake_work);
	for (i = 0; i < GPK_EVENTS; i++)
		put_pid(ring[i].pid);
	kvfree(ring);
}

void gpk_event(struct gpk_node *n, struct pid *pid, u32 kind, u32 code, u64 value)
{
	struct gpreempt_abi_event event = {
		.size = sizeof(event),
		.kind = kind,
		.time_ns = ktime_get_ns(),
		.gpu_id = n->gpu_id,
		.code = code,
		.value = value,
	};
	struct slot *slot;
	struct pid *old;

	if (!atomic_read(&nr_listeners))
		return;
	get_pid(pid);
	spin_lock(&ring_lock);
	slot = &ring[ring_head % GPK_EVENTS];
	old = slot->pid;
	*slot = (struct slot){ .event = event, .pid = pid };
	WRITE_ONCE(ring_head, ring_head + 1);
	spin_unlock(&ring_lock);
	put_pid(old);
	queue_work(system_unbound_wq, &wake_work);
}

/*
 * The root of a container may have the number of the machine's root, and is not to use up what
 * that one has: a file of an administrator is not counted.
 */
static int count_stream(struct gpk_stream *s)
{
	if (gpk_is_governor())
		return 0;
	s->user = gpk_user_get(&users, current_uid(), GFP_KERNEL_ACCOUNT);
	if (!s->user)
		return -ENOMEM;
	if (s->user->nr <= STREAMS_MAX)
		return 0;
	gpk_user_put(s->user);
	return -EMFILE;
}

int gpk_stream_init(struct gpk_stream *s)
{
	int ret;

	mutex_init(&s->read_mutex);
	init_waitqueue_head(&s->wait);
	s->pid_ns = get_pid_ns(task_active_pid_ns(current));
	mutex_lock(&streams_mutex);
	ret = count_stream(s);
	mutex_unlock(&streams_mutex);
	if (ret)
		put_pid_ns(s->pid_ns);
	return ret;
}

void gpk_stream_fini(struct gpk_stream *s)
{
	mutex_lock(&streams_mutex);
	if (s->user)
		gpk_user_put(s->user);
	if (s->listening) {
		list_del(&s->listener);
		atomic_dec(&nr_listeners);
	}
	mutex_unlock(&streams_mutex);
	put_pid_ns(s->pid_ns);
}

void gpk_stream_listen(struct gpk_stream *s)
{
	if (READ_ONCE(s->listening))
		return;
	mutex_lock(&streams_mutex);
	if (s->listening)
		goto out;
	/* First: an event that is not written now comes before this call. */
	atomic_inc(&nr_listeners);
	spin_lock(&ring_lock);
	s->tail = ring_head;
	spin_unlock(&ring_lock);
	s->told = s->tail;
	list_add(&s->listener, &listeners);
	WRITE_ONCE(s->listening, true);
out:
	mutex_unlock(&streams_mutex);
}

bool gpk_stream_ready(const struct gpk_stream *s)
{
	return READ_ONCE(s->tail) != READ_ONCE(ring_head) || READ_ONCE(s->lost);
}

/* What was overwritten before it was read is lost; ring_lock is held. */
static void count_lost(struct gpk_stream *s)
{
	u64 oldest = ring_head > GPK_EVENTS ? ring_head - GPK_EVENTS : 0;

	if (s->tail >= oldest)
		return;
	s->lost += oldest - s->tail;
	WRITE_ONCE(s->tail, oldest);
}

bool gpk_stream_peek(struct gpk_stream *s, struct gpreempt_abi_event *event)
{
	const struct slot *slot;
	bool found = true;

	if (!gpk_stream_ready(s))
		return false;
	spin_lock(&ring_lock);
	count_lost(s);
	if (s->lost) {
		*event = (struct gpreempt_abi_event){ .size = sizeof(*event),
						      .kind = GPREEMPT_EVENT_LOST,
						      .time_ns = ktime_get_ns(),
						      .value = s->lost };
	} else if (s->tail != ring_head) {
		slot = &ring[s->tail % GPK_EVENTS];
		*event = slot->event;
		event->pid = slot->pid ? pid_nr_ns(slot->pid, s->pid_ns) : 0;
	} else {
		found = false;
	}
	spin_unlock(&ring_lock);
	return found;
}

void gpk_stream_drop(struct gpk_stream *s, const struct gpreempt_abi_event *event)
{
	spin_lock(&ring_lock);
	if (event->kind == GPREEMPT_EVENT_LOST)
		s->lost -= event->value;
	else
		WRITE_ONCE(s->tail, s->tail + 1);
	spin_unlock(&ring_lock);
}
