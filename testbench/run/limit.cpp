#include "testbench/run/limit.h"

#include <algorithm>

#include "modules/base/text_format.h"

namespace tributary {
namespace {

/// Returns the distance from the cause: a full table keeps waves from ending, but waves do not fill a table.
int depth(const LimitCandidate& c) {
  switch (c.cause) {
    case LimitCause::table_full:
      return 0;
    case LimitCause::retransmission:
    case LimitCause::padding:
      return 1;
    case LimitCause::credits:
      return 2;
    default:
      return 3;
  }
}

const LimitCandidate* largest(const std::vector<LimitCandidate>& all) {
  const LimitCandidate* best = nullptr;
  for (const LimitCandidate& c : all)
    if (best == nullptr || c.share > best->share) best = &c;
  return best;
}

double busiest(const std::vector<LimitCandidate>& all) {
  double most = 0;
  for (const LimitCandidate& c : all)
    if (c.kind == LimitKind::busy) most = std::max(most, c.share);
  return most;
}

const LimitCandidate* chosen(const std::vector<LimitCandidate>& all) {
  const LimitCandidate *work = nullptr, *room = nullptr, *table = nullptr, *lost = nullptr;
  for (const LimitCandidate& c : all) {
    if (c.kind == LimitKind::busy && c.share >= limit_saturated && (work == nullptr || c.share > work->share)) work = &c;
    if (c.kind == LimitKind::room && c.share >= limit_blocked && (room == nullptr || depth(c) < depth(*room))) room = &c;
    const bool refuses = c.kind == LimitKind::room && c.cause == LimitCause::table_full && c.share >= limit_blocked;
    if (refuses && (table == nullptr || c.share > table->share)) table = &c;
    const bool disturbed = c.kind == LimitKind::room && c.cause == LimitCause::retransmission && c.share >= limit_disturbed;
    if (disturbed && (lost == nullptr || c.share > lost->share)) lost = &c;
  }
  if (table != nullptr) return table;
  if (work != nullptr) return work;
  if (lost != nullptr) return lost;
  return room != nullptr ? room : largest(all);
}

double path(const std::vector<LimitCandidate>& all) {
  double sum = 0;
  for (const LimitCandidate& c : all)
    if (c.kind == LimitKind::rest) sum += c.weight;
  return sum;
}

/// `path`: sum of the weights on the critical path, including removed candidates.
void settle(std::vector<LimitCandidate>& all, double explained, double path) {
  const double most = std::max(explained, busiest(all));
  for (LimitCandidate& c : all) {
    if (c.kind == LimitKind::rest) c.share = path > 0 ? (1 - most) * c.weight / path : 0;
    c.share = std::clamp(c.share, 0.0, 1.0);
  }
}

}  // namespace

const char* name_of(LimitCause cause) {
  switch (cause) {
    case LimitCause::link:
      return "link";
    case LimitCause::crossbar:
      return "crossbar";
    case LimitCause::memory:
      return "memory";
    case LimitCause::compute:
      return "compute";
    case LimitCause::copy_engine:
      return "copy_engine";
    case LimitCause::injection:
      return "injection";
    case LimitCause::software:
      return "software";
    case LimitCause::table_full:
      return "table_full";
    case LimitCause::credits:
      return "credits";
    case LimitCause::waves:
      return "waves";
    case LimitCause::window:
      return "window";
    case LimitCause::schedule:
      return "schedule";
    case LimitCause::retransmission:
      return "retransmission";
    case LimitCause::padding:
      return "padding";
    case LimitCause::start_up:
      return "start_up";
  }
  return "?";
}

std::optional<Limit> limit_of(const std::vector<LimitCandidate>& candidates) {
  std::vector<LimitCandidate> all = candidates;
  const double whole = path(all);
  settle(all, 0, whole);
  const LimitCandidate* first = chosen(all);
  if (first == nullptr) return std::nullopt;
  Limit limit{*first, {}};
  const bool rest = limit.kind == LimitKind::rest;
  const auto lifted = [&](const LimitCandidate& c) {
    if (c.kind == LimitKind::rest && c.parameter.empty()) return true;  // names no parameter that would remove it
    return (c.cause == limit.cause && !rest) || (!c.parameter.empty() && c.parameter == limit.parameter);
  };
  all.erase(std::remove_if(all.begin(), all.end(), lifted), all.end());
  const auto follows = [](const LimitCandidate& c) {
    return c.kind == LimitKind::room && c.cause != LimitCause::table_full;
  };
  all.erase(std::remove_if(all.begin(), all.end(), follows), all.end());
  settle(all, rest ? 0 : limit.share, whole);
  if (const LimitCandidate* next = largest(all); next != nullptr && next->share > 0) limit.next = *next;
  return limit;
}

std::string limit_text(const LimitCandidate& limit) {
  std::string text = name_of(limit.cause);
  if (!limit.module.empty()) text += " " + limit.module;
  text += ", " + fixed(100 * limit.share, 1) + "%";
  return limit.parameter.empty() ? text : text + " (" + limit.parameter + ")";
}

std::string limit_text(const Limit& limit) {
  const std::string text = limit_text(static_cast<const LimitCandidate&>(limit));
  return limit.next ? text + "; next " + limit_text(*limit.next) : text;
}

}  // namespace tributary
