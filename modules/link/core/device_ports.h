#pragma once
/// PortMask: sets of a device's ports.

#include <cstdint>
#include <type_traits>

#include "modules/base/host/wide.h"

namespace tributary {

/// A bit per port, for devices of up to max_word_ports ports.
using PortMask = std::uint64_t;
inline constexpr unsigned max_word_ports = 64;
/// A bit per port, for all devices. Switches of NVLink 5 have 72 ports.
using WidePortMask = Wide;
inline constexpr unsigned max_device_ports = 128;
/// The mask of a device of up to `ports` ports: a word where it suffices.
template <unsigned ports>
using PortMaskOf = std::conditional_t<(ports > max_word_ports), WidePortMask, PortMask>;

template <class Mask = PortMask>
constexpr Mask port_bit(unsigned port) {
  return Mask{1} << port;
}
template <class Mask>
constexpr bool has_port(Mask ports, unsigned port) {
  return static_cast<unsigned>(ports >> port & 1u) != 0;
}
/// Returns the lowest port of a set that is not empty.
inline unsigned first_port(PortMask ports) { return static_cast<unsigned>(__builtin_ctzll(ports)); }
inline unsigned first_port(WidePortMask ports) {
  const auto low = static_cast<std::uint64_t>(ports);
  return low != 0 ? first_port(low) : max_word_ports + first_port(static_cast<std::uint64_t>(ports >> max_word_ports));
}

}  // namespace tributary
