#pragma once
/// Machines of a few GPUs, and runs of many seeds in one elaboration: for property tests.

#include <memory>
#include <string>
#include <vector>

#include "platforms/nvswitch/fabric_manager.h"
#include "testbench/run/completion.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Two boards of `gpus` GPUs and one switch per plane, joined by `trunks` links: a DGX-2 in small.
Machine two_boards(unsigned gpus, unsigned planes, unsigned trunks);
/// `gpus` GPUs on one switch per plane.
Machine one_board(unsigned gpus, unsigned planes);
/// `leaves` leaf switches with `gpus` GPUs each, and `spines` spine switches in every plane: three switches on the longest
/// way.
Machine leaf_spine(unsigned leaves, unsigned gpus, unsigned planes, unsigned spines);

/// A machine that runs one collective after another; every run is checked: all done, every element right, nothing left over.
class SmallSystem {
 public:
  SmallSystem(const std::string& name, const Machine& machine, RunSpec spec,
              const ReductionTableFactory& make_table = make_reduction_table, const GpuParts& gpu_parts = {});

  /// One message with the random numbers of `seed`; rank i starts `skew`[i] after the others (missing: at once).
  /// `data_seed`: operands, independent of what decides on timing.
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
