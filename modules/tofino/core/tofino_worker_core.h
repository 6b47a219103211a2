#pragma once
/// TofinoWorkerCore: a worker of SwitchML, SwitchML-RDMA or ATP (docs/systems/netreduce.md#baselines).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/ethernet/core/ethernet_links.h"
#include "modules/tofino/core/fixed_point.h"
#include "modules/tofino/core/slot_window.h"
#include "modules/tofino/core/update_header.h"
#include "modules/tofino/tofino_params.h"

namespace tributary {

/// Configuration of all workers of a switch.
struct TofinoWorkerConfig {
  AggregationScheme scheme = AggregationScheme::switchml;
  unsigned payload = 128;        ///< bytes of values in a packet, a multiple of 4
  std::uint32_t slots = 8192;    ///< slots of the pool; ATP and RDMA: packets of the window
  std::uint32_t queue = 25'957;  ///< packets queued or in flight
  Tick timeout = never;          ///< time until a packet is sent again
  Tick packet_time = 0;          ///< time of the software for a packet
  Tick send_latency = 0;         ///< time from the software to the first bit
  Tick receive_latency = 0;      ///< time from the last bit to the software, including its turnaround
  bool shared_exponent = false;  ///< SwitchML only
  double scale = 1;              ///< without shared exponents
  AggregatorIndex index = AggregatorIndex::job;
  std::uint32_t aggregators = 1;  ///< ATP only
  std::uint16_t station = 0;      ///< station of this host
  std::uint16_t destination = 0;  ///< destination of its updates: the switch, or the server of ATP
};

/// An all-reduce of float32 values.
struct TofinoJob {
  std::uint16_t job = 0, rank = 0, workers = 0;
  std::uint64_t operand = 0, result = 0;  ///< addresses in the host's memory, multiples of 4
  std::uint64_t bytes = 0;                ///< a multiple of 4
};

class TofinoWorkerListener {
 public:
  virtual ~TofinoWorkerListener() = default;
  /// All results are in memory.
  virtual void worker_done(Tick when) = 0;
  /// A value does not fit into int32 after scaling and addition in the switch.
  virtual void worker_failed(Tick when, const std::string& why) = 0;
};

/// Sends a packet of values for each slot as soon as the slot's previous result has arrived and the software is free. With
/// shared exponents, a round without values goes first: each packet carries the exponent of its slot's next values, and each
/// result the largest exponent of all workers, which scales the next values.
class TofinoWorkerCore {
 public:
  TofinoWorkerCore(const TofinoWorkerConfig& config, EthernetLinks& links, PacketPool& pool, TofinoWorkerListener& listener);

  /// Sets the memory of operands and results; null: only time is simulated.
  void set_memory(std::byte* memory) { memory_ = memory; }
  /// Throws std::logic_error while a job runs, std::invalid_argument if a size is not a multiple of 4.
  void post(const TofinoJob& job, Tick t0);

  /// A frame arrives; takes ownership of one reference.
  void accept(Packet* frame, Tick tail);
  /// Processes all events up to `horizon`. Returns the time of the next event.
  Tick run(Tick horizon, bool safe_times);

  bool idle() const { return !running_ && results_.empty(); }
  const SlotWindow& window() const { return window_; }
  /// Returns the bytes of values read from and written to memory since the last reset.
  std::uint64_t memory_bytes() const { return memory_bytes_; }
  std::vector<std::string> waiting() const;
  void reset();
  /// Adds the probes `prefix`worker.sent, .resent, .result, .delivered, .duplicate, .window.
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct Result {
    Tick when;
    Packet* frame;
  };
  struct Slot {
    std::int16_t exponent = least_exponent;  // exponent of the values that are sent now or next
    bool floats = false;                     // ATP: the current chunk is float32
  };
  /// Returns the chunk of a packet; -1 if the packet has no values.
  std::int64_t chunk_of(std::uint32_t packet) const { return static_cast<std::int64_t>(packet) - lead_; }
  unsigned values_of(std::int64_t chunk) const;
  FixedPoint scaling(const Slot& slot) const;
  float* at(std::uint64_t place) { return reinterpret_cast<float*>(memory_ + place); }
  Tick next_send() { return running_ ? std::max(window_.next(), std::max(now_, software_free_)) : never; }
  void send(Tick now);
  bool write_values(const SlotWindow::Sending& sending, UpdateHeader& header, std::vector<std::int32_t>& values);
  void receive(const Result& result);
  void store(const UpdateHeader& header, const Packet& frame, Slot& slot);
  void fail(const std::string& why);

  TofinoWorkerConfig config_;
  EthernetLinks& links_;
  PacketPool& pool_;
  TofinoWorkerListener& listener_;
  std::byte* memory_ = nullptr;
  TofinoJob job_;
  bool running_ = false;
  std::uint32_t chunks_ = 0, lead_ = 0;
  SlotWindow window_;
  CongestionWindow congestion_;
  std::vector<Slot> slots_;
  RingQueue<Result> results_;  // in order of time
  std::vector<std::int32_t> scratch_;
  Tick now_ = 0, software_free_ = 0;
  std::uint64_t memory_bytes_ = 0;
  SignalProbe sent_, resent_, result_, duplicate_, window_probe_;
  PacketProbe delivered_;
};

}  // namespace tributary
