#pragma once
/// Machines of a few GPUs, and runs of many seeds in one elaboration, for property tests.

#include <memory>
#include <string>
#include <vector>

#include "platforms/nvswitch/fabric_manager.h"
#include "testbench/run/completion.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Two boards of `gpus` GPUs and one switch per plane, joined by `trunks` links: a small DGX-2.
Machine two_boards(unsigned gpus, unsigned planes, unsigned trunks);
/// `gpus` GPUs on one switch per plane.
Machine one_board(unsigned gpus, unsigned planes);
/// `leaves` leaf switches with `gpus` GPUs each, and `spines` spine switches in every plane: three switches on the
/// longest path.
Machine leaf_spine(unsigned leaves, unsigned gpus, unsigned planes, unsigned spines);

/// A machine that runs one collective after another. Every run is checked: it completes, every element is right, and
/// nothing is left over.
class SmallSystem {
 public:
  SmallSystem(const std::string& name, const Machine& machine, RunSpec spec,
              const ReductionTableFactory& make_table = make_reduction_table, const GpuParts& gpu_parts = {},
              const CrossbarArbiterFactory& make_arbiter = {});

  /// Runs one message with the random numbers of `seed`; rank i starts `skew`[i] later (missing: 0). `data_seed`:
  /// operands, independent of the numbers that decide on timing.
  void run(Bytes message, std::uint64_t seed, std::uint64_t data_seed, const std::vector<Tick>& skew = {});

  RunSpec spec;
  NvSwitchPlatformParams params;
  Completion completion;
  NvSwitchPlatform system;
  FabricManager fabric;
  ProbeDirectory probes;
  Tick t0 = 0;
};

}  // namespace tributary
