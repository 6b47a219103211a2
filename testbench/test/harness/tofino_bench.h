#pragma once
/// TofinoBench: cores of workers, a programmable switch and ATP's server, joined by links, without SystemC.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/random.h"
#include "modules/ethernet/ethernet_port.h"
#include "modules/tofino/core/tofino_server_core.h"
#include "modules/tofino/core/tofino_switch_core.h"
#include "modules/tofino/core/tofino_worker_core.h"

namespace tributary {

/// Drops, damages or duplicates frames at random, or drops the n-th one.
class ChanceFaults : public FrameFaults {
 public:
  ChanceFaults(std::uint64_t seed, unsigned link, unsigned per_mille) : seed_(seed), link_(link), per_mille_(per_mille) {}
  void drop(std::uint64_t number) { dropped_ = number; }

 private:
  FrameFate fate(const Packet&, Tick) override {
    const std::uint64_t number = count_++;
    if (number == dropped_) return FrameFate::drop;
    const std::uint64_t random = random_at(seed_, link_, number);
    if (below(random, 1000) >= per_mille_) return FrameFate::deliver;
    constexpr FrameFate fates[] = {FrameFate::drop, FrameFate::drop, FrameFate::corrupt, FrameFate::flip,
                                   FrameFate::duplicate};
    return fates[mix64(random) % 5];
  }
  void begin(Tick) override { count_ = 0; }

  std::uint64_t seed_, count_ = 0, dropped_ = ~std::uint64_t{0};
  unsigned link_, per_mille_;
};

class TofinoBench {
 public:
  struct Config {
    AggregationScheme scheme = AggregationScheme::switchml;
    unsigned workers = 4;
    TofinoWorkerConfig worker{};
    std::uint64_t bytes = 0;
    bool with_data = true;
    AggregatorIndex index = AggregatorIndex::job;
    std::uint32_t aggregators = 64;
    std::uint64_t seed = 0;
    unsigned faults_per_mille = 0;
  };
  static constexpr Tick ns = 1000, us = 1000 * ns;

  explicit TofinoBench(const Config& config) : config_(config) {
    const bool atp = config.scheme == AggregationScheme::atp;
    const unsigned ports = config.workers + (atp ? 1 : 0);
    TofinoSwitchConfig s;
    s.scheme = config.scheme;
    s.payload = config.worker.payload;
    s.passes.rate = 100_Gbps;
    s.passes.ports = ports;
    s.passes.latency = 300 * ns;
    s.passes.chained = config.scheme == AggregationScheme::switchml_rdma ? 4 : 1;
    s.ecn_delay = 20 * us;
    s.station = switch_station;
    for (unsigned p = 0; p < ports; ++p) s.stations.push_back(static_cast<std::uint16_t>(p));
    std::vector<EthernetTransmitter*> transmitters;
    for (unsigned p = 0; p < ports; ++p) {
      hosts.push_back(std::make_unique<Host>(*this, p));
      down_.push_back(std::make_unique<EthernetTransmitter>(link()));
      transmitters.push_back(down_.back().get());
    }
    down_links_ = std::make_unique<EthernetLinks>(transmitters, from_switch_, pool);
    const unsigned values = config.worker.payload / 4;
    slots.core = std::make_unique<AggregationPool>(
        AggregationPool::Config{config.worker.slots, config.workers, values, config.with_data});
    aggregators.core =
        std::make_unique<HashedAggregators>(HashedAggregators::Config{config.aggregators, values, config.with_data});
    switching = std::make_unique<TofinoSwitchCore>(s, *down_links_, pool, slots, aggregators);
    AggregationGroup group;
    for (unsigned w = 0; w < config.workers; ++w) group.workers.push_back(w);
    group.server = config.workers;
    if (!atp) group.server = 0;
    switching->begin({group});
    for (unsigned w = 0; w < config.workers; ++w) start_worker(w);
    if (atp) start_server(values);
    for (unsigned p = 0; p < ports; ++p) {
      faults.push_back(std::make_unique<ChanceFaults>(config.seed, 2 * p, config.faults_per_mille));
      hosts[p]->links.set_faults(0, faults.back().get());
      faults.push_back(std::make_unique<ChanceFaults>(config.seed, 2 * p + 1, config.faults_per_mille));
      down_links_->set_faults(p, faults.back().get());
    }
  }

  /// Runs until all workers have ended and no frame is left; false if that does not happen within `limit`. The windows
  /// are so short that no arrival takes effect within its own window.
  bool run(Tick limit) {
    for (Tick t = 0; t < limit; t += 300 * ns) {
      for (auto& h : hosts) h->run(t);
      switching->run(t, false);
      if (done == config_.workers && pool.live() == 0) return true;
    }
    return false;
  }
  float operand(unsigned rank, std::uint64_t i) const {
    return static_cast<float>(static_cast<int>((rank * 37 + i * 13) % 201) - 100);
  }
  /// Returns the number of results that differ from the exact sum.
  std::uint64_t wrong() const {
    std::uint64_t n = 0;
    for (unsigned w = 0; w < config_.workers; ++w)
      for (std::uint64_t i = 0; i < config_.bytes / 4; ++i) {
        float sum = 0;
        for (unsigned r = 0; r < config_.workers; ++r) sum += operand(r, i);
        n += result(w, i) != sum;
      }
    return n;
  }
  float result(unsigned rank, std::uint64_t i) const { return hosts[rank]->memory[config_.bytes / 4 + i]; }
  void set_operand(unsigned rank, std::uint64_t i, float value) { hosts[rank]->memory[i] = value; }

  /// A host: a worker, or the server.
  struct Host : LinkOutput, TofinoWorkerListener {
    Host(TofinoBench& b, unsigned p) : bench(b), port(p), transmitter(link()), links({&transmitter}, *this, b.pool) {}
    void run(Tick t) {
      if (worker) worker->run(t, false);
      if (server) server->run(t, false);
    }
    void accept(Packet* frame, Tick tail) { worker ? worker->accept(frame, tail) : server->accept(frame, tail); }
    void deliver(unsigned, Tick first, const LinkArrival* packets, unsigned count, Tick) override {
      for (unsigned i = 0; i < count; ++i) {
        const Tick head = first + packets[i].after;
        bench.switching->accept(port, packets[i].packet, head, head + packets[i].duration);
      }
    }
    void return_credits(unsigned, Tick, const LinkCredit*, unsigned, Tick) override {}
    void worker_done(Tick when) override { bench.end(when); }
    void worker_failed(Tick when, const std::string& why) override { bench.failure = why, bench.end(when); }

    TofinoBench& bench;
    unsigned port;
    EthernetTransmitter transmitter;
    EthernetLinks links;
    std::vector<float> memory;
    std::unique_ptr<TofinoWorkerCore> worker;
    std::unique_ptr<TofinoServerCore> server;
  };

  PacketPool pool{EthernetLink{}};
  std::vector<std::unique_ptr<Host>> hosts;
  std::unique_ptr<TofinoSwitchCore> switching;
  std::vector<std::unique_ptr<ChanceFaults>> faults;  ///< port p: up 2 p, down 2 p + 1
  struct Slots : PoolPort {
    Tick access(PoolTransaction& t) override { return core->access(t), answers[static_cast<unsigned>(t.answer)]++, 0; }
    std::unique_ptr<AggregationPool> core;
    std::uint64_t answers[8] = {};
  } slots;
  struct Aggregators : AggregatorPort {
    Tick access(AggregatorTransaction& t) override { return core->access(t), answers[static_cast<unsigned>(t.answer)]++, 0; }
    std::unique_ptr<HashedAggregators> core;
    std::uint64_t answers[16] = {};
  } aggregators;
  unsigned done = 0;
  Tick finished = 0;
  std::string failure;

 private:
  static constexpr std::uint16_t switch_station = 1000;

  static EthernetTransmitter::Config link() {
    EthernetTransmitter::Config c;
    c.link.rate = 100_Gbps;
    c.link.latency = 10_ns;
    c.flow_control = {0, pause_quantum(100_Gbps)};
    return c;
  }
  struct FromSwitch : LinkOutput {
    explicit FromSwitch(TofinoBench& b) : bench(b) {}
    void deliver(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick) override {
      for (unsigned i = 0; i < count; ++i)
        bench.hosts[port]->accept(packets[i].packet, first + packets[i].after + packets[i].duration);
    }
    void return_credits(unsigned, Tick, const LinkCredit*, unsigned, Tick) override {}
    TofinoBench& bench;
  };
  void end(Tick when) { ++done, finished = std::max(finished, when); }
  void start_worker(unsigned w) {
    TofinoWorkerConfig c = config_.worker;
    c.scheme = config_.scheme;
    c.station = static_cast<std::uint16_t>(w);
    c.destination = config_.scheme == AggregationScheme::atp ? static_cast<std::uint16_t>(config_.workers) : switch_station;
    c.index = config_.index;
    c.aggregators = config_.aggregators;
    c.send_latency = 1600 * ns;
    c.receive_latency += 1300 * ns;
    Host& host = *hosts[w];
    host.worker = std::make_unique<TofinoWorkerCore>(c, host.links, pool, host);
    if (config_.with_data) {
      host.memory.resize(config_.bytes / 2);
      for (std::uint64_t i = 0; i < config_.bytes / 4; ++i) host.memory[i] = operand(w, i);
      host.worker->set_memory(reinterpret_cast<std::byte*>(host.memory.data()));
    }
    host.worker->post(
        {0, static_cast<std::uint16_t>(w), static_cast<std::uint16_t>(config_.workers), 0, config_.bytes, config_.bytes}, 0);
  }
  void start_server(unsigned values) {
    TofinoServerCore::Config c;
    c.server = {config_.workers, config_.worker.slots, values, config_.worker.scale, config_.with_data};
    c.station = static_cast<std::uint16_t>(config_.workers);
    c.switch_station = switch_station;
    c.send_latency = 1600 * ns;
    c.receive_latency = 1300 * ns;
    Host& host = *hosts[config_.workers];
    host.server = std::make_unique<TofinoServerCore>(c, host.links, pool);
  }

  Config config_;
  FromSwitch from_switch_{*this};
  std::vector<std::unique_ptr<EthernetTransmitter>> down_;
  std::unique_ptr<EthernetLinks> down_links_;
};

}  // namespace tributary
