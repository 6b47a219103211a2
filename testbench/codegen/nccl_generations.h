#pragma once
/// Constants of GPU generations in NCCL's graph search and tuner.

#include <array>

#include "testbench/codegen/nccl_system.h"

namespace tributary::nccl {

/// Rates are in GB/s. Arrays hold the values for 1, 2, and 4 or more servers.
struct Generation {
  unsigned capability;                ///< least compute capability
  double link;                        ///< one NVLink as NCCL counts it: SMxx_NVLINK_BW (topo.h)
  std::array<double, 12> speeds;      ///< rates of a channel that the search tries inside a server (search.cc); 0 ends them
  unsigned nvls_channels;             ///< channels of NVLS (nvls.cc); 0: the switches do not reduce
  double nvls_share, nvls_most;       ///< part of a channel's rate, and the most of a channel (tuning.cc, 2.29)
  double ll_most;                     ///< all channels with LL on one server (tuning.cc)
  std::array<double, 3> ring_ll128;   ///< most of a channel of a ring with LL128
  std::array<double, 3> tree_ll128;   ///< most of a channel of a tree with LL128
  std::array<double, 3> tree_simple;  ///< most of a channel of a tree with plain data
};

/// Returns the generation of a compute capability. Throws std::invalid_argument below 70.
const Generation& generation(unsigned capability);

/// Returns the rate of all NVLinks of a GPU, GB/s.
double nvlinks(const System& system);

/// Channels of a graph, and the rate of each, GB/s.
struct GraphChannels {
  unsigned channels = 0;
  double rate = 0;
  double total() const { return channels * rate; }
};
/// Returns the rings of a server whose switches join all GPUs (search.cc, connect.cc).
GraphChannels ring_channels(const System& system);

}  // namespace tributary::nccl
