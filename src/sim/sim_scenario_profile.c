// SPDX-License-Identifier: MIT
/*
 * Keys of the section [profile]: a GPU that no table has, as gpreempt calibrate writes it. It
 * begins as one of the table's.
 */
#include "sim/sim_scenario_parse.h"

#include <string.h>

#define MAX_BANDWIDTH 100000000u /* bytes in a microsecond */
#define MAX_CLOCK_KHZ 10000000u
#define NAME "measured"

static int set_base(struct sim_parser *p, const struct sim_key *key, char *value)
{
	const struct gpu_profile *base = gpu_profile_find(value);

	if (!base)
		return sim_parser_fail(p, "no gpu '%.40s'; see gpreempt sim list", value);
	if (p->seen & (p->seen - 1))
		return sim_parser_fail(p, "base: it comes first, the others change it");
	p->sc->profile = *base;
	p->sc->profile.name = NAME;
	p->sc->has_profile = true;
	strcpy(p->sc->gpu, NAME);
	return 0;
}

/* A key of something that has no base is not meant for it. */
static int check_base(struct sim_parser *p)
{
	return p->sc->has_profile ? 0 : sim_parser_fail(p, "'base = GPU' comes first");
}

static int set_u32(struct sim_parser *p, const struct sim_key *key, char *value)
{
	int err = check_base(p);

	return err ? err : sim_key_set_u32(p, key, value);
}

static int set_u64(struct sim_parser *p, const struct sim_key *key, char *value)
{
	int err = check_base(p);

	return err ? err : sim_key_set_u64(p, key, value);
}

static int set_duration(struct sim_parser *p, const struct sim_key *key, char *value)
{
	int err = check_base(p);

	return err ? err : sim_key_set_duration(p, key, value);
}

static int set_spread(struct sim_parser *p, const struct sim_key *key, char *value)
{
	int err = check_base(p);
	u64 ppm;

	if (err)
		return err;
	if (sim_value_percent(value, &ppm) || ppm > SIM_PPM_ONE)
		return sim_parser_fail(p, "spread: '%.40s' is not a share up to 100%%", value);
	p->sc->profile.spread_ppm = (u32)ppm;
	return 0;
}

#define AT(member) .offset = offsetof(struct gpu_profile, member)

const struct sim_key sim_profile_keys[] = {
	{ .name = "base", .set = set_base },
	{ "xccs", set_u32, AT(nr_xcc), 1, GPU_MAX_XCC },
	{ "engines", set_u32, AT(se_per_xcc), 1, 32 },
	{ "cus", set_u32, AT(cu_per_xcc), 1, GPU_MAX_CU_PER_XCC },
	{ "slots", set_u32, AT(nr_slots), 1, GPU_MAX_SLOTS },
	{ "bandwidth", set_u64, AT(cwsr_bytes_per_us), 1, MAX_BANDWIDTH },
	{ "unmap", set_duration, AT(unmap_ns), 0, SIM_NS_PER_S },
	{ "map", set_duration, AT(map_ns), 0, SIM_NS_PER_S },
	{ "map-queue", set_duration, AT(map_queue_ns), 0, SIM_NS_PER_S },
	{ "packet", set_duration, AT(packet_ns), 0, SIM_NS_PER_S },
	{ "hqd", set_duration, AT(hqd_ns), 0, SIM_NS_PER_S },
	{ .name = "spread", .set = set_spread },
	{ "clock-khz", set_u32, AT(clock_khz), 1000, MAX_CLOCK_KHZ },
	{ .name = NULL },
};
