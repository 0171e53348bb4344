// SPDX-License-Identifier: MIT
#include "sim/sim_scenario.h"

#include "sim/sim_scenario_parse.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct word {
	const char *text;
	const char *doc;
};

#define X(name, text, doc) { text, doc },

static const struct word mechanisms[] = { SIM_MECHANISMS(X) };
static const struct word detects[] = { SIM_DETECTS(X) };
static const struct word models[] = { SIM_MODELS(X) };

#undef X

/* Return: the index, or as many as there are words if the text is none of them. */
static u32 find_word(const struct word *words, u32 nr, const char *text)
{
	u32 i = 0;

	while (i < nr && strcmp(text, words[i].text))
		i++;
	return i;
}

const char *sim_mechanism_name(enum sim_mechanism m)
{
	return m < SIM_MECH_COUNT ? mechanisms[m].text : "?";
}

const char *sim_mechanism_doc(enum sim_mechanism m)
{
	return m < SIM_MECH_COUNT ? mechanisms[m].doc : "?";
}

int sim_mechanism_parse(const char *text, enum sim_mechanism *m)
{
	u32 i = find_word(mechanisms, SIM_MECH_COUNT, text);

	if (i == SIM_MECH_COUNT)
		return -EINVAL;
	*m = (enum sim_mechanism)i;
	return 0;
}

const char *sim_detect_name(enum sim_detect d)
{
	return d < SIM_DETECT_COUNT ? detects[d].text : "?";
}

const char *sim_detect_doc(enum sim_detect d)
{
	return d < SIM_DETECT_COUNT ? detects[d].doc : "?";
}

int sim_detect_parse(const char *text, enum sim_detect *d)
{
	u32 i = find_word(detects, SIM_DETECT_COUNT, text);

	if (i == SIM_DETECT_COUNT)
		return -EINVAL;
	*d = (enum sim_detect)i;
	return 0;
}

const char *sim_model_name(enum sim_model m)
{
	return m < SIM_MODEL_COUNT ? models[m].text : "?";
}

const char *sim_model_doc(enum sim_model m)
{
	return m < SIM_MODEL_COUNT ? models[m].doc : "?";
}

int sim_model_parse(const char *text, enum sim_model *m)
{
	u32 i = find_word(models, SIM_MODEL_COUNT, text);

	if (i == SIM_MODEL_COUNT)
		return -EINVAL;
	*m = (enum sim_model)i;
	return 0;
}

void sim_scenario_defaults(struct sim_scenario *sc)
{
	memset(sc, 0, sizeof(*sc));
	strcpy(sc->name, "unnamed");
	strcpy(sc->gpu, "mi300x");
	strcpy(sc->engine, "timed");
	strcpy(sc->policy, "prio");
	sc->mechanism = SIM_MECH_CWSR;
	sc->detect = SIM_DETECT_DOORBELL;
	sc->seed = 1;
	sc->nr_gpus = 1;
	sc->has_gangs = true;
	sc->slack_ppm = 30000;
	sc->duration_ns = SIM_NS_PER_S;
	/*
	 * QUE_SLEEP is 0x40, so about 64 us, as Linux 6.12 leaves it
	 * (kfd_packet_manager_v9.c of later ones); how often it comes is an assumption.
	 */
	sc->hardware = (struct sim_hardware){
		.bandwidth_ppm = SIM_PPM_ONE,
		.firmware_ppm = SIM_PPM_ONE,
		.spread_ppm = SIM_UNSET,
		.cold_ns = SIM_UNSET,
		.retry_ns = 64000,
		.retry_ppm = 5000,
		.issue_ppm = SIM_UNSET,
		.memory_ppm = SIM_UNSET,
	};
	sc->costs = (struct sim_costs){
		.fault_ns = 1000,
		.wake_ns = 2000,
		.wake_jitter_ns = 2000,
		.tail_ns = 50000,
		.tail_ppm = 5000,
		.arm_ns = 5000,
		.decide_ns = 300,
		.driver_ns = 1000,
		.fence_ns = 1000,
		.runlist_ns = 1000,
		.irq_ns = 2000,
		.idle_ns = 5000,
		.poll_ns = 5 * SIM_NS_PER_MS,
		.critical_ns = SIM_NS_PER_MS,
		.trigger_ns = 0,
		.block_ns = 20000,
		.block_threshold = 16,
		.block_batch = 8,
	};
}

void sim_scenario_fini(struct sim_scenario *sc)
{
	for (u32 i = 0; i < sc->nr_classes; i++) {
		free(sc->classes[i].kernels);
		free(sc->classes[i].arrival.trace_ns);
	}
	memset(sc, 0, sizeof(*sc));
}

static int read_all(int fd, size_t limit, char **text, size_t *len)
{
	size_t cap = 4096, nr = 0;
	char *mem = malloc(cap + 1);
	int err = -ENOMEM;

	while (mem) {
		ssize_t got = read(fd, mem + nr, cap - nr);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			err = -errno;
			break;
		}
		nr += (size_t)got;
		if (nr > limit) {
			err = -EFBIG;
			break;
		}
		if (!got) {
			mem[nr] = '\0';
			*text = mem;
			*len = nr;
			return 0;
		}
		if (nr == cap) {
			char *more = realloc(mem, 2 * cap + 1);

			if (!more)
				break;
			mem = more;
			cap *= 2;
		}
	}
	free(mem);
	return err;
}

int sim_read_text(const char *path, size_t limit, char **text, size_t *len)
{
	/* Not to hang on a FIFO that has no writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int err;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (S_ISDIR(st.st_mode))
		err = -EISDIR;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	else
		err = read_all(fd, limit, text, len);
	close(fd);
	return err;
}

int sim_scenario_load(struct sim_scenario *sc, const char *path, char *error, size_t error_size)
{
	char *text;
	size_t len;
	int err = sim_read_text(path, SIM_TEXT_MAX, &text, &len);

	if (err == -EINVAL) {
		sim_scenario_say(error, error_size, "%s: not a regular file", path);
		return err;
	}
	if (err == -EFBIG) {
		sim_scenario_say(error, error_size, "%s: larger than 1 MiB", path);
		return -EINVAL;
	}
	if (err) {
		sim_scenario_say(error, error_size, "%s: %s", path, strerror(-err));
		return err;
	}
	err = sim_scenario_parse(sc, text, len, path, error, error_size);
	free(text);
	return err;
}
