// SPDX-License-Identifier: MIT
/*
 * A thread of the application that is cancelled, interrupted or looks at errno: a doorbell
 * store and an ioctl stay what they were, and no lock is left behind.
 */
#define _GNU_SOURCE
#include "rig.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

/* A lock that is never freed: better an end than a test that never ends. */
#define PATIENCE_S 20

static uint32_t first, second;
static int nr_handled;

static void assert_free(void)
{
	assert_int_equal(pthread_mutex_trylock(&shim_self.call_lock), 0);
	pthread_mutex_unlock(&shim_self.call_lock);
	assert_int_equal(pthread_mutex_trylock(&shim_self.lock), 0);
	pthread_mutex_unlock(&shim_self.lock);
}

static void *ring_cancelled(void *arg)
{
	pthread_cancel(pthread_self());
	rig_ring(first);
	return arg;
}

static void *create_cancelled(void *arg)
{
	pthread_cancel(pthread_self());
	rig_create();
	return arg;
}

static void *destroy_cancelled(void *arg)
{
	pthread_cancel(pthread_self());
	rig_destroy(first);
	return arg;
}

/* It was cancelled before the call, which is no place to end at. */
static void run_cancelled(void *(*run)(void *))
{
	pthread_t thread;
	void *result;

	assert_int_equal(pthread_create(&thread, NULL, run, &nr_handled), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_free();
	assert_ptr_equal(result, &nr_handled);
}

static void ring_is_no_place_to_be_cancelled(void **state)
{
	first = rig_create();
	rig_connect();
	rig_drain();
	run_cancelled(ring_cancelled);
	assert_true(rig_has(WIRE_BUSY));
}

static void ioctl_is_no_place_to_be_cancelled(void **state)
{
	first = rig_create();
	rig_connect();
	rig_drain();
	run_cancelled(create_cancelled);
	assert_true(rig_has(WIRE_QUEUE_ADD));
	run_cancelled(destroy_cancelled);
	assert_true(rig_has(WIRE_QUEUE_REMOVE));
}

static void ring_second(int sig)
{
	nr_handled++;
	rig_ring(second);
}

static void interrupt(void)
{
	rig.on_now = NULL;
	raise(SIGUSR1);
}

/* The signal comes while the ring of the first is being told. */
static void handler_of_signals_may_ring(void **state)
{
	struct sigaction sa = { .sa_handler = ring_second }, before;

	nr_handled = 0;
	first = rig_create();
	second = rig_create();
	rig_connect();
	rig_drain();
	sigaction(SIGUSR1, &sa, &before);
	alarm(PATIENCE_S);
	rig.on_now = interrupt;
	rig_ring(first);
	alarm(0);
	sigaction(SIGUSR1, &before, NULL);
	assert_int_equal(nr_handled, 1);
	assert_true(shim_self.queues[first].is_busy);
	assert_true(shim_self.queues[second].is_busy);
	assert_free();
}

static void try_locks(int sig)
{
	nr_handled++;
	assert_free();
}

static void interrupt_call(void)
{
	raise(SIGUSR1);
}

/* It may end the program, or jump: not with a lock. */
static void handler_of_signals_finds_locks_free(void **state)
{
	struct sigaction sa = { .sa_handler = try_locks }, before;

	nr_handled = 0;
	sigaction(SIGUSR1, &sa, &before);
	rig.on_call = interrupt_call;
	first = rig_create();
	assert_int_equal(nr_handled, 1);
	assert_int_equal(rig_update(first, 50, 7), 0);
	assert_int_equal(nr_handled, 2);
	assert_int_equal(rig_destroy(first), 0);
	assert_int_equal(nr_handled, 3);
	sigaction(SIGUSR1, &before, NULL);
}

static void ring_leaves_errno_alone(void **state)
{
	first = rig_create();
	rig_connect();
	/* What is sent now fails. */
	shutdown(rig.daemon, SHUT_RDWR);
	errno = ENOTTY;
	rig_ring(first);
	assert_int_equal(errno, ENOTTY);
	assert_true(shim_self.is_broken);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
		T(ring_is_no_place_to_be_cancelled),
		T(ioctl_is_no_place_to_be_cancelled),
		T(handler_of_signals_may_ring),
		T(handler_of_signals_finds_locks_free),
		T(ring_leaves_errno_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
