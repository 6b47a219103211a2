#pragma once
/// RingDriver: random or lockstep runs of a ring of the real cores, with faults (docs/systems/netreduce.md#loss).

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/harness/ring_model.h"

namespace tributary {

class RingDriver {
 public:
  /// Probabilities. Per move of a channel: the packet is lost or duplicated. Per packet sent: a timer expires too
  /// early. Losses of one kind of channel add to `loss`.
  struct Faults {
    double loss = 0, duplicate = 0, early_timeout = 0;
    std::uint64_t most_losses = ~std::uint64_t{0};
    double gradients = 0, results = 0, answers = 0;
    double of(RingModel::ChannelKind kind) const;
  };
  /// Loses the packet `number` of a channel, from 0.
  struct Loss {
    RingModel::ChannelKind kind = RingModel::ChannelKind::result;
    unsigned index = 0, number = 0;
  };
  struct Result {
    bool finished = false;      ///< false: nothing was accepted for a long time
    bool exactly_once = false;  ///< each rank accepted each packet of each message exactly once
    bool tags_rise = true;      ///< no slot returned to an older message
    std::uint64_t wrong = 0;    ///< accepted sums that are wrong
    std::uint64_t steps = 0, timeouts = 0, lost = 0, duplicated = 0;
    std::string waiting;
  };

  explicit RingDriver(const RingModel::Config& config);
  /// Draws which channel or rank moves next; each channel has a speed of 1 to 8, drawn as well.
  Result random(std::uint64_t seed, const Faults& faults);
  /// In each round all channels deliver and all ranks send one packet; timers expire if nothing moves.
  Result in_step(const std::vector<Loss>& losses);
  /// Returns the number of packets that entered the channels of a kind.
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
  std::vector<std::uint32_t> accepted_;  // by rank, message and offset: number of acceptances
  std::vector<std::uint32_t> tags_;      // by leaf and slot
  std::vector<std::uint32_t> moved_;     // by channel: packets that have left it
  std::uint64_t idle_ = 0;               // timeouts since the last accepted packet
  Result result_;
};

}  // namespace tributary
