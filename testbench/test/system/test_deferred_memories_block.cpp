// Memories that answer NICs and copy engines after the call: they give the packets of memories that know their latency, at
// the same picoseconds, in windows and without (docs/plugins.md#deferred-answers).
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <tuple>

#include "modules/base/random.h"
#include "testbench/harness/nic_pair.h"
#include "testbench/test/harness/deferred_memory.h"
#include "testbench/test/harness/stream_gpu_bench.h"

namespace tributary::test_deferred_memories_block {
namespace {

constexpr Tick t0 = 2'000'000;

LatencyRule constant(Tick latency) {
  return [latency](std::uint64_t, Tick) { return latency; };
}
/// 0 to 50 ns, by address and time.
Tick varying(std::uint64_t address, Tick begin) { return random_at(7, address, begin) % 50'000; }

using Sent = std::vector<std::tuple<Tick, std::uint64_t, std::uint16_t>>;

/// Two NICs with such memories. They run programs of four chunks each way, and record what they send.
struct Nics {
  Nics(const std::string& name, const LatencyRule& latency, AnswerForm form, bool windowed)
      : pair(name, parts(latency, form, deferred), chunk) {
    for (unsigned n = 0; n < 2; ++n) {
      pair.node(n).router().port(0).transmitter().sent.attach(this, [](void* self, Tick when, const PacketView& p) {
        static_cast<Nics*>(self)->sent.emplace_back(when, p.address, p.source);
      });
      if (windowed) pair.node(n).set_windows({150'000, 150'000, n * 75'000u, 150'000});
    }
  }
  static Nic::Parts parts(const LatencyRule& latency, AnswerForm form, unsigned& deferred) {
    Nic::Parts parts;
    parts.memory = [=, &deferred](const char* name, const NicCore::Config& nic) {
      return std::make_unique<DeferredMemory>(name, nic.schedule.node, latency, form, &deferred);
    };
    return parts;
  }
  /// Trees 0 and 2 have node 0 as root, trees 1 and 3 node 1. Both chunks of a step are requested together.
  static NicProgram rows(std::uint16_t n) {
    using Op = ScheduleEntry::Op;
    constexpr std::uint16_t nil = ScheduleEntry::nil;
    const auto other = static_cast<std::uint16_t>(1 - n);
    NicProgram program;
    for (std::uint16_t step = 1; step <= 2; ++step)
      for (std::uint16_t pass = 0; pass < 2; ++pass) {
        const auto tree = static_cast<std::uint16_t>(2 * pass + (step == 1 ? other : n));
        const std::uint64_t start = tree * std::uint64_t{chunk} / 2;
        if (step == 1)
          program.table.entries.push_back({Op::reduce, tree, other, {nil, nil, nil, nil}, step, start, chunk / 2});
        else
          program.table.entries.push_back({Op::gather, tree, nil, {other, nil, nil, nil}, step, start, chunk / 2});
      }
    program.table.reduces = program.table.gathers = 2;
    program.type = ElementType::i32;
    return program;
  }
  /// The other node stores what is sent; two commands wait for earlier ones.
  static NicProgram commands(std::uint16_t n) {
    const auto other = static_cast<std::uint16_t>(1 - n);
    NicProgram program;
    for (std::uint32_t c = 0; c < 4; ++c) {
      NicCommand command;
      command.chunk = command.from = c * std::uint64_t{chunk} / 2;
      command.bytes = chunk / 2;
      if (c % 2 == n) {
        command.send = NicTarget{other, static_cast<std::uint16_t>(c), command.chunk};
        if (c >= 2) command.after = {c - 2};
      } else {
        command.receives = true;
      }
      program.commands.push_back(command);
    }
    program.type = ElementType::i32;
    return program;
  }
  void post(NicProgram (*program)(std::uint16_t)) {
    for (std::uint16_t n = 0; n < 2; ++n) {
      pair.fill(n, 10 + n);
      pair.node(n).post(program(n), t0);
    }
  }
  /// Call when the simulation is over.
  std::tuple<Sent, Tick, Tick> result() {
    for (unsigned n = 0; n < 2; ++n) CHECK(pair.nic(n).waiting().empty());
    CHECK(pair.packets().live() == 0);
    std::sort(sent.begin(), sent.end());
    return {sent, pair.finished().when(0), pair.finished().when(1)};
  }

  static constexpr std::uint32_t chunk = 4096;
  unsigned deferred = 0;
  NicPair pair;
  Sent sent;
};

/// Runs memories of all these forms in one simulation, in windows and without; all must send the same.
void check_nics(const LatencyRule& latency, const std::vector<AnswerForm>& forms, NicProgram (*program)(std::uint16_t),
                bool sums) {
  const unsigned requests = sums ? 8 : 4;  // rows of both tables, or commands that send
  std::vector<std::unique_ptr<Nics>> all;
  for (const AnswerForm form : forms)
    for (const bool windowed : {false, true}) {
      const std::string name = "nics" + std::to_string(all.size()) + "_";
      all.push_back(std::make_unique<Nics>(name, latency, form, windowed));
    }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (auto& nics : all) nics->post(program);
  sc_core::sc_start();
  const auto known = all[0]->result();
  CHECK(std::get<0>(known).size() >= 2 * 16);
  for (std::size_t i = 1; i < all.size(); ++i) {
    INFO("form " << i / 2 << ", windows " << i % 2);
    CHECK((all[i]->result() == known));
    CHECK(all[i]->deferred == (forms[i / 2] == AnswerForm::annotated ? 0 : requests));
  }
  for (auto& nics : all)
    for (unsigned n = 0; n < 2 && sums; ++n)
      for (std::size_t e = 0; e < nics->pair.elements(); ++e) REQUIRE(nics->pair.value(n, e) == 21);
}

const std::vector<AnswerForm> in_order{AnswerForm::annotated, AnswerForm::deferred, AnswerForm::clocked};

/// Two GPUs with such memories and two links. Each copies on three streams to the other.
struct Servers {
  Servers(const std::string& name, const LatencyRule& latency, AnswerForm form, bool windowed, const StreamGpuParams& params)
      : bench(spec(latency, form, windowed, params, deferred), name.c_str()) {
    for (unsigned link = 0; link < 2; ++link)
      bench.gpu(0).port(link).transmitter().sent.attach(this, [](void* self, Tick when, const PacketView& p) {
        static_cast<Servers*>(self)->sent.emplace_back(when, p.address, p.source);
      });
  }
  static StreamBenchSpec spec(const LatencyRule& latency, AnswerForm form, bool windowed, const StreamGpuParams& params,
                              unsigned& deferred) {
    StreamBenchSpec spec;
    spec.pairs = {{0, 1, 2}};
    spec.params = params;
    spec.windowed = windowed;
    spec.memory = 1 << 20;
    spec.parts.memory = [=, &deferred](const char* memory, unsigned gpu) {
      return std::make_unique<DeferredMemory>(memory, gpu, latency, form, &deferred);
    };
    return spec;
  }
  static unsigned bytes(unsigned stream) { return 10'000 + 7'777 * stream; }
  /// Returns the packets of GPU 0 and the ends of both programs, relative to their start.
  std::pair<Sent, std::vector<Tick>> run() {
    std::vector<StreamScript> scripts(2);
    for (unsigned g = 0; g < 2; ++g) {
      for (unsigned i = 0; i < 100'000; ++i) bench.data<unsigned char>(g)[i] = static_cast<unsigned char>(i * (g + 1) / 7);
      for (unsigned stream = 0; stream < 3; ++stream)
        for (unsigned c = 0; c < 2; ++c)
          scripts[g]
              .copy(stream, 1 - g, bytes(stream), 33'000 * stream, 400'000 + 66'000 * stream + 33'000 * c)
              .record(stream, 1 - g, stream)
              .wait(stream, stream, c + 1);
    }
    const Tick start = sc_core::sc_time_stamp().value() + StreamBench::t0;
    const std::vector<Tick> ends = bench.run(scripts);
    CHECK(bench.waiting().empty());
    for (unsigned g = 0; g < 2; ++g)
      for (unsigned stream = 0; stream < 3; ++stream)
        CHECK(std::memcmp(bench.data<std::byte>(1 - g) + 400'000 + 66'000 * stream,
                          bench.data<std::byte>(g) + 33'000 * stream, bytes(stream)) == 0);
    for (auto& packet : sent) std::get<0>(packet) -= start;
    std::sort(sent.begin(), sent.end());
    return {sent, ends};
  }

  unsigned deferred = 0;
  StreamBench bench;
  Sent sent;
};

/// Runs memories of all these forms, in windows and without; all must send the same.
void check_copies(const LatencyRule& latency, const std::vector<AnswerForm>& forms,
                  const StreamGpuParams& params = StreamBenchSpec::usual()) {
  std::vector<std::unique_ptr<Servers>> all;
  for (const AnswerForm form : forms)
    for (const bool windowed : {false, true})
      all.push_back(std::make_unique<Servers>("bench" + std::to_string(all.size()), latency, form, windowed, params));
  const auto known = all[0]->run();
  CHECK(known.first.size() >= 6);
  for (std::size_t i = 1; i < all.size(); ++i) {
    INFO("form " << i / 2 << ", windows " << i % 2);
    CHECK((all[i]->run() == known));
    CHECK(all[i]->deferred == (forms[i / 2] == AnswerForm::annotated ? 0 : 12));  // six copies of each GPU
  }
}

/// Latency by address alone: the benches run one after another.
Tick by_address(std::uint64_t address, Tick) { return random_at(9, address, 0) % 300'000; }

}  // namespace

TEST_CASE("deferred memory: NICs send chunks of a schedule as with 0 ps", "[block][nic][deferred]") {
  check_nics(constant(0), {AnswerForm::annotated, AnswerForm::deferred, AnswerForm::unordered}, Nics::rows, true);
}
TEST_CASE("deferred memory: NICs send chunks of a schedule as with 1 ps", "[block][nic][deferred]") {
  check_nics(constant(1), {AnswerForm::annotated, AnswerForm::deferred, AnswerForm::unordered}, Nics::rows, true);
}
TEST_CASE("deferred memory: NICs send chunks of a schedule as with a clock", "[block][nic][deferred]") {
  check_nics(constant(1'000), {AnswerForm::annotated, AnswerForm::deferred, AnswerForm::unordered}, Nics::rows, true);
}
TEST_CASE("deferred memory: NICs send chunks of a schedule as with 10 ns", "[block][nic][deferred]") {
  check_nics(constant(10'000), {AnswerForm::annotated, AnswerForm::deferred, AnswerForm::clocked, AnswerForm::unordered},
             Nics::rows, true);
}
TEST_CASE("deferred memory: NICs send chunks of a schedule as with 1 us", "[block][nic][deferred]") {
  check_nics(constant(1'000'000), {AnswerForm::annotated, AnswerForm::deferred, AnswerForm::unordered}, Nics::rows, true);
}
TEST_CASE("deferred memory: NICs send chunks of a schedule, by data", "[block][nic][deferred]") {
  check_nics(varying, in_order, Nics::rows, true);
}
TEST_CASE("deferred memory: NICs send chunks of commands, by data", "[block][nic][deferred]") {
  check_nics(varying, in_order, Nics::commands, false);
}
TEST_CASE("deferred memory: NICs send chunks of commands, out of order", "[block][nic][deferred]") {
  check_nics(varying, {AnswerForm::unordered}, Nics::commands, false);
}

TEST_CASE("deferred memory: copies leave as with 0 ps", "[block][stream_gpu][deferred]") {
  check_copies(constant(0), in_order);
}
TEST_CASE("deferred memory: copies leave as with 1 ps", "[block][stream_gpu][deferred]") {
  check_copies(constant(1), in_order);
}
TEST_CASE("deferred memory: copies leave as with a clock", "[block][stream_gpu][deferred]") {
  check_copies(constant(1'000), in_order);
}
TEST_CASE("deferred memory: copies leave as with 10 ns", "[block][stream_gpu][deferred]") {
  check_copies(constant(10'000), in_order);
}
TEST_CASE("deferred memory: copies leave as with 1 us", "[block][stream_gpu][deferred]") {
  check_copies(constant(1'000'000), in_order);
}
TEST_CASE("deferred memory: copies leave as by data", "[block][stream_gpu][deferred]") {
  check_copies(by_address, in_order);
}
TEST_CASE("deferred memory: copies of engines with a window and a rate leave as by data", "[block][stream_gpu][deferred]") {
  StreamGpuParams params = StreamBenchSpec::usual();
  params.copy.window = 16_KiB;
  params.copy.rate = 30_GBps;
  check_copies(by_address, in_order, params);
}
TEST_CASE("deferred memory: copies leave out of order, equally in windows", "[block][stream_gpu][deferred]") {
  check_copies(by_address, {AnswerForm::unordered});
}

}  // namespace tributary::test_deferred_memories_block
