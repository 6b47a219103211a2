#pragma once
/// Counts of the contents of Chakra traces, independent of a run.

#include <cstdint>
#include <istream>
#include <map>
#include <set>
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
  /// Adds the groups of a file of their own.
  void add_groups(const std::vector<ChakraGroup>& groups, const std::string& path);

  /// Returns one row (name, numbers) for each kind of node present, and one for their dependencies.
  std::vector<std::pair<std::string, std::string>> rows() const;
  /// Returns the reason why no run accepts the process groups: a group that nothing lists, or a rank without a file. Empty
  /// if there is none.
  std::string refusal() const;

 private:
  struct Sort {
    std::size_t nodes = 0, moving = 0;  ///< moving: nodes that move bytes
    std::uint64_t bytes = 0, micros = 0;
  };
  void add(const ChakraNode& node);
  void keep(const ChakraGroup& group);
  std::string in_file() const;
  std::string unknown_groups() const;

  std::size_t files_ = 0, nodes_ = 0, on_cpu_ = 0;
  std::size_t dependencies_ = 0, absent_ = 0;
  std::map<ChakraType, Sort> sorts_;
  std::map<std::uint64_t, Sort> collectives_;    ///< collectives that move bytes, by comm_type
  std::map<std::string, std::uint64_t> groups_;  ///< greatest rank by group name
  std::set<std::string> needed_;                 ///< groups that collectives name
  std::string group_file_;
  std::size_t of_group_file_ = 0;  ///< groups in that file
};

}  // namespace tributary::training
