#include "modules/tofino/core/atp_server.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "modules/tofino/core/worker_list.h"

namespace tributary {
namespace {

/// Adds numbers that may have any alignment.
template <class Number>
void add_numbers(double* sums, const std::byte* values, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    Number x;
    std::memcpy(&x, values + std::size_t{i} * sizeof x, sizeof x);
    sums[i] += static_cast<double>(x);
  }
}

constexpr double largest_int = 2147483647.0, smallest_int = -2147483648.0;

}  // namespace

AtpServer::AtpServer(const Config& config) : config_(config) {
  if (config.workers == 0 || config.workers > 64) throw std::invalid_argument("a server must have 1 to 64 workers");
  if (config.window == 0 || config.values == 0) throw std::invalid_argument("a server must have a window and values");
  chunks_.resize(std::size_t{2} * config.window);
  if (config.with_data) sums_.resize(chunks_.size() * config.values);
  result_.resize(std::size_t{config.values} * 4);
}

AtpServer::Verdict AtpServer::update(const Update& u, Tick now) {
  Chunk& c = chunks_[u.chunk % chunks_.size()];
  double* const sums = sums_of(c);
  Verdict v;
  const bool newer = !c.used || static_cast<std::int32_t>(u.chunk - c.chunk) > 0;
  if (newer) {
    c = {u.chunk, u.count, true, false, false, 0};
    if (sums != nullptr) std::fill_n(sums, config_.values, 0.0);
  }
  if (u.chunk == c.chunk && u.count == c.values && u.count <= config_.values) v = add(u, c, sums);
  const SignalProbe* const probes[] = {&added, &completed, &answered, &asks, &dropped};
  (*probes[static_cast<unsigned>(v.answer)])(now, u.chunk);
  return v;
}

AtpServer::Verdict AtpServer::add(const Update& u, Chunk& c, double* sums) {
  const std::uint64_t all = all_workers(config_.workers);
  if (c.done) {
    Verdict v = complete(c, sums);
    v.answer = Answer::answered;
    v.to = u.contributors;
    return v;
  }
  if (u.overflow && !c.floats) {
    c.floats = true;
    c.there = 0;
    if (sums != nullptr) std::fill_n(sums, config_.values, 0.0);
    return {Answer::asks, all, true, nullptr};
  }
  if (!u.floats && c.floats) {
    const std::uint64_t missing = u.contributors & ~c.there;
    if (missing == 0) return {};
    return {Answer::asks, missing, true, nullptr};
  }
  if (u.floats != c.floats || (u.contributors & c.there) != 0) return {};
  if (sums != nullptr && u.values != nullptr)
    u.floats ? add_numbers<float>(sums, u.values, u.count) : add_numbers<std::int32_t>(sums, u.values, u.count);
  if (c.there != 0) added_values_ += u.count;
  c.there |= u.contributors;
  if (c.there != all) return {Answer::added, 0, false, nullptr};
  c.done = true;
  return complete(c, sums);
}

AtpServer::Verdict AtpServer::complete(Chunk& c, const double* sums) {
  Verdict v{Answer::completed, all_workers(config_.workers), c.floats, nullptr};
  if (sums == nullptr) return v;
  const bool fits = std::all_of(sums, sums + c.values, [](double x) { return x >= smallest_int && x <= largest_int; });
  v.floats = c.floats || !fits;
  for (unsigned i = 0; i < c.values; ++i) {
    const auto whole = v.floats ? 0 : static_cast<std::int32_t>(sums[i]);
    const auto real = static_cast<float>(c.floats ? sums[i] : sums[i] / config_.scale);
    std::memcpy(result_.data() + std::size_t{i} * 4, v.floats ? static_cast<const void*>(&real) : &whole, 4);
  }
  v.values = result_.data();
  return v;
}

std::vector<std::string> AtpServer::waiting() const {
  std::vector<std::string> lines;
  for (const Chunk& c : chunks_)
    if (c.used && !c.done)
      lines.push_back("chunk " + std::to_string(c.chunk) + ": " + workers_there(c.there, config_.workers));
  return lines;
}

void AtpServer::reset() {
  chunks_.assign(chunks_.size(), Chunk{});
  added_values_ = 0;
}

void AtpServer::describe(ProbeDirectory& directory, const std::string& prefix) {
  const auto strobe = [&](const char* name, SignalProbe& probe, const char* about) {
    directory.add_signal(prefix + name, probe, SignalKind::strobe, 32, about);
  };
  strobe("added", added, "a sum is added, others are missing (chunk)");
  strobe("completed", completed, "the last sum is added: the result is sent to all workers (chunk)");
  strobe("answered", answered, "the result is sent again to workers that request it (chunk)");
  strobe("asks", asks, "float32 values are requested (chunk)");
  strobe("dropped", dropped, "an update is already in the sum, or of an old chunk (chunk)");
}

}  // namespace tributary
