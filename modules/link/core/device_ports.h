#pragma once
/// PortMask: sets of a device's ports.

#include <cstdint>

namespace tributary {

/// A bit per port.
using PortMask = std::uint64_t;
inline constexpr unsigned max_device_ports = 64;

constexpr PortMask port_bit(unsigned port) { return PortMask{1} << port; }
/// Returns the lowest port of a set that is not empty.
inline unsigned first_port(PortMask ports) { return static_cast<unsigned>(__builtin_ctzll(ports)); }

}  // namespace tributary
