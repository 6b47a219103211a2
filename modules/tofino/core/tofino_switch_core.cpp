#include "modules/tofino/core/tofino_switch_core.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "modules/tofino/core/worker_list.h"

namespace tributary {
namespace {

constexpr unsigned port_shift = 56;  // position of the port in Event::order
constexpr std::uint64_t passage_end = std::uint64_t{1} << 63;

bool is_update(const Packet& p, AggregationScheme scheme) { return roce(p).kind == update_frame_kind(scheme); }

}  // namespace

TofinoSwitchCore::TofinoSwitchCore(const TofinoSwitchConfig& config, EthernetLinks& links, PacketPool& pool, PoolPort& slots,
                                   AggregatorPort& aggregators)
    : config_(config),
      links_(links),
      pool_(pool),
      slots_(slots),
      aggregators_(aggregators),
      passes_(config.passes),
      scratch_(config.payload / 4 + 1) {
  if (config.stations.size() != config.passes.ports) throw std::invalid_argument("each port must have a station");
  for (std::size_t port = 0; port < config.stations.size(); ++port) {
    const std::uint16_t station = config.stations[port];
    if (station >= port_of_.size()) port_of_.resize(station + std::size_t{1}, -1);
    port_of_[station] = static_cast<int>(port);
  }
}

void TofinoSwitchCore::begin(std::vector<AggregationGroup> groups) {
  if (config_.scheme != AggregationScheme::atp && groups.size() > 1)
    throw std::invalid_argument("the pool of SwitchML supports one job at a time");
  for (const AggregationGroup& g : groups) {
    if (g.workers.empty() || g.workers.size() > 64) throw std::invalid_argument("a job must have 1 to 64 workers");
    for (const unsigned port : g.workers)
      if (port >= config_.passes.ports) throw std::invalid_argument("a worker at an unknown port");
    if (g.server >= config_.passes.ports) throw std::invalid_argument("a server at an unknown port");
  }
  groups_ = std::move(groups);
}

void TofinoSwitchCore::schedule(const Event& event) {
  events_.push_back(event);
  std::push_heap(events_.begin(), events_.end(), std::greater<>());
}

void TofinoSwitchCore::accept(unsigned port, Packet* frame, Tick head, Tick tail) {
  schedule({head + config_.passes.latency, std::uint64_t{port} << port_shift | arrivals_++, frame, tail});
}

// A result is marked by the queue of its port, so this queue must not contain frames that arrive later.
void TofinoSwitchCore::admit(const Event& arrival) {
  Packet* const frame = arrival.frame;
  const auto port = static_cast<unsigned>(arrival.order >> port_shift);
  const Tick head = arrival.when - config_.passes.latency;
  const unsigned gaps = EthernetFrame::preamble + EthernetFrame::gap;
  unsigned passes = 1;
  if (is_update(*frame, config_.scheme) && !read_update(*frame).result)
    passes = passes_.passes(update_value_bytes(*frame, config_.scheme));
  const unsigned pipelines = passes * config_.passes.chained;
  counters_.passages += pipelines;
  counters_.passage_bytes += std::uint64_t{pipelines} * (frame->wire_bytes - gaps);
  const PassScheduler::Passage passage = passes_.admit(port, frame->wire_bytes - gaps, passes, head, arrival.tail);
  if (passage.waited != 0) waited_(arrival.when, passage.waited);  // not before the frame is known
  schedule({passage.done, passage_end | arrival.order, frame, 0});
}

Tick TofinoSwitchCore::run(Tick horizon, bool safe_times) {
  while (!events_.empty() && events_.front().when <= horizon) {
    std::pop_heap(events_.begin(), events_.end(), std::greater<>());
    const Event e = events_.back();
    events_.pop_back();
    if ((e.order & passage_end) == 0)
      admit(e);
    else
      process(e.frame, static_cast<unsigned>((e.order & ~passage_end) >> port_shift), e.when);
  }
  const Tick next = events_.empty() ? never : events_.front().when;
  return std::min(next, links_.finish(horizon, safe_times, [](unsigned, const EthernetLinks::Sent&) {}));
}

const AggregationGroup* TofinoSwitchCore::group_of(const UpdateHeader& h) const {
  for (const AggregationGroup& g : groups_)
    if (g.job == h.job && (h.result || h.rank < g.workers.size())) return &g;
  return nullptr;
}

void TofinoSwitchCore::process(Packet* frame, unsigned port, Tick now) {
  if (frame->damage != whole) {
    ++counters_.damaged;
    damaged_(now, port);
  } else if (!is_update(*frame, config_.scheme)) {
    return forward(frame, now);
  } else {
    const UpdateHeader h = read_update(*frame);
    const AggregationGroup* const group = group_of(h);
    if (group == nullptr) return forward(frame, now);
    if (h.result) {
      pass_result(*frame, h, *group, now);
    } else {
      ++counters_.updates;
      if (config_.scheme != AggregationScheme::atp)
        update_pool(*frame, h, *group, now);
      else if (update_aggregators(frame, h, *group, now))
        return;
    }
  }
  frame->release();
}

/// Counts the accesses to registers of `values`, and the operands of a sum that leaves.
void TofinoSwitchCore::count_sum(unsigned values, bool stored, std::size_t operands) {
  if (stored) counters_.register_accesses += values;
  if (operands > 1) counters_.added_elements += (operands - 1) * values;
}

// Copies the values of a frame, which may have any alignment.
const std::int32_t* TofinoSwitchCore::aligned_values(const Packet& frame) {
  const std::byte* const values = update_values(frame, config_.scheme);
  const unsigned bytes = update_value_bytes(frame, config_.scheme);
  if (values == nullptr || bytes > scratch_.size() * 4) return nullptr;
  std::memcpy(scratch_.data(), values, bytes);
  return scratch_.data();
}

void TofinoSwitchCore::update_pool(const Packet& frame, const UpdateHeader& h, const AggregationGroup& group, Tick now) {
  const unsigned bytes = update_value_bytes(frame, config_.scheme);
  PoolTransaction t;
  t.slot = h.slot;
  t.packet = h.packet;
  t.version = h.version;
  t.rank = h.rank;
  t.exponent = h.exponent;
  t.count = static_cast<std::uint16_t>(bytes / 4);
  t.values = aligned_values(frame);
  t.now = now;
  const Tick ready = now + slots_.access(t);
  using Answer = PoolTransaction::Answer;
  const bool whole_sum = t.answer == Answer::completed;
  count_sum(t.count, whole_sum || t.answer == Answer::stored, whole_sum ? group.workers.size() : 0);
  if (t.answer == Answer::refused) ++counters_.refused, refused_(now, h.slot);
  if (t.answer != Answer::completed && t.answer != Answer::answered) return;
  UpdateHeader result = h;
  result.result = true;
  result.exponent = t.largest_exponent;
  const auto* const sum = reinterpret_cast<const std::byte*>(t.sum);
  const bool with_data = frame.payload != nullptr;
  if (t.answer == Answer::answered) return send_result(group.workers[h.rank], result, sum, bytes, with_data, ready);
  result.workers = all_workers(static_cast<unsigned>(group.workers.size()));
  for (const unsigned port : group.workers) send_result(port, result, sum, bytes, with_data, ready);
}

// Returns true if the frame has been forwarded to the server.
bool TofinoSwitchCore::update_aggregators(Packet* frame, const UpdateHeader& h, const AggregationGroup& group, Tick now) {
  const unsigned bytes = update_value_bytes(*frame, config_.scheme);
  AggregatorTransaction t;
  t.resent = h.resent;
  t.job = h.job;
  t.rank = h.rank;
  t.workers = static_cast<std::uint16_t>(group.workers.size());
  t.count = static_cast<std::uint16_t>(bytes / 4);
  t.chunk = h.packet;
  t.aggregator = h.slot;
  t.values = aligned_values(*frame);
  t.now = now;
  const Tick ready = now + aggregators_.access(t);
  using Answer = AggregatorTransaction::Answer;
  if (t.answer == Answer::refused) ++counters_.refused, refused_(now, h.slot);
  const bool leaves = t.answer == Answer::completed || t.answer == Answer::flushed;
  count_sum(t.count, t.answer == Answer::completed || t.answer == Answer::stored,
            leaves ? static_cast<std::size_t>(__builtin_popcountll(t.contributors)) : 0);
  if (leaves) {
    UpdateHeader sum = h;
    sum.workers = t.contributors;
    sum.resent = sum.floats = false;
    sum.overflow = t.overflow;
    Packet* const p = make_update(pool_, config_.scheme, sum, config_.station, config_.stations[group.server], bytes,
                                  frame->payload != nullptr);
    p->born = now;
    if (p->payload != nullptr && t.sum != nullptr) std::memcpy(update_values(*p, config_.scheme), t.sum, bytes);
    links_.push(group.server, p, p->vc, ready, ready);
    ++counters_.to_server;
  }
  if (!t.forward) return false;
  links_.push(group.server, frame, frame->vc, ready, ready);
  ++counters_.to_server;
  return true;
}

void TofinoSwitchCore::pass_result(const Packet& frame, const UpdateHeader& h, const AggregationGroup& group, Tick now) {
  AggregatorTransaction t;
  t.command = AggregatorTransaction::Command::free;
  t.job = h.job;
  t.chunk = h.packet;
  t.aggregator = h.slot;
  t.now = now;
  const Tick ready = now + aggregators_.access(t);
  for (std::size_t rank = 0; rank < group.workers.size(); ++rank)
    if ((h.workers >> rank & 1) != 0)
      send_result(group.workers[rank], h, update_values(frame, config_.scheme), update_value_bytes(frame, config_.scheme),
                  frame.payload != nullptr, ready);
}

void TofinoSwitchCore::send_result(unsigned port, const UpdateHeader& h, const std::byte* values, unsigned bytes,
                                   bool with_data, Tick ready) {
  Packet* const p = make_update(pool_, config_.scheme, h, config_.station, config_.stations[port], bytes, with_data);
  p->born = ready;
  if (p->payload != nullptr && values != nullptr) std::memcpy(update_values(*p, config_.scheme), values, bytes);
  if (config_.ecn_delay != never && passes_.free_at(port) > ready + config_.ecn_delay) {
    roce(*p).ecn = static_cast<std::uint8_t>(Ecn::congested) & 3u;
    ++counters_.marked;
    marked_(ready, port);
  }
  links_.push(port, p, p->vc, ready, ready);
  ++counters_.results;
}

void TofinoSwitchCore::forward(Packet* frame, Tick now) {
  const std::uint16_t to = roce(*frame).destination;
  if (to >= port_of_.size() || port_of_[to] < 0) {
    ++counters_.refused;
    refused_(now, to);
    return frame->release();
  }
  links_.push(static_cast<unsigned>(port_of_[to]), frame, frame->vc, now, now);
  ++counters_.forwarded;
}

std::vector<std::string> TofinoSwitchCore::waiting() const {
  if (events_.empty()) return {};
  return {"pipelines: " + std::to_string(events_.size()) + " packets"};
}

void TofinoSwitchCore::reset() {
  for (const Event& e : events_) e.frame->release();
  events_.clear();
  passes_.reset();
  arrivals_ = 0;
  counters_ = {};
}

void TofinoSwitchCore::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "passes.waited", waited_, SignalKind::strobe, 48,
                       "a packet waits for earlier packets of its port (ps)");
  directory.add_signal(prefix + "damaged", damaged_, SignalKind::strobe, 8, "a damaged frame is dropped (port)");
  directory.add_signal(prefix + "refused", refused_, SignalKind::strobe, 24,
                       "an update or frame is refused (slot or station)");
  directory.add_signal(prefix + "marked", marked_, SignalKind::strobe, 8,
                       "a result is marked: packets of its port are queued (port)");
}

}  // namespace tributary
