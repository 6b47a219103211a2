// Arbiters in RTL: the choices of a crossbar as clocks.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "modules/nvswitch/core/arbiter_pins.h"
#include "modules/rtl/core/arbiter_beats.h"

namespace tributary::test_arbiter_beats {

using Catch::Matchers::Contains;

namespace {

/// Grants the highest requester of an output, or the one below the latest that was taken there.
class HighestFirst : public RtlModel {
 public:
  struct Options {
    unsigned requesters = 12;
    bool registered = false;  ///< grants a clock later
    int grants = -1;          ///< always this requester
  };
  HighestFirst(const Options& options, std::vector<std::uint64_t>* rooms) : options_(options), rooms_(rooms) {
    for (const FlatPin& pin : flat_pins(arbiter_pins())) {
      auto& bytes = storage_[pin.name];
      bytes.resize(storage_bytes(width_of(arbiter_pins(), pin.bits, pin.times, {{"REQUESTERS", options.requesters}})));
      pins.add(pin.name.c_str(), bytes.data(), bytes.size());
    }
  }
  void eval() override {
    if (!options_.registered) decide();
    const bool clk = storage_["clk"][0] != 0;
    if (clk && !clk_) rise();
    clk_ = clk;
  }

 private:
  void decide() {
    std::uint8_t& valid = storage_["grant_valid"][0];
    valid = storage_["s_valid"][0];
    if (valid == 0) return;
    const auto limit = limits_.find(storage_["s_output"][0]);
    unsigned winner = 0;
    for (unsigned r = 0; r < options_.requesters; ++r)
      if ((storage_["s_req"][r / 8] >> r % 8 & 1) != 0 && (limit == limits_.end() || r < limit->second)) winner = r;
    storage_["grant_requester"][0] = static_cast<std::uint8_t>(options_.grants < 0 ? winner : options_.grants);
  }
  void rise() {
    if (options_.registered) decide();
    if (storage_["rst_n"][0] == 0) return limits_.clear();
    if (storage_["s_valid"][0] != 0) rooms_->push_back(storage_["s_room"][0]);
    if (storage_["take_valid"][0] != 0) limits_[storage_["take_output"][0]] = storage_["take_requester"][0];
  }

  Options options_;
  std::vector<std::uint64_t>* rooms_;
  std::map<std::string, std::vector<std::uint8_t>> storage_;
  std::map<unsigned, unsigned> limits_;  // by output
  bool clk_ = false;
};

struct Bench {
  explicit Bench(const HighestFirst::Options& options = {}, unsigned ports = 4, Tick arbitration = 0)
      : arbiter(block(options), {"dgx2.switch0", ports, 3, bytes_per_second(50'000'000'000), arbitration}) {}
  RtlBlock block(const HighestFirst::Options& options) {
    RtlBlock b;
    b.parameters = {{"REQUESTERS", options.requesters}};
    b.make = [this, options] { return std::make_unique<HighestFirst>(options, &rooms); };
    return b;
  }
  std::vector<std::uint64_t> rooms;
  ArbiterBeats arbiter;
};

using Requests = std::vector<CrossbarArbiter::Request>;

}  // namespace

TEST_CASE("an arbiter in RTL grants in the clock of the requests, and a taken grant moves its turn", "[pure][rtl]") {
  Bench b;
  const Requests requests{{0, 0, 0}, {3, 1, 1}, {2, 2, 3}};  // requesters 0, 7, 10
  CHECK(b.arbiter.choose(5, requests, 1000) == 2);
  CHECK(b.arbiter.choose(5, requests, 1000) == 2);  // asked again
  b.arbiter.granted(5, requests[2], 1000);
  CHECK(b.arbiter.choose(5, requests, 4000) == 1);
  CHECK(b.arbiter.choose(6, requests, 4000) == 2);  // another output
  CHECK(b.arbiter.runner().evaluated() >= 5);
  b.arbiter.reset();
  CHECK(b.arbiter.choose(5, requests, 0) == 2);
}

TEST_CASE("probes of an arbiter in RTL show requests, and a grant that is used a clock later", "[pure][rtl]") {
  Bench b;
  ProbeDirectory directory;
  b.arbiter.describe(directory, "");
  static std::map<std::string, std::map<Tick, std::uint64_t>> seen;
  static const std::vector<std::string> pins{"rtl.s_valid", "rtl.grant_valid", "rtl.take_valid"};
  seen.clear();
  directory.for_each<SignalProbe>([](const std::string& name, SignalProbe& probe) {
    for (const std::string& pin : pins)
      if (pin == name)
        probe.attach(const_cast<std::string*>(&pin),
                     [](void* of, Tick when, std::uint64_t value) { seen[*static_cast<std::string*>(of)][when] = value; });
  });
  b.arbiter.reset();
  const Requests requests{{0, 0, 0}};
  CHECK(b.arbiter.choose(5, requests, 0) == 0);
  b.arbiter.granted(5, requests[0], 0);
  using Values = std::map<Tick, std::uint64_t>;  // a flit of 16 B takes 320 ps
  CHECK(seen["rtl.s_valid"] == Values{{0, 1}, {320, 0}, {640, 0}});
  CHECK(seen["rtl.grant_valid"] == Values{{0, 1}, {320, 0}, {640, 0}});
  CHECK(seen["rtl.take_valid"] == Values{{0, 0}, {320, 1}, {640, 0}});
}

TEST_CASE("resources whose requests are removed have no room in RTL", "[pure][rtl]") {
  Bench b;
  b.arbiter.choose(0, {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 0, 3}}, 0);
  b.arbiter.choose(0, {{0, 0, 0}, {2, 2, 2}, {3, 0, 3}}, 0);
  b.arbiter.choose(0, {{3, 0, 3}}, 0);
  CHECK(b.rooms == std::vector<std::uint64_t>{7, 5, 0});
}

TEST_CASE("an arbiter in RTL that grants wrongly is named", "[pure][rtl]") {
  HighestFirst::Options options;
  options.grants = 4;
  Bench other(options);
  CHECK_THROWS_WITH(
      other.arbiter.choose(1, {{0, 0, 0}}, 0),
      Contains("dgx2.switch0.arbiter breaks the rule `answer`: grants output 1 to requester 4, which does not"));
  options = {};
  options.registered = true;
  Bench late(options);
  CHECK_THROWS_WITH(late.arbiter.choose(1, {{0, 0, 0}}, 0), Contains("grants 1 clocks after the requests"));
}

TEST_CASE("a grant of an arbiter in RTL may follow by the time of arbitration", "[pure][rtl]") {
  HighestFirst::Options options;
  options.registered = true;
  Bench in_time(options, 4, 320);
  const Requests requests{{0, 0, 0}, {3, 1, 1}};
  CHECK(in_time.arbiter.choose(1, requests, 0) == 1);
  in_time.arbiter.granted(1, requests[1], 0);
  CHECK(in_time.arbiter.choose(1, requests, 0) == 0);
  Bench late(options, 4, 319);
  CHECK_THROWS_WITH(
      late.arbiter.choose(1, requests, 0),
      Contains("grants 1 clocks after the requests (legal: 0, those of nvswitch.switch.crossbar.arbitration)"));
}

TEST_CASE("an arbiter in RTL has the requesters of its switch", "[pure][rtl]") {
  HighestFirst::Options options;
  options.requesters = 9;
  CHECK_THROWS_WITH(Bench(options), Contains("REQUESTERS=9") && Contains("legal: 3 x inputs, from 12 to 256"));
  options.requesters = 13;
  CHECK_THROWS_AS(Bench(options), std::invalid_argument);
  options.requesters = 48;
  CHECK_NOTHROW(Bench(options));
}

}  // namespace tributary::test_arbiter_beats
