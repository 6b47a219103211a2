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
  channel,         ///< a channel of NCCL moves bytes at its highest rate
  injection,       ///< the interfaces of a NIC are saturated
  software,        ///< a host's software, or its rate limit, is always busy
  table_full,      ///< a table refuses entries
  replay_buffer,   ///< the sender of a link has no room for packets that are not acknowledged
  credits,         ///< buffers at the far end of a link are too small for its round trip
  waves,           ///< all wave counters are in use
  window,          ///< the window of bytes or messages in flight is full
  schedule,        ///< a schedule holds back data that could leave
  retransmission,  ///< lost packets are waited for
  padding,         ///< messages are padded to a size that the protocol requires
  start_up,        ///< nothing is busy for most of the time: latencies, one after another
  chain            ///< the commands that end last, one after another: their latencies and transfers
};

/// Returns the name in results: `link`, `table_full`, `start_up` ...
const char* name_of(BottleneckCause cause);

/// Meaning of the fraction of the time of a candidate.
enum class BottleneckKind : unsigned char {
  busy,  ///< the module was at work
  room   ///< something had work for the module, and the module had no room
};

/// A resource that a level or an exact count shows at work.
struct BottleneckCandidate {
  BottleneckCause cause = BottleneckCause::link;
  BottleneckKind kind = BottleneckKind::busy;
  std::string module;     ///< hierarchical name below the platform: `switch0_2.port3.table`
  std::string type;       ///< its C++ class: `ReductionTable`
  std::string parameter;  ///< path of the parameter that relieves the bottleneck; empty if none is known
  double share = 0;       ///< time at work over the time of the run; above 1 if the count is an estimate
};

/// Time of a wait that another parameter determines, too.
struct SharedTime {
  std::string parameter;
  double time = 0;  ///< ps
};

/// Time that one parameter adds to the path of the run: the latencies that follow one another in an idle machine.
struct PathPart {
  std::string parameter;
  double time = 0;  ///< ps: value of the parameter times the number of its crossings
  /// A wait in a queue ends later if the links of the copies before it are slow: either parameter shortens it.
  std::vector<SharedTime> shared = {};
};

/// Room that one resource requires of a parameter. A rate that exceeds its needs finds the next bottleneck at once.
struct BottleneckNeed {
  BottleneckCause of = BottleneckCause::link;  ///< resource that has the need
  BottleneckCause cause = BottleneckCause::table_full;
  std::string parameter;
  double used =
      0;  ///< required room over present room, if the parameter of the resource is `bottleneck_headroom` times better
};

/// Measurements from which a bottleneck follows.
struct BottleneckAccount {
  double time = 1;  ///< time of the run in ps
  std::vector<BottleneckCandidate> resources = {};
  std::vector<PathPart> path = {};
  bool whole_path = true;  ///< the parts add up to the whole path; false: they show only proportions, or nothing
  bool chain = false;      ///< the path includes the work of resources, such as chunks on links: it explains the time alone
  std::vector<BottleneckNeed> needs = {};
  double disturbed = 0;            ///< fraction of blocks or bytes that were evicted, refused, repeated or added as padding
  std::string disturbance = {};    ///< `14.0% of the bytes are padding`
  BottleneckCause disturber = {};  ///< cause of a resource that may be named although it disturbs the run
  std::string notice = {};         ///< `14.0% of the bytes are padding`, if that changes no claim

  void add(BottleneckCandidate resource) { resources.push_back(std::move(resource)); }
  /// Adds the parts that are longer than 0.
  void add_path(const std::vector<PathPart>& parts);
  /// Keeps the largest disturbance.
  void disturb(double fraction, BottleneckCause cause, const std::string& text);
  /// Shows a fraction that changes no claim.
  void note(double fraction, const std::string& text);
};

/// Statement of a run about its bottleneck (docs/bottleneck.md).
enum class BottleneckClaim : unsigned char {
  named,     ///< the parameter, improved alone, shortens the run
  together,  ///< the parameters bound the run together: all of them, improved at once, shorten the run
  unnamed    ///< measurements explain the time by no parameter
};

/// Returns the name in results: `named`, `together`, `unnamed`.
const char* name_of(BottleneckClaim claim);

/// A resource that was at work, without a claim.
struct BottleneckSeen {
  BottleneckCause cause = BottleneckCause::link;
  std::string module = {};
  double share = 0;
};

/// `module`, `type`, `cause` and `share` are those of the resource that was at work longest, even if it is unnamed.
struct Bottleneck {
  BottleneckClaim claim = BottleneckClaim::unnamed;
  std::vector<std::string> parameters = {};  ///< paths of the parameters of the claim; empty if unnamed
  std::string module = {}, type = {};
  BottleneckCause cause = BottleneckCause::link;
  double share = 0;                        ///< 0 to 1
  double path_share = 0;                   ///< path over time, 0 to 1; 0 if the path is not known
  std::vector<BottleneckCause> with = {};  ///< causes of the other parameters of a joint claim
  std::vector<BottleneckSeen> seen = {};   ///< at most `bottleneck_seen`, the largest share first
  std::string remark = {};                 ///< unnamed: the disturbance; otherwise the notice
};

/// Derives the claim. Empty if nothing was at work and there is no path.
std::optional<Bottleneck> bottleneck_of(const BottleneckAccount& account);

/// Returns the bottleneck of a time that consists of the shares of the resources, one after another: the largest share.
std::optional<Bottleneck> largest_share(const std::vector<BottleneckCandidate>& resources);

inline constexpr double bottleneck_closes = 0.08;      ///< tolerance of the sum of a share and the path
inline constexpr double bottleneck_apart = 0.10;       ///< shares that are closer bind together
inline constexpr double bottleneck_path_apart = 0.05;  ///< the same for parts of the path
inline constexpr double bottleneck_disturbed = 0.01;   ///< from this fraction on a disturbed run has no name
inline constexpr double bottleneck_headroom = 1.25;    ///< improvement for which needs are computed
inline constexpr std::size_t bottleneck_seen = 5;

/// Returns `97.8%` for 0.978.
std::string percent_text(double share);
/// Returns the name in CSV columns and tables: that of the cause, or `unnamed`.
std::string bottleneck_name(const Bottleneck& bottleneck);
/// Returns the parameters, joined by `+`.
std::string bottleneck_parameters(const Bottleneck& bottleneck);
/// Returns `link gpu0.port0>switch0_0.port0, 97.8% (nvswitch.link.rate)`.
std::string bottleneck_text(const Bottleneck& bottleneck);

}  // namespace tributary
