#include "modules/blockcheck/core/comparison.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "modules/base/field_type.h"

namespace tributary {
namespace {

using Kind = FieldValue::Kind;

class Comparison {
 public:
  /// `skipped`: bytes of the request's data before those of the answer.
  Comparison(const CompareRule& rule, Tick clock, std::uint64_t skipped)
      : rule_(rule), slack_(rule.clocks * clock), skipped_(skipped) {}

  void compare(const FieldValues& expected, const FieldValues& got) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      const bool aligned = i < expected.size() && expected[i].key == got[i].key;
      const FieldValue* const other = aligned ? &expected[i] : expected.find(got[i].key);
      if (other == nullptr)
        all_.push_back({got[i].key, "-", to_text(got[i])});
      else
        compare(*other, got[i]);
    }
    for (const FieldValue& value : expected)
      if (got.find(value.key) == nullptr) all_.push_back({value.key, to_text(value), "-"});
  }
  void compare_time(const std::string& field, Tick expected, Tick got) {
    if (rule_.kind == CompareRule::Kind::data || expected == got) return;
    const bool late = rule_.kind == CompareRule::Kind::late && got != never && got > expected && got - expected <= slack_;
    if (!late) all_.push_back({field, time_text(expected), time_text(got)});
  }
  /// Times relative to the nominal ones.
  void compare_beyond(const std::string& field, std::int64_t expected, std::int64_t got) {
    if (expected >= 0 && got >= 0) return compare_time(field, static_cast<Tick>(expected), static_cast<Tick>(got));
    if (rule_.kind == CompareRule::Kind::data || expected == got) return;
    const bool late = rule_.kind == CompareRule::Kind::late && got > expected && static_cast<Tick>(got - expected) <= slack_;
    if (!late) all_.push_back({field, std::to_string(expected) + " ps", std::to_string(got) + " ps"});
  }
  std::vector<FieldDifference> result() { return std::move(all_); }

 private:
  static std::string time_text(Tick t) { return t == never ? "never" : std::to_string(t) + " ps"; }

  void compare(const FieldValue& expected, const FieldValue& got) {
    if (got.kind == Kind::data) return compare_data(expected, got);
    if (got.kind == Kind::time && expected.kind != Kind::name) return compare_time(got.key, expected.number, got.number);
    const bool equal = got.kind == Kind::name || expected.kind == Kind::name
                           ? expected.text == got.text && expected.kind == got.kind
                           : expected.number == got.number;
    if (!equal) all_.push_back({got.key, to_text(expected), to_text(got)});
  }

  void compare_data(const FieldValue& expected, const FieldValue& got) {
    std::vector<std::byte> decoded;
    const bool is_file = expected.kind == Kind::name;
    if (is_file && !from_hex(expected.text, decoded)) return all_.push_back({got.key, expected.text, to_text(got)});
    const std::vector<std::byte>& bytes = is_file ? decoded : expected.bytes;
    if (bytes.size() != got.bytes.size())
      return all_.push_back({got.key, std::to_string(bytes.size()) + " B", std::to_string(got.bytes.size()) + " B"});
    if (bytes != got.bytes) list_elements(bytes, got);
  }

  void list_elements(const std::vector<std::byte>& expected, const FieldValue& got) {
    const std::size_t size = element_size(got.type);
    unsigned listed = 0, others = 0;
    for (std::size_t at = 0; at + size <= expected.size(); at += size) {
      if (std::memcmp(&expected[at], &got.bytes[at], size) == 0) continue;
      if (listed == most_elements) {
        ++others;
        continue;
      }
      ++listed;
      const std::string place = "[" + std::to_string(at / size) + "] (byte " + std::to_string(skipped_ + at) + ")";
      all_.push_back({got.key + place, element_text(got.type, &expected[at]), element_text(got.type, &got.bytes[at])});
    }
    if (others != 0) all_.push_back({got.key, "", std::to_string(others) + " more elements differ"});
    if (listed == 0) all_.push_back({got.key, "the last bytes differ", ""});
  }

  CompareRule rule_;
  Tick slack_;
  std::uint64_t skipped_;
  std::vector<FieldDifference> all_;
};

}  // namespace

CompareRule parse_compare_rule(const std::string& text) {
  if (text == "all") return {};
  if (text == "data") return {CompareRule::Kind::data, 0};
  const std::string late = "late:";
  try {
    if (text.compare(0, late.size(), late) == 0)
      return {CompareRule::Kind::late, parse_count(text.substr(late.size()), 1'000'000)};
  } catch (const UnitError&) {
  }
  throw std::invalid_argument("'" + text + "' is no comparison (legal: all, data, late:N, where N is a number of clocks)");
}

std::vector<FieldDifference> differences(const BlockAccess& expected, const BlockAccess& got, const CompareRule& rule,
                                         Tick clock) {
  const FieldValue* const skip = expected.request.find("skip");
  Comparison comparison(rule, clock, skip == nullptr ? 0 : skip->number);
  comparison.compare(expected.answer, got.answer);
  comparison.compare_beyond("interval", expected.signed_interval(), got.signed_interval());
  comparison.compare_beyond("latency", expected.signed_latency(), got.signed_latency());
  return comparison.result();
}

}  // namespace tributary
