// The bandwidth of a GPU's memory: requests one after another, kernels slice by slice, bursts that wait for their data.
#include <catch2/catch.hpp>
#include <memory>

#include "modules/stream_gpu/core/port_hub.h"
#include "modules/streams/core/burst_cutter.h"
#include "modules/streams/core/kernel_unit.h"
#include "modules/streams/core/memory_rate.h"
#include "modules/streams/core/paced_access.h"

namespace tributary::test_memory_rate {
namespace {

struct Kernels : KernelListener {
  std::vector<Tick> ended{};
  void kernel_ended(std::uint32_t, Tick now) override { ended.push_back(now); }
};

StreamCommand kernel(std::uint64_t bytes, unsigned inputs) {
  StreamCommand c;
  c.kind = StreamCommand::Kind::kernel;
  c.bytes = bytes;
  c.input_count = static_cast<std::uint8_t>(inputs);
  return c;
}

KernelParams params_of(Bandwidth rate) {
  KernelParams params;
  params.launch = 0_ns;
  params.rate = rate;
  return params;
}

/// Returns the end of a kernel that begins at 0.
Tick end_of(std::uint64_t bytes, Bandwidth kernels, MemoryRate* memory) {
  PayloadViews views;
  GpuMemory data(views);
  Kernels listener;
  KernelUnit unit(params_of(kernels), data, listener, memory);
  const StreamCommand c = kernel(bytes, 1);
  unit.launch(c, 0, 0);
  for (Tick now = unit.next(); now != never; now = unit.next()) unit.end_kernels(now), unit.serve(now);
  return listener.ended.at(0);
}

/// A hub with one link of 25 GB/s to GPU 1.
struct HubBench : LinkOutput, BurstSource {
  explicit HubBench(MemoryRate* rate) {
    StreamTransmitter::Config config;
    config.link.rate = 25_GBps;
    config.link.latency = 20_ns;
    config.flow_control = 100'000;
    config.max_flits = 255;
    link = std::make_unique<StreamTransmitter>(config);
    PortHub::Config hub_config;
    CopyRoute route;
    route.peer = 1;
    route.ports = {0};
    hub_config.routes.push_back(route);
    hub = std::make_unique<PortHub>(hub_config, std::vector<StreamTransmitter*>{link.get()}, *this, pool, memory, rate);
  }
  ~HubBench() override { hub->reset(); }

  /// Returns the time at which the last flit of a copy that begins at 0 leaves.
  Tick copy(std::uint64_t bytes, unsigned accesses = 1) {
    command.peer = 1, command.bytes = bytes, command.accesses = static_cast<std::uint8_t>(accesses);
    hub->open(command, *this);
    cutter = BurstCutter(command, 0);
    for (unsigned ahead = 0; ahead < CopyHub::bursts_ahead && !cutter.empty(); ++ahead) hub->push(cutter.next(), 0, 0);
    for (Tick now = hub->next(); now != never; now = hub->next()) {
      do hub->end_bursts(now);
      while (hub->serve(now) || hub->next() <= now);
      hub->finish(now);
    }
    hub->close(command.copy);
    return end;
  }
  void room(std::uint32_t, unsigned, Tick now) override {
    if (!cutter.empty()) hub->push(cutter.next(), now, now);
  }
  void left(std::uint32_t, unsigned, Tick now) override { end = now; }
  void deliver(unsigned, Tick, const LinkArrival* packets, unsigned count, Tick) override {
    for (unsigned i = 0; i < count; ++i) packets[i].packet->release();
  }
  void return_credits(unsigned, Tick, const LinkCredit*, unsigned, Tick) override {}

  PacketPool pool{framing_of<ScheduleNicLink>(15 * 256)};
  PayloadViews views;
  GpuMemory memory{views};
  std::unique_ptr<StreamTransmitter> link;
  std::unique_ptr<PortHub> hub;
  CopyCommand command{};
  BurstCutter cutter{};
  Tick end = 0;
};

}  // namespace

TEST_CASE("memory rate: requests are served one after another, and counted by their use") {
  MemoryRate memory(100_GBps);  // 10 ps a byte
  const auto first = memory.request(MemoryUse::read, 1000, 5'000);
  CHECK(first.begin == 5'000);
  CHECK(first.end == 15'000);
  const auto second = memory.request(MemoryUse::write, 500, 6'000);
  CHECK(second.begin == 15'000);
  CHECK(second.end == 20'000);
  const auto third = memory.request(MemoryUse::operand, 1, 30'000);
  CHECK(third.begin == 30'000);
  CHECK(third.end == 30'010);
  CHECK(memory.counts().bytes == std::array<std::uint64_t, 3>{1000, 500, 1});
  CHECK(memory.counts().busy == 15'010);
  memory.reset();
  CHECK(memory.request(MemoryUse::read, 1, 0).begin == 0);
}

TEST_CASE("memory rate: without a limit a request lasts no time, and is not counted") {
  MemoryRate memory;
  CHECK_FALSE(memory.limited());
  const auto service = memory.request(MemoryUse::write, 1'000'000, 7);
  CHECK(service.begin == 7);
  CHECK(service.end == 7);
  CHECK(memory.counts().busy == 0);
}

TEST_CASE("memory rate: a kernel lasts as long as its traffic on a slow memory, and as ever on a fast one") {
  constexpr std::uint64_t bytes = 1'000'000;
  const Tick alone = end_of(bytes, 100_GBps, nullptr);
  CHECK(alone == 10'000'000);
  MemoryRate fast(300_GBps), slow(150_GBps);
  CHECK(end_of(bytes, 100_GBps, &fast) == alone);  // three accesses a byte, just covered
  const Tick late = end_of(bytes, 100_GBps, &slow);
  CHECK(late >= 20'000'000);
  CHECK(late < 20'000'000 + 1'000);  // rounded up, slice by slice
  CHECK(slow.counts().bytes[static_cast<std::size_t>(MemoryUse::operand)] == 3 * bytes);
}

TEST_CASE("memory rate: a kernel waits for other users of the memory") {
  MemoryRate memory(300_GBps);
  memory.request(MemoryUse::write, 300'000, 0);  // 1 us
  CHECK(end_of(4096, 100_GBps, &memory) == 1'000'000 + 40'960);
}

TEST_CASE("memory rate: a copy has the rate of its link or of the memory, whichever is less") {
  constexpr std::uint64_t bytes = 100 * 3840;
  const Tick alone = HubBench(nullptr).copy(bytes);
  CHECK(alone == 100 * 255 * 640);
  MemoryRate fast(900_GBps), slow(10_GBps);
  CHECK(HubBench(&fast).copy(bytes) == alone);
  const Tick last_burst = 255 * 640;
  CHECK(HubBench(&slow).copy(bytes) == 99 * 384'000 + last_burst);  // the last burst leaves when its service begins
  CHECK(slow.counts().bytes[static_cast<std::size_t>(MemoryUse::read)] == bytes);
  MemoryRate sums(30_GBps);  // a sum that is stored: three accesses a byte
  CHECK(HubBench(&sums).copy(bytes, 3) == 99 * 384'000 + last_burst);
}

}  // namespace tributary::test_memory_rate
