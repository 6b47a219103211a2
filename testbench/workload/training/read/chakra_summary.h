#pragma once
/// Counts of what Chakra traces hold, before any run makes something of them.

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "testbench/workload/training/read/chakra_file.h"

namespace tributary::training {

class ChakraSummary {
 public:
  /// A rank's file. Throws InputError: what read_chakra refuses.
  void add_file(std::istream& file, const std::string& path);

  /// A row for each sort of nodes that there is, and for their dependencies: what it is, and its numbers.
  std::vector<std::pair<std::string, std::string>> rows() const;

 private:
  struct Sort {
    std::size_t nodes = 0, moving = 0;  ///< of these with bytes
    std::uint64_t bytes = 0, micros = 0;
  };
  void add(const ChakraNode& node);

  std::size_t files_ = 0, nodes_ = 0, on_cpu_ = 0;
  std::size_t dependencies_ = 0, absent_ = 0;
  std::map<ChakraType, Sort> sorts_;
  std::map<std::uint64_t, Sort> collectives_;  ///< with bytes, by comm_type
  std::map<std::string, std::size_t> groups_;  ///< their ranks, by name
};

}  // namespace tributary::training
