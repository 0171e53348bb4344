/* SPDX-License-Identifier: MIT */
/*
 * The kernels of kernels/: X(name, workgroup x, y, groups x, y, n, input, result).
 *
 * Input: what the buffers hold. Result: how it compares with the processor's
 * build: BITS where the source fixes every bit, else within a bound (the math
 * functions of the two libraries are not the same).
 */
#ifndef GP_TEST_ISA_KERNELS_H
#define GP_TEST_ISA_KERNELS_H

/* clang-format off */
#define KERNELS(X) \
	X(add_ints, 64, 1, 2, 1, 100, INTS, BITS) \
	X(copy_bytes, 128, 1, 2, 1, 777, INTS, BITS) \
	X(copy_shorts, 64, 1, 2, 1, 0, INTS, BITS) \
	X(copy_wide, 64, 1, 2, 1, 0, INTS, BITS) \
	X(divide, 64, 1, 2, 1, 0, INTS, BITS) \
	X(divide_long, 64, 1, 1, 1, 0, INTS, BITS) \
	X(philox, 64, 1, 2, 1, 99, INTS, BITS) \
	X(count_bits, 64, 1, 2, 1, 0, INTS, BITS) \
	X(wide_math, 64, 1, 2, 1, 0, INTS, BITS) \
	X(collatz, 64, 1, 2, 1, 200, INTS, BITS) \
	X(gcd, 64, 1, 1, 1, 0, INTS, BITS) \
	X(crc32, 64, 1, 1, 1, 4, INTS, BITS) \
	X(churn, 64, 1, 2, 1, 9, INTS, BITS) \
	X(private_array, 64, 1, 1, 1, 12, INTS, BITS) \
	X(private_bytes, 64, 1, 1, 1, 12, INTS, BITS) \
	X(choices, 64, 1, 2, 1, 0, INTS, BITS) \
	X(short_math, 64, 1, 2, 1, 0, INTS, BITS) \
	X(byte_math, 64, 1, 2, 1, 0, INTS, BITS) \
	X(bit_fields, 64, 1, 2, 1, 0, INTS, BITS) \
	X(reduce, 256, 1, 2, 1, 900, INTS, BITS) \
	X(churn_shared, 128, 1, 2, 1, 7, INTS, BITS) \
	X(scan, 128, 1, 2, 1, 0, INTS, BITS) \
	X(transpose, 16, 8, 2, 2, 32, INTS, BITS) \
	X(sort, 128, 1, 1, 1, 0, INTS, BITS) \
	X(histogram, 128, 1, 2, 1, 700, INTS, BITS) \
	X(stencil, 64, 1, 2, 1, 0, INTS, BITS) \
	X(shared_sizes, 64, 1, 1, 1, 0, INTS, BITS) \
	X(atomics, 64, 1, 2, 1, 1000, INTS, BITS) \
	X(atomics_wide, 64, 1, 1, 1, 0, INTS, BITS) \
	X(compare_swap, 64, 1, 1, 1, 0, INTS, BITS) \
	X(lanes, 64, 1, 1, 1, 0, INTS, BITS) \
	X(add_floats, 64, 1, 2, 1, 100, FLOATS, BITS) \
	X(saxpy, 64, 1, 2, 1, 300, FLOATS, BITS) \
	X(gemm, 16, 16, 2, 1, 24, FLOATS, BITS) \
	X(gemm_tiled, 16, 16, 2, 1, 32, FLOATS, BITS) \
	X(axpy_double, 64, 1, 2, 1, 0, DOUBLES, BITS) \
	X(gemm_double, 8, 8, 1, 1, 12, DOUBLES, BITS) \
	X(axpy_half, 64, 1, 2, 1, 0, HALVES, BITS) \
	X(convolve, 16, 4, 2, 2, 32, FLOATS, BITS) \
	X(sparse, 64, 1, 2, 1, 0, MIXED, BITS) \
	X(mandelbrot, 16, 4, 2, 2, 30, FLOATS, BITS) \
	X(divide_floats, 64, 1, 2, 1, 0, FLOATS, BITS) \
	X(divide_doubles, 64, 1, 1, 1, 0, DOUBLES, BITS) \
	X(convert, 64, 1, 2, 1, 0, FLOATS, BITS) \
	X(round_floats, 64, 1, 2, 1, 0, FLOATS, BITS) \
	X(compare_floats, 64, 1, 2, 1, 0, FLOATS, BITS) \
	X(softmax, 64, 1, 2, 1, 150, FLOATS, NEAR) \
	X(layer_norm, 64, 1, 2, 1, 150, FLOATS, NEAR) \
	X(gelu, 64, 1, 2, 1, 0, FLOATS, NEAR) \
	X(gelu_erf, 64, 1, 2, 1, 0, FLOATS, NEAR) \
	X(silu, 64, 1, 2, 1, 0, FLOATS, NEAR) \
	X(rope, 64, 1, 3, 1, 0, FLOATS, NEAR) \
	X(functions, 64, 1, 2, 1, 0, FLOATS, NEAR) \
	X(functions_double, 64, 1, 1, 1, 0, DOUBLES, NEAR64) \
	X(functions_half, 64, 1, 2, 1, 0, HALVES, NEAR16) \
	X(mfma_f32, 64, 1, 1, 1, 16, FLOATS, BITS) \
	X(mfma_f32_large, 64, 1, 1, 1, 8, FLOATS, BITS) \
	X(mfma_f16, 64, 1, 1, 1, 16, HALVES, BITS) \
	X(mfma_bf16, 64, 1, 1, 1, 32, FLOATS, BITS) \
	X(mfma_i8, 64, 1, 1, 1, 32, INTS, BITS) \
	X(mfma_f64, 64, 1, 1, 1, 8, DOUBLES, BITS)
/* clang-format on */

#endif
