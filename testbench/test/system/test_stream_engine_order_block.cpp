// Streams of GPUs around NVSwitches: no record overtakes its data under any traffic; channels; both modes.
#include <catch2/catch.hpp>

#include <cstring>
#include <memory>

#include "modules/gpu/stream_engine.h"
#include "testbench/test/harness/stream_machine.h"

namespace tributary::test_stream_engine_order_block {
namespace {

/// Reads the memory of each GPU when a wait ends: chunk `c.chunk` of `c.peer` must have arrived.
class Watch {
 public:
  Watch(StreamMachine& m, std::uint64_t chunk) : machine_(m), chunk_(chunk) {
    for (unsigned g = 0; g < m.system.gpu_count(); ++g) gpus_.push_back({this, g});
    for (Gpu& gpu : gpus_) m.system.stream_engine(gpu.number).core().streams().commands.attach(&gpu, &Watch::ended);
  }
  unsigned seen = 0, wrong = 0;

 private:
  struct Gpu {
    Watch* watch;
    unsigned number;
  };
  static void ended(void* to, Tick, const StreamCommandEvent& e) {
    if (e.kind != StreamCommandEvent::Kind::ended || e.command->kind != StreamCommand::Kind::wait) return;
    const Gpu& gpu = *static_cast<Gpu*>(to);
    Watch& w = *gpu.watch;
    const char* const here = w.machine_.data<char>(gpu.number) + e.command->destination;
    const char* const there = w.machine_.data<char>(e.command->peer) + e.command->source;
    ++w.seen;
    w.wrong += std::memcmp(here, there, w.chunk_) != 0;
  }
  StreamMachine& machine_;
  std::uint64_t chunk_;
  std::vector<Gpu> gpus_;
};

/// Each GPU sends `chunks` chunks to each other GPU, with a stream and a semaphore for each pair, and waits for each
/// chunk.
std::vector<StreamScript> all_to_all(unsigned gpus, unsigned chunks, std::uint64_t chunk) {
  std::vector<StreamScript> scripts(gpus);
  const std::uint64_t part = chunks * chunk;  // memory: data that GPU g sends begin at 0, data from peer p at (1 + p) parts
  for (unsigned g = 0; g < gpus; ++g)
    for (unsigned p = 0; p < gpus; ++p) {
      if (p == g) continue;
      for (unsigned c = 0; c < chunks; ++c) {
        scripts[g].copy(p, p, chunk, c * chunk, (1 + g) * part + c * chunk).record(p, p, g);
        scripts[g].wait(gpus + p, p, c + 1, p);
        scripts[g].program.commands.back().source = c * chunk;
        scripts[g].program.commands.back().destination = (1 + p) * part + c * chunk;
      }
    }
  return scripts;
}

constexpr std::uint64_t chunk = 3000;  // not a multiple of a block
constexpr unsigned chunks = 12;

/// Records and waits that take no time, on links that are busy.
StreamMachineSpec hard(AckMode acks, unsigned gpus) {
  StreamMachineSpec spec;
  spec.memory = (gpus + 1) * chunks * chunk;
  spec.params.acks = acks;
  spec.params.stream_engine.streams.release = spec.params.stream_engine.streams.acquire = 0_ns;
  spec.params.stream_engine.copy.launch = 100_ns;
  spec.params.stream_engine.copy.engines = 4;
  return spec;
}

void check_order(const char* name, AckMode acks) {
  StreamMachine m(name, two_boards(3, 4, 2), hard(acks, 6));  // two trunks for three GPUs: blocks wait, and overtake
  for (unsigned g = 0; g < 6; ++g)
    for (std::uint64_t i = 0; i < chunks * chunk; ++i)
      m.data<std::byte>(g)[i] = static_cast<std::byte>(i * 7 + i / 251 + g * 13 + 1);
  Watch watch(m, chunk);
  for (const Tick end : m.run(all_to_all(6, chunks, chunk), {0, 700'000, 0, 2'000'000})) CHECK(end != never);
  CHECK(watch.seen == 6 * 5 * chunks);
  CHECK(watch.wrong == 0);
  CHECK(m.system.waiting().empty());
  CHECK(m.system.live_packets() == 0);
}

}  // namespace

TEST_CASE("streams over nvswitches: no semaphore overtakes its data, with acks", "[block]") {
  check_order("acks", AckMode::separate);
}

TEST_CASE("streams over nvswitches: no semaphore overtakes its data, without acks", "[block]") {
  check_order("none", AckMode::none);
}

TEST_CASE("streams over nvswitches: both modes take the same picoseconds, with data and without", "[block]") {
  std::vector<std::unique_ptr<StreamMachine>> machines;  // three for each mode
  for (const AckMode acks : {AckMode::separate, AckMode::none}) {
    const std::string mode = acks == AckMode::none ? "none" : "acks";
    StreamMachineSpec windowed = hard(acks, 6);
    windowed.params.gpu.memory.jitter = 100_ns;
    StreamMachineSpec event = windowed, dry = windowed;
    event.windowed = false;
    dry.with_data = false;
    for (const StreamMachineSpec& spec : {windowed, event, dry})
      machines.push_back(std::make_unique<StreamMachine>(mode + std::to_string(machines.size()), two_boards(3, 4, 2), spec));
  }
  for (const auto& m : machines) m->start(all_to_all(6, chunks, chunk), {0, 700'001, 3});
  sc_core::sc_start();
  for (std::size_t first = 0; first < machines.size(); first += 3) {
    const std::vector<Tick> ends = machines[first]->ends();
    for (const Tick end : ends) CHECK(end != never);
    CHECK(machines[first + 1]->ends() == ends);
    CHECK(machines[first + 2]->ends() == ends);
  }
}

TEST_CASE("streams over nvswitches: a step of a channel arrives after its data, and its sum is forwarded", "[block]") {
  constexpr std::uint64_t bytes = 20'000;
  constexpr Tick base = 8'400'000, hop = 3'400'000, step = 1'000'000;  // 20 kB at 20 GB/s
  StreamMachineSpec spec;
  spec.memory = 1 << 18;
  StreamMachine m("channel", one_board(3, 6), spec);
  for (unsigned g = 0; g < 3; ++g)
    for (std::uint64_t i = 0; i < bytes / 4; ++i) m.data<std::int32_t>(g)[i] = static_cast<std::int32_t>(i * (g + 1));
  std::vector<StreamScript> scripts(3);
  for (unsigned g = 0; g < 3; ++g) {
    StreamProgram& p = scripts[g].program;
    p.channels = p.semaphores = 1;
    p.type = ElementType::i32;
    ChannelStep s;
    s.reads_own = true, s.bytes = bytes;
    if (g > 0) s.reads_input = s.stores = true, s.arrivals = 1, s.input = 100'000;
    if (g < 2) s.peer = static_cast<std::uint16_t>(g + 1), s.destination = 100'000;
    p.steps = {s};
  }
  const std::vector<Tick> ends = m.run(scripts);
  CHECK(ends[0] == base + step);
  // Between two steps: the last block and its ack, the flag, the time of a hop. The last 800 B are a separate burst,
  // which may leave when the channel's rate has reached it.
  constexpr Tick flights = 3 * (2 * 20'000 + 150'000), early = 40'000, flits = 2 * (9 + 1 + 2) * 640;
  for (unsigned g = 1; g < 3; ++g) {
    const Tick between = ends[g] - ends[g - 1] - hop - step;
    CHECK(between >= flights - early);
    CHECK(between <= flights - early + flits + 7 * 960);
  }
  bool right = true;
  for (std::uint64_t i = 0; i < bytes / 4; ++i)
    right = right && m.data<std::int32_t>(2)[i] == static_cast<std::int32_t>(i * 6);
  CHECK(right);
  CHECK(m.system.waiting().empty());
}

}  // namespace tributary::test_stream_engine_order_block
