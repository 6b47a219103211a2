#pragma once
/// CopyEngineCore: a copy engine that sends one copy at a time in bursts (Wang et al., MLSys 2020, 4).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/streams/core/burst_cutter.h"

namespace tributary {

/// The calls of an engine to the modules at its sockets. Times are exact and may be later than the time of the SystemC
/// kernel.
class CopyEnginePort {
 public:
  virtual ~CopyEnginePort() = default;
  /// Returns the time from the request of the copy's data at `now` to the first data, or `never` if that is not known yet:
  /// CopyEngineCore::late_data() follows, no later than the first data.
  virtual Tick memory_latency(const CopyCommand& command, Tick now) = 0;
  /// The burst may leave from `ready` on.
  virtual void send(const Burst& burst, Tick ready) = 0;
  virtual void done(const CopyCommand& command, Tick when) = 0;
};

/// The first bursts may leave at grant + `launch` + latency of the memory, from the first edge of the clock at or after the
/// grant on. The port hub holds up to two bursts of each lane
/// that have not begun to leave. An engine without a window has requested the rest of the copy before. With a window it
/// requests bursts, lane by lane in turn, while their bytes fit into the window; a burst leaves the window when it begins to
/// leave the GPU, the last one of its lane when it has left. A copy that reads from a peer always has a window: its bursts
/// are sent as requests at once, and leave the window when their data have arrived.
class CopyEngineCore {
 public:
  struct Config {
    Tick launch = 0;
    std::uint64_t rate = 0;    ///< most bytes per second that pass through the engine; 0: no limit
    std::uint64_t window = 0;  ///< bytes requested that have not begun to leave, but at least one burst; 0: no limit
    Tick clock = 0;            ///< copies are launched and end at its edges, from time 0 on; 0: at any time
  };
  /// Window of a copy that reads for each of its lanes, if the engine has none: more than a link delivers in a round trip
  /// with default times.
  static constexpr std::uint64_t read_window = 64 * 1024;

  CopyEngineCore(const Config& config, CopyEnginePort& port) : config_(config), port_(port) {}
  CopyEngineCore(Tick launch, CopyEnginePort& port) : CopyEngineCore(Config{launch}, port) {}

  /// Starts a copy that is granted at `now`. The command stays valid until it is done. Throws std::logic_error if another
  /// copy is in progress.
  void submit(const CopyCommand& command, Tick now);
  void submit(const CopyCommand&&, Tick) = delete;  // a temporary ends before its copy
  /// The memory's latency for the copy is known. Bursts leave as if it had been known from the start.
  void late_data(Tick latency);
  /// A burst of the lane has begun to leave.
  void room(unsigned lane, Tick now);
  /// The last burst of the lane has left.
  void left(unsigned lane, Tick now);

  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  void begin();
  struct Lane {
    explicit Lane(const BurstCutter& all) : requests(all), bursts(all) {}

    BurstCutter requests, bursts;  // the rest to request, and to send
    RingQueue<Tick> data;          // by requested burst that is not sent: arrival of its data
    unsigned held = 0;             // bursts at the hub that have not begun to leave
    std::uint64_t leaving = 0;     // bytes of the burst sent last
  };
  Tick edge_at(Tick t) const { return config_.clock == 0 ? t : (t + config_.clock - 1) / config_.clock * config_.clock; }
  void request(Tick now);
  void send(unsigned lane, Tick now);
  void finish(Tick left);

  Config config_;
  CopyEnginePort& port_;
  const CopyCommand* command_ = nullptr;
  std::vector<Lane> lanes_;
  unsigned lanes_left_ = 0, turn_ = 0;  // turn_: lane of the next request
  Tick start_ = 0;                      // the copy is launched
  Tick latency_ = 0, first_data_ = 0;   // latency_: from a request to its data; never: not known yet
  Tick free_at_ = 0;                    // the bursts before have passed through the engine
  std::uint64_t window_ = 0;            // window of the copy
  std::uint64_t outstanding_ = 0;       // bytes in the window
  SignalProbe busy_, copy_, outstanding_probe_;
};

}  // namespace tributary
