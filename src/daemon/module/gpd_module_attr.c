// SPDX-License-Identifier: MIT
/*
 * Processes that the module schedules. It has the numbers, and keeps them also of processes
 * without queues; the daemon has the names of classes and groups.
 */
#include "daemon/module/gpd_module_types.h"
#include "daemon/clients/gpd_client.h"
#include "daemon/control/gpd_control.h"
#include "daemon/control/gpd_list.h"
#include "daemon/gpd_engine.h"
#include "daemon/gpd_hold.h"
#include "daemon/gpd_state.h"
#include "daemon/gpd_trust.h"
#include "rules/right.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Processes of one user that are remembered for it, as many as the module has wishes of. */
#define PROCESSES_MAX 1024
/* Further up no parent is looked for. */
#define PARENTS_MAX 64
/* Of these, before it is another's turn; a turn of a user has four such steps. */
#define PARENTS_A_STEP 2

/* What was said of a process. */
struct gpd_module_process {
	struct gp_tree_node by_pid;   /* in gpd_module.processes */
	struct gp_tree_node of_group; /* in gpd_module.groups */
	pid_t pid;
	uint64_t start_time; /* says that the number is still its */
	uid_t uid;
	struct gpd_attrs attrs; /* what was said */
	uint32_t ruled;		/* attributes that an administrator has set */
	uint64_t word;		/* number of what was said, see gpd_module.nr_words */
};

static struct gpd_module_process *of(struct gp_tree_node *n)
{
	return n ? container_of(n, struct gpd_module_process, by_pid) : NULL;
}

static int by_pid(const struct gp_tree_node *a, const struct gp_tree_node *b)
{
	const struct gpd_module_process *x = container_of(a, struct gpd_module_process, by_pid);
	const struct gpd_module_process *y = container_of(b, struct gpd_module_process, by_pid);
	int order = gp_tree_order((uint64_t)x->pid, (uint64_t)y->pid);

	return order ? order : gp_tree_order(x->start_time, y->start_time);
}

static int by_group(const struct gp_tree_node *a, const struct gp_tree_node *b)
{
	const struct gpd_module_process *x = container_of(a, struct gpd_module_process, of_group);
	const struct gpd_module_process *y = container_of(b, struct gpd_module_process, of_group);
	int order = gp_tree_order(x->uid, y->uid);

	if (!order)
		order = strcmp(x->attrs.group, y->attrs.group);
	return order ? order : by_pid(&x->by_pid, &y->by_pid);
}

static void forget(struct gpd_module *m, struct gpd_module_process *p)
{
	gp_tree_remove(&m->processes, &p->by_pid);
	gp_tree_remove(&m->groups, &p->of_group);
	free(p);
}

void gpd_module_forget_all(struct gpd *d)
{
	struct gp_tree_node *n;

	while ((n = gp_tree_first(&d->module->processes)))
		forget(d->module, of(n));
}

/* The next in turn; if it has ended it is forgotten. */
static void look_at_one(struct gpd_module *m)
{
	struct gpd_module_process key = { .pid = m->looked_at };
	struct gpd_module_process *p = of(gp_tree_at_least(&m->processes, &key.by_pid));
	struct gpd_proc proc;

	m->looked_at = p ? p->pid + 1 : 0;
	if (p && (gpd_proc_read(p->pid, &proc) || proc.start_time != p->start_time))
		forget(m, p);
}

static struct gpd_module_process *find(struct gpd_module *m, pid_t pid, uint64_t start_time)
{
	struct gpd_module_process key = { .pid = pid, .start_time = start_time };

	return of(gp_tree_find(&m->processes, &key.by_pid));
}

/* O(log n): the order of groups is first that of users. */
static bool has_room(const struct gpd_module *m, uid_t uid)
{
	struct gpd_module_process from = { .uid = uid }, to = { .uid = uid + 1 };

	return gp_tree_rank(&m->groups, &to.of_group) - gp_tree_rank(&m->groups, &from.of_group) <
	       PROCESSES_MAX;
}

/* Of each new one two old ones are looked at, so that those that ended stay few. */
static void remember(struct gpd *d, pid_t pid, const struct gpd_proc *proc,
		     const struct gpd_attrs *attrs, uint32_t ruled)
{
	struct gpd_module *m = d->module;
	struct gpd_module_process *p = find(m, pid, proc->start_time);

	m->processes.cmp = by_pid;
	m->groups.cmp = by_group;
	if (p) {
		gp_tree_remove(&m->groups, &p->of_group);
	} else {
		look_at_one(m);
		look_at_one(m);
		p = ruled || has_room(m, proc->uid) ? calloc(1, sizeof(*p)) : NULL;
		if (!p)
			return;
		p->pid = pid;
		p->start_time = proc->start_time;
		p->uid = proc->uid;
		gp_tree_insert(&m->processes, &p->by_pid);
	}
	p->attrs = *attrs;
	p->ruled |= ruled;
	p->word = m->nr_words;
	gp_tree_insert(&m->groups, &p->of_group);
}

/* What was said of a process to this daemon, or to the one before it. */
static struct gpd_module_process *recall(struct gpd *d, pid_t pid, const struct gpd_proc *proc)
{
	struct gpd_module_process *p = find(d->module, pid, proc->start_time);
	struct gpd_attrs old;

	if (p || !gpd_state_take(d, pid, proc, &old))
		return p;
	remember(d, pid, proc, &old, 0);
	return find(d->module, pid, proc->start_time);
}

/* The nearest parent that has names, as the module does it. */
static void step(struct gpd *d, struct gpd_module_way *way)
{
	const struct gpd_module_process *p = recall(d, way->at, &way->proc);

	if (p) {
		way->found = p->attrs;
		way->has_names = true;
	}
	way->at = way->proc.parent;
	way->is_over = p || way->nr++ >= PARENTS_MAX || way->at <= 1 ||
		       gpd_proc_read(way->at, &way->proc);
}

static void begin_way(pid_t pid, const struct gpd_proc *proc, struct gpd_module_way *way)
{
	*way = (struct gpd_module_way){
		.from = pid,
		.start_time = proc->start_time,
		.at = pid,
		.proc = *proc,
	};
}

bool gpd_module_climb(struct gpd *d, pid_t pid, struct gpd_module_way *way)
{
	struct gpd_proc proc;
	int i;

	if (way->from != pid) {
		if (gpd_proc_read(pid, &proc))
			return true;
		begin_way(pid, &proc, way);
	}
	for (i = 0; i < PARENTS_A_STEP && !way->is_over; i++)
		step(d, way);
	return way->is_over;
}

static void put_names(struct gpd *d, const struct gpd_subject *s, struct gpd_module_way *way,
		      uint64_t group, struct gpd_attrs *attrs)
{
	if (way->from != s->pid || way->start_time != s->proc.start_time)
		begin_way(s->pid, &s->proc, way);
	while (!way->is_over)
		step(d, way);
	if (!way->has_names)
		return;
	memcpy(attrs->klass, way->found.klass, sizeof(attrs->klass));
	if (gp_group_number(way->found.group) == group)
		memcpy(attrs->group, way->found.group, sizeof(attrs->group));
}

/* The numbers; a group has no name in the module. */
static int read_attrs(struct gpd *d, int pidfd, struct gpd_attrs *attrs, u64 *group)
{
	int fd = gpd_module_fd(d);

	memset(attrs, 0, sizeof(*attrs));
	gp_attr_default(&attrs->core);
	return fd < 0 ? fd : drv_module_get_attr(fd, pidfd, &attrs->core, group);
}

static int get_by_way(struct gpd *d, struct gpd_subject *s, struct gpd_module_way *way,
		      struct gpd_attrs *attrs)
{
	u64 group;
	int err = read_attrs(d, s->pidfd, attrs, &group);

	if (!err)
		put_names(d, s, way, group, attrs);
	return err;
}

static int get(struct gpd *d, struct gpd_subject *s, struct gpd_attrs *attrs)
{
	struct gpd_module_way way = { 0 };

	return get_by_way(d, s, &way, attrs);
}

static void put(struct gpd_subject *s)
{
	if (s->pidfd >= 0)
		close(s->pidfd);
}

static int open_subject(pid_t pid, struct gpd_subject *s)
{
	s->pid = pid;
	s->pidfd = gpd_module_pidfd(pid, &s->proc);
	return s->pidfd < 0 ? s->pidfd : 0;
}

int gpd_module_attrs(struct gpd *d, pid_t pid, struct gpd_module_way *way, struct gpd_attrs *attrs)
{
	struct gpd_subject s;
	int err = open_subject(pid, &s);

	if (err)
		return err;
	err = get_by_way(d, &s, way, attrs);
	put(&s);
	return err;
}

static int write_some(struct gpd *d, int pidfd, const struct gpd_attrs *attrs, uint32_t valid,
		      uint32_t flags)
{
	return drv_module_set_attr(gpd_module_fd(d), pidfd, &attrs->core,
				   gp_group_number(attrs->group), valid, flags);
}

/*
 * What an owner may, and beyond the default what an open class of the configuration grants:
 * that is the word of an administrator.
 */
static int write_as_owner(struct gpd *d, int pidfd, const struct gpd_attrs *attrs, uint32_t valid)
{
	int err = write_some(d, pidfd, attrs, valid, GPREEMPT_ATTR_AS_OWNER);
	struct gp_attr most;
	uint32_t granted;

	gp_attr_default(&most);
	granted = valid & gp_right_excess(&attrs->core, &most);
	if (err != -EPERM || !granted)
		return err;
	err = write_some(d, pidfd, attrs, valid & ~granted, GPREEMPT_ATTR_AS_OWNER);
	return err ? err : write_some(d, pidfd, attrs, granted, 0);
}

/*
 * Only what changes: the module has more to say of a process than the daemon knows. A
 * group may have been chosen without it, and has no name here. @ruled are attributes that an
 * administrator has set, which makes them the limit for the owner.
 */
static int write_attrs(struct gpd *d, int pidfd, const struct gpd_attrs *attrs, bool keep_group,
		       uint32_t ruled)
{
	struct gpd_attrs was;
	uint32_t valid;
	u64 group;
	int err = read_attrs(d, pidfd, &was, &group);

	if (err)
		return err;
	/* The bits are those of the module. */
	valid = gp_attr_differs(&attrs->core, &was.core);
	if (gp_group_number(attrs->group) != group && !keep_group)
		valid |= GPREEMPT_ATTR_F_GROUP;
	err = write_as_owner(d, pidfd, attrs, valid & ~ruled);
	if (!err)
		err = write_some(d, pidfd, attrs, valid & ruled, 0);
	gpd_module_forget(d);
	return err;
}

static int set_one(struct gpd *d, struct gpd_subject *s, const struct gpd_attrs *attrs,
		   bool keep_group, uint32_t ruled)
{
	int err;

	d->module->nr_words++;
	err = write_attrs(d, s->pidfd, attrs, keep_group, ruled);

	if (!err)
		remember(d, s->pid, &s->proc, attrs, ruled);
	return err;
}

/* A change of one process that its whole group is to have. */
struct regroup {
	struct gpd_module_process at; /* the next one is not before this one */
	pid_t pid;		      /* has it already */
};

/* What of the attributes that a connection sets is the word of an administrator. */
static uint32_t ruled_by(const struct gpd_cred *cred)
{
	return cred->privileged ? UINT32_MAX : 0;
}

static bool changes_too(struct gpd_conn *conn, const struct regroup *g,
			const struct gpd_module_process *p)
{
	char why[GPD_NOTE_LEN];

	/* What was said of it later counts. */
	return p->pid != g->pid && p->word < g->at.word &&
	       gpd_trust_may_touch_process(conn->d, &conn->cred, p->pid, p->uid) &&
	       gpd_auth_check(conn->d->config, &conn->cred, NULL, &p->attrs, &g->at.attrs, why,
			      sizeof(why));
}

static void change_too(struct gpd_conn *conn, const struct regroup *g,
		       struct gpd_module_process *p)
{
	struct gpd_subject s;

	if (!changes_too(conn, g, p) || open_subject(p->pid, &s))
		return;
	/* The group stays, and with it the order of the tree. */
	if (s.proc.start_time == p->start_time &&
	    !write_attrs(conn->d, s.pidfd, &g->at.attrs, false, ruled_by(&conn->cred))) {
		p->attrs = g->at.attrs;
		p->word = g->at.word;
	}
	put(&s);
}

/* One process; those of the group may come and go from one to the next. */
static json_t *regroup_step(struct gpd_conn *conn, void *cursor)
{
	struct regroup *g = cursor;
	struct gp_tree_node *n = gp_tree_at_least(&conn->d->module->groups, &g->at.of_group);
	struct gpd_module_process *p =
		n ? container_of(n, struct gpd_module_process, of_group) : NULL;

	if (!p || p->uid != g->at.uid || strcmp(p->attrs.group, g->at.attrs.group)) {
		gpd_state_changed(conn);
		return NULL;
	}
	g->at.pid = p->pid;
	g->at.start_time = p->start_time + 1;
	change_too(conn, g, p);
	return json_null();
}

/* Processes of a group are one: all of them change, unless that would raise one of them. */
static void set_group(struct gpd_conn *conn, struct gpd_subject *s, const struct gpd_attrs *attrs)
{
	struct regroup *g = calloc(1, sizeof(*g));

	if (!g)
		return;
	g->at.uid = s->proc.uid;
	g->at.attrs = *attrs;
	g->at.word = conn->d->module->nr_words;
	g->pid = s->pid;
	gpd_control_rest(conn, regroup_step, free, g);
}

static int set(struct gpd_conn *conn, struct gpd_subject *s, const struct gpd_attrs *attrs,
	       bool keep_group)
{
	int err = set_one(conn->d, s, attrs, keep_group, ruled_by(&conn->cred));

	if (err)
		return err;
	if (attrs->group[0])
		set_group(conn, s, attrs);
	if (s->client) {
		s->client->attrs = *attrs;
		gpd_engine_attrs(s->client);
	}
	gpd_monitor_attrs(conn->d, s->pid, attrs);
	return 0;
}

/* A process, whether it has queues yet or not. */
static int find_subject(struct gpd_conn *conn, uint64_t number, struct gpd_subject *s)
{
	/* The caller may be in a container, and not know its number out here. */
	pid_t pid = number ? (pid_t)number : conn->cred.pid;
	int err = number <= GPD_PID_MAX ? open_subject(pid, s) : -ESRCH;

	if (err)
		return -ESRCH;
	if (!number && s->proc.start_time != conn->cred.start_time) {
		put(s);
		return -ESRCH;
	}
	s->client = gpd_client_find(conn->d, pid);
	if (gpd_trust_may_touch_process(conn->d, &conn->cred, pid, s->proc.uid))
		return 0;
	put(s);
	return -EPERM;
}

static void hello(struct gpd_client *c)
{
	struct gpd_subject s;
	int err = open_subject(c->pid, &s);

	if (!err) {
		err = set_one(c->d, &s, &c->attrs, false, ruled_by(&c->cred));
		put(&s);
	}
	if (err)
		gpd_client_note(c, "the kernel module does not take its attributes: %s",
				strerror(-err));
}

/* Every process is under control already; what is left of it are the attributes. */
static void attach(struct gpd_conn *conn, const struct gpd_request *r)
{
	struct gpd_attrs old, new;
	json_t *process;

	if (!gpd_module_has(conn->d, (pid_t)r->pid, 0, WIRE_QUEUE_ALL)) {
		gpd_control_error(conn, "NotFound", "what", "queues of process %" PRIu64, r->pid);
		return;
	}
	if (!gpd_methods_change(conn, r, &old, &new))
		return;
	process = gpd_module_process(conn->d, (pid_t)r->pid);
	if (process)
		gpd_control_reply(conn, json_pack("{s:o}", "process", process));
	else
		gpd_control_error(conn, "NotFound", "what", "process %" PRIu64, r->pid);
}

static void detach(struct gpd_conn *conn, const struct gpd_request *r)
{
	if (gpd_module_has(conn->d, (pid_t)r->pid, 0, WIRE_QUEUE_ALL))
		gpd_control_error(conn, "NotSupported", "reason",
				  "the kernel module schedules every process");
	else
		gpd_attach_detach(conn, r);
}

void gpd_module_tell_all(struct gpd *d)
{
	struct gp_tree_node *n = gp_tree_first(&d->module->processes);
	struct gpd_subject s;

	for (; n; n = gp_tree_next(n)) {
		if (open_subject(of(n)->pid, &s))
			continue;
		if (s.proc.start_time == of(n)->start_time)
			write_attrs(d, s.pidfd, &of(n)->attrs, false, of(n)->ruled);
		put(&s);
	}
}

static void save(struct gpd *d, json_t *processes)
{
	struct gp_tree_node *n = d->module ? gp_tree_first(&d->module->processes) : NULL;

	for (; n; n = gp_tree_next(n))
		gpd_state_add(processes, of(n)->pid, of(n)->start_time, of(n)->uid, &of(n)->attrs);
}

const struct gpd_process_ops gpd_module_ops = {
	.scheduler = "kernel",
	.mechanism = "kernel",
	.hold = &gpd_module_hold_ops,
	.hello = hello,
	.find = find_subject,
	.put = put,
	.get = get,
	.set = set,
	.attach = attach,
	.detach = detach,
	.save = save,
};
