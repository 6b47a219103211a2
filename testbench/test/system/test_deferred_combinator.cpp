// A combinator that answers after the call: equal to the annotated form of the same latency to the picosecond, in both modes
// (docs/plugins.md#deferred-answers).
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <deque>

#include "modules/base/random.h"
#include "platforms/netreduce/blocks.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/recorded_lines.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_deferred_combinator {
namespace {

constexpr Tick cycle = 3103;

/// reversed: of answers at the same time, that of the latest request is first. first: sums of other rings are known at once.
enum class Form { annotated, deferred, unordered, reversed, first };
using Rule = std::function<Tick(const CombineTransaction&)>;

/// The model's combinator with more latency. A sum that is answered later is written when it is answered.
class LateCombinator : public CombinatorModule, private ClockedPart {
 public:
  LateCombinator(const char* name, const AcceleratorParams& params, Rule latency, Form form)
      : CombinatorModule(name, params), clock_(params.clock.value), latency_(std::move(latency)), form_(form) {}
  void reset() override {
    CombinatorModule::reset();
    waiting_.clear();
  }

 private:
  struct Sum {
    Ticket ticket;
    Tick due;
    std::byte* to;
    std::vector<std::byte> bytes;
  };

  void b_transport(CombineTransaction& t, sc_core::sc_time& delay) override {
    const Tick added = latency_(t);
    const bool at_once = form_ == Form::annotated || (form_ == Form::first && t.ring != 0);
    if (at_once || !t.late.defer(*this)) {
      CombinatorModule::b_transport(t, delay);
      delay += sc_core::sc_time::from_value(added);
      return;
    }
    Sum sum{t.late.ticket, 0, t.sum, {}};
    CombineTransaction own = t;
    if (t.sum != nullptr) sum.bytes.assign(t.sum, t.sum + t.bytes), own.sum = sum.bytes.data();
    sc_core::sc_time adders;
    CombinatorModule::b_transport(own, adders);
    sum.due = t.now + clock_ + adders.value() + added;
    if (form_ == Form::deferred && !waiting_.empty()) sum.due = std::max(sum.due, waiting_.back().due);
    const auto at = std::find_if(waiting_.begin(), waiting_.end(), [&](const Sum& s) {
      return s.due > sum.due || (form_ == Form::reversed && s.due == sum.due);
    });
    waiting_.insert(at, std::move(sum));
  }
  Tick next() const override { return waiting_.empty() ? never : waiting_.front().due; }
  void advance(Tick to, AnswerListener& listener) override {
    while (!waiting_.empty() && waiting_.front().due <= to) {
      const Sum sum = std::move(waiting_.front());
      waiting_.pop_front();
      if (sum.to != nullptr) std::memcpy(sum.to, sum.bytes.data(), sum.bytes.size());
      listener.answered(sum.ticket, sum.due);
    }
  }
  bool out_of_order() const override { return form_ != Form::deferred; }

  Tick clock_;
  Rule latency_;
  Form form_;
  std::deque<Sum> waiting_;  // in order of their times
};

RunSpec with(RunSpec spec, const Rule& latency, Form form) {
  spec.blocks.add(combinator_slot, [=](const char* name, const Accelerator::Config& accelerator) {
    return std::make_unique<LateCombinator>(name, accelerator.params, latency, form);
  });
  return spec;
}

/// Checks that both modes agree on a combinator that answers later, and that one that answers within the call gives the same
/// run.
void check(const RunSpec& spec, const Rule& latency, Form form) {
  const std::vector<Run> later = check_modes(with(spec, latency, form));
  const std::vector<Run> at_once = run_all(with_hashes(with(spec, latency, Form::annotated), SimulationMode::windowed));
  CHECK(difference(later, at_once) == "");
}

RunSpec on(const char* platform, int ranks, Bytes size, const std::vector<std::string>& settings = {},
           const char* algorithm = "netreduce") {
  RunSpec spec = run_spec(algorithm, first_gpus(ranks), {size}, settings);
  spec.platform = platform;
  return spec;
}
/// 0 to 20 cycles, by ring and time; sums of a ring overtake each other in the adders.
Tick varying(const CombineTransaction& t) { return random_at(5, t.ring, t.now) % (20 * cycle); }

}  // namespace

TEST_CASE("deferred combinator: constant latencies on a rack and in a tree", "[system][deferred]") {
  for (const Tick latency : {Tick{0}, Tick{1}, cycle, Tick{10'000}, Tick{1'000'000}}) {
    INFO(latency << " ps");
    const Rule constant = [latency](const CombineTransaction&) { return latency; };
    check(on("rack:6", 6, 64_KiB), constant, Form::deferred);
    if (latency == 10'000) check(on("spine_leaf:2x2", 4, 64_KiB), constant, Form::deferred);
  }
}

TEST_CASE("deferred combinator: latencies that depend on data, and sums that overtake in it", "[system][deferred]") {
  check(on("rack:6", 6, 256_KiB), varying, Form::unordered);
  check(on("spine_leaf:2x2", 4, 64_KiB), varying, Form::unordered);
  check_modes(with(on("rack:6", 6, 64_KiB), varying, Form::deferred));
}

TEST_CASE("deferred combinator: sums that are sent again wait for those in the adders", "[system][deferred]") {
  for (const char* value : {"netreduce.accelerator.value=stored", "netreduce.accelerator.value=recomputed"}) {
    INFO(value);
    const RunSpec spec = on("rack:4", 4, 256_KiB, {"netreduce.link.loss_rate=0.002", value});
    check(spec, varying, Form::unordered);
    check(on("spine_leaf:2x2", 4, 64_KiB, {"netreduce.link.loss_rate=0.01", value}), varying, Form::unordered);
  }
}

TEST_CASE("deferred combinator: finite buffers hold the place of a late sum", "[system][deferred]") {
  const RunSpec spec = on("rack:4", 4, 64_KiB, {"netreduce.accelerator.output_queue=16KiB"});
  check(spec, varying, Form::unordered);
}

// Four rings have results at the port of each host.
TEST_CASE("deferred combinator: sums of several rings that leave at the same time", "[system][deferred]") {
  const Rule together = [](const CombineTransaction& t) { return 128 * cycle - t.now % (128 * cycle); };
  const RunSpec rack = on("rack:3x4", 12, 64_KiB, {}, "parallel_netreduce");
  for (const Form form : {Form::unordered, Form::reversed, Form::first}) {
    INFO(static_cast<int>(form));
    check(rack, together, form);
  }
  check(on("spine_leaf:2x2x2", 8, 64_KiB, {}, "parallel_netreduce"), together, Form::reversed);
}

TEST_CASE("deferred combinator: a record has the time and the sum of a late answer", "[system][deferred]") {
  const RunSpec spec = on("rack:6", 6, 64_KiB);
  const std::string late = recorded_lines(with(spec, varying, Form::unordered), "netreduce.accelerator.combinator");
  CHECK(late.size() > 64 * 1024);
  CHECK(late == recorded_lines(with(spec, varying, Form::annotated), "netreduce.accelerator.combinator"));
}

}  // namespace tributary::test_deferred_combinator
