/// Names and texts of bottlenecks.

#include "modules/base/text_format.h"
#include "testbench/run/bottleneck.h"

namespace tributary {
namespace {

/// Returns `a`, `a and b`, `a, b and c`.
std::string listed(const std::vector<std::string>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) text += (i == 0 ? "" : i + 1 < all.size() ? ", " : " and ") + all[i];
  return text;
}

std::string seen_text(const Bottleneck& b) {
  constexpr std::size_t shown = 3;
  std::string text;
  for (std::size_t i = 0; i < b.seen.size() && i < shown; ++i) {
    const BottleneckSeen& s = b.seen[i];
    text += (i == 0 ? "" : ", ") + std::string(s.cause == BottleneckCause::start_up ? "path" : name_of(s.cause));
    text += (s.module.empty() ? " " : " " + s.module + " ") + percent_text(s.share);
  }
  return text;
}

}  // namespace

std::string percent_text(double share) { return fixed(100 * share, 1) + "%"; }

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
    case BottleneckCause::channel:
      return "channel";
    case BottleneckCause::injection:
      return "injection";
    case BottleneckCause::software:
      return "software";
    case BottleneckCause::table_full:
      return "table_full";
    case BottleneckCause::replay_buffer:
      return "replay_buffer";
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
    case BottleneckCause::chain:
      return "chain";
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

std::string bottleneck_name(const Bottleneck& bottleneck) {
  return bottleneck.claim == BottleneckClaim::unnamed ? name_of(bottleneck.claim) : name_of(bottleneck.cause);
}

std::string bottleneck_parameters(const Bottleneck& bottleneck) {
  std::string text;
  for (const std::string& parameter : bottleneck.parameters) text += (text.empty() ? "" : "+") + parameter;
  return text;
}

std::string bottleneck_text(const Bottleneck& b) {
  const std::string remark = b.remark.empty() ? "" : "; " + b.remark;
  if (b.claim == BottleneckClaim::unnamed) {
    const std::string seen = seen_text(b);
    return "unnamed" + (seen.empty() ? "" : "; seen: " + seen) + remark;
  }
  std::string text = name_of(b.cause);
  if (!b.module.empty()) text += " " + b.module;
  text += ", " + percent_text(b.share);
  if (b.claim == BottleneckClaim::named) return text + " (" + b.parameters.front() + ")" + remark;
  std::vector<std::string> with;
  for (const BottleneckCause cause : b.with) with.emplace_back(name_of(cause));
  if (!with.empty()) text += ", with " + listed(with);
  return text + ": improve " + listed(b.parameters) + " together" + remark;
}

}  // namespace tributary
