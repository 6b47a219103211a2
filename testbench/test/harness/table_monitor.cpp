#include "testbench/test/harness/table_monitor.h"

#include <algorithm>

#include "modules/link/link_protocol.h"
#include "modules/protocol/nvlink.h"

namespace tributary {
using Command = TableTransaction::Command;
using Answer = TableTransaction::Answer;

namespace {
const char* const rule_names[] = {"time", "ahead", "service", "shape", "finish", "expire", "answer", "conserve"};
constexpr unsigned no_requester = 0xFFFF;

bool knows(Command command, Answer answer) {
  switch (command) {
    case Command::push:
      return answer == Answer::inserted || answer == Answer::merged || answer == Answer::completed ||
             answer == Answer::bypassed;
    case Command::collect:
      return answer == Answer::merged || answer == Answer::completed || answer == Answer::missed;
    case Command::allocate:
      return answer == Answer::inserted || answer == Answer::refused;
    case Command::expire:
      return answer == Answer::inserted || answer == Answer::nothing;
    case Command::finish:
      break;
  }
  return true;
}
}  // namespace

TableMonitor::TableMonitor(const sc_core::sc_module_name& name, const Config& config,
                           std::unique_ptr<ReductionTableModule> table)
    : ReductionTableModule(name), config_(config), table_(std::move(table)) {
  out_.bind(table_->socket);
}

void TableMonitor::b_transport(TableTransaction& t, sc_core::sc_time& delay) {
  ++calls_;
  check_time(t);
  check_command(t);
  Block block{t.address / block_bytes, t.requester};
  unsigned operands = 0, flits = 0;
  if (t.packet != nullptr) {
    check_operand(t);
    block = {nv(*t.packet).address / block_bytes, t.command == Command::push ? no_requester : t.requester};
    operands = nv(*t.packet).count;
    flits = flits_of<NvLink>(*t.packet);
  }
  const Tick extra = out_.access(t);
  delay += to_sc_time(extra);
  if (flits != 0) busy_until_ = t.now + flits * config_.flit_time + extra;
  check_answer(t, block, operands);
  next_timeout_ = t.next_timeout;
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
  require(!completing_, Rule::finish, t.now, "an operand begins, and the completed block has not left");
}

void TableMonitor::check_command(const TableTransaction& t) {
  const bool carries = t.command == Command::push || t.command == Command::collect;
  require(carries == (t.packet != nullptr), Rule::shape, t.now, "a packet with the wrong command, or none");
  if (t.command == Command::expire) require(next_timeout_ <= t.now, Rule::expire, t.now, "the table has not asked to evict");
  if (t.command != Command::finish) return;
  require(completing_ && t.now == busy_until_, Rule::finish, t.now, "no block has been completed, or not until now");
  completing_ = false;
}

void TableMonitor::check_answer(const TableTransaction& t, const Block& block, unsigned operands) {
  require(knows(t.command, t.answer), Rule::answer, t.now, "the command knows no such answer");
  require((t.answer == Answer::completed) == (t.result != nullptr), Rule::answer, t.now,
          "a sum without a completion, or the other way round");
  require(t.evicted == nullptr || t.answer == Answer::inserted, Rule::answer, t.now,
          "what is evicted comes with no new entry");
  completing_ = completing_ || t.answer == Answer::completed;
  if (t.answer == Answer::inserted || t.answer == Answer::merged || t.answer == Answer::completed)
    if (operands != 0) inside_[block] += operands;
  if (t.result != nullptr) leaves(t, block);
  if (t.evicted != nullptr) leaves(t, {nv(*t.evicted).address / block_bytes, no_requester});
}

void TableMonitor::leaves(const TableTransaction& t, const Block& block) {
  const auto it = inside_.find(block);
  const unsigned inside = it == inside_.end() ? 0 : it->second;
  require(inside == t.count, Rule::conserve, t.now,
          "block " + std::to_string(block.first) + " leaves with " + std::to_string(t.count) + " operands of " +
              std::to_string(inside));
  if (it == inside_.end()) return;
  if ((it->second -= std::min<unsigned>(t.count, inside)) == 0) inside_.erase(it);
}

void TableMonitor::finish() {
  for (const auto& [block, operands] : inside_)
    require(false, Rule::conserve, kernel_now(),
            std::to_string(operands) + " operands of block " + std::to_string(block.first) + " have not come out");
}

void TableMonitor::reset() {
  inside_.clear();
  busy_until_ = last_ = 0;
  next_timeout_ = never;
  completing_ = false;
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
