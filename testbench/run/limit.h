#pragma once
/// Limit: what bounded a run, from what each part of the machine was busy with or waited for (docs/limit.md).

#include <optional>
#include <string>
#include <vector>

namespace tributary {

enum class LimitCause : unsigned char {
  link,            ///< a link carries all that it can
  crossbar,        ///< a way into or out of a crossbar does
  memory,          ///< a memory reads or writes all that it can
  compute,         ///< a unit that adds is at work all the time
  copy_engine,     ///< a copy engine is
  injection,       ///< the interfaces of a NIC carry all that they can
  software,        ///< a host's software, or its limit of rate, is
  table_full,      ///< a table refuses entries
  credits,         ///< buffers at the far end of a link are too small for its round trip
  waves,           ///< all wave counters are taken
  window,          ///< all that may be on its way is
  schedule,        ///< a schedule holds back what could leave
  retransmission,  ///< what is lost is waited for
  padding,         ///< messages are filled up to a size that the protocol asks for
  start_up         ///< nothing is at work for most of the time: latencies, one after another
};

/// As results name it: `link`, `table_full`, `start_up` ...
const char* name_of(LimitCause cause);

/// How a share of the time came about.
enum class LimitKind : unsigned char {
  busy,  ///< the module was at work
  room,  ///< something had work, and found no room in the module
  rest   ///< a part of the time in which the busiest module was not at work: limit_of() fills in the share, by weight
};

struct LimitCandidate {
  LimitCause cause = LimitCause::link;
  LimitKind kind = LimitKind::busy;
  std::string module;     ///< by hierarchical name below the platform: `switch0_2.port3.table`
  std::string type;       ///< its class: `ReductionTable`
  std::string parameter;  ///< that would lift it, by its path; empty: none is known
  double share = 0;       ///< of the time of the run, 0 to 1
  double weight = 1;      ///< of kind rest: what the parameter adds to the path of the run, against the others of that kind
};

struct Limit : LimitCandidate {
  /// The limit when this one is lifted: what has the largest share of the rest, but for full windows and the like, which are
  /// mostly what follows from the limit itself.
  std::optional<LimitCandidate> next;
};

/// A table is the limit when it refuses for `limit_blocked` of the time or more, for what it refuses becomes traffic of
/// links. Otherwise a module that works for `limit_saturated` or more; otherwise retransmission that takes `limit_disturbed`
/// or more; otherwise a lack of room that holds for `limit_blocked` or more, the one nearest to its cause (credits before
/// waves and windows); otherwise what has the largest share. Equal shares go to the first. None: of no candidates.
std::optional<Limit> limit_of(const std::vector<LimitCandidate>& candidates);

inline constexpr double limit_saturated = 0.8, limit_blocked = 0.5, limit_disturbed = 0.2;

/// `link gpu0.port0>switch0_0.port0, 97.8 % of the time (nvswitch.link.rate)`.
std::string limit_text(const LimitCandidate& limit);
/// The same, with what would be next.
std::string limit_text(const Limit& limit);

}  // namespace tributary
