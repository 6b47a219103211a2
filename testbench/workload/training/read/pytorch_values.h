#pragma once
/// Values of a collective in a trace of PyTorch.

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tributary::training {

inline constexpr std::size_t longest_torch_name = 60;

/// Names of the values in one form of trace.
struct TorchKeys {
  const char *collective, *in, *out, *in_parts, *group, *size, *start, *stride, *stream;
};
/// Attributes of a node of an execution trace.
inline constexpr TorchKeys node_keys{"collective_name",
                                     "in_msg_nelems",
                                     "out_msg_nelems",
                                     "in_split_size",
                                     "pg_name",
                                     "pg_size",
                                     "global_rank_start",
                                     "global_rank_stride",
                                     "tid"};
/// Arguments of an event of the profiler.
inline constexpr TorchKeys event_keys{"Collective name",   "In msg nelems",      "Out msg nelems",
                                      "In split size",     "Process Group Name", "Group size",
                                      "Global rank start", "Global rank stride", "stream"};

/// Returns a text as it is, another value as JSON.
std::string torch_text(const nlohmann::json& value);

/// Returns the value at the end of a path of keys, or null.
nlohmann::json torch_value(const nlohmann::json& object, std::initializer_list<const char*> path);

/// Returns the whole number of a key. Throws InputError: `place: what`.
std::uint64_t torch_number(const std::string& place, const nlohmann::json& values, const char* key);

/// Returns the parts of an all-to-all that are sent to each rank: rows of the tensor. Empty: equal parts, or a list that is
/// cut off.
std::vector<std::uint64_t> torch_parts(const nlohmann::json& values, const char* key);

/// Returns the rank that follows the process group in the inputs of a node: the root, or the peer of a send or receive, as a
/// rank of the group.
std::optional<std::uint64_t> torch_rank(const nlohmann::json& node);

/// Returns the values of a collective from the inputs and outputs of its node, by node_keys: schema 1.0.3 records no
/// attributes. Empty: no process group in the inputs.
nlohmann::json torch_inputs(const nlohmann::json& node);

}  // namespace tributary::training
