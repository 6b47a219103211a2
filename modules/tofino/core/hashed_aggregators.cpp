#include "modules/tofino/core/hashed_aggregators.h"

#include <algorithm>
#include <stdexcept>

#include "modules/tofino/core/fixed_point.h"
#include "modules/tofino/core/worker_list.h"

namespace tributary {

HashedAggregators::HashedAggregators(const Config& config) : config_(config), aggregators_(config.aggregators) {
  if (config.aggregators == 0 || config.values == 0)
    throw std::invalid_argument("aggregators and their values must not be 0");
  if (config.with_data) values_.resize(std::size_t{config.aggregators} * config.values);
}

void HashedAggregators::access(AggregatorTransaction& t) {
  const unsigned taken = taken_;
  t.answer = Answer::refused;
  t.forward = false;
  if (t.aggregator < config_.aggregators) {
    Aggregator& a = aggregators_[t.aggregator];
    if (t.command == AggregatorTransaction::Command::add) {
      if (t.workers <= 64 && t.rank < t.workers && t.count <= config_.values) add_values(t, a);
    } else if (a.there != 0 && a.job == t.job && a.chunk == t.chunk) {
      a.there = 0;
      --taken_;
      t.answer = Answer::freed;
    } else {
      t.answer = Answer::nothing;
    }
  }
  const SignalProbe* const probes[] = {&stored,  &completed, &repeated, &collided, &passed,
                                       &flushed, &freed,     nullptr,   &refused};
  if (const SignalProbe* probe = probes[static_cast<unsigned>(t.answer)]; probe != nullptr) (*probe)(t.now, t.aggregator);
  if (taken_ != taken) taken_probe(t.now, taken_);
}

void HashedAggregators::add_values(AggregatorTransaction& t, Aggregator& a) {
  const std::uint64_t bit = std::uint64_t{1} << t.rank;
  const bool same = a.used && a.job == t.job && a.chunk == t.chunk;
  if (a.there == 0) {
    if (!same && !t.resent) return take(t, a);
    t.answer = Answer::passed;
    t.forward = true;
  } else if (!same) {
    t.answer = Answer::collided;
    t.forward = true;
  } else if (t.resent) {
    hand_out(t, a);
    t.answer = Answer::flushed;
    t.forward = (a.there & bit) == 0;
    a.there = 0;
    --taken_;
  } else if ((a.there & bit) != 0) {
    t.answer = Answer::repeated;
  } else if (t.count == a.values) {
    std::int32_t* const sum = values_of(t.aggregator);
    if (sum != nullptr && t.values != nullptr) a.overflow |= !add(sum, t.values, t.count);
    a.there |= bit;
    t.answer = Answer::stored;
    if (a.there == all_workers(a.workers)) hand_out(t, a), t.answer = Answer::completed;
  }
}

void HashedAggregators::take(AggregatorTransaction& t, Aggregator& a) {
  a = {std::uint64_t{1} << t.rank, t.chunk, t.job, t.workers, t.count, true, false};
  ++taken_;
  std::int32_t* const sum = values_of(t.aggregator);
  if (sum != nullptr && t.values != nullptr) std::copy_n(t.values, t.count, sum);
  t.answer = Answer::stored;
  if (t.workers == 1) hand_out(t, a), t.answer = Answer::completed;
}

void HashedAggregators::hand_out(AggregatorTransaction& t, const Aggregator& a) {
  t.contributors = a.there;
  t.overflow = a.overflow;
  t.sum = values_of(t.aggregator);
}

std::vector<std::string> HashedAggregators::waiting() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < aggregators_.size(); ++i)
    if (const Aggregator& a = aggregators_[i]; a.there != 0 && a.there != all_workers(a.workers))
      lines.push_back("aggregator " + std::to_string(i) + ", job " + std::to_string(a.job) + ", chunk " +
                      std::to_string(a.chunk) + ": " + workers_there(a.there, a.workers));
  return lines;
}

void HashedAggregators::reset() {
  aggregators_.assign(aggregators_.size(), Aggregator{});
  taken_ = 0;
}

void HashedAggregators::describe(ProbeDirectory& directory, const std::string& prefix) {
  const auto strobe = [&](const char* name, SignalProbe& probe, const char* about) {
    directory.add_signal(prefix + name, probe, SignalKind::strobe, counter_bits, about);
  };
  strobe("stored", stored, "values are added, others are missing (aggregator)");
  strobe("completed", completed, "the last worker's values are added (aggregator)");
  strobe("repeated", repeated, "a repeated packet is dropped (aggregator)");
  strobe("collided", collided, "collision: another chunk has the aggregator, the packet goes to the server (aggregator)");
  strobe("passed", passed, "a late or resent packet goes to the server (aggregator)");
  strobe("flushed", flushed, "a resent packet: the partial sum goes to the server (aggregator)");
  strobe("freed", freed, "the chunk's result passes (aggregator)");
  strobe("refused", refused, "a packet with an unknown aggregator, rank or length is dropped (aggregator)");
  directory.add_signal(prefix + "taken", taken_probe, SignalKind::level, counter_bits,
                       "aggregators that are occupied by chunks");
}

}  // namespace tributary
