// SPDX-License-Identifier: MIT
/*
 * The daemon over a kernel module that is made up: what it says to the module, what it remembers,
 * and how much of it one turn of the loop does.
 */
#include "unit_daemon.h"

#include "daemon/control/gpd_list.h"
#include "daemon/gpd_cgroup.h"
#include "daemon/gpd_ops.h"
#include "daemon/module/gpd_module_types.h"
#include "driver/module.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define USER 1000
#define NR_PROCESSES 100
#define FIRST 5000
#define REMEMBERED_MAX 1024

/* What the module was asked for, and what it says. */
static struct {
	int nr_gets;
	int nr_lists;
	int nr_sets;
	int nr_params;
	int nr_reads_of_proc;
	int nr_uses;			     /* of cgroups */
	int cgroup_error;		     /* when something is said of one */
	struct { u32 valid, flags; } set[4]; /* the first calls */
	size_t nr_listed;		     /* processes with a queue each, from FIRST on */
	bool refuses;			     /* what an owner may not */
	bool has_events;
	int nr_reads;
	size_t nr_most;			     /* events of a read */
} fake;

static pid_t parent_of;			     /* process that all others are children of */
static bool is_deep;			     /* each is the child of the one before */
static struct gpd_conn *monitors;
static bool has_node;			     /* the module schedules the daemon's node */
static bool has_cgroups;		     /* it knows of cgroups, and all processes are in /a */

int __wrap_drv_module_open(void);
int __wrap_drv_module_caps(int fd, struct gpreempt_ioc_caps *caps);
int __wrap_drv_module_list(int fd, struct gpreempt_ioc_queue **queues, size_t *nr);
int __wrap_drv_module_get_attr(int fd, int pidfd, struct gp_attr *attr, u64 *group);
int __wrap_drv_module_set_attr(int fd, int pidfd, const struct gp_attr *attr, u64 group, u32 valid,
			       u32 flags);
ssize_t __wrap_drv_module_read(int fd, struct gpreempt_abi_event *events, size_t max);
int __wrap_drv_module_pidfd(pid_t pid);
int __wrap_drv_module_get_policy(int fd, uint32_t gpu_id, const char *param,
				 struct gpreempt_ioc_policy *out);
int __wrap_drv_module_stats(int fd, uint32_t gpu_id, struct gpreempt_ioc_stats *stats);
int __wrap_drv_module_hist(int fd, uint32_t gpu_id, uint32_t which, uint32_t *buckets, uint32_t nr,
			   struct gpreempt_ioc_hist *out);
int __wrap_gpd_proc_read(pid_t pid, struct gpd_proc *proc);
int __wrap_drv_module_set_cgroup(int fd, int folder, const struct gp_cgroup_attr *attr);
int __wrap_drv_module_get_cgroup(int fd, int folder, struct gp_share_info *use,
				 uint32_t *nr_throttled);
bool __wrap_gpd_proc_is(pid_t pid, uint64_t start_time);
const char *__wrap_gpd_cgroup_mount(enum gpd_hierarchy which);
int __wrap_gpd_cgroup_open(const char *path);
int __wrap_gpd_cgroup_paths(pid_t pid, char path[GPD_HIERARCHY_COUNT][GPD_CGROUP_LEN]);
bool __wrap_gpd_trust_may_touch_process(const struct gpd *d, const struct gpd_cred *cred, pid_t pid,
					uid_t uid);
struct gpd_conn *__wrap_gpd_control_first_monitor(struct gpd *d);

int __wrap_drv_module_open(void)
{
	return eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
}

int __wrap_drv_module_caps(int fd, struct gpreempt_ioc_caps *caps)
{
	*caps = (struct gpreempt_ioc_caps){ .version = GPREEMPT_ABI_VERSION, .nr_nodes = has_node };
	caps->gpu_ids[0] = 1;
	caps->caps = has_cgroups ? GPREEMPT_CAP_CGROUP : 0;
	return 0;
}

int __wrap_drv_module_list(int fd, struct gpreempt_ioc_queue **queues, size_t *nr)
{
	size_t i;

	fake.nr_lists++;
	*queues = calloc(fake.nr_listed + 1, sizeof(**queues));
	for (i = 0; i < fake.nr_listed; i++)
		(*queues)[i] = (struct gpreempt_ioc_queue){ .pid = FIRST + (int)i, .gpu_id = 1,
							    .queue_id = 1 };
	*nr = fake.nr_listed;
	return 0;
}

int __wrap_drv_module_get_attr(int fd, int pidfd, struct gp_attr *attr, u64 *group)
{
	fake.nr_gets++;
	gp_attr_default(attr);
	*group = 0;
	return 0;
}

int __wrap_drv_module_set_attr(int fd, int pidfd, const struct gp_attr *attr, u64 group, u32 valid,
			       u32 flags)
{
	if (!valid)
		return 0;
	if (fake.nr_sets < 4) {
		fake.set[fake.nr_sets].valid = valid;
		fake.set[fake.nr_sets].flags = flags;
	}
	fake.nr_sets++;
	return fake.refuses && flags & GPREEMPT_ATTR_AS_OWNER && valid & GPREEMPT_ATTR_F_PRIO &&
			       attr->prio > GP_PRIO_DEFAULT ? -EPERM : 0;
}

ssize_t __wrap_drv_module_read(int fd, struct gpreempt_abi_event *events, size_t max)
{
	if (!fake.has_events)
		return 0;
	fake.nr_reads++;
	fake.nr_most = max > fake.nr_most ? max : fake.nr_most;
	memset(events, 0, max * sizeof(*events));
	return (ssize_t)max;
}

int __wrap_drv_module_pidfd(pid_t pid)
{
	return eventfd(0, EFD_CLOEXEC);
}

int __wrap_drv_module_get_policy(int fd, uint32_t gpu_id, const char *param,
				 struct gpreempt_ioc_policy *out)
{
	*out = (struct gpreempt_ioc_policy){ .policy = "slice", .enabled = 1, .value = 77 };
	fake.nr_params += !!param;
	return 0;
}

int __wrap_drv_module_stats(int fd, uint32_t gpu_id, struct gpreempt_ioc_stats *stats)
{
	*stats = (struct gpreempt_ioc_stats){ 0 };
	return 0;
}

int __wrap_drv_module_hist(int fd, uint32_t gpu_id, uint32_t which, uint32_t *buckets, uint32_t nr,
			   struct gpreempt_ioc_hist *out)
{
	return -EINVAL;
}

/* Every number is a process. */
int __wrap_gpd_proc_read(pid_t pid, struct gpd_proc *proc)
{
	fake.nr_reads_of_proc++;
	*proc = (struct gpd_proc){ .uid = USER, .start_time = 1,
				   .parent = pid == parent_of ? 1 : parent_of };
	if (is_deep)
		proc->parent = pid - 1;
	return 0;
}

int __wrap_drv_module_set_cgroup(int fd, int folder, const struct gp_cgroup_attr *attr)
{
	return fake.cgroup_error;
}

int __wrap_drv_module_get_cgroup(int fd, int folder, struct gp_share_info *use,
				 uint32_t *nr_throttled)
{
	fake.nr_uses++;
	*use = (struct gp_share_info){ .some_ns = 1000 };
	*nr_throttled = 0;
	return 0;
}

bool __wrap_gpd_proc_is(pid_t pid, uint64_t start_time)
{
	return start_time == 1;
}

const char *__wrap_gpd_cgroup_mount(enum gpd_hierarchy which)
{
	return has_cgroups ? "/made/up" : "";
}

int __wrap_gpd_cgroup_open(const char *path)
{
	return has_cgroups ? eventfd(0, EFD_CLOEXEC) : -1;
}

int __wrap_gpd_cgroup_paths(pid_t pid, char path[GPD_HIERARCHY_COUNT][GPD_CGROUP_LEN])
{
	snprintf(path[GPD_HIERARCHY_UNIFIED], GPD_CGROUP_LEN, "/a");
	return 0;
}

/* They are not really there. */
bool __wrap_gpd_trust_may_touch_process(const struct gpd *d, const struct gpd_cred *cred, pid_t pid,
					uid_t uid)
{
	return cred->privileged || cred->owner.uid == uid;
}

struct gpd_conn *__wrap_gpd_control_first_monitor(struct gpd *d)
{
	return monitors;
}

static struct gpd *make_daemon(void)
{
	struct gpd *d = unit_daemon_make();

	memset(&fake, 0, sizeof(fake));
	d->node[0].simulated = !has_node;
	assert_int_equal(gpd_module_init(d), 0);
	assert_ptr_equal(d->ops, &gpd_module_ops);
	return d;
}

static void free_daemon(struct gpd *d)
{
	gpd_module_fini(d);
	unit_daemon_free(d);
}

static struct gpd_conn *make_conn(struct gpd *d, bool privileged, int *other)
{
	struct gpd_conn *conn = calloc(1, sizeof(*conn));
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	conn->d = d;
	conn->fd = pair[0];
	conn->cred = (struct gpd_cred){ .owner = { .uid = USER, .account = USER },
					.privileged = privileged };
	conn->user = gpd_user_get(d, &conn->cred.owner, privileged);
	conn->in = calloc(1, 1);
	*other = pair[1];
	return conn;
}

static void free_conn(struct gpd_conn *conn, int other)
{
	gpd_control_stream_stop(conn);
	gpd_user_put(conn->user);
	close(conn->fd);
	close(other);
	free(conn->in);
	free(conn->out);
	free(conn);
}

/* Of a process with so high a priority, in a class. */
static int say(struct gpd_conn *conn, pid_t pid, uint32_t prio, const char *klass)
{
	struct gpd_subject s = { .pid = pid, .pidfd = -1,
				 .proc = { .uid = USER, .start_time = 1 } };
	struct gpd_attrs attrs = { 0 };

	gp_attr_default(&attrs.core);
	attrs.core.prio = (u8)prio;
	strcpy(attrs.klass, klass);
	return gpd_module_ops.set(conn, &s, &attrs, true);
}

/* A user's word is passed on as that of an owner, root's is a limit. */
static void wishes_are_passed_on_as_those_of_the_owner(void **state)
{
	struct gpd *d = make_daemon();
	int other[2];
	struct gpd_conn *user = make_conn(d, false, &other[0]);
	struct gpd_conn *root = make_conn(d, true, &other[1]);

	assert_int_equal(say(user, FIRST, 3, "besteffort"), 0);
	assert_int_equal(fake.nr_sets, 1);
	assert_int_equal(fake.set[0].flags, GPREEMPT_ATTR_AS_OWNER);
	assert_int_equal(fake.set[0].valid, GPREEMPT_ATTR_F_PRIO);
	assert_int_equal(say(root, FIRST, 12, "realtime"), 0);
	assert_int_equal(fake.nr_sets, 2);
	assert_int_equal(fake.set[1].flags, 0);
	/* More than an owner may: the daemon has found that an open class grants it. */
	fake.refuses = true;
	assert_int_equal(say(user, FIRST, 9, "lab"), 0);
	assert_int_equal(fake.nr_sets, 4);
	assert_int_equal(fake.set[2].flags, GPREEMPT_ATTR_AS_OWNER);
	assert_int_equal(fake.set[3].flags, 0);
	free_conn(user, other[0]);
	free_conn(root, other[1]);
	free_daemon(d);
}

static int attrs_of(struct gpd *d, pid_t pid, struct gpd_attrs *attrs)
{
	struct gpd_module_way way = { 0 };

	return gpd_module_attrs(d, pid, &way, attrs);
}

/* Names are the daemon's: a child has those of its nearest parent of which something was said. */
static void names_are_those_of_the_nearest_parent(void **state)
{
	struct gpd *d = make_daemon();
	int other;
	struct gpd_conn *root = make_conn(d, true, &other);
	struct gpd_attrs attrs;

	parent_of = FIRST;
	assert_int_equal(say(root, FIRST, 12, "realtime"), 0);
	assert_int_equal(say(root, FIRST + 1, 2, "besteffort"), 0);
	assert_int_equal(attrs_of(d, FIRST + 1, &attrs), 0);
	assert_string_equal(attrs.klass, "besteffort");
	assert_int_equal(attrs_of(d, FIRST + 2, &attrs), 0);
	assert_string_equal(attrs.klass, "realtime");
	parent_of = 0;
	assert_int_equal(attrs_of(d, FIRST + 3, &attrs), 0);
	assert_string_equal(attrs.klass, "");
	free_conn(root, other);
	free_daemon(d);
}

static size_t nr_remembered(struct gpd *d)
{
	json_t *all = json_array();
	size_t nr;

	gpd_module_ops.save(d, all);
	nr = json_array_size(all);
	json_decref(all);
	return nr;
}

/* What a user has said of its processes is limited, and does not keep root from saying more. */
static void remembered_processes_have_a_budget(void **state)
{
	struct gpd *d = make_daemon();
	int other[2], i;
	struct gpd_conn *user = make_conn(d, false, &other[0]);
	struct gpd_conn *root = make_conn(d, true, &other[1]);

	for (i = 0; i < REMEMBERED_MAX + 100; i++)
		assert_int_equal(say(user, FIRST + i, 3, "besteffort"), 0);
	assert_int_equal(nr_remembered(d), REMEMBERED_MAX);
	assert_int_equal(say(root, FIRST + i, 3, "besteffort"), 0);
	assert_int_equal(nr_remembered(d), REMEMBERED_MAX + 1);
	free_conn(user, other[0]);
	free_conn(root, other[1]);
	free_daemon(d);
}

/* Return: turns of the loop until all of a list is made. */
static int turns(struct gpd *d, struct gpd_conn *conn, int other, int most)
{
	static char bytes[1 << 16];
	int nr = 0, before;

	while (conn->stream.next) {
		before = fake.nr_gets;
		assert_true(sd_event_run(d->event, 0) >= 0);
		assert_true(fake.nr_gets - before <= most);
		gpd_control_flush(conn);
		while (recv(other, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
			;
		assert_true(++nr < 100 * NR_PROCESSES);
	}
	return nr;
}

static const char *read_all(int fd)
{
	static char text[1 << 16];
	size_t len = 0;
	ssize_t n;

	while (len < sizeof(text) - 1 &&
	       (n = recv(fd, text + len, sizeof(text) - 1 - len, MSG_DONTWAIT)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	return text;
}

/* A turn asks for a few processes. The list is read once, however many turns it takes. */
static void lists_are_made_in_turns(void **state)
{
	struct gpd *d = make_daemon();
	struct gpd_request r = { 0 };
	int other;
	struct gpd_conn *conn = make_conn(d, false, &other);

	fake.nr_listed = NR_PROCESSES;
	gpd_list_processes(conn, &r);
	assert_true(fake.nr_gets <= 8);
	assert_true(turns(d, conn, other, 8) >= NR_PROCESSES / 8);
	assert_int_equal(fake.nr_gets, NR_PROCESSES);
	assert_int_equal(fake.nr_lists, 1);
	free_conn(conn, other);
	free_daemon(d);
}

/* A process may have many parents, of which nothing was said: a turn looks at a few. */
static void parents_are_read_in_turns(void **state)
{
	struct gpd *d = make_daemon();
	struct gpd_request r = { 0 };
	struct gpd_attrs attrs;
	int other[2], before;
	struct gpd_conn *conn = make_conn(d, false, &other[0]);
	struct gpd_conn *root = make_conn(d, true, &other[1]);

	is_deep = true;
	assert_int_equal(say(root, FIRST - 60, 12, "realtime"), 0);
	fake.nr_listed = 20;
	gpd_list_processes(conn, &r);
	while (conn->stream.next) {
		before = fake.nr_reads_of_proc;
		assert_true(sd_event_run(d->event, 0) >= 0);
		assert_true(fake.nr_reads_of_proc - before <= 16);
	}
	assert_true(fake.nr_reads_of_proc > 20 * 60);
	assert_int_equal(attrs_of(d, FIRST, &attrs), 0);
	assert_string_equal(attrs.klass, "realtime");
	assert_non_null(strstr(read_all(other[0]), "\"realtime\""));
	is_deep = false;
	free_conn(conn, other[0]);
	free_conn(root, other[1]);
	free_daemon(d);
}

/* A request as it comes: the priority of a process and of its group. */
static void ask(struct gpd_conn *conn, pid_t pid, u8 prio, bool oneway)
{
	struct gpd_request r = {
		.method = GPD_METHOD_SET_ATTRIBUTES,
		.pid = (uint64_t)pid,
		.oneway = oneway,
		.attributes = { .has = GPREEMPT_ATTR_F_PRIO | GPD_ATTR_GROUP,
				.attr.prio = prio, .group = "g" },
	};

	conn->oneway = oneway;
	gpd_methods_call(conn, &r);
	gpd_control_next(conn);
}

static u8 prio_of(struct gpd *d, pid_t pid)
{
	json_t *all = json_array(), *p;
	json_int_t prio = 0;
	size_t i;

	gpd_module_ops.save(d, all);
	json_array_foreach(all, i, p)
		if (json_integer_value(json_object_get(p, "pid")) == pid)
			prio = json_integer_value(json_object_get(json_object_get(p, "attributes"),
								  "priority"));
	json_decref(all);
	return (u8)prio;
}

static void until_it_has(struct gpd *d, pid_t pid, u8 prio)
{
	int nr = 0;

	while (prio_of(d, pid) != prio) {
		assert_true(++nr < NR_PROCESSES);
		assert_true(sd_event_run(d->event, 0) >= 0);
	}
}

/* Return: turns until the group is changed; in each a few of it are. */
static int turns_of_group(struct gpd *d, struct gpd_conn *conn, int most)
{
	int nr = 0, before;

	while (conn->stream.next) {
		before = fake.nr_sets;
		assert_true(sd_event_run(d->event, 0) >= 0);
		assert_true(fake.nr_sets - before <= most);
		assert_true(++nr < 100 * NR_PROCESSES);
	}
	return nr;
}

static void make_group(struct gpd *d, struct gpd_conn *conn, pid_t nr)
{
	pid_t i;

	for (i = 0; i < nr; i++) {
		ask(conn, FIRST + i, 3, true);
		turns_of_group(d, conn, 4);
	}
}

/* A few processes of it change in a turn; the answer comes when all have. */
static void groups_are_changed_in_turns(void **state)
{
	struct gpd *d = make_daemon();
	char reply[1024] = "";
	int other;
	struct gpd_conn *conn = make_conn(d, false, &other);
	pid_t i;

	make_group(d, conn, NR_PROCESSES);
	fake.nr_sets = 0;
	ask(conn, FIRST + 50, 4, false);
	assert_int_equal(fake.nr_sets, 1);
	assert_int_equal(recv(other, reply, sizeof(reply), MSG_DONTWAIT), -1);
	assert_true(turns_of_group(d, conn, 4) >= NR_PROCESSES / 4);
	assert_int_equal(fake.nr_sets, NR_PROCESSES);
	for (i = 0; i < NR_PROCESSES; i++)
		assert_int_equal(prio_of(d, FIRST + i), 4);
	assert_true(recv(other, reply, sizeof(reply) - 1, MSG_DONTWAIT) > 0);
	assert_non_null(strstr(reply, "\"new\":{"));
	assert_false(conn->waiting);
	free_conn(conn, other);
	free_daemon(d);
}

/* What is said while a group changes is not undone, and what has not changed yet need not. */
static void a_later_word_counts_while_a_group_changes(void **state)
{
	struct gpd *d = make_daemon();
	int other[2];
	struct gpd_conn *user = make_conn(d, false, &other[0]);
	struct gpd_conn *later = make_conn(d, false, &other[1]);

	make_group(d, user, NR_PROCESSES);
	ask(user, FIRST, 4, true);
	until_it_has(d, FIRST + 1, 4);
	assert_int_equal(prio_of(d, FIRST + 90), 3);
	ask(later, FIRST + 90, 5, true);
	turns_of_group(d, user, 8);
	assert_int_equal(prio_of(d, FIRST + 90), 5);
	turns_of_group(d, later, 8);
	assert_int_equal(prio_of(d, FIRST), 5);
	assert_int_equal(prio_of(d, FIRST + 1), 5);
	assert_int_equal(prio_of(d, FIRST + 99), 5);
	/* The connection goes in the middle: so does what is left. */
	ask(user, FIRST, 2, true);
	until_it_has(d, FIRST + 1, 2);
	free_conn(user, other[0]);
	assert_int_equal(prio_of(d, FIRST + 99), 5);
	free_conn(later, other[1]);
	free_daemon(d);
}

/* Every user may ask for all parameters: the module is asked for a few a turn. */
static void parameters_are_read_in_turns(void **state)
{
	struct gpd_request r = { .method = GPD_METHOD_GET_POLICY };
	struct gpd_conn *conn;
	json_t *reply, *all;
	static char text[1 << 15];
	int other, before, nr = 0;
	struct gpd *d;

	has_node = true;
	d = make_daemon();
	conn = make_conn(d, false, &other);
	gpd_methods_call(conn, &r);
	gpd_control_next(conn);
	assert_int_equal(fake.nr_params, 0);
	for (; conn->stream.next; nr++) {
		before = fake.nr_params;
		assert_true(sd_event_run(d->event, 0) >= 0);
		assert_true(fake.nr_params - before <= 4);
		assert_true(nr < 1000);
	}
	assert_true(recv(other, text, sizeof(text) - 1, MSG_DONTWAIT) > 0);
	reply = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
	all = json_object_get(json_object_get(reply, "parameters"), "parameters");
	assert_true(json_array_size(all) > 8);
	assert_int_equal(json_array_size(all), fake.nr_params);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(all, 5), "value")), 77);
	json_decref(reply);
	free_conn(conn, other);
	free_daemon(d);
	has_node = false;
}

/* The list is read once a pass, of which a turn looks up a few processes. */
static void processes_in_cgroups_are_counted_in_turns(void **state)
{
	const struct gp_cgroup_attr said = { .mask = GP_CGROUP_WEIGHT, .weight = 50 };
	struct gpd_cgroup *g;
	struct gpd *d;
	u32 before = 0;

	has_cgroups = true;
	d = make_daemon();
	fake.nr_listed = NR_PROCESSES;
	assert_int_equal(gpd_cgroup_say(d, "/a", &said, 0), 0);
	do {
		assert_true(sd_event_run(d->event, 0) >= 0);
		g = gpd_cgroup_next(d, NULL);
		if (!g)
			continue;
		assert_true(g->nr_counted <= before + 16);
		before = g->nr_counted;
	} while (!g || !g->nr_listed);
	assert_int_equal(g->nr_listed, NR_PROCESSES);
	assert_int_equal(g->left_ns, 0);
	assert_int_equal(fake.nr_lists, 1);
	free_daemon(d);
	has_cgroups = false;
}

static void make_cgroups(struct gpd *d)
{
	const struct gp_cgroup_attr said = { .mask = GP_CGROUP_WEIGHT, .weight = 50 };
	char path[16];
	int i;

	for (i = 0; i < NR_PROCESSES; i++) {
		snprintf(path, sizeof(path), "/a%d", i);
		assert_int_equal(gpd_cgroup_say(d, path, &said, 0), 0);
	}
	gpd_cgroup_changed(d);
	assert_int_equal(fake.nr_uses, NR_PROCESSES);
	fake.nr_uses = 0;
}

/* Every two seconds the module is asked what each cgroup has used, a few a turn. */
static void use_of_cgroups_is_asked_in_turns(void **state)
{
	int before, nr = 0;
	struct gpd *d;

	has_cgroups = true;
	d = make_daemon();
	make_cgroups(d);
	while (fake.nr_uses < NR_PROCESSES) {
		before = fake.nr_uses;
		assert_true(sd_event_run(d->event, UINT64_MAX) >= 0);
		assert_true(fake.nr_uses - before <= 16);
		nr += fake.nr_uses > before;
	}
	/* All of them, each once. */
	assert_int_equal(fake.nr_uses, NR_PROCESSES);
	assert_int_equal(nr, (NR_PROCESSES + 15) / 16);
	free_daemon(d);
	has_cgroups = false;
}

/* So it is for a list. */
static void cgroups_are_listed_in_turns(void **state)
{
	struct gpd_request r = { 0 };
	struct gpd_conn *conn;
	int other, before, nr;
	const char *reply;
	json_t *all;
	struct gpd *d;

	has_cgroups = true;
	d = make_daemon();
	make_cgroups(d);
	conn = make_conn(d, false, &other);
	gpd_cgroup_call_list(conn, &r);
	for (nr = 0; conn->stream.next; nr++) {
		before = fake.nr_uses;
		assert_true(sd_event_run(d->event, 0) >= 0);
		assert_true(fake.nr_uses - before <= 16);
		assert_true(nr < 100 * NR_PROCESSES);
	}
	assert_true(nr >= NR_PROCESSES / 16);
	reply = read_all(other);
	all = json_loads(reply, JSON_DISABLE_EOF_CHECK, NULL);
	assert_int_equal(json_array_size(json_object_get(json_object_get(all, "parameters"),
							 "cgroups")), NR_PROCESSES);
	json_decref(all);
	free_conn(conn, other);
	free_daemon(d);
	has_cgroups = false;
}

/* The module goes in the middle of a pass: it lists no process any more. */
static void cgroups_are_empty_without_the_module(void **state)
{
	const struct gp_cgroup_attr said = { .mask = GP_CGROUP_WEIGHT, .weight = 50 };
	struct gpd_cgroup *g;
	struct gpd *d;

	has_cgroups = true;
	d = make_daemon();
	fake.nr_listed = NR_PROCESSES;
	assert_int_equal(gpd_cgroup_say(d, "/a", &said, 0), 0);
	do {
		assert_true(sd_event_run(d->event, 0) >= 0);
		g = gpd_cgroup_next(d, NULL);
	} while (!g);
	assert_in_range(g->nr_counted, 1, NR_PROCESSES - 1);
	d->config->mechanism = GPD_MECHANISM_USER;
	gpd_module_update(d);
	assert_int_equal(g->nr_listed, 0);
	assert_int_equal(g->nr_counted, 0);
	assert_int_not_equal(g->left_ns, 0);
	free_daemon(d);
	has_cgroups = false;
}

/* A user that removes its cgroups does not use up the line that is logged of a full table. */
static void a_cgroup_that_is_gone_is_no_failure(void **state)
{
	const struct gp_cgroup_attr said = { .mask = GP_CGROUP_WEIGHT, .weight = 50 };
	struct gpd *d;

	has_cgroups = true;
	d = make_daemon();
	fake.cgroup_error = -ENOENT;
	gpd_module_cgroup_tell(d, "/a", &said);
	assert_false(d->module->cgroup_failed);
	fake.cgroup_error = -ENOSPC;
	gpd_module_cgroup_tell(d, "/a", &said);
	assert_true(d->module->cgroup_failed);
	free_daemon(d);
	has_cgroups = false;
}

/* As no share of it holds there: this module is an older one. */
static void settings_of_cgroups_are_refused(void **state)
{
	struct gpd *d = make_daemon();
	struct gpd_request r = { .has = GPD_HAS_CGROUP, .cgroup = "/a",
				 .settings = { .mask = GP_CGROUP_WEIGHT, .weight = 50 } };
	int other;
	struct gpd_conn *conn = make_conn(d, true, &other);
	char reply[512] = "";

	gpd_cgroup_call_set(conn, &r);
	assert_true(recv(other, reply, sizeof(reply) - 1, 0) > 0);
	assert_non_null(strstr(reply, "NotSupported"));
	free_conn(conn, other);
	free_daemon(d);
}

static int count_turn(sd_event_source *s, int fd, uint32_t events, void *data)
{
	eventfd_t value;

	assert_int_equal(eventfd_read(fd, &value), 0);
	++*(int *)data;
	return 0;
}

/* The module has events without end: they are read a few a turn, and root comes first. */
static void events_are_read_behind_root(void **state)
{
	struct gpd *d = make_daemon();
	int root = eventfd(0, EFD_NONBLOCK), served = 0, i;
	struct gpd_conn some = { 0 };
	sd_event_source *source;

	assert_true(sd_event_add_io(d->event, &source, root, EPOLLIN, count_turn, &served) >= 0);
	assert_true(sd_event_source_set_priority(source, GPD_PRIORITY_ROOT) >= 0);
	monitors = &some;
	gpd_module_monitor(d);
	fake.has_events = true;
	for (i = 1; i <= 20; i++) {
		assert_int_equal(sd_event_run(d->event, 0), 1);
		assert_true(fake.nr_reads > 0);
		assert_true(fake.nr_reads <= 2 * i);
		assert_int_equal(eventfd_write(root, 1), 0);
		assert_int_equal(sd_event_run(d->event, 0), 1);
		assert_int_equal(served, i);
	}
	assert_in_range(fake.nr_most, 1, 32);
	monitors = NULL;
	gpd_module_monitor(d);
	sd_event_source_unref(source);
	close(root);
	free_daemon(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wishes_are_passed_on_as_those_of_the_owner),
		cmocka_unit_test(names_are_those_of_the_nearest_parent),
		cmocka_unit_test(remembered_processes_have_a_budget),
		cmocka_unit_test(lists_are_made_in_turns),
		cmocka_unit_test(parents_are_read_in_turns),
		cmocka_unit_test(groups_are_changed_in_turns),
		cmocka_unit_test(a_later_word_counts_while_a_group_changes),
		cmocka_unit_test(parameters_are_read_in_turns),
		cmocka_unit_test(processes_in_cgroups_are_counted_in_turns),
		cmocka_unit_test(use_of_cgroups_is_asked_in_turns),
		cmocka_unit_test(cgroups_are_listed_in_turns),
		cmocka_unit_test(cgroups_are_empty_without_the_module),
		cmocka_unit_test(a_cgroup_that_is_gone_is_no_failure),
		cmocka_unit_test(settings_of_cgroups_are_refused),
		cmocka_unit_test(events_are_read_behind_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
