// A payload buffer that answers after the call: equal to the annotated form of the same latency to the picosecond, in both
// modes (docs/plugins.md#deferred-answers).
#include <catch2/catch.hpp>
#include <map>
#include <stdexcept>

#include "modules/base/random.h"
#include "modules/base/sysc/payload_access.h"
#include "platforms/netreduce/blocks.h"
#include "testbench/run/blocks/monitor_tap.h"
#include "testbench/test/harness/late_queue.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_deferred_payloads {

using Catch::Matchers::Contains;

namespace {

constexpr Tick cycle = 3103;

enum class Form { annotated, deferred, unordered };
/// Latency of an access.
struct Access {
  bool writes;
  std::uint64_t address;
  Tick now;
};
using Rule = std::function<Tick(const Access&)>;

/// Carries out an access of the model's buffer.
void carry_out(PayloadBuffer& buffer, tlm::tlm_generic_payload& access, Tick now) {
  access.set_response_status(tlm::TLM_OK_RESPONSE);
  if (is_timing_only(access)) return;
  auto* const data = reinterpret_cast<std::byte*>(access.get_data_ptr());
  if (access.is_read())
    buffer.read(access.get_address(), data, access.get_data_length(), now);
  else
    buffer.write(access.get_address(), data, access.get_data_length(), now);
}

/// The model's buffer, whose accesses end later. It refuses reads that are out of order of time.
class LatePayloads : public PayloadBufferModule, public DeferringBlock {
 public:
  LatePayloads(const char* name, Rule latency, Form form, AnswerFault fault)
      : PayloadBufferModule(name),
        latency_(std::move(latency)),
        form_(form),
        fault_(fault),
        late_(form != Form::unordered, fault) {}
  void reset() override {
    PayloadBufferModule::reset();
    late_.clear();
    latest_ = 0;
  }

 private:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override {
    const Tick now = (sc_core::sc_time_stamp() + delay).value();
    carry_out(core, access, now);
    if (access.is_read() && access.get_data_length() > 16) {
      if (now < latest_) throw std::logic_error("a read of an earlier time follows");
      latest_ = now;
    }
    const Tick latency = latency_({access.is_write(), access.get_address(), now});
    if (form_ != Form::annotated || fault_ == AnswerFault::nothing)
      if (const auto request = DeferredAnswer::defer(access, late_)) {
        if (fault_ != AnswerFault::nothing) late_.add(request->ticket, now + latency);
        return;
      }
    delay += sc_core::sc_time::from_value(latency);
  }

  Rule latency_;
  Form form_;
  AnswerFault fault_;
  LateQueue late_;
  Tick latest_ = 0;
};

RunSpec with(RunSpec spec, const Rule& latency, Form form, AnswerFault fault = AnswerFault::none) {
  spec.blocks.add(payloads_slot, [=](const char* name, const Accelerator::Config&) {
    return std::make_unique<LatePayloads>(name, latency, form, fault);
  });
  return spec;
}

RunSpec monitored(RunSpec spec, Tick most = MonitorTap::usual_latency) {
  spec.blocks.observe(std::make_shared<MonitorTap>(std::vector<std::string>{}, most));
  return spec;
}

/// Checks that both modes agree on a buffer that answers later, and that one that answers within the call gives the same
/// run.
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
  return [latency](const Access&) { return latency; };
}
Rule reads_of(Tick latency) {
  return [latency](const Access& a) { return a.writes ? 0 : latency; };
}
/// 0 to 20 cycles, by address and time.
Tick varying(const Access& a) { return random_at(a.writes ? 5 : 6, a.address, a.now) % (20 * cycle); }

}  // namespace

TEST_CASE("deferred payloads: constant latencies, and the model's own buffer", "[system][deferred]") {
  const RunSpec spec = on("rack:6", 6, 64_KiB);
  for (const Tick latency : {Tick{0}, Tick{1}, cycle, Tick{10'000}, Tick{1'000'000}}) {
    INFO(latency << " ps");
    check(spec, constant(latency), Form::deferred);
  }
  check(spec, reads_of(10'000), Form::deferred);
  check(on("spine_leaf:2x2", 4, 64_KiB), constant(10'000), Form::deferred);
  const std::vector<Run> own = run_all(with_hashes(spec));
  CHECK(difference(own, run_all(with_hashes(with(spec, constant(0), Form::deferred)))) == "");
}

TEST_CASE("deferred payloads: latencies that depend on data", "[system][deferred]") {
  check(on("rack:6", 6, 256_KiB), varying, Form::unordered);
  check(on("spine_leaf:2x2", 4, 64_KiB), varying, Form::unordered);
  check_modes(with(on("rack:6", 6, 64_KiB), varying, Form::deferred));
  check(on("rack:6", 6, 64_KiB, {"netreduce.accelerator.combinators=1"}), varying, Form::unordered);
}

TEST_CASE("deferred payloads: losses, packets that arrive again, and finite buffers", "[system][deferred]") {
  for (const char* value : {"netreduce.accelerator.value=stored", "netreduce.accelerator.value=recomputed"}) {
    INFO(value);
    check(on("rack:4", 4, 256_KiB, {"netreduce.link.loss_rate=0.002", value}), varying, Form::unordered);
    check(on("spine_leaf:2x2", 4, 64_KiB, {"netreduce.link.loss_rate=0.01", value}), varying, Form::unordered);
  }
  check(on("rack:4", 4, 64_KiB, {"netreduce.link.loss_rate=0.01"}), constant(1'000'000), Form::deferred);
  for (const char* queue : {"netreduce.accelerator.output_queue=2KiB", "netreduce.accelerator.output_queue=16KiB"}) {
    const RunSpec spec = on("rack:4", 4, 64_KiB, {queue});
    check(spec, varying, Form::unordered);
    const std::vector<Run> own = run_all(with_hashes(spec));
    CHECK(difference(own, run_all(with_hashes(with(spec, constant(0), Form::deferred)))) == "");
  }
}

TEST_CASE("deferred payloads: monitors change nothing, and name an answer that does not follow", "[system][deferred]") {
  const RunSpec spec = on("rack:4", 4, 64_KiB);
  const std::vector<Run> alone = run_all(with_hashes(with(spec, varying, Form::unordered)));
  CHECK(difference(alone, run_all(with_hashes(monitored(with(spec, varying, Form::unordered))))) == "");
  const ResultRow row = run_one(monitored(with(spec, constant(0), Form::deferred, AnswerFault::nothing), 1'000'000)).row;
  CHECK(row.status == Status::block_wrong);
  CHECK_THAT(row.report, Contains(".payloads breaks the rule `patience` at ") && Contains("no answer"));
}

TEST_CASE("deferred payloads: an answer that breaks a rule is named", "[system][deferred]") {
  const RunSpec spec = on("rack:4", 4, 64_KiB);
  const auto report = [&](AnswerFault fault) {
    const ResultRow row = run_one(with(spec, constant(1'000'000), Form::deferred, fault)).row;
    CHECK(row.status == Status::block_wrong);
    return row.report;
  };
  CHECK_THAT(report(AnswerFault::unknown), Contains(".payloads breaks the rule `ticket`: request 1 does not wait for"));
  CHECK_THAT(report(AnswerFault::early), Contains(".payloads breaks the rule `time`: it answers request 1 at"));
}

}  // namespace tributary::test_deferred_payloads
