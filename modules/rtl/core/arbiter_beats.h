#pragma once
/// ArbiterBeats: converts the choices of a switch's crossbar to clocks of an arbiter in RTL.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/rtl/core/edge_runner.h"
#include "modules/rtl/core/rtl_block.h"
#include "modules/switching/core/crossbar_arbiter.h"

namespace tributary {

/// Returns the beat of the requests for an output. `inputs`: those of the RTL.
RtlBeat requests_beat(const BeatLayout& requests, unsigned output, const std::vector<CrossbarArbiter::Request>& all,
                      unsigned inputs);
/// Returns the beat of a grant that is used.
RtlBeat take_beat(const BeatLayout& take, unsigned output, const CrossbarArbiter::Request& request, unsigned inputs);

/// The requests for an output are valid in one clock, in which the arbiter grants, or up to
/// `nvswitch.switch.crossbar.arbitration` later: the packets have waited for this time. A grant that is used follows as a
/// beat of the channel `take`. The crossbar chooses for all outputs in no time, so choices of the same time have successive
/// clocks.
class ArbiterBeats : public CrossbarArbiter {
 public:
  /// Throws std::invalid_argument if the model lacks a pin, or if its requesters are too few for the switch.
  ArbiterBeats(const RtlBlock& block, const CrossbarArbiterConfig& config);

  /// Throws std::logic_error for a wrong answer.
  std::size_t choose(unsigned output, const std::vector<Request>& requests, Tick now) override;
  void granted(unsigned output, const Request& request, Tick now) override;
  void reset() override { runner_.reset(); }
  /// Probes of the pins, `rtl.grant_requester` and so on.
  void describe(ProbeDirectory& directory, const std::string& prefix) override {
    runner_.describe(directory, prefix + "rtl.");
  }
  const EdgeRunner& runner() const { return runner_; }

 private:
  void offer(unsigned channel, RtlBeat beat, Tick now);
  [[noreturn]] void fail(const std::string& what) const;

  std::unique_ptr<RtlModel> model_;
  EdgeRunner runner_;
  unsigned inputs_;
  std::uint64_t registers_ = 0;  // clocks that the grant may follow the requests
};

}  // namespace tributary
