#include "modules/nvswitch/nvswitch_port.h"

#include <algorithm>
#include <stdexcept>
#include <typeinfo>

#include "modules/base/element_limits.h"
#include "modules/base/readable.h"
#include "modules/base/text_format.h"
#include "modules/nvswitch/associative_reduction_table.h"
#include "modules/protocol/nvlink.h"

namespace tributary {
namespace {

std::string lost_text(unsigned operands, std::uint64_t block) {
  return (operands == 1 ? "an operand" : std::to_string(operands) + " operands") + " of block " + std::to_string(block) +
         (operands == 1 ? " has" : " have") + " not come back";
}

/// True if a line contains `block 62`, not followed by a digit.
bool names_block(const std::vector<std::string>& lines, std::uint64_t block) {
  const std::string text = "block " + std::to_string(block);
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    const std::size_t end = line.find(text) + text.size();
    return line.find(text) != std::string::npos && (end == line.size() || line[end] < '0' || line[end] > '9');
  });
}

bool is_ours(const ReductionTableModule* table) {
  return table != nullptr &&
         (typeid(*table) == typeid(AssociativeReductionTable) || typeid(*table) == typeid(PipelinedReductionTable));
}

unsigned entries_of(const ReductionTableConfig& table) { return static_cast<unsigned>(table.bytes / block_bytes); }

}  // namespace

NvSwitchPort::NvSwitchPort(const sc_core::sc_module_name& name, LinkPortListener& listener, const Tick& now, unsigned index,
                           const Config& config)
    : sc_module(name), link("link", listener, now, index, config.link) {
  ReductionTableConfig table = config.table;
  table.port = this->name();
  table_ = config.make_table("table", table);
  if (table_ != nullptr) table_socket.bind(table_->socket);
  if (is_ours(table_.get())) return;
  view_.emplace(entries_of(table));
  late_.emplace(std::string(this->name()) + ".table");
  rules_.emplace([this](TableRules::Rule rule, Tick when, const std::string& what) {
    if (rule == TableRules::Rule::lose) return;  // waiting() names the block
    throw std::logic_error(std::string(this->name()) + ".table breaks the rule `" + name_of(rule) + "` at " +
                           nanoseconds(when) + " ns: " + what);
  });
}

void NvSwitchPort::check_table(ElementType type, ReduceOp op, unsigned operands) const {
  check_elements(table(), type, op, operands);
}

Tick NvSwitchPort::access(TableTransaction& t) {
  std::uint64_t operands = 0, block = 0;
  if (t.packet != nullptr) {
    operands = nv(*t.packet).count;
    block = nv(*t.packet).address / block_bytes;
    blocks_(t.now, block);
  }
  if (rules_) {
    rules_->ask(t), view_->ask(t);
    if (t.packet != nullptr && listener_ != nullptr) offer_late_answer(t);
  }
  Tick latency = table_socket.access(t);
  if (rules_) {
    rules_->check(t), view_->answer(t);
    if (t.late != nullptr && t.late->part != nullptr) latency = answers_later(t);
  }
  if (t.timing.interval != 0 && t.packet != nullptr) served_ = {t.now + t.timing.interval, block};
  if (t.answer != TableTransaction::Answer::bypassed && t.answer != TableTransaction::Answer::missed) held_ += operands;
  if (t.result != nullptr || t.evicted != nullptr) held_ -= t.count;
  held_probe_(t.now, held_);
  return latency;
}

LateAnswers* NvSwitchPort::late_answers(AnswerListener& listener) {
  listener_ = &listener;
  return late_ ? &*late_ : nullptr;
}

void NvSwitchPort::offer_late_answer(TableTransaction& t) {
  offered_ = {};
  offered_.listener = &*late_;
  offered_.ticket = late_->count();
  t.late = &offered_;
}

Tick NvSwitchPort::answers_later(const TableTransaction& t) {
  const bool stays = t.answer == TableTransaction::Answer::bypassed || t.answer == TableTransaction::Answer::missed;
  if (t.result == nullptr && t.evicted == nullptr && !stays)
    throw std::logic_error(std::string(name()) + ".table breaks the rule `ticket`: it answers request " +
                           std::to_string(t.late->ticket) + " later, and nothing leaves");
  late_->defer(*t.late->part, t.now, *listener_);
  return never;
}

/// Returns the lines of operands that no line of the table names.
std::vector<std::string> NvSwitchPort::lost(const std::vector<std::string>& named) const {
  std::vector<std::string> lines;
  if (rules_) {
    for (const auto& [block, operands] : rules_->inside())
      if (!names_block(named, block)) lines.push_back(lost_text(operands, block));
  } else if (named.empty() && held_ != 0) {
    lines.push_back(std::to_string(static_cast<std::int64_t>(held_)) + " operands have not come back");
  }
  return lines;
}

std::vector<std::string> NvSwitchPort::waiting() const {
  std::vector<std::string> lines;
  if (table() != nullptr) lines = table()->waiting();
  for (std::string& line : lost(lines)) lines.push_back(std::move(line));
  if (served_.until > kernel_now())
    lines.insert(lines.begin(), "the service of an operand of block " + std::to_string(served_.block) + " lasts until " +
                                    readable_time(served_.until) + " of the simulation");
  for (std::string& line : lines) line = "table: " + line;
  return lines;
}

void NvSwitchPort::reset() {
  held_ = 0;
  served_ = {};
  if (rules_) rules_->reset(), view_->reset(), late_->reset();
  if (table() != nullptr) table()->reset();
}

void NvSwitchPort::describe(ProbeDirectory& directory) {
  const std::string port = name();
  directory.add_signal(port + ".table_socket.block", blocks_, SignalKind::strobe, 41,
                       "a packet is passed to the table (block number)");
  directory.add_signal(port + ".table_socket.operands", held_probe_, SignalKind::level, counter_bits,
                       "operands that the table holds");
  if (table() != nullptr) table()->describe(directory, port + ".table.");
  if (!view_) return;
  directory.for_each<ReductionProbe>([&](const std::string& name, ReductionProbe& own) {
    if (name.rfind(port + ".table.", 0) == 0) view_->follow(own);
  });
  directory.add(port + ".table_socket.entries", view_->events,
                "operands and partial sums of the table, as the port sees them, if the table shows none", view_->rows());
}

std::unique_ptr<NvSwitchPort> make_nvswitch_port(const char* name, LinkPortListener& listener, const Tick& now,
                                                 unsigned index, const NvSwitchPort::Config& config) {
  return std::make_unique<NvSwitchPort>(name, listener, now, index, config);
}

}  // namespace tributary
