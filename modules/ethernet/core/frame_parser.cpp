// FrameCodec::parse: parses a frame layer by layer, up to the first layer that is wrong.

#include "modules/ethernet/core/aggregation_bytes.h"
#include "modules/ethernet/core/frame_codec.h"
#include "modules/ethernet/core/frame_layout.h"
#include "modules/ethernet/core/network_order.h"

namespace tributary {
namespace {

using Error = FrameError;

std::uint32_t reversed(const std::uint8_t* at) {
  return std::uint32_t{at[0]} | std::uint32_t{at[1]} << 8 | std::uint32_t{at[2]} << 16 | std::uint32_t{at[3]} << 24;
}

class Parser {
 public:
  Parser(const FrameFormat& format, const std::uint8_t* frame, std::size_t bytes)
      : plan_(format.addresses), frame_(frame), bytes_(bytes) {}

  ParsedFrame run() {
    const unsigned type = static_cast<unsigned>(load<2>(frame_ + 12));
    result_.error = type == EtherType::mac_control ? pause() : type == EtherType::ipv4 ? ipv4() : Error::not_ipv4;
    return result_;
  }

 private:
  RoceHeader& header() { return result_.header; }
  Error pause();
  Error ipv4();
  Error udp(const std::uint8_t* at, std::size_t bytes);
  Error bth(const std::uint8_t* at, std::size_t bytes);
  Error write(NetworkOrderReader in, std::size_t bytes, unsigned pad);
  Error tagged(std::uint32_t immediate);
  Error acknowledge(NetworkOrderReader in, std::size_t bytes);
  Error shim(const std::uint8_t* at, std::size_t bytes);
  Error payload(const std::uint8_t* at, std::size_t bytes, unsigned pad);
  Error stations();

  const AddressPlan& plan_;
  const std::uint8_t* frame_;
  std::size_t bytes_;  // without the FCS
  std::uint32_t source_ = 0, destination_ = 0;
  ParsedFrame result_;
};

Error Parser::pause() {
  header().kind = FrameKind::pause;
  NetworkOrderReader in(frame_ + EthernetFrame::mac);
  const bool ours = load<6>(frame_) == PauseFrame::group && in.take16() == PauseFrame::opcode;
  const unsigned classes = in.take16();
  if (!ours || classes == 0 || classes >> PauseFrame::classes != 0 || (classes & (classes - 1)) != 0) return Error::pause;
  unsigned paused = 0;
  while (classes >> paused != 1) ++paused;
  in.skip(2 * paused);
  header().extra = paused << 16 | in.take16();
  AddressPlan::Mac mac;
  for (std::size_t i = 0; i < mac.size(); ++i) mac[i] = frame_[mac.size() + i];
  const auto source = plan_.station(mac);
  if (source) header().source = *source;
  return source ? Error::none : Error::address;
}

Error Parser::ipv4() {
  const std::uint8_t* const ip = frame_ + EthernetFrame::mac;
  NetworkOrderReader in(ip);
  const unsigned version = in.take8(), service = in.take8(), length = in.take16();
  in.skip(2);
  const unsigned fragment = in.take16();
  in.skip(1);
  const unsigned protocol = in.take8(), sum = in.take16();
  source_ = in.take32(), destination_ = in.take32();
  if (version != Ipv4::version || (fragment & ~Ipv4::do_not_fragment) != 0) return Error::ip_header;
  if (sum != ipv4_checksum(ip)) return Error::ip_checksum;
  const std::size_t used = EthernetFrame::mac + std::size_t{length};
  const bool whole = used == bytes_ || (used < bytes_ && bytes_ == EthernetFrame::smallest - EthernetFrame::fcs);
  if (!whole || length < EthernetFrame::ipv4) return Error::length;
  if (protocol != Ipv4::udp) return Error::not_udp;
  header().ecn = service & 3;
  const Error error = udp(in.at(), length - EthernetFrame::ipv4);
  return error == Error::none ? stations() : error;
}

Error Parser::udp(const std::uint8_t* at, std::size_t bytes) {
  if (bytes < EthernetFrame::udp) return Error::length;
  NetworkOrderReader in(at);
  header().udp_port = in.take16();
  const unsigned port = in.take16(), length = in.take16();
  in.skip(2);
  if (length != bytes) return Error::length;
  bytes -= EthernetFrame::udp;
  if (port == UdpPort::roce || port == UdpPort::virtual_connection) {
    if (bytes < EthernetFrame::bth + EthernetFrame::icrc || bytes % 4 != 0) return Error::length;
    bytes -= EthernetFrame::icrc;
    const auto icrc = invariant_crc(frame_, static_cast<std::size_t>(in.at() - frame_) + bytes);
    if (!icrc || *icrc != reversed(in.at() + bytes)) return Error::icrc;
    return port == UdpPort::roce ? bth(in.at(), bytes) : shim(in.at(), bytes);
  }
  header().kind = FrameKind::datagram;
  return payload(in.at(), bytes, 0);
}

Error Parser::bth(const std::uint8_t* at, std::size_t bytes) {
  NetworkOrderReader in(at);
  const unsigned opcode = in.take8(), flags = in.take8();
  in.skip(3);
  header().queue_pair = in.take24();
  header().ack_request = (in.take8() & 0x80) != 0;
  header().psn = in.take24();
  if ((flags & BthFlags::version_mask) != 0) return Error::transport_version;
  bytes -= EthernetFrame::bth;
  if (opcode >= BthOpcode::write_first && opcode <= BthOpcode::write_only_immediate) {
    header().kind = static_cast<FrameKind>(opcode - BthOpcode::write_first);
    return write(in, bytes, flags >> BthFlags::pad_shift & BthFlags::pad_mask);
  }
  header().ack_request = 0;
  if (opcode == BthOpcode::acknowledge) return acknowledge(in, bytes);
  if (opcode != BthOpcode::cnp) return Error::opcode;
  header().kind = FrameKind::cnp;
  return bytes == EthernetFrame::cnp_reserved ? Error::none : Error::length;
}

Error Parser::write(NetworkOrderReader in, std::size_t bytes, unsigned pad) {
  const FrameKind kind = header().kind;
  const std::size_t more =
      (begins_write(kind) ? EthernetFrame::reth : 0) + (has_immediate(kind) ? EthernetFrame::immediate : 0);
  if (bytes < more) return Error::length;
  if (begins_write(kind)) {
    header().address = in.take<8>();
    in.skip(4);
    result_.write_bytes = in.take32();
  }
  if (kind == FrameKind::write_first) header().extra = result_.write_bytes;
  const std::uint32_t immediate = has_immediate(kind) ? in.take32() : 0;
  if (has_immediate(kind)) header().extra = immediate;
  const Error error = payload(in.at(), bytes - more, pad);
  if (error != Error::none || !begins_write(kind)) return error;
  if (kind != FrameKind::write_first && result_.write_bytes != result_.payload_bytes) return Error::write_length;
  return tagged(immediate);
}

/// Reads the aggregation header with which a first or only packet may begin.
Error Parser::tagged(std::uint32_t immediate) {
  const auto own = load_aggregation_header(reinterpret_cast<const std::byte*>(result_.payload), result_.payload_bytes);
  if (!own) return Error::none;
  const FrameKind kind = header().kind;
  header().tagged = 1;
  header().ring = own->ring, header().rank = own->rank, header().extra = own->message;
  result_.message_packets = own->message_packets;
  if (kind == FrameKind::write_first && result_.write_bytes != std::uint32_t{own->message_packets} * result_.payload_bytes)
    return Error::write_length;
  return has_immediate(kind) && immediate != own->message ? Error::immediate : Error::none;
}

Error Parser::acknowledge(NetworkOrderReader in, std::size_t bytes) {
  header().kind = FrameKind::ack;
  if (bytes != EthernetFrame::aeth) return Error::length;
  const unsigned syndrome = in.take8();
  header().extra = in.take24();
  if (syndrome == AethSyndrome::sequence_error)
    header().kind = FrameKind::nack;
  else if ((syndrome & AethSyndrome::kind_mask) != 0)
    return Error::syndrome;
  return Error::none;
}

Error Parser::shim(const std::uint8_t* at, std::size_t bytes) {
  NetworkOrderReader in(at);
  const unsigned opcode = in.take8(), flags = in.take8();
  header().ring = in.take16();
  header().extra = in.take32();
  header().psn = in.take16();
  header().rank = in.take16();
  header().tagged = (flags & VirtualShim::tagged) != 0;
  header().from_above = (flags & VirtualShim::from_above) != 0;
  bytes -= VirtualShim::bytes;
  if (opcode == VirtualShim::aggregate) {
    header().kind = FrameKind::aggregate;
    return payload(in.at(), bytes, flags >> BthFlags::pad_shift & BthFlags::pad_mask);
  }
  if (opcode != VirtualShim::notification) return Error::opcode;
  header().kind = FrameKind::notification;
  if (bytes != VirtualShim::notification_bytes) return Error::length;
  header().address = in.take<8>();
  in.skip(1);
  header().queue_pair = in.take24();
  in.skip(1);
  header().psn = in.take24();
  return Error::none;
}

Error Parser::payload(const std::uint8_t* at, std::size_t bytes, unsigned pad) {
  if (bytes < pad) return Error::length;
  result_.payload = at;
  result_.payload_bytes = static_cast<std::uint16_t>(bytes - pad);
  return Error::none;
}

Error Parser::stations() {
  const auto source = plan_.station(source_), destination = plan_.station(destination_);
  if (source) header().source = *source;
  if (destination) header().destination = *destination;
  return source && destination ? Error::none : Error::address;
}

}  // namespace

ParsedFrame FrameCodec::parse(const std::uint8_t* frame, std::size_t bytes, Fcs fcs) const {
  const std::size_t sum = fcs == Fcs::present ? EthernetFrame::fcs : 0;
  ParsedFrame failed;
  failed.error = FrameError::too_short;
  if (bytes < EthernetFrame::smallest - EthernetFrame::fcs + sum) return failed;
  failed.error = FrameError::fcs;
  bytes -= sum;
  if (sum != 0 && reversed(frame + bytes) != frame_check_sequence(frame, bytes)) return failed;
  return Parser(format_, frame, bytes).run();
}

}  // namespace tributary
