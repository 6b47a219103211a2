#include "modules/nic/core/schedule_engine.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "modules/base/waiting_since.h"
#include "modules/nic/core/entry_code.h"

namespace tributary {

using Op = ScheduleEntry::Op;

ScheduleEngine::ScheduleEngine(const Config& config, ScheduleListener& listener, TablePort& table, ReductionPort& reduction)
    : config_(config),
      listener_(listener),
      table_(table),
      reader_(table, *this, config.params.table.read.value),
      dependencies_(config.node),
      estimate_(config.flow_control, config.params.lockstep.buffer, config.link_rate),
      reduction_(reduction) {}

void ScheduleEngine::post(NicOperation operation, Tick t0, RowGate* gate) {
  if (!operation.entries.empty()) operation.rows = static_cast<std::uint32_t>(operation.entries.size());
  for (std::uint32_t row = 0; row < operation.entries.size(); ++row) table_.write(row, encode(operation.entries[row]));
  operation.entries.clear();
  const std::vector<ScheduleEntry> entries = reader_.all(operation.rows);
  check_schedule(config_.node, entries);
  gate_ = gate;
  if (gate == nullptr) dependencies_.load(entries, operation.reduction);
  if (row_states_.observed())
    row_states_.load(operation.loaded, entries, operation.reduction, gate != nullptr,
                     [this](const ScheduleEntry& e, std::uint32_t row) { return ready(e, row); });
  reader_.start(operation.rows, t0);
  operation_ = std::move(operation);
  active_ = true;
  reduced_ = gathered_ = 0;
  start_at_ = issued_at_ = arrived_at_ = t0;
  timer_.reset();
}

// Chunks that arrive at one instant are handled in a fixed order, independent of the order of calls.
void ScheduleEngine::receive(Op op, std::uint16_t tree, std::uint16_t from, std::uint64_t bytes, Tick when) {
  const auto key = [](const Arrival& a) { return std::make_tuple(a.when, a.op, a.tree, a.from); };
  arrivals_.insert_sorted([&](const Arrival& a, const Arrival& b) { return key(a) < key(b); }, when, op, tree, from, bytes);
}

Tick ScheduleEngine::next() const {
  Tick t = std::min(start_at_, due_);
  if (!arrivals_.empty()) t = std::min(t, arrivals_.front().when);
  if (!adding_.empty()) t = std::min(t, adding_.front().when);
  return t;
}

Tick ScheduleEngine::run_until(Tick horizon) {
  for (Tick now = next(); now <= horizon; now = next()) handle(now);
  return next();
}

void ScheduleEngine::handle(Tick now) {
  if (start_at_ <= now) start_at_ = never;
  for (; !arrivals_.empty() && arrivals_.front().when <= now; arrivals_.pop()) accept(arrivals_.front());
  for (; !adding_.empty() && adding_.front().when <= now; adding_.pop()) {
    const Arrival& a = adding_.front();
    dependencies_.reduced(a.tree, a.from);
    ++reduced_;
    if (sums.observed()) sums.added(a.when, a.tree, a.from);
    clear(a.when, a.op, a.tree, a.from);
  }
  due_ = never;
  if (!active_ || start_at_ != never) return;
  advance(now);
  check_done(now);
}

void ScheduleEngine::answered(Ticket, Tick when) {
  reader_.answered(when);
  if (reader_.next_ready() != never) wake(reader_.next_ready());
}

void ScheduleEngine::added(Tick when) {
  for (std::uint32_t i = 0; i < adding_.size(); ++i)
    if (adding_[i].when == never) return void(adding_[i].when = when);
}

void ScheduleEngine::accept(const Arrival& a) {
  if (a.op == Op::gather) {
    dependencies_.gathered(a.tree, a.from);
    ++gathered_;
    return clear(a.when, a.op, a.tree, a.from);
  }
  if (sums.observed()) sums.queued(a.when, a.tree, dependencies_.operands(a.tree, operation_.reduces));
  const Tick added = reduction_.add(a.when, a.bytes / element_size(operation_.type),
                                    reduction_chunk(operation_.number, a.tree, a.from), *this);
  adding_.push(added, a.op, a.tree, a.from, a.bytes);
}

void ScheduleEngine::advance(Tick now) {
  while (!reader_.empty())
    if (reader_.step_left() ? !issue_next(now) : !begin_step(now)) return;
}

bool ScheduleEngine::begin_step(Tick now) {
  const bool first = timer_.step() == 0;
  const Tick free = std::max(reader_.next_ready(), first ? 0 : std::max(timer_.zero_at(), reduction_.idle_at()));
  if (free > now) return due_ = free, false;
  reader_.next_step(now);
  timer_.begin(reader_.first().step, now, step_estimate());
  return true;
}

// An entry that waits for data has no timer: it is checked again at each arrival.
bool ScheduleEngine::issue_next(Tick now) {
  const bool head_only = config_.params.table.inspection == Inspection::head;
  for (std::size_t i = reader_.head(); i < (head_only ? reader_.head() + 1 : reader_.size()); ++i) {
    if (reader_.taken(i)) continue;
    if (reader_[i].op == Op::nop) return take(i, now), true;
    if (!satisfied(i)) continue;
    if (listener_.full_interface(reader_[i])) continue;
    if (decoder_free_at_ > now) return due_ = decoder_free_at_, false;
    return issue(i, now), true;
  }
  return false;
}

void ScheduleEngine::issue(std::size_t i, Tick now) {
  const ScheduleEntry entry = reader_[i];
  const std::uint32_t row = reader_.row(i);
  decoder_free_at_ = now + config_.params.issue_interval.value;
  if (config_.params.lockstep.load == LockstepLoad::issue) timer_.reload(now, estimate(entry));
  take(i, now);
  issued(now, entry.tree);
  if (sums.observed() && gate_ == nullptr) sums.sent(now, entry.tree);
  if (gate_ != nullptr)
    gate_->issue(row, now);
  else
    listener_.send(entry, now);
}

void ScheduleEngine::take(std::size_t i, Tick now) {
  if (row_states_.observed()) row_states_.issued(now, reader_.row(i));
  reader_.take(i, now);
  issued_at_ = now;
}

void ScheduleEngine::clear(Tick when, Op op, std::uint16_t tree, std::uint16_t from) {
  arrived_at_ = when;
  dependency_cleared(when, tree);
  if (row_states_.observed())
    row_states_.cleared(when, op, tree, from, [this](const ScheduleEntry& e, std::uint32_t row) { return ready(e, row); });
}

bool ScheduleEngine::look(Tick now) {
  if (!active_ || start_at_ != never) return false;
  if (row_states_.observed())
    row_states_.look(now, [this](const ScheduleEntry& e, std::uint32_t row) { return ready(e, row); });
  const std::uint32_t left = reader_.left();
  due_ = never;
  advance(now);
  check_done(now);
  return reader_.left() != left;
}

bool ScheduleEngine::satisfied(std::size_t i) const {
  return gate_ != nullptr ? gate_->ready(reader_.row(i)) : dependencies_.satisfied(reader_[i]);
}

bool ScheduleEngine::ready(const ScheduleEntry& entry, std::uint32_t row) const {
  return entry.op == Op::nop || (gate_ != nullptr ? gate_->ready(row) : dependencies_.satisfied(entry));
}

/// Returns the longest time over the links of the step's chunks, at least that of a chunk on the slowest link: a step is as
/// long as in the schedule.
Tick ScheduleEngine::step_estimate() const {
  std::vector<std::pair<std::uint32_t, Tick>> by;
  Tick longest = 0;
  const auto add = [&](const ScheduleEntry& e, std::uint16_t node) {
    const ScheduleListener::SendPath path = listener_.path(e.tree, node);
    const auto known = std::find_if(by.begin(), by.end(), [&](const auto& t) { return t.first == path.link; });
    Tick& sum = known != by.end() ? known->second : by.emplace_back(path.link, 0).second;
    sum += estimate(e, path.rate);
    longest = std::max({longest, sum, estimate(e)});
  };
  for (std::size_t i = 0; i < reader_.size(); ++i) {
    const ScheduleEntry& e = reader_[i];
    if (e.op == Op::gather) {
      for (const std::uint16_t child : e.children)
        if (child != ScheduleEntry::nil) add(e, child);
    } else if (e.op == Op::reduce) {
      add(e, e.parent);
    } else {
      longest = std::max(longest, estimate(e));  // NOPs of one step wait together
    }
  }
  return longest;
}

Tick ScheduleEngine::estimate(const ScheduleEntry& entry, std::optional<Bandwidth> rate) const {
  const Lockstep kind = config_.params.lockstep.kind;
  const bool paced = kind == Lockstep::every_step || (kind == Lockstep::nop_only && entry.op == Op::nop);
  return paced ? estimate_.time(entry.bytes, rate) : 0;
}

void ScheduleEngine::check_done(Tick now) {
  if (!reader_.empty() || reduced_ < operation_.reduces || gathered_ < operation_.gathers) return;
  active_ = false;
  if (gate_ == nullptr) listener_.operation_done(now);
}

// ---- reports

std::string ScheduleEngine::blocked_by() const {
  const ScheduleEntry& head = reader_.first();
  if (start_at_ != never) return "its start";
  if (reader_.step_left() && satisfied(reader_.head())) {
    const auto full = listener_.full_interface(head);
    return full ? "room in the queue of interface" + std::to_string(*full) : "the decoder";
  }
  if (reader_.step_left())
    return gate_ != nullptr ? gate_->missing(reader_.row(reader_.head())) : dependencies_.missing(head);
  if (reader_.next_ready() > std::max(timer_.zero_at(), reduction_.idle_at())) return "the schedule table";
  return timer_.zero_at() >= reduction_.idle_at() ? "the lockstep counter" : "the reduction unit";
}

std::vector<std::string> ScheduleEngine::waiting() const {
  std::vector<std::string> lines;
  if (active_ && !reader_.empty())
    lines.push_back("schedule: entry " + std::to_string(reader_.first_number()) + " of " + std::to_string(reader_.rows()) +
                    ", " + tributary::describe(reader_.first()) + ", waits for " + blocked_by() +
                    waiting_since(start_at_ == never ? issued_at_ : 0));
  if (active_ && reduced_ < operation_.reduces)
    lines.push_back("rank: " + std::to_string(operation_.reduces - reduced_) + " of " + std::to_string(operation_.reduces) +
                    " reduces are missing" + waiting_since(arrived_at_));
  if (active_ && gathered_ < operation_.gathers)
    lines.push_back("rank: " + std::to_string(operation_.gathers - gathered_) + " of " + std::to_string(operation_.gathers) +
                    " gathers are missing" + waiting_since(arrived_at_));
  if (!adding_.empty()) lines.push_back("reduction: " + std::to_string(adding_.size()) + " chunks");
  if (!arrivals_.empty()) lines.push_back("input: " + std::to_string(arrivals_.size()) + " chunks");
  return lines;
}

void ScheduleEngine::reset() {
  reader_.reset();
  reader_.forget_reads();
  gate_ = nullptr;
  dependencies_.reset();
  timer_.reset();
  operation_ = {};
  active_ = false;
  reduced_ = gathered_ = 0;
  start_at_ = due_ = never;
  issued_at_ = arrived_at_ = 0;
  decoder_free_at_ = 0;
  arrivals_.clear();
  adding_.clear();
}

void ScheduleEngine::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "issued", issued, SignalKind::strobe, 16, "an entry is issued (FlowID)");
  directory.add_signal(prefix + "dependency_cleared", dependency_cleared, SignalKind::strobe, 16,
                       "a chunk that entries wait for has arrived, and is added if it is a reduce (FlowID)");
  sums.describe(directory, prefix + "sum.");
  row_states_.describe(directory, prefix + "schedule.", config_.table_rows);
  reader_.describe(directory, prefix);
  timer_.describe(directory, prefix);
}

}  // namespace tributary
