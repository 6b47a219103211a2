#include "testbench/cli/explore/explore_example.h"

namespace tributary {

const char* explore_example() {
  return R"(# An exploration: which links and tables of a DGX-2 are worth their price? Run it with
#   tributary explore FILE.yaml --out DIR --jobs 2
explore: 1                                 # version of this form

# Keys that all workloads share are options of `run`, or of `train` with `command: train`, without their dashes.
platform: dgx2
collective: allreduce
algorithm: push
no-data: true
workloads:                                 # at least one; its keys override those above
  small: {size: 64KiB}
  large: {size: 256KiB, parameters: {nvswitch.switch.latency: 150ns}}   # parameters: as with --set

# A variable has `values`, or `from`, `to` and `step` (x2 or +25GB/s). It sets a parameter of the simulator
# (`tributary list parameters --platform dgx2`), an option of the workloads, or nothing: then expressions use it.
variables:
  link: {parameter: nvswitch.link.rate, from: 25GB/s, to: 50GB/s, step: x2}
  table: {parameter: nvswitch.switch.reduction_table.bytes, values: [256B, 512B]}
  factor: {values: [1, 1.5]}

# Parameters that follow from variables.
derived:
  nvswitch.switch.input_buffer: factor * 16B * ceil((190ns * link + 144B) / 16B)

# Expressions have + - * /, min, max, geomean, abs, log2, ceil, numbers with units, variables, names of `let`, and results
# of a workload: large.time, large.algbw, large.wrong, large.energy.total, and other columns of result tables
# (`tributary list results`).
let:
  buffer: factor * 16B * ceil((190ns * link + 144B) / 16B)
  sram: 16 * (table + buffer)              # 16 ports
  both: geomean(small.time, large.time)
constraints:                               # optional
  - sram <= 1MiB
objectives:                                # one to four
  - {minimize: both, name: time}
  - {minimize: sram}
  - {minimize: link}

# grid | sample {points, sequence: sobol or latin} | evolution {population, generations} | halving {start, keep, rungs}
# | bisect {variable, of, keep} | sensitivity {of, design: oat, morris or sobol, points}
method: {kind: grid}
baseline: {link: 25GB/s, table: 256B, factor: 1}   # optional: rows have ratios to it
seed: 1                                    # optional
)";
}

}  // namespace tributary
