#pragma once
/// FrameCheck: evaluates the checksums of a frame for the device that receives it.

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/ethernet/core/frame_codec.h"

namespace tributary {

enum class FrameChecking : std::uint8_t {
  flags,  ///< a damaged packet carries a mark, which receivers read
  bytes,  ///< each frame is rendered as bytes, and its checksums are computed over them
};
template <>
struct EnumNames<FrameChecking> {
  static const std::vector<std::pair<FrameChecking, std::string>>& names() {
    static const std::vector<std::pair<FrameChecking, std::string>> all{{FrameChecking::flags, "flags"},
                                                                        {FrameChecking::bytes, "bytes"}};
    return all;
  }
};

/// The checksum unit of one receiver, an accelerator or a NIC. Both kinds of checking give the same verdict.
class FrameCheck {
 public:
  FrameCheck(FrameChecking how, const FrameFormat& format) : how_(how), codec_(format) {}

  /// Returns fcs_wrong if both checksums are wrong; frames without ICRC are never icrc_wrong. With `bytes`, the frame that
  /// is parsed must equal the frame that was sent, in header and payload: throws std::logic_error, one line, if the model
  /// carries information that the frame cannot carry.
  FrameDamage operator()(const Packet& packet) {
    if (__builtin_expect(how_ == FrameChecking::bytes, 0)) return of_bytes(packet);
    if ((packet.damage & fcs_wrong) != 0) return fcs_wrong;
    return (packet.damage & icrc_wrong) != 0 && has_icrc(roce(packet).kind) ? icrc_wrong : whole;
  }
  /// Number of frames that were rendered as bytes.
  std::uint64_t rendered() const { return rendered_; }
  void reset() { rendered_ = 0; }

 private:
  FrameDamage of_bytes(const Packet& packet) {
    codec_.render(packet, frame_);
    ++rendered_;
    const ParsedFrame read = codec_.parse(frame_.data(), frame_.size());
    if (read.error == FrameError::fcs) return fcs_wrong;
    if (read.error == FrameError::icrc) return icrc_wrong;
    if (read.error != FrameError::none) fail(packet, frame_error_names[static_cast<unsigned>(read.error)]);
    if (!(read.header == carried(roce(packet)))) fail(packet, "its bytes give another header");
    const bool flipped = (packet.damage & icrc_wrong) != 0;  // a flipped bit in a frame without ICRC is not detected
    if (flipped) return whole;
    if (read.payload_bytes != packet.payload_bytes ||
        (packet.payload != nullptr && std::memcmp(read.payload, packet.payload, packet.payload_bytes) != 0))
      fail(packet, "its bytes give another payload");
    return whole;
  }
  [[noreturn]] static void fail(const Packet& packet, const std::string& why) {
    const RoceHeader& h = roce(packet);
    throw std::logic_error(std::string("the frame '") + frame_kind_names[static_cast<unsigned>(h.kind)] + "' of station " +
                           std::to_string(h.source) + " to " + std::to_string(h.destination) + ", PSN " +
                           std::to_string(h.psn) + ", cannot be sent: " + why);
  }

  FrameChecking how_;
  FrameCodec codec_;
  std::vector<std::uint8_t> frame_;
  std::uint64_t rendered_ = 0;
};

}  // namespace tributary
