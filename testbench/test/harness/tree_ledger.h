#pragma once
/// Bytes that must cross each link of the fat tree, computed by hand from its link rule and hash
/// (docs/systems/klenk.md#fat-tree, #address-hash, #acknowledgements).

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

class TreeLedger {
 public:
  explicit TreeLedger(std::vector<int> gpus);

  /// Adds the operands to the home port, the results from there to all ranks, and the acks of all ranks to the home
  /// port.
  void push(std::uint64_t message);
  /// Each rank pulls its share: a request to all others, and their responses, reduced in every switch (or, without
  /// tables on trunks, at the requester's port only). Then it writes to all others, which acknowledge.
  void pull(std::uint64_t message, bool trunk_tables = true);

  /// Describes the differences from the links of a run; empty if there are none.
  std::string difference(const ResultRow& row) const;

 private:
  struct Place {
    int plane, home, spine;
  };
  static Place place(std::uint64_t block);
  void add(const std::string& from, const std::string& to, std::uint64_t bytes) { bytes_[from + ">" + to] += bytes; }
  void access_up(int gpu, const Place& p, std::uint64_t bytes);
  void access_down(int gpu, const Place& p, std::uint64_t bytes);
  void group_up(int group, const Place& p, std::uint64_t bytes);
  void group_down(int group, const Place& p, std::uint64_t bytes);
  void unicast(int from, int to, const Place& p, std::uint64_t bytes);
  void to_home(int gpu, const Place& p, std::uint64_t bytes);
  void multicast(int from_group, int but, const Place& p, std::uint64_t bytes);

  std::vector<int> gpus_;
  std::map<int, std::vector<int>> groups_;  // members by group
  std::map<std::string, std::uint64_t> bytes_;
};

}  // namespace tributary
