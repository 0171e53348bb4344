/* SPDX-License-Identifier: MIT */
/*
 * Code objects: those of kernels.s that the build has made, and where they are in memory.
 */
#ifndef GP_KIT_CODE_H
#define GP_KIT_CODE_H

#include "kit/kit_gpu.h"

/* A code object of this program. The table ends with arch NULL; it may be empty. */
struct kit_object {
	const char *arch; /* "gfx942" */
	const u8 *bytes;
	u32 nr_bytes;
};

extern const struct kit_object kit_objects[];

/* A loaded one. */
struct kit_code {
	const u8 *file;
	u64 file_bytes;
	u8 *at; /* where its address 0 is */
};

/* The object for a GPU of this name, or NULL: the build had no LLVM that knows it. */
const struct kit_object *kit_object_find(const char *arch);

/**
 * kit_code_load() - bring a code object into the memory of a GPU
 * @gpu: GPU
 * @object: what
 * @code: output
 *
 * Return: 0, -ENOEXEC it is no code object, -errno.
 */
int kit_code_load(struct kit_gpu *gpu, const struct kit_object *object, struct kit_code *code);

/* Address of a kernel's descriptor, 0 = there is no such kernel. */
u64 kit_code_find(const struct kit_code *code, const char *kernel);

#endif
