#pragma once
/// FlitCode and FlitFormat: flit codes and control fields of message-based flow control (Huang et al., ISCA 2021, Table II
/// and Figure 8).
///
/// Segmentation assigns the codes and NICs use them; the route {Next, Eject} is carried in a RouterHeader. FlitFormat is
/// the control part as bits, the wire format of the hardware; only tests use it, to prove that all fields fit.

#include <cstdint>
#include <stdexcept>

namespace tributary {

/// Three bits on the wire. The first bit separates normal packets (1) from the sub-packets of a message (0). Only the first
/// flit of a message is a head; its sub-packets end with `sub_tail`, the last one with `message_tail`.
enum class FlitCode : std::uint8_t {
  message_head = 0b000,
  message_body = 0b001,
  sub_tail = 0b010,
  message_tail = 0b011,
  head = 0b100,
  body = 0b101,
  tail = 0b110,
  head_and_tail = 0b111,
};

constexpr bool is_normal(FlitCode c) { return (static_cast<unsigned>(c) & 0b100u) != 0; }
/// The flit carries routing information instead of payload.
constexpr bool is_head(FlitCode c) {
  return c == FlitCode::message_head || c == FlitCode::head || c == FlitCode::head_and_tail;
}
/// The output may switch to another VC after this flit.
constexpr bool ends_packet(FlitCode c) { return (static_cast<unsigned>(c) & 0b010u) != 0; }
/// The input releases its route after this flit; it holds a route from the head of a message to its last tail.
constexpr bool ends_route(FlitCode c) { return ends_packet(c) && c != FlitCode::sub_tail; }

/// Route of a message over one hop: the output port at the source's router, and the port by which the message leaves the
/// next router, the destination's. The source's router uses `next` and swaps the two, so that `eject` names, at the
/// destination, the port by which the source sent the message and thus the child or parent that sent it.
struct RouteInfo {
  std::uint8_t next = 0, eject = 0;
  constexpr RouteInfo swapped() const { return {eject, next}; }
};
constexpr bool operator==(RouteInfo a, RouteInfo b) { return a.next == b.next && a.eject == b.eject; }

/// Control part of a flit. A head holds source and destination (normal packet), or route and tree (message).
struct FlitControl {
  std::uint8_t vc = 0;
  FlitCode code = FlitCode::body;
  std::uint16_t destination = 0, source = 0;  ///< normal head only
  RouteInfo route;                            ///< message head only, like `tree`
  std::uint16_t tree = 0;
};

/// Bits of the control part, lowest first: VC 2, code 3, and in heads {destination, source} or {next 3, eject 3, tree}.
class FlitFormat {
 public:
  /// `node_bits`: width of a node or tree number, 1 to 16 (4 in the paper's 4x4 network). `port_bits`: width of a port
  /// number, 1 to 8; parallel links need more than the paper's 3.
  explicit FlitFormat(unsigned node_bits, unsigned port_bits = 3) : node_bits_(node_bits), port_bits_(port_bits) {
    if (node_bits == 0 || node_bits > 16) throw std::invalid_argument("a node number has 1 to 16 bits");
    if (port_bits == 0 || port_bits > 8) throw std::invalid_argument("a port number has 1 to 8 bits");
  }
  unsigned bits(FlitCode c) const {
    if (!is_head(c)) return vc_bits + code_bits;
    return vc_bits + code_bits + (is_normal(c) ? 2 * node_bits_ : 2 * port_bits_ + node_bits_);
  }
  /// Throws std::out_of_range when a field does not fit.
  std::uint64_t encode(const FlitControl& f) const;
  FlitControl decode(std::uint64_t bits) const;

 private:
  static constexpr unsigned vc_bits = 2, code_bits = 3;
  unsigned node_bits_, port_bits_;
};

}  // namespace tributary
