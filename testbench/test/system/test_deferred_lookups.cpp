// A connection lookup table that answers after the call: equal to the annotated form of the same latency to the picosecond,
// in both modes (docs/plugins.md#deferred-answers).
#include <catch2/catch.hpp>

#include "modules/base/random.h"
#include "platforms/netreduce/blocks.h"
#include "testbench/test/harness/late_queue.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/recorded_lines.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_deferred_lookups {

using Catch::Matchers::Contains;

namespace {

constexpr Tick cycle = 3103;

enum class Form { annotated, deferred, unordered };
using Rule = std::function<Tick(const ClTransaction&)>;

/// The model's table, whose answers are valid later.
class LateLookup : public ConnectionLookupTable {
 public:
  LateLookup(const char* name, const Accelerator::Config& config, Rule latency, Form form, AnswerFault fault)
      : ConnectionLookupTable(name, config.window, config.rules),
        latency_(std::move(latency)),
        form_(form),
        late_(form != Form::unordered, fault) {}
  void reset() override {
    ConnectionLookupTable::reset();
    late_.clear();
  }

 private:
  void b_transport(ClTransaction& t, sc_core::sc_time& delay) override {
    const Tick latency = latency_(t);
    core.access(t);
    if (form_ != Form::annotated && t.defer(late_)) return late_.add(t.late->ticket, t.now + latency);
    delay += sc_core::sc_time::from_value(latency);
  }

  Rule latency_;
  Form form_;
  LateQueue late_;
};

RunSpec with(RunSpec spec, const Rule& latency, Form form, AnswerFault fault = AnswerFault::none) {
  spec.blocks.add(connection_lookup_slot, [=](const char* name, const Accelerator::Config& config) {
    return std::make_unique<LateLookup>(name, config, latency, form, fault);
  });
  return spec;
}

/// Checks that both modes agree on a table that answers later, and that one that answers within the call gives the same run.
void check(const RunSpec& spec, const Rule& latency, Form form) {
  const std::vector<Run> later = check_modes(with(spec, latency, form));
  const std::vector<Run> at_once = run_all(with_hashes(with(spec, latency, Form::annotated)));
  CHECK(difference(later, at_once) == "");
}

RunSpec on(const char* platform, int ranks, Bytes size, const std::vector<std::string>& settings = {}) {
  RunSpec spec = run_spec("netreduce", first_gpus(ranks), {size}, settings);
  spec.platform = platform;
  return spec;
}
Rule constant(Tick latency) {
  return [latency](const ClTransaction&) { return latency; };
}
/// 0 to 20 cycles, by PSN and time.
Tick varying(const ClTransaction& t) { return random_at(5, t.psn, t.now) % (20 * cycle); }

}  // namespace

TEST_CASE("deferred lookups: constant latencies on a rack and in a tree", "[system][deferred]") {
  for (const Tick latency : {Tick{0}, Tick{1}, cycle, Tick{10'000}, Tick{1'000'000}}) {
    INFO(latency << " ps");
    check(on("rack:6", 6, 64_KiB), constant(latency), Form::deferred);
  }
  check(on("spine_leaf:2x2", 4, 64_KiB), constant(10'000), Form::deferred);
}

TEST_CASE("deferred lookups: latencies that depend on data, with losses and finite buffers", "[system][deferred]") {
  check(on("rack:6", 6, 256_KiB), varying, Form::unordered);
  check(on("spine_leaf:2x2", 4, 64_KiB), varying, Form::unordered);
  check(on("rack:4", 4, 256_KiB, {"netreduce.link.loss_rate=0.002"}), varying, Form::unordered);
  check(on("rack:4", 4, 64_KiB, {"netreduce.accelerator.output_queue=16KiB"}), varying, Form::unordered);
}

TEST_CASE("deferred lookups: a record has the time of a late answer", "[system][deferred]") {
  const RunSpec spec = on("rack:6", 6, 64_KiB);
  const std::string late = recorded_lines(with(spec, varying, Form::unordered), "netreduce.accelerator.clt");
  CHECK_THAT(late, Contains("\"verdict\":\"found\""));
  CHECK(late == recorded_lines(with(spec, varying, Form::annotated), "netreduce.accelerator.clt"));
}

TEST_CASE("deferred lookups: an answer that breaks a rule is named", "[system][deferred]") {
  const RunSpec spec = on("rack:4", 4, 64_KiB);
  const auto report = [&](AnswerFault fault) {
    const ResultRow row = run_one(with(spec, constant(1'000'000), Form::deferred, fault)).row;
    CHECK(row.status == Status::block_wrong);
    return row.report;
  };
  CHECK_THAT(report(AnswerFault::unknown),
             Contains("rack.accelerator.clt breaks the rule `ticket`: request 1 does not wait for"));
  CHECK_THAT(report(AnswerFault::early), Contains("rack.accelerator.clt breaks the rule `time`: it answers request 1 at"));
  CHECK_THAT(report(AnswerFault::order),
             Contains("rack.accelerator.clt breaks the rule `order`: it answers request 2 before 1"));
}

}  // namespace tributary::test_deferred_lookups
