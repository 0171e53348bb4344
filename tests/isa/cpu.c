// SPDX-License-Identifier: MIT
#include "cpu.h"

#include <stdlib.h>
#include <ucontext.h>

#define STACK_BYTES (64u << 10)
#define MAX_ITEMS 1024

unsigned int cpu_local_id(unsigned int dim);
unsigned int cpu_group_id(unsigned int dim);
void cpu_barrier(void);

static struct {
	ucontext_t main;
	ucontext_t item[MAX_ITEMS];
	char *stack;
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
	swapcontext(&cpu.item[cpu.current], &cpu.main);
}

static void item(void)
{
	cpu.kernel(cpu.buffer[0], cpu.buffer[1], cpu.buffer[2], cpu.launch->n);
	cpu.done[cpu.current] = true;
	swapcontext(&cpu.item[cpu.current], &cpu.main);
}

static void run_group(void)
{
	u32 nr = cpu.launch->local[0] * cpu.launch->local[1], k, left = nr;

	for (k = 0; k < nr; k++) {
		getcontext(&cpu.item[k]);
		cpu.item[k].uc_stack.ss_sp = cpu.stack + k * STACK_BYTES;
		cpu.item[k].uc_stack.ss_size = STACK_BYTES;
		makecontext(&cpu.item[k], item, 0);
		cpu.done[k] = false;
	}
	/* From barrier to barrier, all of them. */
	while (left)
		for (k = 0; k < nr; k++) {
			if (cpu.done[k])
				continue;
			cpu.current = k;
			swapcontext(&cpu.main, &cpu.item[k]);
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
