#pragma once
/// What a driver says of the limits of its platform's runs, and how a session finds them.

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/probe.h"
#include "testbench/observe/level_times.h"
#include "testbench/run/limit.h"

namespace tributary {

struct ResultRow;

/// Probes whose level says that a module is at work, or refuses work: the one that does so longest is a candidate.
struct LimitWatch {
  std::string glob;  ///< of the probes' names; a module's name is that of its probe without the last part
  LevelTimes::Bounds bounds = {};
  LimitCandidate says = {};  ///< all but module and share
};

/// A message that has run.
struct LimitInput {
  struct Seen {
    std::size_t probes = 0;     ///< of the watch, that have fired
    std::uint64_t firings = 0;  ///< of the one that fired most
    std::string module = {};    ///< of that one
    std::uint64_t largest = 0;  ///< value of any
  };
  const ResultRow& row;
  double time;                  ///< of the message, in ps: shares are shares of it
  std::vector<Seen> seen = {};  ///< by watch

  /// Of a counter of the row; 0 where there is none.
  double count(const std::string& counter) const;
};

/// What a parameter adds to the path of a run: the longest chain in which one thing waits for another. How often the path
/// crosses what the parameter describes, times its value; against the others of the same run, in any unit.
struct PathPart {
  std::string parameter;
  double weight;
};
/// Where nothing is at work for most of the time: what that follows from in this run, in place of LimitRules::latency. Parts
/// without weight are left out.
void add_path(const std::vector<PathPart>& parts, std::vector<LimitCandidate>& all);
/// Links that a packet crosses, on average over all that leave ports whose names begin so.
double mean_links(const ResultRow& row, const std::string& begin);
/// Bytes on links from ports whose names begin so.
double bytes_from(const ResultRow& row, const std::string& begin);
/// What has a cause other than `cause` is left.
void take_off(std::vector<LimitCandidate>& all, LimitCause cause);
/// Buffers that carry so many bytes per ps over the round trip of their credits, behind links of that rate. Where they are
/// made for the links they come second, however much either carries.
void add_credits(const LimitInput& in, LimitCandidate says, double credit_rate, double link_rate,
                 std::vector<LimitCandidate>& all);
struct LinkShare {
  std::string from, to;  ///< ports: `gpu3.port2`, `switch0_2.port3`
  double share = 0;      ///< of what could be carried in the time
};
/// The link with most bytes of those whose names begin so ("": of all), as if it carried `bytes_per_ps`.
LinkShare most_bytes(const LimitInput& in, const std::string& begin, double bytes_per_ps);

/// Links are candidates in any case.
struct LimitRules {
  std::function<std::string(std::size_t link)> link_parameter = {};  ///< of a link, in netlist order; none: not known
  std::string latency;  ///< of a family with one parameter that matters where nothing is at work; others add_path()
  std::vector<LimitWatch> watches = {};
  /// Adds what follows from counters and parameters, and takes off what they say is no limit.
  std::function<void(const LimitInput&, std::vector<LimitCandidate>&)> amend = {};
};

/// Watches a platform's probes from its elaboration on.
class LimitFinder {
 public:
  LimitFinder(LimitRules rules, const ProbeDirectory& probes);

  /// Times count from here.
  void reset() { levels_.reset(); }
  /// Of a message that ran from t0 to `end`; the row's links and counters are filled in.
  std::optional<Limit> limit(const ResultRow& row, Tick t0, Tick end) const;

 private:
  LimitRules rules_;
  LevelTimes levels_;
  std::vector<const LevelTimes::Group*> groups_;  ///< by watch
};

/// `gpu3.dma` of the probe `dgx2.gpu3.dma.credits`.
std::string module_of_probe(const std::string& probe);

}  // namespace tributary
