/* SPDX-License-Identifier: MIT */
/*
 * Benches of gpu/ alone, without the simulator around it: save and restore cycles
 * under the state engine, and dispatches under the timed engine.
 */
#ifndef BENCH_GPU_H
#define BENCH_GPU_H

struct bench;

/**
 * bench_gpu() - sim.cycles: save and restore cycles per second
 * @b: run
 *
 * The baseline is the same work without preemption, in as many pieces.
 *
 * Return: 0, -ENOMEM, -ETIME: a fence did not come, -EIO: not every cycle saved.
 */
int bench_gpu(struct bench *b);

/**
 * bench_gpu_dispatches() - gpu.dispatches: dispatches per second, for information
 * @b: run
 *
 * Return: 0, -ENOMEM, -ETIME.
 */
int bench_gpu_dispatches(struct bench *b);

#endif
