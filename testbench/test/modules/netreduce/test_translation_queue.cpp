// Requests to a connection translation table in order of time, and answers in the order of the requests.
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <vector>

#include "modules/netreduce/core/translation_queue.h"
#include "testbench/test/harness/late_queue.h"

namespace tributary::test_translation_queue {
namespace {

constexpr Tick clock_period = 100;

/// Answers the translation of a connection at the time that a test gives, later or within the call.
class Table : public PartPort<CtTransaction> {
 public:
  Tick access(CtTransaction& t) override {
    asked.push_back(t.now);
    if (t.command != CtTransaction::Command::translate) return 0;
    entry.to = {CtTarget{{t.from.source, 99, 0}}};
    t.entry = &entry;
    const Tick answer = answers.at(t.from.source);
    if (later.count(t.from.source) == 0 || !t.defer(queue)) return answer - t.now;
    queue.add(t.late->ticket, answer);
    return 0;
  }
  std::map<unsigned, Tick> answers;  ///< by source
  std::map<unsigned, bool> later;
  std::vector<Tick> asked;
  CtEntry entry;
  LateQueue queue{false};
};

struct Bench {
  /// A sum with connections from these sources.
  class Sum : public TranslationQueue::Request {
   public:
    Sum(Bench& bench, Tick when, const std::vector<std::uint16_t>& sources) : bench_(bench) {
      at = when;
      for (const std::uint16_t source : sources) from.push_back({source, 1, 0});
    }
    void translated(const std::vector<LateTranslation>& answers, Tick when) override {
      for (std::size_t i = 0; i < answers.size(); ++i)
        CHECK((answers[i].known && answers[i].entry.to.front().connection.source == from[i].source));
      bench_.translated.emplace_back(at, when);
    }

   private:
    Bench& bench_;
  };

  explicit Bench(Tick ahead = 0) { queue.offer(late, ahead); }
  void sum(Tick at, const std::vector<std::uint16_t>& sources) {
    queue.translate(std::make_unique<Sum>(*this, at, sources));
  }
  /// Handles all events; answers precede requests of the same time.
  void run() {
    for (Tick next = std::min(late.next(), queue.next()); next != never; next = std::min(late.next(), queue.next())) {
      times.push_back(next);
      late.next() == next ? late.advance() : queue.run();
    }
  }

  AcceleratorClock clock{clock_period};
  Table table;
  TimedPart<CtTransaction> learner{table, clock}, translations{table, clock};
  LateAnswers late{"ctt"};
  TranslationQueue queue{learner, translations, clock};
  std::vector<Tick> times;                          ///< when each event happened
  std::vector<std::pair<Tick, Tick>> translated{};  ///< time of the request, and of its answers
};

using Pairs = std::vector<std::pair<Tick, Tick>>;

}  // namespace

TEST_CASE("a translation table is asked in order of time, also by what is learnt", "[pure][netreduce]") {
  Bench bench;
  bench.table.answers = {{1, 300}, {2, 100}, {3, 200}};
  bench.sum(300, {1});
  bench.sum(100, {2});
  CtTransaction learns;
  learns.command = CtTransaction::Command::learn;
  learns.now = 200;
  bench.queue.learn(learns);
  bench.sum(200, {3});
  CHECK(bench.queue.waiting() == 3);
  bench.run();
  CHECK(bench.table.asked == std::vector<Tick>{100, 200, 200, 300});
  CHECK(bench.translated == Pairs{{100, 100}, {200, 200}, {300, 300}});
  CHECK(bench.queue.waiting() == 0);
}

TEST_CASE("a sum waits for all of its translations, and for the sums before it", "[pure][netreduce]") {
  Bench bench;
  bench.table.answers = {{1, 530}, {2, 400}, {3, 250}, {4, 900}};
  bench.table.later = {{1, true}, {2, true}};
  bench.sum(100, {1, 2});
  bench.sum(200, {3});
  bench.sum(700, {4});
  bench.run();
  // 530 ps are the edge at 600 ps.
  CHECK(bench.translated == Pairs{{100, 600}, {200, 600}, {700, 900}});
}

TEST_CASE("a table that answers later gives the times of one that knows them", "[pure][netreduce]") {
  const auto of = [](bool later) {
    Bench bench;
    for (unsigned source = 0; source < 8; ++source) {
      bench.table.answers[source] = 100 * source + (source * 7919 % 5) * 130;
      if (later) bench.table.later[source] = true;
    }
    for (std::uint16_t source = 0; source < 8; source += 2)
      bench.sum(Tick{100} * source, {source, static_cast<std::uint16_t>(source + 1)});
    bench.run();
    return bench.translated;
  };
  CHECK(of(true) == of(false));
}

TEST_CASE("a table in kernel time is asked ahead, at once if the request is due", "[pure][netreduce]") {
  Bench bench(200);
  bench.table.answers = {{1, 500}, {2, 100}};
  bench.sum(500, {1});
  bench.sum(100, {2});
  CHECK(bench.queue.next() == 0);
  bench.run();
  CHECK(bench.times == std::vector<Tick>{0, 100, 300, 500});
  CHECK(bench.table.asked == std::vector<Tick>{100, 500});
}

}  // namespace tributary::test_translation_queue
