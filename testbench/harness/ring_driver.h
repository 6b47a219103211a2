#pragma once
/// RingDriver: runs of a ring of the real cores by chance, or in step, with faults (docs/systems/netreduce.md#loss).

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/harness/ring_model.h"

namespace tributary {

class RingDriver {
 public:
  /// Of each move of a channel: what is lost, what comes twice. Of each packet sent: a timer ends too early.
  struct Faults {
    double loss = 0, duplicate = 0, early_timeout = 0;
    std::uint64_t most_losses = ~std::uint64_t{0};
  };
  /// The n-th packet of a channel, from 0, is lost.
  struct Loss {
    RingModel::ChannelKind kind = RingModel::ChannelKind::result;
    unsigned index = 0, number = 0;
  };
  struct Result {
    bool finished = false;      ///< else nothing was accepted for a long time
    bool exactly_once = false;  ///< each rank has accepted each packet of each message once
    bool tags_rise = true;      ///< no slot has gone back to an older message
    std::uint64_t wrong = 0;    ///< sums that were accepted and wrong
    std::uint64_t steps = 0, timeouts = 0, lost = 0, duplicated = 0;
    std::string waiting;
  };

  explicit RingDriver(const RingModel::Config& config);
  /// Which channel or rank moves is drawn each time; channels have speeds of their own, 1 to 8, drawn as well.
  Result random(std::uint64_t seed, const Faults& faults);
  /// All channels deliver, and all ranks send, one packet in each round; timers end when nothing moves.
  Result in_step(const std::vector<Loss>& losses);
  /// Packets that went into all channels of a kind.
  std::uint64_t carried(RingModel::ChannelKind kind) const;
  RingModel& model() { return model_; }

 private:
  using Step = RingModel::Step;
  bool can_move(unsigned candidate) const;
  void take(const Step& step);
  void move(unsigned candidate, bool lose, bool duplicate);
  bool one_round(const std::vector<Loss>& losses);
  void check_tags();
  Result finish();

  RingModel::Config config_;
  RingModel model_;
  std::vector<std::uint32_t> accepted_;  // by rank, message and offset: how often
  std::vector<std::uint32_t> tags_;      // by leaf and slot
  std::vector<std::uint32_t> moved_;     // by channel: packets that have left it
  std::uint64_t idle_ = 0;               // timeouts since a packet was accepted
  Result result_;
};

}  // namespace tributary
