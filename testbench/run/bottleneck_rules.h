#pragma once
/// BottleneckRules: the possible bottlenecks of a platform; BottleneckFinder: finds the bottleneck of a message.

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/probe.h"
#include "testbench/observe/level_times.h"
#include "testbench/run/bottleneck.h"

namespace tributary {

struct ResultRow;

/// Probes whose level shows that a module is busy, or refuses work. The module that does so for the longest time is a
/// candidate.
struct BottleneckWatch {
  std::string glob;  ///< selects probes by name; the name of a module is that of its probe without the last part
  LevelTimes::Bounds bounds = {};
  BottleneckCandidate says = {};  ///< the candidate without module and fraction
};

/// Measurements of a completed message.
struct BottleneckInput {
  struct Seen {
    std::size_t probes = 0;     ///< number of probes of the watch that have fired
    std::uint64_t firings = 0;  ///< firings of the most active probe
    std::string module = {};    ///< module of the most active probe
    std::uint64_t largest = 0;  ///< largest value of all probes
  };
  const ResultRow& row;
  double time;                  ///< time of the message, ps; fractions refer to it
  std::vector<Seen> seen = {};  ///< by watch

  /// Returns a counter of the row; 0 if there is none.
  double count(const std::string& counter) const;
};

/// Contribution of a parameter to the critical path, the longest chain of dependent events: the number of times that the
/// path contains the latency of the parameter, times its value. The unit is the same for all parts of a run.
struct PathPart {
  std::string parameter;
  double weight;
};
/// Adds candidates for runs in which nothing is busy for most of the time, in place of BottleneckRules::latency. Parts
/// without weight are left out.
void add_path(const std::vector<PathPart>& parts, std::vector<BottleneckCandidate>& all);
/// Returns the mean number of links that a packet crosses, over all packets that leave ports whose names begin with `begin`.
double mean_links(const ResultRow& row, const std::string& begin);
/// Returns the bytes on links from ports whose names begin with `begin`.
double bytes_from(const ResultRow& row, const std::string& begin);
/// Removes all candidates with this cause.
void take_off(std::vector<BottleneckCandidate>& all, BottleneckCause cause);
/// Adds a candidate for buffers that carry `credit_rate` bytes per ps over the round trip of their credits, at the end of
/// links of `link_rate`. Buffers that are designed for the links rank second, whatever their rate.
void add_credits(const BottleneckInput& in, BottleneckCandidate says, double credit_rate, double link_rate,
                 std::vector<BottleneckCandidate>& all);
struct LinkShare {
  std::string from, to;  ///< ports: `gpu3.port2`, `switch0_2.port3`
  double share = 0;      ///< fraction of the bytes that the link could carry in the time
};
/// Returns the link with the most bytes, of those whose names begin with `begin` ("": all), for links of `bytes_per_ps`.
LinkShare most_bytes(const BottleneckInput& in, const std::string& begin, double bytes_per_ps);

/// Rules of a platform. Links are always candidates.
struct BottleneckRules {
  std::function<std::string(std::size_t link)> link_parameter =
      {};  ///< parameter of a link, in netlist order; empty if not known
  std::string
      latency;  ///< parameter that matters if nothing is busy, for families with one such parameter; others call add_path()
  std::vector<BottleneckWatch> watches = {};
  /// Adds candidates that follow from counters and parameters, and removes those that are no bottlenecks.
  std::function<void(const BottleneckInput&, std::vector<BottleneckCandidate>&)> amend = {};
};

/// Observes the probes of a platform, from elaboration on.
class BottleneckFinder {
 public:
  BottleneckFinder(BottleneckRules rules, const ProbeDirectory& probes);

  /// Starts the measurement of a message.
  void reset() { levels_.reset(); }
  /// Returns the bottleneck of a message that ran from `t0` to `end`. The links and counters of the row are already filled
  /// in.
  std::optional<Bottleneck> bottleneck(const ResultRow& row, Tick t0, Tick end) const;

 private:
  BottleneckRules rules_;
  LevelTimes levels_;
  std::vector<const LevelTimes::Group*> groups_;  ///< by watch
};

/// Returns the module of a probe: `gpu3.dma` for `dgx2.gpu3.dma.credits`.
std::string module_of_probe(const std::string& probe);

}  // namespace tributary
