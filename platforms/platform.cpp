#include "platforms/platform.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/nearest.h"

namespace tributary {

Platform::Platform(const sc_core::sc_module_name& name, topology::Graph graph, const Timing& timing,
                   const PacketFraming& framing)
    : sc_module(name), graph_(std::move(graph)), timing_(timing), pool_(framing) {}

LinkEnd Platform::link_end(topology::PortRef port) {
  return devices_.at(static_cast<std::size_t>(port.node))->link_end(device_port(port));
}

Windows Platform::windows(WakeOrder order) const {
  return Windows::of(timing_.lookahead, timing_.delay, timing_.host_latency, order);
}

void Platform::wire(bool windowed) {
  for (const topology::Link& link : graph_.links()) {
    const LinkEnd a = link_end(link.a), b = link_end(link.b);
    a.out.bind(b.in);
    b.out.bind(a.in);
    const std::string name_a = graph_.name(link.a), name_b = graph_.name(link.b);
    links_.push_back({name_a + ">" + name_b, &a.sent});
    links_.push_back({name_b + ">" + name_a, &b.sent});
  }
  if (!windowed) return;
  const topology::WakeOrder order = topology::wake_order(graph_);
  for (std::size_t n = 0; n < devices_.size(); ++n) devices_[n]->set_windows(windows({order.of_node[n], order.count}));
}

void Platform::use_kernel_time(const std::string& device) {
  std::vector<std::string> names;
  for (std::size_t n = 0; n < devices_.size(); ++n) {
    names.push_back(graph_.nodes()[n].name);
    if (names.back() == device) return kept_.push_back(n);
  }
  throw std::invalid_argument(unknown_name("device", device, names));
}

void Platform::start_of_simulation() {
  KernelTimeSearch search;
  for (std::size_t n = 0; n < devices_.size(); ++n) {
    const auto* const module = dynamic_cast<const sc_core::sc_object*>(devices_[n].get());
    KernelTimeSearch::Parts parts = module != nullptr ? search.parts_of(*module) : KernelTimeSearch::Parts();
    if (parts.names.empty() && std::find(kept_.begin(), kept_.end(), n) == kept_.end()) continue;
    devices_[n]->set_windows({});
    if (parts.wait_in_calls) devices_[n]->run_in_thread();
    in_kernel_time_.push_back({graph_.nodes()[n].name, std::move(parts.names)});
  }
}

void Platform::begin(Tick t0) {
  for (const DirectedLink& link : links_)
    if (LinkRetransmission* r = link.transmitter->retransmission()) r->begin(t0);
  for (auto& device : devices_) device->begin_run(t0);
}

void Platform::stop_at(Tick when) {
  for (auto& device : devices_) device->stop_at(when);
}

std::uint64_t Platform::activations() const {
  std::uint64_t sum = 0;
  for (const auto& device : devices_) sum += device->activations();
  return sum;
}

std::vector<std::string> Platform::waiting() const {
  std::vector<std::string> all;
  for (const bool endpoints : {false, true})
    for (std::size_t n = 0; n < devices_.size(); ++n)
      if (topology::is_end(graph_.nodes()[n].kind) == endpoints)
        for (std::string& line : devices_[n]->waiting()) all.push_back(std::move(line));
  return all;
}

Tick Platform::quiet_from() const {
  Tick last = 0;
  for (const auto& device : devices_) last = std::max(last, device->last_credit());
  return last + windows({}).ahead;
}

void Platform::reset() {
  for (auto& device : devices_) device->reset();
}

void Platform::describe(ProbeDirectory& directory) {
  directory.add(std::string(name()) + ".packets.made", pool_.made, "packet at creation");
  for (auto& device : devices_) device->describe(directory);
}

}  // namespace tributary
