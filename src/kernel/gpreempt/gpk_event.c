// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Event streams: see event.h.
 */
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include "gpk_event.h"
#include "gpk.h"

/* Of a user: every event is told to all. */
#define STREAMS_MAX 1024

static LIST_HEAD(streams);
static DEFINE_SPINLOCK(streams_lock);

static bool is_one_too_many(kuid_t uid)
{
	const struct gpk_stream *s;
	u32 nr = 0;

	list_for_each_entry(s, &streams, link)
		nr += uid_eq(s->uid, uid);
	return nr >= STREAMS_MAX;
}

int gpk_stream_init(struct gpk_stream *s)
{
	int ret = 0;

	mutex_init(&s->read_mutex);
	spin_lock_init(&s->lock);
	init_waitqueue_head(&s->wait);
	s->pid_ns = get_pid_ns(task_active_pid_ns(current));
	s->uid = current_uid();
	spin_lock(&streams_lock);
	if (is_one_too_many(s->uid))
		ret = -EMFILE;
	else
		list_add(&s->link, &streams);
	spin_unlock(&streams_lock);
	if (ret)
		put_pid_ns(s->pid_ns);
	return ret;
}

void gpk_stream_fini(struct gpk_stream *s)
{
	spin_lock(&streams_lock);
	list_del(&s->link);
	spin_unlock(&streams_lock);
	if (s->eventfd)
		eventfd_ctx_put(s->eventfd);
	put_pid_ns(s->pid_ns);
}

static void stream_put(struct gpk_stream *s, const struct gpreempt_abi_event *event,
		       struct pid *pid)
{
	spin_lock(&s->lock);
	if (!s->wanted && !s->eventfd)
		goto out;
	if (s->head - s->tail == GPK_EVENTS) {
		s->lost++;
	} else {
		struct gpreempt_abi_event *slot = &s->ring[s->head++ % GPK_EVENTS];

		*slot = *event;
		slot->pid = pid ? pid_nr_ns(pid, s->pid_ns) : 0;
	}
	if (s->eventfd)
		eventfd_signal(s->eventfd);
out:
	spin_unlock(&s->lock);
	wake_up_interruptible(&s->wait);
}

void gpk_event(struct gpk_node *n, struct pid *pid, u32 kind, u32 code, u64 value)
{
	struct gpreempt_abi_event event = {
		.size = sizeof(event),
		.time_ns = ktime_get_ns(),
		.gpu_id = n->gpu_id,
		.kind = kind,
		.code = code,
		.value = value,
	};
	struct gpk_stream *s;

	spin_lock(&streams_lock);
	list_for_each_entry(s, &streams, link)
		stream_put(s, &event, pid);
	spin_unlock(&streams_lock);
}

bool gpk_stream_ready(struct gpk_stream *s)
{
	bool ready;

	spin_lock(&s->lock);
	s->wanted = true;
	ready = s->head != s->tail || s->lost;
	spin_unlock(&s->lock);
	return ready;
}

bool gpk_stream_peek(struct gpk_stream *s, struct gpreempt_abi_event *event)
{
	bool found = true;

	spin_lock(&s->lock);
	s->wanted = true;
	if (s->head != s->tail)
		*event = s->ring[s->tail % GPK_EVENTS];
	else if (s->lost)
		*event = (struct gpreempt_abi_event){ .size = sizeof(*event),
						      .time_ns = ktime_get_ns(),
						      .kind = GPREEMPT_EVENT_LOST,
						      .value = s->lost };
	else
		found = false;
	spin_unlock(&s->lock);
	return found;
}

void gpk_stream_drop(struct gpk_stream *s, const struct gpreempt_abi_event *event)
{
	spin_lock(&s->lock);
	if (event->kind == GPREEMPT_EVENT_LOST)
		s->lost -= event->value;
	else
		s->tail++;
	spin_unlock(&s->lock);
}

int gpk_stream_set_eventfd(struct gpk_stream *s, int fd)
{
	struct eventfd_ctx *new = NULL, *old;

	if (fd != -1) {
		new = eventfd_ctx_fdget(fd);
		if (IS_ERR(new))
			return PTR_ERR(new);
	}
	spin_lock(&s->lock);
	old = s->eventfd;
	s->eventfd = new;
	spin_unlock(&s->lock);
	if (old)
		eventfd_ctx_put(old);
	return 0;
}
