// Reduction units of NICs that add chunks after the call: equal to the annotated form of the same latency to the picosecond,
// in both modes (docs/plugins.md#deferred-answers).
#include <catch2/catch.hpp>
#include <map>

#include "modules/base/random.h"
#include "modules/link/link_protocol.h"
#include "modules/nic/core/reduction_core.h"
#include "platforms/schedule_nic/blocks.h"
#include "testbench/run/blocks/monitor_tap.h"
#include "testbench/test/harness/network_specs.h"
#include "testbench/test/harness/recorded_lines.h"

namespace tributary::test_deferred_sums {

using Catch::Matchers::Contains;

namespace {

/// `follows`: the interval follows, too.
enum class Form { annotated, deferred, follows, unordered };
enum class Fault { none, twice, early, interval_twice, nothing };
using Rule = std::function<Tick(std::uint64_t elements, Tick begin)>;

/// A unit that is busy for `interval` beyond the passes of a chunk.
class LateUnit : public TargetModule<ReductionProtocol>, private ClockedPart {
 public:
  LateUnit(const char* name, const NicParams& params, Rule latency, Form form, Tick interval, Fault fault)
      : TargetModule(name),
        passes_(params.reduction, params.clock),
        latency_(std::move(latency)),
        form_(form),
        interval_(interval),
        fault_(fault) {}
  void reset() override {
    events_.clear();
    free_at_ = answered_ = 0;
  }

 private:
  struct Event {
    Ticket ticket;
    AnswerListener* listener;
    bool accepts;
  };
  void b_transport(ReductionOperand& o, sc_core::sc_time& delay) override {
    if (o.data != nullptr) return apply(o.op, o.type, o.sum, o.data, o.elements * element_size(o.type));
    const Tick now = kernel_now() + delay.value(), begin = std::max(now, free_at_);
    const Tick latency = latency_(o.elements, begin);
    if (form_ == Form::annotated || !o.late.defer(*this)) {
      delay += to_sc_time(latency);
      o.timing.interval += interval_;
      return;
    }
    o.late.interval_follows = form_ == Form::follows;
    if (fault_ == Fault::nothing) return;
    answered_ = form_ == Form::unordered ? begin + latency : std::max(answered_, begin + latency);
    events_.insert({answered_, {o.late.ticket, o.late.listener, false}});
    if (form_ != Form::follows) return void(o.timing.interval += interval_);
    free_at_ = begin + passes_.time(o.elements) + interval_;
    events_.insert({free_at_, {o.late.ticket, o.late.listener, true}});
  }
  Tick next() const override { return events_.empty() ? never : events_.begin()->first; }
  void advance(Tick to, AnswerListener& listener) override {
    while (!events_.empty() && events_.begin()->first <= to) {
      const auto [when, event] = *events_.begin();
      events_.erase(events_.begin());
      if (event.accepts) {
        listener.accepted(event.ticket, when);
        if (fault_ == Fault::interval_twice) listener.accepted(event.ticket, when);
      } else {
        listener.answered(event.ticket, fault_ == Fault::early ? when - 1 : when);
        if (fault_ == Fault::twice) listener.answered(event.ticket, when);
      }
    }
  }
  bool out_of_order() const override { return form_ == Form::unordered; }

  ReductionCore passes_;
  Rule latency_;
  Form form_;
  Tick interval_;
  Fault fault_;
  std::multimap<Tick, Event> events_;
  Tick free_at_ = 0, answered_ = 0;
};

RunSpec with(RunSpec spec, const Rule& latency, Form form, Tick interval = 0, Fault fault = Fault::none) {
  spec.blocks.add(reduction_unit_slot, [=](const char* name, const NicCore::Config& nic) {
    return std::make_unique<LateUnit>(name, nic.schedule.params, latency, form, interval, fault);
  });
  return spec;
}
RunSpec monitored(RunSpec spec) {
  spec.blocks.observe(std::make_shared<MonitorTap>(std::vector<std::string>{}, MonitorTap::usual_latency));
  return spec;
}

/// Checks that both modes agree on units that answer later, and that those that answer within the call give the same run.
void check(const RunSpec& spec, const Rule& latency, Form form, Tick interval = 0) {
  const std::vector<Run> later = check_modes(with(spec, latency, form, interval));
  CHECK(difference(later, run_all(with_hashes(with(spec, latency, Form::annotated, interval)))) == "");
}

Rule constant(Tick latency) {
  return [latency](std::uint64_t, Tick) { return latency; };
}
/// 0 to 50 ns, by size and time.
Tick varying(std::uint64_t elements, Tick begin) { return random_at(3, elements, begin) % 50'000; }

/// A unit whose passes bound a run.
RunSpec on(const char* platform, const char* algorithm, Bytes size, std::vector<std::string> settings = {}) {
  settings.insert(settings.end(), {"schedule_nic.nic.reduction.units=4", "schedule_nic.nic.reduction.width=16"});
  return network_spec(platform, "allreduce", algorithm, {size}, settings);
}

}  // namespace

TEST_CASE("deferred sums of a reduction unit: constant latencies", "[system][deferred]") {
  const RunSpec spec = on("torus:2x2", "multitree", 4_KiB);
  for (const Tick latency : {Tick{0}, Tick{1}, Tick{1'000}, Tick{10'000}, Tick{1'000'000}}) {
    INFO(latency << " ps");
    check(spec, constant(latency), Form::deferred);
    check(spec, constant(latency), Form::follows);
  }
  check(monitored(spec), constant(10'000), Form::follows, 3'000);
}

TEST_CASE("deferred sums of a reduction unit: latencies that depend on data, and intervals", "[system][deferred]") {
  for (const char* algorithm : {"multitree", "ring_2d", "ring"}) {
    INFO(algorithm);
    const RunSpec spec = on("torus:4x4", algorithm, 4_KiB, {"schedule_nic.nic.reduction.cycles=2"});
    check(spec, varying, Form::deferred, 5'000);
    check(spec, varying, Form::follows, 5'000);
    check_modes(with(spec, varying, Form::unordered));
  }
  check(on("torus:4x4", "multitree", 4_KiB, {"schedule_nic.nic.lockstep.kind=off"}), varying, Form::follows, 70'000);
  check(on("torus:4x4", "multitree", 4_KiB, {"schedule_nic.nic.reduction.queue=1"}), varying, Form::follows, 9'000);
}

TEST_CASE("deferred sums of a reduction unit: records have the times of answers", "[system][deferred]") {
  const auto lines = [](Form form) {
    return recorded_lines(with(on("torus:2x2", "multitree", 4_KiB), constant(10'000), form, 1'000),
                          reduction_unit_slot.name);
  };
  CHECK_THAT(lines(Form::annotated), Contains("\"latency\":10000"));
  CHECK(lines(Form::deferred) == lines(Form::annotated));
}

TEST_CASE("deferred sums of a reduction unit: wrong answers are named", "[system][deferred]") {
  const RunSpec spec = on("torus:2x2", "multitree", 4_KiB);
  const auto report = [&](Form form, Fault fault) {
    const ResultRow row = run_one(with(spec, constant(0), form, 0, fault)).row;
    CHECK(row.status == Status::block_wrong);
    return row.report;
  };
  CHECK_THAT(report(Form::deferred, Fault::twice), Contains("reduction breaks the rule `ticket`: request "));
  CHECK_THAT(report(Form::deferred, Fault::early), Contains("reduction breaks the rule `time`: it answers request "));
  CHECK_THAT(report(Form::follows, Fault::interval_twice),
             Contains("reduction breaks the rule `ticket`: the interval of request "));
  CHECK(run_one(with(spec, constant(0), Form::deferred, 0, Fault::nothing)).row.status == Status::deadlock);
}

}  // namespace tributary::test_deferred_sums
