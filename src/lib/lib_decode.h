/* SPDX-License-Identifier: MIT */
/*
 * From the daemon's JSON to the structs of the library. All of them return 0, or
 * -EPROTO if a value that must be there is not or has another type.
 */
#ifndef GP_LIB_DECODE_H
#define GP_LIB_DECODE_H

#include "gpreempt/gpreempt.h"

#include <jansson.h>

int lib_decode_node(const json_t *in, void *out);
int lib_decode_process(const json_t *in, void *out);
int lib_decode_queue(const json_t *in, void *out);
int lib_decode_total(const json_t *in, void *out);
int lib_decode_event(const json_t *in, void *out);
int lib_decode_stats(const json_t *in, struct gpreempt_stats *s);

/* Those that are valid, as the daemon wants them; NULL = no memory. */
json_t *lib_encode_attr(const struct gpreempt_attr *attr);

/* Numbers that must be there. */
int lib_decode_u64(const json_t *in, const char *key, uint64_t *out);
int lib_decode_u32(const json_t *in, const char *key, uint32_t *out);

/* GPREEMPT_MECH_*; 0 for other names and NULL. */
uint32_t lib_decode_mechanism(const char *name);

/* Text; cut if it is too long, empty if it is null. */
int lib_decode_name(const json_t *in, const char *key, char *out, size_t size);

#endif
