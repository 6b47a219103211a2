#pragma once
/// Counts of the contents of Chakra traces, independent of a run.

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
  /// Adds a rank's file. Throws InputError as read_chakra() does.
  void add_file(std::istream& file, const std::string& path);

  /// Returns one row (name, numbers) for each kind of node present, and one for their dependencies.
  std::vector<std::pair<std::string, std::string>> rows() const;

 private:
  struct Sort {
    std::size_t nodes = 0, moving = 0;  ///< moving: nodes that move bytes
    std::uint64_t bytes = 0, micros = 0;
  };
  void add(const ChakraNode& node);

  std::size_t files_ = 0, nodes_ = 0, on_cpu_ = 0;
  std::size_t dependencies_ = 0, absent_ = 0;
  std::map<ChakraType, Sort> sorts_;
  std::map<std::uint64_t, Sort> collectives_;  ///< collectives that move bytes, by comm_type
  std::map<std::string, std::size_t> groups_;  ///< number of ranks by group name
};

}  // namespace tributary::training
