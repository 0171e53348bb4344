/* SPDX-License-Identifier: MIT */
/*
 * A daemon that says what a test wants it to say. It runs in a thread, takes one
 * connection after the other, and answers the n-th request with the n-th answer.
 */
#ifndef FAKE_DAEMON_H
#define FAKE_DAEMON_H

#include <pthread.h>
#include <stddef.h>

enum fake_kind {
	FAKE_TEXT,	/* the text and a NUL */
	FAKE_PIECES,	/* the same a byte at a time */
	FAKE_BARE,	/* the text without a NUL, then the end of the connection */
	FAKE_CLOSE,	/* the end of the connection */
	FAKE_SILENCE,	/* nothing, until the client goes */
	FAKE_FLOOD,	/* blanks without an end, until the client goes */
};

/**
 * struct fake_answer - to one request
 * @kind: what is done
 * @text: JSON or not
 */
struct fake_answer {
	enum fake_kind kind;
	const char *text;
};

/**
 * struct fake_daemon - the daemon
 * @path: of its socket
 * @dir: where that is
 * @fd: it listens here
 * @thread: it runs there
 * @answers: what it says
 * @nr: how many
 * @requests: what it was asked; malloc'ed
 * @nr_requests: how often
 */
struct fake_daemon {
	char path[64];
	char dir[32];
	int fd;
	pthread_t thread;
	const struct fake_answer *answers;
	size_t nr;
	char *requests[16];
	size_t nr_requests;
};

void fake_start(struct fake_daemon *f, const struct fake_answer *answers, size_t nr);
void fake_stop(struct fake_daemon *f);

#endif
