// SPDX-License-Identifier: MIT
/* The scenario language: what it means, and what it refuses with which words. */
#include "test_support.h"

#include "sim/sim_scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define US 1000ull
#define MS 1000000ull
#define S 1000000000ull

static char error[512];

static int parse(struct sim_scenario *sc, const char *text)
{
	return sim_scenario_parse(sc, text, strlen(text), "dir/t.scn", error, sizeof(error));
}

static void parse_ok(struct sim_scenario *sc, const char *text)
{
	if (parse(sc, text))
		fail_msg("%s", error);
}

static void names_go_both_ways(void **state)
{
	enum sim_mechanism m;
	enum sim_detect d;

	for (u32 i = 0; i < SIM_MECH_COUNT; i++) {
		const char *name = sim_mechanism_name((enum sim_mechanism)i);

		assert_int_equal(sim_mechanism_parse(name, &m), 0);
		assert_int_equal(m, i);
	}
	for (u32 i = 0; i < SIM_DETECT_COUNT; i++) {
		assert_int_equal(sim_detect_parse(sim_detect_name((enum sim_detect)i), &d), 0);
		assert_int_equal(d, i);
	}
	assert_int_equal(sim_mechanism_parse("CWSR", &m), -EINVAL);
	assert_int_equal(sim_detect_parse("", &d), -EINVAL);
}

static void little_is_needed(void **state)
{
	struct sim_scenario sc;

	parse_ok(&sc, "[class a]\nkernel = 1ms");
	assert_string_equal(sc.name, "t");
	assert_string_equal(sc.gpu, "mi300x");
	assert_string_equal(sc.policy, "prio");
	assert_int_equal(sc.mechanism, SIM_MECH_CWSR);
	assert_int_equal(sc.detect, SIM_DETECT_DOORBELL);
	assert_int_equal(sc.duration_ns, S);
	assert_int_equal(sc.costs.poll_ns, 5 * MS);
	assert_int_equal(sc.costs.block_threshold, 16);
	assert_int_equal(sc.nr_classes, 1);
	assert_int_equal(sc.classes[0].attr.prio, GP_PRIO_DEFAULT);
	assert_int_equal(sc.classes[0].attr.weight, GP_WEIGHT_DEFAULT);
	assert_int_equal(sc.classes[0].arrival.kind, SIM_ARRIVAL_CLOSED);
	assert_int_equal(sc.classes[0].arrival.concurrency, 1);
	assert_true(sc.classes[0].stop_ns == U64_MAX);
	assert_int_equal(sc.classes[0].kernels[0].fill_ppm, 1000000);
	assert_int_equal(sc.classes[0].kernels[0].workgroup_size, 256);
	assert_int_equal(sim_scenario_validate(&sc, error, sizeof(error)), 0);
	sim_scenario_fini(&sc);
}

static void every_key_lands_where_it_belongs(void **state)
{
	struct sim_scenario sc;

	parse_ok(&sc,
		 "# a comment\r\n"
		 "[scenario]\n"
		 "\tname = all-keys\n"
		 "title = Caf\xc3\xa9 # not part of it\n"
		 "gpu=tiny\nengine = state\npolicy = fair\nmechanism = cwsr-queue\n"
		 "detect = critical\nseed = 99\nduration = 250 ms\nslots = 4\n"
		 "slack = 2.5%\n"
		 "[gpu]\n"
		 "contention = yes\nissue = 20%\nmemory = 1000%\n"
		 "[costs]\n"
		 "fault = 1ns\nwake = 2ns\nwake-jitter = 3ns\ndecide = 4ns\ndriver = 5ns\n"
		 "fence = 6ns\nrunlist = 7ns\nirq = 8ns\nidle = 9ns\npoll = 10us\ncritical = 11us\n"
		 "trigger = 12us\nblock-latency = 13ns\nblock-threshold = 14\nblock-batch = 15\n"
		 "[class x]\n"
		 "priority = 12\nlatency-critical = yes\nweight = 300\nslice = 2ms\n"
		 "deadline = 30ms\nprocesses = 2\nqueues = 2\narrival = uniform 100/s\n"
		 "start = 10ms\nstop = 200ms\nlaunch = 5us\n"
		 "elastic = always\nleast-cus = 8\nmost-cus = 1024\nreserve = 40\n"
		 "kernel = 20ms x 2 fill 12.5% size 64 vgprs 32 lds 4K\n"
		 "kernel = endless grid 7\n");
	assert_string_equal(sc.name, "all-keys");
	assert_string_equal(sc.title, "Caf\xc3\xa9");
	assert_string_equal(sc.engine, "state");
	assert_int_equal(sc.detect, SIM_DETECT_CRITICAL);
	assert_int_equal(sc.seed, 99);
	assert_int_equal(sc.duration_ns, 250 * MS);
	assert_int_equal(sc.nr_slots, 4);
	assert_int_equal(sc.slack_ppm, 25000);
	assert_true(sc.hardware.has_contention);
	assert_int_equal(sc.hardware.issue_ppm, 200000);
	assert_int_equal(sc.hardware.memory_ppm, 10000000);
	assert_int_equal(sc.costs.fault_ns, 1);
	assert_int_equal(sc.costs.trigger_ns, 12 * US);
	assert_int_equal(sc.costs.block_batch, 15);
	assert_int_equal(sc.classes[0].attr.prio, 12);
	assert_true(sc.classes[0].attr.latency_critical);
	assert_int_equal(sc.classes[0].attr.deadline_ns, 30 * MS);
	assert_int_equal(sc.classes[0].arrival.period_ns, 10 * MS);
	assert_int_equal(sc.classes[0].stop_ns, 200 * MS);
	assert_int_equal(sc.classes[0].launch_ns, 5 * US);
	assert_int_equal(sc.classes[0].elastic.mode, GP_ELASTIC_ALWAYS);
	assert_int_equal(sc.classes[0].elastic.floor, 8);
	assert_int_equal(sc.classes[0].elastic.ceiling, 1024);
	assert_int_equal(sc.classes[0].reserve, 40);
	assert_int_equal(sc.classes[0].nr_kernels, 3);
	assert_int_equal(sc.classes[0].kernels[1].fill_ppm, 125000);
	assert_int_equal(sc.classes[0].kernels[1].lds_bytes, 4096);
	assert_true(sc.classes[0].kernels[2].endless);
	assert_int_equal(sc.classes[0].kernels[2].workgroups, 7);
	assert_int_equal(sc.classes[0].kernels[2].fill_ppm, 0);
	sim_scenario_fini(&sc);
}

static void arrivals_are_read(void **state)
{
	struct sim_scenario sc;

	parse_ok(&sc, "[class a]\nkernel=1ms\narrival = closed 3 think 2ms\n"
		      "[class b]\nkernel=1ms\narrival = poisson every 4ms\n"
		      "[class c]\nkernel=1ms\narrival = burst 4 every 200ms gap 5ms\n"
		      "[class d]\nkernel=1ms\narrival = uniform 0.5/s\n"
		      "[class e]\nkernel=1ms\narrival = closed think 1us\n");
	assert_int_equal(sc.classes[0].arrival.concurrency, 3);
	assert_int_equal(sc.classes[0].arrival.think_ns, 2 * MS);
	assert_int_equal(sc.classes[1].arrival.kind, SIM_ARRIVAL_POISSON);
	assert_int_equal(sc.classes[1].arrival.period_ns, 4 * MS);
	assert_int_equal(sc.classes[2].arrival.burst, 4);
	assert_int_equal(sc.classes[2].arrival.burst_gap_ns, 5 * MS);
	assert_int_equal(sc.classes[3].arrival.period_ns, 2 * S);
	assert_int_equal(sc.classes[4].arrival.concurrency, 1);
	assert_int_equal(sc.classes[4].arrival.think_ns, US);
	sim_scenario_fini(&sc);
}

static void a_mix_is_its_kernels(void **state)
{
	struct sim_scenario sc;
	u64 sum = 0;

	parse_ok(&sc, "[class a]\nkernel = 1ms\nmix = vgg scale 0.5\n");
	assert_int_equal(sc.classes[0].nr_kernels, 72);
	for (u32 i = 1; i < 72; i++)
		sum += sc.classes[0].kernels[i].duration_ns;
	assert_in_range(sum, 2647 * US - 100, 2647 * US + 100);
	sim_scenario_fini(&sc);
}

static void faults_are_sorted_and_find_their_class(void **state)
{
	struct sim_scenario sc;

	parse_ok(&sc, "[fault]\nat = 5ms\nkind = refuse\narg = b\n"
		      "[fault]\nat = 1ms\nkind = lose-fence\n"
		      "[fault]\narg = 3\nat = 3ms\nkind = result-busy\n"
		      "[class a]\nkernel = 1ms\n[class b]\nkernel = 1ms\n");
	assert_int_equal(sc.nr_faults, 3);
	assert_int_equal(sc.faults[0].kind, GPU_FAULT_LOSE_FENCE);
	assert_int_equal(sc.faults[0].arg, 1);
	assert_int_equal(sc.faults[1].kind, GPU_FAULT_COUNT + GP_RESULT_BUSY);
	assert_int_equal(sc.faults[1].arg, 3);
	assert_int_equal(sc.faults[2].at_ns, 5 * MS);
	assert_int_equal(sc.faults[2].arg, 1);
	sim_scenario_fini(&sc);
}

static void parameters_take_durations_and_numbers(void **state)
{
	struct sim_scenario sc;

	parse_ok(&sc, "[params]\nhysteresis_ns = 20us\nmin_run_ns = 500\n"
		      "fair.granularity_ns = 1ms\n[class a]\nkernel = 1ms\n");
	assert_int_equal(sc.nr_params, 3);
	assert_string_equal(sc.params[0].name, "hysteresis_ns");
	assert_int_equal(sc.params[0].value, 20 * US);
	assert_int_equal(sc.params[1].value, 500);
	assert_int_equal(sc.params[2].value, MS);
	sim_scenario_fini(&sc);
}

/* Every line that is wrong is named, with its number and a reason. */
static const struct {
	const char *text;
	const char *message;	/* after "dir/t.scn" */
} malformed[] = {
	{ "", ": no [class]" },
	{ "name = x\n", ":1: 'name' comes before the first section" },
	{ "[scenario\n", ":1: ']' is missing" },
	{ "[]\n", ":1: a section has a name" },
	{ "[cost]\n", ":1: no section [cost]; did you mean costs?" },
	{ "[scenario x]\n", ":1: one name too many in the section's header" },
	{ "[scenario]\n[scenario]\n", ":2: section [scenario] comes twice" },
	{ "[scenario]\nhello\n", ":2: neither '[section]' nor 'key = value'" },
	{ "[scenario]\nspeed = 3\n", ":2: no key 'speed' here; did you mean seed?" },
	{ "[scenario]\nseed =\n", ":2: 'seed' has no value" },
	{ "[scenario]\nseed = 1\nseed = 2\n", ":3: 'seed' comes twice" },
	{ "[scenario]\nseed = -1\n", ":2: seed: '-1' is not a whole number" },
	{ "[scenario]\nseed = 99999999999999999999\n",
	  ":2: seed: 99999999999999999999 is out of range, 0 to 9223372036854775807" },
	{ "[scenario]\ngpu = h100\n", ":2: no gpu 'h100'; see gpreempt sim list" },
	{ "[scenario]\npolicy = best\n", ":2: no policy 'best'; see gpreempt sim list" },
	{ "[scenario]\nengine = steam\n", ":2: no engine 'steam'; see gpreempt sim list" },
	{ "[scenario]\nmechanism = magic\n", ":2: no mechanism 'magic'; see gpreempt sim list" },
	{ "[scenario]\ndetect = luck\n", ":2: no detect 'luck'; see gpreempt sim list" },
	{ "[scenario]\nduration = 2h\n", ":2: duration: 2h is out of range, 1us to 3600s" },
	{ "[scenario]\nduration = 20\n", ":2: duration: '20' is not a duration such as 20ms" },
	{ "[scenario]\nslots = 33\n", ":2: slots: 33 is out of range, 1 to 32" },
	{ "[scenario]\nname = a b\n",
	  ":2: name: 1 to 63 letters, digits, '.', '_' or '-' are legal" },
	{ "[costs]\npoll = 0\n", ":2: poll: 0 is out of range, 1us to 10s" },
	{ "[costs]\nblock-threshold = 0\n", ":2: block-threshold: 0 is out of range, 1 to 4096" },
	{ "[params]\nluck = 3\n", ":2: no parameter 'luck'; see gpreempt sim params" },
	{ "[params]\nhysteresis_ns = 1s\nhysteresis_ns = 1s\n", ":3: 'hysteresis_ns' comes twice" },
	{ "[params]\nhysteresis_ns = soon\n",
	  ":2: hysteresis_ns: 'soon' is not a duration such as 20ms" },
	{ "[class]\n", ":1: class: a name of 1 to 63 letters, digits, '.', '_', '-'" },
	{ "[class a]\n", ":1: class 'a' has no kernel" },
	{ "[class a]\nkernel = 1ms\n[class a]\n", ":3: class 'a' comes twice" },
	{ "[class a]\npriority = 16\n", ":2: priority: 16 is out of range, 0 to 15" },
	{ "[class a]\nlatency-critical = maybe\n", ":2: latency-critical: yes or no" },
	{ "[class a]\nelastic = maybe\n", ":2: elastic: off, auto or always" },
	{ "[class a]\nreserve = 1025\n", ":2: reserve: 1025 is out of range, 1 to 1024" },
	{ "[class a]\nweight = 0\n", ":2: weight: 0 is out of range, 1 to 10000" },
	{ "[class a]\nkernel = 1ms\nstart = 2ms\nstop = 1ms\n",
	  ":1: class 'a' starts when it has stopped" },
	{ "[class a]\nkernel = 0ms\n", ":2: kernel: 0ms is out of range, 100ns to 1000s" },
	{ "[class a]\nkernel = 1001s\n", ":2: kernel: 1001s is out of range, 100ns to 1000s" },
	{ "[class a]\nkernel = 1ms x 0\n", ":2: x: 0 is out of range, 1 to 512" },
	{ "[class a]\nkernel = 1ms fill\n", ":2: kernel: 'fill' has no value" },
	{ "[class a]\nkernel = 1ms fill 50\n", ":2: fill: '50' is not a share such as 50%" },
	{ "[class a]\nkernel = 1ms fill 0%\n", ":2: fill: 0% is out of range, 0.0001% to 1600%" },
	{ "[class a]\nkernel = 1ms fill 5% grid 3\n",
	  ":2: kernel: fill and grid exclude each other" },
	{ "[class a]\nkernel = 1ms size 64 size 64\n", ":2: kernel: 'size' comes twice" },
	{ "[class a]\nkernel = 1ms lds 65K\n", ":2: lds: 65K is out of range, 0 to 64K" },
	{ "[class a]\nkernel = 1ms speed 9\n",
	  ":2: kernel: 'speed' is none of x, to, fill, grid, size, vgprs, lds" },
	{ "[class a]\nkernel = 5ms to 1ms\n", ":2: to: 1ms is out of range, 5ms to 1000s" },
	{ "[class a]\nkernel = endless to 1ms\n",
	  ":2: kernel: an endless one has no other length" },
	{ "[class a]\nphases = 1s\n", ":2: phases: 'TIME SHARE, TIME SHARE, ...'" },
	{ "[class a]\nphases = 1s 50%, 1s x\n",
	  ":2: phases: 'x' is not a share from 0% to 10000%" },
	{ "[class a]\nhint = maybe\n", ":2: hint: yes or no" },
	{ "[gpu]\nspread = 101%\n", ":2: spread: 101% is out of range, 0% to 100%" },
	{ "[gpu]\nissue = 1001%\n", ":2: issue: 1001% is out of range, 0% to 1000%" },
	{ "[gpu]\nbandwidth = 4\n", ":2: bandwidth: '4' is not a share such as 50%" },
	{ "[gpu]\nspeed = 4\n", ":2: no key 'speed' here; did you mean spread?" },
	{ "[scenario]\nmodel = true\n", ":2: no model 'true'; see gpreempt sim list" },
	{ "[class a]\nkernel = 1ms x 300\nkernel = 1ms x 300\n",
	  ":3: a request has more than 512 kernels" },
	{ "[class a]\nmix = gpt\n", ":2: mix: no mix 'gpt'; see gpreempt sim list" },
	{ "[class a]\nmix = vgg fast\n", ":2: mix: only 'scale FACTOR' may follow the name" },
	{ "[class a]\nmix = vgg scale 0\n", ":2: mix: scale: '0' is out of range, 0.001 to 1000" },
	{ "[class a]\narrival = often\n",
	  ":2: arrival: 'often' is none of closed, uniform, poisson, burst, trace" },
	{ "[class a]\narrival = uniform\n",
	  ":2: arrival: a rate such as 100/s, or 'every DURATION'" },
	{ "[class a]\narrival = uniform 100\n", ":2: arrival: '100' is not a rate such as 100/s" },
	{ "[class a]\narrival = uniform 0/s\n",
	  ":2: arrival: 0/s is out of range, 0.0003/s to 1000000/s" },
	{ "[class a]\narrival = uniform 1/s x\n", ":2: arrival: 'x' is one word too many" },
	{ "[class a]\narrival = closed 0\n", ":2: arrival: closed: 0 is out of range, 1 to 256" },
	{ "[class a]\narrival = burst 4\n", ":2: arrival: 'every DURATION' is missing" },
	{ "[class a]\narrival = burst 4 every 10ms gap 5ms\n",
	  ":2: arrival: the burst lasts longer than its period" },
	{ "[class a]\narrival = trace\n", ":2: arrival: 'trace' has no file" },
	{ "[class a]\narrival = trace nowhere.txt\n",
	  ":2: nowhere.txt: No such file or directory" },
	{ "[fault]\nkind = hang\n", ":1: fault: 'at' is missing" },
	{ "[fault]\nat = 1ms\n", ":1: fault: 'kind' is missing" },
	{ "[fault]\nat = 1ms\nkind = bored\n",
	  ":3: kind: no fault 'bored'; see docs/guide/scenario.md" },
	{ "[fault]\nat = 1ms\nkind = refuse\narg = b\n[class a]\nkernel = 1ms\n",
	  ":1: fault: arg: 'b' is not a class" },
	{ "[fault]\nat = 1ms\nkind = slow\narg = 0\n[class a]\nkernel = 1ms\n",
	  ":1: fault: arg: slow takes a factor of at least 1" },
	{ "[scenario]\ntitle = a\x01z\n", ":2: control character 0x01" },
	{ "[scenario]\ntitle = a\x7fz\n", ":2: control character 0x7f" },
};

/* The first message without its column and without what is shown below it. */
static const char *first_message(void)
{
	static char text[sizeof(error)];
	char *column;

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(error, "\n"), error);
	column = strchr(text, ':');
	column = column ? strchr(column + 1, ':') : NULL;
	if (column && strspn(column + 1, "0123456789"))
		memmove(column, strchr(column + 1, ':'), strlen(strchr(column + 1, ':')) + 1);
	return text;
}

static void malformed_text_is_refused_with_line_and_reason(void **state)
{
	for (u32 i = 0; i < ARRAY_SIZE(malformed); i++) {
		struct sim_scenario sc;
		char want[300];

		snprintf(want, sizeof(want), "dir/t.scn%s", malformed[i].message);
		assert_int_equal(parse(&sc, malformed[i].text), -EINVAL);
		assert_string_equal(first_message(), want);
	}
}

static void everything_wrong_is_told_with_its_place(void **state)
{
	struct sim_scenario sc;

	assert_int_equal(parse(&sc, "[scenario]\n  seed = -1 # no\n[claas a]\nkernel = 1ms\n"
				    "[class b]\n\tkernel = soon\n[class c]\n"), -EINVAL);
	assert_string_equal(error, "dir/t.scn:2:10: seed: '-1' is not a whole number\n"
				   "      seed = -1 # no\n"
				   "             ^\n"
				   "dir/t.scn:3:1: no section [claas]; did you mean class?\n"
				   "    [claas a]\n"
				   "    ^\n"
				   "dir/t.scn:6:11: kernel: 'soon' is not a duration such as 20ms\n"
				   "     kernel = soon\n"
				   "              ^\n"
				   "dir/t.scn:7: class 'c' has no kernel");
}

static void ten_messages_are_enough(void **state)
{
	static char much[4096];
	char text[512] = "[scenario]\n", *found;
	struct sim_scenario sc;
	u32 nr = 0;

	for (u32 i = 0; i < 30; i++)
		strcat(text, "x\n");
	assert_int_equal(sim_scenario_parse(&sc, text, strlen(text), "f", much, sizeof(much)),
			 -EINVAL);
	for (found = much; (found = strstr(found, "neither")); found++)
		nr++;
	assert_int_equal(nr, 10);
}

static void nul_bytes_and_long_lines_are_refused(void **state)
{
	static char text[2 * 1024 * 1024];
	struct sim_scenario sc;

	assert_int_equal(sim_scenario_parse(&sc, "[scenario]\n\0", 12, "f", error, sizeof(error)),
			 -EINVAL);
	assert_string_equal(first_message(), "f:2: control character 0x00");
	memset(text, 'x', sizeof(text));
	assert_int_equal(sim_scenario_parse(&sc, text, 1024, "f", error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "f:1: line longer than 1023 bytes");
	assert_int_equal(sim_scenario_parse(&sc, text, sizeof(text), "f", error, sizeof(error)),
			 -EINVAL);
	assert_string_equal(error, "f: larger than 1 MiB");
}

static void messages_fit_any_buffer(void **state)
{
	struct sim_scenario sc;
	char tiny[8];

	assert_int_equal(sim_scenario_parse(&sc, "x", 1, "a\nb", error, sizeof(error)), -EINVAL);
	assert_memory_equal(error, "a?b:1:1: ", 9);
	assert_int_equal(sim_scenario_parse(&sc, "x", 1, "file", tiny, sizeof(tiny)), -EINVAL);
	assert_int_equal(strlen(tiny), 7);
	assert_int_equal(sim_scenario_parse(&sc, "x", 1, "file", NULL, 0), -EINVAL);
}

static const struct {
	const char *text;
	const char *message;
} impossible[] = {
	{ "[class a]\nprocesses = 16000\nkernel = 1ms\n[class b]\nprocesses = 500\nkernel = 1ms\n",
	  "16500 queues on a GPU, at most 16384" },
	{ "[class a]\nphases = 1s 10%\nkernel = 1ms\n", "class a: a closed loop has no phases" },
	{ "[scenario]\ndetect = manual\n[class a]\nkernel = 1ms\n",
	  "detection mode manual needs a trigger in [costs]" },
	{ "[scenario]\nmechanism = cwsr-queue\n[class a]\nprocesses = 25\nkernel = 1ms\n",
	  "mechanism cwsr-queue needs a slot per queue: 25 queues, 24 slots" },
	{ "[class a]\nkernel = 1ms size 1024 vgprs 512\n",
	  "class a: kernel 1: a workgroup of 1024 with 512 vgprs does not fit a CU of mi300x" },
	{ "[scenario]\nduration = 1h\n[class a]\nkernel = 1us\narrival = uniform 100000/s\n",
	  "class a: about 360000001 requests, at most 20000000" },
};

static void impossible_scenarios_are_refused_as_a_whole(void **state)
{
	for (u32 i = 0; i < ARRAY_SIZE(impossible); i++) {
		struct sim_scenario sc;

		parse_ok(&sc, impossible[i].text);
		assert_int_equal(sim_scenario_validate(&sc, error, sizeof(error)), -EINVAL);
		assert_string_equal(error, impossible[i].message);
		sim_scenario_fini(&sc);
	}
}

static void changes_after_reading_are_checked(void **state)
{
	struct sim_scenario sc;

	parse_ok(&sc, "[class a]\nkernel = 1ms\n");
	strcpy(sc.gpu, "h100");
	assert_int_equal(sim_scenario_validate(&sc, error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "no gpu 'h100'; see gpreempt sim list");
	strcpy(sc.gpu, "tiny");
	sc.duration_ns = 0;
	assert_int_equal(sim_scenario_validate(&sc, error, sizeof(error)), -EINVAL);
	sc.duration_ns = S;
	assert_int_equal(sim_scenario_validate(&sc, error, sizeof(error)), 0);
	sim_scenario_fini(&sc);
}

static void write_text(const char *dir, const char *name, const char *text, char *path)
{
	FILE *f;

	snprintf(path, 256, "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void a_trace_is_found_beside_the_scenario(void **state)
{
	char dir[] = "/tmp/gp-scenario-XXXXXX";
	char scn[256], times[256];
	struct sim_scenario sc;

	assert_non_null(mkdtemp(dir));
	write_text(dir, "t.scn", "[class a]\nkernel = 1ms\narrival = trace my times.txt\n", scn);
	write_text(dir, "my times.txt", "# arrivals\n0\n1500 # ns\n\n2ms\r\n2ms\n1s\n", times);
	if (sim_scenario_load(&sc, scn, error, sizeof(error)))
		fail_msg("%s", error);
	assert_int_equal(sc.classes[0].arrival.nr_trace, 5);
	assert_int_equal(sc.classes[0].arrival.trace_ns[1], 1500);
	assert_int_equal(sc.classes[0].arrival.trace_ns[4], S);
	sim_scenario_fini(&sc);

	write_text(dir, "my times.txt", "2ms\n1ms\n", times);
	assert_int_equal(sim_scenario_load(&sc, scn, error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "t.scn:3:11: my times.txt:2: times ascend"));
	write_text(dir, "my times.txt", "soon\n", times);
	assert_int_equal(sim_scenario_load(&sc, scn, error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "my times.txt:1: not a time such as 20ms"));
	write_text(dir, "my times.txt", "0\n", times);
	assert_int_equal(sim_scenario_load(&sc, scn, error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "no arrival after 0"));
	unlink(times);
	unlink(scn);
	rmdir(dir);
}

static void files_that_cannot_be_read_say_why(void **state)
{
	struct sim_scenario sc;

	assert_int_equal(sim_scenario_load(&sc, "/nonexistent.scn", error, sizeof(error)), -ENOENT);
	assert_string_equal(error, "/nonexistent.scn: No such file or directory");
	assert_int_equal(sim_scenario_load(&sc, "/tmp", error, sizeof(error)), -EISDIR);
	assert_int_equal(sim_scenario_load(&sc, "/dev/null", error, sizeof(error)), -EINVAL);
	assert_string_equal(error, "/dev/null: not a regular file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_go_both_ways),
		cmocka_unit_test(little_is_needed),
		cmocka_unit_test(every_key_lands_where_it_belongs),
		cmocka_unit_test(arrivals_are_read),
		cmocka_unit_test(a_mix_is_its_kernels),
		cmocka_unit_test(faults_are_sorted_and_find_their_class),
		cmocka_unit_test(parameters_take_durations_and_numbers),
		cmocka_unit_test(everything_wrong_is_told_with_its_place),
		cmocka_unit_test(ten_messages_are_enough),
		cmocka_unit_test(malformed_text_is_refused_with_line_and_reason),
		cmocka_unit_test(nul_bytes_and_long_lines_are_refused),
		cmocka_unit_test(messages_fit_any_buffer),
		cmocka_unit_test(impossible_scenarios_are_refused_as_a_whole),
		cmocka_unit_test(changes_after_reading_are_checked),
		cmocka_unit_test(a_trace_is_found_beside_the_scenario),
		cmocka_unit_test(files_that_cannot_be_read_say_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
