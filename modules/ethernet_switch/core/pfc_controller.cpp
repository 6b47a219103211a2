#include "modules/ethernet_switch/core/pfc_controller.h"

#include <algorithm>
#include <stdexcept>

#include "modules/link/core/serializer.h"

namespace tributary {

std::uint64_t pfc_headroom(const PfcPath& path) {
  const Tick time = 2 * path.link_latency + path.reaction + path.switch_latency;
  const Tick of_a_kilobyte = Serializer(path.rate, 1).serve(0, 1000);
  const std::uint64_t in_flight = (time * 1000 + of_a_kilobyte - 1) / of_a_kilobyte;
  const unsigned frames = path.cut_through ? 3 : 4;
  return in_flight + EthernetLink::header_bytes + EthernetFrame::wire_bytes(FrameKind::pause, 0) +
         std::uint64_t{frames} * path.largest_frame;
}

PfcController::PfcController(const Config& config, const SharedBuffer& buffer)
    : buffer_(buffer), quanta_(config.quanta), state_(config.quantum.size() * SharedBuffer::classes) {
  if (quanta_ < 2 || quanta_ > longest) throw std::invalid_argument("pause quanta must be 2 to 65535");
  for (const Tick quantum : config.quantum) interval_.push_back(quanta_ * quantum / 2);
}

// An input without a frame in the buffer has no departure that could resume it.
bool PfcController::arrived(unsigned input, unsigned traffic_class, bool refused, Tick now) {
  std::uint8_t& state = state_[index(input, traffic_class)];
  const bool pause = refused ? buffer_.holds(input, traffic_class) : buffer_.pauses(input, traffic_class);
  if (state != 0 || !pause) return false;
  state = 1;
  paused_.push_back({now + interval_[input], static_cast<std::uint8_t>(input), static_cast<std::uint8_t>(traffic_class)});
  next_ = std::min(next_, paused_.back().refresh);
  return true;
}

bool PfcController::departed(unsigned input, unsigned traffic_class) {
  std::uint8_t& state = state_[index(input, traffic_class)];
  if (state == 0 || !buffer_.resumes(input, traffic_class)) return false;
  state = 0;
  paused_.erase(std::find_if(paused_.begin(), paused_.end(),
                             [&](const Paused& p) { return p.input == input && p.traffic_class == traffic_class; }));
  find_next();
  return true;
}

void PfcController::find_next() {
  next_ = never;
  for (const Paused& p : paused_) next_ = std::min(next_, p.refresh);
}

std::vector<std::string> PfcController::waiting() const {
  std::vector<std::string> lines;
  for (const Paused& p : paused_)
    lines.push_back("port" + std::to_string(p.input) + ": class " + std::to_string(p.traffic_class) +
                    " of its sender is paused");
  return lines;
}

void PfcController::reset() {
  std::fill(state_.begin(), state_.end(), std::uint8_t{0});
  paused_.clear();
  next_ = never;
}

}  // namespace tributary
