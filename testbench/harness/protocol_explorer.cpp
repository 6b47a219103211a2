#include "testbench/harness/protocol_explorer.h"

#include <algorithm>

namespace tributary {
namespace {

// Remaining faults, the last number of a row: up to 1023 of each kind.
constexpr std::uint32_t one_loss = 1, one_timeout = 1u << 10, one_duplicate = 1u << 20;

}  // namespace

ProtocolExplorer::ProtocolExplorer(const Config& config)
    : config_(config), model_(config.ring), parts_(model_.parts()), states_(parts_ + 1) {}

ProtocolExplorer::Result ProtocolExplorer::run() {
  for (unsigned p = 0; p < parts_; ++p) {
    text_.clear();
    model_.save(p, text_);
    loaded_.push_back(names_.number(text_));
  }
  loaded_.push_back(config_.losses * one_loss + config_.early_timeouts * one_timeout + config_.duplicates * one_duplicate);
  next_ = loaded_;
  states_.add(loaded_.data());
  from_.push_back(0);
  by_.push_back({});
  std::uint32_t state = 0;
  for (; state < states_.size() && states_.size() <= config_.most_states; ++state) {
    first_edge_.push_back(edges_.size());
    enter(state);
    expand(state);
  }
  first_edge_.push_back(edges_.size());
  result_.states = states_.size();
  result_.ends = ends_.size();
  result_.complete = state == states_.size();
  if (result_.complete) search_back();
  return result_;
}

void ProtocolExplorer::enter(std::uint32_t state) {
  const std::uint32_t* row = states_.row(state);
  for (unsigned p = 0; p < parts_; ++p)
    if (loaded_[p] != row[p]) model_.load(p, names_.part(row[p]));
  loaded_.assign(row, row + parts_ + 1);
  next_ = loaded_;
  model_.forget_touched();
}

void ProtocolExplorer::expand(std::uint32_t state) {
  using Kind = Step::Kind;
  if (model_.finished()) {
    ends_.push_back(state);
    return;
  }
  const auto ranks = static_cast<std::uint16_t>(model_.ranks()), channels = static_cast<std::uint16_t>(model_.channels());
  const std::uint32_t faults = loaded_[parts_];
  bool moved = false;
  for (std::uint16_t r = 0; r < ranks; ++r)
    if (model_.can_send(r)) attempt(state, {Kind::send, r}, faults, false), moved = true;
  for (std::uint16_t c = 0; c < channels; ++c)
    if (model_.can_deliver(c)) attempt(state, {Kind::deliver, c}, faults, false), moved = true;
  if (faults % one_timeout > 0)
    for (std::uint16_t c = 0; c < channels; ++c)
      if (model_.in_flight(c) > 0) attempt(state, {Kind::lose, c}, faults - one_loss, true);
  if (faults >= one_duplicate)
    for (std::uint16_t c = 0; c < channels; ++c)
      if (model_.can_deliver(c)) attempt(state, {Kind::duplicate, c}, faults - one_duplicate, true);
  for (std::uint16_t r = 0; r < ranks; ++r) {
    if (!model_.can_time_out(r)) continue;
    if (!moved) attempt(state, {Kind::timeout, r}, faults, false);
    if (moved && faults % one_duplicate >= one_timeout) attempt(state, {Kind::timeout, r}, faults - one_timeout, true);
  }
}

void ProtocolExplorer::attempt(std::uint32_t state, const Step& step, std::uint32_t faults, bool is_fault) {
  const std::uint64_t wrong = model_.wrong_sums();
  model_.take(step);
  ++result_.steps;
  for (unsigned p = 0; p < parts_; ++p) {
    if (model_.touched()[p] == 0) continue;
    text_.clear();
    model_.save(p, text_);
    next_[p] = names_.number(text_);
    if (next_[p] != loaded_[p]) model_.load(p, names_.part(loaded_[p]));
  }
  next_[parts_] = faults;
  const auto [number, is_new] = states_.add(next_.data());
  next_ = loaded_;
  model_.forget_touched();
  if (is_new) from_.push_back(state), by_.push_back(step);
  if (!is_fault) edges_.push_back(number);
  if (model_.wrong_sums() == wrong) return;
  if (result_.wrong++ > 0) return;
  result_.to_wrong = path(state);
  result_.to_wrong.push_back(model_.text(step));
}

void ProtocolExplorer::search_back() {
  const std::size_t n = states_.size();
  std::vector<std::size_t> begin(n + 1, 0);  // start, in `origins`, of the steps that lead to a state
  for (const std::uint32_t to : edges_) ++begin[to + 1];
  for (std::size_t i = 0; i < n; ++i) begin[i + 1] += begin[i];
  std::vector<std::size_t> fill(begin.begin(), begin.end() - 1);
  std::vector<std::uint32_t> origins(edges_.size());
  for (std::uint32_t state = 0; state < n; ++state)
    for (std::size_t e = first_edge_[state]; e < first_edge_[state + 1]; ++e) origins[fill[edges_[e]]++] = state;
  std::vector<std::uint8_t> reaches(n, 0);
  std::vector<std::uint32_t> open = ends_;
  for (const std::uint32_t e : ends_) reaches[e] = 1;
  while (!open.empty()) {
    const std::uint32_t state = open.back();
    open.pop_back();
    for (std::size_t e = begin[state]; e < begin[state + 1]; ++e)
      if (reaches[origins[e]] == 0) reaches[origins[e]] = 1, open.push_back(origins[e]);
  }
  result_.stuck = static_cast<std::uint64_t>(std::count(reaches.begin(), reaches.end(), 0));
  if (result_.stuck == 0) return;
  const auto first = static_cast<std::uint32_t>(std::find(reaches.begin(), reaches.end(), 0) - reaches.begin());
  result_.to_stuck = path(first);
  enter(first);
  result_.waiting = model_.waiting();
}

std::vector<std::string> ProtocolExplorer::path(std::uint32_t state) const {
  std::vector<std::string> steps;
  for (; state != 0; state = from_[state]) steps.push_back(model_.text(by_[state]));
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace tributary
