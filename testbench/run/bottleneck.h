#pragma once
/// Bottleneck: the resource that bounds the time of a run, derived from the times in which each part of the machine was busy
/// or waited (docs/bottleneck.md).

#include <optional>
#include <string>
#include <vector>

namespace tributary {

enum class BottleneckCause : unsigned char {
  link,            ///< a link is saturated
  crossbar,        ///< an input or output of a crossbar is saturated
  memory,          ///< a memory is saturated
  compute,         ///< a unit that reduces is always busy
  copy_engine,     ///< a copy engine is always busy
  injection,       ///< the interfaces of a NIC are saturated
  software,        ///< a host's software, or its rate limit, is always busy
  table_full,      ///< a table refuses entries
  credits,         ///< buffers at the far end of a link are too small for its round trip
  waves,           ///< all wave counters are in use
  window,          ///< the window of bytes or messages in flight is full
  schedule,        ///< a schedule holds back data that could leave
  retransmission,  ///< lost packets are waited for
  padding,         ///< messages are padded to a size that the protocol requires
  start_up         ///< nothing is busy for most of the time: latencies, one after another
};

/// Returns the name in results: `link`, `table_full`, `start_up` ...
const char* name_of(BottleneckCause cause);

/// Meaning of the fraction of the time of a candidate.
enum class BottleneckKind : unsigned char {
  busy,  ///< the module was busy
  room,  ///< something had work for the module, and the module had no room
  rest   ///< a part of the time in which the busiest module was idle: bottleneck_of() computes the fraction from the weight
};

struct BottleneckCandidate {
  BottleneckCause cause = BottleneckCause::link;
  BottleneckKind kind = BottleneckKind::busy;
  std::string module;     ///< hierarchical name below the platform: `switch0_2.port3.table`
  std::string type;       ///< its C++ class: `ReductionTable`
  std::string parameter;  ///< path of the parameter that removes the bottleneck; empty if none is known
  double share = 0;       ///< fraction of the time of the run, 0 to 1
  double weight = 1;  ///< kind rest: contribution of the parameter to the critical path, relative to the others of this kind
};

/// Statement of a run about its bottleneck (docs/bottleneck.md).
enum class BottleneckClaim : unsigned char {
  named,     ///< each of the parameters, raised alone, shortens the run
  together,  ///< the parameters bound the run together: all of them, raised at once, shorten the run
  unnamed    ///< measurements explain the time by no parameter
};

/// Returns the name in results: `named`, `together`, `unnamed`.
const char* name_of(BottleneckClaim claim);

struct Bottleneck : BottleneckCandidate {
  BottleneckClaim claim = BottleneckClaim::named;
  std::vector<std::string> parameters = {};  ///< paths of the parameters of the claim; empty if unnamed
  /// The bottleneck after this one is removed: the remaining candidate with the largest fraction, without full windows and
  /// similar candidates, which are mostly a consequence of the bottleneck itself.
  std::optional<BottleneckCandidate> next;
};

/// Selects the bottleneck. A table is selected if it refuses entries for `bottleneck_blocked` of the time or more, because
/// refused entries become traffic on links. Otherwise a module that is busy for `bottleneck_saturated` or more; otherwise
/// retransmission that lasts `bottleneck_disturbed` or more; otherwise a lack of room that lasts `bottleneck_blocked` or
/// more, the one nearest to its cause (credits before waves and windows); otherwise the candidate with the largest fraction.
/// The first of equal fractions is selected. Empty without candidates.
std::optional<Bottleneck> bottleneck_of(const std::vector<BottleneckCandidate>& candidates);

inline constexpr double bottleneck_saturated = 0.8, bottleneck_blocked = 0.5, bottleneck_disturbed = 0.2;

/// Returns `link gpu0.port0>switch0_0.port0, 97.8% (nvswitch.link.rate)`.
std::string bottleneck_text(const BottleneckCandidate& bottleneck);
/// Returns the text of the bottleneck and of its `next`.
std::string bottleneck_text(const Bottleneck& bottleneck);

}  // namespace tributary
