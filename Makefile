# SPDX-License-Identifier: MIT
#
# A short front to meson; every build is out of tree, under build/.

help:
	@echo 'make demo    inference beside training on a simulated GPU: a table, and out/demo/'
	@echo 'make check   every test and check (FUZZ_SECONDS=30 per fuzz harness)'
	@echo 'make check-kernel  of these, only the real amdkfd on the simulated GPU in a guest'
	@echo 'make check-debug-kernel  the same on a kernel with lockdep, KASAN and kmemleak; slow'
	@echo 'make amdgpu  compile all of amdgpu.ko with the patch, and gpreempt.ko, once; slow'
	@echo 'make soak    preemption in the guest for SOAK_SECONDS=3600; not part of make check'
	@echo 'make bench   measure, and compare with the bounds'
	@echo 'make format  format the C lines that differ from HEAD'
	@echo 'make clean   remove build/ and out/'

deps:
	@tools/deps

demo: deps
	@tools/build gcc
	@tools/demo

check: deps
	@tools/check

check-kernel: deps
	@vehicle/run

check-debug-kernel:
	@tools/deps debug-kernel
	@vehicle/run --kernel debug --planted
	@vehicle/run --kernel debug --variant stock
	@vehicle/run --kernel debug --variant hooks

amdgpu: deps
	@tools/amdgpu

SOAK_SECONDS ?= 3600
soak: deps
	@GP_TEST_SCALE=1 vehicle/run --steady stack_preempt
	@vehicle/run --soak $(SOAK_SECONDS)

bench: deps
	@tools/build gcc-release >&2
	@build/gcc-release/bench/gpreempt-bench $(BENCH_ARGS)

format: deps
	@tools/format

clean:
	rm -rf build out

.PHONY: help deps demo check check-kernel check-debug-kernel amdgpu soak bench format clean
