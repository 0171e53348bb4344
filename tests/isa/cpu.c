// SPDX-License-Identifier: MIT
#include "cpu.h"

#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

#define STACK_BYTES (64u << 10)
#define MAX_ITEMS 1024

unsigned int cpu_local_id(unsigned int dim);
unsigned int cpu_group_id(unsigned int dim);
void cpu_barrier(void);

/*
 * A context starts each item on a stack of its own; from barrier to barrier a jump is enough,
 * which makes no system call.
 */
static struct {
	jmp_buf main;
	jmp_buf item[MAX_ITEMS];
	ucontext_t start;
	char *stack;
	bool has_begun[MAX_ITEMS];
	bool done[MAX_ITEMS];
	u32 current;
	u32 group[2];
	const struct launch *launch;
	cpu_kernel *kernel;
	void **buffer;
} cpu;

unsigned int cpu_local_id(unsigned int dim)
{
	u32 width = cpu.launch->local[0];

	return dim ? cpu.current / width : cpu.current % width;
}

unsigned int cpu_group_id(unsigned int dim)
{
	return cpu.group[dim];
}

void cpu_barrier(void)
{
	if (!_setjmp(cpu.item[cpu.current]))
		_longjmp(cpu.main, 1);
}

static void item(void)
{
	cpu.kernel(cpu.buffer[0], cpu.buffer[1], cpu.buffer[2], cpu.launch->n);
	cpu.done[cpu.current] = true;
	_longjmp(cpu.main, 1);
}

/* Until its next barrier or its end. */
static void run_item(u32 k)
{
	cpu.current = k;
	if (_setjmp(cpu.main))
		return;
	if (cpu.has_begun[k])
		_longjmp(cpu.item[k], 1);
	cpu.has_begun[k] = true;
	getcontext(&cpu.start);
	cpu.start.uc_stack.ss_sp = cpu.stack + k * STACK_BYTES;
	cpu.start.uc_stack.ss_size = STACK_BYTES;
	makecontext(&cpu.start, item, 0);
	setcontext(&cpu.start);
}

static void run_group(void)
{
	u32 nr = cpu.launch->local[0] * cpu.launch->local[1], k, left = nr;

	for (k = 0; k < nr; k++) {
		cpu.has_begun[k] = false;
		cpu.done[k] = false;
	}
	/* From barrier to barrier, all of them. */
	while (left)
		for (k = 0; k < nr; k++) {
			if (cpu.done[k])
				continue;
			run_item(k);
			left -= cpu.done[k];
		}
}

void cpu_run(cpu_kernel *kernel, const struct launch *l, void *buffer[3])
{
	cpu.launch = l;
	cpu.kernel = kernel;
	cpu.buffer = buffer;
	cpu.stack = malloc((size_t)MAX_ITEMS * STACK_BYTES);
	for (cpu.group[1] = 0; cpu.group[1] < l->groups[1]; cpu.group[1]++)
		for (cpu.group[0] = 0; cpu.group[0] < l->groups[0]; cpu.group[0]++)
			run_group();
	free(cpu.stack);
}
