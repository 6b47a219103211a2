#pragma once
/// PassScheduler: schedules the passages of packets with values through the pipelines of a programmable switch (Liu et al.,
/// 6).

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "modules/base/units.h"
#include "modules/link/core/serializer.h"

namespace tributary {

/// A packet may access a few registers of 4 B in each stage, once in a passage. Values that do not fit need another passage,
/// which uses more of the port's bandwidth in the pipeline. Chained pipelines each hold a fraction of a packet's values: the
/// packet passes each of them once, and the ports of all but the first are lost.
class PassScheduler {
 public:
  struct Config {
    unsigned stages = 12, registers = 4, pipelines = 4, ports_per_pipeline = 16;
    unsigned chained = 1;  ///< number of pipelines that a packet passes in sequence
    Bandwidth rate;        ///< rate of a port
    unsigned ports = 0;    ///< ports in use
    Tick latency = 0;      ///< latency of a passage
  };
  struct Passage {
    Tick waited = 0;  ///< time that the packet waits for earlier packets of the port
    Tick done = 0;    ///< its values are read and written, and its first bit may leave
  };

  static constexpr unsigned register_bytes = 4;

  /// Throws std::invalid_argument if there are more ports than the switch has left.
  explicit PassScheduler(const Config& config) : config_(config) {
    if (config.stages == 0 || config.registers == 0 || config.ports_per_pipeline == 0)
      throw std::invalid_argument("a pipeline must have registers and ports");
    if (config.chained == 0 || config.chained > config.pipelines)
      throw std::invalid_argument("the number of chained pipelines must be 1 to the number of pipelines");
    if (config.ports > usable_ports()) throw std::invalid_argument("more ports than the pipelines leave");
    ports_.assign(config.ports, Serializer(config.rate, 1));
  }

  /// Bytes of values in a passage: 192 B.
  unsigned pass_bytes() const { return config_.stages * config_.registers * register_bytes; }
  /// Returns the number of passages of a packet with `value_bytes` bytes of values; with chained pipelines, one in each.
  unsigned passes(unsigned value_bytes) const {
    if (config_.chained > 1) return 1;
    return std::max(1u, (value_bytes + pass_bytes() - 1) / pass_bytes());
  }
  unsigned usable_ports() const { return config_.pipelines / config_.chained * config_.ports_per_pipeline; }
  /// Fraction of the switch's ports that chaining leaves.
  double usable_share() const { return 1.0 * usable_ports() / (config_.pipelines * config_.ports_per_pipeline); }

  /// Admits a packet of `port` whose bits arrive from `head` to `tail`; `frame_bytes` include headers and FCS. Packets of a
  /// port are admitted in order.
  Passage admit(unsigned port, unsigned frame_bytes, unsigned passes, Tick head, Tick tail) {
    Serializer& share = ports_[port];
    const Tick begin = std::max(head, share.free_at());
    const Tick end = share.serve(begin, frame_bytes * passes, tail);
    return {begin - head, end + config_.latency * passes * config_.chained};
  }
  /// Returns the time at which all packets of that port have passed.
  Tick free_at(unsigned port) const { return ports_[port].free_at(); }
  void reset() {
    for (Serializer& share : ports_) share.reset();
  }

 private:
  Config config_;
  std::vector<Serializer> ports_;
};

}  // namespace tributary
