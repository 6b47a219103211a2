#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/ethernet/core/frame_codec.h"
#include "modules/packet/packet_view.h"
#include "testbench/observe/output_file.h"

namespace tributary {

/// Frames on links as a capture file: pcap with nanoseconds (magic 0xA1B23C4D), link type Ethernet, without FCS, for
/// Wireshark and tshark. A frame has the time at which it starts on the link, rounded down, and is there once for each link
/// that it crosses.
///
/// Frames may come in any order and ahead of time, as devices inside a window send them: they are held back until a
/// watermark passes and then written sorted by (time, link); those of one link keep their order. So the file does not depend
/// on the order in which devices run. A frame becomes bytes at once, for its packet may change later: the writer reads it
/// through PacketView::storage, which on these links is the Packet itself.
class PcapWriter {
 public:
  /// Creates the file, or throws OutputError.
  PcapWriter(const std::string& file, const FrameFormat& format);
  /// Finishes a capture that an error or a signal cut short, as far as that is possible.
  ~PcapWriter();
  PcapWriter(const PcapWriter&) = delete;
  PcapWriter& operator=(const PcapWriter&) = delete;

  /// Observes a link: `sent` fires at the start of each frame. Links are numbered in the order of these calls.
  void attach(PacketProbe& sent, const std::string& name);
  /// Probes `...link.sent` that at least one glob matches, all without a glob, in order of their names; how many. Throws
  /// TraceError when a glob matches none.
  std::size_t attach(const ProbeDirectory& probes, const std::vector<std::string>& globs);

  /// Writes everything that starts before `watermark`; nothing may start before it from now on: throws std::logic_error that
  /// names the link. OutputError when the disk is full.
  void advance(Tick watermark);
  /// Writes the rest and closes the file. Later frames are lost.
  void finish();
  std::uint64_t frames() const { return frames_; }  ///< written so far

 private:
  struct Link {
    PcapWriter* writer;
    std::uint32_t index;
    std::string name;
  };
  struct Held {
    Tick time;
    std::uint32_t link;
    std::uint32_t bytes;
    std::size_t begin;  ///< in `bytes_`
  };
  void hold(Tick time, std::uint32_t link, const Packet& packet);
  void write(const Held& frame);

  OutputFile out_;
  FrameCodec codec_;
  std::deque<Link> links_;  ///< stable addresses: the probes keep them
  std::vector<Held> held_;  ///< in call order
  std::vector<Held> due_;
  std::vector<std::uint8_t> bytes_, kept_, frame_;
  Tick watermark_ = 0;  ///< everything before it is written
  std::uint64_t frames_ = 0;
  bool open_ = true;
};

}  // namespace tributary
