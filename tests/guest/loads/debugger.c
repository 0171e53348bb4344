// SPDX-License-Identifier: MIT
/*
 * A debugger on AMD's own library, ROCdbgapi: attaches to a process whose waves run
 * tests/isa/kernels/held.s, stops them where they are, and compares what the library reads of
 * them in the save area with what they have.
 *
 *   debugger PID
 *
 * Prints a line for each thing that is not as it should be, then how many waves, registers and
 * words of LDS it has seen and how many of them differ. The library ends the program by itself
 * where control stack and save area do not add up.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <amd-dbgapi/amd-dbgapi.h>

#include "held.h"

#define LANES 64

/* What was seen. */
static struct {
	unsigned int waves, registers, words, differ;
} seen;

static pid_t target;
static int memory = -1;

static void must(amd_dbgapi_status_t status, const char *what)
{
	const char *text = "unknown";

	if (status == AMD_DBGAPI_STATUS_SUCCESS)
		return;
	amd_dbgapi_get_status_string(status, &text);
	printf("%s: %s\n", what, text);
	/* Else the driver waits for it when the session ends: see detach(). */
	kill(target, SIGKILL);
	exit(1);
}

static amd_dbgapi_status_t get_process_info(amd_dbgapi_client_process_id_t id,
					    amd_dbgapi_client_process_info_t query, size_t size,
					    void *value)
{
	if (query != AMD_DBGAPI_CLIENT_PROCESS_INFO_OS_PID || size != sizeof(target))
		return AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE;
	memcpy(value, &target, size);
	return AMD_DBGAPI_STATUS_SUCCESS;
}

/* The process loads no code objects while it is looked at. */
static amd_dbgapi_status_t insert_breakpoint(amd_dbgapi_client_process_id_t id,
					     amd_dbgapi_global_address_t address,
					     amd_dbgapi_breakpoint_id_t breakpoint)
{
	return AMD_DBGAPI_STATUS_SUCCESS;
}

static amd_dbgapi_status_t remove_breakpoint(amd_dbgapi_client_process_id_t id,
					     amd_dbgapi_breakpoint_id_t breakpoint)
{
	return AMD_DBGAPI_STATUS_SUCCESS;
}

static amd_dbgapi_status_t transfer(amd_dbgapi_client_process_id_t id,
				    amd_dbgapi_global_address_t address, amd_dbgapi_size_t *size,
				    void *to, const void *from)
{
	ssize_t n = to ? pread(memory, to, *size, address) : pwrite(memory, from, *size, address);

	if (n <= 0 && *size)
		return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
	*size = n;
	return AMD_DBGAPI_STATUS_SUCCESS;
}

static void log_message(amd_dbgapi_log_level_t level, const char *message)
{
	printf("ROCdbgapi: %s\n", message);
}

static amd_dbgapi_callbacks_t callbacks = {
	.allocate_memory = malloc,
	.deallocate_memory = free,
	.client_process_get_info = get_process_info,
	.insert_breakpoint = insert_breakpoint,
	.remove_breakpoint = remove_breakpoint,
	.xfer_global_memory = transfer,
	.log_message = log_message,
};

/* One wave, as the library sees it. */
struct wave {
	amd_dbgapi_wave_id_t id;
	amd_dbgapi_process_id_t process;
	uint32_t group[3];
	uint32_t number; /* in the workgroup */
};

static void note(const struct wave *w, bool is_same, const char *fmt, ...)
{
	va_list args;

	if (is_same)
		return;
	va_start(args, fmt);
	printf("wave %u of workgroup %u: ", w->number, w->group[0]);
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
	seen.differ++;
}

static void expect(const struct wave *w, const char *what, unsigned int at, uint32_t got,
		   uint32_t want)
{
	note(w, got == want, "%s %u: 0x%x instead of 0x%x", what, at, got, want);
}

/* Lanes of a register. */
static void look_at_row(const struct wave *w, const char *name, const uint32_t *row)
{
	unsigned int n = atoi(name + 1), i;

	if (*name == 'v' && (n < HELD_FIRST_VGPR || n >= HELD_VGPRS))
		return;
	for (i = 0; i < LANES; i++) {
		uint32_t item = w->number * LANES + i;

		expect(w, name, i, row[i],
		       *name == 'v' ? held_vgpr(n, item) : held_acc_vgpr(n, item));
	}
	seen.registers++;
}

static void look_at_register(const struct wave *w, amd_dbgapi_register_id_t id)
{
	amd_dbgapi_size_t size;
	uint32_t row[LANES];
	char *name;

	must(amd_dbgapi_register_get_info(id, AMD_DBGAPI_REGISTER_INFO_NAME, sizeof(name), &name),
	     "name");
	must(amd_dbgapi_register_get_info(id, AMD_DBGAPI_REGISTER_INFO_SIZE, sizeof(size), &size),
	     name);
	if (strchr("vas", *name) && name[1] >= '0' && name[1] <= '9' && size <= sizeof(row)) {
		unsigned int n = atoi(name + 1);

		must(amd_dbgapi_read_register(w->id, id, 0, size, row), name);
		if (*name != 's') {
			look_at_row(w, name, row);
		} else if (n >= HELD_FIRST_SGPR && n < HELD_SGPRS) {
			expect(w, name, 0, row[0], held_sgpr(n));
			seen.registers++;
		}
	}
	free(name);
}

static void look_at_registers(const struct wave *w)
{
	amd_dbgapi_register_id_t *ids;
	size_t nr, i;

	must(amd_dbgapi_wave_register_list(w->id, &nr, &ids), "registers");
	for (i = 0; i < nr; i++)
		look_at_register(w, ids[i]);
	free(ids);
}

static amd_dbgapi_address_space_id_t find_lds(const struct wave *w)
{
	amd_dbgapi_address_space_id_t *spaces, found = AMD_DBGAPI_ADDRESS_SPACE_NONE;
	amd_dbgapi_architecture_id_t arch;
	size_t nr, i;

	must(amd_dbgapi_wave_get_info(w->id, AMD_DBGAPI_WAVE_INFO_ARCHITECTURE, sizeof(arch),
				      &arch),
	     "architecture");
	must(amd_dbgapi_architecture_address_space_list(arch, &nr, &spaces), "address spaces");
	for (i = 0; i < nr; i++) {
		char *name;

		must(amd_dbgapi_address_space_get_info(spaces[i],
						       AMD_DBGAPI_ADDRESS_SPACE_INFO_NAME,
						       sizeof(name), &name),
		     "address space");
		if (!strcmp(name, "local"))
			found = spaces[i];
		free(name);
	}
	free(spaces);
	return found;
}

static void look_at_lds(const struct wave *w)
{
	uint32_t lds[HELD_LDS_WORDS], i;
	amd_dbgapi_size_t size = sizeof(lds);

	must(amd_dbgapi_read_memory(w->process, w->id, AMD_DBGAPI_LANE_NONE, find_lds(w), 0, &size,
				    lds),
	     "LDS");
	note(w, size == sizeof(lds), "%llu bytes of LDS", (unsigned long long)size);
	for (i = 0; i < size / 4; i++)
		expect(w, "LDS", i, lds[i], held_lds(i));
	seen.words += i;
}

/* It waits in the loop, all its lanes take part. */
static void look_at_place(const struct wave *w)
{
	amd_dbgapi_global_address_t pc, entry;
	amd_dbgapi_dispatch_id_t dispatch;
	uint64_t exec;

	must(amd_dbgapi_wave_get_info(w->id, AMD_DBGAPI_WAVE_INFO_PC, sizeof(pc), &pc), "PC");
	must(amd_dbgapi_wave_get_info(w->id, AMD_DBGAPI_WAVE_INFO_EXEC_MASK, sizeof(exec), &exec),
	     "EXEC");
	must(amd_dbgapi_wave_get_info(w->id, AMD_DBGAPI_WAVE_INFO_DISPATCH, sizeof(dispatch),
				      &dispatch),
	     "dispatch");
	must(amd_dbgapi_dispatch_get_info(dispatch,
					  AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS,
					  sizeof(entry), &entry),
	     "entry");
	note(w, pc - entry - HELD_WAIT < HELD_WAIT_BYTES, "PC 0x%llx, entry 0x%llx",
	     (unsigned long long)pc, (unsigned long long)entry);
	note(w, exec == ~0ull, "EXEC 0x%llx", (unsigned long long)exec);
}

static void look_at_wave(amd_dbgapi_process_id_t process, amd_dbgapi_wave_id_t id)
{
	struct wave w = { .id = id, .process = process };

	must(amd_dbgapi_wave_get_info(id, AMD_DBGAPI_WAVE_INFO_WORKGROUP_COORD, sizeof(w.group),
				      w.group),
	     "workgroup");
	must(amd_dbgapi_wave_get_info(id, AMD_DBGAPI_WAVE_INFO_WAVE_NUMBER_IN_WORKGROUP,
				      sizeof(w.number), &w.number),
	     "wave");
	look_at_place(&w);
	look_at_registers(&w);
	look_at_lds(&w);
	seen.waves++;
}

static void take_events(amd_dbgapi_process_id_t process)
{
	amd_dbgapi_event_kind_t kind;
	amd_dbgapi_event_id_t id;

	for (;;) {
		must(amd_dbgapi_process_next_pending_event(process, &id, &kind), "event");
		if (kind == AMD_DBGAPI_EVENT_KIND_NONE)
			return;
		must(amd_dbgapi_event_processed(id), "event");
	}
}

/* As long as nothing goes forward all queues are suspended. */
static void look_at_waves(amd_dbgapi_process_id_t process)
{
	amd_dbgapi_wave_id_t *waves;
	size_t nr, i;

	must(amd_dbgapi_process_set_progress(process, AMD_DBGAPI_PROGRESS_NO_FORWARD), "progress");
	must(amd_dbgapi_process_wave_list(process, &nr, &waves, NULL), "waves");
	for (i = 0; i < nr; i++)
		must(amd_dbgapi_wave_stop(waves[i]), "stop");
	take_events(process);
	for (i = 0; i < nr; i++)
		look_at_wave(process, waves[i]);
	for (i = 0; i < nr; i++)
		must(amd_dbgapi_wave_resume(waves[i], AMD_DBGAPI_RESUME_MODE_NORMAL,
					    AMD_DBGAPI_EXCEPTION_NONE),
		     "resume");
	free(waves);
	must(amd_dbgapi_process_set_progress(process, AMD_DBGAPI_PROGRESS_NORMAL), "progress");
}

/* The driver asks for a debugger that traces the process. */
static void trace(void)
{
	char path[32];

	if (ptrace(PTRACE_ATTACH, target, 0, 0) || waitpid(target, NULL, 0) != target) {
		perror("ptrace");
		exit(1);
	}
	snprintf(path, sizeof(path), "/proc/%d/mem", target);
	memory = open(path, O_RDWR | O_CLOEXEC);
}

static void nothing(int sig)
{
}

/* On gfx942 the driver's call comes back when there is a signal: docs/upstream-bugs.md. */
static void detach(amd_dbgapi_process_id_t process)
{
	struct sigaction action = { .sa_handler = nothing };

	sigaction(SIGALRM, &action, NULL);
	alarm(1);
	must(amd_dbgapi_process_detach(process), "detach");
}

int main(int argc, char **argv)
{
	amd_dbgapi_process_id_t process;

	if (argc < 2)
		return 2;
	setvbuf(stdout, NULL, _IONBF, 0);
	target = atoi(argv[1]);
	trace();
	amd_dbgapi_set_log_level(AMD_DBGAPI_LOG_LEVEL_WARNING);
	must(amd_dbgapi_initialize(&callbacks), "initialize");
	must(amd_dbgapi_process_attach((amd_dbgapi_client_process_id_t)&target, &process),
	     "attach");
	take_events(process);
	look_at_waves(process);
	printf("seen %u waves, %u registers, %u words of LDS\ndiffer %u\n", seen.waves,
	       seen.registers, seen.words, seen.differ);
	detach(process);
	must(amd_dbgapi_finalize(), "finalize");
	ptrace(PTRACE_DETACH, target, 0, 0);
	printf("detached\n");
	return 0;
}
