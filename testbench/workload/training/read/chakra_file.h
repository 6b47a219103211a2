#pragma once
/// Reader of Chakra execution traces: Protocol Buffers messages, each preceded by its length, as written by
/// mlcommons/chakra (schema/protobuf/et_def.proto). Only the fields and attributes that a simulation needs are read; others
/// are skipped.

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace tributary::training {

/// Limits of a trace, which bound the time and memory of its reader.
struct ChakraLimits {
  static constexpr std::size_t message = std::size_t{16} << 20;  ///< bytes of one node
  static constexpr std::size_t name = 200;                       ///< bytes kept of a name
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

/// Returns the name in the schema: COMP_NODE.
const char* name_of(ChakraType type);

/// A named list of ranks; an empty list means all ranks.
struct ChakraGroup {
  std::string name;
  std::vector<std::uint64_t> ranks;
};

struct ChakraNode {
  std::uint64_t id = 0;
  std::uint64_t offset = 0;  ///< offset of the node's length in the file, bytes
  std::string name;          ///< printable in one line
  ChakraType type = ChakraType::invalid;
  bool on_cpu = false;       ///< attribute is_cpu_op
  std::uint64_t micros = 0;  ///< duration
  std::vector<std::uint64_t> data_deps, control_deps;
  std::vector<ChakraGroup> groups;                                  ///< groups of a metadata node
  std::string group;                                                ///< pg_name; empty: all ranks
  bool part_of_dimensions = false;                                  ///< involved_dim excludes some dimensions of the network
  std::optional<std::uint64_t> operations, tensor_bytes;            ///< num_ops, tensor_size
  std::optional<std::uint64_t> type_number, bytes;                  ///< comm_type, comm_size
  std::optional<std::uint64_t> source, destination, tag, priority;  ///< comm_src ... comm_priority

  /// Returns "byte 12: node 5 'conv1'", for error texts.
  std::string place() const;
};

/// Reads the trace from its beginning: the metadata of the file, then the nodes, each passed to `take` in file order.
/// Throws InputError: `path: byte N: what`.
void read_chakra(std::istream& file, const std::string& path, const std::function<void(ChakraNode&&)>& take);

}  // namespace tributary::training
