#include "testbench/observe/pcapng_writer.h"

#include <algorithm>
#include <exception>
#include <map>
#include <string_view>
#include <tuple>

#include "testbench/observe/signal_selection.h"
#include "testbench/observe/trace_error.h"

namespace tributary {
namespace {

// Types of blocks and options (draft-ietf-opsawg-pcapng, 4).
constexpr std::uint32_t section_header = 0x0A0D0D0A, interface_description = 1, enhanced_packet = 6;
constexpr std::uint32_t byte_order_magic = 0x1A2B3C4D;
constexpr std::uint16_t version_major = 1, version_minor = 0, link_type_ethernet = 1;
constexpr std::uint16_t end_of_options = 0, application = 4;                            // options of a section
constexpr std::uint16_t name_option = 2, speed_option = 8, time_resolution_option = 9;  // of an interface
constexpr std::uint32_t no_snapshot_limit = 0;
constexpr char resolution = 9;  // 10^-9 s
constexpr Tick nanosecond = 1'000;
const std::string link_probe = "link.sent";

/// A block: its type, its length, the body, and the length again. Words have the least significant byte first.
class Block {
 public:
  explicit Block(std::uint32_t type) { put<4>(type), put<4>(0); }

  template <unsigned bytes>
  void put(std::uint64_t value) {
    for (unsigned i = 0; i < bytes; ++i) text_.push_back(static_cast<char>(value >> 8 * i));
  }
  /// Appends bytes, padded to whole words.
  void put_padded(std::string_view bytes) {
    text_.append(bytes);
    text_.resize((text_.size() + 3) / 4 * 4, '\0');
  }
  void option(std::uint16_t code, std::string_view value) {
    put<2>(code), put<2>(value.size());
    put_padded(value);
  }
  void write(OutputFile& out) {
    const auto length = text_.size() + 4;
    for (unsigned i = 0; i < 4; ++i) text_[4 + i] = static_cast<char>(length >> 8 * i);
    put<4>(length);
    out.append(text_);
  }

 private:
  std::string text_;
};

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

[[noreturn]] void refuse(const std::string& glob, const std::vector<std::string>& links) {
  const auto nearest = std::min_element(links.begin(), links.end(), [&](const std::string& a, const std::string& b) {
    return glob_distance(glob, a) < glob_distance(glob, b);
  });
  throw TraceError("--capture '" + glob + "' matches no link" +
                   (nearest == links.end() ? std::string() : "; nearest: " + *nearest) +
                   " (a link is named by both ends, SENDER>RECEIVER, or by its probe `...link.sent`)");
}

}  // namespace

PcapngWriter::PcapngWriter(const std::string& file, const FrameFormat& format) : out_(file), codec_(format) {
  Block section(section_header);
  section.put<4>(byte_order_magic);
  section.put<2>(version_major), section.put<2>(version_minor);
  section.put<8>(~std::uint64_t{0});  // length of the section is not given
  section.option(application, "Tributary");
  section.option(end_of_options, {});
  section.write(out_);
}

PcapngWriter::~PcapngWriter() {
  try {
    finish();
  } catch (const std::exception&) {
    // The owner of the file has called finish() before, which has reported the error.
  }
}

void PcapngWriter::attach(PacketProbe& sent, const std::string& name, const std::string& interface, Bandwidth rate) {
  Block description(interface_description);
  description.put<2>(link_type_ethernet), description.put<2>(0);
  description.put<4>(no_snapshot_limit);
  description.option(name_option, interface);
  if (rate.value != 0) {
    std::string speed;  // bits per second
    for (unsigned i = 0; i < 8; ++i) speed.push_back(static_cast<char>(8 * rate.value >> 8 * i));
    description.option(speed_option, speed);
  }
  description.option(time_resolution_option, std::string_view(&resolution, 1));
  description.option(end_of_options, {});
  description.write(out_);
  links_.push_back({this, static_cast<std::uint32_t>(links_.size()), name});
  sent.attach(&links_.back(), [](void* observer, Tick time, const PacketView& view) {
    const Link& link = *static_cast<Link*>(observer);
    link.writer->hold(time, link.index, *static_cast<const Packet*>(view.storage));
  });
}

std::size_t PcapngWriter::attach(const ProbeDirectory& probes, const std::vector<std::string>& globs,
                                 const std::vector<DirectedLink>& links) {
  std::vector<std::string> names;
  std::vector<bool> used(globs.size(), false);
  std::map<const PacketProbe*, const DirectedLink*> known;
  for (const DirectedLink& link : links) known[&link.transmitter->sent] = &link;
  std::size_t attached = 0;
  probes.for_each<PacketProbe>([&](const std::string& name, PacketProbe& probe) {
    if (!ends_with(name, link_probe)) return;
    const auto link = known.find(&probe);
    if (link != known.end() && link->second->transmitter->protocol() != ProtocolId::ethernet) return;
    names.push_back(name);
    bool wanted = globs.empty();
    for (std::size_t i = 0; i < globs.size(); ++i)
      if (glob_match(globs[i], name)) wanted = used[i] = true;
    if (!wanted) return;
    if (link == known.end())
      attach(probe, name, name);
    else
      attach(probe, name, link->second->name, link->second->transmitter->rate());
    ++attached;
  });
  for (std::size_t i = 0; i < globs.size(); ++i)
    if (!used[i]) refuse(globs[i], names);
  return attached;
}

void PcapngWriter::hold(Tick time, std::uint32_t link, const Packet& packet) {
  if (!open_) return;
  codec_.render(packet, frame_);
  const std::size_t bytes = frame_.size() - EthernetFrame::fcs;
  held_.push_back({time, link, static_cast<std::uint32_t>(bytes), bytes_.size()});
  if (payloads_follow_ && packet.payload != nullptr) {
    held_.back().packet = const_cast<Packet*>(&packet);
    held_.back().packet->acquire();
  }
  bytes_.insert(bytes_.end(), frame_.begin(), frame_.begin() + static_cast<std::ptrdiff_t>(bytes));
}

/// The header may have changed since the frame started; payload and ICRC are taken.
void PcapngWriter::complete(Held& frame) {
  const Packet& packet = *frame.packet;
  const FrameKind kind = roce(packet).kind;
  codec_.render(packet, frame_);
  const unsigned icrc = has_icrc(kind) ? EthernetFrame::icrc : 0;
  const std::size_t from = EthernetFrame::overhead(kind) - EthernetFrame::fcs - icrc;
  std::copy_n(frame_.data() + from, EthernetFrame::padded(kind, packet.payload_bytes) + icrc,
              bytes_.data() + frame.begin + from);
  frame.packet->release();
  frame.packet = nullptr;
}

void PcapngWriter::payloads_complete() {
  for (Held& h : held_)
    if (h.packet != nullptr) complete(h);
}

void PcapngWriter::place_at_watermark(Held& frame) {
  if (late_++ == 0)
    first_late_ = "a frame on '" + links_[frame.link].name + "' starts at " + std::to_string(frame.time) +
                  " ps, after the capture was written to " + std::to_string(watermark_) + " ps; it has that time there";
  frame.time = watermark_;
}

std::vector<std::string> PcapngWriter::notes() const {
  if (late_ == 0) return {};
  return {first_late_ + (late_ == 1 ? "" : " (the first of " + std::to_string(late_) + " such frames)")};
}

void PcapngWriter::advance(Tick watermark) {
  if (payloads_follow_ && watermark != never) watermark -= std::min(watermark, longest_fill);
  if (!open_ || watermark <= watermark_) return;
  due_.clear();
  kept_.clear();
  std::size_t still = 0;
  for (Held& h : held_) {
    if (h.time < watermark_) place_at_watermark(h);
    if (h.time < watermark) {
      if (h.packet != nullptr) complete(h);
      due_.push_back(h);
      continue;
    }
    const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(h.begin);
    held_[still++] = {h.time, h.link, h.bytes, kept_.size(), h.packet};
    kept_.insert(kept_.end(), from, from + h.bytes);
  }
  held_.resize(still);
  std::sort(due_.begin(), due_.end(), [](const Held& a, const Held& b) {
    return std::tie(a.time, a.link, a.begin) < std::tie(b.time, b.link, b.begin);
  });
  for (const Held& h : due_) write(h);
  bytes_.swap(kept_);
  watermark_ = watermark;
}

void PcapngWriter::write(const Held& h) {
  const std::uint64_t time = h.time / nanosecond;
  Block packet(enhanced_packet);
  packet.put<4>(h.link);
  packet.put<4>(time >> 32), packet.put<4>(time & 0xFFFFFFFF);
  packet.put<4>(h.bytes), packet.put<4>(h.bytes);
  packet.put_padded(std::string_view(reinterpret_cast<const char*>(bytes_.data() + h.begin), h.bytes));
  packet.write(out_);
  ++frames_;
}

void PcapngWriter::finish() {
  if (!open_) return;
  advance(never);
  open_ = false;
  out_.close();
}

}  // namespace tributary
