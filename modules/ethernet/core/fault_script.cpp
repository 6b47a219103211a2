#include "modules/ethernet/core/fault_script.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "modules/base/nearest.h"

namespace tributary {
namespace {

using Match = FaultRule::Match;

constexpr std::uint64_t largest = ~std::uint64_t{0};
const char* const legal =
    " (legal: ACTION:gradient:RANK:MSG:O[:TIMES], likewise result; ACTION:ack:RANK:N[:TIMES], likewise nack, cnp, "
    "notification; ACTION:LINK:N[:TIMES]; down:LINK@TIME. ACTION: drop, corrupt, flip or duplicate. LINK: the sending port, "
    "or FROM>TO: quote it in a shell)";

constexpr std::pair<const char*, FrameFate> actions[] = {{"drop", FrameFate::drop},
                                                         {"corrupt", FrameFate::corrupt},
                                                         {"flip", FrameFate::flip},
                                                         {"duplicate", FrameFate::duplicate}};
constexpr std::pair<const char*, Match> meanings[] = {{"gradient", Match::gradient}, {"result", Match::result},
                                                      {"ack", Match::ack},           {"nack", Match::nack},
                                                      {"cnp", Match::cnp},           {"notification", Match::notification}};

template <class Pairs>
auto find(const Pairs& pairs, const std::string& name) {
  return std::find_if(std::begin(pairs), std::end(pairs), [&](const auto& p) { return p.first == name; });
}
template <class Pairs, class E>
std::string name_of(const Pairs& pairs, E value) {
  return std::find_if(std::begin(pairs), std::end(pairs), [&](const auto& p) { return p.second == value; })->first;
}
template <class Pairs>
std::vector<std::string> names_of(const Pairs& pairs) {
  std::vector<std::string> names;
  for (const auto& p : pairs) names.emplace_back(p.first);
  return names;
}

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw std::invalid_argument("'" + text + "' is not a fault" + (why.empty() ? "" : ": " + why) + legal);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t colon = text.find(':', begin);
    parts.push_back(text.substr(begin, colon - begin));
    if (colon == std::string::npos) return parts;
    begin = colon + 1;
  }
}

/// Reads the numbers of a rule one after another.
class Numbers {
 public:
  Numbers(const std::string& text, const std::vector<std::string>& parts, std::size_t first)
      : text_(text), parts_(parts), next_(first) {}
  std::uint64_t take(const char* name, std::uint64_t least, std::uint64_t most) {
    if (next_ == parts_.size()) refuse(text_, std::string(name) + " is missing");
    const std::string& part = parts_[next_++];
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || value < least || value > most)
      refuse(text_, std::string(name) + " is '" + part + "', not a whole number from " + std::to_string(least) + " to " +
                        std::to_string(most));
    return value;
  }
  /// Returns TIMES; 1 if it is not given.
  std::uint64_t take_times() {
    const std::uint64_t times = next_ == parts_.size() ? 1 : take("TIMES", 1, largest);
    if (next_ != parts_.size()) refuse(text_, "'" + parts_[next_] + "' is unexpected");
    return times;
  }

 private:
  const std::string& text_;
  const std::vector<std::string>& parts_;
  std::size_t next_;
};

/// Accepts what looks like a link or a port, such as `host0.port0`.
void check_link(const std::string& text, const std::string& link) {
  if (link.find_first_of(">.") != std::string::npos) return;
  const std::vector<std::string> names = names_of(meanings);
  const std::vector<std::string> near = nearest_names(link, names);
  refuse(text, "'" + link + "' is neither a kind of frame nor a link" +
                   (near.empty() ? "" : "; did you mean " + join_names(near) + "?"));
}

FaultRule down(const std::string& text) {
  FaultRule rule;
  rule.match = Match::down;
  const std::size_t begin = std::string("down:").size(), at = text.rfind('@');
  if (at == std::string::npos || at < begin) refuse(text, "no @TIME");
  rule.link = text.substr(begin, at - begin);
  check_link(text, rule.link);
  rule.after = parse_time(text.substr(at + 1));
  return rule;
}

}  // namespace

bool operator==(const FaultRule& a, const FaultRule& b) {
  const auto all = [](const FaultRule& r) {
    return std::tie(r.fate, r.match, r.rank, r.message, r.number, r.times, r.link, r.after.value);
  };
  return all(a) == all(b);
}

FaultRule parse_fault_rule(const std::string& text) {
  if (text.rfind("down:", 0) == 0) return down(text);
  const std::vector<std::string> parts = split(text);
  const auto action = find(actions, parts[0]);
  if (action == std::end(actions)) refuse(text, "");
  if (parts.size() < 2) refuse(text, "no frame is named");
  FaultRule rule;
  rule.fate = action->second;
  Numbers numbers(text, parts, 2);
  const auto meaning = find(meanings, parts[1]);
  if (meaning == std::end(meanings)) {
    rule.link = parts[1];
    check_link(text, rule.link);
    rule.number = numbers.take("N", 0, largest);
  } else {
    rule.match = meaning->second;
    rule.rank = static_cast<std::uint16_t>(numbers.take("RANK", 0, 0xFFFF));
    const bool message = rule.match == Match::gradient || rule.match == Match::result;
    if (message) rule.message = static_cast<std::uint32_t>(numbers.take("MSG", 0, 0xFFFFFFFF));
    rule.number = message ? numbers.take("O", 0, 0xFFFF) : numbers.take("N", 0, largest);
  }
  rule.times = numbers.take_times();
  return rule;
}

std::string to_string(const FaultRule& rule) {
  if (rule.match == Match::down) return "down:" + rule.link + "@" + to_string(rule.after);
  std::string text = name_of(actions, rule.fate) + ":";
  if (rule.match == Match::place)
    text += rule.link;
  else
    text += name_of(meanings, rule.match) + ":" + std::to_string(rule.rank);
  if (rule.match == Match::gradient || rule.match == Match::result) text += ":" + std::to_string(rule.message);
  text += ":" + std::to_string(rule.number);
  return rule.times == 1 ? text : text + ":" + std::to_string(rule.times);
}

}  // namespace tributary
