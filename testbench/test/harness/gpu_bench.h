#pragma once
/// One GPU core whose links, credits and memory the test controls.

#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "modules/gpu/core/command_executor_core.h"
#include "modules/gpu/core/dma_engine_core.h"
#include "modules/gpu/core/home_accumulator_core.h"

namespace tributary {
namespace gpu_bench {

constexpr Tick read_time = 100'000, hop = 20'640, t0 = 1'000'000;
constexpr unsigned members = 4;

struct Sent {
  unsigned port, vc, flits;
  NvHeader header;
  Tick head;
  std::uint32_t lane;
};

/// GPU 1 of a small machine.
class GpuBench : private GpuMemoryPort, private GpuListener, private LinkOutput {
 public:
  explicit GpuBench(bool acks = true) : map(AddressMap::Hash::interleave, {6, 2, 16, 8}, 1), memory(1 << 16) {
    for (unsigned p = 0; p < 6; ++p)
      links.push_back(std::make_unique<NvLinkTransmitter>(NvLinkTransmitter::Config{LinkParams{}, 306, 0}));
    std::vector<NvLinkTransmitter*> pointers;
    for (auto& l : links) pointers.push_back(l.get());
    GpuConfig c;
    c.gpu = 1;
    c.injection_rate = 150_GBps;
    c.acks = acks;
    core = std::make_unique<GpuCore>(c, map, pool, static_cast<GpuMemoryPort&>(*this), static_cast<GpuListener&>(*this),
                                     static_cast<LinkOutput&>(*this), pointers);
    add_engine<DmaEngineCore>("dma");
    add_engine<CommandExecutorCore>("executor");
    add_engine<HomeAccumulatorCore>("home");
    core->translation().add({0, 1 << 16, 0});
  }
  ~GpuBench() override { core->reset(); }

  AddressMap map;
  PacketPool pool{NvLink{}};
  std::vector<std::uint32_t> memory;
  std::vector<std::unique_ptr<NvLinkTransmitter>> links;
  std::unique_ptr<GpuCore> core;
  std::vector<Sent> sent;
  std::vector<std::pair<unsigned, Tick>> credits;
  Tick done = 0;
  std::vector<Tick> wakes;
  Tick interval = 0;         ///< interval of the memory
  Tick latency = read_time;  ///< latency of the memory
  std::vector<Tick> read_at;
  std::vector<std::unique_ptr<GpuEngine>> engines;

  /// Adds an engine in the next seat.
  template <class Engine, class... Arguments>
  Engine& add_engine(const char* name, const Arguments&... arguments) {
    const unsigned seat = core->add_seat();
    auto engine = std::make_unique<Engine>(EngineSeat(*core, seat), arguments...);
    Engine& made = *engine;
    core->attach(seat, made, name);
    engines.push_back(std::move(engine));
    return made;
  }
  void post(DmaStage::Kind kind, std::uint64_t blocks, std::uint64_t own_first = 0, std::uint64_t own = ~0ull) {
    GpuProgram o;
    DmaStage s;
    s.kind = kind;
    s.message = {0, blocks * 128};
    s.first_block = own_first;
    s.block_count = std::min(own, blocks);
    s.arrivals = blocks;
    s.wave_blocks = 64;
    o.stages.push_back(s);
    o.type = ElementType::i32;
    o.members = members;
    core->post(o, t0);
  }
  Packet* packet(Opcode opcode, std::uint64_t block, unsigned count, std::uint32_t lane) {
    Packet* p = pool.make(opcode == Opcode::pull || opcode == Opcode::ack ? 0 : 128, true);
    NvHeader& h = nv(*p);
    h.opcode = opcode;
    h.address = block * 128;
    h.source = 3;
    h.destination = 1;
    h.count = static_cast<std::uint16_t>(count);
    h.type = ElementType::i32;
    h.plane = static_cast<std::uint8_t>(block % 6);
    h.length = 128;
    for (unsigned i = 0; p->payload != nullptr && i < 32; ++i) std::memcpy(p->payload + 4 * i, &lane, 4);
    return p;
  }
  /// The packet's tail arrives at `tail`; runs until then.
  void receive(Packet* p, Tick tail) {
    core->accept(nv(*p).plane, p, tail);
    core->run_until(tail);
  }
  std::vector<Sent> of(Opcode opcode) const {
    std::vector<Sent> s;
    for (const Sent& x : sent)
      if (x.header.opcode == opcode) s.push_back(x);
    return s;
  }

 private:
  void deliver(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick) override {
    for (const LinkArrival* a = packets; a != packets + count; ++a) {
      Packet& p = *a->packet;
      std::uint32_t lane = 0;
      if (p.payload != nullptr) std::memcpy(&lane, p.payload, 4);
      sent.push_back({port, p.vc, flits_of<NvLink>(p), nv(p), first + a->after, lane});
      p.release();
    }
  }
  void return_credits(unsigned port, Tick first, const LinkCredit* c, unsigned count, Tick) override {
    for (unsigned i = 0; i < count; ++i) credits.emplace_back(port, first + c[i].after);
  }
  AccessTime read(std::uint64_t address, std::byte* data, unsigned bytes, Tick now) override {
    read_at.push_back(now);
    if (data != nullptr) std::memcpy(data, reinterpret_cast<std::byte*>(memory.data()) + address, bytes);
    return {latency, interval};
  }
  AccessTime write(std::uint64_t address, const std::byte* data, unsigned bytes, Tick) override {
    if (data != nullptr) std::memcpy(reinterpret_cast<std::byte*>(memory.data()) + address, data, bytes);
    return {0, interval};
  }
  void operation_done(Tick when) override { done = when; }
  void operation_failed(Tick, const std::string& error) override { throw std::runtime_error(error); }
  void wake(Tick when) override { wakes.push_back(when); }
};

}  // namespace gpu_bench
}  // namespace tributary
