#pragma once
/// FluidFabric, FluidLoads: bytes on each link of an NVSwitch machine, headers and acks included, for the fluid mode.

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "platforms/nvswitch/nvswitch_platform.h"
#include "testbench/collective/fluid/activity_graph.h"
#include "testbench/run/fluid_lowering.h"

namespace tributary {

/// The graph has one link for all links of a GPU in one direction, and one for all links from a board to the others or
/// back, because planes, trunks and spines share evenly.
class FluidFabric {
 public:
  explicit FluidFabric(const NvSwitchPlatform& system);
  /// `rate`: bytes per second of a directed link, in netlist order.
  FluidFabric(const topology::Graph& graph, const std::function<double(std::size_t link)>& rate);

  const std::vector<FluidLink>& links() const { return links_; }
  std::uint32_t out(int gpu) const { return 2 * static_cast<std::uint32_t>(gpu); }
  std::uint32_t into(int gpu) const { return out(gpu) + 1; }
  /// Return the link from a board, and the link to it. If two boards have no spines, the link out of one is the link into
  /// the other.
  std::uint32_t up(int board) const { return up_[static_cast<std::size_t>(board)]; }
  std::uint32_t down(int board) const { return down_[static_cast<std::size_t>(board)]; }
  int boards() const { return static_cast<int>(up_.size()); }
  int board(int gpu) const { return board_[static_cast<std::size_t>(gpu)]; }
  bool spines() const { return up_.size() < 2 || up_[0] != down_[1]; }
  /// Returns the number of switches on the path from one board to another, or within one.
  int switches(bool far) const { return !far ? 1 : spines() ? 3 : 2; }

 private:
  std::vector<FluidLink> links_;
  std::vector<std::uint32_t> up_, down_;
  std::vector<int> board_;
};

/// Bytes by link of a fabric.
class FluidLoads {
 public:
  FluidLoads(const FluidFabric& fabric, const NvSwitchPlatformParams& params, const Machine& machine);

  /// Adds a write from one GPU to another, acknowledged block by block.
  void write(int from, int to, std::uint64_t bytes);
  /// Adds a write to all other members; every copy is acknowledged.
  void multicast(int from, const std::vector<int>& members, std::uint64_t bytes);
  /// Adds loads of a GPU from all other members, whose data are reduced on the path.
  void pull(int by, const std::vector<int>& members, std::uint64_t bytes);
  /// Adds writes of operands from all members to home ports, and of the results to `receivers`, which acknowledge them.
  void push(const std::vector<int>& members, const std::vector<int>& receivers, std::uint64_t bytes);

  /// Returns the loads per byte of `payload`.
  std::vector<collective::FluidUse> uses(double payload) const;

 private:
  struct Wire {
    double data, requests, acks;
  };
  Wire wire(std::uint64_t bytes) const;
  void across(int from_board, const std::set<int>& to_boards, double bytes);
  void gather(const std::set<int>& from_boards, int to_board, double bytes);
  void move(int from, int to, double bytes);
  std::set<int> far(int gpu, const std::vector<int>& members) const;

  const FluidFabric& fabric_;
  bool acks_;
  double home_;  ///< fraction of the home ports at one switch of a plane
  std::vector<double> bytes_;
};

}  // namespace tributary
