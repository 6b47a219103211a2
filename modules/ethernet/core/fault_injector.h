#pragma once
/// FaultInjector: decides the fate of the frames on one link, by script and at random.

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

/// Serves one direction of a link. Random faults are a hash of (seed, link, number of the frame), so they depend on nothing
/// but the order of frames on this link. A packet without aggregation header is assigned to a message by the distance of its
/// PSN to the last tagged packet of its connection that has passed: all messages have MsgLen packets. The distance may be
/// negative, because go-back-N repeats older packets.
class FaultInjector : public FrameFaults {
 public:
  struct Config {
    std::string link;         ///< name of the link
    std::uint64_t index = 0;  ///< number of the link, for the hash
    bool from_host = false, to_host = false, from_accelerator = false;
    double loss_rate = 0;                         ///< probability that a frame is lost, 0 to below 1
    std::optional<double> answer_loss_rate = {};  ///< probability that an ACK, NACK or CNP is lost; empty: loss_rate
    double bit_error_rate = 0;                    ///< probability that a bit is wrong, 0 to below 1
  };
  /// `script` outlives the injector. Throws std::invalid_argument if a rate is out of range or MsgLen is 0.
  FaultInjector(const FaultScript& script, const Config& config);

  FrameFate fate(const Packet& frame, Tick start) override;
  void begin(Tick t0) override;
  /// True if every frame is delivered undamaged, so that the link needs no injector.
  bool harmless() const { return rules_.empty() && loss_below_ == 0 && answer_loss_below_ == 0 && bit_error_ <= 0; }

  /// Probability that at least one bit of `bytes` bytes is wrong: 1 - (1 - p)^(8 bytes).
  static double frame_error(double bit_error_rate, unsigned bytes);

 private:
  struct Rule {
    const FaultRule* script;
    std::uint64_t passed = 0;  ///< matching frames so far
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
  std::vector<Rule> rules_;  // rules that may match frames of this link
  bool by_message_ = false;  // one of the rules matches by message
  std::map<Connection, First> firsts_;
  std::uint64_t frames_ = 0;
  Tick t0_ = 0;
};

}  // namespace tributary
