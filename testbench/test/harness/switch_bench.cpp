#include "testbench/test/harness/switch_bench.h"

#include <algorithm>

#include "modules/base/random.h"

namespace tributary {
namespace {

constexpr std::uint64_t rate = 25'000'000'000;

LinkParams link_params() {
  LinkParams link;
  link.rate = bytes_per_second(rate);
  link.latency = picoseconds(SwitchBench::link_latency);
  return link;
}

SwitchConfig switch_config(const SwitchBench::Config& c) {
  SwitchConfig s;
  s.ports = c.ports;
  s.latency = SwitchBench::switch_latency;
  s.port_rate = bytes_per_second(rate);
  s.crossbar_rate = bytes_per_second(static_cast<std::uint64_t>(static_cast<double>(rate) * c.speedup));
  s.virtual_output_queues = c.virtual_output_queues;
  s.crossbar_replicates = c.crossbar_replicates;
  s.stage_queue_flits = c.stage_queue_flits;
  s.replication_flits = c.replication_flits;
  s.arbiter = c.arbiter;
  s.arbitration = c.arbitration;
  return s;
}

}  // namespace

RouteDecision ScriptedForwarding::route(unsigned, const Packet& packet) {
  const TestHeader& h = packet.header<TestHeader>();
  return {h.outputs, h.exit, h.needs_entry};
}

SwitchBench::SwitchBench(const Config& config) : config_(config) {
  std::vector<NvLinkTransmitter*> outputs;
  for (unsigned p = 0; p < config.ports; ++p) {
    links_.push_back(std::make_unique<NvLinkTransmitter>(NvLinkTransmitter::Config{link_params(), config.input_flits, 0}));
    sources_.emplace_back(*links_.back());
    sources_.back().generate = [this, p](unsigned vc) { return source ? source(p, vc) : nullptr; };
    outputs_.push_back(std::make_unique<NvLinkTransmitter>(
        NvLinkTransmitter::Config{link_params(), config.sink_flits, config.output_flits}));
    outputs.push_back(outputs_.back().get());
  }
  core_ = std::make_unique<SwitchCore>(switch_config(config), forwarding, static_cast<LinkOutput&>(*this), outputs);
}

Packet* SwitchBench::packet(unsigned vc, std::uint32_t outputs, Exit exit, unsigned payload) {
  Packet* p = pool.make(payload, false);
  p->vc = static_cast<std::uint8_t>(vc);
  p->header<TestHeader>() = {outputs, next_id_++, 0, exit, false};
  return p;
}

void SwitchBench::send(unsigned port, Packet* packet, Tick ready) { sources_[port].send(packet, ready); }

void SwitchBench::deliver(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick) {
  for (const LinkArrival* a = packets; a != packets + count; ++a) {
    const Packet& p = *a->packet;
    const Tick head = first + a->after, tail = head + a->duration;
    delivered.push_back({port, p.vc, flits_of<NvLink>(p), p.header<TestHeader>(), head, tail});
    const Tick delay = config_.sink_delay == 0 ? 0 : random_at(config_.sink_delay, port, p.header<TestHeader>().id);
    credits_.push_back({port, p.vc, flits_of<NvLink>(p), tail + link_latency + delay % (config_.sink_delay + 1)});
    a->packet->release();
  }
}

void SwitchBench::return_credits(unsigned port, Tick first, const LinkCredit* credits, unsigned count, Tick) {
  for (const LinkCredit* c = credits; c != credits + count; ++c) {
    returned.push_back({port, c->vc, c->flits, first + c->after});
    links_[port]->credit(c->vc, c->flits, first + c->after + link_latency);
  }
}

void SwitchBench::run(Tick until) {
  const Tick window = config_.window == 0 ? link_latency : config_.window;
  while (now_ < until) {
    const Tick horizon = now_ + window - 1;
    for (unsigned p = 0; p < config_.ports; ++p)
      sources_[p].run(now_, horizon, [&](const NvLinkTransmitter::Sent& s) {
        s.packet->header<TestHeader>().source = static_cast<std::uint16_t>(p);
        const LinkArrival arrival(0, s.tail - s.head, s.packet);
        core_->show_in_flight(p, s.head, &arrival, 1);
        core_->accept(p, s.packet, s.head, s.tail);
      });
    if (config_.planned)
      run_ahead(horizon + 1);
    else
      core_->run_until(horizon), give_credits(never);
    now_ += window;
  }
}

void SwitchBench::give_credits(Tick before) {
  std::vector<Credit> kept;
  for (const Credit& c : credits_)
    if ((closed_sinks >> c.port & 1u) != 0 || c.when >= before)
      kept.push_back(c);
    else {
      const LinkCredit credit{0, static_cast<std::uint8_t>(c.vc), static_cast<std::uint16_t>(c.flits)};
      core_->credit(c.port, c.when, &credit, 1);
    }
  credits_.swap(kept);
}

/// Reports the credits that arrive before `known`, and all packets that the sources send before then.
void SwitchBench::run_ahead(Tick known) {
  give_credits(known);
  const std::vector<Tick> credits(config_.ports, known);
  const Tick horizon = core_->safe_horizon(now_, known + hop + switch_latency - 1, credits.data());
  if (core_->run_until(horizon) <= horizon) ++windows_cut_;
}

bool SwitchBench::run_dry(Tick limit) {
  const auto all_sent = [](const auto& tx) { return tx->quiescent(); };
  for (const Tick end = now_ + limit; now_ < end;) {
    run(now_ + 1);
    if (core_->quiescent() && credits_.empty() && std::all_of(links_.begin(), links_.end(), all_sent)) return true;
  }
  return false;
}

void SwitchBench::open_sinks() {
  closed_sinks = 0;
  for (Credit& c : credits_) c.when = std::max(c.when, now_ + link_latency);
}

void SwitchBench::reset() {
  core_->reset();
  for (auto& tx : links_) tx->reset();
  credits_.clear();
  delivered.clear();
  returned.clear();
  closed_sinks = 0;
  next_id_ = 0;
  now_ = 0;
  windows_cut_ = 0;
}

double SwitchBench::throughput(std::uint32_t ports, Tick begin, Tick end) const {
  std::uint64_t flits = 0;
  for (const Delivery& d : delivered)
    if ((ports >> d.port & 1u) != 0 && d.tail >= begin && d.tail < end) flits += d.flits;
  return static_cast<double>(flits * flit_time) /
         (static_cast<double>(end - begin) * static_cast<double>(__builtin_popcount(ports)));
}

}  // namespace tributary
