#pragma once
/// FaultInjector: what becomes of the frames of one link, by script and by chance.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "modules/ethernet/core/fault_script.h"
#include "modules/ethernet/core/frame_faults.h"
#include "modules/protocol/roce.h"

namespace tributary {

/// Of one direction of a link. Chance is a hash of (seed, link, number of the frame), so it depends on nothing but the order
/// of frames on this link. Which message a packet without aggregation header is of follows from its distance in PSNs to the
/// last tagged packet of its connection that has passed: all messages have MsgLen packets, and go-back-N may lead to older
/// ones.
class FaultInjector : public FrameFaults {
 public:
  struct Config {
    std::string link;         ///< its name
    std::uint64_t index = 0;  ///< its number, for the hash
    bool from_host = false, to_host = false, from_accelerator = false;
    double loss_rate = 0;                         ///< of a frame, 0 to below 1
    std::optional<double> answer_loss_rate = {};  ///< of an ACK, NACK or CNP; without it loss_rate
    double bit_error_rate = 0;                    ///< of a bit, the same
  };
  /// `script` outlives it. Throws std::invalid_argument on rates out of range and on MsgLen 0.
  FaultInjector(const FaultScript& script, const Config& config);

  FrameFate fate(const Packet& frame, Tick start) override;
  void begin(Tick t0) override;
  /// Whatever comes is delivered: the link needs none.
  bool harmless() const { return rules_.empty() && loss_below_ == 0 && answer_loss_below_ == 0 && bit_error_ <= 0; }

  /// That at least one of so many bytes has a wrong bit: 1 - (1 - p)^(8 bytes).
  static double frame_error(double bit_error_rate, unsigned bytes);

 private:
  struct Rule {
    const FaultRule* script;
    std::uint64_t passed = 0;  ///< frames of its kind so far
  };
  struct First {
    std::uint32_t psn, message;
  };
  struct Place {
    bool known = false;
    std::uint32_t message = 0, offset = 0;
  };
  using Connection = std::tuple<std::uint16_t, std::uint16_t, std::uint32_t>;

  bool concerns(const FaultRule& rule) const;
  Place place_of(const RoceHeader& header);
  bool matches(const FaultRule& rule, const RoceHeader& header, const Place& place) const;
  bool strikes(Rule& rule, const RoceHeader& header, const Place& place, Tick start);
  bool is_of(std::uint16_t station, std::uint16_t rank) const;

  const FaultScript& script_;
  Config config_;
  std::uint64_t loss_below_ = 0, answer_loss_below_ = 0;
  double bit_error_ = 0;
  std::vector<Rule> rules_;  // that may concern this link
  bool by_message_ = false;  // one of them asks for messages
  std::map<Connection, First> firsts_;
  std::uint64_t frames_ = 0;
  Tick t0_ = 0;
};

}  // namespace tributary
