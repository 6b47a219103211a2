#pragma once
/// FreeLinks: the directed links of a network that are still free in a step.

#include <vector>

#include "platforms/topology/graph.h"

namespace tributary::collective {

class FreeLinks {
 public:
  explicit FreeLinks(const topology::Graph& graph) {
    for (const topology::Node& n : graph.nodes()) used_in_.emplace_back(static_cast<std::size_t>(n.ports), 0);
  }

  /// Begins a step, in which all links are free again.
  void begin_step() { ++step_, used_ = 0; }
  /// True if the link that leaves from this port is free.
  bool free(topology::PortRef out) const { return stamp(out) != step_; }
  void use(topology::PortRef out) {
    used_in_[static_cast<std::size_t>(out.node)][static_cast<std::size_t>(out.port)] = step_;
    ++used_;
  }
  int used() const { return used_; }  ///< links used in this step

 private:
  int stamp(topology::PortRef out) const {
    return used_in_[static_cast<std::size_t>(out.node)][static_cast<std::size_t>(out.port)];
  }

  std::vector<std::vector<int>> used_in_;  ///< [node][port] last step that used the link
  int step_ = 0, used_ = 0;
};

}  // namespace tributary::collective
