#pragma once
/// AccessListTable: rules that redirect frames to a port other than that of their route (access control list with redirect).

#include <bitset>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "modules/base/probe.h"
#include "modules/protocol/roce.h"

namespace tributary {

inline constexpr unsigned max_ethernet_ports = 128;

/// A frame matches if all fields that are set match.
struct AccessRule {
  enum class Traffic : std::uint8_t {
    any,
    roce,        ///< UDP port 4791
    roce_write,  ///< packets of RDMA WRITEs on that port
  };
  std::bitset<max_ethernet_ports> ports = std::bitset<max_ethernet_ports>().set();  ///< input ports
  std::optional<std::uint16_t> source{}, destination{};                             ///< stations
  std::optional<std::uint32_t> queue_pair{};                                        ///< destination; only RoCE has one
  Traffic traffic = Traffic::any;
  unsigned redirect = 0;  ///< output port

  bool matches(const RoceHeader& h, unsigned port) const;
};

/// Returns the rule of a connection of a ring: its frames leave by `to`, unless they arrive from an accelerator.
AccessRule detour_rule(std::uint16_t source, std::uint16_t destination, const std::bitset<max_ethernet_ports>& accelerators,
                       unsigned to);

/// Request of a switch to its access list: payload of the list's TLM socket.
struct AccessTransaction {
  enum class Command : std::uint8_t {
    classify,  ///< in: frame, port, now; out: redirect
    add,       ///< in: rule, added after all others
    clear,     ///< removes all rules
  };
  static constexpr unsigned none = std::numeric_limits<unsigned>::max();

  Command command = Command::classify;
  const Packet* frame = nullptr;
  unsigned port = 0;  ///< input port
  Tick now = 0;
  const AccessRule* rule = nullptr;
  unsigned redirect = none;  ///< `none`: follow the route
};

/// The first rule that matches counts. Rules that name both stations are found by these, the others by a linear search. The
/// verdicts of recent searches are kept, as most frames follow one of the same connection.
class AccessListTable {
 public:
  static constexpr unsigned usual_rules = 256;

  explicit AccessListTable(unsigned most_rules = usual_rules) : most_rules_(most_rules) {}

  /// Throws std::length_error if there are more than `most_rules`, std::invalid_argument if the redirect is no port.
  void add(const AccessRule& rule);
  void clear();
  /// Returns the port to which a frame is redirected; AccessTransaction::none if no rule matches.
  unsigned classify(const RoceHeader& header, unsigned port, Tick now);

  unsigned rules() const { return static_cast<unsigned>(rules_.size()); }
  const AccessRule& rule(unsigned i) const { return rules_.at(i); }
  /// Number of frames that the rule has redirected.
  std::uint64_t hits(unsigned rule) const { return hits_.at(rule); }
  std::uint64_t hits() const;
  /// Keeps the rules, and clears their hit counts.
  void reset();

  SignalProbe hit;  ///< number of the rule

 private:
  static std::uint32_t key(std::uint16_t source, std::uint16_t destination) {
    return std::uint32_t{source} << 16 | destination;
  }

  /// Rule of all frames whose fields that rules can match are equal.
  struct Verdict {
    std::uint64_t connection = 0;  ///< stations and queue pair
    std::uint32_t arrival = none;  ///< input port and kind of traffic; `none`: no verdict
    unsigned rule = none;
  };
  static constexpr unsigned none = AccessTransaction::none, verdict_bits = 9;

  unsigned verdict(const RoceHeader& header, unsigned port);
  unsigned search(const RoceHeader& header, unsigned port) const;

  unsigned most_rules_;
  std::vector<Verdict> verdicts_;  // by hash; empty until the first search since the rules have changed
  std::vector<AccessRule> rules_;
  std::vector<std::uint64_t> hits_;
  std::unordered_map<std::uint32_t, std::vector<unsigned>> between_;  // rules that name both stations
  std::vector<unsigned> others_;
};

}  // namespace tributary
