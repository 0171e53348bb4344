// SPDX-License-Identifier: MIT
/*
 * Any bytes as a scenario: it is read or refused with one line, never more. What
 * was read is checked as a whole, and its generators are asked for a few times.
 */
#include "sim/sim_arrival.h"
#include "sim/sim_scenario.h"

#include <assert.h>
#include <string.h>

static void check_message(const char *error, size_t size)
{
	assert(memchr(error, '\0', size));
	assert(error[0]);
	for (; *error; error++)
		assert((unsigned char)*error >= ' ' || *error == '\n');
}

static void ask_generators(const struct sim_scenario *sc)
{
	for (u32 i = 0; i < sc->nr_classes; i++) {
		const struct sim_class_spec *c = &sc->classes[i];
		struct sim_arrival_state a;
		u64 last = 0;

		if (c->arrival.kind == SIM_ARRIVAL_CLOSED)
			continue;
		sim_arrival_init(&a, &c->arrival, c->start_ns, 0, sc->seed);
		for (int k = 0; k < 10; k++) {
			u64 next = sim_arrival_next(&a);

			assert(next >= last && next >= c->start_ns);
			last = next;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sim_scenario sc;
	char error[200];

	memset(error, 0x55, sizeof(error));
	if (sim_scenario_parse(&sc, (const char *)data, size, "fuzz/input", error, sizeof(error))) {
		check_message(error, sizeof(error));
		return 0;
	}
	assert(sc.nr_classes && sc.nr_classes <= SIM_MAX_CLASSES);
	if (sim_scenario_validate(&sc, error, sizeof(error)))
		check_message(error, sizeof(error));
	else
		ask_generators(&sc);
	sim_scenario_fini(&sc);
	return 0;
}
