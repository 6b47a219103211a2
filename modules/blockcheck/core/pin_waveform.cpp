#include "modules/blockcheck/core/pin_waveform.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <typeindex>

#include "modules/base/probe.h"
#include "modules/base/wide_probe.h"

namespace tributary {
namespace {

using Word = std::array<std::uint8_t, sizeof(std::uint64_t)>;

Word word_of(std::uint64_t value) {
  Word bytes;
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(value), value >>= 8;
  return bytes;
}

bool is_valid_pin(const std::string& name) {
  const std::string end = "_valid";
  return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

void PinWaveform::add(const std::string& name, unsigned bits) {
  pins_.push_back({this, name, bits, bytes_, name == "clk", is_valid_pin(name)});
  bytes_ += pins_.back().bytes();
}

void PinWaveform::attach(const ProbeDirectory& probes) {
  const std::string of_pins = ".rtl.";
  for (const auto& [name, entry] : probes.entries()) {
    const std::size_t at = name.rfind(of_pins);
    const bool is_wide = entry.type == std::type_index(typeid(WideProbe));
    if (at == std::string::npos || (!is_wide && entry.type != std::type_index(typeid(SignalProbe)))) continue;
    add(name.substr(at + of_pins.size()), entry.width);
    Pin* const pin = &pins_.back();
    if (is_wide)
      static_cast<WideProbe*>(entry.probe)->attach(pin, [](void* p, Tick time, const std::uint8_t* value) {
        static_cast<Pin*>(p)->all->set(*static_cast<Pin*>(p), time, value);
      });
    else if (pin->is_clock)
      static_cast<SignalProbe*>(entry.probe)->attach(pin, [](void* p, Tick time, std::uint64_t value) {
        static_cast<Pin*>(p)->all->clock(time, value != 0);
      });
    else
      static_cast<SignalProbe*>(entry.probe)->attach(pin, [](void* p, Tick time, std::uint64_t value) {
        static_cast<Pin*>(p)->all->set(*static_cast<Pin*>(p), time, word_of(value).data());
      });
  }
}

/// A block shows its clock before its other pins.
void PinWaveform::clock(Tick time, bool high) {
  if (high)
    begin(time);
  else if (!ignores_ && !edges_.empty() && time > edges_.back().rise)
    edges_.back().fall = time;
}

void PinWaveform::begin(Tick rise) {
  while (!edges_.empty() && edges_.back().rise >= rise) edges_.pop_back();
  if (!edges_.empty() && edges_.back().idle != never && edges_.back().idle >= rise) edges_.back().idle = never;
  ignores_ = found_ && edges_.size() >= most_after && edges_[edges_.size() - most_after].rise > found_at_;
  if (ignores_) return;
  Edge edge;
  edge.rise = rise;
  if (!found_ && edges_.size() == most_before) {
    edge.values = std::move(edges_.front().values);
    edges_.pop_front();
  }
  edge.values.assign(bytes_, 0);
  edges_.push_back(std::move(edge));
}

/// A time after that of the edge is one at which no channel has a beat.
void PinWaveform::set(const Pin& pin, Tick time, const std::uint8_t* value) {
  if (ignores_ || edges_.empty() || time < edges_.back().rise) return;
  Edge& edge = edges_.back();
  if (time == edge.rise)
    std::memcpy(edge.values.data() + pin.offset, value, pin.bytes());
  else if (pin.is_valid)
    edge.idle = time;
}

void PinWaveform::difference_found() {
  found_ = true;
  found_at_ = edges_.empty() ? 0 : edges_.back().rise;
}

void PinWaveform::show(const Change& change) const {
  const std::uint8_t high = 1, low = 0;
  for (const Pin& pin : pins_)
    for (const Edge& edge : edges_) {
      change(pin.name, pin.bits, edge.rise, pin.is_clock ? &high : edge.values.data() + pin.offset);
      if (pin.is_clock && edge.fall != never) change(pin.name, pin.bits, edge.fall, &low);
      if (pin.is_valid && edge.idle != never) change(pin.name, pin.bits, edge.idle, &low);
    }
}

}  // namespace tributary
