// SPDX-License-Identifier: MIT
#include "daemon/gpd_user.h"
#include "daemon/gpd_cgroup.h"
#include "daemon/control/gpd_control.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* What is kept for privileged ones: a quarter. */
#define RESERVE 4
#define LOGS_A_SECOND 2
#define LOGS_AT_ONCE 40
#define NOTES_A_SECOND 4
#define NOTES_AT_ONCE 40
/* A user that has rested has this much to begin with. */
#define WORK_BURST_NS (20 * (int64_t)GPD_NS_PER_MS)
/*
 * A user owes no more than this, so that it waits for a second at most. Where a host stops the
 * whole machine, the pause counts as time of the thread that ran.
 */
#define WORK_DEBT_NS (250 * (int64_t)GPD_NS_PER_MS)
/* A user that waits goes on when it has this much. */
#define WORK_AGAIN_NS (2 * (int64_t)GPD_NS_PER_MS)
/* Switches do not wait for a slow user for so long, doubled so often until it is calm. */
#define SLOW_NS GPD_NS_PER_SEC
#define SLOW_DOUBLED_MAX 6
#define CALM_NS (60 * GPD_NS_PER_SEC)

/* What there is of all, and the share of one user without privileges. */
struct budget {
	uint64_t all;
	uint64_t one;
};

static const struct budget budgets[GPD_BUDGET_COUNT] = {
	[GPD_BUDGET_QUEUES] = { GPD_QUEUES_MAX, GPD_USER_QUEUES_MAX },
	[GPD_BUDGET_ENTITIES] = { GPD_ENTITIES_MAX, GPD_ENTITIES_MAX / 4 },
	[GPD_BUDGET_HOLDS] = { 16384, 512 },
	[GPD_BUDGET_MONITORS] = { 64, 4 },
	[GPD_BUDGET_TRACERS] = { 512, 32 },
};

static struct budget budget_of(const struct gpd *d, enum gpd_budget what)
{
	uint64_t all = what == GPD_BUDGET_CLIENTS ? d->config->max_clients :
						    d->config->max_connections;

	/* Each is to have its share on each node. */
	if (what == GPD_BUDGET_CGROUPS)
		return (struct budget){ min(GPD_CGROUPS_MAX,
					    GPD_SHARES_MAX / (int)max(d->max_nodes, 1U)),
					GPD_USER_CGROUPS_MAX };
	return budgets[what].all ? budgets[what] : (struct budget){ all, (all + 1) / 2 };
}

static struct gpd_user *find(struct gpd *d, const struct gpd_owner *owner, bool privileged)
{
	struct gpd_user *u;

	LIST_FOREACH(u, &d->users, link)
		if (u->account == owner->account && u->privileged == privileged)
			return u;
	return NULL;
}

static int on_rested(sd_event_source *s, uint64_t usec, void *data)
{
	struct gpd_user *u = data;

	return sd_event_source_set_enabled(u->io, SD_EVENT_ON);
}

static void fill(struct gpd_user *u)
{
	uint64_t now_ns = gpd_now_ns();
	uint64_t passed_ns = now_ns - u->filled_ns;

	u->filled_ns = now_ns;
	u->work_ns += (int64_t)passed_ns * GPD_USER_TIME_PERCENT / 100;
	if (u->work_ns > WORK_BURST_NS)
		u->work_ns = WORK_BURST_NS;
}

/*
 * May the daemon do something for this user now? If not, nothing is heard from its sockets, and
 * none of its connections has a turn, until it has rested.
 */
static bool may_work(struct gpd_user *u)
{
	int64_t missing_ns;

	if (u->privileged)
		return true;
	if (gpd_timer_is_on(u->rest))
		return false;
	fill(u);
	if (u->work_ns > 0)
		return true;
	missing_ns = (WORK_AGAIN_NS - u->work_ns) * 100 / GPD_USER_TIME_PERCENT;
	sd_event_source_set_enabled(u->io, SD_EVENT_OFF);
	gpd_timer_set(u->rest, gpd_now_ns() + (uint64_t)missing_ns);
	return false;
}

/* Some socket of the user has something to say: one of them is heard. */
static int on_io(sd_event_source *s, int fd, uint32_t events, void *data)
{
	struct gpd_user *u = data;

	if (!may_work(u))
		return 0;
	gpd_user_begin(u);
	sd_event_run(u->event, 0);
	gpd_user_end(u);
	return 0;
}

/*
 * The sockets of a user without privileges, and the turns of its connections, are one source
 * of the daemon's loop: however many are ready, a turn of the loop costs the same.
 */
static int open_inner(struct gpd_user *u)
{
	int err = sd_event_new(&u->event);

	if (err >= 0)
		err = sd_event_add_io(u->d->event, &u->io, sd_event_get_fd(u->event), EPOLLIN,
				      on_io, u);
	if (err >= 0)
		err = sd_event_source_set_priority(u->io, GPD_PRIORITY_USER);
	if (err >= 0)
		err = gpd_timer_add(u->d->event, &u->rest, on_rested, u);
	return err;
}

static int open_loop(struct gpd_user *u)
{
	int err = 0;

	u->turn_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (u->turn_fd < 0)
		return -errno;
	if (u->privileged)
		u->event = sd_event_ref(u->d->event);
	else
		err = open_inner(u);
	if (err >= 0)
		err = sd_event_add_io(u->event, &u->turn, u->turn_fd, EPOLLIN, gpd_control_turn, u);
	if (err >= 0 && u->privileged)
		err = sd_event_source_set_priority(u->turn, GPD_PRIORITY_ROOT);
	return err < 0 ? err : 0;
}

static void free_user(struct gpd_user *u)
{
	sd_event_source_unref(u->turn);
	sd_event_source_unref(u->rest);
	sd_event_source_unref(u->io);
	sd_event_unref(u->event);
	if (u->turn_fd >= 0)
		close(u->turn_fd);
	free(u);
}

struct gpd_user *gpd_user_get(struct gpd *d, const struct gpd_owner *owner, bool privileged)
{
	struct gpd_user *u = find(d, owner, privileged);

	if (u)
		return gpd_user_ref(u);
	u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->d = d;
	u->uid = owner->uid;
	u->account = owner->account;
	u->privileged = privileged;
	TAILQ_INIT(&u->turns);
	u->work_ns = WORK_BURST_NS;
	u->filled_ns = gpd_now_ns();
	if (open_loop(u)) {
		free_user(u);
		return NULL;
	}
	LIST_INSERT_HEAD(&d->users, u, link);
	return gpd_user_ref(u);
}

struct gpd_user *gpd_user_ref(struct gpd_user *u)
{
	u->nr_refs++;
	return u;
}

/* Budgets are to outlive a connection: a user that comes and goes has spent what it has. */
static bool is_spent(const struct gpd_user *u)
{
	uint64_t now_ns = gpd_now_ns();
	int i;

	for (i = 0; i < GPD_SILENT_MAX; i++)
		if (u->silent[i].nr && now_ns - u->silent[i].at_ns < 60 * GPD_NS_PER_SEC)
			return true;
	if (now_ns < u->slow_ns + CALM_NS && u->nr_slow)
		return true;
	return !u->privileged && now_ns - u->filled_ns < 10 * GPD_NS_PER_SEC;
}

static void forget(struct gpd_user *u)
{
	LIST_REMOVE(u, link);
	free_user(u);
}

static void forget_old(struct gpd *d)
{
	struct gpd_user *u;
	struct gpd_user *next;

	for (u = LIST_FIRST(&d->users); u; u = next) {
		next = LIST_NEXT(u, link);
		if (!u->nr_refs && !is_spent(u))
			forget(u);
	}
}

void gpd_user_fini(struct gpd *d)
{
	while (!LIST_EMPTY(&d->users))
		forget(LIST_FIRST(&d->users));
}

void gpd_user_put(struct gpd_user *u)
{
	if (u && !--u->nr_refs)
		forget_old(u->d);
}

bool gpd_user_take(struct gpd_user *u, enum gpd_budget what)
{
	struct gpd *d = u->d;
	struct budget b = budget_of(d, what);
	uint64_t max = b.all - b.all / RESERVE;

	if (d->nr_used[what] + d->nr_used_privileged[what] >= b.all)
		return false;
	/* No user has more than are left to the others: what is left halves with each. */
	if (!u->privileged && (u->nr_used[what] >= b.one || d->nr_used[what] >= max ||
			       u->nr_used[what] >= max - d->nr_used[what]))
		return false;
	u->nr_used[what]++;
	(u->privileged ? d->nr_used_privileged : d->nr_used)[what]++;
	return true;
}

void gpd_user_give(struct gpd_user *u, enum gpd_budget what)
{
	u->nr_used[what]--;
	(u->privileged ? u->d->nr_used_privileged : u->d->nr_used)[what]--;
}

bool gpd_user_may_log(struct gpd_user *u)
{
	return gpd_bucket_take(&u->logs, LOGS_A_SECOND, LOGS_AT_ONCE, gpd_now_ns());
}

bool gpd_user_may_note(struct gpd_user *u)
{
	return u->privileged ||
	       gpd_bucket_take(&u->notes, NOTES_A_SECOND, NOTES_AT_ONCE, gpd_now_ns());
}

void gpd_user_was_slow(struct gpd_user *u)
{
	uint64_t now_ns = gpd_now_ns();

	if (gpd_user_is_slow(u))
		return;
	if (now_ns > u->slow_ns + CALM_NS)
		u->nr_slow = 0;
	u->slow_ns = now_ns + (SLOW_NS << u->nr_slow);
	if (u->nr_slow < SLOW_DOUBLED_MAX)
		u->nr_slow++;
}

bool gpd_user_is_slow(const struct gpd_user *u)
{
	return gpd_now_ns() < u->slow_ns;
}

/* Processor time: on a busy machine no user pays for the others. */
static int64_t spent_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * (int64_t)GPD_NS_PER_SEC + t.tv_nsec;
}

void gpd_user_begin_unknown(struct gpd *d)
{
	d->began_ns = spent_ns();
}

void gpd_user_begin(struct gpd_user *u)
{
	if (!u->privileged)
		gpd_user_begin_unknown(u->d);
}

void gpd_user_end(struct gpd_user *u)
{
	if (u->privileged)
		return;
	u->work_ns -= spent_ns() - u->d->began_ns;
	if (u->work_ns < -WORK_DEBT_NS)
		u->work_ns = -WORK_DEBT_NS;
}
