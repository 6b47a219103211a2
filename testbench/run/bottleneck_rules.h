#pragma once
/// BottleneckRules: the possible bottlenecks of a platform; BottleneckFinder: finds the bottleneck of a message.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/probe.h"
#include "testbench/observe/level_times.h"
#include "testbench/run/bottleneck.h"

namespace tributary {

struct ResultRow;

/// Probes whose level shows that a module is busy, or refuses work. The module that does so for the longest time is a
/// resource. A watch without parameter only counts firings.
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
    std::uint64_t total = 0;    ///< firings of all probes
  };
  const ResultRow& row;
  double time;                  ///< time of the message, ps; fractions refer to it
  Tick end = 0;                 ///< end of the message
  std::vector<Seen> seen = {};  ///< by watch

  /// Returns a counter of the row; 0 if there is none.
  double count(const std::string& counter) const;
};

/// Returns the mean number of links that a packet crosses, over all packets that leave ports whose names begin with `begin`.
double mean_links(const ResultRow& row, const std::string& begin);
/// Returns the bytes on links from ports whose names begin with `begin`.
double bytes_from(const ResultRow& row, const std::string& begin);
/// Removes all resources with this cause.
void take_off(BottleneckAccount& account, BottleneckCause cause);
/// Adds buffers at the end of links of `link_rate` that let `credit_rate` bytes per ps pass over the round trip of their
/// credits. Buffers that are slower than the links are a resource. Others have to grow with the links, unless
/// `automatic`: then their size follows the rate of the links. `faster_rate`: credit_rate with links that are
/// `bottleneck_headroom` times faster.
struct CreditRates {
  double now, faster, link;
  bool automatic = false;
};
void add_credits(const BottleneckInput& in, BottleneckCandidate says, const CreditRates& rates, BottleneckAccount& account);
/// Returns true if a busy resource explains the time without a path or chain.
bool is_bound(const BottleneckAccount& account);
struct LinkShare {
  std::string from, to;  ///< ports: `gpu3.port2`, `switch0_2.port3`
  double share = 0;      ///< fraction of the bytes that the link could carry in the time
};
/// Returns the link with the most bytes, of those whose names begin with `begin` ("": all), for links of `bytes_per_ps`.
LinkShare most_bytes(const BottleneckInput& in, const std::string& begin, double bytes_per_ps);

/// Observer of a family, for measurements beyond the times of levels.
class BottleneckObserver {
 public:
  virtual ~BottleneckObserver() = default;
  /// Attaches to probes. The observer outlives their last firing.
  virtual void attach(const ProbeDirectory& probes) = 0;
  /// Forgets the message before.
  virtual void reset() = 0;
};

/// Rules of a platform. Links are always candidates.
struct BottleneckRules {
  std::function<std::string(std::size_t link)> link_parameter =
      {};  ///< parameter of a link, in netlist order; empty if not known
  std::vector<BottleneckWatch> watches = {};
  /// Adds resources that follow from counters and parameters, the path and the needs, and removes resources that bound
  /// nothing.
  std::function<void(const BottleneckInput&, BottleneckAccount&)> amend = {};
  bool flows = false;  ///< the run has no packets: only links and the path are seen
  std::vector<std::shared_ptr<BottleneckObserver>> observers = {};
};

/// Observes the probes of a platform, from elaboration on.
class BottleneckFinder {
 public:
  BottleneckFinder(BottleneckRules rules, const ProbeDirectory& probes);

  /// Starts the measurement of a message.
  void reset();
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
