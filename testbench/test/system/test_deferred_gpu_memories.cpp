// Memories of GPUs at NVSwitches that answer after the call: equal to the annotated form of the same latency to the
// picosecond, in both modes (docs/plugins.md#deferred-answers).
#include <catch2/catch.hpp>

#include "modules/base/random.h"
#include "modules/base/sysc/at_target.h"
#include "platforms/nvswitch/blocks.h"
#include "testbench/test/harness/at_memory.h"
#include "testbench/test/harness/late_gpu_memory.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_deferred_gpu_memories {

using Catch::Matchers::Contains;

namespace {

/// The memory of a GPU, of the approximately timed style.
class AtGpuMemory : public MemoryModel {
 public:
  AtGpuMemory(const char* name, ::AtMemory::Style style, unsigned seed, unsigned* transactions)
      : MemoryModel(name), adapter("adapter", 64), memory("dram", 0, style, seed), transactions_(transactions) {
    socket.bind(adapter.in);
    adapter.out.bind(memory.socket);
  }
  ~AtGpuMemory() override { *transactions_ += memory.transactions; }
  void resize(std::uint64_t size) override { memory.bytes.assign(size, {}); }
  std::byte* data() override { return reinterpret_cast<std::byte*>(memory.bytes.data()); }
  std::uint64_t size() const override { return memory.bytes.size(); }
  void reset() override {}
  AtTarget adapter;
  ::OpenAtMemory memory;

 private:
  unsigned* transactions_;
};

LatencyRule constant(Tick latency) {
  return [latency](std::uint64_t, Tick) { return latency; };
}
/// 0 to 200 ns, by address and time.
Tick varying(std::uint64_t address, Tick begin) { return random_at(7, address, begin) % 200'000; }

RunSpec with(RunSpec spec, const LatencyRule& latency, AnswerForm form, AnswerFault fault = AnswerFault::none) {
  spec.blocks.add(gpu_memory_slot, [=](const char* name, const GpuConfig&) {
    return std::make_unique<LateGpuMemory>(name, latency, form, fault);
  });
  return spec;
}

/// Checks that both modes agree on memories that answer later, and that those that answer within the call give the same run.
void check(const RunSpec& spec, const LatencyRule& latency, AnswerForm form = AnswerForm::unordered) {
  const std::vector<Run> later = check_modes(with(spec, latency, form));
  const std::vector<Run> at_once = run_all(with_hashes(with(spec, latency, AnswerForm::annotated)));
  CHECK(difference(later, at_once) == "");
}

}  // namespace

TEST_CASE("deferred memories of GPUs: constant latencies", "[system][deferred]") {
  for (const char* algorithm : {"push", "pull", "ring"})
    for (const Tick latency : {Tick{0}, Tick{1}, Tick{640}, Tick{10'000}, Tick{1'000'000}}) {
      INFO(algorithm << " " << latency << " ps");
      check(run_spec(algorithm, first_gpus(16), {16_KiB}), constant(latency), AnswerForm::deferred);
    }
  check(run_spec("push", first_gpus(16), {16_KiB}), constant(10'000), AnswerForm::clocked);
}

TEST_CASE("deferred memories of GPUs: latencies that depend on data, in networks of switches", "[system][deferred]") {
  check(run_spec("push", first_gpus(16), {64_KiB}), varying);
  check(run_spec("pull", first_gpus(16), {64_KiB}), varying);
  check(without_data(run_spec("pull", first_gpus(16), {64_KiB})), varying);
  check(collective_spec("reduce", "pull", first_gpus(16), {16_KiB}), varying);
  check(collective_spec("allgather", "multicast", first_gpus(16), {64_KiB}), varying);
}

TEST_CASE("deferred memories of GPUs: full tables, short queues, and cores that poll", "[system][deferred]") {
  check(run_spec("push", first_gpus(16), {64_KiB}, {"nvswitch.switch.reduction_table.bytes=128B"}), varying);
  for (const char* algorithm : {"push", "pull"}) {
    check(run_spec(algorithm, first_gpus(16), {64_KiB}, {"nvswitch.gpu.dma.tx_queue=1"}), varying);
    check(run_spec(algorithm, first_gpus(16), {16_KiB}, {"nvswitch.gpu.initiator=cores"}), varying);
  }
  check(run_spec("pull", first_gpus(16), {16_KiB}, {"nvswitch.acks=none"}), varying);
}

TEST_CASE("deferred memories of GPUs: software schedules", "[system][deferred]") {
  check(run_spec("ring", first_gpus(16), {64_KiB}), varying);
  check(run_spec("ring", first_gpus(5), {16_KiB}, {"nvswitch.ring.sync=fence", "nvswitch.gpu.dma.tx_queue=2"}), varying);
  check(run_spec("double_binary_tree", first_gpus(16), {64_KiB}), varying);
}

TEST_CASE("deferred memories of GPUs: copy engines and channels", "[system][deferred]") {
  for (const Tick latency : {Tick{0}, Tick{1}, Tick{10'000}})
    check(run_spec("blink", first_gpus(16), {64_KiB}), constant(latency), AnswerForm::deferred);
  check(run_spec("blink", first_gpus(16), {256_KiB}), varying);
  check(run_spec("nccl", first_gpus(16), {64_KiB}), varying);
}

TEST_CASE("deferred memories of GPUs: AT memories in kernel time", "[system][deferred]") {
  RunSpec spec = run_spec("push", first_gpus(16), {4_KiB});
  spec.mode = SimulationMode::event;
  unsigned transactions = 0;
  spec.blocks.add(gpu_memory_slot, [&transactions](const char* name, const GpuConfig& config) {
    return std::make_unique<AtGpuMemory>(name, ::AtMemory::Style::any, config.gpu + 1, &transactions);
  });
  {
    Session session(spec);
    const ResultRow row = session.run(0).front();
    CHECK(row.status == Status::done);
    CHECK(row.wrong == 0u);
  }
  CHECK(transactions == 16 * 32 * 2);  // each GPU reads 32 blocks in two bursts
}

TEST_CASE("deferred memories of GPUs: an answer that breaks a rule is named", "[system][deferred]") {
  const RunSpec spec = run_spec("push", first_gpus(16), {16_KiB});
  const auto report = [&](AnswerForm form, AnswerFault fault) {
    const ResultRow row = run_one(with(spec, constant(10'000), form, fault)).row;
    CHECK(row.status == Status::block_wrong);
    return row.report;
  };
  const std::string place = "dgx2.gpu";
  CHECK_THAT(report(AnswerForm::deferred, AnswerFault::unknown),
             Contains(place) && Contains("breaks the rule `ticket`: request"));
  CHECK_THAT(report(AnswerForm::deferred, AnswerFault::early), Contains("breaks the rule `time`: it answers request"));
  CHECK_THAT(report(AnswerForm::deferred, AnswerFault::order), Contains("breaks the rule `order`: it answers request"));
}

}  // namespace tributary::test_deferred_gpu_memories
