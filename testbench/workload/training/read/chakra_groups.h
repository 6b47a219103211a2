#pragma once
/// Process groups and node types of Chakra traces, in either encoding.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "testbench/workload/training/read/chakra_file.h"

namespace tributary::training {

/// An error within a node; the reader adds the position.
class ChakraFlaw : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parses process groups as written by PyTorch's observer: a JSON text within the text of a Python list, ['[{"pg_name":
/// "0", "ranks": [0, 1], ...}, ...]']. Throws ChakraFlaw.
std::vector<ChakraGroup> process_groups(const std::string& values);

/// Returns a type by its number in the schema. Throws ChakraFlaw.
ChakraType chakra_type(std::uint64_t number);

}  // namespace tributary::training
