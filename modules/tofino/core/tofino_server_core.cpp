#include "modules/tofino/core/tofino_server_core.h"

#include <algorithm>
#include <cstring>

namespace tributary {
namespace {

constexpr AggregationScheme scheme = AggregationScheme::atp;

}  // namespace

void TofinoServerCore::accept(Packet* frame, Tick tail) {
  const auto earlier = [](const Arrival& a, const Arrival& b) { return a.when < b.when; };
  arrivals_.insert_sorted(earlier, Arrival{tail + config_.receive_latency, frame});
}

Tick TofinoServerCore::run(Tick horizon, bool safe_times) {
  while (next() <= horizon) {
    const Tick now = next();
    Packet* const frame = arrivals_.front().frame;
    arrivals_.pop();
    software_free_ = now + config_.packet_time;
    if (frame->damage == whole && roce(*frame).kind == FrameKind::datagram && !read_update(*frame).result)
      receive(*frame, now);
    frame->release();
  }
  return std::min(next(), links_.finish(horizon, safe_times, [](unsigned, const EthernetLinks::Sent&) {}));
}

void TofinoServerCore::receive(const Packet& frame, Tick now) {
  UpdateHeader header = read_update(frame);
  AtpServer::Update update;
  update.chunk = header.packet;
  update.contributors = header.workers;
  update.count = static_cast<std::uint16_t>(update_value_bytes(frame, scheme) / 4);
  update.overflow = header.overflow;
  update.floats = header.floats;
  update.values = update_values(frame, scheme);
  const AtpServer::Verdict verdict = server_.update(update, now);
  if (verdict.to == 0) return;
  header.workers = verdict.to;
  header.result = true;
  header.resent = false;
  header.overflow = verdict.answer == AtpServer::Answer::asks;
  header.floats = verdict.floats;
  const unsigned bytes = update_value_bytes(frame, scheme);
  Packet* const result =
      make_update(pool_, scheme, header, config_.station, config_.switch_station, bytes, frame.payload != nullptr);
  result->born = now;
  if (verdict.values != nullptr && result->payload != nullptr)
    std::memcpy(update_values(*result, scheme), verdict.values, bytes);
  const Tick ready = now + config_.send_latency;
  links_.push(0, result, result->vc, ready, ready);
}

std::vector<std::string> TofinoServerCore::waiting() const {
  std::vector<std::string> lines = server_.waiting();
  for (std::string& line : lines) line = "server: " + line;
  if (!arrivals_.empty()) lines.push_back("server: " + std::to_string(arrivals_.size()) + " packets to be read");
  return lines;
}

void TofinoServerCore::reset() {
  for (; !arrivals_.empty(); arrivals_.pop()) arrivals_.front().frame->release();
  server_.reset();
  software_free_ = 0;
}

}  // namespace tributary
