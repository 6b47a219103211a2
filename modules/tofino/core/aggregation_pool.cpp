#include "modules/tofino/core/aggregation_pool.h"

#include <algorithm>
#include <stdexcept>

#include "modules/tofino/core/fixed_point.h"
#include "modules/tofino/core/worker_list.h"

namespace tributary {

using Answer = PoolTransaction::Answer;

AggregationPool::AggregationPool(const Config& config) : config_(config) {
  if (config.workers == 0 || config.workers > 64) throw std::invalid_argument("a pool must have 1 to 64 workers");
  if (config.slots == 0 || config.values == 0) throw std::invalid_argument("a pool must have slots and values");
  versions_.resize(std::size_t{2} * config.slots);
  if (config.with_data) values_.resize(std::size_t{2} * config.slots * config.values);
}

void AggregationPool::access(PoolTransaction& t) {
  const bool legal = t.slot < config_.slots && t.rank < config_.workers && t.count <= config_.values;
  const unsigned counting = counting_;
  if (legal) {
    Version* const both = &versions_[std::size_t{2} * t.slot];
    Version& version = both[t.version];
    t.answer = update(t, version, both[!t.version]);
    if (t.answer == Answer::completed || t.answer == Answer::answered) {
      t.largest_exponent = version.exponent;
      t.sum = values_of(t.slot, t.version);
    }
  } else {
    t.answer = Answer::refused;
  }
  const SignalProbe* const probes[] = {&stored, &completed, &answered, &dropped, &refused};
  (*probes[static_cast<unsigned>(t.answer)])(t.now, t.slot);
  if (counting_ != counting) counting_probe(t.now, counting_);
}

Answer AggregationPool::update(PoolTransaction& t, Version& version, Version& other) {
  const std::uint64_t bit = std::uint64_t{1} << t.rank;
  if ((version.seen & bit) != 0) return version.count == 0 ? Answer::answered : Answer::dropped;
  const bool first = version.count == 0;
  if (!first && t.count != version.values) return Answer::refused;
  version.seen |= bit;
  other.seen &= ~bit;
  std::int32_t* const sum = values_of(t.slot, t.version);
  if (first) {
    version.packet = t.packet;
    version.values = t.count;
    version.exponent = t.exponent;
    if (sum != nullptr && t.values != nullptr) std::copy_n(t.values, t.count, sum);
    ++counting_;
  } else {
    version.exponent = std::max(version.exponent, t.exponent);
    if (sum != nullptr && t.values != nullptr) add(sum, t.values, t.count);
  }
  version.count = static_cast<std::uint16_t>((version.count + 1) % config_.workers);
  if (version.count != 0) return Answer::stored;
  --counting_;
  return Answer::completed;
}

std::vector<std::string> AggregationPool::waiting() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < versions_.size(); ++i)
    if (const Version& v = versions_[i]; v.count != 0)
      lines.push_back("slot " + std::to_string(i / 2) + ", version " + std::to_string(i % 2) + ", packet " +
                      std::to_string(v.packet) + ": " + workers_there(v.seen, config_.workers));
  return lines;
}

void AggregationPool::reset() {
  versions_.assign(versions_.size(), Version{});
  counting_ = 0;
}

void AggregationPool::describe(ProbeDirectory& directory, const std::string& prefix) {
  const auto strobe = [&](const char* name, SignalProbe& probe, const char* about) {
    directory.add_signal(prefix + "slot." + name, probe, SignalKind::strobe, counter_bits, about);
  };
  strobe("stored", stored, "values are added, others are missing (slot)");
  strobe("completed", completed, "the last worker's values are added (slot)");
  strobe("answered", answered, "a worker requests a complete sum again (slot)");
  strobe("dropped", dropped, "a repeated packet is dropped: others are missing (slot)");
  strobe("refused", refused, "a packet with an unknown slot, rank or length is dropped (slot)");
  directory.add_signal(prefix + "slots.counting", counting_probe, SignalKind::level, counter_bits,
                       "slot versions that wait for workers");
}

}  // namespace tributary
