#pragma once
/// How many ports a device can have.

namespace tributary {

/// Of a switch, a router with the interfaces of its NIC, or any other device: the requests for an output, of up to 4 queues
/// at each input, are one 64-bit mask.
inline constexpr unsigned max_device_ports = 16;

}  // namespace tributary
