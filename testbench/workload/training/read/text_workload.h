#pragma once
/// Workload files of ASTRA-sim and SimAI in text form: a line with the kind of parallelism, a line with the number of rows,
/// and a row of twelve columns for each layer (astra-sim/astra-sim, inputs/workload/ASTRA-sim-1.0; read there by
/// workload/Workload.cc, and in mlcommons/chakra by src/converter/text_converter.py).

#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace tributary::training {

/// Limits of a file.
struct TextLimits {
  static constexpr std::size_t rows = 1'000'000;
  static constexpr std::size_t line = 4096;  ///< bytes
  static constexpr std::size_t name = 200;   ///< bytes
};

/// Kind of parallelism: the ranks that join a row's collectives, and the order of its passes.
enum class TextKind : std::uint8_t {
  data,                     ///< DATA: weight gradients over all ranks
  model,                    ///< MODEL: activations and input gradients over all ranks
  data_model,               ///< HYBRID_DATA_MODEL: activations within the first dimension, weight gradients across
  model_data,               ///< HYBRID_MODEL_DATA: weight gradients within the first dimension, activations across
  transformer,              ///< HYBRID_TRANSFORMER: as data_model, but the backward pass waits for each collective
  transformer_recomputing,  ///< HYBRID_TRANSFORMER_FWD_IN_BCKWD: as transformer, with forward passes repeated from
                            ///< checkpoints
  customized,               ///< HYBRID_CUSTOMIZED: a thirteenth column names the kind of each row
  recommendation,           ///< HYBRID_DLRM
  recommendation_enhanced,  ///< HYBRID_DLRM_ENHANCED: row 0 does not wait for its all-to-all in the backward pass
  micro,                    ///< MICRO: collectives alone
};

/// Returns the word of the file.
const std::string& name_of(TextKind kind);

/// The passes of a row.
enum TextPass : std::size_t { text_forward, text_input_gradient, text_weight_gradient, text_passes };

/// Ranks that join a collective: by the kind and the pass, or, in files of SimAI, those that share experts (`_EP`), or those
/// with the same experts (`_DP_EP`).
enum class TextGroup : std::uint8_t { of_pass, experts, same_experts };

struct TextStep {
  std::uint64_t time = 0;  ///< compute time in units of the file
  std::string collective;  ///< name in Tributary; empty: none
  std::uint64_t bytes = 0;
  TextGroup group = TextGroup::of_pass;
};

struct TextRow {
  std::string name;
  std::size_t line = 0;
  std::array<TextStep, text_passes> steps;
  std::uint64_t update = 0;  ///< time, in units of the file
  TextKind kind = TextKind::data;
};

/// Layout of the ranks in the first line of a file of SimAI (aliyun/SimAI, astra-sim/workload/Workload.cc).
struct SimAiLayout {
  std::uint64_t experts = 1;         ///< ep: replicas that share experts
  std::uint64_t stages = 1;          ///< pp
  std::uint64_t virtual_stages = 1;  ///< vpp: the rows contain them
  std::uint64_t micro_batches = 1;   ///< ga: the rows repeat as often
  std::uint64_t all_ranks = 0;       ///< all_gpus; 0: unknown
  std::uint64_t stage_bytes = 0;     ///< pp_comm
};

struct TextWorkload {
  TextKind kind = TextKind::data;
  std::optional<std::uint64_t> model_group;          ///< model_parallel_NPU_group
  std::optional<SimAiLayout> simai;                  ///< none: a file of ASTRA-sim
  std::size_t last_bottom = 0;                       ///< recommendation network: last row before the interaction
  std::vector<std::size_t> checkpoints, initiators;  ///< rows: begin of a repeated forward pass; rows that repeat it
  std::vector<TextRow> rows;
};

/// True if the begin of a file has a kind of parallelism in its first line, or another word in capitals above a number.
bool begins_text_workload(const std::string& begin);

/// Reads a workload. Throws InputError: `path:line: what (legal: ...)`.
TextWorkload read_text_workload(std::istream& file, const std::string& path);

}  // namespace tributary::training
