// A payload buffer that answers after the call gives the same frames as one that knows its latencies (docs/plugins.md).
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <tuple>

#include "modules/base/random.h"
#include "testbench/test/harness/accelerator_bench.h"
#include "testbench/test/harness/late_queue.h"
#include "testbench/test/harness/ring_frames.h"

namespace tributary::test_late_payloads {
namespace {

constexpr Tick cycle = AcceleratorBench::cycle;

enum class Form { annotated, deferred, unordered, data_follow };
using Rule = std::function<Tick(bool writes, std::uint64_t address, Tick now)>;

/// The model's buffer with more latency. In the form `data_follow` the data of a read are written after its answer.
class LatePayloads : public PayloadPort, public ClockedPart, private AnswerListener {
 public:
  LatePayloads(LateAnswers& answers, Rule latency, Form form)
      : answers_(answers), latency_(std::move(latency)), form_(form), late_(form != Form::unordered) {}

  AccessTime write(std::uint64_t address, const std::byte* data, unsigned bytes, Tick now) override {
    buffer_.write(address, data, bytes, now);
    follows_ = false;
    return time(latency_(true, address, now), now);
  }
  AccessTime read(std::uint64_t address, std::byte* data, unsigned bytes, Tick now) override {
    in_order &= now >= latest_read_ || !offers_;
    if (offers_) latest_read_ = now;
    follows_ = form_ == Form::data_follow && offers_;
    const AccessTime answer = time(latency_(false, address, now), now);
    if (follows_)
      reads_[answers_.ticket()] = [=] { buffer_.read(address, data, bytes, now); };
    else
      buffer_.read(address, data, bytes, now);
    return answer;
  }
  Deferred deferred() const override { return {part_, follows_}; }
  void offer_next(bool later) override { offers_ = later; }

  Tick next() const override { return late_.next(); }
  void advance(Tick to, AnswerListener& listener) override {
    device_ = &listener;
    late_.advance(to, *this);
  }
  bool out_of_order() const override { return form_ == Form::unordered; }

  bool in_order = true;  ///< reads are requested in order of time

 private:
  void answered(Ticket ticket, Tick when) override {
    device_->answered(ticket, when);
    const auto read = reads_.find(ticket);
    if (read == reads_.end()) return;
    read->second();
    reads_.erase(read);
    device_->completed(ticket);
  }
  AccessTime time(Tick latency, Tick now) {
    part_ = nullptr;
    if (form_ == Form::annotated || !offers_) return {latency, 0};
    late_.add(answers_.count(), now + latency);
    part_ = this;
    return {never, 0};
  }

  LateAnswers& answers_;
  Rule latency_;
  Form form_;
  LateQueue late_;
  PayloadBuffer buffer_;
  ClockedPart* part_ = nullptr;
  AnswerListener* device_ = nullptr;
  bool offers_ = true, follows_ = false;
  Tick latest_read_ = 0;
  std::map<Ticket, std::function<void()>> reads_;  // whose data follow
};

/// Start, port, PSN, time of the gradient whose header it has, and data.
using Frame = std::tuple<Tick, unsigned, std::uint32_t, Tick, std::vector<std::byte>>;

struct Spec {
  AcceleratorParams params{};
  Rule latency;
  Form form = Form::annotated;
  Tick window = 0;  ///< 0: from event to event
  bool again = false;
};

/// Four messages of a ring of four ranks, whose packets arrive within 100 cycles of each other, some of them twice. Returns
/// the frames that leave.
std::vector<Frame> frames_of(const Spec& spec) {
  RingFrames frames;
  frames.hosts = 4;
  AcceleratorBench bench(4);
  LateAnswers answers("payloads");
  LatePayloads payloads(answers, spec.latency, spec.form);
  AcceleratorCore::Parts parts{bench.icrc,    bench.connections, bench.slots,     bench.translations,
                               bench.headers, payloads,          bench.combinator};
  parts.accesses = &answers;
  bench.core = std::make_unique<AcceleratorCore>(AcceleratorCore::Config{spec.params, {}}, parts, *bench.links, bench.pool);
  bench.core->begin({frames.ring(ElementType::i32)}, true);
  for (unsigned rank = 0; rank < 4; ++rank) {
    Tick when = 1000 * cycle;
    const auto send = [&](std::uint32_t i, Tick at) {
      std::vector<std::int32_t> data(256, static_cast<std::int32_t>(100 * i + rank));
      Packet* const frame = frames.gradient(bench.pool, rank, i / 4, i % 4, reinterpret_cast<const std::byte*>(data.data()));
      frame->born = at;
      bench.receive(rank, frame, at);
    };
    for (std::uint32_t i = 0; i < 16; ++i) {
      when += 30 * cycle + random_at(1, rank, i) % (60 * cycle);
      send(i, when);
      if (spec.again && i % 5 == 4) send(i, when += 200 * cycle);
    }
  }
  if (spec.window == 0) {
    for (Tick next = 0; next != never;) {
      next = bench.run(next);
      next = std::min(next, bench.core->next_answer());
    }
  } else {
    for (Tick horizon = spec.window; horizon < 10'000'000'000; horizon += spec.window) bench.run(horizon);
  }
  CHECK(bench.core->waiting().empty());
  CHECK(payloads.in_order);
  std::vector<Frame> seen;
  for (const auto& s : bench.sent) {
    const std::byte* const data = s.frame->payload;
    seen.emplace_back(s.start, s.port, roce(*s.frame).psn, s.frame->born,
                      std::vector<std::byte>(data, data + s.frame->payload_bytes));
  }
  std::sort(seen.begin(), seen.end());
  return seen;
}

/// Compares a buffer that answers later, in both ways of running it, with one that knows its latencies.
void check(Spec spec, Form form) {
  const std::vector<Frame> known = frames_of(spec);
  CHECK(known.size() >= 16 * 4);
  spec.form = form;
  CHECK((frames_of(spec) == known));
  spec.window = 1'000'000;
  CHECK((frames_of(spec) == known));
}

Rule constant(Tick latency) {
  return [latency](bool, std::uint64_t, Tick) { return latency; };
}
/// 0 to 300 cycles for a write and 0 to 100 for a read.
Tick varying(bool writes, std::uint64_t address, Tick now) {
  return random_at(writes ? 5 : 6, address, now) % ((writes ? 300 : 100) * cycle);
}

}  // namespace

TEST_CASE("a payload buffer that answers later by a constant latency gives the same frames", "[pure][netreduce]") {
  for (const Tick latency : {Tick{0}, Tick{1}, cycle, Tick{10'000}, Tick{1'000'000}}) {
    INFO(latency << " ps");
    Spec spec;
    spec.latency = constant(latency);
    check(spec, Form::deferred);
    check(spec, Form::data_follow);
  }
}

TEST_CASE("accesses that overtake in a late payload buffer are answered in their order in each bank", "[pure][netreduce]") {
  for (const bool again : {false, true})
    for (const SlotValue value : {SlotValue::stored, SlotValue::recomputed}) {
      Spec spec;
      spec.latency = varying;
      spec.again = again;
      spec.params.value = value;
      check(spec, Form::unordered);
      spec.params.output_queue = 16_KiB;
      check(spec, Form::unordered);
    }
}

TEST_CASE("a reset drops accesses that a late payload buffer has not answered", "[pure][netreduce]") {
  RingFrames frames;
  frames.hosts = 2;
  AcceleratorBench bench(2);
  LateAnswers answers("payloads");
  LatePayloads payloads(answers, constant(1'000'000'000), Form::deferred);
  AcceleratorCore::Parts parts{bench.icrc,    bench.connections, bench.slots,     bench.translations,
                               bench.headers, payloads,          bench.combinator};
  parts.accesses = &answers;
  bench.core = std::make_unique<AcceleratorCore>(AcceleratorCore::Config{}, parts, *bench.links, bench.pool);
  bench.core->begin({frames.ring()}, true);
  const std::vector<std::byte> data(1024);
  for (unsigned rank = 0; rank < 2; ++rank)
    bench.receive(rank, frames.gradient(bench.pool, rank, 0, 0, data.data()), 1000 * cycle);
  bench.run(500'000'000);
  CHECK(bench.sent.empty());
  CHECK(bench.core->waiting() == std::vector<std::string>{"combinator: 1 sums wait for their answers"});
  bench.core->reset();
  CHECK(bench.core->waiting().empty());
  CHECK(bench.pool.live() == 0);
}

}  // namespace tributary::test_late_payloads
