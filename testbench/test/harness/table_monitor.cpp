#include "testbench/test/harness/table_monitor.h"

#include <algorithm>

#include "modules/link/link_protocol.h"
#include "modules/protocol/nvlink.h"

namespace tributary {
using Command = TableTransaction::Command;
using Answer = TableTransaction::Answer;

namespace {
const char* const rule_names[] = {"time", "ahead", "service", "shape", "finish", "expire", "answer", "conserve"};

TableMonitor::Rule rule_of(TableRules::Rule rule) {
  if (rule == TableRules::Rule::expire) return TableMonitor::Rule::expire;
  return rule == TableRules::Rule::answer ? TableMonitor::Rule::answer : TableMonitor::Rule::conserve;
}
}  // namespace

TableMonitor::TableMonitor(const sc_core::sc_module_name& name, const Config& config,
                           std::unique_ptr<ReductionTableModule> table)
    : ReductionTableModule(name),
      config_(config),
      table_(std::move(table)),
      rules_(
          [this](TableRules::Rule rule, Tick when, const std::string& text) { require(false, rule_of(rule), when, text); }) {
  out_.bind(table_->socket);
}

void TableMonitor::b_transport(TableTransaction& t, sc_core::sc_time& delay) {
  ++calls_;
  check_time(t);
  check_command(t);
  unsigned flits = 0;
  if (t.packet != nullptr) {
    check_operand(t);
    flits = flits_of<NvLink>(*t.packet);
  }
  rules_.ask(t);
  const Tick latency = out_.access(t);
  delay += to_sc_time(latency);
  if (flits != 0) busy_until_ = t.now + flits * config_.flit_time + t.timing.interval;
  rules_.check(t);
  note_leaving(t, latency);
  next_timeout_ = t.next_timeout;
}

/// Packets leave in the order of their operands: a sum after its operand's service, all others at its begin.
void TableMonitor::note_leaving(const TableTransaction& t, Tick latency) {
  const bool completes = t.answer == Answer::completed;
  const bool returned = t.answer == Answer::bypassed || t.answer == Answer::missed;
  if (!completes && !returned && t.evicted == nullptr) return;
  late_until_ = std::max((completes ? busy_until_ : t.now) + latency, late_until_);
  if (completes)
    leaving_.push_back({block_, t.command == Command::push ? TableTransaction::no_requester : t.requester, late_until_});
}

void TableMonitor::check_time(const TableTransaction& t) {
  require(t.now >= last_, Rule::time, t.now, "a call lies " + std::to_string(last_ - t.now) + " ps before the last one");
  last_ = std::max(last_, t.now);
  const Tick kernel = kernel_now();
  if (t.now >= kernel) most_ahead_ = std::max(most_ahead_, t.now - kernel);
  if (t.now < kernel) most_behind_ = std::max(most_behind_, kernel - t.now);
  require(t.now < kernel || t.now - kernel <= config_.ahead, Rule::ahead, t.now,
          "a call lies " + std::to_string(t.now - kernel) + " ps ahead of the kernel");
}

void TableMonitor::check_operand(const TableTransaction& t) {
  const NvHeader& h = nv(*t.packet);
  require(t.command == Command::push ? h.opcode == Opcode::red_write : h.opcode == Opcode::rsp, Rule::shape, t.now,
          "a packet of another kind");
  require(t.packet->references() > 0 && flits_of<NvLink>(*t.packet) > 1 && h.count > 0 && h.address % block_bytes == 0,
          Rule::shape, t.now, "a packet without a reference, data or operands, or not of a whole block");
  require(t.now >= busy_until_, Rule::service, t.now, "an operand begins before the one before it has passed");
  require(leaving_.empty() || leaving_.front().due >= t.now, Rule::finish, t.now,
          "an operand begins, and a completed block that has left is not finished");
  block_ = h.address / block_bytes;
}

void TableMonitor::check_command(const TableTransaction& t) {
  const bool carries = t.command == Command::push || t.command == Command::collect;
  require(carries == (t.packet != nullptr), Rule::shape, t.now, "a packet with the wrong command, or none");
  if (t.command == Command::expire) require(next_timeout_ <= t.now, Rule::expire, t.now, "the table has not asked to evict");
  if (t.command == Command::finish) check_finish(t);
}

void TableMonitor::check_finish(const TableTransaction& t) {
  require(!leaving_.empty(), Rule::finish, t.now, "no block has been completed");
  if (leaving_.empty()) return;
  const Leaving& next = leaving_.front();
  require(t.now == next.due, Rule::finish, t.now, "a sum leaves at another time than " + std::to_string(next.due));
  require(t.address / block_bytes == next.block && t.requester == next.requester, Rule::finish, t.now,
          "block " + std::to_string(t.address / block_bytes) + " is finished, and block " + std::to_string(next.block) +
              " leaves");
  leaving_.pop_front();
}

void TableMonitor::finish() {
  for (const auto& [block, operands] : rules_.inside())
    require(false, Rule::conserve, kernel_now(),
            std::to_string(operands) + " operands of block " + std::to_string(block) + " have not come out");
}

void TableMonitor::reset() {
  rules_.reset();
  busy_until_ = late_until_ = last_ = 0;
  next_timeout_ = never;
  leaving_.clear();
  table_->reset();
}

ReductionTableFactory monitored(ReductionTableFactory make, const TableMonitor::Config& config,
                                std::vector<TableMonitor*>& monitors) {
  return [make = std::move(make), config, &monitors](const char* name, const ReductionTableConfig& table) {
    auto monitor = std::make_unique<TableMonitor>("monitor", config, make(name, table));
    monitors.push_back(monitor.get());
    return monitor;
  };
}

std::string to_text(const std::vector<TableMonitor::Violation>& violations) {
  std::string text;
  for (const TableMonitor::Violation& v : violations)
    text +=
        std::string(rule_names[static_cast<int>(v.rule)]) + ": at " + to_string(picoseconds(v.when)) + " " + v.text + "\n";
  return text;
}

}  // namespace tributary
