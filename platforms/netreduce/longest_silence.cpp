#include "platforms/netreduce/longest_silence.h"

#include <algorithm>
#include <cmath>

#include "platforms/attempts.h"

namespace tributary {
namespace {

double service_time(double bytes, Bandwidth rate) { return bytes / static_cast<double>(rate.value) * 1e12; }

}  // namespace

/// Returns the number of timeouts in a row that a queue pair may see. Without a limit, all hosts must get a frame through to
/// the accelerators, and an answer back, over as many lossy links as a path has.
double SilenceEstimate::most_timeouts(const NetReducePlatformParams& p) const {
  if (p.nic.retry_count != 0) return p.nic.retry_count + 1;
  constexpr double at_least = 64;  // queues that overflow also lose frames
  const double links = tree ? 10 : 4, frame = static_cast<double>(largest_frame);
  const double loss = std::max(p.link.loss_rate, p.link.answer_loss_rate.value_or(0));
  const double through = std::pow(crossing(loss, p.link.bit_error_rate, frame), links);
  return std::max(at_least, 2 * attempts(through, endpoints)) + faults;
}

/// Returns the time that a frame waits in queues behind other traffic: those of all switches drain through one port. Rate
/// control may slow a queue pair to its lowest rate.
double SilenceEstimate::queueing(const NetReducePlatformParams& p) const {
  const bool shared = p.ethernet_switch.pfc.on || background;
  const double buffers = static_cast<double>(p.ethernet_switch.buffer.value) * static_cast<double>(switches);
  const double frames = 2.0 * largest_frame;
  constexpr Bandwidth lowest = bytes_per_second(12'500'000);  // both presets
  return (shared ? service_time(buffers, p.link.rate) : 0) +
         (p.nic.dcqcn.on ? service_time(frames, p.nic.dcqcn.min_rate.value_or(lowest)) : 0);
}

double SilenceEstimate::picoseconds(const NetReducePlatformParams& p, std::uint64_t bytes) const {
  const double hop =
      static_cast<double>(p.link.latency.value + p.link.uplink_latency.value + p.ethernet_switch.latency.value);
  const Time answer = p.nic.ack_latency;  // until an ACK leaves, and again until it has an effect
  const Time nic =
      p.nic.tx_latency + std::max(p.nic.rx_latency, answer) + std::max(p.nic.completion_latency, answer) + answer * 2;
  const double host = static_cast<double>((nic + p.flow_control.turnaround).value);
  const double timeouts = static_cast<double>(p.nic.rto.value) * most_timeouts(p);
  const double all = static_cast<double>(bytes) * gpus;
  const double wire = service_time(2 * all, std::min(p.link.rate, p.host.inter_rate.value_or(p.link.rate)));
  const double reduction = service_time(served ? static_cast<double>(bytes) * endpoints : all, p.host.reduction_rate);
  const double hops = 2.0 * endpoints * static_cast<double>(p.host.hop.value);  // twice round a ring
  const double inside = gpus == 1 ? 0 : hops + service_time(all, p.host.intra_rate);
  return 4 * hop + host + timeouts + wire + reduction + inside + queueing(p);
}

}  // namespace tributary
