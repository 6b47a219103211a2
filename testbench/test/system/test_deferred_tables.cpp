// Reduction tables that answer after the call: equal to the annotated form of the same latency to the picosecond, in both
// modes (docs/plugins.md#deferred-answers).
#include <catch2/catch.hpp>

#include "modules/base/random.h"
#include "modules/nvswitch/associative_reduction_table.h"
#include "platforms/nvswitch/blocks.h"
#include "testbench/test/harness/late_queue.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_deferred_tables {

using Catch::Matchers::Contains;

namespace {

constexpr Tick clock = 640;

enum class Form { annotated, deferred, unordered };
using Rule = std::function<Tick(const TableTransaction&)>;

/// The model's table, whose packets leave later.
class DeferredTable : public AssociativeReductionTable {
 public:
  DeferredTable(const char* name, const ReductionTableConfig& config, Rule latency, Form form, AnswerFault fault)
      : AssociativeReductionTable(name, config),
        latency_(std::move(latency)),
        form_(form),
        fault_(fault),
        late_(form != Form::unordered, fault) {}
  void reset() override {
    AssociativeReductionTable::reset();
    late_.clear();
  }

 private:
  void b_transport(TableTransaction& t, sc_core::sc_time& delay) override {
    const Tick added = t.packet == nullptr ? 0 : latency_(t);
    core.access(t);
    if (t.command != TableTransaction::Command::push && t.command != TableTransaction::Command::collect) return;
    const bool stays = t.answer == TableTransaction::Answer::bypassed || t.answer == TableTransaction::Answer::missed;
    const bool leaves = t.result != nullptr || t.evicted != nullptr || stays;
    if (form_ != Form::annotated && (leaves || fault_ == AnswerFault::nothing) && t.defer(late_))
      return late_.add(t.late->ticket, t.now + added);
    delay += sc_core::sc_time::from_value(added);
  }

  Rule latency_;
  Form form_;
  AnswerFault fault_;
  LateQueue late_;
};

RunSpec with(RunSpec spec, const Rule& latency, Form form, AnswerFault fault = AnswerFault::none) {
  spec.blocks.add(reduction_table_slot, [=](const char* name, const ReductionTableConfig& config) {
    return std::make_unique<DeferredTable>(name, config, latency, form, fault);
  });
  return spec;
}

/// Checks that both modes agree on tables that answer later, and that those that answer within the call give the same run.
void check(const RunSpec& spec, const Rule& latency, Form form) {
  const std::vector<Run> later = check_modes(with(spec, latency, form));
  const std::vector<Run> at_once = run_all(with_hashes(with(spec, latency, Form::annotated)));
  CHECK(difference(later, at_once) == "");
}

Rule constant(Tick latency) {
  return [latency](const TableTransaction&) { return latency; };
}
/// 0 to 100 ns, by block and time: sums of different blocks overtake each other in the table.
Tick varying(const TableTransaction& t) { return random_at(3, nv(*t.packet).address, t.now) % 100'000; }

}  // namespace

TEST_CASE("deferred tables: constant latencies", "[system][deferred]") {
  for (const char* algorithm : {"push", "pull"})
    for (const Tick latency : {Tick{0}, Tick{1}, clock, Tick{10'000}, Tick{1'000'000}}) {
      INFO(algorithm << " " << latency << " ps");
      check(run_spec(algorithm, first_gpus(16), {16_KiB}), constant(latency), Form::deferred);
    }
}

TEST_CASE("deferred tables: latencies that depend on data, in order and by ticket", "[system][deferred]") {
  for (const char* algorithm : {"push", "pull"})
    for (const Form form : {Form::deferred, Form::unordered})
      check(run_spec(algorithm, first_gpus(16), {64_KiB}), varying, form);
  check(without_data(run_spec("push", first_gpus(16), {256_KiB})), varying, Form::unordered);
}

TEST_CASE("deferred tables: evictions, timeouts and full buffers", "[system][deferred]") {
  const std::vector<std::string> tight{
      "nvswitch.switch.input_buffer=288B",          "nvswitch.switch.output_queue=288B",
      "nvswitch.switch.table_queue=144B",           "nvswitch.switch.replication_buffer.bytes=300B",
      "nvswitch.switch.reduction_table.bytes=256B", "nvswitch.switch.reduction_table.timeout=300ns"};
  check(run_spec("push", first_gpus(16), {16_KiB}, tight), varying, Form::unordered);
  check(run_spec("push", first_gpus(16), {16_KiB}, tight), constant(10'000), Form::deferred);
  check(run_spec("pull", first_gpus(16), {16_KiB}, {"nvswitch.switch.reduction_table.bytes=256B"}), varying,
        Form::unordered);
}

TEST_CASE("deferred tables: an answer that breaks a rule is named", "[system][deferred]") {
  const RunSpec spec = run_spec("push", first_gpus(16), {64_KiB});
  const auto report = [&](AnswerFault fault) {
    const ResultRow row = run_one(with(spec, constant(1'000'000), Form::deferred, fault)).row;
    CHECK(row.status == Status::block_wrong);
    return row.report;
  };
  CHECK_THAT(report(AnswerFault::unknown), Contains("dgx2.switch") && Contains(".table breaks the rule `ticket`: request"));
  CHECK_THAT(report(AnswerFault::early), Contains(".table breaks the rule `time`: it answers request"));
  CHECK_THAT(report(AnswerFault::order), Contains(".table breaks the rule `order`: it answers request"));
  CHECK_THAT(report(AnswerFault::nothing),
             Contains(".table breaks the rule `ticket`: it answers request 1 later, and nothing leaves"));
}

}  // namespace tributary::test_deferred_tables
