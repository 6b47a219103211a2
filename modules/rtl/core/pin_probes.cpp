#include "modules/rtl/core/pin_probes.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tributary {
namespace {

constexpr unsigned widest_signal = 64;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::uint64_t number_of(const PinBytes& pin) {
  std::uint64_t value = 0;
  std::memcpy(&value, pin.data, std::min(pin.size, sizeof value));
  return value;
}

}  // namespace

PinProbes::Shown::Shown(std::string its_name, std::string its_about, PinBytes its_pin, unsigned its_bits)
    : name(std::move(its_name)),
      about(std::move(its_about)),
      pin(its_pin),
      bits(its_bits),
      is_clock(name == "clk"),
      is_valid(ends_with(name, "_valid")) {}

PinProbes::PinProbes(const PinTable& table, const PinParameters& parameters, const PinSet& pins) {
  const auto add = [&](const std::string& name, const std::string& about, std::uint64_t bits) {
    if (const PinBytes pin = pins.find(name)) pins_.emplace_back(name, about, pin, static_cast<unsigned>(bits));
  };
  for (const FlatPin& pin : flat_pins(table)) add(pin.name, pin.about, width_of(table, pin.bits, pin.times, parameters));
  add("idle", "the block is idle", 1);
}

void PinProbes::describe(ProbeDirectory& directory, const std::string& prefix) {
  for (Shown& s : pins_)
    if (s.bits > widest_signal)
      directory.add(prefix + s.name, s.wide, s.about.c_str(), s.bits);
    else
      directory.add_signal(prefix + s.name, s.probe, SignalKind::level, s.bits, s.about.c_str());
}

bool PinProbes::observed() const {
  return std::any_of(pins_.begin(), pins_.end(), [](const Shown& s) { return s.probe.observed() || s.wide.observed(); });
}

void PinProbes::show(Tick edge, Tick half) const {
  for (const Shown& s : pins_) {
    if (s.is_clock) {
      s.probe(edge, 1);
      s.probe(edge + half, 0);
    } else if (s.bits > widest_signal) {
      s.wide(edge, s.pin.data);
    } else if (s.probe.observed()) {
      s.probe(edge, number_of(s.pin));
    }
  }
}

void PinProbes::show_idle(Tick edge) const {
  for (const Shown& s : pins_)
    if (s.is_valid) s.probe(edge, 0);
}

}  // namespace tributary
