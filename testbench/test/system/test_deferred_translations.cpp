// A connection translation table that answers after the call: equal to the annotated form of the same latency to the
// picosecond, in both modes (docs/plugins.md#deferred-answers).
#include <catch2/catch.hpp>
#include <stdexcept>

#include "modules/base/random.h"
#include "platforms/netreduce/blocks.h"
#include "testbench/run/blocks/monitor_tap.h"
#include "testbench/test/harness/late_queue.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_deferred_translations {

using Catch::Matchers::Contains;

namespace {

constexpr Tick cycle = 3103;

enum class Form { annotated, deferred, unordered };
using Rule = std::function<Tick(const CtTransaction&)>;

/// The model's table, whose translations are valid later. It refuses requests that are out of order of time.
class LateTranslationTable : public ConnectionTranslationTable, public DeferringBlock {
 public:
  LateTranslationTable(const char* name, const Accelerator::Config& config, Rule latency, Form form, AnswerFault fault)
      : ConnectionTranslationTable(name, translation_config(config.params)),
        latency_(std::move(latency)),
        form_(form),
        fault_(fault),
        late_(form != Form::unordered, fault) {}
  void reset() override {
    ConnectionTranslationTable::reset();
    late_.clear();
    latest_ = 0;
  }

 private:
  void b_transport(CtTransaction& t, sc_core::sc_time& delay) override {
    const Tick own = core.access(t);
    if (t.command == CtTransaction::Command::preset) return;
    if (t.now < latest_) throw std::logic_error("a request of an earlier time follows");
    latest_ = t.now;
    if (t.command != CtTransaction::Command::translate) return;
    const Tick latency = own + latency_(t);
    if (fault_ == AnswerFault::nothing && t.defer(late_)) return;
    if (form_ != Form::annotated && t.defer(late_)) return late_.add(t.late->ticket, t.now + latency);
    delay += sc_core::sc_time::from_value(latency);
  }

  Rule latency_;
  Form form_;
  AnswerFault fault_;
  LateQueue late_;
  Tick latest_ = 0;
};

RunSpec with(RunSpec spec, const Rule& latency, Form form, AnswerFault fault = AnswerFault::none) {
  spec.blocks.add(connection_translation_slot, [=](const char* name, const Accelerator::Config& config) {
    return std::make_unique<LateTranslationTable>(name, config, latency, form, fault);
  });
  return spec;
}

RunSpec monitored(RunSpec spec, Tick most = MonitorTap::usual_latency) {
  spec.blocks.observe(std::make_shared<MonitorTap>(std::vector<std::string>{}, most));
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
  return [latency](const CtTransaction&) { return latency; };
}
/// 0 to 20 cycles, by connection and time.
Tick varying(const CtTransaction& t) { return random_at(5, t.from.source, t.now) % (20 * cycle); }

}  // namespace

TEST_CASE("deferred translations: constant latencies, and the model's own table", "[system][deferred]") {
  const RunSpec spec = on("spine_leaf:2x2", 4, 64_KiB);
  for (const Tick latency : {Tick{0}, Tick{1}, cycle, Tick{10'000}, Tick{1'000'000}}) {
    INFO(latency << " ps");
    check(spec, constant(latency), Form::deferred);
  }
  const std::vector<Run> own = run_all(with_hashes(spec));
  CHECK(difference(own, run_all(with_hashes(with(spec, constant(0), Form::deferred)))) == "");
}

TEST_CASE("deferred translations: latencies that depend on data, with losses and finite buffers", "[system][deferred]") {
  check(on("spine_leaf:2x4", 8, 64_KiB), varying, Form::unordered);
  check(on("spine_leaf:3x2", 6, 64_KiB), varying, Form::deferred);
  for (const char* value : {"netreduce.accelerator.value=stored", "netreduce.accelerator.value=recomputed"})
    check(on("spine_leaf:2x2", 4, 64_KiB, {"netreduce.link.loss_rate=0.01", value}), varying, Form::unordered);
  check(on("spine_leaf:2x2", 4, 64_KiB, {"netreduce.link.loss_rate=0.01"}), constant(1'000'000), Form::deferred);
  check(on("spine_leaf:2x2", 4, 64_KiB, {"netreduce.accelerator.output_queue=4KiB"}), varying, Form::unordered);
  check(on("spine_leaf:2x2", 4, 64_KiB, {"netreduce.accelerator.ctt.targets=1"}), varying, Form::unordered);
}

TEST_CASE("deferred translations: a table without a latency fills finite queues as the model's own", "[system][deferred]") {
  for (const char* queue : {"2KiB", "4KiB", "16KiB"}) {
    INFO(queue);
    const RunSpec spec = on("spine_leaf:2x2", 4, 64_KiB, {std::string("netreduce.accelerator.output_queue=") + queue});
    const std::vector<Run> own = run_all(with_hashes(spec));
    CHECK(difference(own, run_all(with_hashes(with(spec, constant(0), Form::deferred)))) == "");
  }
}

TEST_CASE("deferred translations: monitors change nothing, and name an answer that does not follow", "[system][deferred]") {
  const RunSpec spec = on("spine_leaf:2x2", 4, 64_KiB);
  const std::vector<Run> alone = run_all(with_hashes(with(spec, varying, Form::unordered)));
  CHECK(difference(alone, run_all(with_hashes(monitored(with(spec, varying, Form::unordered))))) == "");
  const RunSpec silent = monitored(with(spec, constant(0), Form::deferred, AnswerFault::nothing), 1'000'000);
  const ResultRow row = run_one(silent).row;
  CHECK(row.status == Status::block_wrong);
  CHECK_THAT(row.report,
             Contains(".ctt breaks the rule `patience` at ") && Contains("no answer") && Contains("translate, from"));
  const ResultRow slow = run_one(monitored(with(spec, constant(2'000'000), Form::deferred), 1'000'000)).row;
  CHECK_THAT(slow.report, Contains(".ctt breaks the rule `"));
  CHECK(slow.status == Status::block_wrong);
}

TEST_CASE("deferred translations: an answer that breaks a rule is named", "[system][deferred]") {
  const RunSpec spec = on("spine_leaf:2x2", 4, 64_KiB);
  const auto report = [&](AnswerFault fault) {
    const ResultRow row = run_one(with(spec, constant(1'000'000), Form::deferred, fault)).row;
    CHECK(row.status == Status::block_wrong);
    return row.report;
  };
  CHECK_THAT(report(AnswerFault::unknown), Contains(".ctt breaks the rule `ticket`: request 1 does not wait for"));
  CHECK_THAT(report(AnswerFault::early), Contains(".ctt breaks the rule `time`: it answers request 1 at"));
  CHECK_THAT(report(AnswerFault::order), Contains(".ctt breaks the rule `order`: it answers request 2 before 1"));
}

}  // namespace tributary::test_deferred_translations
