/* SPDX-License-Identifier: MIT */
/*
 * An opcode with the meaning of another, for tools/mutate-isa: linked with --wrap=isa_decode,
 * GP_ISA_MUTANT="NAME OTHER" makes every NAME that is decoded an OTHER, or s_nop without one.
 * GP_ISA_SEEN=FILE writes the names of all opcodes that were decoded.
 */
#ifndef GP_TEST_ISA_MUTATE_H
#define GP_TEST_ISA_MUTATE_H

#include "isa/inst.h"

/* The name of an opcode; NULL: no opcode has this number. */
const char *mutate_name(u32 op);

#endif
