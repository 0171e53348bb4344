// SPDX-License-Identifier: MIT
/*
 * Memory of the process as the shim reads it: what can be read, what cannot, and how many
 * system calls that takes. They are counted in a child, by ptrace.
 */
#define _GNU_SOURCE
#include "rig.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/shim/shim_sys.h"

#define NR 64
#define PAGE 4096

/* Ordinary words; a page that process_vm_readv() refuses, as it does a device's; and none. */
static uint64_t words[NR];
static uint8_t *closed, *missing;

static struct shim_piece pieces[NR];
static uint64_t to[NR];

static int setup(void **state)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	uint64_t i;

	closed = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
	missing = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
	for (i = 0; i < NR; i++) {
		words[i] = 100 + i;
		((uint64_t *)closed)[i] = 200 + i;
	}
	mprotect(closed, PAGE, PROT_NONE);
	munmap(missing, PAGE);
	memset(to, 0, sizeof(to));
	return 0;
}

static int teardown(void **state)
{
	munmap(closed, PAGE);
	return 0;
}

static void ask(int i, const void *at)
{
	pieces[i] = (struct shim_piece){ (uintptr_t)at, &to[i], sizeof(to[i]), 1 };
}

static void read_ordinary(void)
{
	int i;

	for (i = 0; i < NR; i++)
		ask(i, &words[i]);
	shim_sys_real.read_memory(pieces, NR);
}

static void read_closed(void)
{
	int i;

	for (i = 0; i < NR; i++)
		ask(i, (uint64_t *)closed + i);
	shim_sys_real.read_memory(pieces, NR);
}

static void every_piece_has_its_own_answer(void **state)
{
	static const struct {
		int kind;
		uint64_t value;
	} want[] = { { 0, 100 }, { 1, 201 }, { 0, 102 }, { 2, 0 }, { 1, 204 }, { 0, 105 } };
	int i, nr = sizeof(want) / sizeof(want[0]);

	for (i = 0; i < nr; i++)
		ask(i, want[i].kind == 0 ? (void *)&words[i] :
		       want[i].kind == 1 ? closed + 8 * i : missing + 8 * i);
	shim_sys_real.read_memory(pieces, nr);
	for (i = 0; i < nr; i++) {
		assert_int_equal(pieces[i].error, want[i].kind == 2 ? -EFAULT : 0);
		assert_int_equal(to[i], want[i].value);
	}
}

/* Return: system calls between two marks that are none. */
static int count_calls(void (*fn)(void))
{
	int status, nr = 0, nr_marks = 0;
	bool is_entry = true;
	pid_t pid = fork();

	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			_exit(77);
		raise(SIGSTOP);
		syscall(-1L);
		fn();
		syscall(-1L);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status))
		skip();
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	while (nr_marks < 2) {
		struct __ptrace_syscall_info info;

		assert_int_equal(ptrace(PTRACE_SYSCALL, pid, 0, 0), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSTOPPED(status));
		if (WSTOPSIG(status) != (SIGTRAP | 0x80))
			continue;
		ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info);
		is_entry = info.op == PTRACE_SYSCALL_INFO_ENTRY;
		if (!is_entry)
			continue;
		if (info.entry.nr == (uint64_t)-1)
			nr_marks++;
		else
			nr += nr_marks;
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return nr;
}

/* It was two calls for each word. */
static void ordinary_words_take_one_read(void **state)
{
	read_ordinary();
	assert_int_equal(to[NR - 1], 100 + NR - 1);
	/* And one for the number of the process. */
	assert_int_equal(count_calls(read_ordinary), 2);
}

/* It was seven for each word. */
static void other_words_take_one_read_each(void **state)
{
	read_closed();
	assert_int_equal(to[NR - 1], 200 + NR - 1);
	/* The try, and the file: opened and closed with a look at whose it is. */
	assert_int_equal(count_calls(read_closed), 2 + 2 + NR + 2);
}

static void what_is_read_only_is_not_written(void **state)
{
	uint8_t *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t value = 5, there = 0;

	assert_int_equal(shim_sys_real.write_memory((uintptr_t)&there, &value, 8), 0);
	assert_int_equal(there, 5);
	assert_int_equal(shim_sys_real.write_memory((uintptr_t)page, &value, 8), -EFAULT);
	assert_int_equal(shim_sys_real.write_memory((uintptr_t)missing, &value, 8), -EFAULT);
	munmap(page, PAGE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(every_piece_has_its_own_answer),
		T(ordinary_words_take_one_read),
		T(other_words_take_one_read_each),
		T(what_is_read_only_is_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
