#pragma once
/// PassScheduler: what a packet with values takes of a programmable switch's pipelines (Liu et al., 6).

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "modules/base/units.h"
#include "modules/link/core/serializer.h"

namespace tributary {

/// A stage has a few registers of 4 B that a packet may use, once in a passage. What does not fit needs another passage, and
/// takes another share of the pipeline from its port. Pipelines that are chained each hold a part of the packet's values:
/// the packet passes all of them once, and their own ports are lost.
class PassScheduler {
 public:
  struct Config {
    unsigned stages = 12, registers = 4, pipelines = 4, ports_per_pipeline = 16;
    unsigned chained = 1;  ///< pipelines that a packet passes one after another
    Bandwidth rate;        ///< of a port
    unsigned ports = 0;    ///< in use
    Tick latency = 0;      ///< of a passage
  };
  struct Passage {
    Tick waited = 0;  ///< for earlier packets of the port
    Tick done = 0;    ///< its values are read and written: its first bit may leave
  };

  static constexpr unsigned register_bytes = 4;

  /// Throws std::invalid_argument on more ports than the switch has left.
  explicit PassScheduler(const Config& config) : config_(config) {
    if (config.stages == 0 || config.registers == 0 || config.ports_per_pipeline == 0)
      throw std::invalid_argument("a pipeline without registers or ports");
    if (config.chained == 0 || config.chained > config.pipelines)
      throw std::invalid_argument("more pipelines are chained than the switch has");
    if (config.ports > usable_ports()) throw std::invalid_argument("more ports than the pipelines have left");
    ports_.assign(config.ports, Serializer(config.rate, 1));
  }

  /// Of values in a passage: 192 B.
  unsigned pass_bytes() const { return config_.stages * config_.registers * register_bytes; }
  /// Passages of a packet with so many bytes of values; chained pipelines take it in one each.
  unsigned passes(unsigned value_bytes) const {
    if (config_.chained > 1) return 1;
    return std::max(1u, (value_bytes + pass_bytes() - 1) / pass_bytes());
  }
  unsigned usable_ports() const { return config_.pipelines / config_.chained * config_.ports_per_pipeline; }
  /// Share of the switch's ports that chaining leaves.
  double usable_share() const { return 1.0 * usable_ports() / (config_.pipelines * config_.ports_per_pipeline); }

  /// A packet of `port`, headers and FCS included, whose bits are here from `head` to `tail`. Packets of a port come in
  /// order.
  Passage admit(unsigned port, unsigned frame_bytes, unsigned passes, Tick head, Tick tail) {
    Serializer& share = ports_[port];
    const Tick begin = std::max(head, share.free_at());
    const Tick end = share.serve(begin, frame_bytes * passes, tail);
    return {begin - head, end + config_.latency * passes * config_.chained};
  }
  /// All packets of that port have passed by then.
  Tick free_at(unsigned port) const { return ports_[port].free_at(); }
  void reset() {
    for (Serializer& share : ports_) share.reset();
  }

 private:
  Config config_;
  std::vector<Serializer> ports_;
};

}  // namespace tributary
