#include "modules/gpu/core/gpu_ports.h"

#include <algorithm>

namespace tributary {

void GpuPorts::reserve(const EngineScope& scope, unsigned seat) {
  if (scope.address_bytes == 0) return;
  reserved_.push_back({scope, seat, {}});
  reserved_from_ = std::min(reserved_from_, scope.first_address);
}

int GpuPorts::find_owner(std::uint64_t address) const {
  for (const Reserved& r : reserved_)
    if (r.scope.owns(address)) return static_cast<int>(r.seat);
  return -1;
}

void GpuPorts::count(const Packet& packet, std::uint32_t change) {
  const NvHeader& h = nv(packet);
  for (Reserved& r : reserved_)
    if (r.scope.owns(h.address)) r.queued[h.plane] += change;
}

void GpuPorts::left(const Packet& packet) {
  if (packet.vc == request_vc && nv(packet).address >= reserved_from_) count(packet, ~std::uint32_t{0});
}

void GpuPorts::send_held(Packet* packet, Tick ready) {
  const unsigned port = nv(*packet).plane;
  if (packet->vc == request_vc) ++limit_[port];
  links_[port].push(packet, packet->vc, flits_of<NvLink>(*packet), ready, ready);
  links_.sending(port);
}

bool GpuPorts::room(unsigned port, int seat, Tick now, Tick& next) {
  const auto free = [&] {
    std::size_t own = 0, others = 0;
    for (const Reserved& r : reserved_) (static_cast<int>(r.seat) == seat ? own : others) += r.queued[port];
    if (seat >= 0) return own < queue_;
    const std::int64_t all = links_[port].queued_packets(request_vc);
    return all < limit_[port] + static_cast<std::int64_t>(
                                    others);  // may exceed `all`: a corrupted packet has left the queue, but not the count
  };
  if (free()) return true;
  next = links_.run(port, now - 1, on_sent());
  return free();
}

Tick GpuPorts::safe_horizon(Tick now, Tick packets, const Tick* credits) {
  links_.decide(now, credits);
  Tick horizon = packets;
  for (unsigned p = 0; p < links_.ports(); ++p) horizon = std::min(horizon, links_.decided_until(p));
  return horizon;
}

void GpuPorts::add_waiting(std::vector<std::string>& lines) const {
  for (unsigned p = 0; p < links_.ports(); ++p) {
    const std::string port = "port" + std::to_string(p);
    if (!incoming_[p].empty()) lines.push_back(port + ".input: " + std::to_string(incoming_[p].size()) + " packets");
    const std::string link = links_[p].waiting();
    if (!link.empty()) lines.push_back(port + ".output: " + link);
  }
}

void GpuPorts::reset() {
  links_.reset();
  for (PooledQueue<Incoming>& q : incoming_)
    for (; !q.empty(); q.pop()) q.front().packet->release();
  for (Reserved& r : reserved_) r.queued.fill(0);
  limit_.fill(queue_);
  paused_ = 0;
}

void GpuPorts::describe(ProbeDirectory& directory, const std::string& gpu) {
  for (unsigned p = 0; p < links_.ports(); ++p) links_[p].describe(directory, gpu + ".port" + std::to_string(p) + ".");
}

}  // namespace tributary
