#!/usr/bin/env bash
# Builds everything with warnings as errors, and runs all tests but those labelled `nightly`. The last line is `N passed, N failed`.
# usage: scripts/test.sh [--nightly] [argument of ctest...]      --nightly: runs all tests
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

selection=(-LE nightly)
[ "${1:-}" = --nightly ] && { selection=(); shift; }

fail_early() {
  echo "test: $1" >&2
  echo "0 passed, 1 failed"
  exit 1
}

install_packages || fail_early "packages are missing"
# verilator compiles blocks in SystemVerilog; Icarus and Yosys read them.
install_packages verilator || echo "test: verilator cannot be installed: the tests installed.rtl_* are skipped" >&2
install_packages iverilog yosys || echo "test: iverilog or yosys cannot be installed: the tests installed.rtl_* and pins check less" >&2
# tshark reads captures of frames.
install_packages tshark || echo "test: tshark cannot be installed: the test captures is skipped" >&2
# vcd2fst of GTKWave converts waveforms.
install_packages gtkwave || echo "test: gtkwave cannot be installed: the test of waveforms in FST checks the refusal only" >&2
# A Slurm of one node runs a sweep in a test.
install_packages slurm-wlm munge || echo "test: slurm-wlm cannot be installed: the test sweep_slurm is skipped" >&2
# tributary-mpi is built only with an MPI.
install_packages libopenmpi-dev openmpi-bin || echo "test: Open MPI cannot be installed: the test mpi is skipped" >&2
# lintian and mandoc check Debian packages and man pages.
install_packages lintian mandoc || echo "test: lintian or mandoc cannot be installed: the test installed.packages checks less" >&2
# python3-jsonschema validates JSON against the schemas.
install_packages python3-jsonschema || echo "test: python3-jsonschema cannot be installed: the test schemas compares names only" >&2
# Chromium opens pages, and protoc decodes timelines.
install_packages chromium-headless-shell protobuf-compiler ||
  echo "test: chromium-headless-shell or protobuf-compiler cannot be installed: the test drawings checks no page or timeline" >&2
# SimGrid is the reference for rates and ends of flows.
install_packages libsimgrid-dev || echo "test: libsimgrid-dev cannot be installed: the test oracle.simgrid is skipped" >&2
# clang-format and clang-tidy check the sources.
install_packages clang-format clang-tidy || echo "test: clang-format or clang-tidy cannot be installed: the tests format and lint are skipped" >&2
# doxygen makes the API reference.
install_packages doxygen || echo "test: doxygen cannot be installed: the test api_docs is skipped" >&2
mkdir -p "$tributary_root/build" || fail_early "cannot write to $tributary_root/build"
build_preset release || fail_early "the build failed"

log="$tributary_root/build/release/ctest.log"
ctest --test-dir "$tributary_root/build/release" -j2 --output-on-failure --no-tests=error "${selection[@]}" "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}

# ctest sums up as `97% tests passed, 2 tests failed out of 70`.
failed="$(sed -n 's/.*tests passed, \([0-9]*\) tests* failed out of \([0-9]*\)$/\1/p' "$log" | tail -1)"
total="$(sed -n 's/.*tests passed, \([0-9]*\) tests* failed out of \([0-9]*\)$/\2/p' "$log" | tail -1)"
[ -n "$failed" ] || fail_early "ctest found no tests"
skipped="$(grep -c '\*\*\*Skipped' "$log")"
[ "$skipped" = 0 ] || echo "test: $skipped skipped"
echo "$((total - failed - skipped)) passed, $failed failed"
exit "$status"
