#include "modules/nvswitch/core/table_monitor.h"

#include <algorithm>
#include <utility>

#include "modules/base/host/wide.h"
#include "modules/protocol/nvlink.h"

namespace tributary {
namespace {

using Command = TableTransaction::Command;
using Answer = TableTransaction::Answer;

/// Times of a line are rounded to ps once for each packet.
constexpr Tick rounding = 1;

}  // namespace

TableMonitor::TableMonitor(Setup setup)
    : TransactionMonitor(std::move(setup)),
      line_rate_(config_number("line_rate", 0)),
      rank_order_(config_number("rank_order", 0) != 0),
      rules_([this](TableRules::Rule rule, Tick, const std::string& text) {
        const bool lost = rule == TableRules::Rule::lose;
        if (lost && rank_order_) return;  // an entry sends its operands one by one
        fail(lost ? "conserve" : name_of(rule), text);
      }) {}

std::string TableMonitor::request() const {
  const char* const names[] = {"push", "allocate", "collect", "expire", "finish"};
  std::string text = names[static_cast<std::size_t>(asked_.command)];
  if (asked_.command == Command::expire) return text;
  text += " of block " + std::to_string(asked_.block);
  if (asked_.operands != 0)
    text += ", operands " + std::to_string(asked_.operands) + " from gpu" + std::to_string(asked_.source);
  if (asked_.command != Command::push) text += ", requester " + std::to_string(asked_.requester);
  return text;
}

Tick TableMonitor::line_time(unsigned flits) const {
  if (line_rate_ == 0) return 0;
  return static_cast<Tick>(Wide{flits} * NvLink::flit_bytes * 1'000'000'000'000u / line_rate_);
}

void TableMonitor::ask(const TableTransaction& t, Tick now) {
  begin(now);
  asked_ = {t.command, t.address / block_bytes, t.requester, t.expected, 0, 0, 0};
  if (t.packet != nullptr) {
    const NvHeader& h = nv(*t.packet);
    asked_.block = h.address / block_bytes, asked_.operands = h.count, asked_.source = h.source;
    asked_.passed = now + line_time(flits_of<NvLink>(*t.packet));
  }
  if (now < last_) fail_device("time", "a call lies " + std::to_string(last_ - now) + " ps before the last one");
  last_ = std::max(last_, now);
  check_command(t);
  if (t.packet != nullptr) check_operand(t);
  if (t.command == Command::finish) check_finish(t);
  rules_.ask(t);
}

void TableMonitor::check_command(const TableTransaction& t) const {
  const bool carries = t.command == Command::push || t.command == Command::collect;
  if (carries != (t.packet != nullptr)) fail_device("shape", "a packet with the wrong command, or none");
  if (t.command == Command::expire && next_timeout_ > t.now) fail_device("expire", "the table has not asked to evict");
}

void TableMonitor::check_operand(const TableTransaction& t) const {
  const NvHeader& h = nv(*t.packet);
  if (h.opcode != (t.command == Command::push ? Opcode::red_write : Opcode::rsp))
    fail_device("shape", "a packet of another kind");
  if (t.packet->references() == 0 || flits_of<NvLink>(*t.packet) < 2 || h.count == 0 || h.address % NvLink::flit_bytes != 0)
    fail_device("shape", "a packet without a reference, data or operands, or not of whole flits of a block");
  if (t.now + rounding < busy_until_)
    fail_device("service",
                "an operand begins before the one before it has passed, at " + std::to_string(busy_until_) + " ps");
  if (!defers_ && !leaving_.empty() && leaving_.front().due + rounding < t.now)
    fail_device("finish", "an operand begins, and block " + std::to_string(leaving_.front().block) +
                              ", whose sum has left, is not finished");
}

void TableMonitor::check_finish(const TableTransaction& t) {
  if (leaving_.empty()) return fail_device("finish", "no block has been completed");
  const Leaving next = leaving_.front();
  leaving_.pop_front();
  if (t.now + rounding < next.due || (!defers_ && t.now > next.due + rounding))
    fail_device("finish", "a sum leaves at another time than " + std::to_string(next.due) + " ps");
  if (t.address / block_bytes != next.block || t.requester != next.requester)
    fail_device("finish", "block " + std::to_string(t.address / block_bytes) + " is finished, and block " +
                              std::to_string(next.block) + " leaves");
}

void TableMonitor::check(const TableTransaction& t, Tick interval, Tick latency) {
  check_times(interval, latency);
  if (t.packet != nullptr) busy_until_ = asked_.passed + interval;
  rules_.check(t);
  check_full(t);
  check_timeout(t);
  note_leaving(t, latency);
}

/// Operands are sent on only as a sum, or at a timeout.
void TableMonitor::check_full(const TableTransaction& t) const {
  if (t.answer != Answer::merged || (rank_order_ && t.command == Command::push)) return;
  if (const TableRules::State state = rules_.asked(); state.expected != 0 && state.operands >= state.expected)
    fail("complete", "block " + std::to_string(asked_.block) + " has all " + std::to_string(state.expected) +
                         " operands, and the answer is `merged`");
}

/// A table that was due before the call may be due still: the port is late if its buffer is full.
void TableMonitor::check_timeout(const TableTransaction& t) {
  if (t.next_timeout < t.now && next_timeout_ > t.now)
    fail("time", "next_timeout, " + std::to_string(t.next_timeout) + " ps, lies before the request");
  next_timeout_ = t.next_timeout;
}

/// Packets leave in the order of their operands: a sum after its operand's service, all others at its begin.
void TableMonitor::note_leaving(const TableTransaction& t, Tick latency) {
  const bool completes = t.answer == Answer::completed;
  const bool returned = t.answer == Answer::bypassed || t.answer == Answer::missed;
  if (!completes && !returned && t.evicted == nullptr) return;
  defers_ = defers_ || (t.late != nullptr && t.late->part != nullptr);
  late_until_ = std::max((completes ? busy_until_ : t.now) + latency, late_until_);
  if (completes)
    leaving_.push_back(
        {asked_.block, t.command == Command::push ? unsigned{TableTransaction::no_requester} : t.requester, late_until_});
}

/// A stuck run: entries for pulls wait for others, and entries with a timeout for their port.
void TableMonitor::end(Tick now, bool complete) {
  unsigned operands = 0;
  std::string blocks;
  for (const TableRules::Kept& kept : rules_.kept()) {
    if (!complete && (kept.pull || next_timeout_ != never)) continue;
    operands += kept.operands;
    blocks += (blocks.empty() ? "" : ", ") + std::string("block ") + std::to_string(kept.block) + " from gpu" +
              std::to_string(kept.source);
    if (kept.operands > 1) blocks += " and " + std::to_string(kept.operands - 1) + " more";
  }
  if (operands == 0) return;
  fail_at("end", now, "holds " + std::to_string(operands) + (operands == 1 ? " operand: " : " operands: ") + blocks);
}

void TableMonitor::reset() {
  rules_.reset();
  busy_until_ = late_until_ = last_ = 0;
  next_timeout_ = never;
  leaving_.clear();
  defers_ = false;
}

}  // namespace tributary
