#include "platforms/platform.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/nearest.h"
#include "platforms/kernel_time_search.h"
#include "platforms/shared_state.h"

namespace tributary {
namespace {

Windows windows_of(const PartTiming& timing, WakeOrder order) {
  return Windows::of(timing.lookahead, timing.delay, timing.host_latency, order);
}

}  // namespace

Platform::Platform(const sc_core::sc_module_name& name, topology::Graph graph, const Timing& timing,
                   const PacketFraming& framing, topology::LanePlan plan)
    : Platform(name, std::move(graph), std::move(plan)) {
  add_part(timing, framing);
}

Platform::Platform(const sc_core::sc_module_name& name, topology::Graph graph, topology::LanePlan plan)
    : sc_module(name), graph_(std::move(graph)), plan_(std::move(plan)), arenas_(plan_.count) {
  if (plan_.count > 1) clock_ = std::make_unique<LaneClock>("lanes", plan_.count);
}

PlatformPart& Platform::add_part(const Timing& timing, const PacketFraming& framing) {
  return *parts_.emplace_back(std::make_unique<PlatformPart>(timing, framing, plan_.count));
}

LinkEnd Platform::link_end(topology::PortRef port) {
  return devices_.at(static_cast<std::size_t>(port.node))->link_end(device_port(port));
}

std::uint64_t Platform::live_packets() const {
  std::uint64_t live = 0;
  for (const auto& part : parts_)
    for (const PacketPool& pool : part->pools) live += pool.live();
  return live;
}

Tick Platform::lookahead() const {
  Tick shortest = never;
  for (const auto& part : parts_) shortest = std::min(shortest, part->timing.lookahead);
  return shortest;
}

// A device takes all arrivals within its lookahead as known. Credits cross a link in its latency, packets in more.
void Platform::check_link(const topology::Link& link, const LinkEnd& a, const LinkEnd& b) const {
  const auto names = [&] { return graph_.name(link.a) + " and " + graph_.name(link.b); };
  if (a.sent.protocol() != b.sent.protocol())
    throw topology::TopologyError(names() + " speak unlike protocols and cannot be linked");
  const PlatformPart &from = *part_of(link.a.node), &to = *part_of(link.b.node);
  const Tick needed = std::max(from.timing.lookahead, to.timing.lookahead),
             latency = std::min(a.sent.latency(), b.sent.latency());
  if (&from != &to && latency < needed)
    throw topology::TopologyError("the link of " + names() + " joins two parts and has a latency of " +
                                  std::to_string(latency) + " ps (legal: at least " + std::to_string(needed) +
                                  " ps, their longest lookahead)");
}

PlatformPart* Platform::part_of(int node) const { return part_of_.at(static_cast<std::size_t>(node)); }

/// Returns the pool of a lane for packets that a node sends by a protocol. A side port speaks that of another part.
PacketPool& Platform::pool_of(int from, ProtocolId protocol, unsigned lane) const {
  if (part_of(from)->protocol == protocol) return part_of(from)->pools[lane];
  for (const auto& part : parts_)
    if (part->protocol == protocol) return part->pools[lane];
  throw std::logic_error(graph_.node(from).name + ": no part has packets of a protocol of its ports");
}

/// Lets a port of `from` send into the lane of `to`.
void Platform::cross_lanes(topology::PortRef port, int to, const LinkEnd& end) {
  const int from = port.node;
  const unsigned here = lane(from), there = lane(to);
  if (here == there) return;
  devices_[static_cast<std::size_t>(from)]->cross_lane(device_port(port));
  if (end.lanes == nullptr) throw std::logic_error(graph_.node(from).name + ": a port cannot send into another lane");
  end.lanes->set_crossing(
      crossings_.emplace_back(LaneCrossing{&clock_->lanes().mailbox(here, there), &pool_of(from, end.sent.protocol(), there),
                                           views(here), static_cast<unsigned>(crossings_.size()), end.lanes}));
}

void Platform::wire(bool windowed) {
  if (clock_ && !windowed) throw std::logic_error("lanes need windows");
  part_of_.resize(devices_.size());
  for (const auto& part : parts_)
    for (const int node : part->nodes) part_of_[static_cast<std::size_t>(node)] = part.get();
  for (const topology::Link& link : graph_.links()) {
    const LinkEnd a = link_end(link.a), b = link_end(link.b);
    check_link(link, a, b);
    a.out.bind(b.in);
    b.out.bind(a.in);
    cross_lanes(link.a, link.b.node, a);
    cross_lanes(link.b, link.a.node, b);
    const std::string name_a = graph_.name(link.a), name_b = graph_.name(link.b);
    links_.push_back({name_a + ">" + name_b, &a.sent});
    links_.push_back({name_b + ">" + name_a, &b.sent});
  }
  if (!windowed) return;
  if (clock_) clock_->lanes().set_lookahead(lookahead());
  for (const auto& part : parts_) {
    const topology::WakeOrder order =
        topology::wake_order(graph_, part->nodes, clock_ ? topology::Groups::together : topology::Groups::in_turn);
    for (std::size_t i = 0; i < part->nodes.size(); ++i)
      devices_[static_cast<std::size_t>(part->nodes[i])]->set_windows(
          windows_of(part->timing, {order.of_node[i], order.count}));
  }
}

void Platform::use_kernel_time(const std::string& device) {
  std::vector<std::string> names;
  for (std::size_t n = 0; n < devices_.size(); ++n) {
    names.push_back(graph_.nodes()[n].name);
    if (names.back() == device) return kept_.push_back(n);
  }
  throw std::invalid_argument(unknown_name("device", device, names));
}

/// Refuses modules that need one lane.
void Platform::prepare_lanes() {
  if (const std::string shares = module_with_shared_state(*this); !shares.empty())
    throw std::logic_error(shares + " shares state with modules of other devices, which needs one lane");
  // SystemC stores the last error without a lock. A lane throws it, and nothing reads the stored one.
  const sc_core::sc_actions of_errors = sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR);
  constexpr sc_core::sc_actions stored = sc_core::SC_CACHE_REPORT;
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, of_errors & ~stored);
}

void Platform::start_of_simulation() {
  if (clock_) prepare_lanes();
  KernelTimeSearch search;
  for (std::size_t n = 0; n < devices_.size(); ++n) {
    const auto* const module = dynamic_cast<const sc_core::sc_object*>(devices_[n].get());
    KernelTimeSearch::Parts parts = module != nullptr ? search.parts_of(*module) : KernelTimeSearch::Parts();
    if (parts.names.empty() && std::find(kept_.begin(), kept_.end(), n) == kept_.end()) continue;
    if (clock_) throw std::logic_error(graph_.nodes()[n].name + " keeps to kernel time, which needs one lane");
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
  if (clock_) clock_->stop_at(when);
}

std::uint64_t Platform::activations() const {
  std::uint64_t sum = 0;
  for (const auto& device : devices_) sum += device->activations();
  return sum;
}

std::vector<std::string> Platform::waiting() const {
  std::vector<std::string> all;
  for (auto& [order, line] : waiting_here()) all.push_back(std::move(line));
  return all;
}

std::vector<std::pair<std::uint64_t, std::string>> Platform::waiting_here() const {
  std::vector<std::pair<std::uint64_t, std::string>> all;
  for (const bool endpoints : {false, true})
    for (std::size_t n = 0; n < devices_.size(); ++n)
      if (topology::is_end(graph_.nodes()[n].kind) == endpoints && owns_node(static_cast<int>(n)))
        for (std::string& line : devices_[n]->waiting())
          all.emplace_back(n + (endpoints ? devices_.size() : 0), std::move(line));
  return all;
}

Tick Platform::quiet_from() const {
  Tick last = 0;
  for (const auto& device : devices_) last = std::max(last, device->last_credit());
  Tick ahead = 0;
  for (const auto& part : parts_) ahead = std::max(ahead, windows_of(part->timing, {}).ahead);
  return last + ahead;
}

void Platform::reset() {
  for (auto& device : devices_) device->reset();
}

void Platform::describe(ProbeDirectory& directory) {
  for (unsigned l = 0; l < lanes(); ++l) {
    directory.set_lane(l);
    const std::string of_lane = l == 0 ? "" : ".lane" + std::to_string(l);
    for (std::size_t i = 0; i < parts_.size(); ++i)
      directory.add(std::string(name()) + ".packets" + (i == 0 ? "" : std::to_string(i)) + of_lane + ".made",
                    parts_[i]->pools[l].made, "packet at creation");
  }
  for (std::size_t n = 0; n < devices_.size(); ++n) {
    directory.set_lane(lane(static_cast<int>(n)));
    devices_[n]->describe(directory);
  }
  directory.set_lane(0);
}

void Platform::keep_step() {
  if (clock_) clock_->keep_step();
}

void Platform::distribute(ProcessGroup& group, CompletionRelay& relay) {
  if (!clock_) throw std::logic_error(std::string(name()) + " has one lane, which cannot be divided among processes");
  keep_step();
  processes_ = std::make_unique<LaneProcesses>(group, clock_->lanes(), crossings_, relay);
}

void Platform::between_steps(std::function<void()> call) {
  if (clock_)
    clock_->lanes().later(std::move(call));
  else
    call();
}

}  // namespace tributary
