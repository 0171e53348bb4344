# SPDX-License-Identifier: MIT
#
# A short front to meson; every build is out of tree, under build/.

help:
	@echo 'make demo                inference beside training, simulated: a table, and out/demo/'
	@echo 'make machine-code        a compiled kernel paused on AMD'\''s driver, as a picture'
	@echo 'make check               every test and check'
	@echo 'make check-quick         of these, what to run before each commit: three minutes'
	@echo 'make check-kernel        of these, only the unpatched amdkfd on the simulated GPU in a guest'
	@echo 'make check-clients       Debian'"'"'s HIP, rocRAND and ROCr tests there, alone and preempted; slow'
	@echo 'make check-debug-kernel  it and the patched one, with lockdep, KASAN and kmemleak; slow'
	@echo 'make amdgpu              compile amdgpu.ko with the patch, and gpreempt.ko; slow'
	@echo 'make fuzz                explore with every fuzz harness for FUZZ_SECONDS=60'
	@echo 'make mutate-isa          do the tests notice a wrong opcode? docs/measured/mutation.md; slow'
	@echo 'make soak                preemption in the guest for SOAK_SECONDS=3600'
	@echo 'make bench               measure, and compare with the bounds'
	@echo 'make figures             the same, and write docs/measured/benchmarks.md'
	@echo 'make eval                simulated workloads with bounds, docs/measured/eval.md, out/eval/'
	@echo 'make deb                 Debian packages, in build/deb/'
	@echo 'make rpm                 RPM packages, in build/rpm/'
	@echo 'make check-slurm         the plug-in in a real Slurm on loopback; as root'
	@echo 'make check-slurm-releases  the same in bare Debian 12 and 13; as root, slow'
	@echo 'make check-packages      install, use and purge them in bare Debian 12 and 13; as root'
	@echo 'make check-newcomer      README.md top to bottom, by a user of a bare Debian 12; as root'
	@echo 'make site                README.md and docs/ as a static site, in build/site/'
	@echo 'make measured            write docs/measured/virtual-time.md: the guest in virtual time'
	@echo 'make format              format the C lines that differ from HEAD'
	@echo 'make build-deps          install what bench and an installation need; bench does it by itself'
	@echo 'make deps                install what all others need; they do it by themselves'
	@echo 'make clean               remove build/ and out/'

deps:
	@tools/deps

build-deps:
	@tools/deps build

demo:
	@tools/deps demo
	@tools/build demo
	@tools/demo

machine-code: deps
	@tools/isa-picture

check: deps
	@tools/check

check-quick: deps
	@tools/check --quick

check-kernel: deps
	@vehicle/run

check-clients: deps
	@vehicle/run --suite clients
	@vehicle/run --suite clients --variant hooks

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

FUZZ_SECONDS ?= 60
fuzz: deps
	@tools/build fuzz
	@tools/fuzz $(FUZZ_SECONDS) $(FUZZ)

mutate-isa: deps
	@tools/build gcc
	@tools/mutate-isa --write docs/measured/mutation.md

bench: build-deps
	@tools/build gcc-release >&2
	@build/gcc-release/bench/gpreempt-bench $(BENCH_ARGS)

deb:
	@tools/deps deb
	@tools/deb

check-slurm:
	@tools/deps slurm
	@tools/build gcc
	@GP_SLURM_ARRAY=200 meson test -C build/gcc --print-errorlogs --timeout-multiplier 4 slurm

check-slurm-releases:
	@command -v debootstrap >/dev/null || tools/deps deb
	@GP_SLURM_ARRAY=200 tools/check-slurm-releases

rpm:
	@tools/deps rpm
	@tools/rpm

check-packages: deb
	@tools/check-packages

check-newcomer:
	@command -v debootstrap >/dev/null || tools/deps deb
	@tools/check-newcomer

site:
	@command -v mkdocs >/dev/null || tools/deps site
	@tools/site

measured: deps
	@tools/measured

figures: build-deps
	@tools/figures

eval: build-deps
	@tools/build --programs gcc-release
	@tools/eval --program build/gcc-release/src/cli/gpreempt --document docs/measured/eval.md $(EVAL_ARGS)

format: deps
	@tools/format

clean:
	rm -rf build out

.PHONY: help deps build-deps demo machine-code check check-quick check-kernel check-clients check-debug-kernel amdgpu soak fuzz mutate-isa bench deb rpm check-slurm check-slurm-releases check-packages check-newcomer site measured figures eval format clean
