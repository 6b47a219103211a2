#include "testbench/run/bottleneck.h"

#include <algorithm>

#include "testbench/run/chain_parts.h"

namespace tributary {
namespace {

/// A resource or a part of the path, by the fraction of the time that it explains.
struct Item {
  BottleneckCause cause;
  const BottleneckCandidate* resource;  ///< null: a part of the path
  std::string parameter;
  double share;
};

bool in_tolerance(double sum) { return sum >= 1 - bottleneck_closes && sum <= 1 + bottleneck_closes; }

double path_time(const BottleneckAccount& account) {
  double sum = 0;
  for (const PathPart& part : account.path) sum += part.time;
  return sum;
}

/// Returns the distance from the origin of a lack of room: a full table keeps waves from ending, but waves do not fill a
/// table.
int depth(BottleneckCause cause) {
  switch (cause) {
    case BottleneckCause::table_full:
      return 0;
    case BottleneckCause::retransmission:
      return 1;
    case BottleneckCause::replay_buffer:
    case BottleneckCause::credits:
      return 2;
    default:
      return 3;
  }
}

class Judgement {
 public:
  explicit Judgement(const BottleneckAccount& account)
      : account_(account), path_(account.whole_path ? path_time(account) / account.time : 0) {}

  std::optional<Bottleneck> claim() {
    if (account_.resources.empty() && account_.path.empty()) return std::nullopt;
    b_.path_share = std::min(1.0, path_);
    look();
    const std::vector<Item> binding = closing();
    b_.remark = account_.notice;
    if (binding.empty() || is_disturbed(binding)) {
      if (account_.disturbed >= bottleneck_disturbed) b_.remark = account_.disturbance;
      return b_;
    }
    describe(binding.front());
    for (const Item& item : binding) name(item.cause, item.parameter);
    for (const BottleneckNeed& need : account_.needs)
      if (need.used > 1 && has(need.of)) name(need.cause, need.parameter);
    b_.claim = b_.parameters.empty()       ? BottleneckClaim::unnamed
               : b_.parameters.size() == 1 ? BottleneckClaim::named
                                           : BottleneckClaim::together;
    return b_;
  }

 private:
  BottleneckCause path_cause() const { return account_.chain ? BottleneckCause::chain : BottleneckCause::start_up; }

  /// Fills in what was at work, the largest share first.
  void look() {
    for (const BottleneckCandidate& r : account_.resources)
      if (r.share > 0) b_.seen.push_back({r.cause, r.module, std::min(1.0, r.share)});
    if (path_ > 0) b_.seen.push_back({path_cause(), "", std::min(1.0, path_)});
    std::stable_sort(b_.seen.begin(), b_.seen.end(), [](const auto& x, const auto& y) { return x.share > y.share; });
    if (b_.seen.size() > bottleneck_seen) b_.seen.resize(bottleneck_seen);
    if (b_.seen.empty()) return;
    const BottleneckSeen& most = b_.seen.front();
    b_.cause = most.cause, b_.module = most.module, b_.share = most.share;
    for (const BottleneckCandidate& r : account_.resources)
      if (r.cause == b_.cause && r.module == b_.module) b_.type = r.type;
  }

  std::vector<Item> resources(BottleneckKind kind) const {
    std::vector<Item> all;
    for (const BottleneckCandidate& r : account_.resources)
      if (r.kind == kind && r.share > 0) all.push_back({r.cause, &r, r.parameter, r.share});
    std::stable_sort(all.begin(), all.end(), [](const Item& x, const Item& y) { return x.share > y.share; });
    return all;
  }

  /// Returns the items that explain the time, the largest first; none if the account does not close.
  std::vector<Item> closing() const {
    const std::vector<Item> busy = resources(BottleneckKind::busy);
    const double most = busy.empty() ? 0 : busy.front().share;
    if (most >= 1 - bottleneck_closes) return near(busy, bottleneck_apart);
    if (account_.chain && in_tolerance(path_)) return of_chain(busy);
    if (!account_.chain && path_ > 0 && (in_tolerance(most + path_) || in_tolerance(path_)))
      return with_path(busy, in_tolerance(path_) && most <= path_ / 2);
    const double idle = account_.chain ? 0 : path_;
    std::vector<Item> rooms = resources(BottleneckKind::room);
    const auto closes = [&](const Item& r) { return r.share >= 1 - bottleneck_closes || in_tolerance(r.share + idle); };
    rooms.erase(std::remove_if(rooms.begin(), rooms.end(), [&](const Item& r) { return !closes(r); }), rooms.end());
    std::stable_sort(rooms.begin(), rooms.end(),
                     [](const Item& x, const Item& y) { return depth(x.cause) < depth(y.cause); });
    if (rooms.size() > 1) rooms.resize(1);
    return rooms;
  }

  /// Returns the parts of the path, the longest first.
  std::vector<Item> path_parts() const {
    std::vector<Item> parts;
    for (const PathPart& part : account_.path)
      parts.push_back({path_cause(), nullptr, part.parameter, part.time / account_.time});
    std::stable_sort(parts.begin(), parts.end(), [](const Item& x, const Item& y) { return x.share > y.share; });
    return parts;
  }

  static constexpr double of_one_resource = 0.75;

  /// Returns the parts of a chain on which most of its time depends, the longest first. A part that is mainly the work of
  /// one busy resource becomes this resource; transfers over several links, one after another, do not.
  std::vector<Item> of_chain(const std::vector<Item>& busy) const {
    std::vector<Item> parts;
    for (const ChainPart& part : binding_parts(account_))
      parts.push_back({path_cause(), nullptr, part.parameter, part.share});
    for (Item& part : parts)
      for (const Item& resource : busy)
        if (part.resource == nullptr && resource.parameter == part.parameter &&
            resource.share > of_one_resource * part.share)
          part = resource;
    return parts;
  }

  /// Returns the largest of the busy resources and the parts of the path, with those near to it. `alone`: the path explains
  /// the time, and the busy resource works during half of it at most.
  std::vector<Item> with_path(const std::vector<Item>& busy, bool alone) const {
    const std::vector<Item> parts = path_parts();
    if (busy.empty() || alone || parts.front().share > busy.front().share + bottleneck_apart)
      return near(parts, bottleneck_path_apart);
    std::vector<Item> all = near(busy, bottleneck_apart);
    for (const Item& part : parts)
      if (part.share > all.front().share - bottleneck_apart) all.push_back(part);
    return all;
  }

  static std::vector<Item> near(std::vector<Item> all, double apart) {
    const double most = all.empty() ? 0 : all.front().share;
    all.erase(std::remove_if(all.begin(), all.end(), [&](const Item& i) { return i.share <= most - apart; }), all.end());
    return all;
  }

  bool is_disturbed(const std::vector<Item>& binding) const {
    if (account_.disturbed < bottleneck_disturbed) return false;
    for (const Item& item : binding)
      if (item.resource != nullptr && item.cause == account_.disturber) return false;
    return true;
  }

  void describe(const Item& item) {
    b_.cause = item.cause;
    b_.share = std::min(1.0, item.resource != nullptr ? item.share : path_);
    b_.module = item.resource != nullptr ? item.resource->module : "";
    b_.type = item.resource != nullptr ? item.resource->type : "";
  }

  bool has(BottleneckCause cause) const {
    return b_.cause == cause || std::find(b_.with.begin(), b_.with.end(), cause) != b_.with.end();
  }

  void name(BottleneckCause cause, const std::string& parameter) {
    if (parameter.empty() || std::find(b_.parameters.begin(), b_.parameters.end(), parameter) != b_.parameters.end()) return;
    b_.parameters.push_back(parameter);
    if (!has(cause)) b_.with.push_back(cause);
  }

  const BottleneckAccount& account_;
  double path_;
  Bottleneck b_;
};

}  // namespace

void BottleneckAccount::add_path(const std::vector<PathPart>& parts) {
  for (const PathPart& part : parts)
    if (part.time > 0) path.push_back(part);
}

void BottleneckAccount::disturb(double fraction, BottleneckCause cause, const std::string& text) {
  if (fraction <= disturbed) return;
  disturbed = fraction, disturber = cause, disturbance = percent_text(fraction) + text;
}

void BottleneckAccount::note(double fraction, const std::string& text) { notice = percent_text(fraction) + text; }

std::optional<Bottleneck> bottleneck_of(const BottleneckAccount& account) { return Judgement(account).claim(); }

std::optional<Bottleneck> largest_share(const std::vector<BottleneckCandidate>& resources) {
  const BottleneckCandidate* most = nullptr;
  for (const BottleneckCandidate& r : resources)
    if (r.share > 0 && (most == nullptr || r.share > most->share)) most = &r;
  if (most == nullptr) return std::nullopt;
  Bottleneck b;
  b.module = most->module, b.type = most->type, b.cause = most->cause, b.share = most->share;
  if (!most->parameter.empty()) b.claim = BottleneckClaim::named, b.parameters = {most->parameter};
  for (const BottleneckCandidate& r : resources)
    if (r.share > 0) b.seen.push_back({r.cause, r.module, r.share});
  std::stable_sort(b.seen.begin(), b.seen.end(), [](const auto& x, const auto& y) { return x.share > y.share; });
  if (b.seen.size() > bottleneck_seen) b.seen.resize(bottleneck_seen);
  return b;
}

}  // namespace tributary
