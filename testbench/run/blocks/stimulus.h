#pragma once
/// Records of generated requests and the answers of the model's own block (docs/block_records.md#stimulus).

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/run/blocks/stimulus/stimulus_source.h"

namespace tributary {

/// Returns the blocks that have stimulus, with their cases.
const std::vector<StimulusBlock>& stimulus_blocks();

struct StimulusSpec {
  std::string block, folder;
  std::string kind = "random";  ///< name of a case
  std::uint64_t count = 1000;   ///< most transactions
  std::uint64_t seed = 1;
  std::vector<std::string> config;  ///< `KEY=VALUE` of the block's configuration
  std::optional<ElementType> type = {};
  std::optional<ReduceOp> op = {};
  std::optional<unsigned> operands = {};
};

/// Writes a record. Returns the number of its transactions. Elaborates a module, so a process can do this once. Throws
/// InputError.
std::uint64_t write_stimulus(const StimulusSpec& spec);

}  // namespace tributary
