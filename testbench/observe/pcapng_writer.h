#pragma once
/// PcapngWriter: captures frames on links as a pcapng file.

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/ethernet/core/frame_codec.h"
#include "modules/link/core/directed_link.h"
#include "modules/packet/packet_view.h"
#include "testbench/observe/output_file.h"

namespace tributary {

/// Writes pcapng (IETF draft-ietf-opsawg-pcapng) for Wireshark and tshark: a section with an interface for each link, named
/// after it, of link type Ethernet, in nanoseconds, without FCS. The time of a frame is the start of its transmission,
/// rounded down; a frame appears once per link that it crosses.
///
/// Frames may arrive in any order and ahead of time, as devices send them within a window. They are held until a
/// watermark passes and then written sorted by (time, link); frames of one link keep their order. The file therefore
/// does not depend on the order in which devices run. A frame is encoded immediately, as its packet may change later:
/// the writer reads it through PacketView::storage, which on these links is the Packet itself.
class PcapngWriter {
 public:
  /// Creates the file. Throws OutputError.
  PcapngWriter(const std::string& file, const FrameFormat& format);
  /// Completes, if possible, a capture that was cut short by an error or a signal.
  ~PcapngWriter();
  PcapngWriter(const PcapngWriter&) = delete;
  PcapngWriter& operator=(const PcapngWriter&) = delete;

  /// Observes a link; `sent` fires at the start of each frame. Links are numbered in call order. `interface`: its name in
  /// the file; `rate`: of the link, 0 if unknown.
  void attach(PacketProbe& sent, const std::string& name, const std::string& interface, Bandwidth rate = {});
  /// Attaches to the probes `...link.sent` that at least one glob matches (all if there is no glob), in the order of
  /// their names, and returns their number. `links`: give the interfaces their names (`host0.port0>switch.port0`); others
  /// are named by their probe. Throws TraceError if a glob matches none.
  std::size_t attach(const ProbeDirectory& probes, const std::vector<std::string>& globs,
                     const std::vector<DirectedLink>& links = {});

  /// Writes all frames that start before `watermark`. Throws OutputError if the disk is full. A frame that is reported
  /// later, for a time before the watermark, gets the watermark as its time, and notes() names its link.
  void advance(Tick watermark);
  /// With `follow`, payloads of frames that have started may still be filled in, for `longest_fill` at most
  /// (docs/timing.md#devices-in-kernel-time): frames are written that much later, with their payloads of then.
  void payloads_follow(bool follow) { payloads_follow_ = follow; }
  /// All payloads are complete: no packet is read later.
  void payloads_complete();
  /// Writes the remaining frames and closes the file. Later frames are lost.
  void finish();
  std::uint64_t frames() const { return frames_; }  ///< frames written so far
  /// Returns a line about late frames; empty in a correct run.
  std::vector<std::string> notes() const;

 private:
  struct Link {
    PcapngWriter* writer;
    std::uint32_t index;
    std::string name;
  };
  struct Held {
    Tick time;
    std::uint32_t link;
    std::uint32_t bytes;
    std::size_t begin;         ///< index in `bytes_`
    Packet* packet = nullptr;  ///< its payload follows; holds a reference
  };
  static constexpr Tick longest_fill = 10'000'000;
  void hold(Tick time, std::uint32_t link, const Packet& packet);
  void place_at_watermark(Held& frame);
  void complete(Held& frame);
  void write(const Held& frame);

  OutputFile out_;
  FrameCodec codec_;
  std::deque<Link> links_;  ///< stable addresses, as the probes keep pointers to them
  std::vector<Held> held_;  ///< in call order
  std::vector<Held> due_;
  std::vector<std::uint8_t> bytes_, kept_, frame_;
  Tick watermark_ = 0;  ///< everything before it is written
  std::uint64_t frames_ = 0, late_ = 0;
  std::string first_late_;
  bool open_ = true, payloads_follow_ = false;
};

}  // namespace tributary
