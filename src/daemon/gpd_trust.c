// SPDX-License-Identifier: MIT
#include "daemon/gpd_trust.h"
#include "driver/discover.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long a claim waits for that of another user. */
#define CLAIM_NS (60 * GPD_NS_PER_SEC)
/* A queue that the driver showed is taken to be there for this long. */
#define SHOWN_NS GPD_NS_PER_SEC

static const struct gpd_trust_row messages[] = {
	{ "connection", "all users, by its cost",
	  "places of the user; it is privileged only in the namespaces of the daemon, and if it is "
	  "known to be the process that connected",
	  GPD_NEEDS_BUDGET },
	{ "any message", "all users, by its cost",
	  "well-formed; messages a second of the client; processor time of the user",
	  GPD_NEEDS_BUDGET },
	{ "HELLO", "processes less urgent than its attributes",
	  "the process is the one at the other end; attributes above the default need the right",
	  GPD_NEEDS_RIGHT },
	{ "QUEUE_ADD", "less urgent processes on the node",
	  "the driver shows the queue (not on simulated nodes); queues and entities of the user",
	  GPD_NEEDS_DRIVER | GPD_NEEDS_BUDGET },
	{ "QUEUE_REMOVE", "its own process", "the client told the queue", 0 },
	{ "BUSY, IDLE", "less urgent processes on the node",
	  "the driver still shows the queue; edges a second, more are put together",
	  GPD_NEEDS_DRIVER | GPD_NEEDS_BUDGET },
	{ "PROGRESS", "less urgent processes on the node",
	  "the client told the queue; it counts as an edge; it renews a deadline, which needs the "
	  "right",
	  GPD_NEEDS_RIGHT | GPD_NEEDS_BUDGET },
	{ "DONE", "all processes on the node, if the order failed",
	  "the epoch is awaited; failures of two users open the breaker; after failures of one "
	  "user the client is left alone and no room is made for it",
	  GPD_NEEDS_TWO },
	{ "no DONE", "all processes on the node", "as a DONE that failed", GPD_NEEDS_TWO },
	{ "DONE that is late", "all users on the node: nothing is decided before a switch is over",
	  "a client without privileges is waited for four times as long as clients of root need; "
	  "then its order counts as carried out, and for a second, twice as long each time, no "
	  "switch waits for clients of its user",
	  GPD_NEEDS_BUDGET },
	{ "NOTE sees, lease", "its own process", "none: it is only shown", 0 },
	{ "NOTE progress", "its own process", "its member was released", 0 },
	{ "NOTE no progress", "all processes on the node",
	  "its member was released; the driver sees no waves; two users say so, or the user is "
	  "alone on the node: then the node is back when another user comes",
	  GPD_NEEDS_DRIVER | GPD_NEEDS_TWO | GPD_NEEDS_BUDGET },
	{ "NOTE refused", "its own process",
	  "the process is left alone, and no room is made for it", 0 },
	{ "NOTE reset", "all processes on the node",
	  "the client has a queue there; processes of the same user are nudged; processes of "
	  "other users, one a second, if the driver sees no waves of them or two users say so",
	  GPD_NEEDS_DRIVER | GPD_NEEDS_TWO | GPD_NEEDS_BUDGET },
	{ "HTTP (off by default)", "others that ask over HTTP, by its cost",
	  "from this machine, or from where `http_address` can be reached; 16 connections, 8 "
	  "of one address, and the time of one user for all; metrics are made once a second",
	  GPD_NEEDS_BUDGET },
};

/* A method that is not here only looks. */
static const struct gpd_trust_row looks = {
	NULL, "none", "none: every user may look, on its own time", GPD_NEEDS_BUDGET
};

static const struct gpd_trust_row methods[GPD_METHOD_COUNT] = {
	[GPD_METHOD_LIST_PROCESSES] = {
		NULL, "none",
		"every user may look, on its own time; from inside of a container at what it may "
		"touch",
		GPD_NEEDS_BUDGET },
	[GPD_METHOD_LIST_QUEUES] = {
		NULL, "none",
		"every user may look, on its own time; from inside of a container at what it may "
		"touch; addresses in a process are for users that may touch it",
		GPD_NEEDS_OWNER | GPD_NEEDS_BUDGET },
	[GPD_METHOD_SET_ATTRIBUTES] = {
		NULL, "the process, its group, less urgent processes",
		"the process is of the same user; each member of the group by itself; more urgent "
		"than an open class or than before needs the right",
		GPD_NEEDS_OWNER | GPD_NEEDS_RIGHT },
	[GPD_METHOD_SUSPEND] = {
		NULL, "the process", "the process is of the same user; holds of the user",
		GPD_NEEDS_OWNER | GPD_NEEDS_BUDGET },
	[GPD_METHOD_RESUME] = {
		NULL, "the process",
		"the process is of the same user; it ends holds of the same connection and kept "
		"ones of the same user; a privileged connection ends all",
		GPD_NEEDS_OWNER },
	[GPD_METHOD_SET_POLICY] = { NULL, "all users", "privilege", GPD_NEEDS_PRIVILEGE },
	[GPD_METHOD_MONITOR] = {
		NULL, "all users, by its cost",
		"subscriptions of the user; events become text on its time; those that are not "
		"read are dropped; inside of a container those of no process or of one that it may "
		"touch",
		GPD_NEEDS_BUDGET },
	[GPD_METHOD_GET_METRICS] = {
		NULL, "none",
		"every user may look, on its own time; from inside of a container not at series "
		"of users, groups and cgroups",
		GPD_NEEDS_BUDGET },
	[GPD_METHOD_ATTACH] = {
		NULL, "the process, less urgent processes",
		"the process is of the same user; attributes as for SetAttributes; tracers of the "
		"user",
		GPD_NEEDS_OWNER | GPD_NEEDS_RIGHT | GPD_NEEDS_BUDGET },
	[GPD_METHOD_DETACH] = {
		NULL, "the process", "the process is of the same user", GPD_NEEDS_OWNER },
	[GPD_METHOD_RELOAD] = { NULL, "all users", "privilege", GPD_NEEDS_PRIVILEGE },
	[GPD_METHOD_GRANT] = { NULL, "all users", "privilege", GPD_NEEDS_PRIVILEGE },
	[GPD_METHOD_REVOKE] = { NULL, "all users", "privilege", GPD_NEEDS_PRIVILEGE },
	[GPD_METHOD_LIST_GRANTS] = { NULL, "none", "privilege", GPD_NEEDS_PRIVILEGE },
	[GPD_METHOD_LIST_TOTALS] = {
		NULL, "none", "groups of the same account; of all with privilege; on its own time",
		GPD_NEEDS_OWNER | GPD_NEEDS_BUDGET },
	[GPD_METHOD_SET_CGROUP] = { NULL, "all users", "privilege", GPD_NEEDS_PRIVILEGE },
	[GPD_METHOD_LIST_CGROUPS] = { NULL, "none", "privilege", GPD_NEEDS_PRIVILEGE },
};

#define NR_MESSAGES (sizeof(messages) / sizeof(messages[0]))

bool gpd_trust_row(uint32_t index, struct gpd_trust_row *row)
{
	if (index < NR_MESSAGES)
		*row = messages[index];
	else if (index - NR_MESSAGES < GPD_METHOD_COUNT)
		*row = *gpd_trust_method((enum gpd_method)(index - NR_MESSAGES));
	else
		return false;
	if (!row->message)
		row->message = gpd_method_name((enum gpd_method)(index - NR_MESSAGES));
	return true;
}

const struct gpd_trust_row *gpd_trust_method(enum gpd_method method)
{
	return methods[method].affects ? &methods[method] : &looks;
}

/* Return: a namespace of a process, -1 = it cannot be read. */
static int open_namespace(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Return: its number, 0 = it cannot be read. */
static ino_t number_of(int fd)
{
	struct stat st;

	return fd < 0 || fstat(fd, &st) ? 0 : st.st_ino;
}

static void close_namespace(int fd)
{
	if (fd >= 0)
		close(fd);
}

static ino_t namespace_of(pid_t pid, const char *name)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, name);
	return stat(path, &st) ? 0 : st.st_ino;
}

/* Accounts that are not an account of the machine. */
#define ACCOUNT_NAMESPACE ((u64)1 << 32)	/* with the number of one that root made */
#define ACCOUNT_UNKNOWN GP_GROUP_NO_USER	/* it is in no group, and never alone */

/* The outermost namespace of a process that is below the daemon's; -1 = not known. */
static int outermost(pid_t pid, const char *name, ino_t own)
{
	int fd = open_namespace(pid, name);
	int last = -1;

	while (fd >= 0 && number_of(fd) != own) {
		close_namespace(last);
		last = fd;
		fd = ioctl(last, NS_GET_PARENT);
	}
	if (fd < 0) {
		close_namespace(last);
		return -1;
	}
	close(fd);
	return last;
}

/*
 * In a user namespace of its own a user becomes each of its subordinate uids: all that is
 * below the daemon's namespace belongs to the account that made the outermost of them. What root
 * made is an account of its own.
 */
static u64 account_in_user_namespace(const struct gpd *d, pid_t pid)
{
	int fd = outermost(pid, "user", d->own.user_ns);
	u64 account = ACCOUNT_UNKNOWN;
	uid_t uid;

	if (fd >= 0 && !ioctl(fd, NS_GET_OWNER_UID, &uid))
		account = uid ? uid : ACCOUNT_NAMESPACE | number_of(fd);
	close_namespace(fd);
	return account;
}

/*
 * The root of a container without a user namespace becomes each uid there is: the container is
 * one account. Only root makes a pid namespace that belongs to the daemon's user namespace; one
 * that belongs to another was made by the maker of that.
 */
static bool is_of_container(const struct gpd *d, pid_t pid, u64 *account)
{
	int fd = outermost(pid, "pid", d->own.pid_ns);
	int user = fd < 0 ? -1 : ioctl(fd, NS_GET_USERNS);
	bool is_own = user >= 0 && number_of(user) == d->own.user_ns;

	*account = fd < 0 ? ACCOUNT_UNKNOWN : ACCOUNT_NAMESPACE | number_of(fd);
	close_namespace(user);
	close_namespace(fd);
	return fd < 0 || is_own;
}

static u64 account_of(const struct gpd *d, pid_t pid, const struct gpd_owner *owner)
{
	u64 account;

	if (owner->pid_ns != d->own.pid_ns && is_of_container(d, pid, &account))
		return account;
	return owner->user_ns == d->own.user_ns ? owner->uid : account_in_user_namespace(d, pid);
}

void gpd_trust_owner(const struct gpd *d, pid_t pid, uid_t uid, struct gpd_owner *owner)
{
	owner->uid = uid;
	owner->user_ns = namespace_of(pid, "user");
	owner->pid_ns = namespace_of(pid, "pid");
	/* A kernel without namespaces shows none, the daemon's own as little as the peer's. */
	owner->is_foreign = owner->user_ns != d->own.user_ns || owner->pid_ns != d->own.pid_ns;
	owner->account = account_of(d, pid, owner);
}

bool gpd_trust_is_root(const struct gpd_owner *owner)
{
	return !owner->is_foreign && (owner->uid == 0 || owner->uid == geteuid());
}

bool gpd_trust_may_touch(const struct gpd_cred *cred, const struct gpd_owner *owner)
{
	if (cred->privileged)
		return true;
	if (cred->owner.uid != owner->uid)
		return false;
	/* An account may touch what it has in containers, and not the other way round. */
	return !cred->owner.is_foreign ||
	       (cred->owner.user_ns && cred->owner.user_ns == owner->user_ns &&
		cred->owner.pid_ns && cred->owner.pid_ns == owner->pid_ns);
}

bool gpd_trust_may_touch_process(const struct gpd *d, const struct gpd_cred *cred, pid_t pid,
				 uid_t uid)
{
	struct gpd_owner owner;

	gpd_trust_owner(d, pid, uid, &owner);
	return gpd_trust_may_touch(cred, &owner);
}

bool gpd_trust_was_shown(const struct gpd_queue *q, uint64_t now_ns)
{
	return q->seen_ns && now_ns - q->seen_ns < SHOWN_NS;
}

int gpd_trust_shows(struct gpd_queue *q)
{
	uint64_t now_ns = gpd_now_ns();
	struct gpd_proc proc;
	int err;

	if (gpd_trust_was_shown(q, now_ns))
		return 0;
	err = gpd_proc_read(q->client->pid, &proc);
	if (err)
		return err == -ESRCH ? -ENOENT : err;
	if (proc.start_time != q->client->start_time)
		return -ENOENT;
	err = drv_discover_has_queue(NULL, (uint32_t)q->client->pid, q->told.gpu_id,
				     q->told.queue_id);
	if (!err)
		q->seen_ns = now_ns;
	return err;
}

bool gpd_trust_claim(struct gpd_node *n, enum gpd_claim claim, const struct gpd_client *c)
{
	struct gpd_said *said = &n->said[claim];
	uint64_t now_ns = gpd_now_ns();
	bool by_two;

	if (c->user->privileged)
		return true;
	by_two = said->at_ns && said->account != c->owner.account &&
		 now_ns - said->at_ns < CLAIM_NS;
	/* Two have said it once: the next time takes two again. */
	said->account = c->owner.account;
	said->at_ns = by_two ? 0 : now_ns;
	return by_two;
}

enum gp_result gpd_trust_result(struct gpd_member *m, enum gp_result result)
{
	bool failed = result == GP_RESULT_ERROR || (m->wait_release && result == GP_RESULT_BUSY);

	if (!failed || gpd_trust_claim(m->node, GPD_CLAIM_FAILED, m->client))
		return result;
	return m->wait_release ? GP_RESULT_OK : GP_RESULT_BUSY;
}

bool gpd_trust_is_alone(const struct gpd_node *n, const struct gpd_client *c)
{
	const struct gpd_entity *e;

	if (c->owner.account == ACCOUNT_UNKNOWN)
		return false;
	LIST_FOREACH(e, &n->entities, link)
		if (e->group.key.user != c->owner.account)
			return false;
	return true;
}
