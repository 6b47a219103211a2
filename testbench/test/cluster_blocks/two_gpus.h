#pragma once
/// Two GPUs, joined by an NVLink and over their NICs: devices of three protocols and unlike windows.

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/random.h"
#include "modules/ethernet/core/frame_faults.h"
#include "modules/gpu/gpu.h"
#include "modules/roce/ethernet_host.h"
#include "platforms/cluster/network_engine.h"
#include "platforms/cluster/nic_times.h"
#include "platforms/cluster/pcie_bridge.h"
#include "platforms/platform.h"

namespace tributary::two_gpus {

inline constexpr std::uint64_t memory_bytes = 1 << 20, own_addresses = std::uint64_t{1} << 50;

/// Latencies of the links, and what may go wrong.
struct Hops {
  Tick nvlink = 20'000, pcie = 190'000, ethernet = 300'000;
  bool windowed = true, data = true;
  unsigned losses = 0;  ///< one frame in that number is lost; 0: none
  unsigned read = 4096, window = 65'536;
  Tick jitter = 0;  ///< jitter of the memory
};

inline RoceParams calibrated() {
  RoceParams p;
  p.mtu = 4096_B;
  return p;
}

/// Writes blocks to the other GPU over the NVLink, from a time on; what arrives is written from address 0 on.
class Writer : public GpuEngine {
 public:
  explicit Writer(EngineSeat seat) : seat_(seat) {}
  EngineScope scope() const override { return {0, own_addresses, 1 << 20}; }
  void start_at(Tick when, unsigned blocks) {
    left_ = blocks;
    seat_.call_from_host(EngineTimer::before_issue, when);
  }
  void run(Tick now, EngineTimer) override { seat_.offer(left_ != 0, now); }
  bool issue(Tick now) override {
    --left_;
    const std::uint64_t address = 128 * sent_++;
    Packet* const packet = seat_.make(Opcode::write, Target::gpu, seat_.place_of(own_addresses + address), 128, true, now);
    nv(*packet).destination = static_cast<std::uint16_t>(1 - seat_.config().gpu);
    if (packet->payload != nullptr) std::memset(packet->payload, static_cast<int>(sent_ % 200 + 1), 128);
    seat_.send(packet, now);
    seat_.offer(left_ != 0, now);
    return true;
  }
  void packet(Packet* packet, Arrival, Tick) override {
    seat_.write(nv(*packet).address - own_addresses, packet->payload, packet->payload_bytes);
    ++received;
    packet->release();
  }
  std::vector<std::string> waiting() const override { return {}; }
  void reset() override { left_ = sent_ = 0; }
  void describe(ProbeDirectory&, const std::string&) override {}
  unsigned received = 0;

 private:
  EngineSeat seat_;
  unsigned left_ = 0, sent_ = 0;
};
class WriterModule : public EngineShell<Writer> {
 public:
  using EngineShell::EngineShell;
};

struct Losses : FrameFaults {
  Losses(unsigned s, unsigned of_) : stream(s), of(of_) {}
  FrameFate fate(const Packet&, Tick) override {
    return of != 0 && random_at(9, stream, count++) % of == 0 ? FrameFate::drop : FrameFate::deliver;
  }
  void begin(Tick) override {}
  unsigned stream, of, count = 0;
};

inline topology::Graph graph_of_two() {
  topology::Graph graph;
  for (int i = 0; i < 2; ++i) graph.add_node({topology::NodeKind::gpu, "gpu" + std::to_string(i), 2, i, -1, i, 0});
  for (int i = 0; i < 2; ++i) graph.add_node({topology::NodeKind::nic, "nic" + std::to_string(i), 2, i, -1, i, 1});
  graph.connect({0, 0}, {1, 0});
  graph.connect({0, 1}, {2, 1});
  graph.connect({1, 1}, {3, 1});
  graph.connect({2, 0}, {3, 0});
  return graph;
}

class TwoGpus : public Platform, public CompletionListener {
 public:
  TwoGpus(const sc_core::sc_module_name& name, const Hops& hops, unsigned pairs = 2)
      : Platform(name, graph_of_two()), map_(AddressMap::Hash::interleave, {1, 1, 2, 1}, 1) {
    link_.latency = picoseconds(hops.pcie);
    LinkParams nvlink;
    nvlink.latency = picoseconds(hops.nvlink);
    PlatformPart& gpus_part = add_part({hops.nvlink, 0, 1'000'000}, framing_of<NvLink>());
    // A NIC has both kinds of links.
    const Tick nic_hop = std::min(hops.ethernet + EthernetLink::header_bytes * 20, hops.pcie);
    PlatformPart& nics_part = add_part({nic_hop, 100'000, 1'000'000}, framing_of<EthernetLink>(4096));
    pcie_pool_ = &add_part({hops.pcie, 0, 1'000'000}, framing_of<Pcie>(4096)).pools.front();
    for (int i = 0; i < 2; ++i)
      gpus[i] = &add_device_of<Gpu>(gpus_part, i, gpu(i, nvlink, hops), map_, gpus_part.pools.front(), *this);
    for (int i = 0; i < 2; ++i)
      nics[i] =
          &add_device_of<EthernetHost>(nics_part, 2 + i, host(i, hops), bridge_factory(i, hops), nics_part.pools.front());
    wire(hops.windowed);
    for (unsigned i = 0; i < 2; ++i) {
      losses[i] = std::make_unique<Losses>(i, hops.losses);
      nics[i]->links().set_faults(0, losses[i].get());
      if (hops.data) gpus[i]->memory().resize(memory_bytes), engine(i).set_memory(gpus[i]->memory().data());
      for (unsigned p = 0; p < pairs; ++p) add_pair(i, p);
    }
  }
  ~TwoGpus() override { Platform::reset(); }

  NetworkEngine& engine(unsigned i) { return dynamic_cast<NetworkEngine&>(gpus[i]->engine(NetworkEngine::seat_name)); }
  Writer& writer(unsigned i) { return dynamic_cast<WriterModule&>(gpus[i]->engine("writer")).core; }
  PcieBridge& bridge(unsigned i) { return dynamic_cast<PcieBridge&>(nics[i]->agent()); }
  unsigned char* bytes(unsigned i) { return reinterpret_cast<unsigned char*>(gpus[i]->memory().data()); }
  const PcieLink& link() const { return link_; }
  /// Returns how often queue pairs have gone back to packets already sent.
  std::uint64_t rewinds() const {
    std::uint64_t all = 0;
    for (const EthernetHost* nic : nics)
      for (unsigned p = 0; p < nic->nic().core().queue_pairs(); ++p)
        all += nic->nic().core().queue_pair(p).send.counts().rewinds;
    return all;
  }

  void done(unsigned endpoint, Tick when) override { ends[endpoint] = when; }
  void failed(unsigned, Tick when, const std::string& why) override { failure = std::to_string(when) + ": " + why; }
  unsigned endpoints() const override { return 2; }
  std::byte* memory_of(unsigned i) override { return gpus[i]->memory().data(); }
  void resize_memory(unsigned, std::uint64_t) override {}
  std::map<std::string, double> counters() const override { return {}; }
  Tick longest_silence(std::uint64_t) const override { return 0; }

  std::array<Gpu*, 2> gpus{};
  std::array<EthernetHost*, 2> nics{};
  std::array<std::unique_ptr<Losses>, 2> losses{};
  std::map<unsigned, Tick> ends;
  std::string failure;

 private:
  Gpu::Config gpu(int number, const LinkParams& nvlink, const Hops& hops) const {
    Gpu::Config c;
    c.core.gpu = static_cast<std::uint16_t>(number);
    c.core.params.memory.jitter = picoseconds(hops.jitter);
    c.core.injection_rate = nvlink.rate;
    c.core.with_data = hops.data;
    c.core.acks = false;
    c.link = nvlink;
    c.ports = 1;
    c.far_buffer_flits = 512;
    c.arena = arena();
    NetworkEngine::Config engine;
    engine.core.framing = link_.framing;
    engine.core.tasks.mtu = 4096;
    engine.link = link_;
    c.parts.add("writer", [](const char* n, EngineSeat seat) { return std::make_unique<WriterModule>(n, seat); });
    c.parts.add(NetworkEngine::seat_name,
                NetworkEngine::factory(engine, [this](unsigned) -> PacketPool& { return *pcie_pool_; }));
    return c;
  }
  EthernetHost::Config host(int number, const Hops& hops) const {
    MemoryParams memory;
    memory.jitter = picoseconds(hops.jitter);
    EthernetHost::Config c;
    c.nic = nic_after_pcie(calibrated(), link_, memory);
    c.port = {400_Gbps, picoseconds(hops.ethernet), 0};
    c.station = static_cast<std::uint16_t>(number);
    c.with_data = hops.data;
    c.arena = arena();
    return c;
  }
  EthernetHost::AgentFactory bridge_factory(int number, const Hops& hops) const {
    PcieBridge::Config c;
    c.core.framing = link_.framing;
    c.core.fetch = {4096, hops.read, hops.window};
    c.core.gpus = {static_cast<std::uint16_t>(number)};
    c.core.with_data = hops.data;
    c.link = link_;
    return PcieBridge::factory(c, *pcie_pool_);
  }
  void add_pair(unsigned i, unsigned p) {
    const std::uint32_t mine = 100 * (i + 1) + p, theirs = 100 * (2 - i) + p;
    nics[i]->nic().core().add_queue_pair({mine, static_cast<std::uint16_t>(1 - i), theirs, mine, theirs});
    bridge(i).set_pair(p, 0);
  }

  PcieLink link_;
  PacketPool* pcie_pool_ = nullptr;
  AddressMap map_;
};

/// A WRITE of `bytes` from `local` to `remote`, over `pair`, with that immediate.
inline std::shared_ptr<RailWork> write_of(std::uint32_t pair, std::uint64_t local, std::uint64_t remote, std::uint32_t bytes,
                                          std::uint32_t immediate) {
  auto w = std::make_shared<RailWork>();
  w->pair = pair;
  w->write.local = local, w->write.remote = remote, w->write.bytes = w->write.data_bytes = bytes;
  w->write.immediate_valid = true, w->write.immediate = immediate;
  return w;
}
inline std::shared_ptr<RailWork> wait_of(std::uint32_t pair, std::uint32_t immediate) {
  auto w = std::make_shared<RailWork>();
  w->kind = RailWork::Kind::wait;
  w->pair = pair, w->write.immediate = immediate;
  return w;
}

/// Builds a program of network tasks.
struct Tasks {
  std::uint32_t add(std::shared_ptr<RailWork> work, const std::vector<std::uint32_t>& after = {}) {
    program.network.push_back(std::move(work));
    DeviceTask t;
    t.kind = DeviceTask::Kind::network;
    t.operation = static_cast<std::uint32_t>(program.network.size() - 1);
    t.waits = static_cast<std::uint32_t>(after.size());
    const auto number = static_cast<std::uint32_t>(tasks.tasks.size());
    for (const std::uint32_t before : after) tasks.tasks[before].next.push_back(number);
    tasks.tasks.push_back(std::move(t));
    return number;
  }
  GpuProgram done() {
    program.tasks = tasks;
    return program;
  }
  GpuProgram program;
  TaskProgram tasks;
};

}  // namespace tributary::two_gpus
