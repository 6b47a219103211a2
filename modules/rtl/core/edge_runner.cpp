#include "modules/rtl/core/edge_runner.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tributary {
namespace {

/// Throws std::invalid_argument with all pins that the model lacks or has in another width.
void require_pins(const std::string& name, const PinTable& table, const PinParameters& parameters, const PinSet& pins) {
  std::string wrong;
  for (const FlatPin& pin : flat_pins(table)) {
    const std::uint64_t bits = width_of(table, pin.bits, pin.times, parameters);
    const PinBytes found = pins.find(pin.name);
    if (found && found.size == storage_bytes(bits)) continue;
    wrong += std::string(wrong.empty() ? "" : ", ") + (found ? "has another width of pin `" : "has no pin `") + pin.name +
             "` than " + std::to_string(bits) + (bits == 1 ? " bit" : " bits");
    if (!found) wrong.replace(wrong.rfind(" than "), 6, " of ");
  }
  if (!wrong.empty()) throw std::invalid_argument(name + " " + wrong);
}

}  // namespace

EdgeRunner::EdgeRunner(std::string name, const PinTable& table, const PinParameters& parameters, RtlModel& model,
                       const ClockDomain& clock, const Options& options)
    : name_(std::move(name)), model_(model), clock_(clock), options_(options), probes_(table, parameters, model.pins) {
  require_pins(name_, table, parameters, model.pins);
  clk_ = model.pins.find("clk");
  rst_n_ = model.pins.find("rst_n");
  idle_ = model.pins.find("idle");
  for (const PinChannel& channel : table.channels)
    lanes_.emplace_back(BeatChannel(name_, table, channel, parameters, model.pins));
  reset();
}

void EdgeRunner::fail(const char* rule, const std::string& what) const {
  throw std::logic_error(name_ + " breaks the rule `" + rule + "`: " + what);
}

void EdgeRunner::offer(unsigned channel, RtlBeat beat) {
  Lane& lane = lanes_[channel];
  if (beat.edge < edge_)
    throw std::logic_error(name_ + ": a request for edge " + std::to_string(beat.edge) + " arrives after edge " +
                           std::to_string(edge_ - 1));
  if (!lane.beats.empty() && beat.edge < lane.beats.back().edge)
    throw std::logic_error(name_ + ": a request for edge " + std::to_string(beat.edge) + " arrives after one for edge " +
                           std::to_string(lane.beats.back().edge));
  lane.beats.push_back(std::move(beat));
}

const RtlBeat* EdgeRunner::input(const Lane& lane) const {
  const auto next = static_cast<std::size_t>(lane.passed - lane.first);
  return next < lane.beats.size() && lane.beats[next].edge <= edge_ ? &lane.beats[next] : nullptr;
}

std::uint64_t EdgeRunner::next_input() const {
  std::uint64_t first = none;
  for (const Lane& lane : lanes_) {
    const auto next = static_cast<std::size_t>(lane.passed - lane.first);
    if (lane.pins.to_block() && next < lane.beats.size()) first = std::min(first, lane.beats[next].edge);
  }
  return first;
}

bool EdgeRunner::idle() const {
  if (options_.free_running) return false;
  for (const Lane& lane : lanes_)
    if (lane.pins.to_block() ? lane.passed - lane.first < lane.beats.size() : lane.passed < lane.expected) return false;
  return idle_ ? idle_.data[0] != 0 : drained_ >= options_.drain;
}

std::uint64_t EdgeRunner::next_edge() const {
  const bool awaits = std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& l) {
    return l.pins.to_block() ? l.awaits_ready && l.waits_for_ready : l.passed < l.expected;
  });
  const bool drains = options_.free_running || awaits || (idle_ ? idle_.data[0] == 0 : drained_ < options_.drain);
  return drains ? edge_ : std::max(edge_, next_input());
}

void EdgeRunner::run_to(std::uint64_t edge) {
  shows_ = false;
  while (edge_ < edge) {
    const std::uint64_t next = next_edge();
    if (next > edge_)
      edge_ = std::min(edge, next);
    else
      step();
  }
  shows_ = true;
}

void EdgeRunner::run_until_answered(const std::string& request) {
  std::uint64_t expected = 0, passed = 0;
  const auto count = [&] {
    expected = passed = 0;
    for (const Lane& lane : lanes_)
      if (!lane.pins.to_block()) expected += lane.expected, passed += lane.passed;
  };
  count();
  for (unsigned edges = 0; passed < expected;) {
    const std::uint64_t before = passed;
    step();
    count();
    edges = passed == before ? edges + 1 : 0;
    if (edges > patience)
      fail("patience",
           "no answer to " + request + " in " + std::to_string(patience) + " clocks: " + waiting_pins() + " never rose");
  }
}

void EdgeRunner::run_until_ready(unsigned channel, const std::string& request) {
  const Lane& lane = lanes_[channel];
  for (unsigned edges = 0; lane.waits_for_ready || lane.passed - lane.first < lane.beats.size(); ++edges) {
    if (edges > patience)
      fail("patience",
           "not ready after " + request + " in " + std::to_string(patience) + " clocks: " + waiting_pins() + " never rose");
    step();
  }
}

/// Returns the pins for which beats wait: `s_ready` and `m_valid`.
std::string EdgeRunner::waiting_pins() const {
  std::string pins;
  const auto add = [&](const Lane& lane, const char* pin) {
    pins += std::string(pins.empty() ? "`" : " and `") + lane.pins.name() + pin + "`";
  };
  for (const Lane& lane : lanes_) {
    if (lane.pins.to_block() && !lane.pins.ready() && (lane.waits_for_ready || input(lane) != nullptr)) add(lane, "_ready");
    if (!lane.pins.to_block() && lane.passed < lane.expected) add(lane, "_valid");
  }
  return pins;
}

void EdgeRunner::run_until_passed(unsigned channel, const std::string& request) {
  const Lane& lane = lanes_[channel];
  const auto left = [&] {
    return lane.pins.to_block() ? lane.beats.size() - static_cast<std::size_t>(lane.passed - lane.first)
                                : lane.expected - lane.passed;
  };
  std::uint64_t before = left();
  for (unsigned edges = 0; left() != 0; ++edges) {
    if (std::exchange(before, left()) != left()) edges = 0;
    if (edges > patience)
      fail("patience", std::string(lane.pins.to_block() ? "not ready for " : "no answer to ") + request + " in " +
                           std::to_string(patience) + " clocks: " + waiting_pins() + " never rose");
    step();
  }
}

void EdgeRunner::expect_in_all(unsigned channel, std::uint64_t beats) {
  Lane& lane = lanes_[channel];
  lane.expected = beats;
  if (lane.passed > beats) fail("order", "a beat leaves at edge " + std::to_string(edge_ - 1) + " that no request expects");
}

void EdgeRunner::eval(bool clk) {
  clk_.data[0] = clk;
  model_.eval();
}

/// Inputs change while `clk` is low; outputs, which may depend on them, are sampled before the rising edge.
void EdgeRunner::step() {
  drive();
  eval(false);
  trace(edge_, false);
  sample();
  eval(true);
  trace(edge_ - 1, true);
}

/// A trace has the clock of the block: it is low for half a period before an edge.
void EdgeRunner::trace(std::uint64_t edge, bool rises) {
  if (speculative_ || !model_.traces()) return;
  const Tick time = clock_.time_of(edge), half = (clock_.time_of(edge + 1) - time) / 2;
  if (rises || time >= half) model_.trace(rises ? time : time - half);
}

void EdgeRunner::drive() {
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    lanes_[i].pins.to_block() ? lanes_[i].pins.drive(input(lanes_[i])) : lanes_[i].pins.drive_ready(!stalls_.at(i, edge_));
}

void EdgeRunner::sample() {
  if (observed_ && shows_) show();
  ++drained_;
  for (Lane& lane : lanes_) lane.pins.to_block() ? accept(lane) : take(lane);
  ++edge_;
  ++evaluated_;
}

void EdgeRunner::accept(Lane& lane) {
  if (!lane.pins.ready()) {
    if (lane.awaits_ready && lane.waits_for_ready && edge_ >= lane.accepted_at + patience)
      fail("patience", "`" + lane.pins.name() + "_ready` is low for " + std::to_string(patience) + " clocks after beat " +
                           std::to_string(lane.passed - 1));
    return;
  }
  if (std::exchange(lane.waits_for_ready, false)) lane.ready_at = edge_;
  const RtlBeat* const beat = input(lane);
  if (beat == nullptr) return;
  lane.accepted_at = edge_;
  lane.waits_for_ready = true;
  ++lane.passed;
  drained_ = 0;
}

/// AXI-Stream: a beat that waits for `ready` stays valid, and does not change.
void EdgeRunner::hold(Lane& lane) {
  const bool valid = lane.pins.valid();
  if (lane.held && (!valid || !lane.pins.equals(*lane.held)))
    fail("stable",
         "beat " + std::to_string(lane.passed) + " changes at edge " + std::to_string(edge_) + ", before it is accepted");
  lane.held.reset();
  if (valid && !lane.pins.ready()) lane.held = lane.pins.read(edge_);
}

void EdgeRunner::take(Lane& lane) {
  if (stalls_.percent != 0) hold(lane);
  if (!lane.pins.valid()) return;
  drained_ = 0;
  if (!lane.pins.ready()) return;
  const auto next = static_cast<std::size_t>(lane.passed - lane.first);
  if (lane.passed >= lane.expected)
    fail("order", "a beat leaves at edge " + std::to_string(edge_) + " that no request expects");
  if (next == lane.beats.size()) {
    lane.beats.push_back(lane.pins.read(edge_));
  } else if (lane.beats[next].edge != edge_ || !lane.pins.equals(lane.beats[next])) {
    fail_overlap(lane, lane.beats[next]);
  }
  ++lane.passed;
}

/// True if the block has accepted a request of that number, as far as beats are kept.
bool EdgeRunner::accepted(std::uint64_t id) const {
  return std::any_of(lanes_.begin(), lanes_.end(), [&](const Lane& lane) {
    const unsigned field = lane.pins.find("id");
    if (!lane.pins.to_block() || field == lane.pins.fields().size()) return false;
    const auto end = lane.beats.begin() + static_cast<std::ptrdiff_t>(lane.passed - lane.first);
    return std::any_of(lane.beats.begin(), end, [&](const RtlBeat& beat) { return lane.pins.get(beat, field) == id; });
  });
}

/// A beat differs from `alone`, the beat that leaves if no request follows.
void EdgeRunner::fail_overlap(const Lane& lane, const RtlBeat& alone) const {
  if (const unsigned field = lane.pins.find("id"); field != lane.pins.fields().size()) {
    const std::uint64_t id = lane.pins.get(lane.pins.read(edge_), field), wanted = lane.pins.get(alone, field);
    if (id != wanted && accepted(id))
      fail("order", "answers request " + std::to_string(id) + " at edge " + std::to_string(edge_) + ", before request " +
                        std::to_string(wanted));
  }
  fail("overlap", "beat " + std::to_string(lane.passed) + " leaves at edge " + std::to_string(alone.edge) +
                      " if no request follows, and at edge " + std::to_string(edge_) + " with " +
                      (lane.pins.equals(alone) ? "equal" : "other") + " contents if one does");
}

// ---- marks

bool EdgeRunner::mark() {
  mark_.counts.clear();
  const bool saved = model_.save(mark_.state);
  mark_.edge = edge_;
  mark_.drained = drained_;
  for (const Lane& lane : lanes_)
    mark_.counts.push_back({lane.passed, lane.accepted_at, lane.ready_at, lane.waits_for_ready});
  return saved;
}

void EdgeRunner::return_to_mark() {
  speculative_ = false;
  model_.restore(mark_.state);
  edge_ = mark_.edge;
  drained_ = mark_.drained;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i].passed = mark_.counts[i].passed;
    lanes_[i].accepted_at = mark_.counts[i].accepted_at;
    lanes_[i].ready_at = mark_.counts[i].ready_at;
    lanes_[i].waits_for_ready = mark_.counts[i].waits_for_ready;
    lanes_[i].held.reset();
  }
}

void EdgeRunner::forget() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    const std::uint64_t kept = mark_.counts.empty() ? lane.passed : std::min(lane.passed, mark_.counts[i].passed);
    for (; lane.first < kept; ++lane.first) lane.beats.pop_front();
  }
}

// ---- reset, probes

void EdgeRunner::begin_reset() {
  for (Lane& lane : lanes_) {
    lane.beats.clear();
    lane.first = lane.passed = lane.expected = lane.accepted_at = lane.ready_at = 0;
    lane.waits_for_ready = false;
    lane.held.reset();
    lane.pins.to_block() ? lane.pins.drive(nullptr) : lane.pins.drive_ready(true);
  }
  mark_ = {};
  speculative_ = false;
  edge_ = shown_shift_ = 0;
  observed_ = probes_.observed();
  drained_ = options_.drain;
  rst_n_.data[0] = 0;
}

void EdgeRunner::end_reset() {
  for (const Lane& lane : lanes_)
    if (!lane.pins.to_block() && lane.pins.valid()) fail("reset", "an output is valid after two clocks of reset");
  rst_n_.data[0] = 1;
}

void EdgeRunner::reset() {
  begin_reset();
  for (unsigned edge = 0; edge < 2; ++edge) {
    eval(false);
    eval(true);
  }
  end_reset();
}

/// An edge that is evaluated again replaces what it has shown before.
void EdgeRunner::show() const {
  const std::uint64_t edge = edge_ - shown_shift_;
  const Tick time = clock_.time_of(edge);
  probes_.show(time, (clock_.time_of(edge + 1) - time) / 2);
}

void EdgeRunner::describe(ProbeDirectory& directory, const std::string& prefix) { probes_.describe(directory, prefix); }

}  // namespace tributary
