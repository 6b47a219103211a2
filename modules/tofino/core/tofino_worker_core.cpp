#include "modules/tofino/core/tofino_worker_core.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "modules/protocol/chunk_bits.h"
#include "modules/tofino/core/hashed_aggregators.h"

namespace tributary {
namespace {

constexpr unsigned value_bytes = 4;

}  // namespace

TofinoWorkerCore::TofinoWorkerCore(const TofinoWorkerConfig& config, EthernetLinks& links, PacketPool& pool,
                                   TofinoWorkerListener& listener)
    : config_(config), links_(links), pool_(pool), listener_(listener), scratch_(config.payload / value_bytes) {
  if (config.payload == 0 || config.payload % value_bytes != 0)
    throw std::invalid_argument("the values of a packet must be a multiple of 4 B");
}

void TofinoWorkerCore::post(const TofinoJob& job, Tick t0) {
  if (running_) throw std::logic_error("a worker supports one job at a time");
  if (job.bytes == 0 || job.bytes % value_bytes != 0 || job.operand % value_bytes != 0 || job.result % value_bytes != 0)
    throw std::invalid_argument(
        "sizes and addresses must be multiples of 4 B, and there must be at least one float32 value");
  job_ = job;
  chunks_ = static_cast<std::uint32_t>((job.bytes + config_.payload - 1) / config_.payload);
  lead_ = config_.shared_exponent ? std::min(config_.slots, chunks_) : 0;
  SlotWindow::Config window;
  window.packets = chunks_ + lead_;
  window.slots = std::min(config_.slots, std::max(1u, chunks_));
  window.timeout = config_.timeout;
  window.queue = config_.queue;
  window_.start(window, t0);
  congestion_.start(window.slots);
  slots_.assign(window.slots, Slot{});
  now_ = software_free_ = t0;
  running_ = true;
}

unsigned TofinoWorkerCore::values_of(std::int64_t chunk) const {
  if (chunk < 0) return 0;
  const std::uint64_t begin = static_cast<std::uint64_t>(chunk) * config_.payload;
  return static_cast<unsigned>(std::min<std::uint64_t>(config_.payload, job_.bytes - begin) / value_bytes);
}

FixedPoint TofinoWorkerCore::scaling(const Slot& slot) const {
  return config_.shared_exponent ? FixedPoint::of_exponent(slot.exponent, job_.workers)
                                 : FixedPoint(config_.scale, job_.workers);
}

void TofinoWorkerCore::accept(Packet* frame, Tick tail) {
  const auto earlier = [](const Result& a, const Result& b) { return a.when < b.when; };
  results_.insert_sorted(earlier, Result{tail + config_.receive_latency, frame});
}

Tick TofinoWorkerCore::run(Tick horizon, bool safe_times) {
  Tick next = never;
  for (;;) {
    const Tick result = results_.empty() ? never : results_.front().when, sending = next_send();
    next = std::min(result, sending);
    if (next > horizon) break;
    now_ = next;
    if (result <= sending) {
      const Result first = results_.front();
      results_.pop();
      receive(first);
      first.frame->release();
    } else {
      send(next);
    }
    if (running_ && window_.finished()) {
      running_ = false;
      listener_.worker_done(now_);
    }
  }
  return std::min(next, links_.finish(horizon, safe_times, [](unsigned, const EthernetLinks::Sent&) {}));
}

void TofinoWorkerCore::send(Tick now) {
  const SlotWindow::Sending sending = window_.take(now);
  UpdateHeader header;
  header.workers = std::uint64_t{1} << job_.rank;
  header.packet = sending.packet;
  header.slot = sending.slot;
  header.job = job_.job;
  header.rank = job_.rank;
  header.version = sending.version;
  if (!sending.resent) slots_[sending.slot].floats = false;
  const bool atp = config_.scheme == AggregationScheme::atp;
  if (atp) {
    header.slot = HashedAggregators::index_of(config_.index, job_.job, sending.packet, config_.aggregators);
    header.resent = sending.resent;
  }
  if (!write_values(sending, header, scratch_)) return;
  const unsigned bytes = values_of(chunk_of(sending.packet)) * value_bytes;
  memory_bytes_ += bytes;
  Packet* const frame =
      make_update(pool_, config_.scheme, header, config_.station, config_.destination, bytes, memory_ != nullptr);
  frame->born = now;
  if (frame->payload != nullptr && bytes != 0) std::memcpy(update_values(*frame, config_.scheme), scratch_.data(), bytes);
  software_free_ = now + config_.packet_time;
  const Tick ready = now + config_.send_latency;
  links_.push(0, frame, frame->vc, ready, ready);
  (sending.resent ? resent_ : sent_)(now, sending.packet);
}

// Returns false if the job has failed.
bool TofinoWorkerCore::write_values(const SlotWindow::Sending& sending, UpdateHeader& header,
                                    std::vector<std::int32_t>& values) {
  Slot& slot = slots_[sending.slot];
  const std::int64_t chunk = chunk_of(sending.packet);
  const bool atp = config_.scheme == AggregationScheme::atp;
  header.exponent = least_exponent;
  header.floats = slot.floats;
  if (slot.floats) header.resent = true;
  if (memory_ == nullptr) return true;
  if (config_.shared_exponent && sending.packet < chunks_) {  // chunk `packet` is the next one of the slot
    const std::uint64_t place = job_.operand + std::uint64_t{sending.packet} * config_.payload;
    const int exponent = exponent_of(at(place), values_of(sending.packet));
    if (exponent == no_exponent)
      return fail("a value of chunk " + std::to_string(sending.packet) + " is not a number"), false;
    header.exponent = static_cast<std::int16_t>(exponent);
  }
  if (chunk < 0) return true;
  const float* const operand = at(job_.operand + static_cast<std::uint64_t>(chunk) * config_.payload);
  const unsigned count = values_of(chunk);
  if (slot.floats) {
    std::memcpy(values.data(), operand, std::size_t{count} * value_bytes);
  } else if (!scaling(slot).encode(operand, count, values.data())) {
    if (!atp)
      return fail("a value of chunk " + std::to_string(chunk) + " times the scale, added up over " +
                  std::to_string(job_.workers) + " workers, can exceed 32 bits"),
             false;
    header.overflow = header.resent = true;  // no aggregator accepts it
  }
  return true;
}

void TofinoWorkerCore::receive(const Result& r) {
  const UpdateHeader header = read_update(*r.frame);
  const bool mine = header.result && header.job == job_.job && r.frame->damage == whole;
  if (!mine || !running_ || header.packet >= chunks_ + lead_) return;
  Slot& slot = slots_[header.packet % slots_.size()];
  if (header.overflow) {
    if (!window_.in_flight(header.packet)) return;
    slot.floats = true;
    window_.send_again(header.packet, r.when);
    return;
  }
  if (!window_.accept(header.packet, r.when)) {
    duplicate_(r.when, header.packet);
    return;
  }
  result_(r.when, header.packet);
  show<EthernetLink>(delivered_, r.when, *r.frame);
  store(header, *r.frame, slot);
  if (config_.scheme != AggregationScheme::atp) return;
  congestion_.accept(roce(*r.frame).ecn == static_cast<std::uint8_t>(Ecn::congested), header.packet, window_.sent());
  window_.set_limit(congestion_.size());
  window_probe_(r.when, congestion_.size());
}

void TofinoWorkerCore::store(const UpdateHeader& header, const Packet& frame, Slot& slot) {
  const std::int64_t chunk = chunk_of(header.packet);
  const std::byte* const values = update_values(frame, config_.scheme);
  const unsigned count = values_of(chunk);
  memory_bytes_ += std::uint64_t{count} * value_bytes;
  if (memory_ != nullptr && values != nullptr && chunk >= 0) {
    float* const result = at(job_.result + static_cast<std::uint64_t>(chunk) * config_.payload);
    if (header.floats) {
      std::memcpy(result, values, std::size_t{count} * value_bytes);
    } else {
      std::memcpy(scratch_.data(), values, std::size_t{count} * value_bytes);
      scaling(slot).decode(scratch_.data(), count, result);
    }
  }
  slot.exponent = header.exponent;
}

void TofinoWorkerCore::fail(const std::string& why) {
  running_ = false;
  listener_.worker_failed(now_, why);
}

std::vector<std::string> TofinoWorkerCore::waiting() const {
  std::vector<std::string> lines;
  if (running_) lines.push_back("worker: job " + std::to_string(job_.job) + ": " + window_.waiting());
  if (!results_.empty()) lines.push_back("worker: " + std::to_string(results_.size()) + " results to be read");
  return lines;
}

void TofinoWorkerCore::reset() {
  for (; !results_.empty(); results_.pop()) results_.front().frame->release();
  window_.reset();
  running_ = false;
  now_ = software_free_ = 0;
  memory_bytes_ = 0;
}

void TofinoWorkerCore::describe(ProbeDirectory& directory, const std::string& prefix) {
  const auto strobe = [&](const char* name, SignalProbe& probe, const char* about) {
    directory.add_signal(prefix + "worker." + name, probe, SignalKind::strobe, 32, about);
  };
  strobe("sent", sent_, "a packet is sent for the first time (packet)");
  strobe("resent", resent_, "a packet is sent again (packet)");
  strobe("result", result_, "a result is stored (packet)");
  directory.add(prefix + "worker.delivered", delivered_, "result when it is stored", chunk_bits<EthernetLink>,
                EthernetLink::opcode_names);
  strobe("duplicate", duplicate_, "a repeated result is dropped (packet)");
  directory.add_signal(prefix + "worker.window", window_probe_, SignalKind::level, counter_bits,
                       "packets that may be in flight (ATP)");
}

}  // namespace tributary
