#include "testbench/run/bottleneck.h"

#include <algorithm>

#include "modules/base/text_format.h"

namespace tributary {
namespace {

/// Returns the distance from the cause: a full table keeps waves from ending, but waves do not fill a table.
int depth(const BottleneckCandidate& c) {
  switch (c.cause) {
    case BottleneckCause::table_full:
      return 0;
    case BottleneckCause::retransmission:
    case BottleneckCause::padding:
      return 1;
    case BottleneckCause::credits:
      return 2;
    default:
      return 3;
  }
}

const BottleneckCandidate* largest(const std::vector<BottleneckCandidate>& all) {
  const BottleneckCandidate* best = nullptr;
  for (const BottleneckCandidate& c : all)
    if (best == nullptr || c.share > best->share) best = &c;
  return best;
}

double busiest(const std::vector<BottleneckCandidate>& all) {
  double most = 0;
  for (const BottleneckCandidate& c : all)
    if (c.kind == BottleneckKind::busy) most = std::max(most, c.share);
  return most;
}

const BottleneckCandidate* chosen(const std::vector<BottleneckCandidate>& all) {
  const BottleneckCandidate *work = nullptr, *room = nullptr, *table = nullptr, *lost = nullptr;
  for (const BottleneckCandidate& c : all) {
    if (c.kind == BottleneckKind::busy && c.share >= bottleneck_saturated && (work == nullptr || c.share > work->share))
      work = &c;
    if (c.kind == BottleneckKind::room && c.share >= bottleneck_blocked && (room == nullptr || depth(c) < depth(*room)))
      room = &c;
    const bool refuses =
        c.kind == BottleneckKind::room && c.cause == BottleneckCause::table_full && c.share >= bottleneck_blocked;
    if (refuses && (table == nullptr || c.share > table->share)) table = &c;
    const bool disturbed =
        c.kind == BottleneckKind::room && c.cause == BottleneckCause::retransmission && c.share >= bottleneck_disturbed;
    if (disturbed && (lost == nullptr || c.share > lost->share)) lost = &c;
  }
  if (table != nullptr) return table;
  if (work != nullptr) return work;
  if (lost != nullptr) return lost;
  return room != nullptr ? room : largest(all);
}

double path(const std::vector<BottleneckCandidate>& all) {
  double sum = 0;
  for (const BottleneckCandidate& c : all)
    if (c.kind == BottleneckKind::rest) sum += c.weight;
  return sum;
}

/// `path`: sum of the weights on the critical path, including removed candidates.
void settle(std::vector<BottleneckCandidate>& all, double explained, double path) {
  const double most = std::max(explained, busiest(all));
  for (BottleneckCandidate& c : all) {
    if (c.kind == BottleneckKind::rest) c.share = path > 0 ? (1 - most) * c.weight / path : 0;
    c.share = std::clamp(c.share, 0.0, 1.0);
  }
}

}  // namespace

const char* name_of(BottleneckCause cause) {
  switch (cause) {
    case BottleneckCause::link:
      return "link";
    case BottleneckCause::crossbar:
      return "crossbar";
    case BottleneckCause::memory:
      return "memory";
    case BottleneckCause::compute:
      return "compute";
    case BottleneckCause::copy_engine:
      return "copy_engine";
    case BottleneckCause::injection:
      return "injection";
    case BottleneckCause::software:
      return "software";
    case BottleneckCause::table_full:
      return "table_full";
    case BottleneckCause::credits:
      return "credits";
    case BottleneckCause::waves:
      return "waves";
    case BottleneckCause::window:
      return "window";
    case BottleneckCause::schedule:
      return "schedule";
    case BottleneckCause::retransmission:
      return "retransmission";
    case BottleneckCause::padding:
      return "padding";
    case BottleneckCause::start_up:
      return "start_up";
  }
  return "?";
}

const char* name_of(BottleneckClaim claim) {
  switch (claim) {
    case BottleneckClaim::named:
      return "named";
    case BottleneckClaim::together:
      return "together";
    case BottleneckClaim::unnamed:
      return "unnamed";
  }
  return "?";
}

std::optional<Bottleneck> bottleneck_of(const std::vector<BottleneckCandidate>& candidates) {
  std::vector<BottleneckCandidate> all = candidates;
  const double whole = path(all);
  settle(all, 0, whole);
  const BottleneckCandidate* first = chosen(all);
  if (first == nullptr) return std::nullopt;
  Bottleneck bottleneck{*first, BottleneckClaim::named, {first->parameter}, {}};
  if (first->parameter.empty()) bottleneck.claim = BottleneckClaim::unnamed, bottleneck.parameters.clear();
  const bool rest = bottleneck.kind == BottleneckKind::rest;
  const auto lifted = [&](const BottleneckCandidate& c) {
    if (c.kind == BottleneckKind::rest && c.parameter.empty()) return true;  // names no parameter that would remove it
    return (c.cause == bottleneck.cause && !rest) || (!c.parameter.empty() && c.parameter == bottleneck.parameter);
  };
  all.erase(std::remove_if(all.begin(), all.end(), lifted), all.end());
  const auto follows = [](const BottleneckCandidate& c) {
    return c.kind == BottleneckKind::room && c.cause != BottleneckCause::table_full;
  };
  all.erase(std::remove_if(all.begin(), all.end(), follows), all.end());
  settle(all, rest ? 0 : bottleneck.share, whole);
  if (const BottleneckCandidate* next = largest(all); next != nullptr && next->share > 0) bottleneck.next = *next;
  return bottleneck;
}

std::string bottleneck_text(const BottleneckCandidate& bottleneck) {
  std::string text = name_of(bottleneck.cause);
  if (!bottleneck.module.empty()) text += " " + bottleneck.module;
  text += ", " + fixed(100 * bottleneck.share, 1) + "%";
  return bottleneck.parameter.empty() ? text : text + " (" + bottleneck.parameter + ")";
}

std::string bottleneck_text(const Bottleneck& bottleneck) {
  const std::string text = bottleneck_text(static_cast<const BottleneckCandidate&>(bottleneck));
  return bottleneck.next ? text + "; next " + bottleneck_text(*bottleneck.next) : text;
}

}  // namespace tributary
