#pragma once
/// Tuner: the choice among algorithms and protocols, as NCCL makes it (src/graph/tuning.cc of NCCL 2.21 to 2.29).

#include <algorithm>
#include <optional>
#include <vector>

#include "modules/base/units.h"
#include "testbench/codegen/nccl_generations.h"
#include "testbench/codegen/nccl_system.h"

namespace tributary::nccl {

/// The time that NCCL expects of a collective is latency + bytes / bandwidth.
struct Estimate {
  double latency = 0;    ///< us
  double bandwidth = 0;  ///< GB/s of algbw; of a tree before its correction by size
};

struct Choice {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  double time = 0;  ///< us that NCCL expects
};

/// Algorithms and protocols that may be chosen (NCCL_ALGO, NCCL_PROTO); empty or nothing: all.
struct Allowed {
  std::vector<Algorithm> algorithms = {};
  std::optional<Protocol> protocol = {};
  bool has(Algorithm a) const {
    return algorithms.empty() || std::find(algorithms.begin(), algorithms.end(), a) != algorithms.end();
  }
};

class Tuner {
 public:
  /// Throws std::invalid_argument for a system without GPUs or NVLinks, with servers of unequal numbers of GPUs, or with
  /// several servers and no network.
  explicit Tuner(const System& system);

  /// Returns nothing if NCCL does not carry out the collective so.
  std::optional<Estimate> estimate(Collective collective, Algorithm algorithm, Protocol protocol) const;
  /// Returns the time that NCCL expects, us; nothing where estimate() returns nothing.
  std::optional<double> time(Collective collective, Algorithm algorithm, Protocol protocol, Bytes size) const;
  /// Returns the fastest of the allowed, the first of equal ones in the order of the enumerations of NCCL: tree before ring.
  /// Returns nothing if none is possible.
  std::optional<Choice> choose(Collective collective, Bytes size, const Allowed& allowed = {}) const;

  const System& system() const { return system_; }

 private:
  bool possible(Collective collective, Algorithm algorithm, Protocol protocol) const;
  Estimate ring(Collective collective, Protocol protocol) const;
  Estimate tree(Protocol protocol) const;
  Estimate nvls() const;
  unsigned local() const { return system_.gpus / system_.servers; }
  std::size_t scale() const { return system_.servers == 1 ? 0 : system_.servers < 4 ? 1 : 2; }
  double network() const { return static_cast<double>(system_.network.value) / 1e9; }

  System system_;
  const Generation& generation_;
  GraphChannels rings_;
};

}  // namespace tributary::nccl
