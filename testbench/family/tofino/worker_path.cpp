#include "testbench/family/tofino/worker_path.h"

#include <algorithm>

namespace tributary {
namespace {

double ps(Time time) { return static_cast<double>(time.value); }

}  // namespace

WorkerPath::WorkerPath(AggregationScheme scheme, const TofinoPlatformParams& p, std::uint64_t message_bytes)
    : scheme_(scheme), params_(p), config_(TofinoScheme::of(scheme, p)) {
  const TofinoWorkerConfig& worker = config_.worker;
  const std::uint64_t payload = worker.payload, chunks = std::max<std::uint64_t>(1, (message_bytes + payload - 1) / payload);
  window_ = static_cast<double>(std::min<std::uint64_t>(worker.slots, chunks));
  const double lead = worker.shared_exponent ? window_ : 0;
  packets_ = static_cast<double>(chunks) + lead;
  if (chunks > worker.slots) {
    const bool rdma = scheme == AggregationScheme::switchml_rdma && p.switchml_rdma.window <= p.tofino_switch.slots;
    window_parameter_ = scheme == AggregationScheme::atp ? "tofino.atp.window"
                        : rdma                           ? "tofino.switchml_rdma.window"
                                                         : "tofino.switch.slots";
  }
  const double rate = static_cast<double>(p.link.rate.value) * 1e-12;
  const FrameKind kind = update_frame_kind(scheme);
  const auto wire = [&](unsigned values) {
    return EthernetFrame::wire_bytes(kind, update_header_bytes(scheme) + values) / rate;
  };
  const PassScheduler passes(config_.passes(1, p));
  const auto passage = [&](unsigned values) {
    return EthernetFrame::bytes(kind, update_header_bytes(scheme) + values) * passes.passes(values) / rate;
  };
  const auto values = static_cast<unsigned>(std::min<std::uint64_t>(payload, message_bytes));
  passes_ = passes.passes(values);
  wire_ = wire(values);
  passage_ = passage(values);
  passing_ = static_cast<double>(chunks) * passage_ + lead * passage(0);
  interval_ = std::max({wire_, passage_, packet_time()});
  lead_ = lead * std::max(wire(0), packet_time());
}

/// ATP sends a sum to the parameter server, whose result passes the switch once more.
std::vector<PathPart> WorkerPath::once() const {
  const bool rdma = scheme_ == AggregationScheme::switchml_rdma, atp = scheme_ == AggregationScheme::atp;
  const double ends = atp ? 2 : 1, passages = passes_ * config_.chained + (atp ? 1 : 0);
  return {{"tofino.host.tx_latency", ends * ps(params_.host.tx_latency)},
          {"tofino.host.rx_latency", ends * ps(params_.host.rx_latency)},
          {"tofino.switch.latency", passages * ps(params_.tofino_switch.latency)},
          {"tofino.link.latency", 2 * ends * ps(params_.link.latency)},
          {"tofino.link.rate", (2 * ends - 1) * wire_ + std::max(wire_, passage_)},
          {"tofino.switchml_rdma.turnaround", rdma ? ps(params_.switchml_rdma.turnaround) : 0}};
}

double WorkerPath::round_trip() const {
  double sum = 0;
  for (const PathPart& part : once()) sum += part.time;
  return sum;
}

double WorkerPath::round_trips() const {
  const bool waits = lead_ > 0 && *window_parameter_ == '\0';
  return 1 + (waits ? std::max(0.0, 1 - lead_ / round_trip()) : 0);
}

std::vector<PathPart> WorkerPath::parts() const {
  std::vector<PathPart> all = once();
  for (PathPart& part : all) part.time *= round_trips();
  return all;
}

}  // namespace tributary
