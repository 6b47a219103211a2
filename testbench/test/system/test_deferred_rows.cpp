// Schedule tables that answer after the call: equal to the annotated form of the same latency to the picosecond, in both
// modes (docs/plugins.md#deferred-answers).
#include <catch2/catch.hpp>

#include "modules/base/random.h"
#include "modules/base/sysc/deferred_answer.h"
#include "modules/base/sysc/request_interval.h"
#include "modules/link/link_protocol.h"
#include "modules/nic/core/schedule_rows.h"
#include "platforms/schedule_nic/blocks.h"
#include "testbench/run/blocks/monitor_tap.h"
#include "testbench/test/harness/late_queue.h"
#include "testbench/test/harness/network_specs.h"
#include "testbench/test/harness/recorded_lines.h"

namespace tributary::test_deferred_rows {

using Catch::Matchers::Contains;

namespace {

enum class Form { annotated, deferred, unordered };
using Rule = std::function<Tick(std::uint64_t row, Tick begin)>;

/// A table whose rows are available later. It accepts a row each `interval` beyond the nominal time.
class LateScheduleTable : public TargetModule<> {
 public:
  LateScheduleTable(const char* name, std::uint32_t entries, Rule latency, Form form, Tick interval, AnswerFault fault)
      : TargetModule(name),
        rows_(entries),
        latency_(std::move(latency)),
        form_(form),
        interval_(interval),
        fault_(fault),
        late_(form != Form::unordered, fault) {}
  void reset() override {
    rows_.reset();
    late_.clear();
    latest_ = 0;
  }

 private:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override {
    const Tick begin = kernel_now() + delay.value();
    auto* const data = reinterpret_cast<std::byte*>(access.get_data_ptr());
    const std::uint64_t address = access.get_address();
    access.set_response_status(tlm::TLM_OK_RESPONSE);
    if (access.is_write()) return void(rows_.write(address, data, access.get_data_length(), begin));
    rows_.read(address, data, access.get_data_length(), begin);
    const bool timed = DeferredAnswer::is_offered(access);
    if (timed && begin < latest_) throw std::logic_error("a request of an earlier time follows");
    if (timed) latest_ = begin, RequestInterval::add(access, interval_);
    const Tick latency = latency_(address / 25, begin);
    if (form_ != Form::annotated)
      if (const auto request = DeferredAnswer::defer(access, late_))
        return fault_ == AnswerFault::nothing ? void() : late_.add(request->ticket, begin + latency);
    delay += to_sc_time(latency);
  }

  ScheduleRows rows_;
  Rule latency_;
  Form form_;
  Tick interval_;
  AnswerFault fault_;
  LateQueue late_;
  Tick latest_ = 0;
};

RunSpec with(RunSpec spec, const Rule& latency, Form form, Tick interval = 0, AnswerFault fault = AnswerFault::none) {
  spec.blocks.add(schedule_table_slot, [=](const char* name, const NicCore::Config& nic) {
    return std::make_unique<LateScheduleTable>(name, nic.table_entries, latency, form, interval, fault);
  });
  return spec;
}
RunSpec monitored(RunSpec spec) {
  spec.blocks.observe(std::make_shared<MonitorTap>(std::vector<std::string>{}, MonitorTap::usual_latency));
  return spec;
}

/// Checks that both modes agree on tables that answer later, and that those that answer within the call give the same run.
void check(const RunSpec& spec, const Rule& latency, Form form, Tick interval = 0) {
  const std::vector<Run> later = check_modes(with(spec, latency, form, interval));
  CHECK(difference(later, run_all(with_hashes(with(spec, latency, Form::annotated, interval)))) == "");
}

Rule constant(Tick latency) {
  return [latency](std::uint64_t, Tick) { return latency; };
}
/// 0 to 50 ns, by row and time.
Tick varying(std::uint64_t row, Tick begin) { return random_at(9, row, begin) % 50'000; }

}  // namespace

TEST_CASE("deferred rows of a schedule table: constant latencies", "[system][deferred]") {
  const RunSpec spec = network_spec("torus:2x2", "allreduce", "multitree", {4_B, 40_KiB});
  for (const Tick latency : {Tick{0}, Tick{1}, Tick{1'000}, Tick{10'000}, Tick{1'000'000}}) {
    INFO(latency << " ps");
    check(spec, constant(latency), Form::deferred);
  }
  check(spec, constant(10'000), Form::deferred, 3'000);
  check(monitored(spec), constant(10'000), Form::deferred);
}

TEST_CASE("deferred rows of a schedule table: latencies that depend on rows, and steps that are free running",
          "[system][deferred]") {
  for (const char* algorithm : {"multitree", "ring_2d"}) {
    INFO(algorithm);
    const RunSpec spec = network_spec("torus:4x4", "allreduce", algorithm, {4_KiB}, {"schedule_nic.nic.table.read=2ns"});
    check(spec, varying, Form::deferred, 1'000);
    check_modes(with(spec, varying, Form::unordered));
  }
  check(network_spec("torus:4x4", "allreduce", "multitree", {4_KiB}, {"schedule_nic.nic.lockstep.kind=off"}), varying,
        Form::deferred);
}

TEST_CASE("deferred rows of a schedule table: a step is not ready before its slowest row", "[system][deferred]") {
  const RunSpec spec = network_spec("torus:2x2", "allreduce", "multitree", {4_B});
  // Only the first row of each NIC is late, and the run waits for it once.
  const auto first_row = [](std::uint64_t row, Tick) { return row == 0 ? Tick{700'000} : Tick{0}; };
  const Tick end = run_one(spec).row.time;
  CHECK(run_one(with(spec, first_row, Form::deferred)).row.time == end + 700'000);
  CHECK(run_one(with(spec, first_row, Form::unordered)).row.time == end + 700'000);
}

TEST_CASE("deferred rows of a schedule table: records have the times of answers", "[system][deferred]") {
  const auto lines = [](Form form) {
    const RunSpec spec = with(network_spec("torus:2x2", "allreduce", "multitree", {4_B}), constant(10'000), form, 1'000);
    return recorded_lines(monitored(spec), schedule_table_slot.name);
  };
  const std::string at_once = lines(Form::annotated);
  CHECK_THAT(at_once, Contains("\"latency\""));
  CHECK(lines(Form::deferred) == at_once);
}

TEST_CASE("deferred rows of a schedule table: wrong answers are named", "[system][deferred]") {
  const RunSpec spec = network_spec("torus:2x2", "allreduce", "multitree", {40_KiB});
  const auto report = [&](AnswerFault fault) {
    const ResultRow row = run_one(with(spec, varying, Form::deferred, 0, fault)).row;
    CHECK(row.status == Status::block_wrong);
    return row.report;
  };
  CHECK_THAT(report(AnswerFault::unknown), Contains("table breaks the rule `ticket`: request "));
  CHECK_THAT(report(AnswerFault::order), Contains("table breaks the rule `order`: it answers request "));
  const auto late = [](std::uint64_t, Tick) { return Tick{0}; };
  const ResultRow early = run_one(with(spec, late, Form::deferred, 0, AnswerFault::early)).row;
  CHECK_THAT(early.report, Contains("table breaks the rule `time`: it answers request "));
  const ResultRow silent = run_one(with(spec, varying, Form::deferred, 0, AnswerFault::nothing)).row;
  CHECK(silent.status == Status::deadlock);
  CHECK_THAT(silent.report, Contains("waits for the schedule table"));
}

}  // namespace tributary::test_deferred_rows
