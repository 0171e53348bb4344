// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "fake_daemon.h"

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A release build has no assert(). */
static void must(bool ok)
{
	if (!ok)
		abort();
}

/* Reads one request; NULL if the client has gone. */
static char *read_request(int fd)
{
	size_t len = 0, cap = 1 << 16;
	char *text = malloc(cap);

	while (len < cap && read(fd, text + len, 1) == 1) {
		if (!text[len++])
			return text;
	}
	free(text);
	return NULL;
}

static void wait_until_gone(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLRDHUP };

	poll(&p, 1, 20000);
}

static void flood(int fd)
{
	static char blanks[1 << 16];

	memset(blanks, ' ', sizeof(blanks));
	while (send(fd, blanks, sizeof(blanks), MSG_NOSIGNAL) > 0)
		;
}

/* Is the connection still of use? */
static int answer(int fd, const struct fake_answer *a)
{
	switch (a->kind) {
	case FAKE_TEXT:
		return send(fd, a->text, strlen(a->text) + 1, MSG_NOSIGNAL) > 0;
	case FAKE_PIECES:
		for (size_t i = 0; i <= strlen(a->text); i++)
			send(fd, a->text + i, 1, MSG_NOSIGNAL);
		return 1;
	case FAKE_BARE:
		send(fd, a->text, strlen(a->text), MSG_NOSIGNAL);
		return 0;
	case FAKE_CLOSE:
		return 0;
	case FAKE_SILENCE:
		wait_until_gone(fd);
		return 0;
	case FAKE_FLOOD:
		flood(fd);
		return 0;
	}
	return 0;
}

static void *run(void *arg)
{
	struct fake_daemon *f = arg;
	int fd;

	while ((fd = accept(f->fd, NULL, NULL)) >= 0) {
		char *request;
		int go_on = 1;

		while (go_on && (request = read_request(fd))) {
			must(f->nr_requests < 16);
			f->requests[f->nr_requests++] = request;
			go_on = f->nr_requests <= f->nr &&
				answer(fd, &f->answers[f->nr_requests - 1]);
		}
		close(fd);
	}
	return NULL;
}

void fake_start(struct fake_daemon *f, const struct fake_answer *answers, size_t nr)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	memset(f, 0, sizeof(*f));
	f->answers = answers;
	f->nr = nr;
	strcpy(f->dir, "/tmp/gpfakeXXXXXX");
	must(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/s", f->dir);
	strcpy(addr.sun_path, f->path);
	f->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(!bind(f->fd, (struct sockaddr *)&addr, sizeof(addr)));
	must(!listen(f->fd, 4));
	must(!pthread_create(&f->thread, NULL, run, f));
}

void fake_stop(struct fake_daemon *f)
{
	shutdown(f->fd, SHUT_RDWR);
	pthread_join(f->thread, NULL);
	close(f->fd);
	unlink(f->path);
	rmdir(f->dir);
	for (size_t i = 0; i < f->nr_requests; i++)
		free(f->requests[i]);
}
