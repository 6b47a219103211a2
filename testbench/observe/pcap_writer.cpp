#include "testbench/observe/pcap_writer.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include "testbench/observe/signal_selection.h"
#include "testbench/observe/trace_error.h"

namespace tributary {
namespace {

constexpr std::uint32_t magic_nanoseconds = 0xA1B23C4D, link_type_ethernet = 1, snapshot_bytes = 65535;
constexpr std::uint16_t version_major = 2, version_minor = 4;
constexpr Tick nanosecond = 1'000, second = 1'000'000'000'000;
const std::string link_probe = "link.sent";

/// Writes the least significant byte first.
template <unsigned bytes>
void put(OutputFile& out, std::uint64_t value) {
  for (unsigned i = 0; i < bytes; ++i) out.append(static_cast<char>(value >> 8 * i));
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

[[noreturn]] void refuse(const std::string& glob, const std::vector<std::string>& links) {
  const auto nearest = std::min_element(links.begin(), links.end(), [&](const std::string& a, const std::string& b) {
    return glob_distance(glob, a) < glob_distance(glob, b);
  });
  throw TraceError("--capture '" + glob + "' matches no link" +
                   (nearest == links.end() ? std::string() : "; nearest: " + *nearest) +
                   " (links are probes `...link.sent`, 'tributary list probes' shows them)");
}

}  // namespace

PcapWriter::PcapWriter(const std::string& file, const FrameFormat& format) : out_(file), codec_(format) {
  put<4>(out_, magic_nanoseconds);
  put<2>(out_, version_major);
  put<2>(out_, version_minor);
  put<8>(out_, 0);  // time zone, accuracy
  put<4>(out_, snapshot_bytes);
  put<4>(out_, link_type_ethernet);
}

PcapWriter::~PcapWriter() {
  try {
    finish();
  } catch (const std::exception&) {
    // The owner of the file has called finish() before, which has reported the error.
  }
}

void PcapWriter::attach(PacketProbe& sent, const std::string& name) {
  links_.push_back({this, static_cast<std::uint32_t>(links_.size()), name});
  sent.attach(&links_.back(), [](void* observer, Tick time, const PacketView& view) {
    const Link& link = *static_cast<Link*>(observer);
    link.writer->hold(time, link.index, *static_cast<const Packet*>(view.storage));
  });
}

std::size_t PcapWriter::attach(const ProbeDirectory& probes, const std::vector<std::string>& globs) {
  std::vector<std::string> names;
  std::vector<bool> used(globs.size(), false);
  std::size_t attached = 0;
  probes.for_each<PacketProbe>([&](const std::string& name, PacketProbe& probe) {
    if (!ends_with(name, link_probe)) return;
    names.push_back(name);
    bool wanted = globs.empty();
    for (std::size_t i = 0; i < globs.size(); ++i)
      if (glob_match(globs[i], name)) wanted = used[i] = true;
    if (!wanted) return;
    attach(probe, name);
    ++attached;
  });
  for (std::size_t i = 0; i < globs.size(); ++i)
    if (!used[i]) refuse(globs[i], names);
  return attached;
}

void PcapWriter::hold(Tick time, std::uint32_t link, const Packet& packet) {
  if (!open_) return;
  codec_.render(packet, frame_);
  const std::size_t bytes = frame_.size() - EthernetFrame::fcs;
  held_.push_back({time, link, static_cast<std::uint32_t>(bytes), bytes_.size()});
  bytes_.insert(bytes_.end(), frame_.begin(), frame_.begin() + static_cast<std::ptrdiff_t>(bytes));
}

void PcapWriter::place_at_watermark(Held& frame) {
  if (late_++ == 0)
    first_late_ = "a frame on '" + links_[frame.link].name + "' starts at " + std::to_string(frame.time) +
                  " ps, after the capture was written to " + std::to_string(watermark_) + " ps; it has that time there";
  frame.time = watermark_;
}

std::vector<std::string> PcapWriter::notes() const {
  if (late_ == 0) return {};
  return {first_late_ + (late_ == 1 ? "" : " (the first of " + std::to_string(late_) + " such frames)")};
}

void PcapWriter::advance(Tick watermark) {
  if (!open_ || watermark <= watermark_) return;
  due_.clear();
  kept_.clear();
  std::size_t still = 0;
  for (Held& h : held_) {
    if (h.time < watermark_) place_at_watermark(h);
    if (h.time < watermark) {
      due_.push_back(h);
      continue;
    }
    const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(h.begin);
    held_[still++] = {h.time, h.link, h.bytes, kept_.size()};
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

void PcapWriter::write(const Held& h) {
  put<4>(out_, h.time / second);
  put<4>(out_, h.time % second / nanosecond);
  put<4>(out_, h.bytes);
  put<4>(out_, h.bytes);
  out_.append(std::string_view(reinterpret_cast<const char*>(bytes_.data() + h.begin), h.bytes));
  ++frames_;
}

void PcapWriter::finish() {
  if (!open_) return;
  advance(never);
  open_ = false;
  out_.close();
}

}  // namespace tributary
