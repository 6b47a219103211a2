#pragma once
/// AccessListTable: rules that send frames to another port than their route (access control list with redirect).

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

/// All that is given must fit.
struct AccessRule {
  enum class Traffic : std::uint8_t {
    any,
    roce,        ///< UDP port 4791
    roce_write,  ///< of these, the packets of RDMA WRITEs
  };
  std::bitset<max_ethernet_ports> ports = std::bitset<max_ethernet_ports>().set();  ///< at which it comes in
  std::optional<std::uint16_t> source{}, destination{};                         ///< stations
  Traffic traffic = Traffic::any;
  unsigned redirect = 0;  ///< port by which it leaves

  bool matches(const RoceHeader& h, unsigned port) const;
};

/// The rule of a connection of a ring: its frames leave by `to`, unless they come from an accelerator.
AccessRule detour_rule(std::uint16_t source, std::uint16_t destination, const std::bitset<max_ethernet_ports>& accelerators,
                       unsigned to);

/// What a switch asks of its access list: payload of the list's TLM socket.
struct AccessTransaction {
  enum class Command : std::uint8_t {
    classify,  ///< in: frame, port, now; out: redirect
    add,       ///< in: rule, behind all others
    clear,     ///< all rules go
  };
  static constexpr unsigned none = std::numeric_limits<unsigned>::max();

  Command command = Command::classify;
  const Packet* frame = nullptr;
  unsigned port = 0;  ///< at which it has come in
  Tick now = 0;
  const AccessRule* rule = nullptr;
  unsigned redirect = none;  ///< `none`: by its route
};

/// The first rule that matches counts. Rules with both stations are found by these, others one after another.
class AccessListTable {
 public:
  static constexpr unsigned most_rules = 256;

  /// Throws std::length_error beyond most_rules, std::invalid_argument on a redirect to no port.
  void add(const AccessRule& rule);
  void clear();
  /// The port to which a frame is redirected, AccessTransaction::none without a rule.
  unsigned classify(const RoceHeader& header, unsigned port, Tick now);

  unsigned rules() const { return static_cast<unsigned>(rules_.size()); }
  const AccessRule& rule(unsigned i) const { return rules_.at(i); }
  /// Frames that rule has redirected.
  std::uint64_t hits(unsigned rule) const { return hits_.at(rule); }
  std::uint64_t hits() const;
  /// Rules stay; they have hit nothing.
  void reset();

  SignalProbe hit;  ///< number of the rule

 private:
  static std::uint32_t key(std::uint16_t source, std::uint16_t destination) {
    return std::uint32_t{source} << 16 | destination;
  }

  std::vector<AccessRule> rules_;
  std::vector<std::uint64_t> hits_;
  std::unordered_map<std::uint32_t, std::vector<unsigned>> between_;  // rules with both stations
  std::vector<unsigned> others_;
};

}  // namespace tributary
