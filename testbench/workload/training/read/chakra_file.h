#pragma once
/// Nodes of a Chakra execution trace: messages of Protocol Buffers, each behind its length, as mlcommons/chakra writes them
/// (schema/protobuf/et_def.proto). Read is what a simulation needs; other fields and attributes are skipped.

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace tributary::training {

/// What a trace may hold: time and memory of its reader are bounded by these.
struct ChakraLimits {
  static constexpr std::size_t message = std::size_t{16} << 20;  ///< bytes of one node
  static constexpr std::size_t name = 200;                       ///< bytes of a name that are kept
};

/// Types of nodes, numbered as in the schema.
enum class ChakraType : std::uint8_t {
  invalid,
  metadata,
  load,
  store,
  compute,
  send,
  receive,
  collective,
  storage,
  batch,
  checkpoint
};

/// A list of ranks with a name; an empty list is all ranks.
struct ChakraGroup {
  std::string name;
  std::vector<std::uint64_t> ranks;
};

struct ChakraNode {
  std::uint64_t id = 0;
  std::uint64_t offset = 0;  ///< of the node's length in the file, bytes
  std::string name;          ///< fit for one line
  ChakraType type = ChakraType::invalid;
  bool on_cpu = false;       ///< attribute is_cpu_op
  std::uint64_t micros = 0;  ///< duration
  std::vector<std::uint64_t> data_deps, control_deps;
  std::vector<ChakraGroup> groups;  ///< of a metadata node
  std::string group;                ///< pg_name; empty: all ranks
  bool part_of_dimensions = false;  ///< involved_dim names some dimensions of the network, and leaves others out
  std::optional<std::uint64_t> operations, tensor_bytes;            ///< num_ops, tensor_size
  std::optional<std::uint64_t> type_number, bytes;                  ///< comm_type, comm_size
  std::optional<std::uint64_t> source, destination, tag, priority;  ///< comm_src ... comm_priority

  /// "byte 12: node 5 'conv1'", for messages.
  std::string place() const;
};

/// Reads the trace from its begin: the metadata of the file, then nodes, each handed to `take` in the order of the file.
/// Throws InputError: `path: byte N: what`.
void read_chakra(std::istream& file, const std::string& path, const std::function<void(ChakraNode&&)>& take);

}  // namespace tributary::training
