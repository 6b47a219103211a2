#include "platforms/netreduce/server_agent_core.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tributary {

void ServerAgentCore::post(ServerPlan plan) {
  plan_ = std::move(plan);
  workers_.clear();
  for (std::size_t w = 0; w < plan_.workers.size(); ++w) workers_[plan_.workers[w].pair] = w;
}

void ServerAgentCore::arrived(unsigned queue_pair, std::uint32_t slice, Tick when) {
  add(slice, workers_.at(queue_pair), when);
}

void ServerAgentCore::add(std::uint32_t slice, std::size_t worker, Tick now) {
  const ServerPlan::Slice& s = plan_.slices.at(slice);
  Sum& sum = sums_[slice];
  sum.has.resize(plan_.workers.size());
  if (sum.has[worker]) throw std::logic_error("slice " + std::to_string(slice) + " arrives twice from a worker");
  sum.has[worker] = true;
  operand_(now, slice);
  Tick added = now;
  if (sum.count++ == 0) {
    sum.first = worker;
  } else {
    additions_.add(s.bytes, element_size(plan_.type));
    if (memory_ != nullptr)
      apply(plan_.op, plan_.type, memory_ + plan_.buffer(sum.first, slice), memory_ + plan_.buffer(worker, slice), s.bytes);
    const double time = static_cast<double>(s.bytes) * 1e12 / static_cast<double>(rate_.value);
    added = idle_at_ = std::max(now, idle_at_) + static_cast<Tick>(time);
  }
  if (sum.count == plan_.workers.size())
    events_.insert_sorted([](const Event& a, const Event& b) { return a.when < b.when; }, added, slice);
}

Tick ServerAgentCore::run_until(Tick horizon) {
  while (!events_.empty() && events_.front().when <= horizon) {
    const Event e = events_.front();
    events_.pop();
    send(e.slice, e.when);
  }
  return next();
}

void ServerAgentCore::send(std::uint32_t slice, Tick now) {
  const ServerPlan::Slice& s = plan_.slices[slice];
  whole_(now, slice);
  for (const ServerPlan::Worker& worker : plan_.workers) {
    WriteRequest w;
    w.id = slice;
    w.local = plan_.buffer(sums_.at(slice).first, slice);
    w.remote = worker.base + s.address;
    w.bytes = w.data_bytes = s.bytes;
    w.immediate_valid = true;
    w.immediate = s.command;
    nic_.post_write(worker.pair, w, now);
  }
}

void ServerAgentCore::completed(unsigned, std::uint64_t id, Tick) {
  const auto sum = sums_.find(static_cast<std::uint32_t>(id));
  if (sum == sums_.end()) throw std::logic_error("slice " + std::to_string(id) + " is acknowledged but was never sent");
  if (++sum->second.answered == plan_.workers.size()) sums_.erase(sum);
}

void ServerAgentCore::failed(unsigned, Tick when, const std::string& why) { failed_(when, why); }

std::vector<std::string> ServerAgentCore::waiting() const {
  constexpr std::size_t most = 4;
  std::vector<std::string> lines;
  for (const auto& [slice, sum] : sums_) {
    if (lines.size() == most) {
      lines.push_back("server: " + std::to_string(sums_.size() - most) + " more slices");
      break;
    }
    std::string text = "server: slice " + std::to_string(slice) + ": ";
    if (sum.count == plan_.workers.size()) {
      text += "its sum is acknowledged by " + std::to_string(sum.answered) + " of " + std::to_string(sum.count) + " ranks";
    } else {
      text += std::to_string(sum.count) + " of " + std::to_string(plan_.workers.size()) + " operands, missing ranks";
      for (std::size_t w = 0; w < sum.has.size(); ++w)
        if (!sum.has[w]) text += " " + std::to_string(w);
    }
    lines.push_back(std::move(text));
  }
  return lines;
}

void ServerAgentCore::reset() {
  plan_ = {};
  workers_.clear();
  sums_.clear();
  events_.clear();
  idle_at_ = 0;
  additions_ = {};
}

void ServerAgentCore::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "operand", operand_, SignalKind::strobe, 32, "an operand has arrived (slice)");
  directory.add_signal(prefix + "sum", whole_, SignalKind::strobe, 32,
                       "a sum is complete, and is sent to all workers (slice)");
}

}  // namespace tributary
