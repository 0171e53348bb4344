// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gt/gt_code.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CODE_OFFSET 256		/* of instructions, from their descriptor */
#define SCRATCH_BYTES (4u << 20)
#define SCRATCH_WAVE_BYTES (64u << 10)
#define RING_PACKETS(q) ((q)->ring_bytes / GPU_AQL_PACKET_BYTES)

static uint8_t *read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *data;

	if (fd < 0)
		gt_skip("%s: %s", path, strerror(errno));
	GT_CHECK(!fstat(fd, &st), "%s", strerror(errno));
	data = malloc(st.st_size);
	GT_CHECK(data && read(fd, data, st.st_size) == st.st_size, "%s", path);
	close(fd);
	return data;
}

static const Elf64_Phdr *segments(const struct gt_code *code, unsigned int *nr)
{
	const Elf64_Ehdr *h = (void *)code->file;

	*nr = h->e_phnum;
	return (void *)(code->file + h->e_phoff);
}

void gt_code_load(struct gt_gpu *gpu, const char *name, struct gt_code *code)
{
	const char *arch = gt_gpu_prop(gpu, "gfx_target_version") >= 90400 ? "gfx942" : "gfx90a";
	const Elf64_Phdr *p;
	uint64_t bytes = 0;
	unsigned int nr, i;
	char path[64];

	snprintf(path, sizeof(path), "/kernels/%s_%s.co", name, arch);
	code->gpu = gpu;
	code->file = read_file(path);
	p = segments(code, &nr);
	for (i = 0; i < nr; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_vaddr + p[i].p_memsz > bytes)
			bytes = p[i].p_vaddr + p[i].p_memsz;
	code->at = gt_alloc(gpu, bytes);
	for (i = 0; i < nr; i++)
		if (p[i].p_type == PT_LOAD)
			memcpy(code->at + p[i].p_vaddr, code->file + p[i].p_offset, p[i].p_filesz);
}

/* Address in the object, 0: no such symbol in that table. */
static uint64_t look_up(const struct gt_code *code, const Elf64_Shdr *table, const char *want)
{
	const Elf64_Ehdr *h = (void *)code->file;
	const Elf64_Shdr *s = (void *)(code->file + h->e_shoff);
	const char *strings = (char *)code->file + s[table->sh_link].sh_offset;
	const Elf64_Sym *sym = (void *)(code->file + table->sh_offset);
	uint64_t i;

	for (i = 0; i < table->sh_size / sizeof(*sym); i++)
		if (!strcmp(strings + sym[i].st_name, want))
			return sym[i].st_value;
	return 0;
}

uint64_t gt_code_find(const struct gt_code *code, const char *name)
{
	const Elf64_Ehdr *h = (void *)code->file;
	const Elf64_Shdr *s = (void *)(code->file + h->e_shoff);
	uint64_t at = 0;
	char want[64];
	int i;

	snprintf(want, sizeof(want), "%s.kd", name);
	for (i = 0; i < h->e_shnum && !at; i++)
		if (s[i].sh_type == SHT_DYNSYM)
			at = look_up(code, &s[i], want);
	GT_CHECK(at, "no kernel %s", name);
	return (uintptr_t)code->at + at;
}

uint64_t gt_code_assemble(struct gt_gpu *gpu, const uint32_t *words, unsigned int nr)
{
	struct gpu_kernel_desc desc = {
		.entry_offset = CODE_OFFSET,
		.rsrc2 = 2 << 1, /* two user SGPRs: the address of the arguments */
		.properties = 1 << 3,
	};
	uint8_t *at = gt_alloc(gpu, CODE_OFFSET + nr * sizeof(*words));

	memcpy(at, &desc, sizeof(desc));
	memcpy(at + CODE_OFFSET, words, nr * sizeof(*words));
	return (uintptr_t)at;
}

/* amd_queue_t of ROCr, from the read pointer on. */
void gt_queue_give_scratch(struct gt_queue *q)
{
	uint64_t base = (uintptr_t)gt_alloc(q->gpu, SCRATCH_BYTES);
	uint32_t waves = SCRATCH_BYTES / SCRATCH_WAVE_BYTES / gt_gpu_prop(q->gpu, "num_xcc");
	struct {
		uint64_t read_dispatch_id;
		uint32_t offset;
		uint32_t tmpring_size;
		uint64_t descriptor[2];
		uint64_t location;
		uint64_t bytes;
	} words = {
		.read_dispatch_id = *q->rptr,
		.tmpring_size = waves | SCRATCH_WAVE_BYTES / 1024 << 12,
		.descriptor = { base | 1ull << 63,
				0xffffffff | (uint64_t)(1u << 19 | 3u << 21 | 1u << 23) << 32 },
		.location = base,
		.bytes = SCRATCH_BYTES,
	};

	memcpy((void *)q->rptr, &words, sizeof(words));
}

void gt_run_create(struct gt_gpu *gpu, const struct launch *launch, struct gt_run *run)
{
	unsigned int i;

	memset(run, 0, sizeof(*run));
	run->gpu = gpu;
	run->launch = *launch;
	for (i = 0; i < 3; i++)
		run->buffer[i] = gt_alloc(gpu, LAUNCH_BUFFER_BYTES);
	run->args = gt_alloc(gpu, 4096);
	run->signal = (void *)(run->args + 64);
}

static void fill(uint32_t *buffer[3], uint64_t seed)
{
	uint64_t random = seed * 2 + 1;
	uint32_t i, k;

	for (i = 0; i < 3; i++)
		for (k = 0; k < LAUNCH_BUFFER_BYTES / 4; k++) {
			random = random * 6364136223846793005ull + 1442695040888963407ull;
			buffer[i][k] = i < 2 ? random >> 32 : 0;
		}
}

void gt_run_fill(struct gt_run *run, uint64_t seed)
{
	fill(run->buffer, seed);
	run->seed = seed;
}

void gt_run_launch(struct gt_run *run, struct gt_queue *q, uint64_t descriptor)
{
	struct gpu_aql_dispatch *p =
		(void *)(q->ring + *q->wptr % RING_PACKETS(q) * GPU_AQL_PACKET_BYTES);
	const struct launch *l = &run->launch;
	struct gpu_aql_dispatch packet = {
		.setup = 2,
		.workgroup_size = { l->local[0], l->local[1], 1 },
		.grid_size = { l->local[0] * l->groups[0], l->local[1] * l->groups[1], 1 },
		.kernel_object = descriptor,
		.kernarg_address = (uintptr_t)run->args,
		.completion_signal = (uintptr_t)run->signal,
	};
	unsigned int i;

	for (i = 0; i < 3; i++)
		run->args[i] = (uintptr_t)run->buffer[i];
	run->args[3] = l->n;
	run->signal->value = 1;
	memcpy((uint8_t *)p + 2, (uint8_t *)&packet + 2, sizeof(packet) - 2);
	/* With an acquire fence of the system's scope: the code may be new. */
	__atomic_store_n(&p->header, GPU_AQL_KERNEL_DISPATCH | GPU_AQL_HEADER_ACQUIRE,
			 __ATOMIC_RELEASE);
	__atomic_store_n(q->wptr, *q->wptr + 1, __ATOMIC_RELEASE);
	gt_queue_ring(q);
}

void gt_run_start(struct gt_run *run, struct gt_queue *q, const struct gt_code *code)
{
	gt_run_launch(run, q, gt_code_find(code, run->launch.name));
}

int gt_run_wait(const struct gt_run *run, unsigned int ms)
{
	uint64_t end = gt_deadline_ns(ms);

	while (run->signal->value) {
		if (gt_now_ns() > end)
			return -ETIMEDOUT;
		gt_sleep_us(100);
	}
	return 0;
}

bool gt_run_is_right(const struct gt_run *run, cpu_kernel *kernel)
{
	uint32_t *want[3];
	bool is_right = true;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		want[i] = malloc(LAUNCH_BUFFER_BYTES);
		GT_CHECK(want[i], "no memory");
	}
	fill(want, run->seed);
	cpu_run(kernel, &run->launch, (void **)want);
	for (i = 0; i < 3; i++) {
		is_right &= !memcmp(want[i], run->buffer[i], LAUNCH_BUFFER_BYTES);
		free(want[i]);
	}
	return is_right;
}
