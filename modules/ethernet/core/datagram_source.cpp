#include "modules/ethernet/core/datagram_source.h"

#include <stdexcept>

#include "modules/base/host/wide.h"
#include "modules/base/random.h"

namespace tributary {
namespace {

constexpr std::uint64_t gap_stream = 0x6761, destination_stream = 0x6465;

}  // namespace

DatagramSource::DatagramSource(const Config& config, EthernetLinks& links, unsigned port, PacketPool& pool)
    : config_(config), links_(links), port_(port), pool_(pool) {
  if (config.destinations.empty() || config.rate.value == 0 || config.queue == 0)
    throw std::invalid_argument("a source of datagrams needs a destination, a rate and a queue");
  const Wide time = Wide{EthernetFrame::wire_bytes(FrameKind::datagram, config.payload)} * 1'000'000'000'000u;
  interval_ = static_cast<Tick>(time / config.rate.value);
  remainder_ = static_cast<std::uint64_t>(time % config.rate.value);
}

void DatagramSource::start(Tick t0) {
  start_ = due_ = t0;
  stop_ = never;
  number_ = skipped_ = 0;
  if (config_.gaps == Gaps::random)
    due_ = t0 + below(random_at(config_.seed ^ gap_stream, config_.station, 0), 2 * interval_ + 1);
  if (config_.count == 0) due_ = never;
}

void DatagramSource::find_next() {
  ++number_;
  if (number_ == config_.count)
    due_ = never;
  else if (config_.gaps == Gaps::random)
    due_ += below(random_at(config_.seed ^ gap_stream, config_.station, number_), 2 * interval_ + 1);
  else
    due_ = start_ + number_ * interval_ + static_cast<Tick>(Wide{number_} * remainder_ / config_.rate.value);
}

void DatagramSource::run(Tick horizon) {
  while (next() <= horizon && next() != never) {
    links_.run(port_, due_ - 1);  // frames that have left until then no longer occupy the queue
    if (links_[port_].queued_packets(config_.traffic_class) < config_.queue)
      make();
    else
      ++skipped_;
    find_next();
  }
}

void DatagramSource::make() {
  Packet* const frame = make_frame(pool_, FrameKind::datagram, config_.payload, false);
  frame->born = due_;
  frame->vc = config_.traffic_class;
  RoceHeader& h = roce(*frame);
  h.source = config_.station;
  const std::uint64_t random = random_at(config_.seed ^ destination_stream, config_.station, number_);
  h.destination = config_.destinations[below(random, config_.destinations.size())];
  h.udp_port = config_.udp_port;
  h.psn = static_cast<std::uint32_t>(made()) & Psn::mask;
  h.ecn = static_cast<unsigned>(config_.ecn ? Ecn::capable : Ecn::not_capable) & 3u;
  links_.push(port_, frame, config_.traffic_class, due_, due_);
}

void DatagramSource::reset() {
  due_ = stop_ = never;
  number_ = skipped_ = 0;
}

}  // namespace tributary
