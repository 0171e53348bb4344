/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The port contract for user space. See port/README.md for what belongs here;
 * the kernel has a file of the same name and the same content.
 */
#ifndef GP_PORT_H
#define GP_PORT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define U64_MAX UINT64_MAX

void *memcpy(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
void *memmove(void *dst, const void *src, size_t n);
int memcmp(const void *a, const void *b, size_t n);
int strcmp(const char *a, const char *b);

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define min(a, b)                         \
	({                                \
		__typeof__(a) min_a = (a); \
		__typeof__(b) min_b = (b); \
		(void)(&min_a == &min_b); \
		min_a < min_b ? min_a : min_b; \
	})
#define max(a, b)                         \
	({                                \
		__typeof__(a) max_a = (a); \
		__typeof__(b) max_b = (b); \
		(void)(&max_a == &max_b); \
		max_a > max_b ? max_a : max_b; \
	})

#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))

/**
 * gp_port_warn() - report a programming error
 * @file: source file
 * @line: source line
 * @cond: text of the condition that held
 *
 * Prints one line to stderr and, unless built with NDEBUG, aborts. Does neither
 * after gp_port_warn_count(): tests of misuse count warnings instead.
 *
 * Context: any.
 */
void gp_port_warn(const char *file, int line, const char *cond);

/**
 * gp_port_warn_count() - count warnings from now on instead of aborting
 *
 * Return: the number of warnings since the last call.
 */
unsigned int gp_port_warn_count(void);

#define GP_PORT_ROW 64

/**
 * gp_port_f32_fma_row() - a row of f32 by the processor's own floating point
 * @d: output: GP_PORT_ROW results, no operand among them
 * @a: bit patterns
 * @b: bit patterns
 * @c: bit patterns
 *
 * @a * @b + @c rounded once, to nearest, denormals kept; _add_row() and _mul_row()
 * likewise. What is NaN is some NaN: the caller knows which it should be.
 *
 * Return: false if it cannot, or if the processor's modes are not the usual ones:
 * @d is as it was. Always false in the kernel.
 */
bool gp_port_f32_fma_row(u32 *d, const u32 *a, const u32 *b, const u32 *c);
bool gp_port_f32_add_row(u32 *d, const u32 *a, const u32 *b);
bool gp_port_f32_mul_row(u32 *d, const u32 *a, const u32 *b);

#define GP_WARN_ON(cond)                                            \
	({                                                          \
		bool gp_warn_hit = !!(cond);                        \
		if (__builtin_expect(gp_warn_hit, 0))               \
			gp_port_warn(__FILE__, __LINE__, #cond);    \
		__builtin_expect(gp_warn_hit, 0);                   \
	})

#endif
