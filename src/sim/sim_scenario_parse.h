/* SPDX-License-Identifier: MIT */
/*
 * Inside of the scenario reader: the state while a text is read, and the key
 * tables of its sections. Private to sim/scenario*.c.
 */
#ifndef GP_SIM_SCENARIO_PARSE_H
#define GP_SIM_SCENARIO_PARSE_H

#include "sim/sim_scenario_value.h"

#define SIM_LINE_MAX 1024
#define SIM_TEXT_MAX (1024 * 1024)
#define SIM_TRACE_MAX 1000000
/* Entries of a runlist that the firmware's model keeps: runlist.c. */
#define SIM_QUEUES_MAX 16384
#define SIM_REQUESTS_MAX 20000000ull
#define SIM_RUN_MAX_NS (3600 * SIM_NS_PER_S)
#define SIM_KERNEL_MAX_NS (1000 * SIM_NS_PER_S)

struct sim_parser;
struct sim_key;

/**
 * struct sim_key - one key of a section
 * @name: name
 * @set: reads the value, which it may change; 0, or what sim_parser_fail() gave
 * @offset: for the generic setters: where the value lives in the section's object
 * @min: smallest legal value
 * @max: largest legal value
 * @is_repeatable: may come more than once in a section
 */
struct sim_key {
	const char *name;
	int (*set)(struct sim_parser *p, const struct sim_key *key, char *value);
	size_t offset;
	u64 min;
	u64 max;
	bool is_repeatable;
};

/* State of the reader. */
struct sim_parser {
	struct sim_scenario *sc;      /* what is being filled */
	const char *file;	      /* for messages and relative names */
	u32 line;		      /* current line, from 1 */
	u32 column;		      /* where in it, from 1; 0 = it is the section as a whole */
	const char *text;	      /* the line itself */
	size_t text_len;	      /* its length */
	u32 nr_errors;		      /* messages so far */
	bool is_section_bad;	      /* one of them is of the current section */
	bool is_skipped;	      /* its header was wrong: its keys are not looked at */
	char *error;		      /* output for the message */
	size_t error_size;	      /* its size */
	const struct sim_key *keys;   /* of the current section; NULL = [params] or none */
	bool in_params;		      /* current section is [params] */
	bool is_profile;	      /* the text is a profile, not a scenario */
	void *object;		      /* what the generic setters write into */
	u64 seen;		      /* keys seen in the current section, by index */
	u32 sections_seen;	      /* sections seen that may come once only, by index */
	u32 section_line;	      /* line of the current section's header */
	struct sim_class_spec *class; /* current class or NULL */
	struct sim_fault_spec *fault; /* current fault or NULL */
	struct sim_cgroup_spec *cgroup; /* current cgroup or NULL */
	/* For each fault the class that it concerns, or "". */
	char fault_class[SIM_MAX_FAULTS][SIM_NAME_MAX];
	u32 fault_line[SIM_MAX_FAULTS]; /* for each fault, the line of its header */
};

/**
 * sim_parser_fail() - say why, with file and line
 * @p: parser
 * @format: as printf
 *
 * Return: -EINVAL.
 */
int sim_parser_fail(struct sim_parser *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Formats a message; anything that could break the line becomes '?'. */
void sim_scenario_say(char *error, size_t error_size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Generic setters: a u64 or a u32 at sim_key.offset of the object, within the range. */
int sim_key_set_bool(struct sim_parser *p, const struct sim_key *key, char *value);
int sim_key_set_u32(struct sim_parser *p, const struct sim_key *key, char *value);
int sim_key_set_u64(struct sim_parser *p, const struct sim_key *key, char *value);
int sim_key_set_duration(struct sim_parser *p, const struct sim_key *key, char *value);
int sim_key_set_percent(struct sim_parser *p, const struct sim_key *key, char *value);

/* Parse a number or duration for @what and hold it against a range. */
int sim_parser_number(struct sim_parser *p, const char *what, const char *text, u64 low, u64 high,
		      u64 *value);
int sim_parser_duration(struct sim_parser *p, const char *what, const char *text, u64 low,
			u64 high, u64 *value);

/* Each ends with a key without a name. */
extern const struct sim_key sim_scenario_keys[];
extern const struct sim_key sim_costs_keys[];
extern const struct sim_key sim_hardware_keys[];
extern const struct sim_key sim_profile_keys[];
extern const struct sim_key sim_fault_keys[];
extern const struct sim_key sim_class_keys[];
extern const struct sim_key sim_cgroup_keys[];

/* What cgroups say of their processes goes to the attributes of classes. */
void sim_share_attrs(struct sim_scenario *sc);

/* A line of [params]. */
int sim_parser_set_param(struct sim_parser *p, const char *name, const char *value);

/* Values of a class's keys "kernel", "mix", "arrival", "cgroup" and "phases". */
int sim_parse_kernel(struct sim_parser *p, const struct sim_key *key, char *value);
int sim_parse_mix(struct sim_parser *p, const struct sim_key *key, char *value);
int sim_parse_arrival(struct sim_parser *p, const struct sim_key *key, char *value);
int sim_parse_cgroup(struct sim_parser *p, const struct sim_key *key, char *value);
int sim_parse_phases(struct sim_parser *p, const struct sim_key *key, char *value);

/**
 * sim_read_text() - read a whole regular file
 * @path: file
 * @limit: largest size accepted
 * @text: output, terminated; the caller frees it
 * @len: output
 *
 * Return: 0, -EFBIG, -EINVAL not a regular file, -ENOMEM, other -errno.
 */
int sim_read_text(const char *path, size_t limit, char **text, size_t *len);

/* Is there an engine of this name? */
bool sim_engine_exists(const char *name);

/* Requests an open generator makes in @duration_ns, about; 0 for a closed loop. */
u64 sim_arrival_estimate(const struct sim_arrival *a, u64 duration_ns);

#endif
