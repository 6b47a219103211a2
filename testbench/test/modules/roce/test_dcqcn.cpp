// DCQCN against the equations of Zhu et al. (SIGCOMM 2015), and the arbiter of queue pairs.
#include <catch2/catch.hpp>
#include <map>

#include "modules/base/parameter_set.h"
#include "modules/roce/core/dcqcn.h"
#include "modules/roce/core/nic_arbiter.h"

namespace tributary::test_dcqcn {
namespace {

constexpr Tick us = 1'000'000;
constexpr double line = 12.5e9;

DcqcnConfig paper() {
  DcqcnParams p;
  p.on = true;
  p.preset = DcqcnPreset::paper;
  return DcqcnConfig::of(p, 100_Gbps);
}

}  // namespace

TEST_CASE("DCQCN: presets, and fields that override them", "[pure][roce]") {
  DcqcnParams p;
  DcqcnConfig c = DcqcnConfig::of(p, 100_Gbps);
  CHECK((c.alpha_period == us && c.decrease_period == 4 * us && c.increase_timer == 300 * us && c.cnp_interval == 4 * us));
  CHECK((c.byte_counter == 32'767 * 64 && c.recovery_stages == 1 && c.g == 1.0 / 256 && !c.on));
  CHECK((c.ai * 8 == 20e6 && c.hai * 8 == 200e6 && c.min_rate * 8 == 100e6 && c.line_rate * 8 == 100e9));
  ParameterSet set(p);
  set.set_assignment("preset=paper");
  set.set_assignment("min_rate=1Gb/s");
  c = DcqcnConfig::of(p, 100_Gbps);
  CHECK((c.alpha_period == 55 * us && c.decrease_period == 50 * us && c.increase_timer == 55 * us));
  CHECK((c.byte_counter == 10'000'000 && c.recovery_stages == 5 && c.ai * 8 == 40e6 && c.min_rate * 8 == 1e9));
}

TEST_CASE("DCQCN: a CNP cuts the rate by alpha / 2, and alpha follows", "[pure][roce]") {
  Dcqcn rp(paper());
  CHECK(rp.sent(1106, 0) == 0);  // no limit before the first CNP
  rp.notify(100 * us);           // Eq. (1), alpha is 1 at first
  CHECK((rp.rate() == line / 2 && rp.target() == line && rp.alpha() == 1 && rp.limited()));
  rp.notify(150 * us);
  CHECK((rp.rate() == line / 4 && rp.target() == line / 2));
  // Two increases at 205 and 260 us. Alpha decays at 205, 260 and 315 us; the CNP at 315 us replaces the last decay.
  rp.notify(315 * us);
  const double alpha = 255.0 / 256 * 255 / 256;
  const double before = (line / 2 + (line / 2 + (line / 2 + line / 4) / 2) / 2) / 2;  // half of the distance, three times
  CHECK(rp.target() == Approx(before).epsilon(1e-12));
  CHECK(rp.rate() == Approx(before * (1 - alpha / 2)).epsilon(1e-12));
  CHECK(rp.alpha() == Approx(255.0 / 256 * alpha + 1.0 / 256).epsilon(1e-12));
}

TEST_CASE("DCQCN: recovery halves the distance, then adds ai, then adds hai", "[pure][roce]") {
  Dcqcn rp(paper());
  rp.notify(0);
  rp.notify(50 * us);  // a quarter of the line; target one half
  double rate = line / 4, target = line / 2;
  Tick now = 50 * us;
  for (unsigned i = 0; i < 12; ++i) {
    now += 55 * us;
    if (i >= 5) target += 5e6;   // Eq. (4): 40 Mb/s
    rate = (rate + target) / 2;  // Eq. (3)
    CHECK(rp.sent(1, now) == now + static_cast<Tick>(1e12 / rate));
    CHECK(rp.rate() == Approx(rate).epsilon(1e-12));
    CHECK(rp.target() == Approx(target).epsilon(1e-12));
  }
  // Six increases by bytes while those by time are beyond recovery; at the sixth, both are.
  for (unsigned i = 0; i < 7; ++i) {
    target += i > 5 ? 25e6 : 5e6;  // 200 Mb/s
    rate = (rate + target) / 2;
    rp.sent(i == 0 ? 10'000'000 - 12 : 10'000'000, now);
    CHECK(rp.target() == Approx(target).epsilon(1e-12));
    CHECK(rp.rate() == Approx(rate).epsilon(1e-12));
  }
}

TEST_CASE("DCQCN: without the clamp the target stays until an increase by time", "[pure][roce]") {
  DcqcnParams p;
  p.on = true;
  CHECK_FALSE(DcqcnConfig::of(p, 100_Gbps).clamp_target);
  CHECK(paper().clamp_target);
  Dcqcn rp(DcqcnConfig::of(p, 100_Gbps));
  for (Tick i = 0; i < 5; ++i) rp.notify(i * 4 * us);
  const double low = rp.rate();
  CHECK(low < line / 16);
  CHECK(rp.target() == line);
  rp.sent(1, 316 * us);  // 300 us after the last cut: half of the distance
  CHECK(rp.rate() == Approx((line + low) / 2).epsilon(1e-12));
  const double before = rp.rate();
  rp.notify(317 * us);
  CHECK(rp.target() == before);
  CHECK(rp.least_rate() == low);
}

TEST_CASE("DCQCN: the rate stays between the minimum and the line rate", "[pure][roce]") {
  Dcqcn rp(paper());
  for (Tick i = 0; i < 100; ++i) rp.notify(i * 50 * us);
  CHECK(rp.rate() * 8 == 100e6);
  CHECK(rp.sent(1250, 5000 * us) == 5000 * us + 100 * us);  // 10 000 bits at 100 Mb/s
  rp.sent(1, 10'000'000 * us);
  CHECK((!rp.limited() && rp.rate() == line));
  rp.notify(10'000'001 * us);  // alpha has decayed to 0 meanwhile
  CHECK((rp.rate() == line && rp.alpha() == 1.0 / 256));
}

TEST_CASE("DCQCN: a cut waits for the end of the decrease period, and covers all CNPs in it", "[pure][roce]") {
  DcqcnParams p;
  p.on = true;
  Dcqcn rp(DcqcnConfig::of(p, 100_Gbps));
  rp.notify(0);
  CHECK(rp.rate() == line / 2);
  rp.notify(1 * us);
  rp.notify(3 * us);
  CHECK(rp.rate() == line / 2);
  const double alpha = rp.alpha();
  rp.sent(1000, 4 * us);
  CHECK(rp.rate() == Approx(line / 2 * (1 - alpha / 2)).epsilon(1e-12));  // alpha decayed at 4 us, only after the cut
  rp.sent(1000, 8 * us);
  CHECK(rp.rate() == Approx(line / 2 * (1 - alpha / 2)).epsilon(1e-12));
}

TEST_CASE("DCQCN: alpha falls before a CNP within the decrease period, too", "[pure][roce]") {
  DcqcnParams p;
  p.on = true;
  Dcqcn rp(DcqcnConfig::of(p, 100_Gbps));
  rp.notify(0);  // alpha is 1, and would fall at 1 us, 2 us, ...
  rp.notify(3 * us);
  // Two periods have ended without a CNP; the third contains this one.
  const double fallen = 255.0 / 256 * 255 / 256, alpha = 255.0 / 256 * fallen + 1.0 / 256;
  CHECK(rp.rate() == line / 2);
  CHECK(rp.alpha() == Approx(alpha).epsilon(1e-12));
  rp.sent(1000, 4 * us);  // the cut that waited; alpha would fall again at 4 us, which ends with the cut
  CHECK(rp.rate() == Approx(line / 2 * (1 - alpha / 2)).epsilon(1e-12));
}

TEST_CASE("DCQCN: the byte counter restarts with each cut", "[pure][roce]") {
  Dcqcn rp(paper());
  rp.notify(0);
  rp.sent(9'999'999, 1 * us);
  CHECK(rp.rate() == line / 2);
  rp.notify(50 * us);
  const double low = rp.rate();
  rp.sent(9'999'999, 51 * us);
  CHECK(rp.rate() == low);
  rp.sent(1, 52 * us);  // 10 MB since the second cut
  CHECK(rp.rate() == Approx((low + line / 2) / 2).epsilon(1e-12));
}

TEST_CASE("DCQCN: a cut that has waited precedes an increase at the same time, which it cancels", "[pure][roce]") {
  DcqcnConfig config = paper();
  config.decrease_period = config.increase_timer;
  Dcqcn rp(config);
  rp.notify(0);
  rp.notify(10 * us);  // waits until 55 us, when the timer expires
  CHECK(rp.alpha() == 1);
  rp.sent(1, 55 * us);
  CHECK((rp.rate() == line / 4 && rp.target() == line / 2));
  rp.sent(1, 110 * us - 1);
  CHECK(rp.rate() == line / 4);
  rp.sent(1, 110 * us);  // the timer restarted with the cut
  CHECK(rp.rate() == (line / 4 + line / 2) / 2);
}

TEST_CASE("DCQCN: the times of calls do not affect the result", "[pure][roce]") {
  Dcqcn often(paper()), seldom(paper());
  for (Dcqcn* rp : {&often, &seldom}) rp->notify(0), rp->notify(50 * us), rp->notify(60 * us);
  for (Tick t = 61; t < 2000; ++t) often.sent(0, t * us);
  for (Dcqcn* rp : {&often, &seldom}) rp->notify(2000 * us);
  CHECK((often.rate() == seldom.rate() && often.target() == seldom.target() && often.alpha() == seldom.alpha()));
  often.reset();
  CHECK((often.rate() == line && often.alpha() == 1 && !often.limited()));
}

TEST_CASE("CNPs of a queue pair are spaced", "[pure][roce]") {
  CongestionNotifier np(paper());
  CHECK(np.marked(7 * us));
  CHECK_FALSE(np.marked(57 * us - 1));
  CHECK(np.marked(57 * us));
  CongestionNotifier off{DcqcnConfig{}};
  CHECK_FALSE(off.marked(0));
}

TEST_CASE("queue pairs are served in turn, and a paced one skips turns", "[pure][roce]") {
  NicArbiter arbiter;
  constexpr unsigned count = 130;
  for (unsigned i = 0; i < count; ++i) arbiter.add();
  CHECK(arbiter.next() == never);
  for (unsigned i = 0; i < count; ++i) arbiter.offer(i, 0);
  for (unsigned n = 0; n < 3 * count; ++n) {
    const unsigned qp = arbiter.take(n);
    CHECK(qp == n % count);
    arbiter.offer(qp, 0);
  }
  for (unsigned i = 0; i < count; ++i)
    if (i != 5 && i != 70 && i != 129) arbiter.withdraw(i);
  // One packet each tick; queue pair 70 may send only every fourth tick.
  std::map<unsigned, unsigned> sent;
  for (Tick now = 1000; now < 1400; ++now) {
    REQUIRE(arbiter.next() <= now);
    const unsigned qp = arbiter.take(now);
    ++sent[qp];
    arbiter.offer(qp, qp == 70 ? now + 4 : 0);
  }
  CHECK((sent[70] >= 79 && sent[70] <= 100));
  CHECK((sent[5] >= 150 && sent[129] + 1 >= sent[5] && sent[5] + 1 >= sent[129]));
  arbiter.withdraw(5), arbiter.withdraw(129), arbiter.withdraw(70);
  CHECK(arbiter.next() == never);
  arbiter.offer(3, 50), arbiter.offer(4, 40), arbiter.offer(4, 60);
  CHECK(arbiter.next() == 50);
  arbiter.offer(3, 70);
  CHECK(arbiter.next() == 60);
  CHECK(arbiter.take(60) == 4);
  arbiter.reset();
  CHECK(arbiter.next() == never);
}

}  // namespace tributary::test_dcqcn
