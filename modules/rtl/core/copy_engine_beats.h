#pragma once
/// CopyEngineBeats: converts the copies of a GPU to beats for a copy engine in RTL, and its bursts to those of the links.

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/rtl/core/request_pipeline.h"
#include "modules/rtl/core/rtl_block.h"
#include "modules/streams/core/copy_engine_core.h"

namespace tributary {

/// Edges lie at multiples of the clock, and the engine has one copy at a time. An event of the links is a beat at the first
/// edge at or after its time, and after the edge of the burst that begins to leave. The clock runs ahead until each lane
/// holds two bursts or has sent its last one; if an event comes before that edge, the block returns and runs again with it.
class CopyEngineBeats {
 public:
  /// Throws std::invalid_argument if the model lacks a pin.
  CopyEngineBeats(const std::string& name, const RtlBlock& block, Tick clock, CopyEnginePort& port);

  /// Functions as those of CopyEngineCore. They throw std::invalid_argument for a copy that the RTL cannot carry out, and
  /// std::logic_error for a wrong answer.
  void submit(const CopyCommand& command, Tick now);
  void submit(const CopyCommand&&, Tick) = delete;  // a temporary ends before its copy
  void room(unsigned lane, Tick now);
  void left(unsigned lane, Tick now);

  std::vector<std::string> waiting() const;
  void reset();
  /// The probes `busy` and `copy` of the model's engine, and those of the pins, `rtl.s_copy` and so on.
  void describe(ProbeDirectory& directory, const std::string& prefix);
  const EdgeRunner& runner() const { return runner_; }

 private:
  struct Lane {
    std::deque<std::uint64_t> held = {};  // edges of its bursts that have not begun to leave
    std::uint64_t sent = 0;               // bytes
    bool ended = false;
  };
  Tick time_of(std::uint64_t edge) const { return runner_.clock().time_of(pipeline_.true_edge(edge)); }
  std::uint64_t begin(std::uint64_t edge);
  void offer(unsigned channel, RtlBeat beat, std::uint64_t edge);
  void offer_lanes(unsigned channel, std::uint64_t which, std::uint64_t edge);
  void offer_left();
  std::uint64_t answer(unsigned channel);
  bool sends() const;
  void send_bursts();
  void send(const RtlBeat& bursts);
  void finish();
  std::string copy_name() const { return "copy " + std::to_string(command_->copy); }
  void require(bool holds, const std::string& what) const;

  std::string name_;
  std::unique_ptr<RtlModel> model_;
  EdgeRunner runner_;
  RequestPipeline pipeline_;
  CopyEnginePort& port_;
  unsigned links_;
  const CopyCommand* command_ = nullptr;
  std::vector<Lane> lanes_;
  unsigned lanes_left_ = 0;
  std::uint64_t latest_ = 0;              // edge of the latest event
  std::uint64_t left_ = 0, left_at_ = 0;  // lanes whose last burst has left by an edge, and are not offered yet
  SignalProbe busy_, copy_;
};

}  // namespace tributary
