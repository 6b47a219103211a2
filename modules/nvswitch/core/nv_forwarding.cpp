#include "modules/nvswitch/core/nv_forwarding.h"

#include <stdexcept>
#include <utility>

#include "modules/base/random.h"
#include "modules/protocol/nvlink.h"

namespace tributary {

unsigned home_gpu_index(std::uint64_t address, std::size_t members) {
  return static_cast<unsigned>(below(mix64(address / block_bytes), members));
}

NvForwarding::NvForwarding(const Config& config, const RouteTable& routes, const MulticastTable& regions,
                           std::vector<TableAccess*> tables, const RouterSeat* router)
    : config_(config),
      routes_(routes),
      regions_(regions),
      tables_(std::move(tables)),
      router_(router),
      next_timeout_(tables_.size(), never) {
  for (unsigned p = 0; (config.merge_acks || config.ack_tables) && p < config.ports; ++p)
    ack_tables_.emplace_back(config.ack_entries);
}

void NvForwarding::reset() {
  next_timeout_.assign(next_timeout_.size(), never);
  for (AckTable& t : ack_tables_) t.reset();
}

Tick NvForwarding::access(unsigned port, TableTransaction& t) {
  const Tick latency = tables_[port]->access(t);
  next_timeout_[port] = t.next_timeout;
  return latency;
}

namespace {
template <class Mask>
BasicRouteDecision<Mask> to_ports(Mask outputs, Exit exit, bool needs_entry = false) {
  return {outputs, exit, needs_entry};
}
template <class Mask>
BasicRouteDecision<Mask> to_port(unsigned port, Exit exit) {
  return {port_bit<Mask>(port), exit, false};
}
/// Returns true if the packet may be merged with others at its egress stage.
bool meets_stage(const NvHeader& h) { return h.opcode == Opcode::rsp || h.merge_acks; }
/// Returns the requester of a pull in the tables: the GPU, and the part of the block where it requests less than a block.
/// Parts of a block thus have entries of their own.
std::uint16_t requester_of(const NvHeader& h) {
  constexpr unsigned gpu_bits = 12;
  const auto part = static_cast<unsigned>(h.address % block_bytes / NvLink::flit_bytes);
  return static_cast<std::uint16_t>(h.destination | part << gpu_bits);
}
}  // namespace

template <class Mask>
inline BasicRouteDecision<Mask> NvForwarding::decide(unsigned in_port, const Packet& packet) {
  const NvHeader& h = nv(packet);
  if (h.target == Target::gpu) return to_port<Mask>(to_gpu(in_port, h), meets_stage(h) ? Exit::stage_and_link : Exit::link);
  if (h.target == Target::region)
    return to_ports(outputs<Mask>(in_port, h), Exit::link, h.opcode == Opcode::pull || h.merge_acks);
  if (h.home_switch != config_.index_in_plane)
    return to_port<Mask>(to_home(in_port, h), meets_stage(h) ? Exit::stage_and_link : Exit::link);
  return to_port<Mask>(h.home_port, h.opcode == Opcode::red_write ? Exit::stage : Exit::drop);
}

RouteDecision NvForwarding::route(unsigned in_port, const Packet& packet) { return decide<PortMask>(in_port, packet); }
WideRouteDecision NvForwarding::route_wide(unsigned in_port, const Packet& packet) {
  return decide<WidePortMask>(in_port, packet);
}

template <class Mask>
Mask NvForwarding::outputs(unsigned in_port, const NvHeader& h) const {
  const MulticastTable::Row& row = regions_.find(h.address);
  return returns(in_port, h) ? regions_.outputs<Mask>(row, h.trunk) : regions_.outputs_except<Mask>(row, h.trunk, in_port);
}

unsigned NvForwarding::operands(unsigned in_port, const NvHeader& h) const {
  const MulticastTable::Row& row = regions_.find(h.address);
  return returns(in_port, h) ? static_cast<unsigned>(row.region.members.size())
                             : regions_.members_except(row, h.trunk, in_port);
}

bool NvForwarding::claim(unsigned in_port, const Packet& packet, Tick now) {
  const NvHeader& h = nv(packet);
  if (h.opcode != Opcode::pull) return claim_acks(in_port, h, now);
  const unsigned expected = operands(in_port, h);
  const bool first_hop = has_port(config_.endpoint_ports, in_port);
  if (!first_hop && expected == 1) return true;  // no operands to add below this hop
  TableTransaction t;
  t.command = TableTransaction::Command::allocate;
  t.address = h.address;
  t.requester = requester_of(h);
  t.expected = static_cast<std::uint16_t>(expected);
  t.first_hop = first_hop;
  t.now = now;
  access(in_port, t);
  return t.answer == TableTransaction::Answer::inserted || !first_hop;
}

bool NvForwarding::claim_acks(unsigned in_port, const NvHeader& h, Tick now) {
  const unsigned expected = operands(in_port, h);
  if (expected > 1) ack_tables_[in_port].open(h.address, h.source, static_cast<std::uint16_t>(expected), now);
  return true;  // without an entry its acks pass unmerged
}

// Packets that are merged at an egress stage return by the path of their requests.
unsigned NvForwarding::choose(unsigned input, const NvHeader& h, bool to_switch, unsigned destination,
                              unsigned usual) const {
  if (meets_stage(h)) return usual;
  SwitchRouter::Request request{input, destination, to_switch, h.address, {}, usual};
  routes_.add_ports(to_switch, destination, request.ports);
  return router_->choose(std::move(request));
}

template <class Mask>
inline BasicRouteDecision<Mask> NvForwarding::decide_injected(unsigned port, const Packet& packet) {
  const NvHeader& h = nv(packet);
  if (h.target == Target::gpu) return to_port<Mask>(to_gpu(port, h), Exit::link);
  return to_ports(regions_.outputs<Mask>(regions_.find(h.address), h.trunk), Exit::link);
}
RouteDecision NvForwarding::route_injected(unsigned port, const Packet& packet) {
  return decide_injected<PortMask>(port, packet);
}
WideRouteDecision NvForwarding::route_injected_wide(unsigned port, const Packet& packet) {
  return decide_injected<WidePortMask>(port, packet);
}

StageOutcome NvForwarding::operate(unsigned port, Packet* packet, Tick start, Tick end) {
  if (nv(*packet).opcode == Opcode::rsp) return collect(port, packet, start);
  if (nv(*packet).opcode == Opcode::ack) return merge_ack(port, packet, start);
  show_delivery<NvLink>(absorbed, end, *packet);
  return push(port, packet, start);
}

StageOutcome NvForwarding::push(unsigned port, Packet* packet, Tick start) {
  TableTransaction t;
  t.command = TableTransaction::Command::push;
  t.packet = packet;
  t.expected = static_cast<std::uint16_t>(regions_.find(nv(*packet).address).region.members.size());
  t.now = start;
  StageOutcome outcome;
  outcome.latency = access(port, t);
  outcome.interval = t.timing.interval;
  if (t.answer == TableTransaction::Answer::bypassed) t.evicted = packet, t.count = nv(*packet).count;
  if (t.evicted != nullptr) {
    make_partial(*t.evicted, t.count, start);
    outcome.inject = t.evicted;
    outcome.inject_at_once = true;
  } else if (t.answer == TableTransaction::Answer::completed) {
    make_result(*t.result, t.count, start);
    outcome.inject = t.result;
    outcome.frees_entry = true;
  }
  return outcome;
}

StageOutcome NvForwarding::collect(unsigned port, Packet* packet, Tick start) {
  TableTransaction t;
  t.command = TableTransaction::Command::collect;
  t.packet = packet;
  t.requester = requester_of(nv(*packet));
  t.now = start;
  const bool first_hop = has_port(config_.endpoint_ports, port);
  StageOutcome outcome;
  outcome.latency = access(port, t);
  outcome.interval = t.timing.interval;
  if (t.answer == TableTransaction::Answer::missed) {
    if (first_hop) throw std::logic_error("a response to a pull has no entry at the requester's port");
    outcome.bypass = packet;
  } else if (t.answer == TableTransaction::Answer::completed) {
    nv(*t.result).count = t.count;
    outcome.link = t.result;
    outcome.frees_entry = true;
  }
  return outcome;
}

StageOutcome NvForwarding::merge_ack(unsigned port, Packet* packet, Tick start) {
  StageOutcome outcome;
  outcome.unordered = true;  // acks do not pass the reduction table
  switch (ack_tables_[port].collect(*packet, nv(*packet).destination, start)) {
    case AckTable::Answer::passed:
      outcome.bypass = packet;
      break;
    case AckTable::Answer::completed:
      outcome.link = packet;
      break;
    case AckTable::Answer::merged:
      break;
  }
  return outcome;
}

void NvForwarding::finish(unsigned port, const Packet* leaving, Tick now) {
  const NvHeader& h = nv(*leaving);
  TableTransaction t;
  t.command = TableTransaction::Command::finish;
  t.address = h.address;
  t.requester = h.opcode == Opcode::rsp ? requester_of(h) : TableTransaction::no_requester;
  t.now = now;
  access(port, t);
}

Expired NvForwarding::expire(unsigned port, Tick now) {
  TableTransaction t;
  t.command = TableTransaction::Command::expire;
  t.now = now;
  const Tick latency = access(port, t);
  if (t.evicted != nullptr)
    make_partial(*t.evicted, t.count, now);
  else if (t.next_timeout <= now)
    throw std::logic_error("the table of port " + std::to_string(port) + " must evict a timed-out entry, but evicts none");
  return {t.evicted, latency};
}

void NvForwarding::make_result(Packet& packet, unsigned count, Tick now) const {
  NvHeader& h = nv(packet);
  h.opcode = Opcode::mc_write;
  h.target = h.to_one ? Target::gpu : Target::region;
  h.merge_acks = config_.merge_acks && !h.to_one;
  h.count = static_cast<std::uint16_t>(count);
  h.reply_home = true;
  packet.vc = config_.push_result_vc == PushResultVc::response ? response_vc : request_vc;
  packet.born = now;
}

void NvForwarding::make_partial(Packet& packet, unsigned count, Tick now) const {
  NvHeader& h = nv(packet);
  h.opcode = Opcode::red_partial;
  if (config_.eviction == EvictionTarget::multicast && !h.to_one) {
    h.target = Target::region;
    h.merge_acks = config_.merge_acks;
  } else {
    const std::vector<std::uint16_t>& members = regions_.find(h.address).region.members;
    h.target = Target::gpu;
    if (!h.to_one) h.destination = members[home_gpu_index(h.address, members.size())];
  }
  h.count = static_cast<std::uint16_t>(count);
  h.reply_home = true;
  packet.vc = config_.push_result_vc == PushResultVc::response ? response_vc : request_vc;
  packet.born = now;
}

}  // namespace tributary
