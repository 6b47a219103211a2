#pragma once
/// What the traffic of NVSwitch machines puts on the links of GPUs and between boards, headers and acks included:
/// TrafficLoad link by link, for the fluid engine.

#include <cstdint>
#include <set>
#include <vector>

#include "platforms/nvswitch/nvswitch_platform.h"
#include "testbench/collective/fluid/activity_graph.h"
#include "testbench/run/fluid_lowering.h"

namespace tributary {

/// The links of a GPU in one direction, and those of a board to the rest (or from it), are one each: planes, trunks and
/// spines share evenly.
class FluidFabric {
 public:
  explicit FluidFabric(const NvSwitchPlatform& system);

  const std::vector<FluidLink>& links() const { return links_; }
  std::uint32_t out(int gpu) const { return 2 * static_cast<std::uint32_t>(gpu); }
  std::uint32_t into(int gpu) const { return out(gpu) + 1; }
  /// From the board, and to it; of two boards without spines, what leaves one goes into the other.
  std::uint32_t up(int board) const { return up_[static_cast<std::size_t>(board)]; }
  std::uint32_t down(int board) const { return down_[static_cast<std::size_t>(board)]; }
  int boards() const { return static_cast<int>(up_.size()); }
  int board(int gpu) const { return board_[static_cast<std::size_t>(gpu)]; }
  bool spines() const { return up_.size() < 2 || up_[0] != down_[1]; }
  /// Switches on the way from one board to another, or within one.
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

  /// From one GPU to another, acknowledged block by block.
  void write(int from, int to, std::uint64_t bytes);
  /// To all other members; every copy is acknowledged.
  void multicast(int from, const std::vector<int>& members, std::uint64_t bytes);
  /// A GPU loads from all other members what is reduced on its way.
  void pull(int by, const std::vector<int>& members, std::uint64_t bytes);
  /// All members write operands to home ports, and these the results to `receivers`, which acknowledge them.
  void push(const std::vector<int>& members, const std::vector<int>& receivers, std::uint64_t bytes);

  /// Per byte of `payload`.
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
  double home_;  ///< share of the home ports that a switch of a plane has
  std::vector<double> bytes_;
};

}  // namespace tributary
