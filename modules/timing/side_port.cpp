#include "modules/timing/side_port.h"

#include <stdexcept>

namespace tributary {

SidePortDevice& side_port_device_of(const sc_core::sc_object& part) {
  auto* const device = dynamic_cast<SidePortDevice*>(part.get_parent_object());
  if (device == nullptr) throw std::logic_error(std::string(part.name()) + " is not part of a device with side ports");
  return *device;
}

void SidePorts::add(SidePort& port) {
  if (ports_.size() == most) throw std::invalid_argument("a device has at most " + std::to_string(most) + " side ports");
  ports_.push_back(&port);
}

Tick SidePorts::horizon(Tick now, Tick at_least, Tick limit) const {
  for (SidePort* port : ports_) limit = std::min(limit, port->safe(now, at_least) + port->delay() - 1);
  return limit;
}

void SidePorts::take(Tick horizon) const {
  for (SidePort* port : ports_) port->take(horizon);
}

Tick SidePorts::finish(Tick until) const {
  Tick next = never;
  for (SidePort* port : ports_) next = std::min(next, port->finish(until));
  return next;
}

Tick SidePorts::last_credit() const {
  Tick last = 0;
  for (const SidePort* port : ports_) last = std::max(last, port->last_credit());
  return last;
}

void SidePorts::add_waiting(std::vector<std::string>& lines) const {
  for (const SidePort* port : ports_)
    if (std::string line = port->waiting(); !line.empty()) lines.push_back(std::move(line));
}

void SidePorts::reset() const {
  for (SidePort* port : ports_) port->reset();
}

void SidePorts::describe(ProbeDirectory& directory) const {
  for (SidePort* port : ports_) port->describe(directory);
}

}  // namespace tributary
