// A combinator that answers after the call gives the same frames as one that knows its latency (docs/plugins.md).
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <list>
#include <tuple>

#include "modules/base/random.h"
#include "testbench/test/harness/accelerator_bench.h"
#include "testbench/test/harness/ring_frames.h"

namespace tributary::test_late_combinator {
namespace {

constexpr Tick cycle = AcceleratorBench::cycle;

/// reversed: of answers at the same time, that of the latest request is first. second: sums of ring 1 are known at once.
enum class Form { annotated, deferred, unordered, reversed, second };
using Rule = std::function<Tick(const CombineTransaction&)>;

/// The model's combinator with more latency. A sum that is answered later is written when it is answered.
class LateAdders : public PartPort<CombineTransaction>, public ClockedPart {
 public:
  LateAdders(const AcceleratorParams& params, Rule latency, Form form)
      : adders_(params), latency_(std::move(latency)), form_(form) {}
  Tick access(CombineTransaction& t) override {
    const Tick added = latency_(t);
    const bool at_once = form_ == Form::annotated || (form_ == Form::second && t.ring == 1);
    if (at_once || !t.late.defer(*this)) return adders_.access(t) + added;
    Sum sum{t.late.ticket, 0, t.sum, t.skip, std::vector<std::byte>(t.bytes)};
    CombineTransaction own = t;
    if (t.sum != nullptr) own.sum = sum.bytes.data();
    sum.due = t.now + cycle + adders_.access(own) + added;
    if (form_ == Form::deferred && !sums_.empty()) sum.due = std::max(sum.due, sums_.back().due);
    const auto at = std::find_if(sums_.begin(), sums_.end(), [&](const Sum& s) {
      return s.due > sum.due || (form_ == Form::reversed && s.due == sum.due);
    });
    sums_.insert(at, std::move(sum));
    return 0;
  }
  Tick next() const override { return sums_.empty() ? never : sums_.front().due; }
  void advance(Tick to, AnswerListener& listener) override {
    while (!sums_.empty() && sums_.front().due <= to) {
      const Sum sum = sums_.front();
      sums_.pop_front();
      if (sum.to != nullptr) std::memcpy(sum.to + sum.skip, sum.bytes.data() + sum.skip, sum.bytes.size() - sum.skip);
      listener.answered(sum.ticket, sum.due);
    }
  }
  bool out_of_order() const override { return form_ != Form::deferred; }

 private:
  struct Sum {
    Ticket ticket;
    Tick due;
    std::byte* to;
    unsigned skip;
    std::vector<std::byte> bytes;
  };
  Combinator adders_;
  Rule latency_;
  Form form_;
  std::list<Sum> sums_;  // in order of their times
};

/// Start, port, PSN, time of the gradient whose header it has, and data.
using Frame = std::tuple<Tick, unsigned, std::uint32_t, Tick, std::vector<std::byte>>;

struct Spec {
  AcceleratorParams params{};
  Rule latency;
  Form form = Form::annotated;
  Tick window = 0;  ///< 0: from event to event
  bool again = false;
  unsigned rings = 1;
};

struct Arrival {
  Tick when;
  unsigned rank;
  Packet* frame;
};

/// Four messages of a ring of four ranks, whose packets arrive within 300 cycles of each other, some of them twice.
std::vector<Arrival> arrivals_of(const RingFrames& frames, bool again, PacketPool& pool) {
  std::vector<Arrival> arrivals;
  for (unsigned rank = 0; rank < 4; ++rank) {
    Tick when = 1000 * cycle;
    for (std::uint32_t i = 0; i < 16; ++i) {
      std::vector<std::int32_t> data(256, static_cast<std::int32_t>(100 * i + rank));
      const auto* const bytes = reinterpret_cast<const std::byte*>(data.data());
      when += 30 * cycle + random_at(1, rank, 16 * frames.number + i) % (60 * cycle);
      arrivals.push_back({when, rank, frames.gradient(pool, rank, i / 4, i % 4, bytes)});
      if (again && i % 5 == 4) {
        when += 200 * cycle;
        arrivals.push_back({when, rank, frames.gradient(pool, rank, i / 4, i % 4, bytes)});
      }
    }
  }
  return arrivals;
}

/// Rings of the same four hosts. Returns the frames that leave.
std::vector<Frame> frames_of(const Spec& spec) {
  AcceleratorBench bench(4);
  LateAdders adders(spec.params, spec.latency, spec.form);
  LateAnswers answers("combinator");
  AcceleratorCore::Parts parts{bench.icrc,    bench.connections, bench.slots, bench.translations,
                               bench.headers, bench.payloads,    adders};
  parts.answers = &answers;
  bench.core = std::make_unique<AcceleratorCore>(AcceleratorCore::Config{spec.params, {}}, parts, *bench.links, bench.pool);
  std::vector<AggregationRing> rings;
  std::vector<Arrival> arrivals;
  for (unsigned r = 0; r < spec.rings; ++r) {
    RingFrames frames;
    frames.hosts = 4, frames.number = static_cast<std::uint16_t>(r);
    frames.first_queue_pair = 100 + 50 * r, frames.first_psn = 10'000 * r;
    rings.push_back(frames.ring(ElementType::i32));
    const std::vector<Arrival> more = arrivals_of(frames, spec.again, bench.pool);
    arrivals.insert(arrivals.end(), more.begin(), more.end());
  }
  bench.core->begin(rings, true);
  std::stable_sort(arrivals.begin(), arrivals.end(), [](const Arrival& x, const Arrival& y) { return x.when < y.when; });
  for (const Arrival& a : arrivals) {
    a.frame->born = a.when;
    bench.receive(a.rank, a.frame, a.when);
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
  std::vector<Frame> seen;
  for (const auto& s : bench.sent) {
    const std::byte* const data = s.frame->payload;
    seen.emplace_back(s.start, s.port, roce(*s.frame).psn, s.frame->born,
                      std::vector<std::byte>(data, data + s.frame->payload_bytes));
  }
  std::sort(seen.begin(), seen.end());
  return seen;
}

/// Compares a combinator that answers later, in both ways of running it, with one that knows its latency.
void check(Spec spec, Form form) {
  const std::vector<Frame> known = frames_of(spec);
  CHECK(known.size() >= 16 * 4);
  spec.form = form;
  CHECK((frames_of(spec) == known));
  spec.window = 1'000'000;
  CHECK((frames_of(spec) == known));
}

/// 0 to 300 cycles: sums overtake in the adders.
Tick varying(const CombineTransaction& t) { return random_at(5, t.ring, t.now) % (300 * cycle); }

}  // namespace

TEST_CASE("a combinator that answers later by a constant latency gives the same frames", "[pure][netreduce]") {
  for (const Tick latency : {Tick{0}, Tick{1}, cycle, Tick{10'000}, Tick{1'000'000}}) {
    INFO(latency << " ps");
    Spec spec;
    spec.latency = [latency](const CombineTransaction&) { return latency; };
    check(spec, Form::deferred);
  }
}

TEST_CASE("sums that overtake in a late combinator leave in the order of their slots", "[pure][netreduce]") {
  Spec spec;
  spec.latency = varying;
  check(spec, Form::unordered);
  check(spec, Form::deferred);  // one ring: a sum that waits for the one before has no effect of its own
}

TEST_CASE("sums that are sent again wait for a late combinator, and have the headers of their commits",
          "[pure][netreduce]") {
  Spec spec;
  spec.latency = varying;
  spec.again = true;
  for (const SlotValue value : {SlotValue::stored, SlotValue::recomputed}) {
    spec.params.value = value;
    check(spec, Form::unordered);
  }
}

TEST_CASE("sums wait for a late combinator while output queues are finite", "[pure][netreduce]") {
  Spec spec;
  spec.latency = varying;
  spec.params.output_queue = 16_KiB;
  check(spec, Form::unordered);
}

TEST_CASE("sums of two rings that leave at the same time are in the order of their commits", "[pure][netreduce]") {
  Spec spec;
  spec.rings = 2;
  // Sums of both rings leave the adders at the same edges, one in 128 cycles.
  spec.latency = [](const CombineTransaction& t) { return 128 * cycle - t.now % (128 * cycle); };
  const std::vector<Frame> known = frames_of(spec);
  unsigned ties = 0;
  for (std::size_t i = 1; i < known.size(); ++i) ties += std::get<0>(known[i]) - std::get<0>(known[i - 1]) < 128 * cycle;
  CHECK(ties > 32);
  for (const Form form : {Form::unordered, Form::reversed, Form::second}) {
    INFO(static_cast<int>(form));
    check(spec, form);
  }
}

TEST_CASE("a reset drops sums that a late combinator has not answered", "[pure][netreduce]") {
  RingFrames frames;
  frames.hosts = 2;
  AcceleratorBench bench(2);
  LateAdders adders(
      {}, [](const CombineTransaction&) { return Tick{1'000'000'000}; }, Form::deferred);
  LateAnswers answers("combinator");
  AcceleratorCore::Parts parts{bench.icrc,    bench.connections, bench.slots, bench.translations,
                               bench.headers, bench.payloads,    adders};
  parts.answers = &answers;
  bench.core = std::make_unique<AcceleratorCore>(AcceleratorCore::Config{}, parts, *bench.links, bench.pool);
  bench.core->begin({frames.ring()}, false);
  for (unsigned rank = 0; rank < 2; ++rank) bench.receive(rank, frames.gradient(bench.pool, rank, 0, 0), 1000 * cycle);
  bench.run(500'000'000);
  CHECK(bench.sent.empty());
  CHECK(bench.core->waiting() == std::vector<std::string>{"combinator: 1 sums wait for their answers"});
  bench.core->reset();
  CHECK(bench.core->waiting().empty());
  CHECK(bench.pool.live() == 0);
}

}  // namespace tributary::test_late_combinator
