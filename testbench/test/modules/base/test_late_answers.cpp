// Rules of answers that a part gives after the call (docs/plugins.md#deferred-answers).
#include <catch2/catch.hpp>
#include <map>
#include <utility>

#include "modules/base/late_answers.h"

namespace tributary::test_late_answers {
namespace {

using Catch::Matchers::Equals;

/// Gives the answers of a table at their edges.
struct Scripted : ClockedPart {
  std::multimap<Tick, std::pair<Ticket, Tick>> answers;  ///< by edge
  bool unordered = false, stuck = false;

  Tick next() const override { return answers.empty() ? never : answers.begin()->first; }
  void advance(Tick to, AnswerListener& listener) override {
    while (!stuck && !answers.empty() && answers.begin()->first <= to) {
      const auto [ticket, when] = answers.begin()->second;
      answers.erase(answers.begin());
      listener.answered(ticket, when);
    }
  }
  bool out_of_order() const override { return unordered; }
};

struct Seen : AnswerListener {
  std::vector<std::pair<Ticket, Tick>> answers;
  void answered(Ticket ticket, Tick when) override { answers.emplace_back(ticket, when); }
};

struct Host : AnswerHost {
  bool kernel = false;
  unsigned begun = 0, arrived = 0;
  bool in_kernel_time() const override { return kernel; }
  void deferred() override { ++begun; }
  void answer_arrived() override { ++arrived; }
};

struct Bench {
  Bench() { late.set_host(host); }
  /// Makes a request at `start` that is answered at `edge`.
  Ticket request(Tick start, Tick edge, AnswerListener& listener) {
    const Ticket ticket = late.count();
    late.defer(part, start, listener);
    part.answers.emplace(edge, std::pair(ticket, edge));
    return ticket;
  }
  Host host;
  Scripted part;
  Seen a, b;
  LateAnswers late{"the memory"};
};

}  // namespace

TEST_CASE("late answers reach the listeners of their requests at the edges of the part", "[pure][late]") {
  Bench t;
  CHECK(t.late.next() == never);
  const Ticket first = t.request(10, 100, t.a), second = t.request(20, 50, t.b), third = t.request(30, 100, t.a);
  CHECK(t.host.begun == 1);
  CHECK(t.late.next() == 50);
  t.late.advance();
  CHECK(t.b.answers == std::vector<std::pair<Ticket, Tick>>{{second, 50}});  // listeners have orders of their own
  CHECK(t.late.waiting() == 2);
  t.late.advance();
  CHECK(t.a.answers == std::vector<std::pair<Ticket, Tick>>{{first, 100}, {third, 100}});
  CHECK(t.late.next() == never);
  CHECK(t.late.waiting() == 0);
}

TEST_CASE("late answers that break a rule are refused by its name", "[pure][late]") {
  Bench t;
  const Ticket first = t.request(10, 100, t.a);
  SECTION("order") {
    t.request(20, 50, t.a);
    CHECK_THROWS_WITH(t.late.advance(), Equals("the memory breaks the rule `order`: it answers request 2 before 1, and is "
                                               "not out of order"));
  }
  SECTION("out of order") {
    t.part.unordered = true;
    t.request(20, 50, t.a);
    t.late.advance();
    CHECK(t.a.answers.size() == 1);
  }
  SECTION("ticket") {
    t.part.answers = {{40, {first + 1, 40}}};
    CHECK_THROWS_WITH(t.late.advance(),
                      Equals("the memory breaks the rule `ticket`: request 2 does not wait for an answer"));
  }
  SECTION("twice") {
    t.part.answers.emplace(200, std::pair(first, Tick{200}));
    t.late.advance();
    CHECK_THROWS_WITH(t.late.advance(),
                      Equals("the memory breaks the rule `ticket`: request 1 does not wait for an answer"));
  }
  SECTION("time") {
    t.part.answers = {{40, {first, 39}}};
    CHECK_THROWS_WITH(t.late.advance(),
                      Equals("the memory breaks the rule `time`: it answers request 1 at 39 ps, before 40 ps"));
  }
  SECTION("progress") {
    t.part.stuck = true;
    CHECK_THROWS_WITH(t.late.advance(),
                      Equals("the memory breaks the rule `progress`: its next edge after 100 ps is not later"));
  }
  SECTION("window") {
    AnswerListener& answers = t.late;
    CHECK_THROWS_WITH(answers.answered(first, 30), Equals("the memory breaks the rule `window`: it answers in the kernel's "
                                                          "time, and its device runs ahead of it"));
    t.host.kernel = true;
    answers.answered(first, 30);
    CHECK(t.a.answers == std::vector<std::pair<Ticket, Tick>>{{first, 30}});
    CHECK(t.host.arrived == 1);
  }
}

TEST_CASE("a reset forgets requests, and counts on", "[pure][late]") {
  Bench t;
  t.request(10, 100, t.a);
  t.late.reset();
  t.part.answers.clear();
  CHECK(t.late.waiting() == 0);
  CHECK(t.request(10, 100, t.a) == 2);
  t.late.advance();
  CHECK(t.a.answers.size() == 1);
  CHECK(t.host.begun == 1);
}

}  // namespace tributary::test_late_answers
