#include "modules/blockcheck/core/first_waveform.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tributary {
namespace {

using Kind = FieldValue::Kind;

/// Signals in the order of their first transactions, and their changes.
class Dump {
 public:
  void change(const std::string& name, Tick time, unsigned bits, std::string value) {
    const auto [place, added] = number_.emplace(name, signals_.size());
    if (added) signals_.push_back({name, 1, ""});
    Signal& signal = signals_[place->second];
    signal.bits = std::max(signal.bits, bits);
    changes_.push_back({time, place->second, std::move(value)});
  }
  void change(const std::string& name, Tick time, std::uint64_t value) { change(name, time, 64, binary(value)); }
  void change(const std::string& name, Tick time, const FieldValue& value) {
    if (value.kind == Kind::data)
      return change(name, time, static_cast<unsigned>(value.bytes.size() * 8), binary(value.bytes));
    if (value.kind == Kind::flag) return change(name, time, 1, std::string(value.number != 0 ? "1" : "0"));
    change(name, time, value.number);
    if (value.kind == Kind::name) names_[name].emplace(value.number, value.text);
  }
  /// `value`: little-endian, (bits + 7) / 8 bytes.
  void change(const std::string& name, Tick time, unsigned bits, const std::uint8_t* value) {
    std::string digits;
    for (unsigned bit = bits; bit-- > 0;) digits += static_cast<char>('0' + (value[bit / 8] >> (bit % 8) & 1));
    change(name, time, bits, std::move(digits));
  }

  void comment(const std::string& text) { comment_ += "$comment " + text + " $end\n"; }

  std::string text(const std::string& place) {
    std::string text = "$timescale 1 ps $end\n" + comment_;
    for (const auto& [name, values] : names_) {
      text += "$comment " + name + ":";
      for (const auto& [number, value] : values) text += " " + std::to_string(number) + "=" + value;
      text += " $end\n";
    }
    text += "$scope module " + place + " $end\n";
    for (std::size_t i = 0; i < signals_.size(); ++i)
      text += "$var wire " + std::to_string(signals_[i].bits) + " " + code(i) + " " + signals_[i].name + " $end\n";
    text += "$upscope $end\n$enddefinitions $end\n";
    append_changes(text);
    return text;
  }

 private:
  struct Signal {
    std::string name;
    unsigned bits;
    std::string shown;  // latest value in the text
  };
  struct Change {
    Tick time;
    std::size_t signal;
    std::string value;
  };
  void append_changes(std::string& text) {
    std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
    Tick now = never;
    for (const Change& c : changes_) {
      if (c.value == signals_[c.signal].shown) continue;
      if (c.time != now) text += "#" + std::to_string(now = c.time) + "\n";
      signals_[c.signal].shown = c.value;
      text += signals_[c.signal].bits == 1 ? c.value + code(c.signal) + "\n" : "b" + c.value + " " + code(c.signal) + "\n";
    }
  }
  /// Without leading zeros.
  static std::string binary(std::uint64_t value) {
    std::string bits;
    do bits.insert(bits.begin(), static_cast<char>('0' + (value & 1)));
    while ((value >>= 1) != 0);
    return bits;
  }
  /// Byte 0 is in the lowest bits.
  static std::string binary(const std::vector<std::byte>& bytes) {
    std::string bits;
    for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte)
      for (unsigned bit = 8; bit-- > 0;) bits += static_cast<char>('0' + (std::to_integer<unsigned>(*byte) >> bit & 1));
    return bits.empty() ? "0" : bits;
  }
  static std::string code(std::size_t signal) {
    std::string text;
    do text += static_cast<char>('!' + signal % 94);
    while ((signal /= 94) != 0);
    return text;
  }

  std::string comment_;
  std::map<std::string, std::size_t> number_;
  std::vector<Signal> signals_;
  std::vector<Change> changes_;
  std::map<std::string, std::map<std::uint64_t, std::string>> names_;  // enumerations
};

void add_answer(Dump& dump, const std::string& of, const FieldValues& answer, Tick time, Tick interval, Tick latency) {
  for (const FieldValue& value : answer) dump.change(of + "." + value.key, time + latency, value);
  dump.change(of + ".interval", time, interval);
  dump.change(of + ".latency", time, latency);
}

}  // namespace

void FirstWaveform::add(const BlockAccess& model, const BlockAccess& block, bool differs) {
  if (full()) return;
  after_ += found_;
  found_ = found_ || differs;
  steps_.push_back({model, block.answer, block.interval, block.latency, differs});
  if (!found_ && steps_.size() == most_before) steps_.pop_front();
}

std::string FirstWaveform::vcd(const std::string& place, const PinWaveform* pins, Tick shift) const {
  Dump dump;
  Tick time = 0;
  for (const Step& step : steps_) {
    time = time == 0 ? step.model.time : std::max(step.model.time, time + 1);
    dump.change("ticket", time, step.model.ticket);
    for (const FieldValue& value : step.model.request) dump.change("request." + value.key, time, value);
    add_answer(dump, "model", step.model.answer, time, step.model.interval, step.model.latency);
    add_answer(dump, "block", step.answer, time, step.interval, step.latency);
    dump.change("differs", time, 1, std::string(step.differs ? "1" : "0"));
  }
  if (pins != nullptr)
    pins->show([&](const std::string& pin, unsigned bits, Tick at, const std::uint8_t* value) {
      dump.change("rtl." + pin, at, bits, value);
    });
  if (shift != 0) dump.comment("rtl: pins are " + std::to_string(shift) + " ps later than the requests");
  return dump.text(place);
}

}  // namespace tributary
