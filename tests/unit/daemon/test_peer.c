// SPDX-License-Identifier: MIT
/*
 * What a connection is privileged by on a kernel that gives no descriptor of the process that
 * connected: its number may belong to another process when it is looked at.
 */
#include "unit.h"

#include "daemon/gpd_trust.h"
#include "daemon/gpd_util.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#define NOBODY 65534

static bool is_old;	  /* the kernel is one before 6.5 */
static pid_t has_number; /* process that has the number of the peer by now, 0 = the peer */

int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len);

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	int err;

	if (is_old && name == SO_PEERPIDFD) {
		errno = ENOPROTOOPT;
		return -1;
	}
	err = __real_getsockopt(fd, level, name, value, len);
	if (!err && name == SO_PEERCRED && has_number)
		((struct ucred *)value)->pid = has_number;
	return err;
}

/* A process of @uid that closes @other and has the rest, until its parent ends it. */
static pid_t start(int other, uid_t uid)
{
	int ready[2];
	pid_t pid;
	char c = 0;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(other);
		if (uid != getuid() && setresuid(uid, uid, uid))
			_exit(1);
		/* After a change of user, which would end it. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(ready[1], &c, 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static struct gpd_cred look(int fd)
{
	struct gpd *d = calloc(1, sizeof(*d));
	struct gpd_cred cred = { 0 };

	d->config = calloc(1, sizeof(*d->config));
	gpd_config_default(d->config);
	gpd_trust_owner(d, getpid(), getuid(), &d->own);
	assert_int_equal(gpd_auth_peer(d, fd, &cred), 0);
	free(d->config);
	free(d);
	return cred;
}

/* The pair was made by this process: that is the peer. */
static void make_pair(int *pair)
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
}

static void peer_that_has_its_end_is_privileged(void **state)
{
	int pair[2];

	for (is_old = false;; is_old = true) {
		make_pair(pair);
		assert_true(look(pair[0]).privileged);
		close(pair[0]);
		close(pair[1]);
		if (is_old)
			break;
	}
}

static void process_that_has_only_the_number_is_not(void **state)
{
	struct gpd_cred cred;
	int pair[2];

	is_old = true;
	make_pair(pair);
	has_number = start(pair[1], getuid());
	cred = look(pair[0]);
	assert_false(cred.privileged);
	assert_true(cred.owner.is_foreign);
	end(has_number);
	has_number = 0;
	close(pair[0]);
	close(pair[1]);
}

/* A user that was given the socket, and the number, is not root. */
static void process_of_another_user_is_not(void **state)
{
	int pair[2];

	if (getuid())
		skip();
	is_old = true;
	make_pair(pair);
	has_number = start(pair[0], NOBODY);
	assert_false(look(pair[0]).privileged);
	end(has_number);
	/* Control: root that was given both is. */
	has_number = start(pair[0], 0);
	assert_true(look(pair[0]).privileged);
	end(has_number);
	has_number = 0;
	close(pair[0]);
	close(pair[1]);
}

static void peer_that_has_ended_is_not(void **state)
{
	int pair[2];

	is_old = true;
	make_pair(pair);
	has_number = start(pair[0], getuid());
	end(has_number);
	assert_false(look(pair[0]).privileged);
	has_number = 0;
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(peer_that_has_its_end_is_privileged),
		cmocka_unit_test(process_that_has_only_the_number_is_not),
		cmocka_unit_test(process_of_another_user_is_not),
		cmocka_unit_test(peer_that_has_ended_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
