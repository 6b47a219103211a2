#pragma once
/// PinCopyEngine: a copy engine with pins in kernel time, with the sockets of a copy engine
/// (docs/rtl.md#pins-in-kernel-time).

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/base/sysc/kernel_time.h"
#include "modules/rtl/pin_block.h"
#include "modules/streams/copy_engine_module.h"

namespace tributary {

/// The engine has one copy at a time, and its clock ticks until the copy is done. An event of the links is a beat at the
/// first edge at or after its time, and after the edge of the burst that begins to leave.
class PinCopyEngine : public CopyEngineModule, public KernelTimePart {
 public:
  /// Throws std::invalid_argument as PinPort does, and for a stated latency, which depends on the memory.
  PinCopyEngine(const sc_core::sc_module_name& name, const PinBlock& block, const CopyParams& params);

  std::vector<std::string> waiting() const override;
  void reset() override;
  /// The probes `busy` and `copy` of the model's engine, and those of the pins, `rtl.s_copy` and so on.
  void describe(ProbeDirectory& directory) override;

 private:
  struct Lane {
    std::deque<std::uint64_t> held = {};  // edges of its bursts that have not begun to leave
    std::uint64_t sent = 0;               // bytes
    bool ended = false;
  };
  void before_end_of_elaboration() override { require_unobserved(*this); }
  // CopyEngineModule
  bool submit(CopyCommand& command, Tick now) override;
  void room(const Burst& burst, Tick now) override;
  void left(const Burst& burst, Tick now) override;

  // the block
  void requested(Tick when, const RtlBeat& beat);
  void sent(Tick when, const RtlBeat& beat);
  void ended(Tick when, const RtlBeat& beat);

  void offer(unsigned channel, RtlBeat beat, std::uint64_t edge);
  void offer_lanes(unsigned channel, std::uint64_t which, std::uint64_t edge);
  void offer_left();
  void arm();
  void fall();
  bool sends() const;
  void require(bool holds, const std::string& what) const;

  unsigned links_;
  PinPort port_;
  const CopyCommand* command_ = nullptr;
  std::vector<Lane> lanes_;
  unsigned lanes_left_ = 0;
  bool awaits_request_ = false;           // the block has not requested the data
  std::uint64_t latest_ = 0;              // edge of the latest event
  std::uint64_t left_ = 0, left_at_ = 0;  // lanes whose last burst has left by an edge, and are not offered yet
  std::uint64_t progress_ = 0;            // edge of the latest beat or event
  SignalProbe busy_, copy_;
};

}  // namespace tributary
